//! What can be said of a tool nobody here knows.

use std::sync::LazyLock;

use super::Remark;
use super::page::Page;
use super::place::Place;
use crate::reflex::signs::Signs;

/// Words that say something is wrong, in the order of how much they mean it.
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

/// Lines that count errors which there are not, or tell where to read on.
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

/// Output so short that its last line is the message.
const SHORT: usize = 6;

/// The first and the last line that complain.
pub(super) fn remarks(page: &Page<'_>) -> Vec<Remark> {
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
    ends.into_iter().map(|(at, line)| Remark::cause(at, Place::within(line), words(page, at, line))).collect()
}

/// The first and the last line with one of these words in it that means it.
fn complaints<'a>(page: &Page<'a>, words: &Signs) -> Vec<(usize, &'a str)> {
    let complains = |(_, line): &(usize, &str)| {
        let lower = line.to_ascii_lowercase();
        words.any_in(&lower) && !CALM.iter().any(|word| lower.contains(word)) && !is_warning(&lower)
    };
    let mut lines = page.numbered();
    // What is left of the lines after the first is searched from its end.
    lines.find(complains).into_iter().chain(lines.rfind(complains)).collect()
}

fn is_warning(line: &str) -> bool {
    let line = line.trim_start();
    ["warning", "warn ", "npm warn", "[warn", "deprecat", "note:", "debug", "info"]
        .iter()
        .any(|word| line.starts_with(word))
}

/// A line that ends in a colon announces what is said on the next.
fn words(page: &Page<'_>, at: usize, line: &str) -> String {
    let line = line.trim();
    match page.next_words(at).filter(|_| line.ends_with(':') || line.ends_with("this?") || line.ends_with("these?")) {
        Some(next) => format!("{line} {next}"),
        None => line.to_owned(),
    }
}
