//! Build tools: make, cmake, ninja, the linker, bazel, docker.

use super::page::OutputPage;
use super::place::SourceLocation;
use super::{FormatReader, Remark};
use crate::reflex::rules::pattern;

pub(super) const READERS: &[FormatReader] = &[
    FormatReader { signs: &["*** "], read: make },
    FormatReader { signs: &["CMake Error"], read: cmake },
    FormatReader { signs: &["FAILED: ", "ninja: error"], read: ninja },
    FormatReader {
        signs: &[
            "undefined reference",
            "Undefined symbols",
            "cannot find -l",
            "multiple definition",
            "library not found for",
        ],
        read: linker,
    },
    FormatReader {
        signs: &[
            "ERROR: failed to solve",
            "failed to solve:",
            "returned a non-zero code",
            "ERROR [",
            "executor failed",
        ],
        read: docker,
    },
    FormatReader { signs: &["error: Recipe `"], read: just },
];

/// `make: *** [Makefile:2: all] Error 1` only reports that a command failed. A missing rule or a syntax error in the makefile is
/// the cause itself.
fn make(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        let Some((before, words)) = line.split_once("*** ") else { continue };
        let is_make = pattern!(r"^\S*(?:make|gmake)(?:\.exe)?(?:\[[0-9]+\])?: $").is_match(before);
        if is_make && words.starts_with('[') {
            remarks.push(Remark::trail(at, line));
        } else if is_make && !words.starts_with("Waiting for unfinished") {
            remarks.push(Remark::cause(at, SourceLocation::within(words), line));
        }
    }
    remarks
}

/// `CMake Error at CMakeLists.txt:3 (find_package):`, with the message indented below it.
fn cmake(page: &OutputPage<'_>) -> Vec<Remark> {
    let pattern = pattern!(r"^CMake Error (?:at|in) (\S+?)(?::([0-9]+))?(?: \(([^)]*)\))?:?$");
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        let Some(rest) = line.strip_prefix("CMake Error") else { continue };
        let below = page
            .after(at, 6)
            .iter()
            .map(|line| line.trim())
            .skip_while(|line| line.is_empty())
            .take_while(|line| !line.is_empty());
        let said = below.collect::<Vec<_>>().join(" ");
        match pattern.captures(line) {
            Some(caught) => {
                let call = caught.get(3).map(|call| format!("{}: ", call.as_str())).unwrap_or_default();
                remarks.push(Remark::cause(
                    at,
                    SourceLocation::caught(caught.get(1), caught.get(2), None),
                    format!("CMake Error: {call}{said}"),
                ));
            }
            None if rest.trim_start_matches(": ").is_empty() => {
                remarks.push(Remark::cause(at, None, format!("CMake Error: {said}")))
            }
            None => remarks.push(Remark::cause(at, SourceLocation::within(rest), line.trim())),
        }
    }
    remarks
}

fn ninja(page: &OutputPage<'_>) -> Vec<Remark> {
    let said = page.numbered().filter_map(|(at, line)| {
        if line.starts_with("ninja: error") {
            return Some(Remark::cause(at, None, line));
        }
        line.starts_with("FAILED: ").then(|| Remark::trail(at, line))
    });
    said.collect()
}

fn linker(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        let line = line.trim();
        let Some(start) =
            ["undefined reference to", "cannot find -l", "multiple definition of", "library not found for"]
                .iter()
                .find_map(|words| line.find(words))
        else {
            if line.starts_with("Undefined symbols for architecture") {
                remarks.push(Remark::cause(
                    at,
                    None,
                    format!("{line} {}", page.after(at, 2).join(" ").replace("      ", " ")),
                ));
            }
            continue;
        };
        // `main.c:12: undefined reference` with debug information, otherwise `main.c:(.text+0x5): …` or the linker's own name.
        let place = SourceLocation::within(&line[..start]);
        let from = pattern!(r"([\w./+-]+\.[A-Za-z]+):\(\.")
            .captures(line)
            .map(|caught| format!(" in {}", &caught[1]))
            .filter(|_| place.is_none())
            .unwrap_or_default();
        let words = pattern!(r"^([^:]*?)(?:: No such file or directory)?$")
            .captures(&line[start..])
            .map_or(&line[start..], |caught| caught.get(1).map_or("", |words| words.as_str()));
        remarks.push(Remark::cause(at, place, format!("{words}{from}")));
    }
    remarks
}

/// The step that failed: `Dockerfile:5` above a source excerpt, ` > [4/5] RUN npm ci:`, or the last `Step 4/5 : RUN …`.
fn docker(page: &OutputPage<'_>) -> Vec<Remark> {
    let place = page.numbered().find_map(|(at, line)| {
        let (place, rest) = SourceLocation::leading(line)?;
        let is_heading =
            rest.is_empty() && place.column.is_none() && page.after(at, 1).iter().any(|line| line.starts_with("----"));
        is_heading.then_some(place)
    });
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        let trimmed = line.trim_start();
        if let Some(step) = trimmed.strip_prefix("> [").filter(|step| step.ends_with(':')) {
            remarks.push(Remark::cause(at, None, format!("failing step [{}", step.trim_end_matches(':'))));
        } else if trimmed.contains("failed to solve") {
            remarks.push(Remark::cause(at, place.clone(), trimmed));
        } else if line.contains("returned a non-zero code") {
            let step = page.before(at, 4_000).find(|line| line.starts_with("Step "));
            remarks.extend(step.map(|step| Remark::trail(at, format!("failing {step}"))));
            remarks.push(Remark::cause(at, None, line));
        }
    }
    remarks
}

fn just(page: &OutputPage<'_>) -> Vec<Remark> {
    page.numbered()
        .filter(|(_, line)| line.starts_with("error: Recipe `"))
        .map(|(at, line)| Remark::trail(at, line))
        .collect()
}
