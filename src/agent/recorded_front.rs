//! Records the events of an answer in the transcript of the session.
//!
//! The transcript says what was sent, what was called, who allowed it and what came of it. The texts of the conversation are in its
//! own entries, so the pieces of an answer are not recorded a second time. All secrets are masked before anything is written.

use std::sync::Arc;

use serde_json::Value;

use super::{Front, WorkingContext};
use crate::chat::{Event, Outcome};
use crate::guard::Redactor;
use crate::store::ExchangeLog;
use crate::text::{self, KIB};

/// Bytes of one text in an event, such as the arguments or the result of a call.
const TEXT_CAP: usize = 4 * KIB;
/// Bytes at each end of a longer text that are searched for secrets. What is kept of the text is far from where it is cut, so no part of
/// a secret remains.
const SEARCHED: usize = 64 * KIB;

/// A front that records what another one hears.
pub(super) struct RecordedFront {
    front: Arc<dyn Front>,
    log: ExchangeLog,
    redactor: Redactor,
}

impl RecordedFront {
    pub(super) fn new(front: Arc<dyn Front>, log: ExchangeLog, redactor: Redactor) -> RecordedFront {
        RecordedFront { front, log, redactor }
    }
}

impl Front for RecordedFront {
    fn hear(&self, event: Event) {
        if is_recorded(&event) {
            match serde_json::to_value(without_pictures(event.clone())) {
                Ok(value) => self.log.note(masked(value, &self.redactor).to_string()),
                Err(error) => tracing::error!(%error, "an event cannot be recorded"),
            }
        }
        self.front.hear(event);
    }

    fn place(&self) -> Option<WorkingContext> {
        self.front.place()
    }

    fn steered(&self) -> Vec<String> {
        self.front.steered()
    }
}

/// Whether an event belongs in the transcript. Pieces of texts do not: the whole texts are in the conversation.
fn is_recorded(event: &Event) -> bool {
    match event {
        Event::RequestSent { .. }
        | Event::CallStarted { .. }
        | Event::CallDecided { .. }
        | Event::CallConfined { .. }
        | Event::CallFinished { .. }
        | Event::Mode(_)
        | Event::Retrying { .. }
        | Event::Usage(_)
        | Event::Compacted { .. }
        | Event::Steered(_)
        | Event::Notice(_)
        | Event::Finished(_) => true,
        Event::StepStarted { .. }
        | Event::Model(_)
        | Event::Thinking(_)
        | Event::Text(_)
        | Event::CallOutput { .. } => false,
    }
}

/// The event without the pictures of a result.
fn without_pictures(event: Event) -> Event {
    match event {
        Event::CallFinished { id, outcome: Outcome::Done { text, .. }, shown, took } => {
            Event::CallFinished { id, outcome: Outcome::done(text), shown, took }
        }
        other => other,
    }
}

/// The value with all of its texts masked and bounded.
fn masked(value: Value, redactor: &Redactor) -> Value {
    match value {
        Value::String(text) => Value::String(bounded(&text, redactor)),
        Value::Array(values) => values.into_iter().map(|value| masked(value, redactor)).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (name, masked(value, redactor)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// The text without its secrets. Of a long text, the beginning and the end.
fn bounded(text: &str, redactor: &Redactor) -> String {
    if text.len() <= 2 * SEARCHED {
        let masked = redactor.mask(text);
        return if masked.len() <= TEXT_CAP { masked } else { ends(&masked, &masked) };
    }
    ends(&redactor.mask(text::beginning(text, SEARCHED)), &redactor.mask(ending(text, SEARCHED)))
}

/// The beginning of one text and the end of another, with a mark between them.
fn ends(first: &str, last: &str) -> String {
    format!("{}\n[…]\n{}", text::beginning(first, TEXT_CAP / 4 * 3), ending(last, TEXT_CAP / 4))
}

/// The longest suffix of `text` that is at most `most` bytes long and begins at a character boundary.
fn ending(text: &str, most: usize) -> &str {
    let start = (text.len().saturating_sub(most)..=text.len()).find(|at| text.is_char_boundary(*at));
    &text[start.unwrap_or(text.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{Call, Shown, ToolKind};
    use serde_json::json;
    use std::time::Duration;

    fn recorded(event: Event, redactor: &Redactor) -> String {
        masked(serde_json::to_value(without_pictures(event)).unwrap(), redactor).to_string()
    }

    fn finished(text: String) -> Event {
        let (id, took) = ("c".into(), Duration::ZERO);
        Event::CallFinished { id, outcome: Outcome::done(text), shown: Shown::Outcome, took }
    }

    #[test]
    fn every_text_of_an_event_is_masked() {
        let redactor = Redactor::default();
        let secret = "hunter2hunter2Zx9";
        redactor.learn(&[("DB_PASSWORD".into(), secret.into())]);
        let call = Call {
            id: "c".into(),
            name: "bash".into(),
            arguments: json!({ "command": format!("curl -d {secret} x") }).to_string(),
        };
        let diff = format!("+password = {secret}\n");
        for event in [
            Event::CallStarted { call, kind: ToolKind::Run, title: format!("curl -d {secret} x") },
            finished(format!("said {secret}")),
            Event::CallFinished {
                id: "c".into(),
                outcome: Outcome::failed(secret),
                shown: Shown::Change { added: 1, removed: 0, diff },
                took: Duration::ZERO,
            },
            Event::Notice(secret.into()),
            Event::Steered(secret.into()),
        ] {
            let kept = recorded(event, &redactor);
            assert!(!kept.contains(secret) && kept.contains("[masked: "), "{kept}");
        }
    }

    #[test]
    fn a_long_text_is_masked_before_it_is_cut() {
        let redactor = Redactor::default();
        let secret = "hunter2hunter2Zx9";
        redactor.learn(&[("DB_PASSWORD".into(), secret.into())]);
        for size in [TEXT_CAP - 8, TEXT_CAP, 2 * SEARCHED - 8, 4 * SEARCHED] {
            for at in [0, TEXT_CAP / 4 * 3 - 5, TEXT_CAP - 5, SEARCHED - 5] {
                let mut text = "é".repeat(size / 2);
                let at = (at.min(text.len())..).find(|at| text.is_char_boundary(*at)).unwrap();
                text.insert_str(at, &format!(" {secret} "));
                text.push_str(&format!(" {secret} end"));
                let kept = recorded(finished(text), &redactor);
                assert!(!kept.contains("hunter2") && !kept.contains("Zx9"), "{size} {at}");
                assert!(kept.len() < 2 * TEXT_CAP && kept.contains(" end"), "{size} {at}: {}", kept.len());
            }
        }
    }

    #[test]
    fn pictures_and_pieces_of_texts_are_left_out() {
        let image = crate::chat::Image { media_type: "image/png".into(), base64: "QUJD".repeat(10_000) };
        let outcome = Outcome::Done { text: "a picture".into(), images: vec![image] };
        let event = Event::CallFinished { id: "c".into(), outcome, shown: Shown::Outcome, took: Duration::ZERO };
        let kept = recorded(event, &Redactor::default());
        assert!(kept.contains("a picture") && kept.len() < 300, "{kept}");
        assert!(!is_recorded(&Event::Text("x".into())) && !is_recorded(&Event::Thinking("x".into())));
    }
}
