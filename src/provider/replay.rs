//! Reads a recorded answer, for tests and fuzzers.

use super::decode::{AnswerDecoder, AnswerReader, Sink};
use super::error_response::AskedModel;
use super::ollama::ChatLines;
use super::openai_chat::Chunks;
use super::protocol::Protocol;
use super::{ProviderError, wire};

/// Reads the bytes of an answer, cut as they are.
pub(crate) fn replay(protocol: Protocol, chunks: &[&[u8]], deltas: Sink<'_>) -> Result<(), ProviderError> {
    let mut decoder = AnswerDecoder::with_reader(ASKED, wire::of(protocol), reader(protocol));
    for chunk in chunks {
        decoder.feed(chunk, deltas)?;
    }
    decoder.finish(deltas)
}

const ASKED: AskedModel<'static> =
    AskedModel { vendor: "recorded", shown_name: "recorded", model: "recorded", key: None };

/// The reader of a protocol. The ids that we give to calls are the same each time.
fn reader(protocol: Protocol) -> Box<dyn AnswerReader + Send> {
    match protocol {
        Protocol::Auto | Protocol::Chat => Box::new(Chunks::with_ids("call".to_owned())),
        Protocol::Ollama => Box::new(ChatLines::with_ids("call".to_owned())),
        Protocol::Responses | Protocol::Messages => wire::of(protocol).reader(ASKED.vendor, ASKED.model),
    }
}

/// Recorded answers of other people's servers (`tests/sse`), unchanged but for names of files.
#[cfg(test)]
mod tests {
    use super::super::testing::{cut, joined};
    use super::super::{Delta, Stop};
    use super::*;

    fn recorded(name: &str) -> Vec<u8> {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sse").join(name);
        std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// Reads it in one piece and in pieces of seven bytes. Both must give the same.
    fn deltas(protocol: Protocol, name: &str) -> Vec<Delta> {
        let bytes = recorded(name);
        let read = |chunks: &[&[u8]]| {
            let mut deltas = Vec::new();
            replay(protocol, chunks, &mut |delta| deltas.push(delta)).unwrap();
            joined(deltas)
        };
        let places: Vec<usize> = (0..bytes.len()).step_by(7).collect();
        let whole = read(&[&bytes]);
        assert_eq!(read(&cut(&bytes, &places)), whole);
        whole
    }

    fn protocols() -> [(Protocol, &'static str); 3] {
        [(Protocol::Chat, "chat"), (Protocol::Responses, "responses"), (Protocol::Messages, "messages")]
    }

    #[test]
    fn llama_cpp_speaks_all_three() {
        for (protocol, name) in protocols() {
            let deltas = deltas(protocol, &format!("llamacpp-{name}.sse"));
            assert_eq!(deltas[0], Delta::Text("I'm glad you're enjoying the chat".to_owned()), "{name}");
            let Delta::Usage(usage) = &deltas[1] else { panic!("{deltas:?}") };
            assert_eq!(
                (usage.input, usage.output, usage.cached),
                (32, 8, if name == "chat" { usage.cached } else { 24 })
            );
            // Only the responses of this server do not say that the limit was reached.
            let stop = if protocol == Protocol::Responses { Stop::End } else { Stop::Length };
            assert_eq!(deltas[2..], [Delta::Stopped(stop)], "{name}");
        }
    }

    #[test]
    fn two_calls_in_a_row() {
        for (protocol, name) in protocols() {
            let deltas = deltas(protocol, &format!("aimock-{name}-calls.sse"));
            let calls: Vec<(usize, &str)> = deltas
                .iter()
                .filter_map(|delta| match delta {
                    Delta::CallBegan { index, name, .. } => Some((*index, name.as_str())),
                    Delta::CallArguments { index, json } => Some((*index, json.as_str())),
                    _ => None,
                })
                .collect();
            let expected = [(0, "list"), (0, r#"{"path":"."}"#), (1, "glob"), (1, r#"{"pattern":"*.toml"}"#)];
            assert_eq!(calls, expected, "{name}");
            assert_eq!(deltas.last(), Some(&Delta::Stopped(Stop::ToolUse)), "{name}");
        }
    }

    #[test]
    fn an_end_that_does_not_say_why() {
        let deltas = deltas(Protocol::Responses, "aimock-responses-length.sse");
        assert_eq!(deltas.first(), Some(&Delta::Text("cut off".to_owned())));
        assert_eq!(deltas.last(), Some(&Delta::Stopped(Stop::Length)));
    }
}
