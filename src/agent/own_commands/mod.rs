//! The person's own slash commands: `commands/NAME.md` beside the configuration and in a trusted project's `.shellmate`.
//!
//! `/NAME ARGUMENTS` asks what the file says, with the arguments filled in. The text is the person's question, so files after an `@`
//! are attached as in any question. Nothing in a file is executed. Files are read when a question or a completion needs them.

mod expand;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::regular::{self, TextError};
use super::{Project, shown_path};
use crate::text::front_matter::{self, FrontMatter, FrontMatterError};
use crate::text::{self, KIB};

/// The most bytes of a file.
const LARGEST: u64 = 64 * KIB as u64;
/// How many commands are read: of the project, and of the person.
const MOST: usize = 200;
/// How many files and directories are looked at, and how deep directories may be nested.
const ENTRIES: usize = 1_000;
const DEPTH: usize = 4;
/// The most characters of a part of a name, of a description and of a hint.
const NAME: usize = 64;
const DESCRIPTION: usize = 200;
const HINT: usize = 60;

/// The directory of commands, beside the configuration and in `.shellmate`.
pub(super) const DIRECTORY: &str = "commands";
/// Names that begin with this are skills.
const SKILL: &str = "skill:";

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnCommand {
    /// Without the slash; `DIRECTORY:NAME` if its file is in a directory.
    pub name: String,
    /// One line.
    pub description: String,
    /// The arguments, as completion shows them.
    pub hint: String,
    /// The model to ask instead of the usual one.
    pub model: Option<String>,
    /// Its file, for people.
    pub file: String,
    body: String,
}

/// Why a file is not used as a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum NotACommand {
    #[error("{0}")]
    Text(String),
    #[error("it is larger than 64 KiB")]
    TooLarge,
    #[error(transparent)]
    FrontMatter(#[from] FrontMatterError),
    #[error("it is empty")]
    Empty,
    #[error("its name may contain only letters, digits, - and _")]
    Name,
    #[error("/{0} is a built-in command")]
    BuiltIn(String),
}

impl From<TextError> for NotACommand {
    fn from(error: TextError) -> NotACommand {
        NotACommand::Text(error.to_string())
    }
}

/// What a person should know about a file or a directory of commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnCommandProblem {
    /// The command that it is about.
    name: Option<String>,
    words: String,
}

impl std::fmt::Display for OwnCommandProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words)
    }
}

/// The commands that can be used in a directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnCommands {
    /// Those of the project first. Each name is there once.
    pub list: Vec<OwnCommand>,
    pub problems: Vec<OwnCommandProblem>,
}

/// A question that was made from a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CalledCommand {
    pub text: String,
    pub model: Option<String>,
}

/// Which names are taken. `true` for a built-in command.
pub(crate) type IsBuiltIn<'a> = &'a dyn Fn(&str) -> bool;

impl OwnCommands {
    /// Finds the commands of a project and of the person. `own` is the person's configuration directory.
    pub(crate) fn find(
        own: Option<&Path>,
        project: Option<&Project>,
        home: Option<&Path>,
        is_built_in: IsBuiltIn<'_>,
    ) -> OwnCommands {
        let mut search =
            CommandSearch { is_built_in, found: OwnCommands::default(), most: 0, seen: Vec::new(), entries: 0 };
        if let Some(project) = project {
            search.project(project, home);
        }
        if let Some(own) = own {
            search.most = search.found.list.len() + MOST;
            search.directory(&own.join(DIRECTORY), "", home, 0);
        }
        search.found
    }

    /// The question of a line that calls one of the commands. `None` if it calls none.
    pub(crate) fn call(&self, line: &str) -> Option<CalledCommand> {
        let (name, arguments) = called(line)?;
        let command = self.list.iter().find(|command| command.name == name)?;
        Some(CalledCommand { text: expand::expanded(&command.body, arguments), model: command.model.clone() })
    }

    /// Why a line calls no command: its file has a problem, or the name is like another one.
    pub(crate) fn refusal(&self, line: &str) -> Option<String> {
        let (name, _) = called(line)?;
        if let Some(problem) = self.problems.iter().find(|problem| problem.name.as_deref() == Some(name)) {
            return Some(problem.words.clone());
        }
        let near = text::nearest(name, self.list.iter().map(|command| command.name.as_str()))?;
        Some(format!("there is no /{name} (did you mean /{near}?); /help lists the commands"))
    }
}

/// The name and the arguments of a line that may call a command.
fn called(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('/')?;
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_name = !name.starts_with(SKILL) && name.split(':').all(is_part);
    is_name.then_some((name, arguments.trim()))
}

/// Whether a text can be a name, or a part of one between colons.
fn is_part(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (1..=NAME).contains(&name.len()) && name.chars().all(is_allowed)
}

