//! Prepares syntax colours. The grammars are loaded while the first answer is awaited, which is cheap. A language is prepared
//! when its first block of code starts, because that takes time and memory that most answers do not need.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::Path;

use crate::chat::{Event, ToolKind};
use crate::render::CodeColours;
use crate::text;

/// A line that opens a block of code is shorter than this.
const LINE_CAP: usize = 80;
/// The most languages that are prepared in one session.
const MOST: usize = 32;

/// Notices the start of a block of code in an answer.
#[derive(Default)]
pub(crate) struct Grammars {
    /// The last line of the answer so far, or its start.
    line: String,
    met: HashSet<String>,
    are_loading: bool,
}

impl Grammars {
    /// A query was asked.
    pub(super) fn expect(&mut self, colours: &CodeColours) {
        if !std::mem::replace(&mut self.are_loading, true) {
            let colours = colours.clone();
            aside(move || colours.load());
        }
    }

    /// Handles an event. A new language is prepared on a thread of its own.
    pub(super) fn hear(&mut self, event: &Event, colours: &CodeColours) {
        for language in self.languages(event) {
            let colours = colours.clone();
            aside(move || colours.warm(&language));
        }
    }

    /// The new languages of an event: of a block of code that starts, or of a file that is read and may be changed next.
    pub(crate) fn languages(&mut self, event: &Event) -> Vec<String> {
        let mut met = Vec::new();
        if let Event::Text(piece) = event {
            met = self.read(piece);
        }
        if let Event::CallStarted { kind: ToolKind::Read, title, .. } = event {
            met.extend(Path::new(title).extension().and_then(OsStr::to_str).map(str::to_owned));
        }
        met.retain(|language| self.met.len() < MOST && self.met.insert(language.clone()));
        met
    }

    fn read(&mut self, piece: &str) -> Vec<String> {
        let mut opened = Vec::new();
        for part in piece.split_inclusive('\n') {
            let room = LINE_CAP.saturating_sub(self.line.len());
            self.line.push_str(text::beginning(part.trim_end_matches('\n'), room));
            if part.ends_with('\n') {
                opened.extend(language(&std::mem::take(&mut self.line)).map(str::to_owned));
            }
        }
        opened
    }
}

/// Runs `prepare` on a new thread. If no thread can be started, code has no colours.
fn aside(prepare: impl FnOnce() + Send + 'static) {
    let _ = std::thread::Builder::new().name("grammars".into()).spawn(prepare);
}

/// The language that a line opens a block of code in.
fn language(line: &str) -> Option<&str> {
    let line = line.trim_start_matches([' ', '>', '-', '*']);
    let info = line.strip_prefix("```").or_else(|| line.strip_prefix("~~~"))?;
    info.trim_start_matches(['`', '~']).split([' ', ',', '{']).next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_names_its_language() {
        assert_eq!(language("```rust"), Some("rust"));
        assert_eq!(language("  > ~~~~ python"), None);
        assert_eq!(language("- ```sh {x}"), Some("sh"));
        assert_eq!(language("text ```rust"), None);
        assert_eq!(language("```"), None);
    }

    #[test]
    fn the_language_is_found_wherever_the_text_is_cut() {
        let mut grammars = Grammars::default();
        let mut met = Vec::new();
        for piece in ["Look:\n", "``", "`no", "ne\nfn\n```none\n"] {
            met.extend(grammars.languages(&Event::Text(piece.to_owned())));
        }
        assert_eq!(met, ["none"]);
        grammars.read(&"x".repeat(1_000));
        assert!(grammars.line.len() <= LINE_CAP);
    }
}
