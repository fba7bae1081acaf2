//! Commands that print files and logs.
//!
//! A log contains the word "error", a README names commands to run, and neither explains why `grep` ended with 1. Of the output of such a
//! command, only its own messages are examined.

use super::case::Case;

/// Tools that print files.
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

/// Subcommands that print files or logs, of tools with other purposes.
const SUBCOMMANDS: &[(&str, &[&str])] = &[
    ("git", &["log", "diff", "show", "grep", "blame", "reflog", "shortlog"]),
    ("docker", &["logs"]),
    ("podman", &["logs"]),
    ("kubectl", &["logs", "describe"]),
    ("heroku", &["logs"]),
    ("dpkg", &["-l", "-L"]),
    ("apt-cache", &["show"]),
];

/// An output with at most this many lines is taken for an error message.
const FEW_LINES: usize = 3;

/// The beginnings of error messages of tools and shells.
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

/// Returns a test for the command's own messages. `None` if the command does not print files, or printed only messages.
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
