//! go: failing tests and panics. Errors of its compiler have the common form: see `located`.

use super::page::OutputPage;
use super::place::SourceLocation;
use super::{FormatReader, Remark};

pub(super) const READERS: &[FormatReader] = &[
    FormatReader { signs: &["--- FAIL: "], read: tests },
    FormatReader { signs: &["panic: ", "fatal error: "], read: panics },
    FormatReader { signs: &["FAIL\t"], read: packages },
];

fn tests(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        let Some(test) = line.trim_start().strip_prefix("--- FAIL: ") else { continue };
        let name = test.split(' ').next().unwrap_or(test);
        // The output of a test is below its heading, or above it with `-v`.
        let below = page.after(at, 20).iter().take_while(|line| line.starts_with(' ') || line.starts_with('\t'));
        // A heading above the heading of a subtest says nothing new.
        if below.clone().next().is_some_and(|line| line.trim_start().starts_with("--- FAIL: ")) {
            continue;
        }
        let below: Vec<&str> = below.take_while(|line| !line.trim_start().starts_with("--- ")).copied().collect();
        let above: Vec<&str> = page.before(at, 20).take_while(|line| line.starts_with("    ")).collect();
        let found = located(&below)
            .or_else(|| testify(&below))
            .or_else(|| located(&above.into_iter().rev().collect::<Vec<_>>()));
        let (place, said) = found.map_or((None, String::new()), |(place, said)| (Some(place), said));
        remarks.push(Remark::cause(at, place, format!("--- FAIL: {name} {said}")));
    }
    remarks
}

/// `    a_test.go:12: message`; the message may start on the next line.
fn located(lines: &[&str]) -> Option<(SourceLocation, String)> {
    lines.iter().enumerate().find_map(|(n, line)| {
        let (place, rest) = SourceLocation::leading(line)?;
        let said = if rest.trim().is_empty() { lines.get(n + 1).map_or("", |line| line.trim()) } else { rest };
        (!said.starts_with("Error Trace:")).then(|| (place, said.to_owned()))
    })
}

/// A block of testify: `Error Trace: /x/a_test.go:12` and `Error: message`.
fn testify(lines: &[&str]) -> Option<(SourceLocation, String)> {
    let value = |key: &str| lines.iter().find_map(|line| line.trim().strip_prefix(key)).map(str::trim);
    let (place, _) = SourceLocation::leading(value("Error Trace:")?)?;
    Some((place, value("Error:").unwrap_or_default().to_owned()))
}

fn panics(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        let is_panic = (line.starts_with("panic: ") || line.starts_with("fatal error: "))
            && !line.contains("[recovered]")
            || line.starts_with("panic: ") && line.ends_with("[recovered]");
        let is_go =
            page.after(at, 12).iter().any(|line| line.starts_with("goroutine ") || line.starts_with("runtime."));
        if !is_panic || !is_go {
            continue;
        }
        let frames = page.after(at, 200).iter().filter_map(|line| line.strip_prefix('\t'));
        let places: Vec<SourceLocation> =
            frames.filter_map(|frame| SourceLocation::leading(frame).map(|(place, _)| place)).collect();
        let own = places.iter().find(|place| !place.is_foreign()).or(places.first());
        remarks.push(Remark::cause(at, own.cloned(), line.trim()));
        break;
    }
    remarks
}

fn packages(page: &OutputPage<'_>) -> Vec<Remark> {
    page.numbered()
        .filter(|(_, line)| line.starts_with("FAIL\t"))
        .map(|(at, line)| Remark::trail(at, line.replace('\t', " ")))
        .collect()
}
