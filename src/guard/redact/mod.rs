//! Secrets out of what a model gets to read.
//!
//! A secret is known by its shape (a vendor's token, a private key), by what stands before it (`password=`, `Authorization:`,
//! `--token`, `user:…@`), or because a variable with a telling name holds it. It is replaced by a placeholder that says what kind
//! it was and which one, so that a model can still reason: `[masked: GitHub token #1]`. Masking what is masked changes nothing.
//! Pure and linear: every finder looks at a byte a bounded number of times. In doubt what is ordinary (hashes, checksums, code)
//! stays, for a model can't work with what it can't read.

mod address;
mod assign;
mod command;
mod dictionary;
mod draft;
mod encoded;
mod extent;
mod found;
mod jwk;
mod key_block;
mod key_lines;
mod literal;
mod name;
mod pgpass;
mod placeholder;
mod reader;
mod shape;
mod table;
#[cfg(test)]
mod tests;
mod value;

use std::collections::HashMap;
use std::ffi::OsString;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use regex::Regex;

use dictionary::Hits;
use draft::MaskedDraft;
use found::{Found, merged};
use literal::Literals;

pub(crate) use reader::MaskedReader;

/// Secrets that get a number of their own; more of them are still masked.
const MOST_NUMBERED: usize = 10_000;
/// How often a text is searched.
const ROUNDS: usize = 4;

/// What the person wishes masked beyond what we know, and what not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Masking {
    /// What matches is a secret: its first group, or all of it where it has none.
    pub patterns: Vec<Regex>,
    /// A secret that matches, or whose variable's name does, is none.
    pub exempt: Vec<Regex>,
}

/// Masks text after text; the same secret always has the same placeholder, in a clone too.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    masking: Masking,
    known: Arc<Mutex<Known>>,
}

/// What becomes of the line breaks inside a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineBreaks {
    Kept,
    Joined,
}

/// The secrets met so far.
#[derive(Debug, Default)]
struct Known {
    literals: Literals,
    /// What each secret was replaced by.
    placeholders: HashMap<String, String>,
    counts: HashMap<String, usize>,
}

impl Redactor {
    pub(crate) fn new(masking: Masking) -> Redactor {
        Redactor { masking, ..Redactor::default() }
    }

    /// Masks by other settings from here on. The placeholders given so far stay.
    pub(crate) fn set_masking(&mut self, masking: Masking) {
        self.masking = masking;
    }

    /// Takes note of the shell's variables: the values of those whose names look secret are masked wherever they occur.
    pub(crate) fn learn(&self, environment: &[(OsString, OsString)]) {
        let masking = &self.masking;
        self.known().literals.learn(environment, |name, value| masking.exempts(name) || masking.exempts(value));
    }

    /// Masks this value wherever it occurs, from now on and whatever the configuration exempts: for secrets of the session itself.
    /// `kind` is put into the placeholder, so it has to be one or a few words of letters, such as `session nonce`.
    pub(crate) fn learn_secret(&self, kind: &'static str, value: &str) {
        self.known().literals.tell(kind, value);
    }

    /// The text without its secrets, each line where it was: a secret of many lines leaves empty ones.
    pub(crate) fn mask_in_place(&self, text: &str) -> String {
        self.written(text, 0..text.len(), &self.spans(text), LineBreaks::Kept)
    }

    /// The text without its secrets.
    pub fn mask(&self, text: &str) -> String {
        self.written(text, 0..text.len(), &self.spans(text), LineBreaks::Joined)
    }

    /// Where the secrets of this text are, in order and apart from each other.
    pub(crate) fn secret_ranges(&self, text: &str) -> Vec<Range<usize>> {
        self.spans(text).into_iter().map(|one| one.range).collect()
    }

    /// Everything secret. A placeholder beside other text may make that text look different, so the text is searched again with
    /// placeholders in it, until nothing more is found.
    fn spans(&self, text: &str) -> Vec<Found> {
        let mut found = self.find(text);
        for _ in 1..ROUNDS {
            if found.is_empty() {
                break;
            }
            let draft = MaskedDraft::new(text, &found);
            let more = self.find(&draft.text);
            if more.is_empty() {
                break;
            }
            let more = more.into_iter().map(|one| Found { range: draft.original(one.range), kind: one.kind });
            found = merged(more.chain(found).collect(), &[]);
        }
        found
    }

