//! Data and infrastructure: terraform, YAML, JSON, TOML, SQL, nginx, apache, ansible.

use super::page::OutputPage;
use super::place::SourceLocation;
use super::{FormatReader, Remark};
use crate::reflex::rules::pattern;

pub(super) const READERS: &[FormatReader] = &[
    FormatReader { signs: &["  on "], read: terraform },
    FormatReader { signs: &[" line "], read: lines_and_columns },
    FormatReader { signs: &["LINE "], read: postgres },
    FormatReader { signs: &["[emerg]", "AH00526", "Syntax error on line"], read: web_servers },
    FormatReader { signs: &["FAILED! =>", "UNREACHABLE! =>", "Origin: "], read: ansible },
];

/// `Error: message` and `  on main.tf line 3, in resource "x" "y":` below it, sometimes in a frame of `│`.
fn terraform(page: &OutputPage<'_>) -> Vec<Remark> {
    let on = || pattern!(r"^on (\S+) line ([0-9]+)(?:,|:|$)");
    let text = |line: &'_ str| line.trim_start_matches(['│', '|', ' ', '╷']).trim().to_owned();
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        let line = text(line);
        let Some(caught) = line.strip_prefix("on ").and_then(|_| on().captures(&line)) else { continue };
        let heading = page.before(at, 8).map(text).find(|line| line.starts_with("Error"));
        let below = page
            .after(at, 12)
            .iter()
            .map(|line| text(line))
            .skip_while(|line| !line.is_empty())
            .find(|line| !line.is_empty());
        let Some(heading) = heading else { continue };
        let words = below.map_or(heading.clone(), |below| format!("{}: {below}", heading.trim_end_matches(':')));
        remarks.push(Remark::cause(at, SourceLocation::caught(caught.get(1), caught.get(2), None), words));
    }
    remarks
}

/// `in "a.yaml", line 3, column 5`, `yaml: line 3: message`, `at line 3, column 5`, `: line 3 column 5 (char 20)`.
fn lines_and_columns(page: &OutputPage<'_>) -> Vec<Remark> {
    let named = || {
        pattern!(
            r#"(?:in|to be in|File|file|at) ["']([^"']+)["'](?::|,)? line ([0-9]+)(?:,? (?:column|characters?) ([0-9]+))?"#
        )
    };
    let unnamed = || pattern!(r"(?i)\b(?:at |near )?line:? ([0-9]+)(?:,? ?(?:column|col|char):? ([0-9]+))?");
    let mut remarks = Vec::new();
    for (at, line) in page.numbered().filter(|(_, line)| line.contains("line ")) {
        if line.trim_start().starts_with("File \"") && !line.contains(", characters ") {
            continue;
        }
        if let Some(caught) = named().captures(line) {
            // OCaml prints the message below the location, YAML above it.
            let above = page.before(at, 3).find(|line| !line.trim().is_empty() && !line.contains(" line "));
            let is_heading = line.trim_start().starts_with("File \"");
            let below = page.after(at, 8).iter().map(|line| line.trim()).find(|line| line.starts_with("Error"));
            let words = if is_heading { below } else { above.map(str::trim) }.unwrap_or(line.trim());
            // The first location of a YAML error is the start of the surrounding block, the last one is the error.
            let is_context = !is_heading && page.after(at, 3).iter().any(|line| named().is_match(line));
            if is_context {
                continue;
            }
            remarks.push(Remark::cause(at, SourceLocation::caught(caught.get(1), caught.get(2), caught.get(3)), words));
        } else if says_parse(line)
            && !is_spoken_for(line)
            && let Some(caught) = unnamed().captures(line)
        {
            let number = |group: usize| caught.get(group).and_then(|found| found.as_str().parse().ok());
            let place = number(1).and_then(|row| page.input(row, number(2)));
            remarks.push(Remark::cause(at, place, line.trim()));
        }
    }
    remarks
}

/// Whether `line 3` is next to the name of its file, as shells, perl and PHP write it.
fn is_spoken_for(line: &str) -> bool {
    line.contains(" on line ") || pattern!(r"^\S+\.\w+: line [0-9]+: | at \S+ line [0-9]+").is_match(line)
}

fn says_parse(line: &str) -> bool {
    let lower = line.to_lowercase();
    ["parse", "syntax", "yaml", "json", "toml", "xml", "decode", "error", "unexpected", "expecting", "invalid"]
        .iter()
        .any(|word| lower.contains(word))
}

/// `ERROR:  message`, then `LINE 1: SELECT …` and a caret.
fn postgres(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        let Some((number, statement)) = line.strip_prefix("LINE ").and_then(|rest| rest.split_once(": ")) else {
            continue;
        };
        let heading = page.before(at, 3).find(|line| line.contains("ERROR:")).unwrap_or_default();
        let (place, words) = SourceLocation::leading(heading.trim_start_matches("psql:"))
            .map_or((None, heading.trim()), |(place, rest)| (Some(place), rest.trim()));
        let row = number.parse().ok();
        let place = place.or_else(|| row.and_then(|row| page.input(row, None)));
        remarks.push(Remark::cause(
            at.saturating_sub(1),
            place,
            format!("{words} (line {number}: {})", statement.trim()),
        ));
    }
    remarks
}

fn web_servers(page: &OutputPage<'_>) -> Vec<Remark> {
    let apache = pattern!(r"[Ss]yntax error on line ([0-9]+) of ([^\s:]+)");
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        if line.contains("[emerg]") {
            let words = line.split_once("[emerg] ").map_or(line, |(_, words)| words);
            remarks.push(Remark::cause(at, SourceLocation::within(words), words));
        } else if let Some(caught) = apache.captures(line) {
            let said = page.next_words(at).unwrap_or_default();
            remarks.push(Remark::cause(
                at,
                SourceLocation::caught(caught.get(2), caught.get(1), None),
                format!("syntax error: {said}"),
            ));
        }
    }
    remarks
}

fn ansible(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        if line.contains("FAILED! =>") || line.contains("UNREACHABLE! =>") {
            let task =
                page.before(at, 400).find(|line| line.starts_with("TASK [") || line.starts_with("RUNNING HANDLER ["));
            let task = task.map_or("", |task| task.trim_end_matches(['*', ' ']));
            let said = pattern!(r#""msg": "((?:[^"\\]|\\.)*)""#)
                .captures(line)
                .map_or_else(|| line.trim().to_owned(), |caught| caught[1].to_owned());
            remarks.push(Remark::cause(at, None, format!("{task} {said}")));
        } else if let Some((place, _)) = line.strip_prefix("Origin: ").and_then(SourceLocation::leading) {
            let said = page
                .before(at, 6)
                .find(|line| line.contains("[ERROR]") || line.starts_with("ERROR"))
                .unwrap_or_default();
            remarks.push(Remark::cause(at, Some(place), said.trim()));
        }
    }
    remarks
}
