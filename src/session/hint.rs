//! A dim line with the correction of a command that has just failed, if this is configured.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::agent;
use crate::capture::{Output, Size};
use crate::track::Command;

use super::books::Finished;
use super::errands::{Done, Errands};

/// Searches for corrections. The rules read files, so a thread runs them, for one command at a time.
#[derive(Default)]
pub(super) struct Hints {
    is_wanted: bool,
    /// While a thread searches, which may take long on a network file system, later commands get no hint.
    is_looking: Arc<AtomicBool>,
}

impl Hints {
    pub(super) fn new(is_wanted: bool) -> Hints {
        Hints { is_wanted, ..Hints::default() }
    }

    pub(super) fn adopt(&mut self, is_wanted: bool) {
        self.is_wanted = is_wanted;
    }

    /// Searches for the correction of a failed command. The loop gets it as a result of the thread.
    pub(super) fn look(&self, finished: &Finished, size: Size, errands: &Errands) {
        let Finished { command, output } = finished;
        if !self.is_wanted || command.status == 0 || self.is_looking.swap(true, Ordering::AcqRel) {
            return;
        }
        let (command, output, is_looking) = (command.clone(), output.clone(), Arc::clone(&self.is_looking));
        let look = move || {
            let hint = hint(&command, &output, size);
            is_looking.store(false, Ordering::Release);
            hint.map(Done::Hint)
        };
        if !errands.run("hint", look) {
            self.is_looking.store(false, Ordering::Release);
        }
    }
}

/// The probable correction, if the rules are sure of it.
fn hint(command: &Command, output: &Output, size: Size) -> Option<String> {
    let answer = agent::diagnose(command, &output.text(size), std::env::vars_os().collect(), Vec::new());
    let meant = answer.proposals.into_iter().next().filter(|_| answer.is_confident)?;
    Some(format!("perhaps `{}`; `> fix` puts it on your prompt", meant.command.replace('\n', "⏎")))
}
