//! Whole commands that a tool advises to run.

use super::names;
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::rules::pattern;
use crate::reflex::world::World;

const SIGNS: &[&str] = &[
    "run",
    "Run",
    "try:",
    "Try:",
    "execut",
    "xecute:",
    "fix it with",
    "command:",
    "using:",
    "to add it:",
    "to update it:",
    "instead",
];

/// Tools whose commands are advised by other tools.
const ADVISED: &[&str] = &[
    "apt",
    "apt-get",
    "brew",
    "cargo",
    "composer",
    "conda",
    "dnf",
    "docker",
    "dpkg",
    "flatpak",
    "gcloud",
    "gem",
    "gh",
    "go",
    "helm",
    "kubectl",
    "mkdir",
    "npm",
    "npx",
    "pacman",
    "pip",
    "pip3",
    "pipx",
    "pnpm",
    "poetry",
    "rustup",
    "snap",
    "systemctl",
    "terraform",
    "uv",
    "xcode-select",
    "yarn",
    "yum",
    "zypper",
    "az",
    "aws",
    "bundle",
    "nvm",
    "pyenv",
    "rbenv",
    "asdf",
];

/// Of another tool only commands that set something up are proposed, because an output can contain anything.
const SETTING_UP: &[&str] = &[
    "install",
    "update",
    "upgrade",
    "init",
    "login",
    "auth",
    "configure",
    "--configure",
    "lock",
    "sync",
    "add",
    "setup",
    "start",
    "ci",
    "restore",
    "migrate",
    "enable",
    "--install",
    "build",
    "get",
    "tidy",
];

/// Lines with these words announce or refer to something; a command in them does not solve the problem.
const ASIDES: &[&str] = &[
    "notice",
    "new version",
    "new release",
    "new major",
    "new minor",
    "available",
    "funding",
    "detail",
    "more info",
    "more help",
    "for help",
    "to see",
    "list of",
    "to search",
    "to list",
    "learn more",
    "documentation",
    "changelog",
    "usage",
    "for a list",
    "for all",
    "deprecat",
    "silence",
    "suppress",
    "disable",
    "to undo",
    "abort",
    "warning",
];

/// Words in front of a command that advise against it.
const NEGATIONS: &[&str] = &[
    "not",
    "n't",
    "never",
    "avoid",
    "without",
    "instead of",
    "rather than",
    "no need",
    "cannot",
    "stop",
    "before you",
];

/// Words that announce a command on the next line.
const HEADINGS: &[&str] = &["run", "running", "try", "execute", "executing", "using", "command", "fix it with", "with"];

/// Words that are followed by a command.
const VERBS: &[&str] = &["run", "running", "execute", "executing"];

/// Advice is within this many lines of the end; an earlier line is about something else.
const LAST_LINES: usize = 40;

/// A command that the tool advises to run, on the same line or below it.
pub(super) fn to_run(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    // git's hints have many meanings, so git has rules of its own.
    if case.tool() == "git" {
        return None;
    }
    let all = case.output.lines();
    let skipped = all.len().saturating_sub(LAST_LINES);
    let lines = &all[skipped..];
    let mut advised: Vec<&str> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if !SIGNS.iter().any(|sign| line.contains(sign)) {
            continue;
        }
        let lower = line.to_lowercase();
        let is_go = line.ends_with("; to add it:") || line.ends_with("; to update it:");
        if !is_go && ASIDES.iter().any(|aside| lower.contains(aside)) {
            continue;
        }
        if is_negated(&lower) {
            continue;
        }
        let is_heading =
            lower.strip_suffix(':').is_some_and(|words| HEADINGS.iter().any(|word| ends_with_word(words, word)));
        if is_heading || is_go {
            let below = lines[at + 1..].iter().map(|line| line.trim_start_matches(['│', '|', ' ', '\t', '$', '>']));
            advised.extend(below.take(2).find(|line| !line.is_empty()));
        } else if let Some(rest) = behind_verb(line) {
            let inline =
                pattern!(r"^(.+?)(?:\.?\s+(?:to|first|and|again|before|for|or|in|from|if|then|manually)\b.*|[.!]?)$");
            let plain = inline.captures(rest).and_then(|found| Some(found.get(1)?.as_str()));
            let quoted = names::quoted(rest).first().copied().filter(|_| rest.starts_with(['\'', '"', '`', '‘', '“']));
            advised.extend(quoted.or(plain));
        }
    }
    let tool = case.tool();
    let good = advised.into_iter().map(|command| command.trim().trim_end_matches('.')).find(|command| {
        let words: Vec<&str> = command.split_whitespace().collect();
        let name = words.iter().find(|word| **word != "sudo").copied().unwrap_or_default();
        let is_setting_up = words.iter().any(|word| SETTING_UP.contains(word));
        let is_known = name == tool || is_setting_up && (ADVISED.contains(&name) || name.len() > 3 && world.has(name));
        is_known
            && words.len() > 1
            && is_complete(&words)
            && !upgrades_itself(&words, tool)
            && *command != case.part_text()
    })?;
    let is_raised = case.is_elevated() && !good.starts_with("sudo ");
    let command = if is_raised { format!("sudo {good}") } else { good.to_owned() };
    Some(Finding::fix(Confidence::Likely, command, format!("{tool} says to run it")))
}

