//! Reads a command line and says what each part of it would do.
//!
//! [`read`] takes the text of a bash command and the place where it would run. It lists every simple command in it, those inside
//! substitutions, functions, wrappers (`env`, `timeout`, `sh -c`, …) included. A part is silent only if it is known to look and not to
//! change anything. A text that cannot be read is unclear, never harmless. What must be denied is looked for in unclear texts too, as far
//! as their words can be seen.
//!
//! Nothing is run. Files are looked at for three questions: where a symbolic link leads, which program a name stands for, and whether the
//! configuration of a git repository runs programs.

mod argument;
mod awk;
mod danger;
mod find;
mod fixed;
mod git;
mod git_config;
mod kinds;
mod lenient;
mod looks;
mod operands;
mod options;
mod paths;
mod program;
mod scope;
mod simple;
mod unclear;
mod walk;
mod wrapper;

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub(crate) use danger::CommandDanger;
pub(crate) use kinds::mentions_other_rights;
pub(crate) use unclear::Unclear;

/// The longest text that is read, in characters.
const LONGEST_COMMAND: usize = 10_000;

/// Where a command would run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommandPlace<'a> {
    /// The directory it starts in; absolute.
    pub cwd: &'a Path,
    pub home: Option<&'a Path>,
    pub project: &'a Path,
    /// `PATH` of the shell that runs it.
    pub path: &'a OsStr,
    /// Whether the shell that runs it can write nothing outside the sandbox. Programs that git would start do no harm there.
    pub is_confined: bool,
}

/// What a command line would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CommandReading {
    /// Every simple command, in order of appearance.
    pub parts: Vec<ReadPart>,
    /// Why the text as a whole must be asked about. The parts may be incomplete then.
    pub unclear: Option<Unclear>,
}

/// One simple command of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadPart {
    /// The command's name and its arguments without quotes. Wrappers around the command are left out. A word whose value is not known
    /// is as it was typed.
    pub words: Vec<String>,
    pub effect: PartEffect,
    /// Files and directories that are read, as far as known.
    pub reads: Vec<Touched>,
    /// Files and directories that are changed, created or deleted, as far as known.
    pub writes: Vec<Touched>,
    /// Those of them that a redirection writes.
    pub redirected: Vec<Touched>,
    /// Why this part is denied.
    pub danger: Option<CommandDanger>,
    /// The first words that a lasting grant may cover. `None` where a grant for other arguments would cover too much.
    pub fixed_words: Option<Vec<String>>,
    /// Whether it runs with the rights of another user: behind `sudo` and its kin.
    pub raises: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PartEffect {
    /// Only looks. It needs no question unless what it reads is private.
    Looks,
    /// Creates exactly the paths that it writes, or changes their times: `mkdir`, `touch`.
    Creates,
    /// Changes something, or runs a program that is not known to look only.
    Changes,
    /// What it does is not known before it runs.
    Unclear(Unclear),
}

/// A path that a part reads or writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Touched {
    /// Absolute, without `.` and `..`. A path through a symbolic link is listed twice: as written and as it really is.
    pub path: PathBuf,
    pub extent: Extent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The file or directory itself.
    Itself,
    /// Anything below the directory: a recursive command, or a pattern of file names.
    Below,
}

impl CommandReading {
    /// Whether every part only looks.
    pub(crate) fn only_looks(&self) -> bool {
        self.unclear.is_none()
            && self.parts.iter().all(|part| part.effect == PartEffect::Looks && part.danger.is_none())
    }

    /// Whether a part of this text runs with the rights of another user. In a text that cannot be read, the name of such a program counts
    /// wherever it stands.
    pub(crate) fn raises_rights(&self, text: &str) -> bool {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
        self.parts.iter().any(|part| part.raises) || self.unclear.is_some() && words.any(kinds::raises_rights)
    }

    /// The first reason for a denial.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn danger(&self) -> Option<&CommandDanger> {
        self.parts.iter().find_map(|part| part.danger.as_ref())
    }

    /// Whether it changes only the directory or the environment of the shell: `cd`, `export NAME=VALUE`, `source …/activate`.
    pub(crate) fn changes_only_the_shell(&self) -> bool {
        let is_one = |part: &ReadPart| {
            let words: Vec<&str> = part.words.iter().map(String::as_str).collect();
            let is_form = match words[..] {
                ["cd"] | ["cd", _] => true,
                ["export", _] => true,
                ["source" | ".", script] => Path::new(script)
                    .file_name()
                    .is_some_and(|name| name.to_string_lossy().split('.').next() == Some("activate")),
                _ => false,
            };
            is_form && part.redirected.is_empty() && part.danger.is_none()
        };
        self.unclear.is_none() && matches!(&self.parts[..], [only] if is_one(only))
    }
}

/// Reads a command line for bash. Never fails: a text that cannot be read is unclear.
pub(crate) fn read(text: &str, place: &CommandPlace<'_>) -> CommandReading {
    match unclear::check_text(text).and_then(|()| walk::read_text(text, place)) {
        Ok(reading) => reading,
        Err(unclear) => CommandReading { parts: lenient::parts(text, place), unclear: Some(unclear) },
    }
}
