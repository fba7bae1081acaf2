//! Builds a message from a stream of deltas.

use crate::chat::{Call, Event, Message, Part, Role, Thinking, Usage};
use crate::provider::{Delta, Stop};
use crate::text::MIB;

/// The note at the end of an answer that the person stopped.
pub(super) const INTERRUPTED: &str = "[interrupted by the user]";
/// The note at the end of an answer that broke off.
const BROKEN_OFF: &str = "[the answer broke off here]";

/// The largest answer. Models write at most some hundred thousand tokens; a server that sends more does not stop by itself.
pub(super) const LONGEST_ANSWER: usize = 4 * MIB;

/// An answer that is being received.
#[derive(Debug, Default)]
pub(super) struct AnswerDraft {
    parts: Vec<Part>,
    /// The provider's index of each call, and its index in `parts`.
    calls: Vec<(usize, usize)>,
    /// Whether the last part is thinking that may continue.
    is_thinking: bool,
    usage: Usage,
    stop: Option<Stop>,
    /// Bytes of text, thinking and arguments so far.
    bytes: usize,
}

/// A complete answer.
#[derive(Debug, PartialEq)]
pub(super) struct ModelAnswer {
    pub(super) message: Message,
    pub(super) stop: Stop,
}

impl ModelAnswer {
    /// Whether the model reached a length limit before it said or asked for anything.
    pub(super) fn is_cut_before_the_first_word(&self) -> bool {
        let has_calls = self.message.calls().next().is_some();
        self.stop == Stop::Length && !has_calls && self.message.text().trim().is_empty()
    }
}

impl AnswerDraft {
    /// Adds a delta. Returns the event for the front, if there is one. Once the answer is too long, nothing is added.
    pub(super) fn take(&mut self, delta: Delta) -> Option<Event> {
        self.bytes = self.bytes.saturating_add(size(&delta));
        if self.is_too_long() { None } else { self.add(delta) }
    }

    fn add(&mut self, delta: Delta) -> Option<Event> {
        let was_thinking = std::mem::take(&mut self.is_thinking);
        match delta {
            Delta::Thinking(more) => {
                self.is_thinking = true;
                match self.parts.last_mut() {
                    Some(Part::Thinking(thinking)) if was_thinking => thinking.text.push_str(&more),
                    _ => self.parts.push(Part::Thinking(Thinking { text: more.clone(), ..Thinking::default() })),
                }
                Some(Event::Thinking(more))
            }
            Delta::Signature(signature) => {
                match self.parts.last_mut() {
                    Some(Part::Thinking(thinking)) if was_thinking => thinking.signature = Some(signature),
                    _ => {
                        let signature = Some(signature);
                        self.parts.push(Part::Thinking(Thinking { signature, ..Thinking::default() }));
                    }
                }
                None
            }
            Delta::RedactedThinking(data) => {
                self.parts.push(Part::Thinking(Thinking { redacted: Some(data), ..Thinking::default() }));
                None
            }
            Delta::Text(more) if more.is_empty() => None,
            Delta::Text(more) => {
                match self.parts.last_mut() {
                    Some(Part::Text(text)) => text.push_str(&more),
                    _ => self.parts.push(Part::Text(more.clone())),
                }
                Some(Event::Text(more))
            }
            Delta::CallBegan { index, id, name } => {
                self.calls.push((index, self.parts.len()));
                self.parts.push(Part::Call(Call { id, name, arguments: String::new() }));
                None
            }
            Delta::CallArguments { index, json } => {
                let place = self.calls.iter().rev().find(|(known, _)| *known == index).map(|(_, place)| *place);
                if let Some(Part::Call(call)) = place.and_then(|place| self.parts.get_mut(place)) {
                    call.arguments.push_str(&json);
                }
                None
            }
            Delta::Usage(usage) => {
                self.usage = usage;
                Some(Event::Usage(usage))
            }
            Delta::Notice(words) => {
                // A notice does not end the thinking.
                self.is_thinking = was_thinking;
                Some(Event::Notice(words))
            }
            Delta::Stopped(stop) => {
                self.stop = Some(stop);
                None
            }
        }
    }

    /// Whether the answer is longer than any model writes.
    pub(super) fn is_too_long(&self) -> bool {
        self.bytes > LONGEST_ANSWER
    }

