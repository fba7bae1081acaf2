//! Line breaking for prose.
//!
//! Rows break at blanks and between wide characters. A word wider than a whole row is not broken here. It starts a row, and the
//! terminal wraps it at the margin, so that a copy from the screen contains the word in one piece.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::width;

/// Characters that may not begin a row.
const CLOSERS: &str =
    ",.;:!?)]}%'\"”’»…、。，．・：；？！）］｝」』】〉》〕〗ー々ゝゞヽヾぁぃぅぇぉっゃゅょァィゥェォッャュョ";
/// Characters that may not end a row.
const OPENERS: &str = "([{“‘«（［｛「『【〈《〔〖";

/// How a line is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Layout {
    pub columns: usize,
    /// Cells at the start of the first row that are never separated from the word after them, such as a bullet.
    pub lead: usize,
    /// Cells of indentation at the start of every further row.
    pub hang: usize,
    /// The part of the text that is already on the screen and whose rows are no longer known.
    pub fixed: Option<Fixed>,
}

/// A prefix of the text that is already on the screen and cannot be laid out again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fixed {
    /// Its length in bytes.
    pub length: usize,
    /// Whether the cursor is already on an empty row below the prefix. Otherwise the prefix may end inside a word, which is completed
    /// first.
    pub is_closed: bool,
}

/// The rows of a text without line breaks, as ranges of its bytes. Blanks at a break belong to no row. There is at least one row.
pub(crate) fn rows(text: &str, layout: Layout) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let mut row = Row::first(layout);
    if let Some(Fixed { length, is_closed: true }) = layout.fixed {
        let length = length.min(text.len());
        rows.push(0..length);
        let start = length + text[length..].len() - text[length..].trim_start_matches(' ').len();
        row = Row::further(start, layout);
    }
    let from = row.start;
    for (at, grapheme) in text[from..].grapheme_indices(true) {
        if let Some(end) = row.add(from + at, grapheme, layout) {
            rows.push(end);
        }
    }
    let end = row.start + text[row.start..].trim_end_matches(' ').len();
    rows.push(row.start..end.max(row.start));
    rows
}

/// The row that is being filled.
struct Row<'a> {
    start: usize,
    column: usize,
    /// The blanks at the last possible break. The row would end before them, and the next row would begin after them.
    chance: Option<Range<usize>>,
    /// Cells written since that break.
    behind: usize,
    /// Cells at the start of the row in which it may not break.
    lead: usize,
    /// The column is not known from this byte on, so the row breaks at the first opportunity after it.
    unknown_from: Option<usize>,
    /// Whether terminals may disagree on the cells of this row.
    is_disputed: bool,
    previous: &'a str,
}

impl<'a> Row<'a> {
    fn first(layout: Layout) -> Row<'a> {
        let row = Row { lead: layout.lead, column: 0, ..Row::further(0, layout) };
        match layout.fixed {
            // Other words precede the text in its row, up to an unknown column.
            Some(fixed) => Row { column: layout.lead + 1, previous: "", unknown_from: Some(fixed.length), ..row },
            None => row,
        }
    }

    fn further(start: usize, layout: Layout) -> Row<'a> {
        Row {
            start,
            column: layout.hang,
            chance: None,
            behind: 0,
            lead: layout.hang,
            unknown_from: None,
            is_disputed: false,
            previous: " ",
        }
    }

    /// Adds a grapheme. Returns the finished row if the grapheme begins a new one.
    fn add(&mut self, at: usize, grapheme: &'a str, layout: Layout) -> Option<Range<usize>> {
        let previous = std::mem::replace(&mut self.previous, grapheme);
        if grapheme == " " {
            match &mut self.chance {
                Some(chance) if previous == " " => chance.end = at + 1,
                _ if previous != " " && self.column > self.lead => self.chance = Some(at..at + 1),
                _ => {}
            }
            self.behind = 0;
            self.column += 1;
            return None;
        }
        if previous != " " && at > self.start && self.column > self.lead && breaks_between(previous, grapheme) {
            self.chance = Some(at..at);
            self.behind = 0;
        }
        let cells = width::widest(grapheme);
        let is_due = match self.unknown_from {
            Some(from) => self.chance.as_ref().is_some_and(|chance| chance.start >= from),
            None => self.column + cells > layout.columns,
        };
        let mut ended = None;
        if is_due && let Some(chance) = self.chance.take() {
            ended = Some(self.start..chance.start);
            let behind = self.behind;
            *self = Row { previous: grapheme, column: layout.hang + behind, ..Row::further(chance.end, layout) };
        }
        self.is_disputed |= !width::is_settled(grapheme);
        if self.column + cells > layout.columns && self.unknown_from.is_none() {
            // The terminal wraps this word. If terminals disagree on its width, the column after it is unknown.
            self.column = 0;
            self.lead = 0;
            self.unknown_from = self.is_disputed.then_some(at);
        }
        self.column += cells;
        self.behind += cells;
        ended
    }
}

fn breaks_between(before: &str, after: &str) -> bool {
    let is_wide = |grapheme: &str| width::cells(grapheme) > 1;
    let is_one_of = |grapheme: &str, set: &str| grapheme.chars().next().is_some_and(|c| set.contains(c));
    (is_wide(before) || is_wide(after)) && !is_one_of(after, CLOSERS) && !is_one_of(before, OPENERS)
}

