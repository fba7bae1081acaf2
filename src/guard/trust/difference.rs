//! What has changed in a `.shellmate` directory since it was trusted.

use std::collections::{BTreeMap, BTreeSet};

use similar::{ChangeTag, TextDiff};

use super::files::{ProjectFile, ProjectFiles};
use super::store::TrustedFile;
use crate::text;

/// The most lines that are shown.
const MOST: usize = 40;
/// The most bytes of a line.
const WIDEST: usize = 160;

/// The changes as lines for the person: each changed file, and below it the lines that were removed and added.
pub(super) fn lines(before: &BTreeMap<String, TrustedFile>, project: &ProjectFiles) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(project.files.keys()).collect();
    let mut lines: Vec<String> =
        names.into_iter().flat_map(|name| of_file(name, before.get(name), project.files.get(name))).collect();
    if lines.len() > MOST {
        let more = lines.len() - (MOST - 1);
        lines.truncate(MOST - 1);
        lines.push(format!("… and {more} more lines"));
    }
    lines
}

fn of_file(name: &str, before: Option<&TrustedFile>, after: Option<&ProjectFile>) -> Vec<String> {
    let name = shown(name);
    let (what, old, new) = match (before, after) {
        (Some(before), Some(after)) if before.hash == after.hash() && before.is_executable == after.is_executable => {
            return Vec::new();
        }
        (Some(before), Some(after)) if before.hash == after.hash() => {
            return vec![match after.is_executable {
                true => format!("{name}: became executable"),
                false => format!("{name}: is no longer executable"),
            }];
        }
        (Some(before), Some(after)) => ("changed", before.text.as_deref(), after.text()),
        (None, Some(after)) => ("new", Some(""), after.text()),
        (Some(before), None) => ("removed", before.text.as_deref(), Some("")),
        (None, None) => return Vec::new(),
    };
    let mut lines = vec![format!("{name}: {what}")];
    if let (Some(old), Some(new)) = (old, new)
        && what != "removed"
    {
        let diff = TextDiff::from_lines(old, new);
        lines.extend(diff.iter_all_changes().filter_map(|change| {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => return None,
            };
            Some(format!("  {sign} {}", shown(change.value().trim_end())))
        }));
    }
    lines
}

/// Text of a stranger as one bounded line.
fn shown(line: &str) -> String {
    let line = text::sanitize(line).replace(['\n', '\t'], " ");
    match text::beginning(&line, WIDEST) {
        whole if whole.len() == line.len() => line,
        cut => format!("{cut}…"),
    }
}
