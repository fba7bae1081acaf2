//! Lines that bash wipes to call our hook, and draws again.

use crate::track::{Mark, Redraw, Step, Zone, rows_down, wipe};

use super::{Floor, Stage};

impl Stage {
    /// Keeps what readline draws around a call of our hook from the screen. What is to be shown of these bytes, if anything is.
    pub(super) fn hide_redraw<'a>(&mut self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        if let Some(redraw) = &mut self.redraw {
            match redraw.push(bytes, |prompt, has_mark| self.tracker.begins_line(prompt, has_mark)) {
                Step::More => {}
                Step::Same(ending) => {
                    self.redraw = None;
                    self.down = 0;
                    self.show(&ending);
                }
                Step::Other => self.show_redraw(),
            }
            return None;
        }
        self.show_redraw();
        let is_edited = self.floor == Floor::Shell && self.tracker.zone() == Zone::Input && !self.is_covered;
        if !is_edited || self.enters == 0 {
            self.down = 0;
            return Some(bytes);
        }
        let (before, wipe) = bytes.split_at(wipe(bytes).unwrap_or(bytes.len()));
        self.down = rows_down(self.down, before);
        self.wipe = wipe.to_vec();
        (!before.is_empty()).then_some(before)
    }

    /// Whether this mark is part of a redraw that is hidden. Any other ends it.
    pub(super) fn hides(&mut self, mark: &Mark) -> bool {
        if matches!(mark, Mark::Wiped { .. }) {
            self.enters = self.enters.saturating_sub(1);
        }
        match (mark, &mut self.redraw) {
            (Mark::Input, Some(redraw)) => redraw.input(),
            (Mark::Wiped { text: Some(text) }, None) if !self.wipe.is_empty() => {
                let wipe = std::mem::take(&mut self.wipe);
                self.wipes_lines = true;
                self.redraw = Redraw::new(wipe.clone(), self.down, text.clone());
                if self.redraw.is_none() {
                    self.show(&wipe);
                }
            }
            (Mark::Start { .. } | Mark::End { .. }, Some(redraw)) if redraw.is_blank() => {
                let rest = self.redraw.take().map(|redraw| redraw.into_parts().1);
                self.show(&rest.unwrap_or_default());
            }
            _ => self.show_redraw(),
        }
        self.redraw.is_some()
    }

    /// Shows what was kept from the screen, as if it never had been.
    pub(super) fn show_redraw(&mut self) {
        let wipe = std::mem::take(&mut self.wipe);
        if !wipe.is_empty() {
            self.show(&wipe);
        }
        if let Some(redraw) = self.redraw.take() {
            let (wipe, drawn) = redraw.into_parts();
            self.show(&wipe);
            self.wiped();
            if !drawn.is_empty() {
                let drawn = self.without_return(&drawn);
                self.show(drawn);
            }
        }
    }

    /// The line is wiped, and what comes next draws it again.
    pub(super) fn wiped(&mut self) {
        // Where no description of the terminal says how to wipe, readline goes on below the line and draws it again. Where one does,
        // it was a job that printed a line meanwhile.
        self.wipes_lines |= !self.tracker.is_below();
        if !self.wipes_lines {
            self.draw(b"\x1b[A");
        }
        // Readline takes its prompt to begin in the first column and wipes what was there before it.
        let before = self.tracker.before_prompt().to_vec();
        if !before.is_empty() {
            self.to_screen.push(b"\r");
            self.to_screen.push(&before);
            self.swallow_return = true;
        }
    }

    /// These bytes, less a return to the first column if they draw a line that did not begin there.
    pub(super) fn without_return<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let is_return = std::mem::take(&mut self.swallow_return) && bytes.starts_with(b"\r");
        if is_return { &bytes[1..] } else { bytes }
    }

    /// Draws the prompt's last line and the accepted text again where the line editor wiped them.
    pub(super) fn repaint(&mut self, line: &[u8]) {
        self.to_screen.push(b"\r");
        self.to_screen.push(self.tracker.prompt_line());
        for &byte in line {
            match byte {
                b'\n' => self.to_screen.push(b"\r\n"),
                b'\t' => self.to_screen.push(b"\t"),
                0..0x20 => self.to_screen.push(&[b'^', byte + 0x40]),
                0x7F => self.to_screen.push(b"^?"),
                _ => self.to_screen.push(&[byte]),
            }
        }
    }
}
