//! A failed command in the form that the rules work on.

use std::path::PathBuf;

use super::FailedCommand;
use super::line::{self, CommandLine, CommandPart};
use super::output::PrintedOutput;
use super::part::{failed_part, is_complaint};
use super::viewer;
use crate::text::shell::{Operator, Redirection, Word};

/// Prefixes of a command, which change how it runs but not which command it is.
const PREFIXES: &[&str] = &[
    "sudo", "doas", "env", "command", "builtin", "exec", "time", "nohup", "nice", "ionice", "stdbuf", "setsid",
    "noglob",
];

/// Keywords that a command follows. Nothing can be inserted before them.
const KEYWORDS: &[&str] =
    &["if", "elif", "else", "while", "until", "then", "do", "not", "and", "or", "begin", "!", "{", "time"];

/// Options of the prefixes that take the next word as their value.
const VALUED: &[(&str, &[&str])] = &[
    ("sudo", &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group", "--chdir"]),
    ("doas", &["-u", "-C"]),
    ("env", &["-u", "-C", "--unset", "--chdir"]),
    ("nice", &["-n", "--adjustment"]),
    ("ionice", &["-c", "-n"]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("time", &["-f", "-o"]),
];

/// A failed command: its line, the part of it that failed, and the output.
pub(super) struct Case<'a> {
    pub(super) line: CommandLine<'a>,
    pub(super) output: PrintedOutput<'a>,
    pub(super) status: Option<i32>,
    /// The directory that the failed part ran in.
    pub(super) cwd: PathBuf,
    /// The index of the failed part in the line.
    part: usize,
    /// The index of the command's name in that part.
    name: usize,
}

impl<'a> Case<'a> {
    pub(super) fn new(failure: &FailedCommand<'a>) -> Self {
        let line = CommandLine::new(failure.command);
        let output = PrintedOutput::new(failure.output);
        let part = failed_part(line.parts(), &output, failure.status);
        let name = line.parts().get(part).map_or(0, name_of);
        let mut case = Case { line, output, status: failure.status, cwd: failure.cwd.to_owned(), part, name };
        if let Some(is_own) = viewer::is_own_line(&case) {
            case.output.retain(is_own);
        }
        case
    }

    /// Whether there is a failure to explain. A pipeline can succeed although a part of it failed.
    pub(super) fn has_failed(&self) -> bool {
        let Some(part) = self.line.parts().get(self.part) else { return false };
        let is_hidden_by_a_pipe =
            self.line.parts().get(self.part + 1).is_some_and(|next| {
                next.operator.is_some_and(|operator| operator.is_pipe() || operator == Operator::Or)
            });
        let complains = |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
        let is_told = is_complaint(part, &self.output) || self.output.lines().iter().any(complains);
        self.status != Some(0) || is_hidden_by_a_pipe && is_told
    }

    /// The words of the failed part from the command's name on, without `sudo` or `VAR=value` before it.
    pub(super) fn words(&self) -> &[Word] {
        self.line.parts().get(self.part).map_or(&[], |part| &part.words[self.name..])
    }

    /// The command's name without its directory: `git` of `sudo /usr/bin/git push`.
    pub(super) fn tool(&self) -> &str {
        let name = self.words().first().map_or("", |word| &word.text);
        name.rsplit('/').next().unwrap_or(name)
    }

    /// The text of a word. Word 0 is the command's name.
    pub(super) fn word(&self, index: usize) -> Option<&str> {
        self.words().get(index).map(|word| word.text.as_str())
    }

    /// A word as it was typed, quotes included.
    pub(super) fn raw(&self, index: usize) -> &'a str {
        self.words().get(index).map_or("", |word| &self.line.text()[word.span.clone()])
    }

    /// The index of the first word with this text.
    pub(super) fn position(&self, text: &str) -> Option<usize> {
        self.words().iter().position(|word| word.text == text)
    }

    /// The first word after the name that is not an option, and its index. The value of an option counts as such a word: for `git -C x push` it
    /// is `x`.
    pub(super) fn subcommand(&self) -> Option<(usize, &str)> {
        let mut words = self.words().iter().enumerate().skip(1);
        words.find(|(_, word)| !word.text.starts_with('-')).map(|(index, word)| (index, word.text.as_str()))
    }

    /// The redirections of the failed part.
    pub(super) fn redirections(&self) -> &[Redirection] {
        self.line.parts().get(self.part).map_or(&[], |part| &part.redirections)
    }

    /// The words after the name that are neither options nor redirections, with their indices.
    pub(super) fn operands(&self) -> impl Iterator<Item = (usize, &str)> {
        let part = self.line.parts().get(self.part);
        let words = self.words().iter().enumerate().skip(1);
        words
            .filter(move |(_, word)| !word.text.starts_with('-') && !part.is_some_and(|part| part.is_redirection(word)))
            .map(|(index, word)| (index, word.text.as_str()))
    }

    /// Whether a word of the command is one of these.
    pub(super) fn has_word(&self, any: &[&str]) -> bool {
        self.words().iter().skip(1).any(|word| any.contains(&word.text.as_str()))
    }

    /// Whether the command was run with `sudo` or `doas`.
    pub(super) fn is_elevated(&self) -> bool {
        let part = self.line.parts().get(self.part);
        part.is_some_and(|part| part.words[..self.name].iter().any(|word| word.text == "sudo" || word.text == "doas"))
    }

    /// The whole line with one word replaced, quoted if needed.
    pub(super) fn with_word(&self, index: usize, text: &str) -> String {
        self.with_raw(index, &line::quoted(text))
    }

    /// The whole line with one word replaced by this text, without quoting.
    pub(super) fn with_raw(&self, index: usize, text: &str) -> String {
        match self.words().get(index) {
            Some(word) => self.line.with(word.span.clone(), text),
            None => self.line.text().to_owned(),
        }
    }

    /// The whole line with this text inserted before a word of the command, or after the last word if there is no such word.
    pub(super) fn with_inserted(&self, index: usize, text: &str) -> String {
        match (self.words().get(index), self.words().last()) {
            (Some(word), _) => self.line.with(word.span.start..word.span.start, &format!("{text} ")),
            (None, Some(last)) => self.line.with(last.span.end..last.span.end, &format!(" {text}")),
            (None, None) => self.line.text().to_owned(),
        }
    }

    /// The whole line without one word and the blanks before it.
    pub(super) fn without(&self, index: usize) -> String {
        let Some(word) = self.words().get(index) else { return self.line.text().to_owned() };
        let before = self.line.text()[..word.span.start].trim_end().len();
        self.line.with(before..word.span.end, "")
    }

    /// The whole line with the failed part replaced by another command. `sudo` and variables before it are kept.
    pub(super) fn with_command(&self, command: &str) -> String {
        let (Some(first), Some(last)) = (self.words().first(), self.words().last()) else { return command.to_owned() };
        self.line.with(first.span.start..last.span.end, command)
    }

    /// The whole line with this text inserted before the failed part: `sudo`, or `mkdir -p x &&`.
    pub(super) fn with_before(&self, text: &str) -> String {
        let parts = self.line.parts();
        // `&&` cannot be inserted inside a pipeline, so the text goes before the pipeline.
        let mut at = self.part;
        while text.ends_with("&&") && at > 0 && parts.get(at).is_some_and(CommandPart::is_piped) {
            at -= 1;
        }
        let Some(part) = parts.get(at) else { return text.to_owned() };
        let first = part.words.iter().find(|word| !KEYWORDS.contains(&word.text.as_str()));
        let start = first.map_or(part.span().start, |word| word.span.start);
        self.line.with(start..start, &format!("{text} "))
    }

    /// The whole line with every part that runs the same command run as root.
    pub(super) fn with_elevation(&self, elevate: &str) -> String {
        let mut line = self.line.text().to_owned();
        for (at, part) in self.line.parts().iter().enumerate().rev() {
            let is_same = part.words.first().is_some_and(|word| word.text == self.tool());
            let first = part.words.iter().find(|word| !KEYWORDS.contains(&word.text.as_str()));
            if let Some(first) = first.filter(|_| is_same || at == self.part) {
                line.insert_str(first.span.start, &format!("{elevate} "));
            }
        }
        line
    }

    /// Whether the shell reported that the command does not exist.
    pub(super) fn says_missing(&self) -> bool {
        let name = self.word(0).unwrap_or_default();
        let (named, at_end) = (format!("{name}: command not found"), format!("command not found: {name}"));
        let short = format!("{name}: not found");
        let unknown = [format!("nknown command: {name}"), format!("nknown command '{name}'")];
        !name.is_empty()
            && self.output.lines().iter().any(|line| {
                line.contains(&named)
                    || line.ends_with(&at_end)
                    || line.ends_with(&short)
                    || unknown.iter().any(|words| line.ends_with(words))
            })
    }

    /// The whole line without `sudo` or `doas` and their options.
    pub(super) fn without_elevation(&self) -> String {
        let Some(part) = self.line.parts().get(self.part).filter(|_| self.is_elevated()) else {
            return self.line.text().to_owned();
        };
        let is_elevation = |word: &&Word| word.text == "sudo" || word.text == "doas";
        let first = part.words.iter().find(is_elevation).map_or(0, |word| word.span.start);
        self.line.with(first..part.words[self.name].span.start, "")
    }

    /// The index of the failed part in the line.
    pub(super) fn failed_index(&self) -> usize {
        self.part
    }

    /// Whether the line consists of a single command.
    pub(super) fn is_alone(&self) -> bool {
        self.line.parts().len() == 1
    }

    /// The failed part as it was typed.
    pub(super) fn part_text(&self) -> &'a str {
        self.line.parts().get(self.part).map_or("", |part| &self.line.text()[part.span()])
    }
}