    /// A placeholder of ours in this text, if there is one.
    pub(crate) fn placeholder_in(&self, text: &str) -> Option<String> {
        let spans = placeholder::spans(text);
        let words = spans.into_iter().map(|span| &text[span]);
        // Others may write about masked things; only what we put in a secret's place stands for one.
        let known = self.known();
        words.into_iter().find(|words| known.placeholders.values().any(|ours| ours == words)).map(str::to_owned)
    }

    /// The text with secrets in place of our placeholders, and the names of the secrets. `None` if one of them is a secret of the
    /// session itself, which is not the person's.
    pub(crate) fn restored(&self, text: &str) -> Option<(String, Vec<String>)> {
        let known = self.known();
        let (mut restored, mut names, mut from) = (String::with_capacity(text.len()), Vec::new(), 0);
        for span in placeholder::spans(text) {
            let words = &text[span.clone()];
            let Some((secret, _)) = known.placeholders.iter().find(|(_, ours)| *ours == words) else { continue };
            if known.literals.was_told(secret) {
                return None;
            }
            restored.push_str(&text[from..span.start]);
            restored.push_str(secret);
            names.push(placeholder::name(words).to_owned());
            from = span.end;
        }
        restored.push_str(&text[from..]);
        Some((restored, names))
    }

    /// Everything secret in the text, in order and apart from each other.
    fn find(&self, text: &str) -> Vec<Found> {
        let mut found = Vec::new();
        self.known().literals.find(text, &mut found);
        self.masking.find(text, &mut found);
        find_known(text, &mut found);
        encoded::find(text, &mut found);
        if found.is_empty() {
            return found;
        }
        let mut found = merged(found, &placeholder::spans(text));
        found.retain(|one| {
            let secret = &text[one.range.clone()];
            !self.masking.exempts(secret) || self.known().literals.was_told(secret)
        });
        found
    }

    /// One part of the text with its secrets replaced. A secret that began before the part has had its placeholder already.
    fn written(&self, text: &str, part: Range<usize>, found: &[Found], lines: LineBreaks) -> String {
        let mut known = self.known();
        let mut masked = String::with_capacity(part.len());
        let mut from = part.start;
        for Found { range, kind } in found.iter().filter(|one| one.range.end > part.start && one.range.start < part.end)
        {
            if range.start >= part.start {
                masked.push_str(&text[from..range.start]);
                masked.push_str(&known.placeholder(&text[range.clone()], kind));
            }
            from = range.end.min(part.end);
            if lines == LineBreaks::Kept {
                let secret = &text.as_bytes()[range.start.max(part.start)..from];
                masked.extend(memchr::memchr_iter(b'\n', secret).map(|_| '\n'));
            }
        }
        masked.push_str(&text[from..part.end]);
        masked
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Everything that is known by its shape or its surroundings; base64 is not looked into.
fn find_known(text: &str, found: &mut Vec<Found>) {
    let hits = Hits::of(text);
    find_hits(text, &hits, found);
    encoded::find_escaped(text, &hits, found);
}

fn find_hits(text: &str, hits: &Hits, found: &mut Vec<Found>) {
    key_block::find(text, hits, found);
    shape::find(text, hits, found);
    address::find(text, hits, found);
    command::find(text, hits, found);
    assign::find(text, hits, found);
    table::find(text, hits, found);
    jwk::find(text, hits, found);
    pgpass::find(text, hits, found);
}

impl Known {
    fn placeholder(&mut self, secret: &str, kind: &str) -> String {
        if let Some(placeholder) = self.placeholders.get(secret) {
            return placeholder.clone();
        }
        if self.placeholders.len() >= MOST_NUMBERED {
            return placeholder::write(kind, None);
        }
        let count = self.counts.entry(kind.to_owned()).or_default();
        *count += 1;
        let placeholder = placeholder::write(kind, Some(*count));
        self.placeholders.insert(secret.to_owned(), placeholder.clone());
        placeholder
    }
}

impl Masking {
    fn exempts(&self, text: &str) -> bool {
        self.exempt.iter().any(|pattern| pattern.is_match(text))
    }

    fn find(&self, text: &str, found: &mut Vec<Found>) {
        for pattern in &self.patterns {
            for groups in pattern.captures_iter(text) {
                if let Some(secret) = groups.get(1).or(groups.get(0)).filter(|secret| !secret.is_empty()) {
                    found.push(Found::new(secret.range(), "secret"));
                }
            }
        }
    }
}
