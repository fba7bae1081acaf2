//! The part of the screen that may be redrawn.
//!
//! It begins at the first row that is not final and ends at the cursor. Everything above is scrollback and never changed. Cursor moves are
//! relative, so the absolute row is never needed. Text that is added at the end is simply written; the cursor moves up only for a change
//! within the region.

use crossterm::cursor::{MoveRight, MoveUp};
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};

use crate::text::ansi::Put;
use crate::text::width;
use crate::text::wrap::Fixed;

use super::line::{Hang, StyledLine, Wrap};
use super::look::Look;
use super::options::NEWLINE;
use super::theme::Theme;
use super::{RenderOptions, ScreenSize};

/// Final output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Final {
    Line(StyledLine),
    /// The beginning of a line that continues.
    Part(StyledLine),
}

pub(super) struct Region {
    options: RenderOptions,
    /// The rows on the screen that may be redrawn. The cursor is at the end of the last one. The terminal may wrap a row further.
    drawn: Vec<StyledLine>,
    /// How many of these rows belong to the first line.
    first_rows: usize,
    /// The text of the first line, as it was drawn.
    first_text: String,
    /// The final part of the first line, from the start of its row on.
    tail: StyledLine,
    /// Set if the first row takes an unknown number of screen rows, because the terminal was resized or terminals disagree on its width. Such
    /// a row can be extended but not redrawn.
    fixed: Option<Fixed>,
}

impl Region {
    pub(super) fn new(options: RenderOptions) -> Region {
        Region {
            options,
            drawn: Vec::new(),
            first_rows: 0,
            first_text: String::new(),
            tail: StyledLine::new(),
            fixed: None,
        }
    }

    /// Whether terminals disagree on how many screen rows this row takes.
    fn is_disputed(&self, text: &str) -> bool {
        width::is_disputed(text, self.columns())
    }

    /// Draws the final output, then the live lines, then the status line. The status line is left out if the cursor could not return above it.
    pub(super) fn paint(
        &mut self,
        finals: Vec<Final>,
        live: Vec<StyledLine>,
        mut status: Option<StyledLine>,
        out: &mut Vec<u8>,
    ) {
        let mut complete = Vec::new();
        let mut open = std::mem::take(&mut self.tail);
        for one in finals {
            match one {
                Final::Part(more) => open.extend(&more),
                Final::Line(rest) => {
                    open.extend(&rest);
                    complete.push(std::mem::take(&mut open));
                }
            }
        }
        let mut live = live.into_iter();
        let more = live.next().or_else(|| (!open.is_empty()).then(StyledLine::new)).or_else(|| status.take());
        let first = more.map(|more| {
            let mut first = open.clone();
            first.extend(&more);
            first
        });
        let mut fixed = self.fixed;
        let mut rows = |line: &StyledLine| line.rows(&self.options, fixed.take()).into_iter().map(|row| row.line);
        let mut lines: Vec<StyledLine> = complete.iter().flat_map(&mut rows).collect();
        let before = lines.len();
        lines.extend(first.iter().flat_map(&mut rows));
        let first_rows = lines.len() - before;
        lines.extend(live.flat_map(|line| rows(&line).collect::<Vec<StyledLine>>()));
        let is_fixed = complete.is_empty() && self.fixed.is_some_and(|fixed| !fixed.is_closed);
        let is_locked = is_fixed || lines[before..].iter().any(|line| self.is_disputed(&line.text()));
        lines.extend(status.filter(|_| !is_locked).iter().flat_map(rows));
        self.draw(&lines, out);
        if !complete.is_empty() {
            self.fixed = None;
            if first.is_none() {
                self.newline(out);
            }
        }
        self.drawn = lines.split_off(before);
        if self.fixed.is_some_and(|fixed| fixed.is_closed) && self.drawn.len() == 1 {
            self.drawn.push(StyledLine::new());
        }
        self.first_rows = first_rows;
        self.first_text = first.map(|line| line.text()).unwrap_or_default();
        self.keep_tail(open);
        self.fix_disputed();
    }

    /// Erases the rows that can be erased, so that other output can start at an empty line.
    pub(super) fn lift(&mut self, out: &mut Vec<u8>) {
        if self.fixed.is_some() {
            // The first line stays on the screen. Later text continues below it, beginning with the word that is cut there.
            if !self.fixed.is_some_and(|fixed| fixed.is_closed)
                || self.drawn.last().is_some_and(|line| !line.is_empty())
            {
                self.newline(out);
            }
            let length = self.first_text.rfind(' ').map_or(0, |blank| blank + 1);
            return self.fix(Fixed { length, is_closed: true });
        }
        if self.drawn.iter().any(|line| !line.is_empty()) {
            self.rewind(0, 0, out);
        }
        let end = self.tail.text().trim_end().len();
        if end > 0 {
            self.tail.slice(0..end).write(&self.options, out);
            self.newline(out);
        }
        self.drawn.clear();
        self.tail = StyledLine::new();
    }

