//! A word that a tool reports as unknown.

use super::{names, vocabulary};
use crate::reflex::case::Case;
use crate::reflex::line;
use crate::reflex::rules::pattern;

/// Every line that reports an unknown word contains one of these.
const SIGNS: &[&str] = &[
    "nknown",
    "nrecogni",
    "nvalid",
    "llegal",
    "mbiguous",
    "nsupported",
    "ndefined",
    "nexpected",
    "o such",
    "no command",
    "No command",
    " is not ",
    " is neither ",
    "misspelled",
    "not defined",
    "not find ",
    "does not exist",
    "not recogni",
    "not found",
    "not understood",
    "wasn't expected",
    "Bad option",
    "bad option",
    "doesn't have a resource type",
    "for the output format",
    "not found: command",
];

/// Tools that run other tools.
const RUNNERS: &[&str] = &[
    "make", "gmake", "ninja", "just", "task", "sh", "bash", "zsh", "fish", "dash", "xargs", "find", "ssh", "watch",
    "tox", "nox", "parallel", "entr", "act", "source", ".",
];

/// As in `docker compose up`; the words after these are arguments.
const MOST_SUBCOMMANDS: usize = 3;

/// Tools whose long options have one dash.
const LONG_WITH_ONE_DASH: &[&str] =
    &["terraform", "tofu", "packer", "vault", "consul", "nomad", "openssl", "ffmpeg", "java", "go"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComplaintKind {
    Command,
    Option,
    Value,
}

/// A word of the typed line that the tool does not know.
#[derive(Debug)]
pub(super) struct Complaint {
    pub(super) kind: ComplaintKind,
    /// As it was typed; an option without its value.
    pub(super) word: String,
    /// The position of the word in the command.
    pub(super) index: usize,
}

impl Complaint {
    pub(super) fn cause(&self, case: &Case<'_>) -> String {
        let (place, word) = (self.path(case), &self.word);
        match self.kind {
            ComplaintKind::Command => format!("{place} has no command {word}."),
            ComplaintKind::Option => format!("{place} has no option {word}."),
            ComplaintKind::Value => format!("{place} does not know {word}."),
        }
    }

    /// The command with the subcommands in front of the word: `docker image`. If the subcommands are known, other words in
    /// between are values of options.
    pub(super) fn path(&self, case: &Case<'_>) -> String {
        let is_name = |word: &&str| {
            word.starts_with(|c: char| c.is_ascii_lowercase())
                && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        };
        let mut path = case.tool().to_owned();
        let before = case.words().iter().take(self.index).skip(1).map(|word| word.text.as_str());
        for (place, word) in before.enumerate().filter(|(_, word)| is_name(word)).take(MOST_SUBCOMMANDS) {
            let known = vocabulary::commands(&path);
            if known.contains(&word) || known.is_empty() && place == 0 {
                path = format!("{path} {word}");
            }
        }
        path
    }

    /// The typed line with another word in place of the wrong one.
    pub(super) fn replaced(&self, case: &Case<'_>, meant: &str) -> String {
        let raw = case.raw(self.index);
        // A suggestion may have several words, which become words of the line.
        let meant_raw = meant.split(' ').map(line::quoted).collect::<Vec<_>>().join(" ");
        if self.kind == ComplaintKind::Option {
            let Some(value) = raw.strip_prefix(self.word.as_str()) else {
                return case.with_raw(self.index, &meant_raw);
            };
            let is_long = self.word.starts_with("--") || !LONG_WITH_ONE_DASH.contains(&case.tool());
            let dashes = match meant.starts_with('-') {
                true => "",
                false if is_long => "--",
                false => "-",
            };
            return case.with_raw(self.index, &format!("{dashes}{meant_raw}{value}"));
        }
        match raw.strip_suffix(self.word.as_str()).filter(|before| before.ends_with('=')) {
            Some(before) => case.with_raw(self.index, &format!("{before}{meant_raw}")),
            None => case.with_raw(self.index, &meant_raw),
        }
    }
}

/// The typed words that the output reports as unknown, in the order of the output.
pub(super) fn all(case: &Case<'_>) -> Vec<Complaint> {
    let mut found: Vec<Complaint> = Vec::new();
    // A tool that runs other tools prints their messages, which are not about its own words.
    let own = RUNNERS.contains(&case.tool()).then(|| format!("{}: ", case.tool()));
    let is_own = |line: &&str| own.as_ref().is_none_or(|own| line.starts_with(own));
    for line in case.output.ends().filter(is_own).filter(|line| SIGNS.iter().any(|sign| line.contains(sign))) {
        let named = named(line).into_iter().filter_map(|(kind, name)| placed(case, kind, name));
        for complaint in named {
            if found.iter().all(|known| known.index != complaint.index) {
                found.push(complaint);
            }
        }
    }
    found
}

/// The names that a line reports as unknown, and their kinds. A pattern is tried only if the line contains one of its words.
fn named(line: &str) -> Vec<(ComplaintKind, &str)> {
    let mut found = Vec::new();
    if has(line, &["ption", "lag", "witch", "rgument", "arameter", "ariable"]) {
        found.extend(unknown_options(line).into_iter().map(|name| (ComplaintKind::Option, name)));
    }
    if has(line, &["ommand", "peration", "verb", "ction", "ask", "eyword", "hoice", "perator"]) {
        found.extend(unknown_commands(line).into_iter().map(|name| (ComplaintKind::Command, name)));
    }
    // `go biuld: unknown command`, `rsync: --progres: unknown option`
    if let Some(before) = line.find(": unknown ").or_else(|| line.find(": Unknown ")).and_then(|at| line.get(..at)) {
        found.extend(names::last(before).map(|name| (ComplaintKind::Command, name)));
    }
    found.extend(said_to_be_none(line).and_then(names::last).map(|name| (ComplaintKind::Command, name)));
    if has(line, &["type", "value", "resource", "format", "level", "mode", "encoder", "codec", "filter", "shell"]) {
        let value = pattern!(
            r"(?i)(?:\b(?:unknown|unrecogni[sz]ed|invalid|unsupported)\s+(?:file type|type|value|resource type|resource|format|level|mode|encoder|codec|filter|shell)(?: name)?|doesn't have a resource type|for the output format)\s*[:,]?\s*(.+)$"
        );
        found.extend(after(line, value).and_then(names::first).map(|name| (ComplaintKind::Value, name)));
    }
    found
}

/// Whether a line contains one of these texts.
fn has(line: &str, any: &[&str]) -> bool {
    any.iter().any(|part| line.contains(part))
}

/// What a pattern's first group matches.
fn after<'l>(line: &'l str, pattern: &regex::Regex) -> Option<&'l str> {
    pattern.captures(line).and_then(|found| Some(found.get(1)?.as_str()))
}

