//! What is left when something of ours fails: a pipe between the shell and the terminal.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::floor::FloorEvent;
use super::{LoopEnd, Session};

impl Session {
    /// Moves bytes until it is over. A panic costs the following of commands, a second one the session, never the terminal.
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

    /// Follows nothing from here on: no marks are read, nothing is recorded, no hook waits.
    pub(super) fn become_plain(&mut self) {
        if !std::mem::replace(&mut self.is_plain, true) {
            self.books.scanner = None;
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
