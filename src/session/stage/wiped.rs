//! The wipe filter with the screen that it writes to.

use super::Stage;
use crate::session::books::{Canvas, WipeFilter};

impl Stage {
    /// Shows what the wipe filter holds back.
    pub(super) fn show_redraw(&mut self) {
        let (filter, mut canvas) = self.filter();
        filter.give_up(&mut canvas);
    }

    pub(super) fn filter(&mut self) -> (&mut WipeFilter, Canvas<'_>) {
        let Stage { wipe_filter, tracker, screen, to_screen, .. } = self;
        (wipe_filter, Canvas { tracker, screen, out: to_screen })
    }
}
