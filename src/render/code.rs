//! Code in colours.
//!
//! The grammars take some milliseconds to load and each language some more at its first line: too long for whoever moves bytes.
//! [`load_grammars`] and [`warm`] do it on a thread that has nothing better to do; until they are loaded code is plain.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::look::Look;

use super::line::StyledLine;

/// A longer line is data, and its grammar could take for ever.
const LONGEST: usize = 2000;

static GRAMMARS: OnceLock<SyntaxSet> = OnceLock::new();

/// Loads the grammars, without any language.
pub(crate) fn load_grammars() {
    GRAMMARS.get_or_init(two_face::syntax::extra_newlines);
}

/// Loads the grammars and prepares a language, so that its first code costs nothing.
pub(crate) fn warm(language: &str) {
    load_grammars();
    if let Some(mut highlighter) = Highlighter::new(language) {
        highlighter.line("let x = \"a\"; // (1)\n");
    }
}

/// Colours one code block, line by line.
pub(super) struct Highlighter {
    grammars: &'static SyntaxSet,
    state: ParseState,
    scopes: ScopeStack,
    looks: HashMap<Scope, Option<Look>>,
}

impl Highlighter {
    /// None for a language nobody has described, and as long as the grammars are not there.
    pub(super) fn new(language: &str) -> Option<Highlighter> {
        if language.is_empty() {
            return None;
        }
        let name = match language.to_ascii_lowercase().as_str() {
            "console" | "shell-session" | "text" | "plain" | "txt" => return None,
            "shell" | "zsh" => "bash".to_owned(),
            "jsonc" | "json5" => "json".to_owned(),
            // The grammars of TypeScript take 75 MB and most of a second; the one of JavaScript knows nearly all of its words.
            "jsx" | "ts" | "tsx" | "mts" | "cts" | "typescript" | "typescriptreact" => "js".to_owned(),
            other => other.to_owned(),
        };
        let grammars = GRAMMARS.get()?;
        let syntax = grammars.find_syntax_by_token(&name)?;
        Some(Highlighter { grammars, state: ParseState::new(syntax), scopes: ScopeStack::new(), looks: HashMap::new() })
    }

    /// Colours a complete line, given without its newline.
    pub(super) fn line(&mut self, text: &str) -> StyledLine {
        let mut line = StyledLine::new();
        for (look, range) in self.pieces(text) {
            line.push(look, &text[range]);
        }
        line
    }

    /// The looks of a complete line, given without its newline, piece by piece.
    pub(super) fn pieces(&mut self, text: &str) -> Vec<(Look, Range<usize>)> {
        let plain = || vec![(Look::PLAIN, 0..text.len())];
        if text.len() > LONGEST {
            return plain();
        }
        let Ok(changes) = self.state.parse_line(&format!("{text}\n"), self.grammars) else { return plain() };
        let mut pieces = Vec::new();
        let mut from = 0;
        for (at, change) in changes {
            let at = at.min(text.len());
            if at > from && text.is_char_boundary(at) {
                pieces.push((self.look(), from..at));
                from = at;
            }
            if self.scopes.apply(&change).is_err() {
                break;
            }
        }
        pieces.push((self.look(), from..text.len()));
        pieces
    }

    fn look(&mut self) -> Look {
        let looks = &mut self.looks;
        let mut look = |scope: &Scope| *looks.entry(*scope).or_insert_with(|| Look::of_scope(&scope.build_string()));
        self.scopes.as_slice().iter().rev().find_map(&mut look).unwrap_or_default()
    }
}
