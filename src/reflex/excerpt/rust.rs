//! cargo's final messages, panics, failing tests, chains of causes. Compiler errors are drawn with a frame: see `frame`.

use super::page::OutputPage;
use super::place::{self, SourceLocation};
use super::{FormatReader, MOST_READ, Remark};
use crate::reflex::rules::pattern;

pub(super) const READERS: &[FormatReader] = &[
    FormatReader { signs: &["panicked at"], read: panics },
    FormatReader { signs: &["... FAILED", "FAIL ["], read: tests },
    FormatReader {
        signs: &["could not compile", "error: test failed", "aborting due to", "doctest failed"],
        read: summary,
    },
    FormatReader { signs: &["Caused by:", "caused by:"], read: chain },
    FormatReader { signs: &["error: linking with"], read: linker },
];

fn panics(page: &OutputPage<'_>) -> Vec<Remark> {
    let pattern =
        pattern!(r"thread '([^']*)' (?:\([0-9]+\) )?panicked at (?:'(.*)', )?(.+?):([0-9]+)(?::([0-9]+))?:?$");
    let mut remarks = Vec::new();
    for (at, line) in page.numbered().filter(|(_, line)| line.contains("panicked at")) {
        let Some(caught) = pattern.captures(line) else { continue };
        let said = caught.get(2).map(|said| said.as_str()).or_else(|| page.next_words(at)).unwrap_or_default();
        let Some(mut place) = SourceLocation::caught(caught.get(3), caught.get(4), caught.get(5)) else { continue };
        if place.is_foreign() {
            let frames = page.after(at, 60).iter().filter_map(|line| line.trim().strip_prefix("at "));
            let own = frames.filter_map(|frame| SourceLocation::leading(frame)).map(|(place, _)| place);
            place = own.into_iter().find(|place| !place::is_foreign(&place.path)).unwrap_or(place);
        }
        let values: Vec<&str> = page
            .after(at, 6)
            .iter()
            .map(|line| line.trim())
            .filter(|line| line.starts_with("left:") || line.starts_with("right:"))
            .collect();
        let words = format!("thread '{}' panicked: {said} {}", &caught[1], values.join(", "));
        remarks.push(Remark::cause(at, Some(place), words.trim()));
    }
    remarks
}

/// Names of failing tests, for tests that returned an error instead of panicking.
fn tests(page: &OutputPage<'_>) -> Vec<Remark> {
    let name = |line: &str| {
        let line = line.trim();
        let plain = line.strip_prefix("test ")?.strip_suffix(" ... FAILED").map(str::to_owned);
        plain.filter(|name| !name.is_empty())
    };
    let nextest = |line: &str| {
        let rest = line.trim().strip_prefix("FAIL [")?.split_once(']')?.1;
        Some(rest.trim().to_owned())
    };
    let panicked = page.lines.iter().any(|line| line.contains("panicked at"));
    let failed = page.numbered().filter_map(|(at, line)| Some((at, name(line).or_else(|| nextest(line))?)));
    let said = |name: &str| {
        let heading = format!("---- {name} stdout ----");
        let at = page.lines.iter().position(|line| *line == heading)?;
        page.next_words(at).filter(|words| words.starts_with("Error:"))
    };
    let remark = |(at, name): (usize, String)| {
        let words = format!("failing test {name} {}", said(&name).unwrap_or_default());
        if panicked { Remark::trail(at, words) } else { Remark::cause(at, None, words) }
    };
    failed.take(MOST_READ).map(remark).collect()
}

fn summary(page: &OutputPage<'_>) -> Vec<Remark> {
    let is_summary = |line: &str| {
        ["error: could not compile", "error: test failed", "error: aborting due to", "error: doctest failed"]
            .iter()
            .any(|words| line.starts_with(words))
    };
    // If the compiler was killed, the reason is in the same line.
    page.numbered().filter(|(_, line)| is_summary(line)).map(|(at, line)| Remark::trail(at, line)).collect()
}

/// `error: …` followed by `Caused by:` and indented causes, the last of which is the root. anyhow prints the same.
fn chain(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, _) in page.numbered().filter(|(_, line)| matches!(line.trim(), "Caused by:" | "caused by:")) {
        let heading = page.before(at, 6).find(|line| line.to_lowercase().starts_with("error"));
        remarks.extend(heading.map(|heading| Remark::cause(at, SourceLocation::within(heading), heading.trim())));
        let indent = page.lines[at].len() - page.lines[at].trim_start().len();
        let causes: Vec<&str> =
            page.after(at, 30).iter().copied().take_while(|line| line.starts_with(&" ".repeat(indent + 2))).collect();
        // A cause may end with a source excerpt; its message is the first line.
        let is_words = |line: &&&str| {
            !line.trim().is_empty()
                && !line.trim_start().starts_with(['|', '^'])
                && !line.trim_start().starts_with("--- ")
        };
        let is_drawn = causes.iter().any(|line| line.trim_start().starts_with('|'));
        let root = if is_drawn { causes.iter().find(is_words) } else { causes.iter().rfind(is_words) };
        let Some(root) = root.map(|root| root.trim()) else { continue };
        let words = root
            .split_once(": ")
            .filter(|(number, _)| number.bytes().all(|c| c.is_ascii_digit()))
            .map_or(root, |(_, words)| words);
        remarks.push(Remark::cause(at + 1, SourceLocation::within(words), format!("caused by: {words}")));
    }
    remarks
}

fn linker(page: &OutputPage<'_>) -> Vec<Remark> {
    let said = page.numbered().filter(|(_, line)| line.starts_with("error: linking with"));
    said.map(|(at, line)| Remark::trail(at, line)).collect()
}
