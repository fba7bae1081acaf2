//! Elixir: compile errors, exceptions, failing tests.

use super::page::OutputPage;
use super::place::SourceLocation;
use super::{FormatReader, Remark};
use crate::reflex::rules::pattern;

pub(super) const READERS: &[FormatReader] = &[FormatReader { signs: &["** ("], read: exceptions }];

/// Applications of the language itself; their frames are not the user's code.
const OTHERS: &[&str] =
    &["elixir", "stdlib", "mix", "kernel", "ex_unit", "iex", "logger", "ecto", "plug", "phoenix", "jason"];

fn exceptions(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        let Some((_, rest)) = line.split_once("** (").filter(|_| line.trim_start().starts_with("** (")) else {
            continue;
        };
        let Some((class, words)) = rest.split_once(')') else { continue };
        if class == "Mix" || class == "exit" {
            remarks.push(Remark::cause(at, None, words.trim()));
            continue;
        }
        let words = words.trim();
        // The location is at the start of the message, or in the first frame of the user's own code below it.
        if let Some((place, said)) = SourceLocation::leading(words) {
            remarks.push(Remark::cause(at, Some(place), format!("({class}) {said}")));
            continue;
        }
        let own = page.after(at, 20).iter().find_map(|line| {
            let caught = pattern!(r"^\s+(?:\(([a-z_]+) [0-9][^)]*\) )?([\w./-]+\.exs?):([0-9]+)").captures(line)?;
            let is_own = caught.get(1).is_none_or(|name| !OTHERS.contains(&name.as_str()));
            SourceLocation::caught(caught.get(2), caught.get(3), None).filter(|_| is_own)
        });
        remarks.push(Remark::cause(at, own, format!("({class}) {words}")));
    }
    remarks
}
