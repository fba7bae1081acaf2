//! Java, Kotlin, Scala and Clojure: exceptions, maven, gradle.

use super::page::OutputPage;
use super::place::SourceLocation;
use super::{FormatReader, Remark};
use crate::reflex::rules::pattern;

pub(super) const READERS: &[FormatReader] = &[
    FormatReader { signs: &["\tat ", "    at ", "Exception in thread"], read: exceptions },
    FormatReader { signs: &["[ERROR]"], read: maven },
    FormatReader { signs: &["What went wrong:", " FAILED"], read: gradle },
    FormatReader { signs: &["e: "], read: kotlin },
    FormatReader { signs: &["-- Error: ", "-- [E"], read: scala },
    FormatReader { signs: &["compiling:("], read: clojure },
];

/// Packages of the language, its libraries and test runners. Their frames are not the user's code.
const FOREIGN: &[&str] = &[
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "clojure.",
    "groovy.",
    "org.junit.",
    "junit.",
    "org.opentest4j.",
    "org.testng.",
    "org.hamcrest.",
    "org.assertj.",
    "org.mockito.",
    "org.gradle.",
    "org.apache.",
    "org.springframework.",
    "org.hibernate.",
    "org.eclipse.",
    "io.netty.",
    "reactor.",
    "com.fasterxml.",
    "com.google.common.",
    "com.google.gson.",
    "org.codehaus.",
    "worker.org.gradle.",
    "java.base/",
    "org.postgresql.",
    "com.mysql.",
    "com.zaxxer.",
    "org.scalatest.",
    "app//",
    "jakarta.",
];

/// `at a.b.C.m(C.java:12)`: the location, and whether the class is the user's.
fn frame(line: &str) -> Option<(SourceLocation, bool)> {
    let text = line.trim_start().strip_prefix("at ")?;
    let caught = pattern!(r"^(?:app//|[\w.@-]+/)?([\w.$<>/]+)\(([\w$-]+\.(?:java|kt|kts|scala|groovy|clj)):([0-9]+)\)")
        .captures(text)?;
    let class = &caught[1];
    let is_own = !FOREIGN.iter().any(|package| class.starts_with(package) || text.starts_with(package))
        || text.starts_with("app//") && !FOREIGN[..21].iter().any(|package| class.starts_with(package));
    Some((SourceLocation::caught(caught.get(2), caught.get(3), None)?, is_own))
}

fn exceptions(page: &OutputPage<'_>) -> Vec<Remark> {
    // Each exception of a chain: its heading and the first frame of the user's code below it.
    let mut levels: Vec<(usize, &str, Option<SourceLocation>)> = Vec::new();
    for (at, line) in page.numbered() {
        if let Some((place, is_own)) = frame(line) {
            if levels.is_empty()
                || !page.lines[at - 1].trim_start().starts_with("at ") && !is_heading(page.lines[at - 1])
            {
                levels.push((at.saturating_sub(1), page.lines[at.saturating_sub(1)].trim(), None));
            }
            if let Some(level) = levels.last_mut().filter(|level| is_own && level.2.is_none()) {
                level.2 = Some(place);
            }
        } else if is_heading(line) {
            levels.push((at, line.trim(), None));
        }
    }
    let is_caused = |words: &str| words.starts_with("Caused by:");
    let Some((at, words, place)) =
        levels.iter().rfind(|(_, words, _)| is_caused(words)).cloned().or_else(|| levels.first().cloned())
    else {
        return Vec::new();
    };
    let place = place.or_else(|| levels.iter().find_map(|(.., place)| place.clone()));
    let mut remarks = vec![Remark::cause(at, place, words)];
    if is_caused(words) {
        let first = &levels[0];
        remarks.push(Remark { weight: super::Weight::Cause, ..Remark::cause(at + 1, None, first.1) });
    }
    remarks
}

