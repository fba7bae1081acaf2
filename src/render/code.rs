//! Syntax highlighting.
//!
//! Loading the grammars takes some milliseconds, and the first line of each language some more. That is too long for the session's loop,
//! so [`load_grammars`] and [`warm`] are called on another thread. Until the grammars are loaded, code is not coloured.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::look::{Look, TextRole};

use super::line::StyledLine;

/// Longer lines are not coloured: they are usually data, and a grammar can take very long on them.
const LONGEST: usize = 2000;

static GRAMMARS: OnceLock<SyntaxSet> = OnceLock::new();

/// Loads the grammars without compiling any language.
pub(crate) fn load_grammars() {
    GRAMMARS.get_or_init(two_face::syntax::extra_newlines);
}

/// Loads the grammars and compiles a language, so that its first line is coloured without delay.
pub(crate) fn warm(language: &str) {
    load_grammars();
    if let Some(mut highlighter) = Highlighter::new(language) {
        highlighter.line("let x = \"a\"; // (1)\n");
    }
}

/// The lines of a code block in parts, each with the name of its role in themes, if it has one. Loads the grammars.
pub(crate) fn highlighted(language: &str, code: &str) -> Vec<Vec<(Option<&'static str>, String)>> {
    load_grammars();
    let mut highlighter = Highlighter::new(language);
    let parts = |line: &str| {
        let pieces = match &mut highlighter {
            Some(highlighter) => highlighter.pieces(line),
            None => vec![(Look::PLAIN, 0..line.len())],
        };
        pieces.into_iter().map(|(look, range)| (look.role.map(TextRole::name), line[range].to_owned())).collect()
    };
    code.lines().map(parts).collect()
}

/// Colours a code block line by line.
pub(super) struct Highlighter {
    grammars: &'static SyntaxSet,
    state: ParseState,
    scopes: ScopeStack,
    looks: HashMap<Scope, Option<Look>>,
}

impl Highlighter {
    /// Returns `None` for an unknown language, and while the grammars are not loaded.
    pub(super) fn new(language: &str) -> Option<Highlighter> {
        if language.is_empty() {
            return None;
        }
        let name = match language.to_ascii_lowercase().as_str() {
            "console" | "shell-session" | "text" | "plain" | "txt" => return None,
            "shell" | "zsh" => "bash".to_owned(),
            "jsonc" | "json5" => "json".to_owned(),
            // The TypeScript grammars take 75 MB and most of a second. The JavaScript grammar covers nearly all of the syntax.
            "jsx" | "ts" | "tsx" | "mts" | "cts" | "typescript" | "typescriptreact" => "js".to_owned(),
            other => other.to_owned(),
        };
        let grammars = GRAMMARS.get()?;
        let syntax = grammars.find_syntax_by_token(&name)?;
        Some(Highlighter { grammars, state: ParseState::new(syntax), scopes: ScopeStack::new(), looks: HashMap::new() })
    }

    /// Colours a complete line. `text` has no newline.
    pub(super) fn line(&mut self, text: &str) -> StyledLine {
        let mut line = StyledLine::new();
        for (look, range) in self.pieces(text) {
            line.push(look, &text[range]);
        }
        line
    }

    /// The looks of the parts of a complete line. `text` has no newline.
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
