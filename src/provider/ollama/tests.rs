use proptest::prelude::*;
use serde_json::json;

use super::super::ModelTraits;
use super::super::decode::AnswerDecoder;
use super::super::error_response::AskedModel;
use super::super::retry::Retry;
use super::super::testing::{cut, joined, request};
use super::super::{Delta, ErrorKind, ProviderError, Stop};
use super::*;
use crate::chat::{Call, Image, Message, Outcome, Part, Role, Thinking, Usage};

const TO: Recipient<'static> = Recipient {
    vendor: "ollama",
    kind: "ollama",
    traits: ModelTraits::UNKNOWN,
    is_official: true,
    takes_optional: true,
    context: Some(8_192),
    thinks: Some(true),
};

fn read(chunks: &[&[u8]]) -> (Vec<Delta>, Result<(), ProviderError>) {
    let mut deltas = Vec::new();
    let mut sink = |delta| deltas.push(delta);
    let asked = AskedModel { vendor: "ollama", shown_name: "ollama", model: "m", key: None };
    let mut decoder = AnswerDecoder::new(&OllamaChat, asked, None);
    let fed = chunks.iter().try_for_each(|chunk| decoder.feed(chunk, &mut sink));
    let end = fed.and_then(|()| decoder.finish(&mut sink));
    (joined(deltas), end)
}

fn whole(lines: &[&str]) -> Vec<Delta> {
    let (deltas, end) = read(&[lines.join("\n").as_bytes()]);
    end.unwrap();
    deltas
}

/// As Ollama sends it: thinking, text and two calls, one line each.
const ANSWER: &[&str] = &[
    r#"{"model":"qwen3","created_at":"2026-11-18T07:00:00Z","message":{"role":"assistant","content":"","thinking":"hm"},"done":false}"#,
    r#"{"model":"qwen3","message":{"role":"assistant","content":"","thinking":" ✳"},"done":false}"#,
    r#"{"model":"qwen3","message":{"role":"assistant","content":"I "},"done":false}"#,
    r#"{"model":"qwen3","message":{"role":"assistant","content":"look"},"done":false}"#,
    r#"{"model":"qwen3","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_a","function":{"index":0,"name":"ls","arguments":{"p":1}}},{"id":"call_b","function":{"index":1,"name":"pwd","arguments":{}}}]},"done":false}"#,
    r#"{"model":"qwen3","message":{"role":"assistant","content":""},"done_reason":"stop","done":true,"total_duration":5,"prompt_eval_count":26,"eval_count":298}"#,
];

fn began(index: usize, id: &str, name: &str) -> Delta {
    Delta::CallBegan { index, id: id.to_owned(), name: name.to_owned() }
}

