//! Finds error messages of unknown tools.

use std::sync::LazyLock;

use super::Remark;
use super::page::OutputPage;
use super::place::SourceLocation;
use crate::reflex::signs::Signs;

/// Words of error messages. The strong ones are tried first.
const LOUD: &[&str] =
    &["error:", "error[", "error]", "fatal:", "panic:", "error ", "err!", "exception", "fatal", "critical", "abort"];
const QUIET: &[&str] = &[
    "error",
    "failed",
    "failure",
    "cannot",
    "can't",
    "can not",
    "could not",
    "couldn't",
    "unable",
    "not found",
    "denied",
    "invalid",
    "unknown",
    "unrecognized",
    "unrecognised",
    "no such",
    "refused",
    "missing",
    "undefined",
    "unexpected",
    "timed out",
    "timeout",
    "not permitted",
    "illegal",
    "does not exist",
    "doesn't exist",
    "not a ",
    "is not ",
    "not supported",
    "unsupported",
    "no space left",
    "too many",
    "already exists",
    "must be",
    "required",
    "segmentation fault",
    "killed",
    "bad ",
    "not installed",
    "not defined",
    "conflict",
    "expected",
    "forbidden",
    "unauthorized",
    "usage:",
    "no match",
    "did you mean",
];

/// Words in lines that report no errors, or refer to other information.
const CALM: &[&str] = &[
    "0 error",
    "no error",
    "0 failed",
    "errors: 0",
    "error: 0",
    "failed: 0",
    "0 failures",
    "failures: 0",
    "help 1] http",
    "re-run maven",
];

/// In an output with at most this many lines, the last line is taken for the message.
const SHORT: usize = 6;

/// The first and the last error message.
pub(super) fn remarks(page: &OutputPage<'_>) -> Vec<Remark> {
    static LOUD_SIGNS: LazyLock<Signs> = LazyLock::new(|| Signs::new(LOUD.iter().copied()));
    static QUIET_SIGNS: LazyLock<Signs> = LazyLock::new(|| Signs::new(QUIET.iter().copied()));
    let mut ends = complaints(page, &LOUD_SIGNS);
    if ends.is_empty() {
        ends = complaints(page, &QUIET_SIGNS);
    }
    if ends.is_empty() {
        let mut said = page.numbered().filter(|(_, line)| !line.trim().is_empty());
        let last = said.clone().next_back();
        let is_short = said.nth(SHORT).is_none();
        ends.extend(last.filter(|_| is_short));
    }
    ends.into_iter().map(|(at, line)| Remark::cause(at, SourceLocation::within(line), words(page, at, line))).collect()
}

/// The first and the last line with one of these words that is an error message.
fn complaints<'a>(page: &OutputPage<'a>, words: &Signs) -> Vec<(usize, &'a str)> {
    let complains = |(_, line): &(usize, &str)| {
        let lower = line.to_ascii_lowercase();
        words.any_in(&lower) && !CALM.iter().any(|word| lower.contains(word)) && !is_warning(&lower)
    };
    let mut lines = page.numbered();
    // The lines after the first match are searched from the end.
    lines.find(complains).into_iter().chain(lines.rfind(complains)).collect()
}

fn is_warning(line: &str) -> bool {
    let line = line.trim_start();
    ["warning", "warn ", "npm warn", "[warn", "deprecat", "note:", "debug", "info"]
        .iter()
        .any(|word| line.starts_with(word))
}

/// The message of a line. A line that ends with a colon continues on the next one.
fn words(page: &OutputPage<'_>, at: usize, line: &str) -> String {
    let line = line.trim();
    match page.next_words(at).filter(|_| line.ends_with(':') || line.ends_with("this?") || line.ends_with("these?")) {
        Some(next) => format!("{line} {next}"),
        None => line.to_owned(),
    }
}
