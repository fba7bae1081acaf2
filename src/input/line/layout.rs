//! Lays out the line in rows of the screen.

use unicode_segmentation::UnicodeSegmentation;

use super::complete::{Hint, Menu};
use super::pane::EditorScreen;
use super::search::HistorySearch;
use super::text::EditBuffer;
use crate::text::style::{Ansi, Depth, Style};
use crate::text::{human, sanitize, width};

/// The display of a tab. The width of a real tab would depend on its column.
const TAB: &str = "    ";

/// The rows to be shown, and the cursor's position.
#[derive(Debug, Default)]
pub(super) struct Picture {
    /// No row is wider than the screen.
    pub(super) rows: Vec<ScreenRow>,
    /// Row and column of the cursor.
    pub(super) cursor: (usize, usize),
    /// How many rows the text takes. The rows after them are the completion list.
    pub(super) text_rows: usize,
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct ScreenRow {
    pub(super) bytes: String,
    pub(super) cells: usize,
}

/// Lays out the text, the hint, the completion list or the search.
pub(super) fn picture(
    text: &EditBuffer,
    hint: &Hint,
    menu: Option<&Menu>,
    searching: Option<(&HistorySearch, &str)>,
    screen: &EditorScreen,
) -> Picture {
    let mut pen = Pen::new(screen);
    if let Some((search, found)) = searching {
        let name = format!("search: {}", search.wanted);
        pen.write(Style::colour(Ansi::Cyan), &sanitize(&name).replace('\n', " "));
        let cursor = pen.place(" ");
        pen.write(Style::DIM, if found.is_empty() { "" } else { "  " });
        pen.write(Style::PLAIN, &sanitize(found).replace(['\n', '\t'], " "));
        let rows = pen.rows();
        return pen.picture(cursor, rows);
    }
    pen.write(Style::BOLD.and(Style::colour(Ansi::Cyan)), screen.prompt);
    let mut cursor = None;
    for (at, grapheme) in text.as_str().grapheme_indices(true) {
        if at >= text.cursor() && cursor.is_none() {
            cursor = Some(pen.place(grapheme));
        }
        match grapheme {
            "\n" | "\r\n" => {
                pen.newline();
                pen.write(Style::DIM, &" ".repeat(width::cells(screen.prompt)));
            }
            "\t" => pen.write(Style::PLAIN, TAB),
            _ => match grapheme.chars().next().and_then(|letter| text.fold(letter)) {
                Some(paste) => pen.write(Style::DIM, &fold_name(paste)),
                None => pen.write(Style::PLAIN, &sanitize(grapheme)),
            },
        }
    }
    let cursor = cursor.unwrap_or_else(|| pen.place(" "));
    pen.write(Style::DIM, &sanitize(&hint.typed).replace('\t', TAB));
    if !hint.help.is_empty() {
        // The help is cut to the row: it never adds a second one.
        let gap = if text.is_empty() { "" } else { "   " };
        let room = pen.columns().saturating_sub(pen.row.cells + gap.len() + 1);
        pen.write(Style::DIM, &format!("{gap}{}", width::fit(&sanitize(&hint.help), room)));
    }
    let text_rows = pen.rows();
    for (line, is_chosen) in menu.map(|menu| menu.lines(screen)).unwrap_or_default() {
        pen.newline();
        let style = if is_chosen { Style { reverse: true, ..Style::PLAIN } } else { Style::PLAIN };
        let (offer, help) = line;
        let room = usize::from(screen.columns.max(2)) - 1;
        let offer = width::fit(&offer, room);
        pen.write(style, offer);
        pen.write(Style::DIM, width::fit(&help, room.saturating_sub(width::widest(offer))));
    }
    pen.picture(cursor, text_rows)
}

fn fold_name(paste: &str) -> String {
    let lines = paste.lines().count();
    format!("[pasted {}, {lines} {}]", human::size(paste.len() as u64), if lines == 1 { "line" } else { "lines" })
}

/// Writes text into rows and begins a new row when one is full.
struct Pen<'a> {
    screen: &'a EditorScreen,
    done: Vec<ScreenRow>,
    row: ScreenRow,
}

impl<'a> Pen<'a> {
    fn new(screen: &'a EditorScreen) -> Pen<'a> {
        Pen { screen, done: Vec::new(), row: ScreenRow::default() }
    }

    fn columns(&self) -> usize {
        usize::from(self.screen.columns.max(2))
    }

    /// The number of rows so far, the current one included.
    fn rows(&self) -> usize {
        self.done.len() + 1
    }

    /// The position of the next grapheme. If the row is full, that is the start of a new row.
    fn place(&mut self, grapheme: &str) -> (usize, usize) {
        let is_full = self.row.cells + width::cells(grapheme).max(1) > self.columns();
        if is_full && matches!(grapheme, "\n" | "\r\n") {
            return (self.done.len(), self.columns() - 1);
        }
        if is_full {
            self.newline();
        }
        (self.done.len(), self.row.cells)
    }

    fn newline(&mut self) {
        self.done.push(std::mem::take(&mut self.row));
    }

    fn write(&mut self, style: Style, text: &str) {
        let depth = if self.screen.colour { Depth::Ansi16 } else { Depth::None };
        let mut run = String::new();
        for grapheme in text.graphemes(true) {
            let cells = width::cells(grapheme);
            if self.row.cells + cells > self.columns() {
                self.row.bytes += &style.paint(&run, depth);
                run.clear();
                self.newline();
            }
            run.push_str(grapheme);
            self.row.cells += cells;
        }
        self.row.bytes += &style.paint(&run, depth);
    }

    fn picture(mut self, cursor: (usize, usize), text_rows: usize) -> Picture {
        self.newline();
        Picture { rows: self.done, cursor, text_rows }
    }
}