fn answer_read() -> Vec<Delta> {
    vec![
        Delta::Thinking("hm ✳".to_owned()),
        Delta::Text("I look".to_owned()),
        began(0, "call_a", "ls"),
        Delta::CallArguments { index: 0, json: r#"{"p":1}"#.to_owned() },
        began(1, "call_b", "pwd"),
        Delta::CallArguments { index: 1, json: "{}".to_owned() },
        Delta::Usage(Usage { input: 26, output: 298, ..Usage::default() }),
        Delta::Stopped(Stop::ToolUse),
    ]
}

#[test]
fn thinking_text_calls_and_usage() {
    assert_eq!(whole(ANSWER), answer_read());
}

#[test]
fn an_answer_ends_for_a_reason() {
    let stop = |line: &str| whole(&[line]).pop().unwrap();
    assert_eq!(stop(r#"{"done":true,"done_reason":"length"}"#), Delta::Stopped(Stop::Length));
    assert_eq!(stop(r#"{"done":true}"#), Delta::Stopped(Stop::End));
    assert_eq!(stop(r#"{"done":true,"done_reason":"unload"}"#), Delta::Stopped(Stop::Other("unload".to_owned())));
    let older = r#"{"message":{"content":"","tool_calls":[{"function":{"name":"ls","arguments":{}}}]},"done":true,"done_reason":"stop"}"#;
    let deltas = whole(&[older]);
    assert!(matches!(&deltas[0], Delta::CallBegan { id, .. } if id.starts_with("call_")), "older servers give no ids");
    assert_eq!(deltas.last(), Some(&Delta::Stopped(Stop::ToolUse)));
}

#[test]
fn an_answer_that_breaks_off_is_an_error() {
    let all = ANSWER.join("\n");
    for stream in [ANSWER[..4].join("\n") + "\n", all[..all.len() - 30].to_owned(), String::new()] {
        let error = read(&[stream.as_bytes()]).1.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::BrokenOff, "{stream}");
        assert_eq!(error.retry(), Retry::Backoff);
    }
}

#[test]
fn an_error_in_the_middle_of_an_answer_is_an_error() {
    let (deltas, end) =
        read(&[ANSWER[2].as_bytes(), b"\n", br#"{"error":"llama runner process has terminated"}"#, b"\n"]);
    assert_eq!(deltas, [Delta::Text("I ".to_owned())]);
    let error = end.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Server { status: None });
    assert!(error.to_string().contains("llama runner process has terminated"), "{error}");
    let too_long = br#"{"error":"the prompt is longer than the context length currently available to the model"}"#;
    assert_eq!(read(&[too_long]).1.unwrap_err().kind(), &ErrorKind::ContextTooLong { window: None });
}

#[test]
fn a_web_page_is_not_an_answer() {
    let error = read(&[b"<html>\n<title>Log in</title>\n</html>"]).1.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Malformed);
    assert!(error.to_string().contains("Log in"), "{error}");
}

#[test]
fn an_endless_line_is_given_up() {
    let chunk = vec![b'x'; 1 << 20];
    let chunks = vec![chunk.as_slice(); 5];
    assert_eq!(read(&chunks).1.unwrap_err().kind(), &ErrorKind::Malformed);
}

#[test]
fn a_conversation_becomes_a_request() {
    let image = Image { media_type: "image/png".to_owned(), base64: "QUJD".to_owned() };
    let message = |role, parts| Message { role, parts };
    let call = |id: &str, arguments: &str| {
        Part::Call(Call { id: id.to_owned(), name: "ls".to_owned(), arguments: arguments.to_owned() })
    };
    let thought = Thinking { text: "hm".to_owned(), ..Thinking::default() };
    let seen = Outcome::Done { text: "x".to_owned(), images: vec![image.clone()] };
    let mut request = request("qwen3:8b", Effort::Low);
    request.messages = vec![
        message(Role::User, vec![Part::Text("see".to_owned()), Part::Image(image)]),
        message(
            Role::Assistant,
            vec![
                Part::Thinking(thought),
                Part::Text("I look".to_owned()),
                call("a", r#"{"p":1}"#),
                call("b", "nonsense"),
            ],
        ),
        message(Role::Tool, vec![Part::Result { id: "a".to_owned(), outcome: seen }]),
        message(Role::Tool, vec![Part::Result { id: "b".to_owned(), outcome: Outcome::failed("no") }]),
        Message::user("and?"),
    ];
    let expected = json!({
        "model": "qwen3:8b", "stream": true, "truncate": false, "think": true,
        "options": { "num_ctx": 8_192, "num_predict": 8_192 - context::size(&request) },
        "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "see", "images": ["QUJD"] },
            { "role": "assistant", "content": "I look", "thinking": "hm", "tool_calls": [
                { "id": "a", "function": { "name": "ls", "arguments": { "p": 1 } } },
                { "id": "b", "function": { "name": "ls", "arguments": { "invalid": "nonsense" } } },
            ] },
            { "role": "tool", "content": "x", "tool_call_id": "a", "tool_name": "ls" },
            { "role": "user", "content": "", "images": ["QUJD"] },
            { "role": "tool", "content": "error: no", "tool_call_id": "b", "tool_name": "ls" },
            { "role": "user", "content": "and?" },
        ],
        "tools": [{
            "type": "function",
            "function": { "name": "ls", "description": "Lists.", "parameters": { "type": "object", "properties": {} } },
        }],
    });
    assert_eq!(request::body(&request, TO), expected);
}

#[test]
fn thinking_is_asked_for_only_where_the_model_can() {
    let think = |model: &str, effort, thinks| {
        request::body(&request(model, effort), Recipient { thinks, ..TO }).get("think").cloned()
    };
    assert_eq!(think("qwen3", Effort::Off, Some(true)), Some(json!(false)));
    assert_eq!(think("qwen3", Effort::High, Some(true)), Some(json!(true)));
    assert_eq!(think("gpt-oss:20b", Effort::Low, Some(true)), Some(json!("low")));
    assert_eq!(think("gpt-oss:20b", Effort::XHigh, Some(true)), Some(json!("high")));
    assert_eq!(think("gemma3", Effort::High, Some(false)), None, "it would refuse the field");
    assert_eq!(think("gemma3", Effort::High, None), None);
}

#[test]
fn a_window_that_is_not_known_is_left_to_the_server() {
    let body = request::body(&request("m", Effort::Off), Recipient { context: None, ..TO });
    assert_eq!(body["options"], json!({ "num_predict": 1_000 }));
}

proptest! {
    #[test]
    fn deltas_do_not_depend_on_read_boundaries(cuts in proptest::collection::vec(any::<usize>(), 0..30), crlf: bool) {
        let stream = ANSWER.join(if crlf { "\r\n" } else { "\n" });
        let (deltas, end) = read(&cut(stream.as_bytes(), &cuts));
        prop_assert!(end.is_ok());
        prop_assert_eq!(deltas, answer_read());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), cuts in proptest::collection::vec(any::<usize>(), 0..8)) {
        let kind = |(deltas, end): (Vec<Delta>, Result<(), ProviderError>)| (deltas, end.map_err(|e| e.kind().clone()));
        let (once, cut) = (kind(read(&[&bytes])), kind(read(&cut(&bytes, &cuts))));
        prop_assert_eq!(once, cut);
    }
}