/// Whether a lower-case line advises against a command: `Do not run x`, `Avoid running x`.
fn is_negated(line: &str) -> bool {
    let verb = VERBS.iter().chain(HEADINGS).filter_map(|verb| line.find(verb)).min().unwrap_or(line.len());
    let before = &line[..verb];
    NEGATIONS.iter().any(|word| match word.strip_prefix("n't") {
        Some(_) => before.contains("n't") || before.contains("n’t"),
        None => before.match_indices(word).any(|(at, _)| {
            let is_letter = |c: char| c.is_ascii_alphanumeric();
            !before[..at].ends_with(is_letter) && !before[at + word.len()..].starts_with(is_letter)
        }),
    })
}

/// Whether a command installs the tool that printed it: it announces a new version and solves nothing.
fn upgrades_itself(words: &[&str], tool: &str) -> bool {
    let is_itself = |word: &&str| *word == tool || word.split('@').next() == Some(tool) || word.starts_with("self");
    words.iter().skip_while(|word| **word == "sudo").skip(1).any(is_itself)
}

/// The command in `Try 'x --help'`.
fn help_named(line: &str) -> Option<&str> {
    const OPTION: &str = " --help";
    let end = line.find(OPTION)? + OPTION.len();
    let is_closed = line[end..].starts_with(['\'', '"', '`', '’', '”']);
    let (before, command) = line[..end].rsplit_once(['\'', '"', '`', '‘', '“'])?;
    let before = before.trim_end().trim_end_matches(':').to_lowercase();
    let is_pointed_to = ["try", "run", "see", "type", "use"].iter().any(|verb| ends_with_word(&before, verb));
    (is_closed && is_pointed_to && command.len() > OPTION.len()).then_some(command)
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word).is_some_and(|before| !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

/// The text after the first verb of a line.
fn behind_verb(line: &str) -> Option<&str> {
    let words = line.split_inclusive(char::is_whitespace);
    let mut at = 0;
    for word in words {
        at += word.len();
        let name = word.trim_end().trim_end_matches(':');
        let name = name.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        let rest = line[at..].trim_start();
        // `Use "x require y" instead`: without quotes, `use` is not followed by a command.
        let is_use = name.eq_ignore_ascii_case("use") && rest.starts_with(['"', '\'', '`']) && rest.contains("instead");
        if is_use || VERBS.iter().any(|verb| verb.eq_ignore_ascii_case(name)) {
            return Some(rest).filter(|rest| !rest.is_empty());
        }
    }
    None
}

/// Whether a command can be run as it is: it has no placeholder, and it is not only a call for help.
fn is_complete(words: &[&str]) -> bool {
    let is_open = |word: &&str| {
        let is_capital = word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c == '-');
        is_capital
            || word.contains(['<', '>', '[', ']', '{', '}', '|', ';', '`', '$', '…', '"', '\''])
            || word.contains("...")
            || ["help", "--help", "-help", "-h", "--version", "&&", "the", "a", "your", "with", "this", "it"]
                .contains(word)
    };
    !words.iter().any(is_open)
}

/// The help that the tool refers to: wanted after `-h`, otherwise the last resort.
pub(super) fn help(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (line, command) = case.output.ends().find_map(|line| Some((line, help_named(line)?)))?;
    let base = command.rsplit('/').next().unwrap_or(command);
    if !base.starts_with(case.tool()) || case.has_word(&["--help"]) {
        return None;
    }
    if let Some(index) = case.position("-h") {
        return Some(Finding::fix(
            Confidence::Likely,
            case.with_word(index, "--help"),
            "how it wants to be asked for help",
        ));
    }
    let is_try = line.contains("Try ") || line.contains("try ");
    is_try.then(|| Finding::fix(Confidence::Guess, base, "what it takes"))
}
