//! Errors drawn with a frame around the source: rustc, ruff, miette, codespan, elixir.

use super::page::OutputPage;
use super::place::SourceLocation;
use super::{FormatReader, Remark};

pub(super) const READERS: &[FormatReader] =
    &[FormatReader { signs: &["--> ", "╭─", ",-[", "┌─ ", "└─ "], read }];

const ARROWS: &[&str] = &["--> ", "╭─▶ ", "╭─[", ",-[", "┌─ ", "└─ "];

/// The most lines between the message and the frame below it. The foot of another frame is further away.
const NEAR: usize = 3;
const FAR: usize = 14;

fn read(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        let text = line.trim_start_matches(|c: char| c.is_whitespace() || c == '│' || c == '|');
        let Some((arrow, rest)) = ARROWS.iter().find_map(|arrow| Some((arrow, text.strip_prefix(arrow)?))) else {
            continue;
        };
        let Some((place, _)) = SourceLocation::leading(rest) else { continue };
        let reach = if *arrow == "└─ " { FAR } else { NEAR };
        let heading = page.before(at, reach).find(|line| is_heading(line, reach == NEAR));
        let Some(heading) = heading.map(|heading| heading.trim_start_matches(['×', '✖', '⚠', ' ', '│'])) else {
            continue;
        };
        if is_harmless(heading) {
            continue;
        }
        remarks.push(Remark::cause(at, Some(place), heading));
    }
    remarks
}

/// Whether a line above a frame is its message. The line directly above is, unless it is source code.
fn is_heading(line: &str, is_near: bool) -> bool {
    let text = line.trim();
    let starts = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    let is_source = text.starts_with(|c: char| c.is_ascii_digit() || "|│=^.".contains(c)) || starts(&["--> ", "::: "]);
    starts(&["error", "warning", "Error", "note:", "** ("]) || is_near && !text.is_empty() && !is_source
}

fn is_harmless(heading: &str) -> bool {
    ["warning", "note", "help", "advice", "info"].iter().any(|word| heading.starts_with(word))
}
