//! A failure taken apart, as the rules see it.

use std::path::PathBuf;

use super::Failure;
use super::line::{self, Line, Part};
use super::output::Output;
use super::part::{failed_part, is_complaint};
use super::viewer;
use crate::text::shell::{Operator, Redirection, Word};

/// Words before a command that change how it runs, not which one it is.
const PREFIXES: &[&str] = &[
    "sudo", "doas", "env", "command", "builtin", "exec", "time", "nohup", "nice", "ionice", "stdbuf", "setsid",
    "noglob",
];

/// Of these the next word is a command too; nothing can be put before them.
const KEYWORDS: &[&str] =
    &["if", "elif", "else", "while", "until", "then", "do", "not", "and", "or", "begin", "!", "{", "time"];

/// Options of those words that have the next word as their value.
const VALUED: &[(&str, &[&str])] = &[
    ("sudo", &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group", "--chdir"]),
    ("doas", &["-u", "-C"]),
    ("env", &["-u", "-C", "--unset", "--chdir"]),
    ("nice", &["-n", "--adjustment"]),
    ("ionice", &["-c", "-n"]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("time", &["-f", "-o"]),
];

/// A failed command: its line, the part of it that failed, and what was printed.
pub(super) struct Case<'a> {
    pub(super) line: Line<'a>,
    pub(super) output: Output<'a>,
    pub(super) status: Option<i32>,
    /// Where the failed part ran.
    pub(super) cwd: PathBuf,
    /// The part that failed, an index into the line's.
    part: usize,
    /// Where in that part the command's name is.
    name: usize,
}

impl<'a> Case<'a> {
    pub(super) fn new(failure: &Failure<'a>) -> Self {
        let line = Line::new(failure.command);
        let output = Output::new(failure.output);
        let part = failed_part(line.parts(), &output, failure.status);
        let name = line.parts().get(part).map_or(0, name_of);
        let mut case = Case { line, output, status: failure.status, cwd: failure.cwd.to_owned(), part, name };
        if let Some(is_own) = viewer::is_own_line(&case) {
            case.output.retain(is_own);
        }
        case
    }

    /// Whether there is anything to explain. A pipeline can end well after a part of it did not.
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

    /// The words of the part that failed, from the command's name on: no `sudo`, no `VAR=value` before it.
    pub(super) fn words(&self) -> &[Word] {
        self.line.parts().get(self.part).map_or(&[], |part| &part.words[self.name..])
    }

    /// The command's name without its directory: `git` of `sudo /usr/bin/git push`.
    pub(super) fn tool(&self) -> &str {
        let name = self.words().first().map_or("", |word| &word.text);
        name.rsplit('/').next().unwrap_or(name)
    }

    /// The text of a word: 0 is the command's name.
    pub(super) fn word(&self, index: usize) -> Option<&str> {
        self.words().get(index).map(|word| word.text.as_str())
    }

    /// A word as it was typed, quotes included.
    pub(super) fn raw(&self, index: usize) -> &'a str {
        self.words().get(index).map_or("", |word| &self.line.text()[word.span.clone()])
    }

    /// The index of the first word that is this text.
    pub(super) fn position(&self, text: &str) -> Option<usize> {
        self.words().iter().position(|word| word.text == text)
    }

    /// The first word after the name that is no option, and its index: `push` of `git -C x push` it is not, mind options with values.
    pub(super) fn subcommand(&self) -> Option<(usize, &str)> {
        let mut words = self.words().iter().enumerate().skip(1);
        words.find(|(_, word)| !word.text.starts_with('-')).map(|(index, word)| (index, word.text.as_str()))
    }

    /// The redirections of the part that failed.
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

    /// Whether it was run by `sudo` or `doas`.
    pub(super) fn is_elevated(&self) -> bool {
        let part = self.line.parts().get(self.part);
        part.is_some_and(|part| part.words[..self.name].iter().any(|word| word.text == "sudo" || word.text == "doas"))
    }

    /// The whole line with another word in one place, quoted if it must be.
    pub(super) fn with_word(&self, index: usize, text: &str) -> String {
        self.with_raw(index, &line::quoted(text))
    }

    /// The whole line with other text, as it is, in place of one word.
    pub(super) fn with_raw(&self, index: usize, text: &str) -> String {
        match self.words().get(index) {
            Some(word) => self.line.with(word.span.clone(), text),
            None => self.line.text().to_owned(),
        }
    }

    /// The whole line with words, as they are, put before one of the command's; past its end they follow the last.
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

    /// The whole line with another command, as it is, in place of the part that failed. `sudo` and variables before it stay.
    pub(super) fn with_command(&self, command: &str) -> String {
        let (Some(first), Some(last)) = (self.words().first(), self.words().last()) else { return command.to_owned() };
        self.line.with(first.span.start..last.span.end, command)
    }

    /// The whole line with something before the part that failed: `sudo`, or `mkdir -p x &&`.
    pub(super) fn with_before(&self, text: &str) -> String {
        let parts = self.line.parts();
        // A list does not begin within a pipeline.
        let mut at = self.part;
        while text.ends_with("&&") && at > 0 && parts.get(at).is_some_and(Part::is_piped) {
            at -= 1;
        }
        let Some(part) = parts.get(at) else { return text.to_owned() };
        let first = part.words.iter().find(|word| !KEYWORDS.contains(&word.text.as_str()));
        let start = first.map_or(part.span().start, |word| word.span.start);
        self.line.with(start..start, &format!("{text} "))
    }

    /// The whole line with every part of the same command run as root.
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

    /// Whether the shell says that there is no such command.
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

    /// The index of the failed part among the line's.
    pub(super) fn failed_index(&self) -> usize {
        self.part
    }

    /// Whether the line is this one command alone.
    pub(super) fn is_alone(&self) -> bool {
        self.line.parts().len() == 1
    }

    /// The failed part as it was typed.
    pub(super) fn part_text(&self) -> &'a str {
        self.line.parts().get(self.part).map_or("", |part| &self.line.text()[part.span()])
    }
}

