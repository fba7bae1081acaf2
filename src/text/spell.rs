//! Text in which invisible characters are spelled out.
//!
//! A person who approves a command or a path must see every character of it. Characters without a glyph of their own (controls,
//! format and bidirectional characters, separators, variation selectors, tags, blanks of other scripts) are written as code points.
//! Long runs of blanks or empty lines are replaced by their count, so that they cannot push the rest out of sight.

use unicode_width::UnicodeWidthChar;

/// The longest run of blanks, in cells, that is shown as it is.
const BLANKS: usize = 32;
/// Cells that a tab is shown as.
const TAB: usize = 4;
/// How many consecutive empty lines are shown as they are.
const EMPTY_LINES: usize = 2;

/// Part of a spelled line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SpelledPiece {
    /// Characters that stand for themselves.
    Plain(String),
    /// A replacement for invisible characters.
    Sign(String),
}

/// Which characters the terminal can display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alphabet {
    Unicode,
    Ascii,
}

/// Spells text of several lines. A newline at the end is not shown as a line of its own.
pub(crate) fn spell(text: &str, alphabet: Alphabet) -> Vec<Vec<SpelledPiece>> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let lines: Vec<&str> = text.split('\n').collect();
    let mut spelled = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let blank = lines[at..].iter().take_while(|line| is_blank(line)).count();
        if blank > EMPTY_LINES {
            let is_between = at > 0 && at + blank < lines.len();
            let blanks: String = lines[at..at + blank].concat();
            let mut pieces = vec![sign('\n', blank + usize::from(is_between), alphabet)];
            for kind in [' ', '\t'] {
                let count = blanks.matches(kind).count();
                pieces.extend((count > 0).then(|| sign(kind, count, alphabet)));
            }
            spelled.push(pieces);
            at += blank;
        } else {
            spelled.push(spell_line(lines[at], alphabet));
            at += 1;
        }
    }
    spelled
}

/// Spells one line. Newlines in it and blanks at its end are spelled out too.
pub(crate) fn spell_line(line: &str, alphabet: Alphabet) -> Vec<SpelledPiece> {
    // At the end of a line even a single blank is invisible.
    pieces(line, alphabet, 0)
}

/// Spells a line of a file. Short runs of blanks at its end are harmless there and stay as they are.
pub(crate) fn spell_code(line: &str, alphabet: Alphabet) -> Vec<SpelledPiece> {
    pieces(line, alphabet, BLANKS)
}

/// Spells a line. Up to `at_end` cells of blanks at its end stay as they are.
fn pieces(line: &str, alphabet: Alphabet, at_end: usize) -> Vec<SpelledPiece> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let run = rest.find(|c: char| !matches!(c, ' ' | '\t')).unwrap_or(rest.len());
        if run > 0 {
            let (blanks, after) = rest.split_at(run);
            let cells: usize = blanks.chars().map(|c| if c == '\t' { TAB } else { 1 }).sum();
            let most = if after.is_empty() { at_end } else { BLANKS };
            if cells > most {
                pieces.extend(runs(blanks).map(|(kind, count)| sign(kind, count, alphabet)));
            } else {
                push_plain(&mut pieces, blanks);
            }
            rest = after;
        } else if is_hidden(first) || alphabet == Alphabet::Ascii && !first.is_ascii() {
            let count = rest.chars().take_while(|c| *c == first).count();
            pieces.push(sign(first, count, alphabet));
            rest = &rest[count * first.len_utf8()..];
        } else {
            push_plain(&mut pieces, &rest[..first.len_utf8()]);
            rest = &rest[first.len_utf8()..];
        }
    }
    pieces
}

/// One line, spelled, as a string.
pub(crate) fn spelled(line: &str) -> String {
    let pieces = spell_line(line, Alphabet::Unicode);
    pieces.into_iter().map(|(SpelledPiece::Plain(text) | SpelledPiece::Sign(text))| text).collect()
}

