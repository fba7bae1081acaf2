//! Thinking that a server leaves in the text of an answer, between `<think>` and `</think>`. Servers do so without a parser for the
//! model's thinking: vLLM and llama.cpp unless they are told, and many gateways.

use super::Delta;
use super::decode::{Sink, say};

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Separates the thinking at the beginning of an answer from its text, in pieces of any size.
#[derive(Debug, Default)]
pub(super) struct ThinkTags {
    place: TagPlace,
    /// Text of which it is not known yet where it belongs.
    held: String,
}

/// Where the next text belongs.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum TagPlace {
    /// Before the first word.
    #[default]
    Beginning,
    /// In the thinking. `has_words` tells whether any of it was passed on.
    Thinking {
        has_words: bool,
    },
    /// Behind the thinking, before the first word of the text.
    Behind,
    Text,
}

impl ThinkTags {
    /// Takes more text.
    pub(super) fn take(&mut self, text: &str, deltas: Sink<'_>) {
        match self.place {
            TagPlace::Text => say(Delta::Text, text, deltas),
            TagPlace::Beginning => {
                self.held.push_str(text);
                self.begin(deltas);
            }
            TagPlace::Thinking { .. } => {
                self.held.push_str(text);
                self.think(deltas);
            }
            TagPlace::Behind => {
                let text = text.trim_start();
                if !text.is_empty() {
                    self.place = TagPlace::Text;
                    say(Delta::Text, text, deltas);
                }
            }
        }
    }

    /// The answer is complete: passes on what was held.
    pub(super) fn end(&mut self, deltas: Sink<'_>) {
        let held = std::mem::take(&mut self.held);
        match self.place {
            TagPlace::Beginning if held.trim().is_empty() => {}
            TagPlace::Beginning => say(Delta::Text, &held, deltas),
            TagPlace::Thinking { .. } => say(Delta::Thinking, held.trim_end(), deltas),
            TagPlace::Behind | TagPlace::Text => {}
        }
        self.place = TagPlace::Text;
    }

    /// Decides how the answer begins, once that is known.
    fn begin(&mut self, deltas: Sink<'_>) {
        let words = self.held.trim_start();
        if let Some(rest) = words.strip_prefix(OPEN) {
            let rest = rest.to_owned();
            self.held.clear();
            self.place = TagPlace::Thinking { has_words: false };
            self.take(&rest, deltas);
        } else if !OPEN.starts_with(words) {
            self.place = TagPlace::Text;
            say(Delta::Text, &std::mem::take(&mut self.held), deltas);
        }
    }

    /// Passes on thinking, but no part of the tag that ends it and no blanks around it.
    fn think(&mut self, deltas: Sink<'_>) {
        let (thought, behind) = match self.held.split_once(CLOSE) {
            Some((thought, behind)) => (thought, Some(behind.to_owned())),
            None => {
                let partial = (1..CLOSE.len()).rev().find(|length| self.held.ends_with(&CLOSE[..*length]));
                (&self.held[..self.held.len() - partial.unwrap_or(0)], None)
            }
        };
        let has_words = self.place == TagPlace::Thinking { has_words: true };
        let end = thought.trim_end().len();
        let words = if has_words { &thought[..end] } else { thought[..end].trim_start() };
        say(Delta::Thinking, words, deltas);
        let said = has_words || !words.is_empty();
        match behind {
            Some(behind) => {
                self.held.clear();
                self.place = TagPlace::Behind;
                self.take(&behind, deltas);
            }
            None => {
                self.held.drain(..end);
                self.place = TagPlace::Thinking { has_words: said };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::joined;
    use super::*;

    fn read(pieces: &[&str]) -> Vec<Delta> {
        let (mut tags, mut deltas) = (ThinkTags::default(), Vec::new());
        pieces.iter().for_each(|piece| tags.take(piece, &mut |delta| deltas.push(delta)));
        tags.end(&mut |delta| deltas.push(delta));
        joined(deltas)
    }

    #[test]
    fn thinking_at_the_beginning_is_taken_out_however_it_is_cut() {
        let answer = "\n<think>\nFirst a < b.\n\nThen </thin king.\n</think>\n\nIt is <think>4</think>.";
        let expected = [
            Delta::Thinking("First a < b.\n\nThen </thin king.".to_owned()),
            Delta::Text("It is <think>4</think>.".to_owned()),
        ];
        assert_eq!(read(&[answer]), expected);
        for size in 1..20 {
            let pieces: Vec<String> =
                answer.chars().collect::<Vec<_>>().chunks(size).map(|piece| piece.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            assert_eq!(read(&pieces), expected, "{size}");
        }
    }

    #[test]
    fn other_text_is_passed_on_unchanged() {
        let text = |text: &str| vec![Delta::Text(text.to_owned())];
        assert_eq!(read(&["<", "p>x"]), text("<p>x"));
        assert_eq!(read(&["  two blanks"]), text("  two blanks"));
        assert_eq!(read(&["<thi"]), text("<thi"));
        assert_eq!(read(&["\n\n"]), []);
        assert_eq!(read(&["<think>\n\n</think>\n\nYes."]), text("Yes."));
        assert_eq!(read(&["<think>never", " ends "]), [Delta::Thinking("never ends".to_owned())]);
    }
}