    /// Called after a resize. Terminals rewrap rows differently, so only the row of the cursor is still known.
    pub(super) fn set_theme(&mut self, theme: Theme) {
        self.options.theme = theme;
    }

    pub(super) fn resize(&mut self, size: ScreenSize, out: &mut Vec<u8>) {
        let old = self.columns();
        self.options.resize(size);
        let new = self.columns();
        let heights = |line: &StyledLine| [old, new].map(|columns| width::flow(&line.text(), 0, columns).rows + 1);
        let is_below = self.drawn.len() > self.first_rows;
        while self.drawn.len() > self.first_rows {
            let [before, after] = self.drawn.pop().map_or([1, 1], |line| heights(&line));
            // The smaller number of rows: a leftover row is better than erasing final output.
            for row in 0..before.min(after) {
                if row > 0 {
                    out.put(MoveUp(1));
                }
                out.push(b'\r');
                out.put(Clear(ClearType::UntilNewLine));
            }
            if self.drawn.len() > self.first_rows {
                out.put(MoveUp(1));
            }
        }
        let is_known = |line: &StyledLine| {
            let [before, after] = heights(line);
            before == 1 && after == 1 && width::widest(&line.text()) <= old.min(new)
        };
        if self.fixed.is_none() && self.drawn.iter().all(is_known) {
            if is_below && !self.drawn.is_empty() {
                out.put(MoveUp(1));
            }
            self.rewind(0, 0, out);
            return self.drawn.clear();
        }
        if self.drawn.is_empty() {
            return;
        }
        self.fix(Fixed { length: self.first_text.len(), is_closed: is_below });
    }

    /// Marks the first line as fixed: from now on it can be extended but not redrawn.
    fn fix(&mut self, fixed: Fixed) {
        self.fixed = Some(fixed);
        let length = fixed.length.min(self.first_text.len());
        let line = StyledLine::of(Look::PLAIN, &self.first_text[..length]);
        self.drawn = if fixed.is_closed { vec![line, StyledLine::new()] } else { vec![line] };
        self.first_rows = 1;
    }

    /// Erases all rows after a resize, where it is known whether the terminal wraps its rows again when it gets narrower. Every row was
    /// written with a line break and fits the old window.
    pub(super) fn erase_resized(&mut self, size: ScreenSize, reflows: bool, out: &mut Vec<u8>) {
        self.options.resize(size);
        let columns = self.columns();
        let rows = |line: &StyledLine| if reflows { width::flow(&line.text(), 0, columns).rows + 1 } else { 1 };
        let above: usize = self.drawn.iter().map(rows).sum::<usize>().saturating_sub(1);
        let above = above.min(usize::from(self.options.rows).saturating_sub(1));
        out.push(b'\r');
        if above > 0 {
            out.put(MoveUp(u16::try_from(above).unwrap_or(u16::MAX)));
        }
        out.put(Clear(ClearType::FromCursorDown));
        self.drawn.clear();
        self.first_rows = 0;
        self.first_text.clear();
        self.fixed = None;
    }

    /// Keeps the final part of the first line from the start of its last row on. The rows above leave the region.
    fn keep_tail(&mut self, open: StyledLine) {
        let length = open.text().len();
        if length == 0 {
            self.tail = open;
            return;
        }
        let live = self.first_text.split_off(length);
        let mut rows = open.rows(&self.options, self.fixed);
        let is_fixed = self.fixed.is_some_and(|fixed| fixed.length >= length);
        match rows.pop().filter(|_| !is_fixed) {
            None => {
                self.tail = open;
                self.drop_beginning(length);
            }
            Some(last) => {
                let passed = rows.len().min(self.drawn.len().saturating_sub(1));
                self.drawn.drain(..passed);
                self.first_rows = self.first_rows.saturating_sub(passed);
                self.fixed = self.fixed.filter(|_| passed == 0);
                self.tail = open.continued_from(last.start, &self.options);
                let shown = last.line.text();
                match self.fixed {
                    Some(fixed) => self.drop_beginning(fixed.length),
                    None if width::is_settled(&shown) => self.drop_beginning(width::last_row(&shown, self.columns())),
                    None => {}
                }
            }
        }
        self.first_text = self.tail.text() + &live;
    }

    /// Drops the part of the first row that is above the cursor's row.
    fn drop_beginning(&mut self, cut: usize) {
        if cut == 0 {
            return;
        }
        let wrap = match self.tail.wrap {
            Wrap::Words(hang) => Wrap::Words(Hang { lead: 0, ..hang }),
            Wrap::Terminal => Wrap::Terminal,
        };
        self.tail = StyledLine { wrap, ..self.tail.slice(cut..self.tail.text().len()) };
        if let Some(row) = self.drawn.first_mut() {
            *row = row.slice(cut..row.text().len());
        }
        if let Some(fixed) = &mut self.fixed {
            fixed.length = fixed.length.saturating_sub(cut);
        }
    }