/// A search in progress.
struct CommandSearch<'a> {
    is_built_in: IsBuiltIn<'a>,
    found: OwnCommands,
    /// How many commands there may be in all.
    most: usize,
    /// The directories that were searched, without symbolic links: a link to one of them leads nowhere new.
    seen: Vec<PathBuf>,
    /// How many files and directories were looked at.
    entries: usize,
}

impl CommandSearch<'_> {
    /// Takes the commands of a project. Those of a project that is not trusted are only named.
    fn project(&mut self, project: &Project, home: Option<&Path>) {
        self.most = MOST;
        for (name, bytes) in project.command_files() {
            let (name, file) = (name.trim_end_matches(".md").replace('/', ":"), project.shown_command(name, home));
            if !project.is_trusted() {
                let words =
                    format!("{file} is not used: the project is not trusted; `shellmate trust` shows it and asks");
                self.found.problems.push(OwnCommandProblem { name: Some(name), words });
            } else if bytes.len() as u64 > LARGEST {
                self.add(name, file, Err(NotACommand::TooLarge));
            } else {
                self.add(name, file, Ok(String::from_utf8_lossy(bytes).into_owned()));
            }
        }
    }

    /// Takes the commands below a directory.
    fn directory(&mut self, directory: &Path, prefix: &str, home: Option<&Path>, depth: usize) {
        let Some(entries) = self.entries(directory, home) else { return };
        for path in entries {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            self.entries += 1;
            if self.found.list.len() >= self.most || self.entries > ENTRIES {
                return self.problem(directory, home, "is not searched further: it has too many files");
            }
            if name.starts_with('.') {
                continue;
            }
            if path.is_dir() && depth < DEPTH {
                self.directory(&path, &format!("{prefix}{name}:"), home, depth + 1);
            } else if let Some(name) = name.strip_suffix(".md") {
                let text = match regular::text(&path, LARGEST) {
                    Ok((_, size)) if size > LARGEST => Err(NotACommand::TooLarge),
                    read => read.map(|(text, _)| text).map_err(NotACommand::from),
                };
                self.add(format!("{prefix}{name}"), shown_path(&path, home), text);
            }
        }
    }

    /// What is in a directory, in order. `None` if it was searched already or cannot be read.
    fn entries(&mut self, directory: &Path, home: Option<&Path>) -> Option<Vec<PathBuf>> {
        let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        if self.seen.contains(&real) {
            return None;
        }
        self.seen.push(real);
        match fs::read_dir(directory) {
            Ok(entries) => {
                let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).take(ENTRIES + 1).collect();
                paths.sort();
                Some(paths)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                self.problem(directory, home, &format!("cannot be read: {error}"));
                None
            }
        }
    }

    fn problem(&mut self, directory: &Path, home: Option<&Path>, what: &str) {
        let words = format!("{} {what}", shown_path(directory, home));
        self.found.problems.push(OwnCommandProblem { name: None, words });
    }

    fn add(&mut self, name: String, file: String, text: Result<String, NotACommand>) {
        let known = self.found.list.iter().find(|command| command.name == name);
        let words = match (self.read(&name, &file, text), known) {
            (Err(why), _) => format!("{file} is not used: {why}"),
            (Ok(_), Some(first)) => format!("{file} is not used: {} has the same name", first.file),
            (Ok(command), None) => return self.found.list.push(command),
        };
        // A name that another file has can be called all the same.
        let name = Some(name).filter(|_| known.is_none());
        self.found.problems.push(OwnCommandProblem { name, words });
    }

    fn read(&self, name: &str, file: &str, text: Result<String, NotACommand>) -> Result<OwnCommand, NotACommand> {
        if !name.split(':').all(is_part) {
            return Err(NotACommand::Name);
        }
        if (self.is_built_in)(name) || name.starts_with(SKILL) {
            return Err(NotACommand::BuiltIn(name.to_owned()));
        }
        let text = text?;
        let (matter, body) = match front_matter::split(&text)? {
            Some((matter, body)) => (FrontMatter::read(matter)?, body),
            None => (FrontMatter::default(), text.as_str()),
        };
        let body = body.trim();
        if body.is_empty() {
            return Err(NotACommand::Empty);
        }
        let first = body.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']);
        Ok(OwnCommand {
            name: name.to_owned(),
            description: one_line(matter.text("description").unwrap_or(first), DESCRIPTION),
            hint: one_line(&matter.text_or_list("argument-hint").unwrap_or_default(), HINT),
            model: matter.text("model").map(str::to_owned),
            file: file.to_owned(),
            body: body.to_owned(),
        })
    }
}

/// A text in one line of at most this many characters, without control characters.
fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(most).collect()
}
