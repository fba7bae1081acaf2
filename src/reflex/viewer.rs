//! Commands that print what others wrote.
//!
//! A log has the word "error" in it, a README says what to run, and neither says why `grep` ended with 1. Of what such a command
//! printed, only the lines count in which it speaks itself.

use super::case::Case;

/// Tools that print texts.
const TOOLS: &[&str] = &[
    "cat",
    "tac",
    "nl",
    "bat",
    "batcat",
    "less",
    "more",
    "most",
    "head",
    "tail",
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "ag",
    "ack",
    "diff",
    "colordiff",
    "delta",
    "cmp",
    "comm",
    "journalctl",
    "dmesg",
    "history",
    "strings",
    "xxd",
    "hexdump",
    "column",
    "fold",
    "fmt",
    "sort",
    "uniq",
    "cut",
    "awk",
    "gawk",
    "echo",
    "printf",
    "zcat",
    "man",
    "tldr",
    "jq",
    "yq",
    "curl",
    "http",
    "multitail",
    "lnav",
    "glow",
];

/// Subcommands that do, of tools that do other things as well.
const SUBCOMMANDS: &[(&str, &[&str])] = &[
    ("git", &["log", "diff", "show", "grep", "blame", "reflog", "shortlog"]),
    ("docker", &["logs"]),
    ("podman", &["logs"]),
    ("kubectl", &["logs", "describe"]),
    ("heroku", &["logs"]),
    ("dpkg", &["-l", "-L"]),
    ("apt-cache", &["show"]),
];

/// A tool that fails says so in a few lines; a text is longer.
const FEW_LINES: usize = 3;

/// How the lines begin in which tools and shells complain.
const BEGINNINGS: &[&str] = &[
    "error",
    "fatal: ",
    "usage",
    "try '",
    "try `",
    "hint: ",
    "sudo: ",
    "bash: ",
    "-bash: ",
    "zsh: ",
    "fish: ",
    "sh: ",
    "/bin/sh: ",
    "dash: ",
    "see '",
    "[bat error]",
    "command '",
];

/// What tells the command's own lines from a text's; `None` if it prints no texts, or did not come to print any.
pub(super) fn is_own_line(case: &Case<'_>) -> Option<impl Fn(&str) -> bool + use<>> {
    let tool = case.tool();
    let shows = |subcommands: &[&str]| case.word(1).is_some_and(|word| subcommands.contains(&word));
    let is_viewer =
        TOOLS.contains(&tool) || SUBCOMMANDS.iter().any(|(name, subcommands)| *name == tool && shows(subcommands));
    if !is_viewer || case.output.lines().len() <= FEW_LINES || case.says_missing() {
        return None;
    }
    let (named, within) = (format!("{tool}: "), format!(": {tool}: "));
    Some(move |line: &str| {
        let lower = line.get(..12).unwrap_or(line).to_ascii_lowercase();
        line.starts_with(&named)
            || line.find(&within).is_some_and(|at| at < 20)
            || BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning))
    })
}
