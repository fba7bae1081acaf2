//! One pass over a text for everything that announces a secret.
//!
//! Most text has no secret, so this pass decides what masking costs. All beginnings, names and commands are in one automaton; each
//! finder then looks only at its own hits.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::shape::Middle;
use super::{assign, command, key_block, pgpass, shape};

/// What a text has of the dictionary, each list in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Hits {
    /// Number of the shape, and where it begins.
    pub(super) shapes: Vec<(usize, usize)>,
    pub(super) middles: Vec<(Middle, usize)>,
    /// Words that occur in names of secrets.
    pub(super) names: Vec<Range<usize>>,
    /// Number of the command, and where its name is.
    pub(super) commands: Vec<(usize, Range<usize>)>,
    /// `://`.
    pub(super) addresses: Vec<usize>,
    /// `-----`, and other openings of keys.
    pub(super) dashes: Vec<usize>,
    /// `%` and `\\` of characters that are often encoded.
    pub(super) escapes: Vec<usize>,
    /// `echo` and `printf`.
    pub(super) pipes: Vec<usize>,
    /// `kty` in quotes.
    pub(super) web_keys: Vec<usize>,
    /// Ports of PostgreSQL between colons.
    pub(super) ports: Vec<usize>,
}

/// What an entry of the dictionary is for.
#[derive(Debug, Clone, Copy)]
enum DictionaryEntry {
    Shape(usize),
    Middle(Middle),
    Name,
    Command(usize),
    Address,
    Dashes,
    Escape,
    Pipe,
    WebKey,
    Port,
}

/// Encoded characters that stand between a name and a secret, or in a token.
const ESCAPES: &[&str] = &["%3a", "%3d", "%40", "%5f", "%2d", "%2f", "%2b", "%22", "%26", "%7b", "\\/", "\\u00"];

struct Dictionary {
    automaton: Option<AhoCorasick>,
    entries: Vec<DictionaryEntry>,
}

static DICTIONARY: LazyLock<Dictionary> = LazyLock::new(|| {
    let mut entries: Vec<(&str, DictionaryEntry)> = Vec::new();
    entries
        .extend(shape::beginnings().enumerate().map(|(number, beginning)| (beginning, DictionaryEntry::Shape(number))));
    entries.extend(shape::MIDDLES.iter().map(|(middle, kind)| (*middle, DictionaryEntry::Middle(*kind))));
    entries.extend(assign::SIGNS.iter().map(|sign| (*sign, DictionaryEntry::Name)));
    let commands: Vec<(String, usize)> = command::names().map(|(name, number)| (format!("{name} "), number)).collect();
    entries.extend(commands.iter().map(|(name, number)| (name.as_str(), DictionaryEntry::Command(*number))));
    entries.extend(key_block::OPENINGS.map(|opening| (opening, DictionaryEntry::Dashes)));
    entries.extend(pgpass::PORTS.iter().map(|port| (*port, DictionaryEntry::Port)));
    entries.extend(ESCAPES.iter().map(|escape| (*escape, DictionaryEntry::Escape)));
    entries.extend([
        ("://", DictionaryEntry::Address),
        ("-----", DictionaryEntry::Dashes),
        ("echo ", DictionaryEntry::Pipe),
        ("printf ", DictionaryEntry::Pipe),
        ("\"kty", DictionaryEntry::WebKey),
    ]);
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(entries.iter().map(|(text, _)| text))
        .ok();
    Dictionary { automaton, entries: entries.into_iter().map(|(_, entry)| entry).collect() }
});

impl Hits {
    pub(super) fn of(text: &str) -> Hits {
        let mut hits = Hits::default();
        let Dictionary { automaton, entries } = &*DICTIONARY;
        for hit in automaton.iter().flat_map(|automaton| automaton.find_overlapping_iter(text)) {
            let start = hit.start();
            match entries[hit.pattern().as_usize()] {
                DictionaryEntry::Shape(number) => hits.shapes.push((number, start)),
                DictionaryEntry::Middle(middle) => hits.middles.push((middle, start)),
                DictionaryEntry::Name => hits.names.push(hit.range()),
                DictionaryEntry::Command(number) => hits.commands.push((number, start..hit.end() - 1)),
                DictionaryEntry::Address => hits.addresses.push(start),
                DictionaryEntry::Dashes => hits.dashes.push(start),
                DictionaryEntry::Escape => hits.escapes.push(start),
                DictionaryEntry::Pipe => hits.pipes.push(start),
                DictionaryEntry::WebKey => hits.web_keys.push(start),
                DictionaryEntry::Port => hits.ports.push(start),
            }
        }
        // Hits come in the order of their ends; of two that begin together the longer is first.
        hits.shapes.sort_by_key(|(number, start)| (*start, Reverse(shape::length(*number))));
        hits.dashes.sort_unstable();
        hits.names.sort_by_key(|name| (name.start, Reverse(name.end)));
        hits.commands.sort_by_key(|(_, name)| (name.start, Reverse(name.end)));
        hits
    }
}