/// Whether this line contains invisible characters.
pub(crate) fn hides(line: &str) -> bool {
    spell_line(line, Alphabet::Unicode).iter().any(|piece| matches!(piece, SpelledPiece::Sign(_)))
}

fn is_blank(line: &str) -> bool {
    line.chars().all(|c| matches!(c, ' ' | '\t'))
}

fn push_plain(pieces: &mut Vec<SpelledPiece>, text: &str) {
    match pieces.last_mut() {
        Some(SpelledPiece::Plain(before)) => before.push_str(text),
        Some(SpelledPiece::Sign(_)) | None => pieces.push(SpelledPiece::Plain(text.to_owned())),
    }
}

/// Runs of the same character.
fn runs(text: &str) -> impl Iterator<Item = (char, usize)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let count = rest.chars().take_while(|c| *c == first).count();
        rest = &rest[count * first.len_utf8()..];
        Some((first, count))
    })
}

fn sign(c: char, count: usize, alphabet: Alphabet) -> SpelledPiece {
    let name = match (c, alphabet) {
        ('\n', Alphabet::Unicode) => "⏎".to_owned(),
        (' ', Alphabet::Unicode) => "␣".to_owned(),
        ('\t', Alphabet::Unicode) => "⇥".to_owned(),
        ('\n', Alphabet::Ascii) => "newline".to_owned(),
        (' ', Alphabet::Ascii) => "space".to_owned(),
        ('\t', Alphabet::Ascii) => "tab".to_owned(),
        (c, _) => format!("U+{:04X}", u32::from(c)),
    };
    SpelledPiece::Sign(match (count, alphabet) {
        (1, Alphabet::Unicode) => name,
        (_, Alphabet::Unicode) => format!("{name} ×{count}"),
        (1, Alphabet::Ascii) => format!("<{name}>"),
        (_, Alphabet::Ascii) => format!("<{name} x{count}>"),
    })
}

