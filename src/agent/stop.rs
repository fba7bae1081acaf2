//! Evaluates the reason why a model stopped, and reports problems with the answer.

use super::front::Front;
use crate::chat::{Ending, Event, Failure, FailureKind, Message, Part};
use crate::provider::Stop;

/// Decides whether an answer ends its turn, and reports what is wrong with it. `limit` says why the turn may go no further, if that is
/// so. The returned message can be part of the conversation.
pub(super) fn judge(
    mut message: Message,
    stop: Stop,
    limit: Option<String>,
    front: &dyn Front,
) -> (Message, Option<Ending>) {
    let has_calls = message.calls().next().is_some();
    let is_empty = message.text().trim().is_empty() && !has_calls;
    let failed = |kind, words: &str| Some(Ending::Failed(Failure::new(kind, words)));
    let ending = match stop {
        Stop::Filtered => failed(FailureKind::Refused, "the provider's filter cut the answer off"),
        Stop::Refused(why) if why.trim().is_empty() => failed(FailureKind::Refused, "the model refused to answer"),
        Stop::Refused(why) => failed(FailureKind::Refused, &format!("the model refused to answer: {}", why.trim())),
        Stop::Length if is_empty => {
            failed(FailureKind::NoAnswer, "the model reached its length limit before it answered")
        }
        _ if is_empty => failed(
            FailureKind::NoAnswer,
            "the model gave an empty answer; ask again, or choose another model with /model",
        ),
        Stop::Length => {
            front.hear(Event::Notice("the answer reached the model's length limit and is cut off".to_owned()));
            (!has_calls).then_some(Ending::Answered)
        }
        Stop::Paused => {
            front.hear(Event::Notice("the model paused too often; ask it to continue".to_owned()));
            (!has_calls).then_some(Ending::Answered)
        }
        Stop::Other(reason) => {
            front.hear(Event::Notice(format!("the model stopped for an unknown reason: {}", reason.trim())));
            (!has_calls).then_some(Ending::Answered)
        }
        Stop::End | Stop::ToolUse => (!has_calls).then_some(Ending::Answered),
    };
    let ending = match (ending, limit) {
        (None, Some(words)) => failed(FailureKind::CostLimit, &words),
        (ending, _) => ending,
    };
    if let Some(Ending::Failed(Failure { words, .. })) = &ending {
        // Calls of a failed answer are not run, and an empty message cannot be sent again.
        message.parts.retain(|part| !matches!(part, Part::Call(_)));
        message.parts.push(Part::Text(format!("[{words}]")));
    }
    (message, ending)
}

#[cfg(test)]
mod tests {
    use super::super::testing::Ear;
    use super::*;
    use crate::chat::{Call, Role};

    fn judged(parts: Vec<Part>, stop: Stop) -> (String, Option<Ending>, usize) {
        let ear = Ear::default();
        let (message, ending) = judge(Message { role: Role::Assistant, parts }, stop, None, &ear);
        (message.text(), ending, ear.heard().len())
    }

    fn call() -> Part {
        Part::Call(Call { id: "1".into(), name: "ls".into(), arguments: String::new() })
    }

    fn text(text: &str) -> Part {
        Part::Text(text.into())
    }

    #[test]
    fn a_turn_ends_with_an_answer_without_calls() {
        assert_eq!(judged(vec![text("x")], Stop::End), ("x".into(), Some(Ending::Answered), 0));
        assert_eq!(judged(vec![text("x")], Stop::ToolUse).1, Some(Ending::Answered));
        assert_eq!(judged(vec![text("x"), call()], Stop::End).1, None);
        assert_eq!(judged(vec![call()], Stop::ToolUse).1, None);
    }

    #[test]
    fn a_limit_ends_a_turn_before_its_calls_and_leaves_a_finished_answer_alone() {
        let ear = Ear::default();
        let limited = |parts| {
            let message = Message { role: Role::Assistant, parts };
            judge(message, Stop::ToolUse, Some("too dear".into()), &ear)
        };
        let (message, ending) = limited(vec![text("First I look."), call()]);
        assert_eq!(ending, Some(Ending::Failed(Failure::new(FailureKind::CostLimit, "too dear"))));
        assert_eq!(message.calls().count(), 0);
        assert!(message.text().starts_with("First I look.") && message.text().ends_with("[too dear]"));
        assert_eq!(limited(vec![text("Done.")]).1, Some(Ending::Answered));
    }

    #[test]
    fn every_unusual_stop_reason_is_reported() {
        let failed = |parts, stop| match judged(parts, stop) {
            (kept, Some(Ending::Failed(failure)), 0) => {
                assert!(kept.ends_with(&format!("[{}]", failure.words)), "{kept}");
                failure.words
            }
            other => panic!("{other:?}"),
        };
        assert!(failed(vec![text(" ")], Stop::End).contains("empty"));
        assert!(failed(vec![], Stop::Length).contains("length limit"));
        assert!(failed(vec![text("x"), call()], Stop::Filtered).contains("filter"));
        assert_eq!(failed(vec![], Stop::Refused("no".into())), "the model refused to answer: no");
        assert_eq!(judged(vec![text("x")], Stop::Length), ("x".into(), Some(Ending::Answered), 1));
        assert_eq!(judged(vec![text("x")], Stop::Other("pause".into())).2, 1);
        assert_eq!(judged(vec![call()], Stop::Length), (String::new(), None, 1));
    }
}
