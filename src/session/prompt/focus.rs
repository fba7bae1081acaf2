//! Who the keys are for while a question is open: the question, or the shell's next prompt.
//!
//! People type their next command while the agent works, and a question may appear in the middle of it. So a question gets the keys only
//! from somebody who types nothing else: nothing waits for the prompt, and no key was pressed for a while. Otherwise the keys go on to the
//! prompt, until the person asks for the question with the hotkey, or empties the waiting line and rests.

use std::time::{Duration, Instant};

/// How long nothing may be typed before a question gets the keys by itself.
pub(in crate::session) const REST: Duration = Duration::from_secs(1);

/// Nobody reads a question and decides faster. A letter that comes sooner is probably the first of a command.
const READING: Duration = Duration::from_millis(400);

/// For how long no key may follow a letter that answers. People who type slowly need 400 ms from key to key.
const ALONE: Duration = Duration::from_millis(500);

/// The same for a letter that came before anybody can have read the question.
const ALONE_UNREAD: Duration = Duration::from_millis(1500);

/// Who the keys are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Focus {
    /// The terminal has not accepted all bytes of the question yet. Keys are for the prompt.
    Drawing,
    /// Keys answer the question, since this time.
    Question(Instant),
    /// Keys are for the prompt.
    Prompt,
}

/// The state of the session when all keys that were waiting have been read.
#[derive(Debug, Clone, Copy)]
pub(in crate::session) struct QuestionMoment<'a> {
    pub(in crate::session) now: Instant,
    /// Whether the terminal has accepted all queued bytes.
    pub(in crate::session) is_drawn: bool,
    /// When a key was last typed for the prompt.
    pub(in crate::session) typed: Option<Instant>,
    /// The keys that wait for the prompt.
    pub(in crate::session) waiting: &'a [u8],
}

impl QuestionMoment<'_> {
    /// Whether the person types for the prompt.
    fn is_typing(&self) -> bool {
        let is_resting = self.typed.is_none_or(|at| self.now.saturating_duration_since(at) >= REST);
        !self.waiting.is_empty() || !is_resting
    }
}

impl Focus {
    /// The focus at a moment.
    pub(super) fn at(self, moment: QuestionMoment<'_>) -> Focus {
        match self {
            Focus::Drawing if !moment.is_drawn => self,
            Focus::Drawing | Focus::Prompt if moment.is_typing() => Focus::Prompt,
            Focus::Drawing | Focus::Prompt => Focus::Question(moment.now),
            Focus::Question(_) => self,
        }
    }

    /// For how long no key may follow a letter that was typed now.
    pub(super) fn alone(self, now: Instant) -> Duration {
        match self {
            Focus::Question(since) if now.saturating_duration_since(since) >= READING => ALONE,
            Focus::Question(_) | Focus::Drawing | Focus::Prompt => ALONE_UNREAD,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_question_gets_the_keys_when_it_is_drawn_and_nobody_types() {
        let start = Instant::now();
        let at = |ms: u32, is_drawn, typed: Option<u32>, waiting| QuestionMoment {
            now: start + ms * MS,
            is_drawn,
            typed: typed.map(|ms| start + ms * MS),
            waiting,
        };
        assert_eq!(Focus::Drawing.at(at(2000, false, None, b"")), Focus::Drawing, "a slow terminal");
        assert_eq!(Focus::Drawing.at(at(2000, true, None, b"")), Focus::Question(start + 2000 * MS));
        assert_eq!(Focus::Drawing.at(at(5000, true, Some(0), b"l")), Focus::Prompt, "a line waits, however old");
        assert_eq!(Focus::Drawing.at(at(999, true, Some(0), b"")), Focus::Prompt, "a key was just erased");
        assert_eq!(Focus::Prompt.at(at(999, true, Some(0), b"")), Focus::Prompt);
        assert_eq!(Focus::Prompt.at(at(1000, true, Some(0), b"")), Focus::Question(start + 1000 * MS));
        assert_eq!(Focus::Prompt.at(at(9000, true, Some(0), b"l")), Focus::Prompt);
    }

    #[test]
    fn a_letter_before_anybody_can_have_read_the_question_has_to_stand_alone_for_longer() {
        let start = Instant::now();
        let focus = Focus::Question(start);
        assert_eq!(focus.alone(start + 399 * MS), ALONE_UNREAD);
        assert_eq!(focus.alone(start + 400 * MS), ALONE);
    }
}
