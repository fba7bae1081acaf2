//! The part of the screen we may redraw.
//!
//! It begins at the first line that is not final and ends at the cursor; everything above is scrollback and never touched again.
//! Moves are relative, so the absolute row is never needed. Growth at the end is written as it is; only a change within the region
//! moves the cursor up.

use crate::text::width::{self, Flow};

use super::Options;
use super::line::Line;
use super::options::NEWLINE;

/// What is final, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Final {
    Line(Line),
    /// The beginning of a line that goes on.
    Part(Line),
}

pub(super) struct Region {
    options: Options,
    /// What is on the screen and not final; the cursor is at the end of the last one.
    drawn: Vec<Line>,
    /// The column in which the first line begins, behind parts that are final.
    start: usize,
    /// The first line's rows are unknown: it was resized, or holds characters whose width terminals disagree on. It may grow only.
    locked: bool,
}

impl Region {
    pub(super) fn new(options: Options) -> Region {
        Region { options, drawn: Vec::new(), start: 0, locked: false }
    }

    /// Whether nothing may be drawn below the first line, because there would be no way back.
    pub(super) fn is_locked(&self) -> bool {
        self.locked
    }

    /// Makes the screen show what is final, then what is live.
    pub(super) fn paint(&mut self, finals: Vec<Final>, live: Vec<Line>, out: &mut Vec<u8>) {
        let mut complete = Vec::new();
        let mut part: Option<Line> = None;
        for one in finals {
            match one {
                Final::Part(more) => part.get_or_insert_default().append(&more),
                Final::Line(rest) => {
                    let mut line = part.take().unwrap_or_default();
                    line.append(&rest);
                    complete.push(line);
                }
            }
        }
        let mut lines = complete.clone();
        let mut live = live;
        if part.is_some() && live.is_empty() {
            live.push(Line::new());
        }
        for (index, line) in live.iter().enumerate() {
            let mut whole = part.clone().filter(|_| index == 0).unwrap_or_default();
            whole.append(line);
            lines.push(whole);
        }
        self.draw(&lines, out);
        if !complete.is_empty() {
            self.start = 0;
            self.locked = false;
            if live.is_empty() {
                self.newline(out);
            }
        }
        if let Some(part) = part {
            let text = part.text();
            self.locked |= !width::is_settled(&text);
            self.start = width::flow(&text, self.start, self.columns()).column;
        }
        self.locked |= live.first().is_some_and(|line| self.is_disputed(&line.text()));
        self.drawn = live;
    }

    /// Removes what can be removed, so that others may print from the start of a fresh line.
    pub(super) fn lift(&mut self, out: &mut Vec<u8>) {
        if self.locked {
            // The first line stays, and what comes later goes on below it, from the word that is broken there.
            self.newline(out);
            if let Some(first) = self.drawn.first_mut() {
                first.drop_last_word();
            }
            return;
        }
        if self.drawn.iter().any(|line| !line.is_empty()) {
            self.rewind(0, out);
        }
        if self.start > 0 {
            self.newline(out);
        }
        self.drawn.clear();
        self.start = 0;
    }

    /// Forgets the rows. What a terminal does with its lines on a resize differs; what we know is where the cursor is.
    pub(super) fn resize(&mut self, columns: u16, out: &mut Vec<u8>) {
        let old = self.columns();
        self.options.columns = columns;
        let new = self.columns();
        while let Some(line) = self.drawn.last() {
            let [before, after] = [old, new].map(|columns| width::flow(&line.text(), 0, columns).rows + 1);
            if self.drawn.len() == 1 && (self.start > 0 || before.max(after) > 1) {
                self.locked = true;
                return;
            }
            // The lesser of both: rather leave a trace than touch what is final.
            for row in 0..before.min(after) {
                out.extend_from_slice(if row == 0 { b"\r\x1b[K" } else { b"\x1b[A\r\x1b[K" });
            }
            self.drawn.pop();
            let next_is_kept = self.drawn.len() == 1
                && (self.start > 0 || width::flow(&self.drawn[0].text(), 0, old.min(new)).rows > 0);
            if !self.drawn.is_empty() && !next_is_kept {
                out.extend_from_slice(b"\x1b[A");
            }
        }
        self.locked = false;
    }

    /// Whether terminals disagree on the rows of a first line of this text.
    fn is_disputed(&self, text: &str) -> bool {
        !width::is_settled(text) && self.start + width::widest(text) >= self.columns()
    }

    fn columns(&self) -> usize {
        usize::from(self.options.columns.max(2))
    }

    fn newline(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(NEWLINE);
    }

    fn draw(&mut self, lines: &[Line], out: &mut Vec<u8>) {
        let same = self.drawn.iter().zip(lines).take_while(|(old, new)| old == new).count();
        if same == self.drawn.len() {
            if same > 0 && same < lines.len() {
                self.newline(out);
            }
            return self.write(&lines[same..], out);
        }
        let grown = lines.get(same).and_then(|line| line.after(&self.drawn[same]));
        if let Some(rest) = grown.filter(|_| same + 1 == self.drawn.len()) {
            rest.write(&self.options, out);
            if same + 1 < lines.len() {
                self.newline(out);
            }
            return self.write(&lines[same + 1..], out);
        }
        if same == 0 && self.locked {
            return self.draw_locked(lines, out);
        }
        if self.options.synchronized {
            out.extend_from_slice(b"\x1b[?2026h");
        }
        self.rewind(same, out);
        self.write(&lines[same..], out);
        if self.options.synchronized {
            out.extend_from_slice(b"\x1b[?2026l");
        }
    }

    /// The first line has changed and can't be redrawn: if only in its look, it keeps the old one; otherwise it is written again.
    fn draw_locked(&mut self, lines: &[Line], out: &mut Vec<u8>) {
        let Some(rest) = lines.first().and_then(|line| line.skip_text(&self.drawn[0].text())) else {
            self.newline(out);
            self.start = 0;
            self.locked = false;
            return self.write(lines, out);
        };
        rest.write(&self.options, out);
        if lines.len() > 1 {
            self.newline(out);
        }
        self.write(&lines[1..], out);
    }

    fn write(&self, lines: &[Line], out: &mut Vec<u8>) {
        for (index, line) in lines.iter().enumerate() {
            if index > 0 {
                self.newline(out);
            }
            line.write(&self.options, out);
        }
    }

    /// Moves the cursor to where the line of this index begins and erases from there on.
    fn rewind(&mut self, index: usize, out: &mut Vec<u8>) {
        let mut rows = 0;
        for (at, line) in self.drawn.iter().enumerate().skip(index) {
            let Flow { rows: within, .. } =
                width::flow(&line.text(), if at == 0 { self.start } else { 0 }, self.columns());
            rows += within + usize::from(at > index);
        }
        if index == 0 && self.start >= self.columns() {
            // The wrap that was pending has happened if anything followed it.
            if rows == 0 {
                return;
            }
            rows -= 1;
            self.start = 0;
        }
        let column = if index == 0 { self.start } else { 0 };
        for row in 0..=rows {
            out.push(b'\r');
            if row == rows && column > 0 {
                out.extend_from_slice(format!("\x1b[{column}C").as_bytes());
            }
            out.extend_from_slice(b"\x1b[K");
            if row < rows {
                out.extend_from_slice(b"\x1b[A");
            }
        }
    }
}
