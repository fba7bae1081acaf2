//! .NET: exceptions, failing tests, errors without a location. Compiler errors have the common form: see `located`.

use super::page::OutputPage;
use super::place::SourceLocation;
use super::{FormatReader, Remark};
use crate::reflex::rules::pattern;

pub(super) const READERS: &[FormatReader] = &[
    FormatReader { signs: &[":line "], read: exceptions },
    FormatReader {
        signs: &[" error MSB", " error NU", " error NETSDK", "error CS", "MSBUILD : error"],
        read: unplaced,
    },
];

/// `   at A.B.M() in /x/a.cs:line 12`.
fn frame(line: &str) -> Option<SourceLocation> {
    let caught = pattern!(r"^\s*at .* in (.+):line ([0-9]+)\.?$").captures(line)?;
    SourceLocation::caught(caught.get(1), caught.get(2), None)
}

fn exceptions(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let mut last = 0;
    for (at, line) in page.numbered() {
        let Some(place) = frame(line) else { continue };
        // Only the first frame of a stack is read.
        let is_new =
            remarks.is_empty() || page.lines[last..at].iter().any(|line| line.trim_start().starts_with("Failed "));
        if is_new {
            let said = page.before(at, 20).find(|line| {
                pattern!(r"(?:Unhandled exception|Exception:|Error Message:|Assert\.|--->)").is_match(line)
            });
            let test = page.before(at, 20).find_map(|line| line.trim_start().strip_prefix("Failed "));
            let mut words = said.unwrap_or_default().trim().to_owned();
            if words.ends_with("Error Message:") {
                words = page
                    .before(at, 20)
                    .take_while(|line| !line.trim().ends_with("Error Message:"))
                    .filter(|line| !line.contains("Stack Trace:"))
                    .last()
                    .unwrap_or_default()
                    .trim()
                    .to_owned();
            }
            remarks.push(Remark::cause(at, Some(place), test.map_or(words.clone(), |test| format!("{test}: {words}"))));
        }
        last = at;
    }
    remarks
}

fn unplaced(page: &OutputPage<'_>) -> Vec<Remark> {
    let pattern = pattern!(r"(?:^|: )error (?:MSB|NU|NETSDK|CS)[0-9]+: ");
    let said = page.numbered().filter(|(_, line)| pattern.is_match(line) && SourceLocation::leading(line).is_none());
    said.map(|(at, line)| Remark::cause(at, None, line.trim())).collect()
}
