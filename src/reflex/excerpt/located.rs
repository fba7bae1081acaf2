//! `path:line:column: message`, the form that most compilers share, and `path(line,column): message`.

use super::page::OutputPage;
use super::place::SourceLocation;
use super::{FormatReader, Remark};

pub(super) const READERS: &[FormatReader] = &[FormatReader { signs: &[":", "("], read }];

/// Prefixes that tools print in front of a location.
const BEFORE: &[&str] = &[
    "lua: ", "luajit: ", "luac: ", "lua5.4: ", "lua5.3: ", "lua5.1: ", "e: ", "ERROR: ", "Error: ", "error: ", "vet: ",
    "psql:", "[ERROR] ", "✘ ", "sh: ", "ruby: ",
];

/// Words that start a remark that is not an error.
const HARMLESS: &[&str] = &[
    "warning",
    "note",
    "info",
    "remark",
    "hint",
    "help",
    "style",
    "refactor",
    "convention",
    "required from",
    "in function",
    "in member function",
    "debug",
    "required by",
    "candidate",
    "from ",
    "recipe for target",
    "in constructor",
    "at top level",
    "deprecation",
    "checking",
    "ok",
    "passed",
];

const SEVERE: &[&str] = &[
    "error",
    "fatal",
    "syntax error",
    "critical",
    "parse error",
    "*** ",
    "e:",
    "[emerg]",
    "undefined reference",
    "[error",
];

fn read(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        // An indented line is a numbered source line, a stack frame or an item of a list, but not a message.
        if line.len() - line.trim_start().len() > 4 {
            continue;
        }
        let mut text = line.trim_start();
        while let Some(rest) = BEFORE.iter().find_map(|before| text.strip_prefix(before)) {
            text = rest.trim_start();
        }
        let Some((place, rest)) = SourceLocation::leading(text) else { continue };
        let words = rest.trim_start_matches(['-', ' ']);
        let lower = words.get(..24).unwrap_or(words).to_lowercase();
        if HARMLESS.iter().any(|word| lower.starts_with(word))
            || words.is_empty() && place.column.is_none()
            || place.is_foreign() && lower.starts_with("in ")
        {
            continue;
        }
        let is_severe = SEVERE.iter().any(|word| lower.starts_with(word)) || is_uncaught(words) || has_code(words);
        let words = with_following(page, at, words);
        if words.is_empty() {
            continue;
        }
        remarks.push(if is_severe {
            Remark::cause(at, Some(place), words)
        } else {
            Remark::plain(at, Some(place), words)
        });
    }
    remarks
}

/// ruby: ``in `f': undefined method (NoMethodError)``.
fn is_uncaught(words: &str) -> bool {
    words.starts_with("in ") && words.contains(": ") && words.ends_with(')')
}

/// Linters: errors such as `E999 SyntaxError` and `F821 undefined name`, but not remarks about style.
fn has_code(words: &str) -> bool {
    let code = words.split([' ', ':']).next().unwrap_or_default();
    (code.starts_with("E9") || code.starts_with('F')) && code.len() > 2 && code[1..].bytes().all(|c| c.is_ascii_digit())
}

/// GHC and others print the message on the lines that follow.
fn with_following(page: &OutputPage<'_>, at: usize, words: &str) -> String {
    let said = words.trim_end_matches(':');
    let is_heading = said.eq_ignore_ascii_case("error")
        || said.starts_with("error: [GHC-") && said.ends_with(']')
        || said.is_empty();
    match page.next_words(at).filter(|_| is_heading) {
        Some(next) => format!("{words} {}", next.trim_start_matches(['•', '*', ' '])).trim().to_owned(),
        None => words.to_owned(),
    }
}
