//! What a turn or a conversation interrupts, and where the floor goes afterwards.

use super::cover::Cover;
use super::{Effect, Floor, Talk};

/// The most output of background jobs that is kept while a question or a line is open. If there is more, the jobs have to wait.
const JOBS_CAP: usize = 64 * 1024;

/// What a turn or a conversation interrupts.
pub(in crate::session) enum Under {
    /// The shell's hook waits.
    Hook(Waiting),
    /// The screen when the hotkey was pressed.
    Screen(Box<Cover>),
}

/// A hook that waits before its prompt.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::session) struct Waiting {
    /// Output of background jobs during the wait.
    pub(in crate::session) jobs: JobOutput,
}

/// Where the floor goes when a turn ends.
pub(in crate::session) enum Back {
    /// To the prompt; the hook waits to draw it.
    Hook(Waiting),
    /// To the conversation that the turn is part of.
    Line(Box<Talk>),
}

/// Output of background jobs while the agent has the floor.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::session) struct JobOutput(Vec<u8>);

impl JobOutput {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has_room(&self) -> bool {
        self.0.len() < JOBS_CAP
    }

    /// Takes the complete lines.
    pub(super) fn take_lines(&mut self) -> Option<Vec<u8>> {
        if self.0.len() >= JOBS_CAP / 2 && !self.0.contains(&b'\n') {
            // A line without an end must not hold back everything after it.
            self.0.extend_from_slice(b"\r\n");
        }
        let end = memchr::memrchr(b'\n', &self.0)? + 1;
        let rest = self.0.split_off(end);
        Some(std::mem::replace(&mut self.0, rest))
    }

    /// Takes everything.
    pub(super) fn take_all(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}

impl Waiting {
    /// Lets the hook continue to its prompt.
    fn end(mut self, effects: &mut Vec<Effect>) -> Floor {
        let rest = self.jobs.take_all();
        if !rest.is_empty() {
            effects.push(Effect::Show(rest));
        }
        effects.push(Effect::EndWait);
        Floor::Returning
    }
}

impl Under {
    pub(super) fn is_screen(&self) -> bool {
        matches!(self, Under::Screen(_))
    }

    /// The output of background jobs, if a hook waits.
    pub(super) fn jobs(&mut self) -> Option<&mut JobOutput> {
        match self {
            Under::Hook(waiting) => Some(&mut waiting.jobs),
            Under::Screen(_) => None,
        }
    }

    /// Gives the floor back to what was interrupted.
    pub(super) fn give_back(self, effects: &mut Vec<Effect>) -> Floor {
        match self {
            Under::Hook(waiting) => waiting.end(effects),
            Under::Screen(cover) => cover.uncover(effects),
        }
    }

    /// Shows bytes that leave the shell's line as it is.
    pub(super) fn draw(&self, bytes: Vec<u8>, effects: &mut Vec<Effect>) {
        push(if self.is_screen() { Effect::Overlay } else { Effect::Draw }, bytes, effects);
    }
}

impl Back {
    pub(super) fn is_covered(&self) -> bool {
        matches!(self, Back::Line(talk) if talk.under.is_screen())
    }

    /// The output of background jobs, if a hook waits.
    pub(super) fn jobs(&mut self) -> Option<&mut JobOutput> {
        match self {
            Back::Hook(waiting) => Some(&mut waiting.jobs),
            Back::Line(talk) => talk.under.jobs(),
        }
    }

    /// The text on the screen below the conversation, until a question has sent it.
    pub(super) fn screen(&mut self) -> Option<&mut Option<String>> {
        match self {
            Back::Line(talk) => talk.screen(),
            Back::Hook(_) => None,
        }
    }

    /// Lets the person edit a question before it is asked again: on the conversation line, or else on the shell's prompt.
    pub(super) fn ask_again(&mut self, question: String, effects: &mut Vec<Effect>) {
        match self {
            Back::Hook(_) => effects.push(Effect::Suggest(format!("> {question}"))),
            Back::Line(talk) => talk.add_draft(&question),
        }
    }

    /// Gives the floor back.
    pub(super) fn give_back(self, effects: &mut Vec<Effect>) -> Floor {
        match self {
            Back::Hook(waiting) => waiting.end(effects),
            Back::Line(talk) => {
                effects.extend([Effect::OpenLine, Effect::RouteHeld]);
                Floor::Talk(talk)
            }
        }
    }

    /// Shows bytes that change the cursor's line.
    pub(super) fn show(&self, bytes: Vec<u8>, effects: &mut Vec<Effect>) {
        push(if self.is_covered() { Effect::Overlay } else { Effect::Show }, bytes, effects);
    }

    /// Shows bytes that leave the shell's line as it is.
    pub(super) fn draw(&self, bytes: Vec<u8>, effects: &mut Vec<Effect>) {
        push(if self.is_covered() { Effect::Overlay } else { Effect::Draw }, bytes, effects);
    }
}

fn push(kind: fn(Vec<u8>) -> Effect, bytes: Vec<u8>, effects: &mut Vec<Effect>) {
    if !bytes.is_empty() {
        effects.push(kind(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_jobs_is_shown_in_complete_lines() {
        let mut jobs = JobOutput::default();
        jobs.push(b"one\r\ntw");
        assert_eq!(jobs.take_lines().as_deref(), Some(&b"one\r\n"[..]));
        assert_eq!(jobs.take_lines(), None);
        jobs.push(b"o\r\nthree");
        assert_eq!(jobs.take_lines().as_deref(), Some(&b"two\r\n"[..]));
        assert_eq!(jobs.take_all(), b"three");
    }

    #[test]
    fn output_of_jobs_without_newlines_is_bounded_and_shown() {
        let mut jobs = JobOutput::default();
        jobs.push(&vec![b'.'; JOBS_CAP]);
        assert!(!jobs.has_room());
        assert_eq!(jobs.take_lines().map(|lines| lines.len()), Some(JOBS_CAP + 2));
        assert!(jobs.has_room());
    }
}