/// Whether a line reports something as unknown.
fn says_unknown(line: &str) -> bool {
    const WORDS: &[&str] =
        &["nknown", "nrecogni", "nvalid", "llegal", "nexpected", "ndefined", "nsupported", "ad ", "mbiguous", "o such"];
    has(line, WORDS)
}

/// The options that a line reports as unknown.
fn unknown_options(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    // `unknown shorthand flag: 'n' in -name`
    if line.contains("shorthand flag: ") {
        found.extend(after(line, pattern!(r"shorthand flag: .+ in (-\S+)")));
    }
    let option = || {
        pattern!(
            r"(?i)\b(?:unknown|unrecogni[sz]ed|invalid|illegal|unexpected|undefined|unsupported|bad|ambiguous|no such|found)\s+(?:or unexpected |command[- ]line |long |short |compiler )?(?:option|flag|switch|argument|parameter|variable)s?(?:\(s\))?(?: or message digest)?\s*[:,]?\s*(?:-- )?(.+)$"
        )
    };
    if says_unknown(line) || has(line, &["found ", "Found "]) {
        found.extend(after(line, option()).and_then(names::first));
    }
    if line.contains("not defined: -") {
        found.extend(after(line, pattern!(r"not defined: (-\S+)")));
    }
    if has(line, &["not understood", "not recogni"]) {
        let not_understood = pattern!(r"(?i)\b(?:argument|option|flag)\s+(\S+?)\s+not (?:understood|recogni[sz]ed)");
        found.extend(after(line, not_understood).and_then(names::first));
    }
    found
}

