//! The rows of the screen that the line occupies.
//!
//! Cursor moves are relative, so the absolute row is never needed. Nothing above the first row is ever changed.

use crossterm::cursor::{Hide, MoveDown, MoveRight, MoveTo, MoveUp, Show};
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};

use super::layout::{Picture, ScreenRow};
use crate::text::ansi::Put;

/// The screen that the line is painted on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EditorScreen {
    pub rows: u16,
    pub columns: u16,
    /// The prompt before the text.
    pub prompt: &'static str,
    pub colour: bool,
    /// Whether the terminal cannot move its cursor (`TERM=dumb`).
    pub is_plain: bool,
    /// Whether the terminal rewraps rows when it gets narrower.
    pub reflows: bool,
}

/// The part of the screen that is currently drawn.
#[derive(Debug, Default)]
pub(super) struct Pane {
    /// The width of each drawn row in cells.
    drawn: Vec<usize>,
    /// Row and column of the cursor, relative to the first drawn row.
    cursor: (usize, usize),
    /// The first visible row of a picture that is taller than the screen.
    first: usize,
    clears_screen: bool,
    /// The text that was last printed on a terminal without cursor moves.
    printed: String,
}

impl Pane {
    pub(super) fn clear_screen(&mut self) {
        self.clears_screen = true;
    }

    pub(super) fn paint(&mut self, picture: Picture, screen: &EditorScreen, out: &mut Vec<u8>) {
        if screen.is_plain {
            return self.print(&picture, out);
        }
        out.put(BeginSynchronizedUpdate).put(Hide);
        if std::mem::take(&mut self.clears_screen) {
            out.put(MoveTo(0, 0)).put(Clear(ClearType::All));
        } else {
            self.to_first_row(out);
        }
        let (rows, cursor) = self.window(picture, screen);
        for (number, row) in rows.iter().enumerate() {
            if number > 0 {
                out.extend_from_slice(b"\r\n");
            }
            out.extend_from_slice(row.bytes.as_bytes());
            // After a full row the cursor is still on its last cell, which would be erased.
            if row.cells < usize::from(screen.columns) {
                out.put(Clear(ClearType::UntilNewLine));
            }
        }
        let last = rows.len() - 1;
        if rows.len() < self.drawn.len() {
            out.extend_from_slice(b"\r\n");
            out.put(Clear(ClearType::FromCursorDown)).put(MoveUp(1));
        }
        up(last - cursor.0, out);
        out.push(b'\r');
        if cursor.1 > 0 {
            out.put(MoveRight(cells(cursor.1)));
        }
        out.put(Show).put(EndSynchronizedUpdate);
        self.drawn = rows.iter().map(|row| row.cells).collect();
        self.cursor = cursor;
    }

    /// The rows that fit on the screen, the cursor's row among them.
    fn window(&mut self, picture: Picture, screen: &EditorScreen) -> (Vec<ScreenRow>, (usize, usize)) {
        let height = usize::from(screen.rows.saturating_sub(1)).max(1);
        let Picture { mut rows, cursor, text_rows } = picture;
        // The completion list gets at most half of the rows.
        let below = (rows.len() - text_rows).min(height / 2);
        rows.truncate(text_rows + below);
        let room = height - below;
        let most = text_rows.saturating_sub(room);
        self.first = self.first.min(most).min(cursor.0).max((cursor.0 + 1).saturating_sub(room));
        rows.drain((self.first + room).min(text_rows)..text_rows);
        rows.drain(..self.first);
        if rows.is_empty() {
            rows.push(ScreenRow::default());
        }
        (rows, (cursor.0 - self.first, cursor.1))
    }

    /// For a terminal without cursor moves: prints the added text, or the whole text again if it changed otherwise.
    fn print(&mut self, picture: &Picture, out: &mut Vec<u8>) {
        let rows: Vec<String> = picture.rows[..picture.text_rows].iter().map(|row| unstyled(&row.bytes)).collect();
        let text = rows.join("\r\n");
        match text.strip_prefix(&self.printed) {
            Some(more) => out.extend_from_slice(more.as_bytes()),
            None => out.extend_from_slice(format!("\r\n{text}").as_bytes()),
        }
        self.printed = text;
    }

    /// Erases the rows and leaves the cursor at the start of the first one.
    pub(super) fn lift(&mut self, out: &mut Vec<u8>) {
        if !self.printed.is_empty() {
            self.printed.clear();
            out.extend_from_slice(b"\r\n");
        }
        if !self.drawn.is_empty() {
            self.to_first_row(out);
            out.put(Clear(ClearType::FromCursorDown));
            self.drawn.clear();
        }
        self.cursor = (0, 0);
    }

    /// Leaves the rows on the screen and moves the cursor below them.
    pub(super) fn leave(&mut self, out: &mut Vec<u8>) {
        if !self.drawn.is_empty() {
            let down = self.drawn.len() - 1 - self.cursor.0;
            if down > 0 {
                out.put(MoveDown(cells(down)));
            }
        }
        out.extend_from_slice(b"\r\n");
        *self = Pane::default();
    }

    /// Called after a resize. A narrower terminal may have wrapped each row into several.
    pub(super) fn resized(&mut self, screen: &EditorScreen, out: &mut Vec<u8>) {
        let columns = usize::from(screen.columns.max(1));
        if screen.reflows && !self.drawn.is_empty() {
            let rows_of = |cells: &usize| cells.div_ceil(columns).max(1);
            let above: usize = self.drawn[..self.cursor.0].iter().map(rows_of).sum();
            self.cursor.0 = above + self.cursor.1 / columns;
        }
        self.lift(out);
    }

    fn to_first_row(&self, out: &mut Vec<u8>) {
        up(self.cursor.0, out);
        out.push(b'\r');
    }
}

fn up(rows: usize, out: &mut Vec<u8>) {
    if rows > 0 {
        out.put(MoveUp(cells(rows)));
    }
}

/// Converts a distance for a cursor move.
fn cells(distance: usize) -> u16 {
    u16::try_from(distance).unwrap_or(u16::MAX)
}

/// A row without its styles.
fn unstyled(bytes: &str) -> String {
    let mut plain = String::new();
    let mut rest = bytes;
    while let Some(at) = rest.find("\x1b[") {
        plain.push_str(&rest[..at]);
        let end = rest[at..].find('m').map_or(rest.len(), |end| at + end + 1);
        rest = &rest[end..];
    }
    plain + rest
}