/// A line above frames: `Exception in thread "main" a.b.CException: message`, `Caused by: …`, `a.b.CException: message`.
fn is_heading(line: &str) -> bool {
    pattern!(r#"^\s*(?:Exception in thread "[^"]*" |Caused by: |Suppressed: )?(?:[a-z_][\w]*\.)+[A-Z][\w$]*(?:Exception|Error|Failure|Throwable)\b"#).is_match(line)
}

fn maven(page: &OutputPage<'_>) -> Vec<Remark> {
    let source = pattern!(r"^\[ERROR\] (?:Error:\s*)?(.+?):\[([0-9]+),([0-9]+)\] (.*)$");
    let test =
        pattern!(r"^\[ERROR\]\s+((?:[\w$.]+\.)?(\w+)(?:\.\w+|->\w+)+|\w+\.\w+):([0-9]+)(?:->\S+)?(?: » | )(.*)$");
    let pom = pattern!(
        r"^\[ERROR\]\s+(?:Non-parseable POM|Malformed POM) (\S+?): (.*?)(?:@(?: line)? ?([0-9]+)[:,](?: column)? ?([0-9]+))"
    );
    let mut remarks = Vec::new();
    for (at, line) in page.numbered().filter(|(_, line)| line.starts_with("[ERROR]")) {
        if let Some(caught) = source.captures(line) {
            remarks.push(Remark::cause(
                at,
                SourceLocation::caught(caught.get(1), caught.get(2), caught.get(3)),
                &caught[4],
            ));
        } else if let Some(caught) = pom.captures(line) {
            remarks.push(Remark::cause(
                at,
                SourceLocation::caught(caught.get(1), caught.get(3), caught.get(4)),
                &caught[2],
            ));
        } else if let Some(caught) = test.captures(line) {
            let method = &caught[1];
            let class =
                caught.get(2).map_or_else(|| method.split('.').next().unwrap_or(method), |class| class.as_str());
            let class = method.rsplit_once('.').map_or(class, |(before, _)| before.rsplit('.').next().unwrap_or(class));
            let row = caught[3].parse().unwrap_or_default();
            let place = SourceLocation { path: format!("{class}.java"), line: row, column: None };
            remarks.push(Remark::cause(at, Some(place), format!("{method}: {}", &caught[4])));
        } else if line.contains("Failed to execute goal") {
            remarks.push(Remark::trail(at, line.trim_start_matches("[ERROR] ")));
        } else if line.contains("Could not resolve dependencies")
            || line.contains("Could not find artifact")
            || line.contains("Unknown lifecycle phase")
            || line.contains("No plugin found for prefix")
            || line.contains("there is no POM in this directory")
        {
            remarks.push(Remark::cause(at, None, line.trim_start_matches("[ERROR] ")));
        }
    }
    remarks
}

fn gradle(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        if line.starts_with("* What went wrong:") {
            let said: Vec<&str> = page
                .after(at, 12)
                .iter()
                .map(|line| line.trim())
                .take_while(|line| !line.starts_with("* "))
                .filter(|line| !line.is_empty())
                .collect();
            let place = page.before(at, 5).find_map(|line| {
                let caught =
                    pattern!(r"(?:Build|Settings|Script|Initialization) (?:file|script)? ?'([^']+)' line: ([0-9]+)")
                        .captures(line)?;
                SourceLocation::caught(caught.get(1), caught.get(2), None)
            });
            let is_only_that = said.iter().any(|line| {
                line.contains("Compilation failed; see the compiler")
                    || line.contains("There were failing tests")
                    || line.contains("Compilation error")
            });
            let root = said
                .iter()
                .rfind(|line| line.starts_with("> "))
                .filter(|_| place.is_none())
                .map_or("", |root| root.trim_start_matches("> "));
            let words = format!("{} {root}", said.first().unwrap_or(&""));
            remarks.push(if is_only_that { Remark::trail(at, words) } else { Remark::cause(at, place, words) });
        } else if let Some(test) =
            line.strip_suffix(" FAILED").filter(|test| test.contains(" > ") && !test.starts_with('>'))
        {
            let said = page.after(at, 8).iter().take_while(|line| line.starts_with("    "));
            let said: Vec<&str> = said.map(|line| line.trim()).collect();
            let place = said.iter().find_map(|line| {
                let caught = pattern!(r" at (\w+\.(?:java|kt|scala|groovy)):([0-9]+)").captures(line)?;
                SourceLocation::caught(caught.get(1), caught.get(2), None)
            });
            let place = place.or_else(|| {
                said.iter().filter_map(|line| frame(line)).find(|(_, is_own)| *is_own).map(|(place, _)| place)
            });
            remarks.push(Remark::cause(at, place, format!("{test} FAILED: {}", said.first().unwrap_or(&""))));
        }
    }
    remarks
}

/// `e: /x/a.kt: (3, 5): message`; newer compilers write `e: file:///x/a.kt:3:5 message`, which is the common form.
fn kotlin(page: &OutputPage<'_>) -> Vec<Remark> {
    let pattern = || pattern!(r"^e: (?:file://)?(.+?): \(([0-9]+), ([0-9]+)\): (.*)$");
    let newer = || pattern!(r"^e: (?:file://)?(\S+?):([0-9]+):([0-9]+):? (.*)$");
    let caught = page
        .numbered()
        .filter(|(_, line)| line.starts_with("e: "))
        .filter_map(|(at, line)| Some((at, pattern().captures(line).or_else(|| newer().captures(line))?)));
    caught
        .map(|(at, caught)| {
            Remark::cause(at, SourceLocation::caught(caught.get(1), caught.get(2), caught.get(3)), &caught[4])
        })
        .collect()
}

/// `-- [E007] Type Mismatch Error: /x/A.scala:3:5 ----`, with the message under the source excerpt.
fn scala(page: &OutputPage<'_>) -> Vec<Remark> {
    let pattern = pattern!(r"^-- (?:\[(E[0-9]+)\] )?(.*?Error): (\S+?):([0-9]+):([0-9]+) -");
    let mut remarks = Vec::new();
    for (at, line) in page.numbered().filter(|(_, line)| line.starts_with("-- ")) {
        let Some(caught) = pattern.captures(line) else { continue };
        let below = page.after(at, 8).iter().filter_map(|line| line.trim_start().strip_prefix('|')).map(str::trim);
        let words = below.into_iter().find(|line| !line.is_empty() && !line.starts_with('^')).unwrap_or_default();
        remarks.push(Remark::cause(
            at,
            SourceLocation::caught(caught.get(3), caught.get(4), caught.get(5)),
            format!("{}: {words}", &caught[2]),
        ));
    }
    remarks
}

fn clojure(page: &OutputPage<'_>) -> Vec<Remark> {
    let pattern = pattern!(r"^(.*?),? compiling:\(([^)]+?):([0-9]+):([0-9]+)\)");
    let caught = page.numbered().filter_map(|(at, line)| Some((at, pattern.captures(line)?)));
    caught
        .map(|(at, caught)| {
            Remark::cause(at, SourceLocation::caught(caught.get(2), caught.get(3), caught.get(4)), &caught[1])
        })
        .collect()
}