/// The index of the command's name in a part's words.
pub(super) fn name_of(part: &CommandPart) -> usize {
    let text = |index: usize| part.words[index].text.as_str();
    let last = part.words.len().saturating_sub(1);
    let mut prefix = "";
    let mut at = 0;
    while at < last {
        let word = text(at);
        if PREFIXES.contains(&word) {
            prefix = word;
        } else if word.starts_with('-') && !prefix.is_empty() {
            let valued = VALUED.iter().any(|(name, options)| *name == prefix && options.contains(&word));
            at += usize::from(valued);
        } else if part.words[at].assigned_name().is_none() && !KEYWORDS.contains(&word) {
            break;
        }
        at += 1;
    }
    at.min(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn case<'a>(command: &'a str, output: &'a str) -> Case<'a> {
        Case::new(&FailedCommand { command, output, status: Some(1), cwd: Path::new("/") })
    }

    #[test]
    fn the_tool_is_found_after_its_prefixes() {
        assert_eq!(case("sudo -E FOO=1 /usr/bin/git push", "").tool(), "git");
        assert_eq!(case("sudo -u postgres psql", "").tool(), "psql");
        assert_eq!(case("time nice -n 10 make all", "").tool(), "make");
        assert_eq!(case("if ! grep x y", "").tool(), "grep");
        assert_eq!(case("sudo", "").tool(), "sudo");
        assert_eq!(case("FOO=1", "").tool(), "FOO=1");
        assert_eq!(case("", "").tool(), "");
    }

    #[test]
    fn the_failed_part_is_the_one_named_in_the_output() {
        assert_eq!(case("cd x && gti status | cat", "bash: gti: command not found").tool(), "gti");
        assert_eq!(case("cd x && ls", "cd: no such file or directory: x").tool(), "cd");
        assert_eq!(case("cd x && make", "whatever").tool(), "make");
        assert_eq!(case("python3 a.py | tee log", "whatever").tool(), "python3");
        assert_eq!(case("go tets | jq .", "go tets: unknown command").tool(), "go");
        assert_eq!(case("kubectl gte po | grep x", "Error: unknown command \"gte\" for \"kubectl\"").tool(), "kubectl");
        let twice = case("git add . && git comit -m x", "git: 'comit' is not a git command. See 'git --help'.");
        assert_eq!(twice.word(1), Some("comit"));
        let first =
            case("git checkout nope && git pull", "error: pathspec 'nope' did not match any file(s) known to git");
        assert_eq!(first.word(1), Some("checkout"));
        assert_eq!(case("git pull && make", "fatal: Not possible to fast-forward, aborting.").tool(), "git");
    }

    #[test]
    fn a_replacement_keeps_the_rest_of_the_line() {
        let case = case("cd a && sudo git psuh  origin 'my branch' 2>&1 | cat", "git: 'psuh' is not a git command");
        assert_eq!(case.with_word(1, "push"), "cd a && sudo git push  origin 'my branch' 2>&1 | cat");
        assert_eq!(case.with_inserted(1, "-v"), "cd a && sudo git -v psuh  origin 'my branch' 2>&1 | cat");
        assert_eq!(case.without(2), "cd a && sudo git psuh 'my branch' 2>&1 | cat");
        assert_eq!(case.with_before("time"), "cd a && time sudo git psuh  origin 'my branch' 2>&1 | cat");
        assert_eq!(case.part_text(), "sudo git psuh  origin 'my branch' 2>&1");
    }

    #[test]
    fn operands_exclude_options_and_redirections() {
        let case = case("grep -n foo a.txt 2>&1 >> log < in", "");
        assert_eq!(case.operands().map(|(_, text)| text).collect::<Vec<_>>(), ["foo", "a.txt"]);
    }

    #[test]
    fn sudo_is_added_and_removed() {
        assert_eq!(case("A=1 sudo -u me brew install x", "").without_elevation(), "A=1 brew install x");
        assert_eq!(
            case("while apt update; do x; done", "apt: no").with_before("sudo"),
            "while sudo apt update; do x; done"
        );
    }

    #[test]
    fn a_failure_inside_a_successful_pipeline_is_found() {
        let failure = |command, output| {
            let failure = FailedCommand { command, output, status: Some(0), cwd: Path::new("/") };
            Case::new(&failure).has_failed()
        };
        assert!(failure("gti log | head", "bash: gti: command not found"));
        assert!(!failure("git log | head", "commit 1"));
        assert!(failure("cargo biuld 2>&1 | tail", "error: no such command: `biuld`"));
        assert!(!failure("ls", "ls: x"));
    }
}
