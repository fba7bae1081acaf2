//! Test runners whose failures are numbered or marked: jest, vitest, mocha, node, playwright, rspec, minitest, phpunit, ExUnit, tap.

use super::page::OutputPage;
use super::place::SourceLocation;
use super::{FormatReader, Remark, javascript};
use crate::reflex::rules::pattern;

pub(super) const READERS: &[FormatReader] = &[
    FormatReader { signs: &["  ● "], read: jest },
    FormatReader { signs: &[" FAIL  ", "⎯⎯"], read: vitest },
    FormatReader { signs: &["  1) ", "1) "], read: numbered },
    FormatReader { signs: &["rspec ./", "rspec "], read: rspec },
    FormatReader { signs: &["Failure:", "Error:"], read: minitest },
    FormatReader { signs: &["not ok "], read: tap },
    FormatReader { signs: &["test at "], read: node },
];

/// The most lines of a failure before its stack trace starts.
const LONG: usize = 60;

/// A location in the text of a failure: a stack frame, `❯ a.test.ts:3:5`, `# ./a_spec.rb:3:in …`, or a path on a line of its own.
fn place_of(line: &str) -> Option<SourceLocation> {
    let text = line.trim_start_matches(|c: char| c.is_whitespace() || "❯#│".contains(c));
    javascript::frame(text)
        .or_else(|| SourceLocation::leading(text).map(|(place, _)| place))
        .filter(|place| !place.is_foreign())
}

/// The first line of a failure's text that is a message.
fn said<'a>(lines: &[&'a str]) -> &'a str {
    let complains = |line: &&str| {
        let is_heading = ["Failure/Error:", "code:", "stacktrace:", "left:", "right:", "at ", "**"]
            .iter()
            .any(|word| line.starts_with(word));
        !line.is_empty() && !is_heading && SourceLocation::leading(line).is_none()
    };
    lines.iter().map(|line| line.trim()).find(complains).unwrap_or_default()
}

/// The expected and the actual value, where a failure prints them on lines of their own.
fn values(lines: &[&str]) -> String {
    let is_value = |line: &&str| {
        ["Expected:", "Received:", "expected:", "got:", "Actual:", "actual:", "left:", "right:"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    let values: Vec<&str> = lines.iter().map(|line| line.trim()).filter(is_value).take(2).collect();
    if values.is_empty() { String::new() } else { format!(" ({})", values.join(", ")) }
}

fn failure(page: &OutputPage<'_>, at: usize, name: &str, is_end: impl Fn(&str) -> bool) -> Remark {
    let text: Vec<&str> = page.after(at, LONG).iter().take_while(|line| !is_end(line)).copied().collect();
    let place = text.iter().find_map(|line| place_of(line));
    Remark::cause(at, place, format!("{name}: {}{}", said(&text), values(&text)))
}

fn jest(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        let Some(name) = line.strip_prefix("  ● ").filter(|name| !name.starts_with("Console")) else { continue };
        let mut remark =
            failure(page, at, name.trim(), |line| line.starts_with("  ● ") || line.starts_with("Test Suites:"));
        // A suite that could not start names its file in the heading, `FAIL src/a.test.js`.
        let suite = page.before(at, 400).find_map(|line| line.trim_start().strip_prefix("FAIL "));
        if let Some(suite) = suite.filter(|suite| remark.place.is_none() && !remark.words.contains(suite.trim())) {
            remark.words = format!("{}: {}", suite.trim(), remark.words);
        }
        remarks.push(remark);
    }
    remarks
}

fn vitest(page: &OutputPage<'_>) -> Vec<Remark> {
    let failed = page.numbered().filter_map(|(at, line)| Some((at, line.strip_prefix(" FAIL  ")?)));
    failed
        .map(|(at, name)| failure(page, at, &format!("FAIL {}", name.trim()), |line| line.starts_with(" FAIL  ")))
        .collect()
}

/// The name in `  1) name`.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let (number, name) = text.split_once(") ")?;
    let is_number = !number.is_empty() && number.len() < 4 && number.bytes().all(|c| c.is_ascii_digit());
    (is_number && line.len() - text.len() <= 6).then_some(name.trim())
}

