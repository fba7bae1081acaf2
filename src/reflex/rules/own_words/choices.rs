//! The words that a tool lists as accepted.

use super::complaint::{Complaint, ComplaintKind};
use super::names;
use crate::reflex::case::Case;
use crate::reflex::rules::pattern;

/// Words that announce a list of accepted words, on the same line or below it.
const LISTS: &[&str] = &[
    "choose from",
    "valid choices are",
    "possible values",
    "valid values",
    "allowed values",
    "allowed formats are",
    "supported formats",
    "accepted values",
    "valid options are",
    "valid commands",
    "available commands",
    "supported commands",
    "valid subcommands",
    "available subcommands",
    "must be one of",
    "expected one of",
    "should be one of",
    "is one of",
    " may be ",
    "commands:",
    "commands are",
];

/// The most lines of a list. `aws` prints hundreds of services in two columns.
const LIST_LINES: usize = 400;

/// The listed words, or the options in the usage if an option is wrong.
pub(super) fn all(case: &Case<'_>, wrong: &Complaint) -> Vec<String> {
    let lines: Vec<&str> = case.output.ends().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let lower = line.to_ascii_lowercase();
        let Some(end) = LISTS.iter().filter_map(|list| Some(lower.find(list)? + list.len())).min() else { continue };
        let is_table = lower.trim_end().ends_with("commands:") || lower.trim_end().ends_with("commands are:");
        let rest = line.get(end..).unwrap_or_default();
        if is_table {
            let rows = lines[at + 1..].iter().take(LIST_LINES).skip_while(|row| row.is_empty());
            let rows = rows.take_while(|row| row.starts_with([' ', '\t']));
            found.extend(
                rows.filter_map(|row| row.split_whitespace().next()).map(|name| name.trim_matches([',', ':', '*'])),
            );
        } else {
            let is_closed = |text: &str| text.contains([')', ']']);
            found.extend(split(rest));
            if !is_closed(rest) {
                let more = lines[at + 1..].iter().take(LIST_LINES).skip_while(|row| row.is_empty());
                for row in more.take_while(|row| !row.is_empty()) {
                    found.extend(split(row));
                    if is_closed(row) {
                        break;
                    }
                }
            }
        }
    }
    // `usage: tool (init | list | set)`: alternatives in one line.
    let usages = lines.iter().filter(|line| line.to_ascii_lowercase().trim_start().starts_with("usage"));
    let groups =
        usages.flat_map(|line| pattern!(r"[(\[{]([a-z][\w-]*(?:\s*[|,]\s*[a-z][\w-]*)+)[)\]}]").captures_iter(line));
    found.extend(groups.filter_map(|group| group.get(1)).flat_map(|group| split(group.as_str())));
    if wrong.kind == ComplaintKind::Option {
        let option = pattern!(r"(?:^|[\s\[(|,=])--(?:\[no-\])?([A-Za-z][A-Za-z0-9-]+)");
        let named = lines.iter().flat_map(|line| option.captures_iter(line));
        found.extend(named.filter_map(|named| Some(named.get(1)?.as_str())));
    }
    found.into_iter().filter(|name| is_choice(name, wrong)).map(str::to_owned).collect()
}

fn split(list: &str) -> impl Iterator<Item = &str> {
    list.split([',', '|', ' ', '\t', '{', '}', '(', ')', '[', ']']).map(names::bare)
}

fn is_choice(name: &str, wrong: &Complaint) -> bool {
    let is_option = name.starts_with('-');
    !name.is_empty()
        && name != wrong.word.trim_start_matches("--")
        && (!is_option || wrong.kind == ComplaintKind::Option)
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c))
}