/// The commands that a line reports as unknown.
fn unknown_commands(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let command = || {
        pattern!(
            r"(?i)\b(?:unknown|unrecogni[sz]ed|invalid|unsupported|undefined|unexpected|bad|no such|ambiguous|no|not find(?: a| the)?|not have a)\s+(?:sub-?|top-level |\w+ )?(?:command|operation|verb|action|task|keyword|choice|operator)s?(?: verb\b| name\b)?\s*(?:named |called )?[:,]?\s*(.+)$"
        )
    };
    let is_unknown = says_unknown(line) || has(line, &["no ", "No ", "NO ", "not find ", "not have a "]);
    if let Some(rest) = is_unknown.then(command).and_then(|pattern| after(line, pattern)) {
        found.extend(names::first(rest));
        // `unknown command: docker image la`
        let is_bare = names::quoted(rest).is_empty();
        found.extend(names::last(rest).filter(|_| is_bare));
    }
    // Messages of the shell itself are handled by the rules about missing commands.
    if has(line, &["ommand \"", "ommand '", "ommand `", "ommand ‘"]) && has(line, &[" exist", " found"]) {
        let missing = pattern!(
            r"(?i)\bcommand\s+(\S+)\s+(?:does not exist|doesn't exist|not found|could not be found|was not found)"
        );
        found.extend(after(line, missing).and_then(names::first));
    }
    found
}
/// The name in front of `is not a git command`, `is unknown`, `is neither an option nor a command`.
fn said_to_be_none(line: &str) -> Option<&str> {
    const KINDS: &[&str] = &["command", "commands", "subcommand", "option", "options", "flag", "understood", "task"];
    const UNKNOWN: &[&str] = &[
        "not known",
        "not defined",
        "not recognized",
        "not recognised",
        "misspelled",
        "unknown",
        "ambiguous",
        "unrecognized",
        "unrecognised",
    ];
    let (at, _) = line.match_indices(" is ").find(|(at, is)| {
        let rest = line[at + is.len()..].trim_start().to_ascii_lowercase();
        let is_denied = ["not ", "no longer ", "neither "].iter().any(|word| rest.starts_with(word));
        let mut words = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        UNKNOWN.iter().any(|word| rest.starts_with(word)) || is_denied && words.any(|word| KINDS.contains(&word))
    })?;
    Some(line[..at].trim_end()).filter(|before| !before.is_empty())
}

/// The typed word that a name in a message refers to.
fn placed(case: &Case<'_>, kind: ComplaintKind, name: &str) -> Option<Complaint> {
    // `No command 'conda lst'` also names the command before the word, and `unknown command "statsu web"` what follows it.
    let mut found = name.split_whitespace().filter_map(|word| placed_word(case, kind, word));
    let is_known = |complaint: &Complaint| {
        let words = vocabulary::commands(&complaint.path(case));
        words.is_empty() || words.contains(&complaint.word.as_str())
    };
    let first = found.next()?;
    let mut last = first;
    for next in found {
        if !is_known(&last) {
            break;
        }
        last = next;
    }
    Some(last)
}

fn placed_word(case: &Case<'_>, kind: ComplaintKind, name: &str) -> Option<Complaint> {
    let option = name.split_once('=').map_or(name, |(option, _)| option);
    let is_short = option.chars().count() == 1;
    let value = format!("={name}");
    let is_it = |typed: &str| {
        let typed_name = typed.split_once('=').filter(|_| typed.starts_with('-')).map_or(typed, |(before, _)| before);
        let is_that_option = typed_name == option
            || typed_name.trim_start_matches('-') == option.trim_start_matches('-')
            || is_short && kind == ComplaintKind::Option && !typed.starts_with("--") && typed.contains(option);
        typed == name || typed.starts_with('-') && (is_that_option || typed.ends_with(&value))
    };
    let (index, word) = case.words().iter().enumerate().skip(1).find(|(_, word)| is_it(&word.text))?;
    // In `git git push` the name is typed twice; another rule removes it.
    if word.text == case.tool() {
        return None;
    }
    let typed = word.text.as_str();
    if typed.starts_with('-') && typed.ends_with(&value) {
        return Some(Complaint { kind: ComplaintKind::Value, word: name.to_owned(), index });
    }
    let (kind, word) = match kind {
        _ if typed.starts_with('-') => {
            (ComplaintKind::Option, typed.split_once('=').map_or(typed, |(before, _)| before))
        }
        ComplaintKind::Option => (ComplaintKind::Value, typed),
        kind => (kind, typed),
    };
    Some(Complaint { kind, word: word.to_owned(), index })
}
