//! Fills the arguments of a command into its text.

use crate::text::shell::{Token, tokens};

const ALL: &str = "ARGUMENTS";

/// The text with `$ARGUMENTS` and `$1` to `$9` replaced, each once: what an argument contains is not replaced again. If the text has
/// no such place, the arguments follow it.
pub(super) fn expanded(body: &str, arguments: &str) -> String {
    let words = words(arguments);
    let mut filled = String::with_capacity(body.len() + arguments.len());
    let mut has_place = false;
    let mut rest = body;
    while let Some(at) = rest.find('$') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        filled.push_str(before);
        match place(after) {
            Some((place, length)) => {
                has_place = true;
                filled.push_str(match place {
                    Place::All => arguments,
                    Place::Word(number) => words.get(number).map_or("", String::as_str),
                });
                rest = &after[length..];
            }
            None => {
                filled.push('$');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    if !has_place && !arguments.is_empty() {
        filled = format!("{}\n\n{arguments}", filled.trim_end());
    }
    filled
}

enum Place {
    All,
    /// Counted from 0.
    Word(usize),
}

/// The place that a text after a `$` names, and its length. `$10` and `$ARGUMENTSX` are none.
fn place(after: &str) -> Option<(Place, usize)> {
    let ends = |length: usize| !after[length..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if after.starts_with(ALL) && ends(ALL.len()) {
        return Some((Place::All, ALL.len()));
    }
    let digit = after.chars().next()?.to_digit(10).filter(|digit| *digit > 0)?;
    let is_number = after[1..].starts_with(|c: char| c.is_ascii_digit());
    (!is_number).then_some((Place::Word(digit as usize - 1), 1))
}

/// The words of the arguments, divided as a shell does.
fn words(arguments: &str) -> Vec<String> {
    let quoted = |token| match token {
        Token::Word(word) => Some(word.text),
        Token::Redirection(_) | Token::Operator(..) => None,
    };
    // A text that is not a command line, such as one with an apostrophe, is divided at its blanks.
    let is_plain = !arguments.contains(['"', '\'', '\\']) || arguments.matches(['"', '\'']).count() % 2 == 1;
    match is_plain || arguments.contains(['<', '>', '|', '&', ';', '(', ')', '$', '`', '\n']) {
        true => arguments.split_whitespace().map(str::to_owned).collect(),
        false => tokens(arguments).filter_map(quoted).collect(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn arguments_are_filled_in_once() {
        assert_eq!(expanded("fix $1 in $2, $3.", "a 'b c'"), "fix a in b c, .");
        assert_eq!(expanded("do $ARGUMENTS", "it's $1 & more"), "do it's $1 & more");
        assert_eq!(expanded("$1 costs $10, $ARGUMENTSX, $HOME and $", "x"), "x costs $10, $ARGUMENTSX, $HOME and $");
        assert_eq!(expanded("review this\n", "src/main.rs"), "review this\n\nsrc/main.rs");
        assert_eq!(expanded("review this", ""), "review this");
        assert_eq!(expanded("$2", "don't stop"), "stop");
    }

    proptest! {
        #[test]
        fn a_text_without_places_is_kept(body in "[^$]{0,40}", arguments in "\\PC{0,20}") {
            let filled = expanded(&body, arguments.trim());
            prop_assert!(filled.starts_with(body.trim_end()) && filled.ends_with(arguments.trim()));
        }
    }
}