/// `  1) name` with the failure below it: mocha, rspec, phpunit, playwright, ExUnit.
fn numbered(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    // mocha uses the same numbers in its tree of tests; the failures follow the summary.
    let summary = page.lines.iter().position(|line| line.trim().ends_with(" failing")).unwrap_or(0);
    for (at, line) in page.numbered().skip(summary) {
        let Some(name) = heading(line) else { continue };
        let name = pattern!(r" [─━]{3,}$").replace(name, "");
        let mut text = page.after(at, 1).iter();
        // mocha continues a test's name on further lines, up to a colon.
        let inner = text
            .next()
            .filter(|line| line.ends_with(':') && summary > 0)
            .map_or("", |line| line.trim().trim_end_matches(':'));
        let start = if inner.is_empty() { at } else { at + 1 };
        let mut remark = failure(page, start, format!("{name} {inner}").trim(), |line| heading(line).is_some());
        remark.place = SourceLocation::within(&name).or(remark.place);
        if remark.place.is_some() {
            remarks.push(remark);
        }
    }
    remarks
}

fn rspec(page: &OutputPage<'_>) -> Vec<Remark> {
    let failed = page.numbered().filter_map(|(at, line)| {
        let (place, name) = line.strip_prefix("rspec ")?.split_once(" # ")?;
        Some(Remark::trail(at, format!("{}: {name}", place.trim())))
    });
    failed.collect()
}

/// `FooTest#test_x [test/foo_test.rb:5]:`, with the message on the next line.
fn minitest(page: &OutputPage<'_>) -> Vec<Remark> {
    let pattern = || pattern!(r"^\s*(\S+#\S+|test_\S+\([^)]*\)) \[([^\]]+):([0-9]+)\]:?$");
    let failed = page.numbered().filter_map(|(at, line)| {
        let caught = line.trim_end_matches(':').strip_suffix(']').and_then(|_| pattern().captures(line))?;
        let words = format!("{}: {}", &caught[1], page.after(at, 2).join(" ").trim());
        Some(Remark::cause(at, SourceLocation::caught(caught.get(2), caught.get(3), None), words))
    });
    failed.collect()
}

/// `not ok 3 - name`, with a block that has the location.
fn tap(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        let Some(test) = line.trim_start().strip_prefix("not ok ").filter(|test| !test.contains("# TODO")) else {
            continue;
        };
        let name = test.trim_start_matches(|c: char| c.is_ascii_digit() || " -".contains(c));
        let block: Vec<&str> = page
            .after(at, 30)
            .iter()
            .take_while(|line| !line.trim_start().starts_with("ok ") && !line.trim_start().starts_with("not ok "))
            .copied()
            .collect();
        let value = |key: &str| {
            block
                .iter()
                .find_map(|line| line.trim().strip_prefix(key))
                .map(|value| value.trim().trim_matches('\'').to_owned())
        };
        let place = value("location:")
            .and_then(|value| SourceLocation::leading(&value).map(|(place, _)| place))
            .or_else(|| block.iter().find_map(|line| place_of(line)));
        let block_text = || {
            let at = block
                .iter()
                .position(|line| line.trim().starts_with("error: |") || line.trim().starts_with("error: >"))?;
            block.get(at + 1).map(|line| line.trim().to_owned())
        };
        let words = block_text().or_else(|| value("error:")).or_else(|| value("message:")).unwrap_or_default();
        if place.is_some() || !words.is_empty() {
            remarks.push(Remark::cause(at, place, format!("not ok: {name}: {words}")));
        } else {
            remarks.push(Remark::plain(at, None, format!("not ok: {name}")));
        }
    }
    remarks
}

/// `test at a.test.js:3:1`, then `✖ name (1ms)` and the error.
fn node(page: &OutputPage<'_>) -> Vec<Remark> {
    let failed = page.numbered().filter_map(|(at, line)| {
        let (place, _) = SourceLocation::leading(line.strip_prefix("test at ")?)?;
        let name = page.next_words(at)?.trim_start_matches(['✖', ' ']);
        let text = page.after(at + 1, 12);
        let own = text.iter().filter_map(|line| javascript::frame(line)).find(|place| !place.is_foreign());
        Some(Remark::cause(at, own.or(Some(place)), format!("{name}: {}", said(text))))
    });
    failed.collect()
}
