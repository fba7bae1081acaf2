//! Explains why a text was not found, with the nearest lines of the file.

use std::collections::HashSet;

use crate::text::KIB;
use crate::tool::result;

/// The most lines of the file that are shown, and the most bytes.
const SHOWN: usize = 20;
const SHOWN_BYTES: usize = 4 * KIB;

/// The most lines that are compared, and the longest line that is compared by edit distance.
const COMPARED: usize = 20_000;
const COMPARED_LENGTH: usize = 400;

/// A normalisation of lines that ignores one kind of difference.
struct Forgiving {
    difference: &'static str,
    key: fn(&str) -> String,
}

/// Ordered from the smallest difference to the largest.
const WAYS: &[Forgiving] = &[
    Forgiving { difference: "in line endings", key: |line| line.trim_end_matches('\r').to_owned() },
    Forgiving { difference: "in whitespace at line ends", key: |line| line.trim_end().to_owned() },
    Forgiving { difference: "in indentation", key: |line| line.trim().to_owned() },
    Forgiving { difference: "in whitespace", key: spaces },
    Forgiving { difference: "in quotes or dashes", key: |line| typewritten(line.trim_end()) },
    Forgiving { difference: "in upper and lower case", key: |line| line.trim_end().to_lowercase() },
    Forgiving { difference: "in whitespace and quotes", key: |line| spaces(&typewritten(line)) },
];

/// Describes the lines of a masked text that are nearest to `old`.
pub(super) fn explain(text: &str, old: &str) -> String {
    if let Some(without) = without_line_numbers(old)
        && text.contains(&without)
    {
        return "It is there without the line numbers that read_file shows".to_owned();
    }
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = old.lines().collect();
    for way in WAYS {
        if let Some(at) = find(&lines, &wanted, way.key) {
            let shown = numbered(&lines, at, wanted.len());
            return format!("The nearest differs {}:{shown}", way.difference);
        }
    }
    match nearest(&lines, &wanted) {
        Some(at) => format!("The nearest is:{}", numbered(&lines, at, wanted.len())),
        None => "Nothing there is like it; read the file again".to_owned(),
    }
}

/// The index of the wanted lines, compared after `key` is applied. The first and the last wanted line may be parts of lines.
fn find(lines: &[&str], wanted: &[&str], key: fn(&str) -> String) -> Option<usize> {
    let keys: Vec<String> = lines.iter().map(|line| key(line)).collect();
    let wanted: Vec<String> = wanted.iter().map(|line| key(line)).collect();
    if wanted.iter().all(|line| line.is_empty()) {
        return None;
    }
    keys.windows(wanted.len()).position(|window| match (&wanted[..], window) {
        ([only], [line]) => line.contains(only.as_str()),
        ([first, between @ .., last], [top, middle @ .., bottom]) => {
            top.ends_with(first.as_str()) && middle == between && bottom.starts_with(last.as_str())
        }
        _ => false,
    })
}

/// The index of the place with most of the wanted lines, or of a line similar to the longest of them.
fn nearest(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let present: HashSet<String> = wanted.iter().map(|line| spaces(line)).filter(|line| line.len() > 3).collect();
    let hits: Vec<usize> = lines.iter().map(|line| usize::from(present.contains(&spaces(line)))).collect();
    let size = wanted.len().min(lines.len()).max(1);
    let best = hits.windows(size).map(|window| window.iter().sum::<usize>()).enumerate();
    let best = best.max_by_key(|(at, hits)| (*hits, std::cmp::Reverse(*at)));
    if let Some((at, 1..)) = best {
        // Begins at the first line that is present, minus the wanted lines that precede it.
        let first = (at..at + size).find(|line| hits[*line] > 0).unwrap_or(at);
        let before = wanted.iter().position(|line| spaces(line) == spaces(lines[first])).unwrap_or(0);
        return Some(first.saturating_sub(before));
    }
    let (index, longest) = wanted.iter().enumerate().max_by_key(|(_, line)| line.trim().len())?;
    let candidates = lines.iter().take(COMPARED).map(|line| line.trim());
    let candidates: Vec<&str> = candidates.filter(|line| !line.is_empty() && line.len() <= COMPARED_LENGTH).collect();
    let close = similar::get_close_matches(longest.trim(), &candidates, 1, 0.6).into_iter().next()?;
    let at = lines.iter().position(|line| line.trim() == close)?;
    Some(at.saturating_sub(index))
}

fn numbered(lines: &[&str], at: usize, count: usize) -> String {
    let mut shown = String::new();
    for (index, line) in lines.iter().enumerate().skip(at).take(count.clamp(1, SHOWN)) {
        let line = format!("\n{}\t{}", index + 1, result::line(line));
        if shown.len() + line.len() > SHOWN_BYTES {
            break;
        }
        shown.push_str(&line);
    }
    shown
}

/// The text without the number and the tab at the start of each line, if all lines have them.
fn without_line_numbers(old: &str) -> Option<String> {
    let stripped: Option<Vec<&str>> = old
        .lines()
        .map(|line| {
            let (number, rest) = line.split_once('\t')?;
            let number = number.trim_start();
            (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
        })
        .collect();
    stripped.map(|lines| lines.join("\n"))
}

/// The line with each run of whitespace replaced by one blank.
fn spaces(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The line with typographic quotes, dashes and blanks replaced by ASCII.
fn typewritten(line: &str) -> String {
    let plain = |letter| match letter {
        '‘' | '’' | '‚' | '′' => '\'',
        '“' | '”' | '„' | '″' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '−' => '-',
        '\u{A0}' | '\u{202F}' => ' ',
        other => other,
    };
    line.chars().map(plain).collect()
}
