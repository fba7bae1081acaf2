//! Fills the arguments of a command into its text.

const ALL: &str = "ARGUMENTS";

/// The text with `$ARGUMENTS` and `$1` to `$9` replaced, each once: what an argument contains is not replaced again. `$$1` and `\$1` are
/// `$1` itself. If the text has no such place, the arguments follow it.
pub(super) fn expanded(body: &str, arguments: &str) -> String {
    let words = words(arguments);
    let mut filled = String::with_capacity(body.len() + arguments.len());
    let mut has_place = false;
    let mut rest = body;
    while let Some(at) = rest.find('$') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        if let Some((_, length)) = after.strip_prefix('$').and_then(place) {
            filled.push_str(before);
            filled.push_str(&after[..=length]);
            rest = &after[length + 1..];
            continue;
        }
        let Some((place, length)) = place(after) else {
            filled.push_str(&rest[..=at]);
            rest = after;
            continue;
        };
        if let Some(before) = before.strip_suffix('\\') {
            filled.push_str(before);
            filled.push_str(&rest[at..=at + length]);
        } else {
            has_place = true;
            filled.push_str(before);
            match place {
                Place::All => filled.push_str(arguments),
                Place::Word(number) => {
                    let word = words.get(number).map_or("", String::as_str);
                    filled.push_str(&attachable(word, before));
                }
            }
        }
        rest = &after[length..];
    }
    filled.push_str(rest);
    if !has_place && !arguments.is_empty() {
        filled = format!("{}\n\n{arguments}", filled.trim_end());
    }
    filled
}

/// The word, in quotes if it follows an `@` and has blanks: without them only its first part would be attached.
fn attachable(word: &str, before: &str) -> String {
    let needs_quotes = before.ends_with('@') && word.contains(char::is_whitespace) && !word.contains('"');
    if needs_quotes { format!("\"{word}\"") } else { word.to_owned() }
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

/// The arguments, divided at blanks. Quotes around an argument, or around the value in `name="value"`, keep its blanks together. A quote
/// anywhere else, such as an apostrophe, is part of the text.
fn words(arguments: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = arguments.trim_start();
    while !rest.is_empty() {
        let (word, after) = next_word(rest);
        words.push(word);
        rest = after.trim_start();
    }
    words
}

/// The first word of a text that does not begin with a blank, and what follows it.
fn next_word(text: &str) -> (String, &str) {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let plain = (text[..end].to_owned(), &text[end..]);
    let Some(open) = text[..end].find(['"', '\'']) else { return plain };
    if !(text[..open].is_empty() || text[..open].ends_with('=')) {
        return plain;
    }
    let (quote, inner) = text[open..].split_at(1);
    let is_end = |at: usize| inner[at + 1..].chars().next().is_none_or(char::is_whitespace);
    match inner.match_indices(quote).find(|(at, _)| is_end(*at)) {
        Some((close, _)) => (format!("{}{}", &text[..open], &inner[..close]), &inner[close + 1..]),
        None => plain,
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
    }

    #[test]
    fn quotes_around_an_argument_keep_its_blanks_together() {
        for (arguments, parts) in [
            (r#"a 'b c' "d e""#, ["a", "b c", "d e"]),
            ("don't and can't", ["don't", "and", "can't"]),
            (r#""a (b) & c" it's 'so'"#, ["a (b) & c", "it's", "so"]),
            (r#"name="x y" 5" 3""#, ["name=x y", "5\"", "3\""]),
            (r#"'it's fine' "" "open "#, ["it's fine", "", "\"open"]),
            ("  one\ttwo\u{a0}three ", ["one", "two", "three"]),
            (r"C:\dir $(x) <b>", [r"C:\dir", "$(x)", "<b>"]),
        ] {
            assert_eq!(words(arguments), parts, "{arguments}");
        }
    }

    #[test]
    fn a_place_can_be_written_literally() {
        assert_eq!(expanded(r"$$1 is \$5, $$ and \$ stay, $1", "x"), r"$1 is $5, $$ and \$ stay, x");
        assert_eq!(expanded(r"write $$ARGUMENTS or \$ARGUMENTS", "x"), "write $ARGUMENTS or $ARGUMENTS\n\nx");
    }

    #[test]
    fn a_file_name_with_blanks_is_attached_as_a_whole() {
        assert_eq!(expanded("read @$1, then $1", "'my file.rs'"), "read @\"my file.rs\", then my file.rs");
        assert_eq!(expanded("read @$1", "src/main.rs"), "read @src/main.rs");
    }

    proptest! {
        #[test]
        fn a_text_without_places_is_kept(body in "[^$]{0,40}", arguments in "\\PC{0,20}") {
            let filled = expanded(&body, arguments.trim());
            prop_assert!(filled.starts_with(body.trim_end()) && filled.ends_with(arguments.trim()));
        }
    }
}
