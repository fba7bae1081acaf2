//! What is shown above a prompt: this one, if nobody uses it, or the next.

use crate::capture::Size;
use crate::track::Zone;

use super::{Floor, Stage};

impl Stage {
    /// Keeps whole lines for the next prompt, in place of those kept before.
    pub(in crate::session) fn announce(&mut self, lines: Vec<u8>) {
        self.announcement = lines;
    }

    /// Whether something is kept for the next prompt, and this one is idle. A line that is being edited, or a prompt that does not
    /// begin its line, is left alone.
    pub(in crate::session) fn can_announce_here(&self) -> bool {
        let is_idle = self.is_untouched && self.floor == Floor::Shell && self.zone() == Zone::Input;
        let is_alone = !self.is_covered && !self.modes.full_screen() && self.tracker.before_prompt().is_empty();
        !self.announcement.is_empty() && is_idle && is_alone
    }

    /// Shows what is kept for the next prompt in place of this one, and this one again below it.
    pub(in crate::session) fn announce_here(&mut self, Size { rows, cols }: Size) {
        let shown = self.screen.shown(rows.get(), cols.get(), true);
        self.draw(b"\x1b[0m\r");
        if shown.above > 0 {
            self.draw(format!("\x1b[{}A", shown.above).as_bytes());
        }
        self.draw(b"\x1b[J");
        let lines = std::mem::take(&mut self.announcement);
        self.draw(&lines);
        self.prompt_again();
        self.screen.prompt();
        self.draw(&shown.lines);
    }

    /// Whether what was to be announced has been, since this was last asked.
    pub(in crate::session) fn take_announced(&mut self) -> bool {
        std::mem::take(&mut self.announced)
    }

    /// Shows what is kept above the prompt that comes.
    pub(super) fn show_announcement(&mut self) {
        let lines = std::mem::take(&mut self.announcement);
        if !lines.is_empty() {
            if !self.tracker.at_line_start() {
                self.show(b"\r\n");
            }
            self.show(&lines);
            self.announced = true;
        }
    }
}