    /// Fixes the first row if terminals disagree on how many rows it takes.
    fn fix_disputed(&mut self) {
        let Some(text) = self.drawn.first().map(StyledLine::text) else { return };
        if self.is_disputed(&text) && self.fixed.is_none_or(|fixed| !fixed.is_closed) {
            self.fixed = Some(Fixed { length: text.len(), is_closed: false });
        }
    }

    fn columns(&self) -> usize {
        self.options.width()
    }

    fn newline(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(NEWLINE);
    }

    fn draw(&mut self, lines: &[StyledLine], out: &mut Vec<u8>) {
        if self.fixed.is_some() && self.draw_fixed(lines, out) {
            return;
        }
        let same = self.drawn.iter().zip(lines).take_while(|(old, new)| old == new).count();
        if same == self.drawn.len() {
            if same > 0 && same < lines.len() {
                self.newline(out);
            }
            return self.write(&lines[same..], out);
        }
        let grown = lines.get(same).and_then(|line| line.after(&self.drawn[same]));
        if let Some(rest) = grown.filter(|_| same + 1 == self.drawn.len()) {
            return self.append(&rest, &lines[same + 1..], out);
        }
        if self.options.synchronized {
            out.put(BeginSynchronizedUpdate);
        }
        self.redraw(same, lines, out);
        if self.options.synchronized {
            out.put(EndSynchronizedUpdate);
        }
    }

    /// Writes the rest of the cursor's row, and further rows.
    fn append(&self, rest: &StyledLine, lines: &[StyledLine], out: &mut Vec<u8>) {
        rest.write(&self.options, out);
        if !lines.is_empty() {
            self.newline(out);
        }
        self.write(lines, out);
    }

    /// Redraws the rows from this index on.
    fn redraw(&mut self, same: usize, lines: &[StyledLine], out: &mut Vec<u8>) {
        // If rows are only removed, the cursor must end up at the end of the last remaining row.
        let from = if same == lines.len() { same.saturating_sub(1) } else { same };
        if let Some(fixed) = self.fixed.as_mut().filter(|_| from == 0) {
            // The position of the first row's end is unknown, so the cursor stays below it.
            fixed.is_closed = true;
            return self.rewind(1, 0, out);
        }
        let kept = match (self.drawn.get(from), lines.get(from)) {
            (Some(old), Some(new)) => self.kept(old, new),
            (Some(_) | None, _) => 0,
        };
        let cells = lines.get(from).map_or(0, |line| width::cells(&line.text()[..kept]));
        self.rewind(from, cells, out);
        if let Some(line) = lines.get(from) {
            self.append(&line.slice(kept..line.text().len()), &lines[from + 1..], out);
        }
    }

    /// How many bytes of a row need no redraw: whole words that fit into its first screen row.
    fn kept(&self, old: &StyledLine, new: &StyledLine) -> usize {
        let text = new.text();
        let kept = text[..new.common(old)].rfind(' ').map_or(0, |blank| blank + 1);
        let kept = &text[..kept];
        if width::is_settled(kept) && width::cells(kept) < self.columns() { kept.len() } else { 0 }
    }

    /// Draws over a first row that cannot be redrawn. If only its look has changed, it stays as it is. Otherwise it is written again below.
    /// Returns whether nothing is left to draw.
    fn draw_fixed(&mut self, lines: &[StyledLine], out: &mut Vec<u8>) -> bool {
        let (Some(old), Some(new)) = (self.drawn.first(), lines.first()) else { return false };
        match new.skip_text(&old.text()) {
            Some(rest) if rest.is_empty() => {
                self.drawn[0] = new.clone();
                false
            }
            Some(rest) => {
                self.append(&rest, &lines[1..], out);
                true
            }
            None => {
                self.newline(out);
                self.fixed = None;
                self.write(lines, out);
                true
            }
        }
    }

    fn write(&self, lines: &[StyledLine], out: &mut Vec<u8>) {
        for (index, line) in lines.iter().enumerate() {
            if index > 0 {
                self.newline(out);
            }
            line.write(&self.options, out);
        }
    }

    /// Moves the cursor to this column of this row and erases everything after it.
    fn rewind(&mut self, index: usize, column: usize, out: &mut Vec<u8>) {
        let mut rows = 0;
        for (at, line) in self.drawn.iter().enumerate().skip(index) {
            rows += width::flow(&line.text(), 0, self.columns()).rows + usize::from(at > index);
        }
        // The cursor cannot move above the top of the screen.
        let rows = rows.min(usize::from(self.options.rows).saturating_sub(1));
        for row in 0..=rows {
            out.push(b'\r');
            if row == rows && column > 0 {
                out.put(MoveRight(u16::try_from(column).unwrap_or(u16::MAX)));
            }
            out.put(Clear(ClearType::UntilNewLine));
            if row < rows {
                out.put(MoveUp(1));
            }
        }
    }
}
