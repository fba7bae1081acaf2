//! What is said when the hooks could not be put in place.

use crate::track::Problem;

use super::Stage;

impl Stage {
    pub(super) fn greet(&mut self, problem: Option<Problem>) {
        let line = match problem {
            None => return,
            Some(Problem::TooOld) => "this shell is too old for its hooks, so commands are not recorded",
            Some(Problem::ReadOnly) => "a read-only prompt variable keeps our hooks out, so commands are not recorded",
            Some(Problem::ForeignEditor) => "this line editor cannot be asked, so `> ` lines go to the shell",
        };
        self.say(&format!("{line}; run `shellmate doctor` to see more"));
    }
}
