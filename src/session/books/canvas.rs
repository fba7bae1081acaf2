//! Paints on the screen and keeps the records of the screen up to date.

use crate::session::wires::Outbox;
use crate::track::{Screen, Tracker};

/// The terminal's queue with the records that must match it.
pub(in crate::session) struct Canvas<'a> {
    pub(in crate::session) tracker: &'a mut Tracker,
    pub(in crate::session) screen: &'a mut Screen,
    pub(in crate::session) out: &'a mut Outbox,
}

impl Canvas<'_> {
    /// Queues bytes that change the screen and the line with the cursor.
    pub(in crate::session) fn show(&mut self, bytes: &[u8]) {
        self.draw(bytes);
        self.tracker.passed(bytes);
    }

    /// Queues bytes that change the screen, but not the line that the tracker follows.
    pub(in crate::session) fn draw(&mut self, bytes: &[u8]) {
        self.out.push(bytes);
        self.screen.push(bytes);
    }

    /// Queues bytes that restore what, by the records, is already on the screen.
    pub(in crate::session) fn restore(&mut self, bytes: &[u8]) {
        self.out.push(bytes);
    }

    /// Draws the prompt's last line and the accepted line again, after the line editor has erased them.
    pub(in crate::session) fn repaint(&mut self, line: &[u8]) {
        self.out.push(b"\r");
        self.out.push(self.tracker.prompt_line());
        for &byte in line {
            match byte {
                b'\n' => self.out.push(b"\r\n"),
                b'\t' => self.out.push(b"\t"),
                0..0x20 => self.out.push(&[b'^', byte + 0x40]),
                0x7F => self.out.push(b"^?"),
                _ => self.out.push(&[byte]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes for the terminal, the recorded screen, and whether the cursor's line is empty.
    fn after(paint: impl Fn(&mut Canvas<'_>)) -> (String, String, bool) {
        let (mut tracker, mut screen, mut out) = (Tracker::default(), Screen::default(), Outbox::default());
        paint(&mut Canvas { tracker: &mut tracker, screen: &mut screen, out: &mut out });
        let shown = screen.shown(24, 80, false).text;
        (String::from_utf8_lossy(out.front()).into_owned(), shown, tracker.at_line_start())
    }

    #[test]
    fn each_way_of_painting_changes_the_records_that_it_names() {
        assert_eq!(after(|canvas| canvas.show(b"x")), ("x".into(), "x".into(), false));
        assert_eq!(after(|canvas| canvas.draw(b"x")), ("x".into(), "x".into(), true));
        assert_eq!(after(|canvas| canvas.restore(b"x")), ("x".into(), String::new(), true));
    }

    #[test]
    fn an_erased_line_is_painted_as_readline_shows_control_characters() {
        let (painted, shown, _) = after(|canvas| canvas.repaint(b"a\x02\tb\x7f\nc"));
        assert_eq!(painted, "\ra^B\tb^?\r\nc");
        assert_eq!(shown, "", "the records have the line already");
    }
}
