//! The events of a request, kept so that they can be shown again.

use std::time::Instant;

use crate::chat::Event;
use crate::render::Painter;

/// The most bytes of output of one request's calls. Their results, which have their own limit, are always kept.
const OUTPUT_CAP: usize = 512 * 1024;
/// The most bytes of one request.
const CAP: usize = 2 * 1024 * 1024;

/// The events in order. Pieces of one text are joined.
#[derive(Default)]
pub(super) struct RequestTranscript {
    events: Vec<(Instant, Event)>,
    bytes: usize,
    printed: usize,
}

impl RequestTranscript {
    pub(super) fn push(&mut self, event: Event, now: Instant) {
        let size = size(&event);
        if let Event::CallOutput { .. } = &event {
            self.printed += size;
            if self.printed > OUTPUT_CAP {
                return;
            }
        }
        if self.bytes + size > CAP && !matches!(event, Event::Finished(_)) {
            return;
        }
        self.bytes += size;
        match (self.events.last_mut().map(|(_, last)| last), event) {
            (Some(Event::Text(text)), Event::Text(more)) => text.push_str(&more),
            (Some(Event::Thinking(text)), Event::Thinking(more)) => text.push_str(&more),
            (Some(Event::CallOutput { id, text }), Event::CallOutput { id: other, text: more }) if *id == other => {
                text.push_str(&more);
            }
            (_, event) => self.events.push((now, event)),
        }
    }

    /// How much memory the transcript takes, approximately.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Paints the whole transcript, as if it happened now.
    pub(super) fn replay(&self, painter: &mut Painter, out: &mut Vec<u8>) {
        painter.suspend(out);
        for (at, event) in &self.events {
            painter.event(event, *at, out);
        }
    }
}

fn size(event: &Event) -> usize {
    let said = match event {
        Event::Thinking(text)
        | Event::Text(text)
        | Event::Steered(text)
        | Event::Notice(text)
        | Event::Model(text)
        | Event::Mode(text) => text.len(),
        Event::CallStarted { call, title, .. } => call.arguments.len() + title.len(),
        Event::CallOutput { text, .. } => text.len(),
        Event::CallFinished { outcome, shown, .. } => outcome.text().len() + shown.size(),
        Event::Retrying { why, .. } => why.len(),
        Event::StepStarted { .. } | Event::RequestSent { .. } | Event::CallDecided { .. } => 0,
        Event::CallConfined { .. } | Event::Usage(_) | Event::Compacted { .. } | Event::Finished(_) => 0,
    };
    said + size_of::<(Instant, Event)>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(text: &str) -> Event {
        Event::CallOutput { id: "1".into(), text: text.into() }
    }

    #[test]
    fn pieces_are_joined() {
        let (mut transcript, now) = (RequestTranscript::default(), Instant::now());
        for event in
            [Event::Text("a".into()), Event::Text("b".into()), output("x"), output("y"), Event::Text("c".into())]
        {
            transcript.push(event, now);
        }
        let events: Vec<Event> = transcript.events.into_iter().map(|(_, event)| event).collect();
        assert_eq!(events, [Event::Text("ab".into()), output("xy"), Event::Text("c".into())]);
    }

    #[test]
    fn a_transcript_is_bounded_and_keeps_its_end() {
        let (mut transcript, now) = (RequestTranscript::default(), Instant::now());
        for _ in 0..10_000 {
            transcript.push(output(&"x".repeat(1_000)), now);
        }
        assert!(transcript.bytes() <= OUTPUT_CAP);
        for _ in 0..10_000 {
            transcript.push(Event::Text("x".repeat(1_000)), now);
        }
        transcript.push(Event::Finished(crate::chat::Ending::Answered), now);
        assert!(transcript.bytes() <= CAP + 1_000);
        assert!(matches!(transcript.events.last(), Some((_, Event::Finished(_)))));
    }
}
