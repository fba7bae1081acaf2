//! Whole commands that a tool says to run.

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
];

/// Tools whose commands other tools advise.
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

/// Of another tool only what sets something up is proposed: an output may say anything.
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

/// Lines with these announce or refer; what they say to run repairs nothing.
const ASIDES: &[&str] = &[
    "notice",
    "new version",
    "new release",
    "new major",
    "new minor",
    "available",
    "to upgrade",
    "to update",
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

/// Advice is a last word; further up it is a text about something else.
const LAST_LINES: usize = 40;

/// A command the tool says to run, on the line or below it.
pub(super) fn to_run(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    // git's hints are many and mean many things: it has rules of its own.
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
        let is_heading =
            pattern!(r"(?i)\b(?:run|running|try|execute|executing|using|command|fix it with|with):\s*$").is_match(line);
        if is_heading || is_go {
            let below = lines[at + 1..].iter().map(|line| line.trim_start_matches(['│', '|', ' ', '\t', '$', '>']));
            advised.extend(below.take(2).find(|line| !line.is_empty()));
        } else if let Some(rest) = pattern!(r"(?i)\b(?:run|running|execute|executing)\b:?\s+(.+)$").captures(line) {
            let rest = rest.get(1).map_or("", |rest| rest.as_str());
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
        is_known && words.len() > 1 && is_complete(&words) && *command != case.part_text()
    })?;
    let is_raised = case.is_elevated() && !good.starts_with("sudo ");
    let command = if is_raised { format!("sudo {good}") } else { good.to_owned() };
    Some(Finding::fix(Confidence::Likely, command, format!("{tool} says to run it")))
}

/// Whether it can be run as it stands: no place is left to fill in, and it does more than help.
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

/// The help that the tool points to: meant by `-h`, otherwise the last resort.
pub(super) fn help(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = || pattern!(r#"(?i)\b(?:try|run|see|type|use):?\s+['"`‘“](\S[^'"`’”]*?\s--help)['"`’”]"#);
    let line = case.output.ends().find(|line| line.contains("--help"))?;
    let command = said().captures(line)?.get(1)?.as_str();
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
    let is_try = pattern!(r"(?i)\btry ").is_match(line);
    is_try.then(|| Finding::fix(Confidence::Guess, base, "what it takes"))
}
