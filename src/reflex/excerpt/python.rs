//! Python: tracebacks, pytest, unittest.

use super::page::OutputPage;
use super::place::SourceLocation;
use super::{FormatReader, MOST_READ, Remark};
use crate::reflex::rules::pattern;

pub(super) const READERS: &[FormatReader] = &[
    FormatReader {
        signs: &["Traceback (most recent call last)", "SyntaxError", "IndentationError", "TabError"],
        read: tracebacks,
    },
    FormatReader { signs: &["= FAILURES =", "= ERRORS =", "short test summary", "ERROR collecting"], read: pytest },
    FormatReader {
        signs: &["ERROR: not found: ", "no tests ran", "ERROR: file or directory not found"],
        read: nothing_run,
    },
    FormatReader { signs: &["\nFAIL: ", "FAIL: ", "ERROR: "], read: unittest },
    FormatReader { signs: &["ModuleNotFoundError: ", "ImportError while loading conftest"], read: conftest },
];

/// One traceback: its frames and the exception at its end.
struct Traceback<'a> {
    at: usize,
    place: Option<SourceLocation>,
    exception: &'a str,
    /// Whether it was caused by the exception of the traceback before it.
    is_chained: bool,
}

fn frame(line: &str) -> Option<SourceLocation> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || "|+-E>".contains(c));
    if !line.starts_with("File \"") {
        return None;
    }
    let caught = pattern!(r#"^File "([^"]+)", line ([0-9]+)"#).captures(line)?;
    SourceLocation::caught(caught.get(1), caught.get(2), None)
}

fn exception(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(|c: char| c.is_whitespace() || "|+".contains(c));
    let name = text.split([':', ' ', '(']).next()?;
    let last = name.rsplit('.').next()?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "._".contains(c));
    let is_alone = text.len() == name.len() || text[name.len()..].starts_with(':');
    let is_class = last.starts_with(|c: char| c.is_uppercase()) || last.ends_with("error") || last.ends_with("Error");
    (is_name && is_alone && is_class).then_some(text)
}

fn all_tracebacks<'a>(page: &OutputPage<'a>) -> Vec<Traceback<'a>> {
    let mut found: Vec<Traceback<'a>> = Vec::new();
    let mut frames: Vec<SourceLocation> = Vec::new();
    let mut start = 0;
    let mut is_chained = false;
    for (at, line) in page.numbered() {
        if line.contains("Traceback (most recent call last)") {
            (start, frames) = (at, Vec::new());
        } else if line.contains("During handling of the above exception")
            || line.contains("direct cause of the following exception")
        {
            is_chained = true;
        } else if let Some(place) = frame(line) {
            if frames.is_empty() && start + 1 < at {
                start = at;
            }
            frames.push(place);
        } else if !frames.is_empty()
            && let Some(exception) = exception(line)
            && is_outside(page.lines[start], line)
        {
            let is_syntax =
                ["SyntaxError", "IndentationError", "TabError"].iter().any(|name| exception.starts_with(name));
            let own = frames.iter().rfind(|place| !place.is_foreign());
            // Code from the command line has no file, and a location in a library does not help.
            let is_typed =
                frames.iter().any(|place| place.path.starts_with("<string>") || place.path.starts_with("<stdin>"));
            let place = if is_syntax { frames.last() } else { own.or(frames.last().filter(|_| !is_typed)) };
            found.push(Traceback {
                at: start,
                place: place.cloned(),
                exception,
                is_chained: std::mem::take(&mut is_chained),
            });
            frames.clear();
        }
    }
    found
}

/// The exception is not indented deeper than its heading; source lines are.
fn is_outside(heading: &str, line: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '|', '+', '-']).len();
    indent(line) <= indent(heading) + 2
}

fn tracebacks(page: &OutputPage<'_>) -> Vec<Remark> {
    let found = all_tracebacks(page);
    let remark = |traceback: &Traceback<'_>| Remark::cause(traceback.at, traceback.place.clone(), traceback.exception);
    // The last chain of exceptions ended the program. Its first exception is the root cause.
    let Some(root) = found.iter().rposition(|traceback| !traceback.is_chained) else {
        return found.iter().map(remark).collect();
    };
    let mut remarks = vec![remark(&found[root])];
    if root + 1 < found.len() {
        remarks.extend(found.last().map(remark));
    } else if found.len() > 1 {
        remarks.insert(0, remark(&found[0]));
    }
    remarks
}

/// One failed test in the output of pytest.
struct Section<'a> {
    at: usize,
    name: &'a str,
    place: Option<SourceLocation>,
    said: Option<&'a str>,
}