/// Whether a character cannot be told from a blank or from another character on the screen.
fn is_hidden(c: char) -> bool {
    match c {
        ' '..='~' => false,
        // The soft hyphen, fillers and blanks that have a width, the replacement character, and private-use characters.
        '\u{AD}' | '\u{115F}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{FFA0}' | '\u{1D159}' => true,
        '\u{FFF9}'..='\u{FFFF}' | '\u{E000}'..='\u{F8FF}' | '\u{E0000}'..='\u{10FFFF}' => true,
        // Controls, format characters, marks, selectors and tags have no width.
        _ => c.is_whitespace() || c.width().unwrap_or(0) == 0 || super::sanitize::steers(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> String {
        let lines = spell(text, Alphabet::Unicode);
        let line = |pieces: Vec<SpelledPiece>| -> String {
            pieces
                .into_iter()
                .map(|piece| match piece {
                    SpelledPiece::Plain(text) => text,
                    SpelledPiece::Sign(text) => format!("[{text}]"),
                })
                .collect()
        };
        lines.into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn runs_of_blanks_and_empty_lines_are_counted() {
        assert_eq!(shown(&format!("rm x{}ls -la", "\n".repeat(60))), "rm x\n[⏎ ×60]\nls -la");
        assert_eq!(shown(&format!("rm x;{}ls -la", " ".repeat(2500))), "rm x;[␣ ×2500]ls -la");
        assert_eq!(shown(&format!("a{}b", " \t".repeat(9))), format!("a{}b", "[␣][⇥]".repeat(9)));
        assert_eq!(shown(&format!("a{}b", "\n  ".repeat(9))), "a\n[⏎ ×9][␣ ×16]\n  b");
        assert_eq!(shown("a\n\n\nb\n"), "a\n\n\nb");
        assert_eq!(shown("if x\n    y  \nfi"), "if x\n    y[␣ ×2]\nfi");
    }

    #[test]
    fn invisible_characters_are_written_as_code_points() {
        for (hidden, sign) in [
            ('\u{202E}', "U+202E"),
            ('\u{200B}', "U+200B"),
            ('\u{2028}', "U+2028"),
            ('\u{A0}', "U+00A0"),
            ('\u{FE0F}', "U+FE0F"),
            ('\u{E0041}', "U+E0041"),
            ('\u{3164}', "U+3164"),
            ('\u{2800}', "U+2800"),
            ('\u{1B}', "U+001B"),
            ('\r', "U+000D"),
            ('\u{301}', "U+0301"),
            ('\u{E0100}', "U+E0100"),
        ] {
            assert_eq!(shown(&format!("a{hidden}b")), format!("a[{sign}]b"));
            assert!(hides(&format!("a{hidden}b")));
        }
        assert_eq!(shown("naïve 漢字 ✳ «x»"), "naïve 漢字 ✳ «x»");
        assert!(!hides("cargo test --lib"));
        assert_eq!(spelled("a\u{200B}\u{200B}b\nc"), "aU+200B ×2bU+000Ac".replace("U+000A", "⏎"));
    }

    #[test]
    fn a_terminal_without_unicode_gets_code_points() {
        let ascii = |line: &str| format!("{:?}", spell_line(line, Alphabet::Ascii));
        assert_eq!(ascii("é"), r#"[Sign("<U+00E9>")]"#);
        assert_eq!(ascii(&" ".repeat(99)), r#"[Sign("<space x99>")]"#);
    }

    /// The characters that a sign stands for.
    fn meaning(sign: &str) -> String {
        let (name, count) = sign.split_once(" ×").unwrap_or((sign, "1"));
        let name = match name {
            "⏎" => "\n".to_owned(),
            "␣" => " ".to_owned(),
            "⇥" => "\t".to_owned(),
            code => {
                let number = u32::from_str_radix(code.strip_prefix("U+").unwrap(), 16).unwrap();
                char::from_u32(number).unwrap().to_string()
            }
        };
        name.repeat(count.parse().unwrap())
    }

    proptest! {
        /// Every character of a line is either visible or replaced by a sign that names it.
        #[test]
        fn nothing_in_a_line_is_lost_or_invisible(line in r"(\PC|[ \t]{0,50}|[\x00-\x1f\u{200b}-\u{202e}\u{fe00}-\u{fe0f}]){0,30}") {
            let pieces = spell_line(&line, Alphabet::Unicode);
            let mut again = String::new();
            for piece in &pieces {
                match piece {
                    SpelledPiece::Plain(text) => {
                        prop_assert!(text.chars().all(|c| matches!(c, ' ' | '\t') || !is_hidden(c)));
                        prop_assert!(!text.contains(&" ".repeat(BLANKS + 1)));
                        again.push_str(text);
                    }
                    SpelledPiece::Sign(sign) => again.push_str(&meaning(sign)),
                }
            }
            prop_assert_eq!(again, line);
        }

        /// In a text of several lines only the order of blanks within counted empty lines is lost.
        #[test]
        fn nothing_in_a_text_is_lost(text in r"([a-z ;]{0,3}|\n|\n[ \t]){0,80}") {
            let text = format!("{text}.");
            let lines = spell(&text, Alphabet::Unicode);
            let count = |wanted: char| -> usize {
                let within: usize = lines.iter().flatten().map(|piece| match piece {
                    SpelledPiece::Plain(text) => text.matches(wanted).count(),
                    SpelledPiece::Sign(sign) => meaning(sign).matches(wanted).count(),
                }).sum();
                within
            };
            for c in ['a', 'z', ';', ' ', '\t', '.'] {
                prop_assert_eq!(count(c), text.matches(c).count(), "{:?}", c);
            }
            let empty = lines.windows(EMPTY_LINES + 1).any(|lines| lines.iter().all(Vec::is_empty));
            prop_assert!(!empty, "{:?}", lines);
        }
    }
}
