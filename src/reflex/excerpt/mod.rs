//! Finds the lines of an output that explain a failure.
//!
//! Readers parse the error messages of compilers, interpreters, test runners and build tools. Each returns [`Remark`]s: a location, a message,
//! and how near it is to the cause. Readers are selected by the output and not by the command, because `make` runs compilers and `npm test`
//! runs anything. The remarks nearest to the cause are quoted in the form `path:line:column: message`, whatever the tool's own form is. Every
//! reader is pure and linear in the output.

mod beam;
mod build;
mod config;
mod dotnet;
mod frame;
mod general;
mod go;
mod javascript;
mod jvm;
mod located;
mod page;
mod place;
mod python;
mod runners;
mod rust;
mod scripts;

use std::cmp::Reverse;

use super::case::Case;
use crate::text;
use page::OutputPage;
use place::SourceLocation;

/// The most remarks of the same weight that are quoted.
const MOST_CAUSES: usize = 3;

/// The most failures that one reader parses, because each may search the whole output and only a few are quoted.
const MOST_READ: usize = 12;

/// The most characters of one remark.
const WORDS_CAP: usize = 300;

/// How near to the cause a remark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// A report by the caller that something failed.
    Trail,
    /// An error message that may be only a warning.
    Plain,
    /// The error itself, from the tool that found it.
    Cause,
}

/// A message in the output.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Remark {
    /// The line of the output that contains it.
    at: usize,
    weight: Weight,
    place: Option<SourceLocation>,
    words: String,
}

impl Remark {
    fn cause(at: usize, place: Option<SourceLocation>, words: impl Into<String>) -> Remark {
        Remark { at, weight: Weight::Cause, place, words: words.into() }
    }

    fn plain(at: usize, place: Option<SourceLocation>, words: impl Into<String>) -> Remark {
        Remark { at, weight: Weight::Plain, place, words: words.into() }
    }

    fn trail(at: usize, words: impl Into<String>) -> Remark {
        Remark { at, weight: Weight::Trail, place: None, words: words.into() }
    }

    fn line(&self) -> String {
        let words = self.words.trim();
        let line = match &self.place {
            Some(place) if words.contains(&place.to_string()) => words.to_owned(),
            Some(place) => format!("{place}: {words}"),
            None => words.to_owned(),
        };
        text::beginning(line.trim_end_matches([':', ' ']), WORDS_CAP).to_owned()
    }
}

/// Parses one format of error messages.
struct FormatReader {
    /// Texts of which one must be in the output.
    signs: &'static [&'static str],
    read: fn(&OutputPage<'_>) -> Vec<Remark>,
}

fn readers() -> impl Iterator<Item = &'static FormatReader> {
    [
        beam::READERS,
        build::READERS,
        config::READERS,
        dotnet::READERS,
        frame::READERS,
        go::READERS,
        javascript::READERS,
        jvm::READERS,
        located::READERS,
        python::READERS,
        runners::READERS,
        rust::READERS,
        scripts::READERS,
    ]
    .into_iter()
    .flatten()
}

/// The signs of all readers.
pub(super) fn signs() -> impl Iterator<Item = &'static str> {
    readers().flat_map(|reader| reader.signs.iter().copied())
}

/// The lines of the output that are quoted in an explanation, at most a few.
pub(super) fn lines(case: &Case<'_>) -> Vec<String> {
    let page = OutputPage::new(case);
    let is_woken = |reader: &&FormatReader| reader.signs.iter().any(|sign| case.output.shows(sign));
    let remarks: Vec<Remark> = readers().filter(is_woken).flat_map(|reader| (reader.read)(&page)).collect();
    let mut chosen = nearest(remarks);
    if chosen.iter().all(|remark| remark.weight == Weight::Trail) {
        chosen.splice(0..0, general::remarks(&page));
    }
    let mut lines: Vec<String> = Vec::new();
    for line in chosen.iter().map(Remark::line) {
        if !line.is_empty() && lines.iter().all(|known| !known.contains(&line)) {
            lines.push(line);
        }
    }
    lines
}

/// The remarks nearest to the cause in their order, and the first report of a caller.
fn nearest(mut remarks: Vec<Remark>) -> Vec<Remark> {
    remarks.sort_by_key(|remark| (Reverse(remark.weight), remark.at));
    let top = remarks.first().map_or(Weight::Trail, |remark| remark.weight);
    let mut chosen: Vec<Remark> = Vec::new();
    for remark in &remarks {
        let is_known =
            |known: &Remark| known.words == remark.words || known.place.is_some() && known.place == remark.place;
        if remark.weight == top && top != Weight::Trail && chosen.len() < MOST_CAUSES && !chosen.iter().any(is_known) {
            chosen.push(remark.clone());
        }
    }
    chosen.extend(remarks.into_iter().find(|remark| remark.weight == Weight::Trail));
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_contains_its_location_once() {
        let place = SourceLocation::leading("a.c:3:5: error: x").map(|(place, _)| place);
        assert_eq!(Remark::cause(0, place.clone(), "error: x").line(), "a.c:3:5: error: x");
        assert_eq!(Remark::cause(0, place, "in a.c:3:5").line(), "in a.c:3:5");
    }

    #[test]
    fn the_cause_is_quoted_before_the_callers_report() {
        let remarks = vec![
            Remark::trail(9, "make: *** [all] Error 2"),
            Remark::plain(1, None, "warning"),
            Remark::cause(5, None, "second"),
            Remark::cause(2, None, "first"),
            Remark::trail(8, "make[1]: *** [a.o] Error 1"),
        ];
        let words: Vec<String> = nearest(remarks).into_iter().map(|remark| remark.words).collect();
        assert_eq!(words, ["first", "second", "make[1]: *** [a.o] Error 1"]);
    }
}
