//! Elixir: compile errors, exceptions, failing tests.

use super::page::Page;
use super::place::Place;
use super::{Reader, Remark};
use crate::reflex::rules::pattern;

pub(super) const READERS: &[Reader] = &[Reader { signs: &["** ("], read: exceptions }];

fn exceptions(page: &Page<'_>) -> Vec<Remark> {
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
        // The place is at the head of the words, or the first frame of the user's own code below them.
        if let Some((place, said)) = Place::leading(words) {
            remarks.push(Remark::cause(at, Some(place), format!("({class}) {said}")));
            continue;
        }
        let own = page.after(at, 20).iter().find_map(|line| {
            let caught = pattern!(r"^\s+(?:\([^)]*\) )?((?:lib|test|apps|web)/\S+?\.exs?|[\w./-]+\.exs?):([0-9]+)")
                .captures(line)?;
            Place::caught(caught.get(1), caught.get(2), None)
        });
        remarks.push(Remark::cause(at, own, format!("({class}) {words}")));
    }
    remarks
}
