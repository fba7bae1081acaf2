//! Code in colours.
//!
//! The grammars take some milliseconds to load and each language some more at its first line, so both are left until needed;
//! [`warm`] does it ahead of time, on a thread that has nothing better to do.

use std::collections::HashMap;
use std::sync::OnceLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use crate::text::style::Style;

use super::line::Line;
use super::theme;

/// A longer line is data, and its grammar could take for ever.
const LONGEST: usize = 2000;

static GRAMMARS: OnceLock<SyntaxSet> = OnceLock::new();

fn grammars() -> &'static SyntaxSet {
    GRAMMARS.get_or_init(two_face::syntax::extra_newlines)
}

/// Loads the grammars and prepares the languages that are met most, so that the first code block costs nothing.
pub fn warm() {
    for (language, sample) in
        [("bash", "ls | x\n"), ("rust", "fn a() {}\n"), ("python", "def a(): 1\n"), ("json", "{}\n")]
    {
        if let Some(mut highlighter) = Highlighter::new(language) {
            highlighter.line(sample);
        }
    }
}

/// Colours one code block, line by line.
pub(super) struct Highlighter {
    state: ParseState,
    scopes: ScopeStack,
    looks: HashMap<Scope, Option<Style>>,
}

impl Highlighter {
    /// None for a language nobody has described.
    pub(super) fn new(language: &str) -> Option<Highlighter> {
        if language.is_empty() {
            return None;
        }
        let name = match language.to_ascii_lowercase().as_str() {
            "console" | "shell-session" | "text" | "plain" | "txt" => return None,
            "shell" | "zsh" => "bash".to_owned(),
            "jsonc" | "json5" => "json".to_owned(),
            "jsx" => "js".to_owned(),
            other => other.to_owned(),
        };
        let syntax = grammars().find_syntax_by_token(&name)?;
        Some(Highlighter { state: ParseState::new(syntax), scopes: ScopeStack::new(), looks: HashMap::new() })
    }

    /// Colours a complete line, given without its newline.
    pub(super) fn line(&mut self, text: &str) -> Line {
        if text.len() > LONGEST {
            return Line::of(Style::PLAIN, text);
        }
        let source = format!("{text}\n");
        let Ok(changes) = self.state.parse_line(&source, grammars()) else {
            return Line::of(Style::PLAIN, text);
        };
        let mut line = Line::new();
        let mut from = 0;
        for (at, change) in changes {
            let at = at.min(text.len());
            let style = self.look();
            line.push(style, text.get(from..at).unwrap_or_default());
            from = at.max(from);
            if self.scopes.apply(&change).is_err() {
                break;
            }
        }
        let style = self.look();
        line.push(style, text.get(from..).unwrap_or_default());
        line
    }

    fn look(&mut self) -> Style {
        let looks = &mut self.looks;
        let mut look = |scope: &Scope| *looks.entry(*scope).or_insert_with(|| theme::scope(&scope.build_string()));
        self.scopes.as_slice().iter().rev().find_map(&mut look).unwrap_or_default()
    }
}