    /// Whether text of the answer was shown.
    pub(super) fn has_text(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Text(_)))
    }

    pub(super) fn usage(&self) -> Usage {
        self.usage
    }

    /// The complete answer.
    pub(super) fn finish(self) -> ModelAnswer {
        let stop = self.stop.unwrap_or(Stop::End);
        ModelAnswer { message: Message { role: Role::Assistant, parts: self.parts }, stop }
    }

    /// The part that had arrived when the person stopped the answer.
    pub(super) fn interrupted(self) -> Message {
        self.cut(INTERRUPTED)
    }

    /// The part that had arrived when the answer broke off. `None` if no text was shown.
    pub(super) fn broken_off(self) -> Option<Message> {
        self.has_text().then(|| self.cut(BROKEN_OFF))
    }

    /// Keeps only text, because providers refuse incomplete calls and thinking.
    fn cut(self, note: &str) -> Message {
        let mut text: String = Message { role: Role::Assistant, parts: self.parts }.text();
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(note);
        Message { role: Role::Assistant, parts: vec![Part::Text(text)] }
    }
}

/// The bytes that a delta adds to an answer. The parts of a call count too, however short they are.
fn size(delta: &Delta) -> usize {
    match delta {
        Delta::Thinking(text) | Delta::Signature(text) | Delta::RedactedThinking(text) | Delta::Text(text) => {
            text.len()
        }
        Delta::CallBegan { id, name, .. } => size_of::<Part>() + id.len() + name.len(),
        Delta::CallArguments { json, .. } => json.len(),
        Delta::Usage(_) | Delta::Notice(_) | Delta::Stopped(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drafted(deltas: Vec<Delta>) -> (AnswerDraft, Vec<Event>) {
        let mut draft = AnswerDraft::default();
        let events = deltas.into_iter().filter_map(|delta| draft.take(delta)).collect();
        (draft, events)
    }

    fn thought(text: &str, signature: Option<&str>) -> Part {
        Part::Thinking(Thinking { text: text.into(), signature: signature.map(str::to_owned), redacted: None })
    }

    fn began(index: usize, id: &str) -> Delta {
        Delta::CallBegan { index, id: id.into(), name: "ls".into() }
    }

    fn arguments(index: usize, json: &str) -> Delta {
        Delta::CallArguments { index, json: json.into() }
    }

    fn call(id: &str, arguments: &str) -> Part {
        Part::Call(Call { id: id.into(), name: "ls".into(), arguments: arguments.into() })
    }

    #[test]
    fn deltas_are_joined_and_reported_as_they_arrive() {
        let usage = Usage { input: 3, output: 2, ..Usage::default() };
        let (draft, events) = drafted(vec![
            Delta::Thinking("h".into()),
            Delta::Thinking("m".into()),
            Delta::Signature("s".into()),
            Delta::Text("Lo".into()),
            Delta::Text("ok".into()),
            Delta::Usage(usage),
            Delta::Stopped(Stop::End),
        ]);
        let heard = [
            Event::Thinking("h".into()),
            Event::Thinking("m".into()),
            Event::Text("Lo".into()),
            Event::Text("ok".into()),
            Event::Usage(usage),
        ];
        assert_eq!(events, heard);
        assert_eq!(draft.usage(), usage);
        let answer = draft.finish();
        assert_eq!(answer.stop, Stop::End);
        assert_eq!(answer.message.parts, [thought("hm", Some("s")), Part::Text("Look".into())]);
    }

    #[test]
    fn calls_may_be_interleaved() {
        let (draft, _) = drafted(vec![
            began(0, "a"),
            arguments(0, "{\"p"),
            began(1, "b"),
            arguments(1, "{}"),
            arguments(0, "\":1}"),
            arguments(7, "lost"),
            Delta::Stopped(Stop::ToolUse),
        ]);
        assert_eq!(draft.finish().message.parts, [call("a", "{\"p\":1}"), call("b", "{}")]);
    }

    #[test]
    fn a_signature_ends_its_thinking() {
        let (draft, _) = drafted(vec![
            Delta::Thinking("one".into()),
            Delta::Signature("1".into()),
            Delta::Thinking("two".into()),
            Delta::Notice("by the way".into()),
            Delta::Signature("2".into()),
            Delta::Signature("3".into()),
            Delta::Text("x".into()),
        ]);
        let parts = draft.finish().message.parts;
        let thoughts = [thought("one", Some("1")), thought("two", Some("2")), thought("", Some("3"))];
        assert_eq!(parts[..3], thoughts);
    }

    #[test]
    fn an_interrupted_answer_keeps_only_its_text() {
        let deltas =
            || vec![Delta::Thinking("h".into()), Delta::Text("Half".into()), began(0, "a"), arguments(0, "{\"pa")];
        let message = drafted(deltas()).0.interrupted();
        assert_eq!(message.parts, [Part::Text("Half\n\n[interrupted by the user]".into())]);
        assert_eq!(drafted(deltas()).0.broken_off().unwrap().text(), "Half\n\n[the answer broke off here]");
        assert_eq!(AnswerDraft::default().interrupted().text(), "[interrupted by the user]");
        assert_eq!(AnswerDraft::default().broken_off(), None);
    }
}