fn sections<'a>(page: &OutputPage<'a>) -> Vec<Section<'a>> {
    let mut sections: Vec<Section<'a>> = Vec::new();
    let mut is_inside = false;
    for (at, line) in page.numbered() {
        if line.starts_with("====") {
            is_inside = line.contains(" FAILURES ") || line.contains(" ERRORS ");
            continue;
        }
        let heading = line.strip_prefix("__").map(|rest| rest.trim_matches(['_', ' '])).filter(|name| !name.is_empty());
        if let Some(name) = heading.filter(|_| is_inside) {
            sections.push(Section { at, name, place: None, said: None });
        } else if let Some(section) = sections.last_mut().filter(|_| is_inside) {
            if let Some(said) = line.strip_prefix("E  ") {
                // A traceback printed during an import is quoted line by line; its last line is the message.
                let said = said.trim();
                if section.said.is_none_or(|known| known.starts_with("File \"") || known.starts_with("Traceback"))
                    || exception(said).is_some_and(|_| section.said.is_some_and(|known| exception(known).is_none()))
                {
                    section.said = Some(said);
                }
                if let Some(place) = frame(said) {
                    section.place = Some(place);
                }
            } else if let Some((place, _)) =
                SourceLocation::leading(line).filter(|(place, rest)| !place.is_foreign() && is_location(rest))
            {
                section.place = Some(place);
            }
        }
    }
    sections
}

/// Whether a text is what follows `path:line: ` in a section: the name of an exception, `in test_x`, or nothing.
fn is_location(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with("in ") || exception(rest).is_some()
}

fn pytest(page: &OutputPage<'_>) -> Vec<Remark> {
    let sections = sections(page);
    let summary: Vec<(usize, &str)> = page
        .numbered()
        .filter(|(_, line)| {
            (line.starts_with("FAILED ") || line.starts_with("ERROR ")) && (line.contains("::") || line.contains(".py"))
        })
        .take(MOST_READ)
        .collect();
    let mut remarks: Vec<Remark> = Vec::new();
    for (at, line) in &summary {
        let node = line.split(' ').nth(1).unwrap_or_default();
        let name = node.split_once("::").map_or(node, |(_, name)| name).replace("::", ".");
        let section = sections.iter().find(|section| {
            section.name == name || section.name.ends_with(&format!(" {name}")) || section.name.ends_with(node)
        });
        let said = section.and_then(|section| section.said).filter(|_| !line.contains(" - "));
        let words = said.map_or_else(|| (*line).to_owned(), |said| format!("{line} - {said}"));
        let place = section.and_then(|section| section.place.clone()).or_else(|| one_line(page, line));
        remarks.push(Remark::cause(*at, place, words));
    }
    if summary.is_empty() {
        remarks.extend(sections.iter().map(|section| {
            Remark::cause(
                section.at,
                section.place.clone(),
                format!("{} - {}", section.name, section.said.unwrap_or("failed")),
            )
        }));
    }
    remarks
}

/// With `--tb=line` a failure is one line, `path:line: message`, with the message of the summary.
fn one_line(page: &OutputPage<'_>, summary: &str) -> Option<SourceLocation> {
    let (_, said) = summary.split_once(" - ")?;
    let mut located = page.lines.iter().filter_map(|line| SourceLocation::leading(line));
    located.find(|(_, rest)| !said.is_empty() && rest.contains(said)).map(|(place, _)| place)
}

fn nothing_run(page: &OutputPage<'_>) -> Vec<Remark> {
    let said = page.numbered().filter(|(_, line)| line.starts_with("ERROR: "));
    said.map(|(at, line)| Remark::cause(at, None, line)).collect()
}

fn unittest(page: &OutputPage<'_>) -> Vec<Remark> {
    let tracebacks = all_tracebacks(page);
    let headings = page.numbered().filter(|(at, line)| {
        (line.starts_with("FAIL: ") || line.starts_with("ERROR: "))
            && page.after(*at, 3).iter().any(|line| line.starts_with("-----"))
    });
    let remark = |(at, line): (usize, &str)| {
        let traceback = tracebacks.iter().find(|traceback| traceback.at > at && traceback.at < at + 12)?;
        Some(Remark::cause(at, traceback.place.clone(), format!("{line}: {}", traceback.exception)))
    };
    headings.take(MOST_READ).filter_map(remark).collect()
}

/// pytest failed before it ran a test: `E   ModuleNotFoundError` outside of any section.
fn conftest(page: &OutputPage<'_>) -> Vec<Remark> {
    if !page.lines.iter().any(|line| line.starts_with("ImportError while loading conftest")) {
        return Vec::new();
    }
    let mut places =
        page.numbered().rev().filter_map(|(_, line)| SourceLocation::leading(line)).map(|(place, _)| place);
    let place = places.find(|place| !place.is_foreign());
    let said = page.numbered().find(|(_, line)| line.starts_with("E  "));
    said.map(|(at, line)| Remark::cause(at, place, line[1..].trim())).into_iter().collect()
}
