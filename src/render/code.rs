//! Syntax highlighting.
//!
//! Loading the grammars takes some milliseconds, and the first line of each language some more. That is too long for the session's loop,
//! so [`CodeColours::load`] and [`CodeColours::warm`] are called on another thread. Until the grammars are loaded, code is not coloured.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::look::{Look, TextRole};

use super::line::StyledLine;

/// Longer lines are not coloured: they are usually data, and a grammar can take very long on them.
const LONGEST: usize = 2000;

/// The grammars of the languages, once they are loaded. Clones share them.
///
/// A value and not a static, so that whether code is coloured does not depend on what else the process has painted.
#[derive(Clone, Default)]
pub(crate) struct CodeColours(Arc<OnceLock<SyntaxSet>>);

impl CodeColours {
    /// Colours that are loaded already.
    pub(crate) fn loaded() -> CodeColours {
        let colours = CodeColours::default();
        colours.load();
        colours
    }

    /// Loads the grammars without compiling any language.
    pub(crate) fn load(&self) {
        self.0.get_or_init(two_face::syntax::extra_newlines);
    }

    /// Loads the grammars and compiles a language, so that its first line is coloured without delay.
    pub(crate) fn warm(&self, language: &str) {
        self.load();
        if let Some(mut highlighter) = Highlighter::new(language, self) {
            highlighter.line("let x = \"a\"; // (1)\n");
        }
    }
}

impl fmt::Debug for CodeColours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "loaded" } else { "not loaded" })
    }
}

/// Two values are equal if they share their grammars.
impl PartialEq for CodeColours {
    fn eq(&self, other: &CodeColours) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for CodeColours {}

/// The lines of a code block in parts, each with the name of its role in themes, if it has one. Loads the grammars.
pub(crate) fn highlighted(language: &str, code: &str) -> Vec<Vec<(Option<&'static str>, String)>> {
    // A document is never written without colours, so one set of grammars serves the whole process.
    static COLOURS: LazyLock<CodeColours> = LazyLock::new(CodeColours::loaded);
    let mut highlighter = Highlighter::new(language, &COLOURS);
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
    colours: CodeColours,
    state: ParseState,
    scopes: ScopeStack,
    looks: HashMap<Scope, Option<Look>>,
}

impl Highlighter {
    /// Returns `None` for an unknown language, and while the grammars are not loaded.
    pub(super) fn new(language: &str, colours: &CodeColours) -> Option<Highlighter> {
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
        let state = ParseState::new(colours.0.get()?.find_syntax_by_token(&name)?);
        Some(Highlighter { colours: colours.clone(), state, scopes: ScopeStack::new(), looks: HashMap::new() })
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
        let grammars = self.colours.0.get();
        let changes = grammars.and_then(|grammars| self.state.parse_line(&format!("{text}\n"), grammars).ok());
        let Some(changes) = changes else { return plain() };
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
