//! What is left when something of ours fails: a pipe between the shell and the terminal.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Over, Session};

impl Session {
    /// Moves bytes until it is over. A panic costs the following of commands, a second one the session, never the terminal.
    pub(super) fn conduct_whatever_comes(&mut self) -> Over {
        for _ in 0..2 {
            if let Ok(over) = catch_unwind(AssertUnwindSafe(|| self.conduct())) {
                return over;
            }
            self.become_plain();
            self.show();
        }
        Over::Broken
    }

    /// Follows nothing from here on: no marks are read, nothing is recorded, no hook waits.
    pub(super) fn become_plain(&mut self) {
        if std::mem::replace(&mut self.tracking, false) {
            self.stage.say("following commands failed, so nothing more is recorded; your shell goes on");
        }
        self.abandon_turn();
        self.abandon_talk();
        self.stage.cover(false);
        self.agent = None;
        self.workspace.withdraw();
        let held = std::mem::take(&mut self.held);
        self.send(held.front());
    }
}
