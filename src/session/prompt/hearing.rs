//! Decides when keys start to answer a question.

use std::time::{Duration, Instant};

/// For this long after a question was drawn, keys do not answer it: nobody reads and decides faster.
pub(in crate::session) const DEAF: Duration = Duration::from_millis(400);

/// If a person was typing for the shell when the question appeared, they have seen it only after a pause of this length.
pub(in crate::session) const STILL_TYPING: Duration = Duration::from_millis(500);

/// Whether keys answer a question yet. Until they do, they are type-ahead for the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum Hearing {
    /// The terminal has not accepted all bytes of the question.
    Drawing,
    /// The question was drawn at this time.
    Deaf(Instant),
    /// Keys answer it.
    Open,
}

/// The state of the terminal when a question may begin to accept keys.
#[derive(Debug, Clone, Copy)]
pub(in crate::session) struct QuestionMoment {
    pub(in crate::session) now: Instant,
    /// Whether the terminal has accepted all queued bytes.
    pub(in crate::session) is_drawn: bool,
    /// When a key last went to the shell.
    pub(in crate::session) typed: Option<Instant>,
}

impl Hearing {
    /// The state at a moment.
    pub(super) fn at(self, moment: QuestionMoment) -> Hearing {
        let QuestionMoment { now, is_drawn, typed } = moment;
        let is_typing = typed.is_some_and(|at| now.saturating_duration_since(at) < STILL_TYPING);
        match self {
            Hearing::Drawing if is_drawn => Hearing::Deaf(now),
            Hearing::Deaf(since) if now.saturating_duration_since(since) >= DEAF && !is_typing => Hearing::Open,
            Hearing::Drawing | Hearing::Deaf(_) | Hearing::Open => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn keys_count_400_ms_after_the_terminal_accepted_the_question() {
        let start = Instant::now();
        let at = |now, is_drawn| QuestionMoment { now, is_drawn, typed: None };
        let drawing = Hearing::Drawing.at(at(start, false));
        assert_eq!(drawing, Hearing::Drawing);
        // A slow terminal accepts it two seconds later; the 400 ms start then.
        let drawn = start + 2000 * MS;
        let deaf = drawing.at(at(drawn, true));
        assert_eq!(deaf, Hearing::Deaf(drawn));
        assert_eq!(deaf.at(at(drawn, true)), deaf);
        assert_eq!(deaf.at(at(drawn + 399 * MS, true)), deaf);
        assert_eq!(deaf.at(at(drawn + 400 * MS, true)), Hearing::Open);
        assert_eq!(Hearing::Open.at(at(drawn, false)), Hearing::Open);
    }

    #[test]
    fn keys_without_a_pause_do_not_answer_a_question() {
        let start = Instant::now();
        let deaf = Hearing::Deaf(start);
        let at = |ms: u32, typed: u32| QuestionMoment {
            now: start + ms * MS,
            is_drawn: true,
            typed: Some(start + typed * MS),
        };
        assert_eq!(deaf.at(at(450, 100)), deaf);
        assert_eq!(deaf.at(at(600, 100)), Hearing::Open);
        assert_eq!(deaf.at(at(1000, 990)), deaf, "they type on");
        assert_eq!(deaf.at(at(1490, 990)), Hearing::Open);
    }
}