/// Where the command's name is among a part's words.
pub(super) fn name_of(part: &Part) -> usize {
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
        Case::new(&Failure { command, output, status: Some(1), cwd: Path::new("/") })
    }

    #[test]
    fn the_tool_is_found_behind_its_prefixes() {
        assert_eq!(case("sudo -E FOO=1 /usr/bin/git push", "").tool(), "git");
        assert_eq!(case("sudo -u postgres psql", "").tool(), "psql");
        assert_eq!(case("time nice -n 10 make all", "").tool(), "make");
        assert_eq!(case("if ! grep x y", "").tool(), "grep");
        assert_eq!(case("sudo", "").tool(), "sudo");
        assert_eq!(case("FOO=1", "").tool(), "FOO=1");
        assert_eq!(case("", "").tool(), "");
    }

    #[test]
    fn the_part_that_complains_is_the_one() {
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
    fn changes_keep_the_rest() {
        let case = case("cd a && sudo git psuh  origin 'my branch' 2>&1 | cat", "git: 'psuh' is not a git command");
        assert_eq!(case.with_word(1, "push"), "cd a && sudo git push  origin 'my branch' 2>&1 | cat");
        assert_eq!(case.with_inserted(1, "-v"), "cd a && sudo git -v psuh  origin 'my branch' 2>&1 | cat");
        assert_eq!(case.without(2), "cd a && sudo git psuh 'my branch' 2>&1 | cat");
        assert_eq!(case.with_before("time"), "cd a && time sudo git psuh  origin 'my branch' 2>&1 | cat");
        assert_eq!(case.part_text(), "sudo git psuh  origin 'my branch' 2>&1");
    }

    #[test]
    fn operands_are_no_options_and_no_redirections() {
        let case = case("grep -n foo a.txt 2>&1 >> log < in", "");
        assert_eq!(case.operands().map(|(_, text)| text).collect::<Vec<_>>(), ["foo", "a.txt"]);
    }

    #[test]
    fn elevation_comes_and_goes() {
        assert_eq!(case("A=1 sudo -u me brew install x", "").without_elevation(), "A=1 brew install x");
        assert_eq!(
            case("while apt update; do x; done", "apt: no").with_before("sudo"),
            "while sudo apt update; do x; done"
        );
    }

    #[test]
    fn a_pipe_may_hide_a_failure() {
        let failure = |command, output| {
            let failure = Failure { command, output, status: Some(0), cwd: Path::new("/") };
            Case::new(&failure).has_failed()
        };
        assert!(failure("gti log | head", "bash: gti: command not found"));
        assert!(!failure("git log | head", "commit 1"));
        assert!(failure("cargo biuld 2>&1 | tail", "error: no such command: `biuld`"));
        assert!(!failure("ls", "ls: x"));
    }
}
