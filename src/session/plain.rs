//! The session after a failure of its own: a plain pipe between the shell and the terminal.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::floor::FloorEvent;
use super::{LoopEnd, Session};

impl Session {
    /// Runs the loop until it ends. After a panic command tracking is off; after a second panic the session ends. The terminal is
    /// always restored.
    pub(super) fn conduct_whatever_comes(&mut self) -> LoopEnd {
        for _ in 0..2 {
            if let Ok(over) = catch_unwind(AssertUnwindSafe(|| self.conduct())) {
                return over;
            }
            self.become_plain();
            self.wires.show();
        }
        LoopEnd::Broken
    }

    /// Turns tracking off: no marks are read, nothing is recorded, no hook waits.
    pub(super) fn become_plain(&mut self) {
        if !std::mem::replace(&mut self.is_plain, true) {
            self.books.scanner = None;
            // Marks of the shell are not translated any more, so the terminal would take all that follows for a part of the prompt.
            self.books.answer(&mut self.wires.to_screen);
            let words = "command tracking failed; recording is off, your shell is unaffected";
            self.books.say(words, &mut self.wires.to_screen);
        }
        self.hang_up_editor();
        self.on(FloorEvent::Abandon);
        self.agent.link = None;
        self.hook.workspace.withdraw();
        let held = self.keyboard.take_held();
        self.send(&held);
    }
}
