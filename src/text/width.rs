//! How many cells text takes, and where the cursor is after it.
//!
//! Terminals agree on letters, ideographs and combining marks. They disagree on joined emoji, flags, skin tones and variation
//! selectors: some draw one picture of two cells, some draw the parts side by side.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Cells of `text` on a terminal that draws a grapheme as one picture.
pub(crate) fn cells(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(UnicodeWidthStr::width).sum() }
}

/// Cells of `text` on the terminal that needs most of them.
pub(crate) fn widest(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(widest_of).sum() }
}

fn widest_of(grapheme: &str) -> usize {
    grapheme.width().max(grapheme.chars().map(|c| c.width().unwrap_or(0)).sum())
}

/// Whether every terminal gives `text` the same cells.
pub(crate) fn is_settled(text: &str) -> bool {
    text.is_ascii() || text.graphemes(true).all(|grapheme| grapheme.is_ascii() || agreed(grapheme))
}

fn agreed(grapheme: &str) -> bool {
    let mut chars = grapheme.chars();
    let Some(base) = chars.next() else { return true };
    // A soft hyphen or a zero-width character on its own, a flag's half, then anything after the base that is more than a mark.
    let plain_base =
        base != '\u{AD}' && !matches!(base, '\u{1F1E6}'..='\u{1F1FF}') && base.width().is_some_and(|w| w > 0);
    plain_base && chars.all(|mark| mark.width() == Some(0) && !matches!(mark, '\u{200D}' | '\u{FE00}'..='\u{FE0F}'))
}

/// The longest beginning of `text` that fits into `room` cells on every terminal.
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

/// Where a terminal that wraps by itself leaves the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flow {
    /// Rows further down.
    pub rows: usize,
    /// Equal to the number of columns while the wrap is pending at the right margin.
    pub column: usize,
}

/// Follows the cursor through `text` written from `column` on.
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

/// Where the last of the rows begins that a terminal makes of `text`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphemes_have_the_cells_terminals_give_them() {
        assert_eq!(["a", "é", "e\u{301}", "漢", "🙂", "👩‍👩‍👧", "ｶ"].map(cells), [1, 1, 1, 2, 2, 2, 1]);
        assert_eq!(widest("👩‍👩‍👧"), 6);
    }

    #[test]
    fn disagreement_is_known() {
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
