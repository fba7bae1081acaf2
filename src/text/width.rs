//! How many terminal cells a text takes, and where the cursor is after it.
//!
//! Terminals agree on the width of letters, ideographs and combining marks. They disagree on joined emoji, flags, skin tones and
//! variation selectors: some draw one glyph of two cells, some draw the parts side by side.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The cells of `text` on a terminal that draws every grapheme as one glyph.
pub(crate) fn cells(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(UnicodeWidthStr::width).sum() }
}

/// The largest number of cells that any terminal needs for `text`.
pub(crate) fn widest(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(widest_of).sum() }
}

fn widest_of(grapheme: &str) -> usize {
    grapheme.width().max(grapheme.chars().map(|c| c.width().unwrap_or(0)).sum())
}

/// Whether every terminal uses the same number of cells for `text`.
pub(crate) fn is_settled(text: &str) -> bool {
    text.is_ascii() || text.graphemes(true).all(|grapheme| grapheme.is_ascii() || agreed(grapheme))
}

fn agreed(grapheme: &str) -> bool {
    let mut chars = grapheme.chars();
    let Some(base) = chars.next() else { return true };
    // The width is disputed if the base is a soft hyphen, half a flag or of no width, or if anything but a combining mark follows it.
    let plain_base =
        base != '\u{AD}' && !matches!(base, '\u{1F1E6}'..='\u{1F1FF}') && base.width().is_some_and(|w| w > 0);
    plain_base && chars.all(|mark| mark.width() == Some(0) && !matches!(mark, '\u{200D}' | '\u{FE00}'..='\u{FE0F}'))
}

/// The longest prefix of `text` that fits into `room` cells on every terminal.
pub(crate) fn fit(text: &str, room: usize) -> &str {
    if text.len() <= room {
        return text;
    }
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += widest_of(grapheme);
        if used > room {
            return &text[..at];
        }
    }
    text
}

/// The position of the cursor after text that the terminal has wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flow {
    /// How many rows below its start.
    pub rows: usize,
    /// Equals the number of columns while a wrap is pending at the right margin.
    pub column: usize,
}

/// Computes the cursor's position after `text` is written from `column` on.
pub(crate) fn flow(text: &str, column: usize, columns: usize) -> Flow {
    let mut at = Flow { rows: 0, column };
    let mut advance = |width: usize| {
        if width > 0 && at.column + width > columns {
            at.rows += 1;
            at.column = 0;
        }
        at.column += width;
    };
    if text.is_ascii() {
        text.bytes().for_each(|_| advance(1));
    } else {
        text.graphemes(true).for_each(|grapheme| advance(grapheme.width()));
    }
    at
}

/// The offset of the last row's first byte when a terminal wraps `text` at `columns`.
pub(crate) fn last_row(text: &str, columns: usize) -> usize {
    let (mut start, mut column) = (0, 0);
    for (at, grapheme) in text.grapheme_indices(true) {
        let width = grapheme.width();
        if width > 0 && column + width > columns {
            (start, column) = (at, 0);
        }
        column += width;
    }
    start
}

/// Whether terminals disagree on how many rows `text` takes when they wrap it at `columns`. A long word before the first disputed grapheme
/// is wrapped alike everywhere, so only the screen row of that grapheme and what follows count.
pub(crate) fn is_disputed(text: &str, columns: usize) -> bool {
    if text.is_ascii() {
        return false;
    }
    let Some((first, _)) = text.grapheme_indices(true).find(|(_, grapheme)| !is_settled(grapheme)) else {
        return false;
    };
    let start = flow(&text[..first], 0, columns).column;
    start + widest(&text[first..]) >= columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_disputed_only_from_the_first_disputed_grapheme_on() {
        assert!(!is_disputed("a plain text in a narrow window", 5));
        assert!(!is_disputed("abcdefgh 🇫🇷", 20), "it fits everywhere");
        assert!(!is_disputed("abcdefghabcdefghi 🇫🇷", 8), "the second screen row has room for it");
        assert!(is_disputed("abcdefghabcd 👩‍👧", 8));
        assert!(is_disputed("🇫🇷 abcdefgh", 8));
    }

    #[test]
    fn a_grapheme_is_as_wide_as_terminals_draw_it() {
        assert_eq!(["a", "é", "e\u{301}", "漢", "🙂", "👩‍👩‍👧", "ｶ"].map(cells), [1, 1, 1, 2, 2, 2, 1]);
        assert_eq!(widest("👩‍👩‍👧"), 6);
    }

    #[test]
    fn disputed_graphemes_are_not_settled() {
        assert!(is_settled("plain, é, e\u{301}, 漢字, 🙂, …"));
        for disputed in ["👩‍👩‍👧", "❤\u{FE0F}", "🇫🇷", "👍🏽"] {
            assert!(!is_settled(disputed), "{disputed}");
        }
    }

    #[test]
    fn a_wide_character_never_straddles_the_margin() {
        assert_eq!(flow("abc", 0, 3), Flow { rows: 0, column: 3 });
        assert_eq!(flow("abcd", 0, 3), Flow { rows: 1, column: 1 });
        assert_eq!(flow("ab漢", 0, 3), Flow { rows: 1, column: 2 });
        assert_eq!(flow("", 3, 3), Flow { rows: 0, column: 3 });
    }

    #[test]
    fn fitting_cuts_between_graphemes() {
        assert_eq!(fit("漢字かな", 5), "漢字");
        assert_eq!(fit("abc", 3), "abc");
    }
}
