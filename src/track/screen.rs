//! What is on the screen, played back when somebody asks.
//!
//! On the way of a byte only its copy is kept; a terminal's model is far too slow to stand there.

use std::num::NonZeroU16;

use crate::text::without_titles;

/// Enough for several redraws of a large screen.
const CAP: usize = 256 * 1024;

/// Rows a prompt with what is typed behind it may take.
const TALLEST: u16 = 500;

/// The last bytes that went to the screen.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    bytes: Vec<u8>,
    /// Where the oldest byte is once all room is taken.
    oldest: usize,
    /// How many bytes there have been since the prompt began.
    since_prompt: usize,
}

/// What was found on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScreenContent {
    /// As text, without blanks at the ends.
    pub text: String,
    /// What draws all of it again, from a cleared screen.
    pub whole: Vec<u8>,
    /// What draws the cursor's own lines again, from the start of a row: the prompt with what is typed, or one line of output.
    pub lines: Vec<u8>,
    /// Rows from the first of its own lines down to the cursor, from there to the last that is drawn, and whether its own are empty.
    pub above: u16,
    pub below: u16,
    pub is_blank: bool,
}

impl Screen {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.since_prompt = self.since_prompt.saturating_add(bytes.len());
        let bytes = &bytes[bytes.len().saturating_sub(CAP)..];
        let (fresh, over) = bytes.split_at((CAP - self.bytes.len()).min(bytes.len()));
        self.bytes.extend_from_slice(fresh);
        let (now, wrapped) = over.split_at(over.len().min(self.bytes.len() - self.oldest));
        self.bytes[self.oldest..][..now.len()].copy_from_slice(now);
        self.bytes[..wrapped.len()].copy_from_slice(wrapped);
        if !over.is_empty() {
            self.oldest = (self.oldest + over.len()) % CAP;
        }
    }

    /// A prompt begins here.
    pub(crate) fn prompt(&mut self) {
        self.since_prompt = 0;
    }

    /// Plays it back. `at_prompt` is whether the shell's line editor is in front.
    pub(crate) fn shown(&self, rows: u16, columns: u16, at_prompt: bool) -> ScreenContent {
        let mut bytes = self.bytes[self.oldest..].to_vec();
        bytes.extend_from_slice(&self.bytes[..self.oldest]);
        let mut parser = vt100::Parser::new(size(rows), size(columns), 0);
        parser.process(&without_titles(&bytes));
        let screen = parser.screen();
        let (text, whole) = (screen.contents().trim().to_owned(), screen.contents_formatted().into());
        let below = last_row(screen).saturating_sub(screen.cursor_position().0);
        let prompt = bytes.len().checked_sub(self.since_prompt).filter(|_| at_prompt).map(|at| &bytes[at..]);
        let (above, (lines, is_blank)) = match prompt {
            Some(prompt) => {
                let mut parser = vt100::Parser::new(size(TALLEST), size(columns), 0);
                parser.process(&without_titles(prompt));
                (parser.screen().cursor_position().0, lines(parser.screen(), 0, columns))
            }
            None => {
                let cursor = screen.cursor_position().0;
                let first = (0..cursor).rev().take_while(|&row| screen.row_wrapped(row)).last().unwrap_or(cursor);
                (cursor - first, lines(screen, first, columns))
            }
        };
        ScreenContent { text, whole, lines, above, below, is_blank }
    }
}

/// What draws the rows from `first` on, and puts the cursor where it was; whether nothing is in them.
fn lines(screen: &vt100::Screen, first: u16, columns: u16) -> (Vec<u8>, bool) {
    let (row, column) = screen.cursor_position();
    let last = last_row(screen).max(row);
    let count = usize::from(last - first) + 1;
    let drawn: Vec<Vec<u8>> =
        screen.rows_formatted(0, columns).skip(usize::from(first)).take(count).map(|row| row.into()).collect();
    let is_blank = screen.rows(0, columns).skip(usize::from(first)).take(count).all(|row| row.trim().is_empty());
    let mut out = drawn.join(&b"\x1b[0m\r\n"[..]);
    out.extend_from_slice(b"\x1b[0m\r");
    if last > row {
        out.extend_from_slice(format!("\x1b[{}A", last - row).as_bytes());
    }
    if column > 0 {
        out.extend_from_slice(format!("\x1b[{column}C").as_bytes());
    }
    let attributes: Vec<u8> = screen.attributes_formatted().into();
    out.extend_from_slice(&attributes);
    (out, is_blank && column == 0)
}

/// The last row with something in it.
fn last_row(screen: &vt100::Screen) -> u16 {
    let (_, columns) = screen.size();
    let last = screen.rows(0, u16::from(columns)).enumerate().filter(|(_, row)| !row.trim().is_empty()).last();
    last.and_then(|(row, _)| u16::try_from(row).ok()).unwrap_or(0)
}

fn size(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).unwrap_or(NonZeroU16::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(bytes: &[u8]) -> String {
        let mut parser = vt100::Parser::new(size(10), size(20), 0);
        parser.process(bytes);
        parser.screen().contents().trim_end().to_owned()
    }

    #[test]
    fn the_prompt_is_drawn_again_with_what_is_typed() {
        let mut screen = Screen::default();
        screen.push(b"output\r\n");
        screen.prompt();
        screen.push(b"two\r\nlines $ ls -l\x1b[D");
        let shown = screen.shown(10, 20, true);
        assert_eq!(shown.text, "output\ntwo\nlines $ ls -l");
        assert_eq!(played(&shown.lines), "two\nlines $ ls -l");
        assert_eq!((shown.above, shown.below, shown.is_blank), (1, 0, false));
        assert!(played(&[&shown.lines[..], b"X"].concat()).ends_with("ls -X"));
    }

    #[test]
    fn a_running_program_has_the_line_it_is_in() {
        let mut screen = Screen::default();
        screen.push(b"first\r\n12345678901234567890abc 50%");
        assert_eq!(played(&screen.shown(10, 20, false).lines), "12345678901234567890\nabc 50%");
        screen.push(b"\r\n");
        assert!(screen.shown(10, 20, false).is_blank);
        screen.push(b"\x1bktitle\x1b\\");
        assert!(screen.shown(10, 20, false).is_blank);
    }

    #[test]
    fn it_is_bounded() {
        let mut screen = Screen::default();
        for number in 0..100_000 {
            screen.push(format!("line {number}\r\n").as_bytes());
        }
        assert!(screen.bytes.len() == CAP);
        assert!(screen.shown(10, 20, false).text.ends_with("line 99999"));
        screen.push(&vec![b'x'; 3 * CAP]);
        assert!(screen.bytes.len() == CAP && screen.bytes.iter().all(|&byte| byte == b'x'));
    }
}