/// The indentation for the further rows of a line in shellmate's own texts. The further rows of a list item, of a proposed command
/// (`try: …`) or of a two-column line align with its text; those of any other line align with its first character.
pub(crate) fn hang_of(line: &str) -> usize {
    let body = line.trim_start_matches(' ');
    let indent = line.len() - body.len();
    let digits = body.len() - body.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = (digits > 0 && body[digits..].starts_with(". ")).then(|| &body[..digits + 2]);
    let marker = ["- ", "* ", "• ", "? ", "> ", "try: "].into_iter().find(|marker| body.starts_with(marker)).or(number);
    let gap = body.find("  ").map(|gap| gap + body[gap..].len() - body[gap..].trim_start_matches(' ').len());
    // A row of `/help` begins with `> QUESTION`.
    let is_wide = |gap: usize| body[..gap].ends_with("   ") && gap < body.len();
    let column = match (marker, gap) {
        (Some("> "), Some(gap)) if is_wide(gap) => width::cells(&body[..gap]),
        (Some(marker), _) => width::cells(marker),
        (None, Some(gap)) if gap < body.len() => width::cells(&body[..gap]),
        (None, _) => 0,
    };
    indent + column
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wrapped(text: &str, columns: usize) -> Vec<&str> {
        rows(text, Layout { columns, ..Layout::default() }).into_iter().map(|row| &text[row]).collect()
    }

    #[test]
    fn rows_break_at_blanks_which_belong_to_no_row() {
        assert_eq!(wrapped("the quick  brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(wrapped("exactly ten", 7), ["exactly", "ten"]);
        assert_eq!(wrapped("", 7), [""]);
        assert_eq!(wrapped("  indented words", 10), ["  indented", "words"]);
    }

    #[test]
    fn a_word_wider_than_a_row_starts_a_row_and_is_not_broken() {
        let url = "https://example.com/a/long/path";
        assert_eq!(wrapped(&format!("see {url} for more"), 12), ["see", &format!("{url} for"), "more"]);
    }

    #[test]
    fn wide_characters_break_anywhere_but_before_closing_punctuation() {
        assert_eq!(wrapped("漢字かな交じり文", 6), ["漢字か", "な交じ", "り文"]);
        assert_eq!(wrapped("漢字か。な", 6), ["漢字", "か。な"]);
        assert_eq!(wrapped("漢「字」か", 6), ["漢", "「字」", "か"]);
        assert_eq!(wrapped("ab漢字", 4), ["ab漢", "字"]);
    }

    #[test]
    fn combining_marks_and_emoji_stay_whole() {
        assert_eq!(wrapped("cafe\u{301} au lait", 7), ["cafe\u{301} au", "lait"]);
        assert_eq!(wrapped("ok 👍🏽 yes", 5), ["ok", "👍🏽", "yes"]);
    }

    #[test]
    fn further_rows_are_indented() {
        let layout = Layout { columns: 8, lead: 2, hang: 2, fixed: None };
        let text = "- one two three";
        let rows: Vec<&str> = rows(text, layout).into_iter().map(|row| &text[row]).collect();
        assert_eq!(rows, ["- one", "two", "three"]);
        assert_eq!(super::rows("- abcdefghij", layout).len(), 1, "a bullet stays with its word");
    }

    #[test]
    fn a_word_cut_by_the_fixed_prefix_is_completed_before_a_break() {
        let text = "some words that go on";
        let fixed =
            |length, is_closed| Layout { columns: 8, fixed: Some(Fixed { length, is_closed }), ..Layout::default() };
        let rows = |layout| rows(text, layout).into_iter().map(|row| &text[row]).collect::<Vec<_>>();
        assert_eq!(rows(fixed(7, false)), ["some words", "that go", "on"]);
        assert_eq!(rows(fixed(11, true)), ["some words ", "that go", "on"]);
    }

    #[test]
    fn list_items_and_columns_hang_below_their_text() {
        assert_eq!(["plain", "  two", "- item", "  - item", "  /model NAME   names it"].map(hang_of), [0, 2, 2, 4, 16]);
        assert_eq!(["  1. first", "12. twelfth", "1.5 times", "3 words"].map(hang_of), [5, 4, 0, 0]);
        assert_eq!(["> why  not", "> QUESTION    asks"].map(hang_of), [2, 14]);
        assert_eq!(hang_of("  try: git push    (with its upstream)"), 7);
    }

    proptest! {
        #[test]
        fn more_text_changes_only_the_last_row(text in "[a-d漢。👍 ]{0,60}", more in "[a-d漢。👍 ]{0,20}", columns in 2usize..20, hang in 0usize..4) {
            let layout = Layout { columns, lead: hang, hang: hang.min(columns / 3), fixed: None };
            let before = rows(&text, layout);
            let after = rows(&format!("{text}{more}"), layout);
            let settled = before.len() - 1;
            prop_assert_eq!(&before[..settled], &after[..settled]);
            prop_assert_eq!(before[settled].start, after[settled].start);
        }

        #[test]
        fn nothing_but_blanks_is_lost(text in "[a-d漢。 ]{0,60}", columns in 2usize..20) {
            let kept: String = wrapped(&text, columns).concat();
            prop_assert_eq!(kept.replace(' ', ""), text.replace(' ', ""));
            for row in wrapped(&text, columns) {
                let has_long_word = row.split(' ').any(|word| width::cells(word) > columns);
                prop_assert!(width::cells(row) <= columns || has_long_word || row.starts_with(' '), "{row:?}");
            }
        }
    }
}
