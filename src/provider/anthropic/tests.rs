use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::decode::AnswerDecoder;
use super::super::error_response::AskedModel;
use super::super::retry::Retry;
use super::super::testing::{cut, joined, request};
use super::super::{Delta, Effort, ErrorKind, ProviderError, Stop, ThinkingFormat};
use super::*;
use crate::chat::{Call, Image, Message, Outcome, Part, Role, Thinking, Usage};

const ASKED: AskedModel<'static> = AskedModel { vendor: "custom", shown_name: "custom", model: "m", key: None };

fn read(chunks: &[&[u8]]) -> Result<Vec<Delta>, ProviderError> {
    let mut deltas = Vec::new();
    let mut sink = |delta| deltas.push(delta);
    let mut decoder = AnswerDecoder::with_reader(ASKED, &MessagesApi, Box::new(Messages::of("m")));
    chunks.iter().try_for_each(|chunk| decoder.feed(chunk, &mut sink))?;
    decoder.finish(&mut sink)?;
    Ok(joined(deltas))
}

/// A stream in which each event is named for its type, as they are.
fn events(data: &[&str]) -> String {
    let event = |data: &&str| {
        let value: Value = serde_json::from_str(data).unwrap();
        format!("event: {}\ndata: {data}\n\n", value["type"].as_str().unwrap())
    };
    data.iter().map(event).collect()
}

/// Thinking, hidden thinking, text and two calls.
const ANSWER: &[&str] = &[
    r#"{"type":"message_start","message":{"id":"m1","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":3,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":1}}}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
    r#"{"type":"ping"}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" ✳"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Eq"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"o="}}"#,
    r#"{"type":"content_block_stop","index":0}"#,
    r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"secret"}}"#,
    r#"{"type":"content_block_stop","index":1}"#,
    r#"{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}"#,
    r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"I "}}"#,
    r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"look"}}"#,
    r#"{"type":"content_block_stop","index":2}"#,
    r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"ls","input":{}}}"#,
    r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}"#,
    r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"p\":"}}"#,
    r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"1}"}}"#,
    r#"{"type":"content_block_stop","index":3}"#,
    r#"{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_2","name":"pwd","input":{}}}"#,
    r#"{"type":"content_block_stop","index":4}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":42}}"#,
    r#"{"type":"message_stop"}"#,
];

fn answer_read() -> Vec<Delta> {
    let began = |index, id: &str, name: &str| Delta::CallBegan { index, id: id.to_owned(), name: name.to_owned() };
    vec![
        Delta::Thinking("hm ✳".to_owned()),
        Delta::Signature("anthropic@m:Eqo=".to_owned()),
        Delta::RedactedThinking("anthropic@m:secret".to_owned()),
        Delta::Text("I look".to_owned()),
        began(0, "toolu_1", "ls"),
        Delta::CallArguments { index: 0, json: r#"{"p":1}"#.to_owned() },
        began(1, "toolu_2", "pwd"),
        Delta::Usage(Usage { input: 123, output: 42, cached: 100, cache_written: 20, cost: None }),
        Delta::Stopped(Stop::ToolUse),
    ]
}

#[test]
fn thinking_text_calls_and_usage() {
    assert_eq!(read(&[events(ANSWER).as_bytes()]).unwrap(), answer_read());
}

#[test]
fn an_answer_that_breaks_off_is_an_error() {
    let all = events(ANSWER);
    let cut_short = &all[..all.find("message_delta").unwrap() + 30];
    for stream in [events(&ANSWER[..12]), cut_short.to_owned(), String::new()] {
        let error = read(&[stream.as_bytes()]).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::BrokenOff);
        assert_eq!(error.retry(), Retry::Backoff);
    }
}

#[test]
fn an_answer_may_end_without_a_reason_or_a_last_event() {
    let without_word = events(&ANSWER[..ANSWER.len() - 1]);
    assert_eq!(read(&[without_word.as_bytes()]).unwrap(), answer_read());
    let without_reason = events(&[ANSWER[10], ANSWER[11], r#"{"type":"message_stop"}"#]);
    let text = Delta::Text("I ".to_owned());
    assert_eq!(read(&[without_reason.as_bytes()]).unwrap(), [text, Delta::Stopped(Stop::End)]);
}

#[test]
fn an_answer_in_one_piece() {
    let answer = json!({
        "type": "message", "role": "assistant", "stop_reason": "tool_use", "usage": { "input_tokens": 1, "output_tokens": 2 },
        "content": [
            { "type": "thinking", "thinking": "hm", "signature": "s" },
            { "type": "text", "text": "so" },
            { "type": "tool_use", "id": "t", "name": "ls", "input": { "p": 1 } },
        ],
    });
    let expected = [
        Delta::Thinking("hm".to_owned()),
        Delta::Signature("anthropic@m:s".to_owned()),
        Delta::Text("so".to_owned()),
        Delta::CallBegan { index: 0, id: "t".to_owned(), name: "ls".to_owned() },
        Delta::CallArguments { index: 0, json: r#"{"p":1}"#.to_owned() },
        Delta::Usage(Usage { input: 1, output: 2, ..Usage::default() }),
        Delta::Stopped(Stop::ToolUse),
    ];
    assert_eq!(read(&[answer.to_string().as_bytes()]).unwrap(), expected);
    assert_eq!(read(&[b"<html>"]).unwrap_err().kind(), &ErrorKind::Malformed);
}

#[test]
fn errors_inside_the_stream() {
    let kind = |name: &str| {
        let error = format!(r#"{{"type":"error","error":{{"type":"{name}","message":"no"}}}}"#);
        read(&[events(&[ANSWER[0], &error]).as_bytes()]).unwrap_err().kind().clone()
    };
    assert_eq!(kind("overloaded_error"), ErrorKind::Overloaded);
    assert_eq!(kind("api_error"), ErrorKind::Server { status: None });
    assert_eq!(kind("rate_limit_error"), ErrorKind::RateLimited);
    assert_eq!(kind("billing_error"), ErrorKind::Quota);
    assert_eq!(kind("invalid_request_error"), ErrorKind::BadRequest { status: None });
}

#[test]
fn reasons_to_stop() {
    let stop = |delta: &str| {
        let stream = events(&[&format!(r#"{{"type":"message_delta","delta":{delta}}}"#), r#"{"type":"message_stop"}"#]);
        match read(&[stream.as_bytes()]).unwrap().pop() {
            Some(Delta::Stopped(stop)) => stop,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(stop(r#"{"stop_reason":"end_turn"}"#), Stop::End);
    assert_eq!(stop(r#"{"stop_reason":"stop_sequence"}"#), Stop::End);
    assert_eq!(stop(r#"{"stop_reason":"max_tokens"}"#), Stop::Length);
    assert_eq!(stop(r#"{"stop_reason":"model_context_window_exceeded"}"#), Stop::Length);
    assert_eq!(stop(r#"{"stop_reason":"refusal"}"#), Stop::Refused(String::new()));
    let explained = r#"{"stop_reason":"refusal","stop_details":{"type":"refusal","explanation":"no"}}"#;
    assert_eq!(stop(explained), Stop::Refused("no".to_owned()));
    assert_eq!(stop(r#"{"stop_reason":"pause_turn"}"#), Stop::Paused);
}

fn message(role: Role, parts: Vec<Part>) -> Message {
    Message { role, parts }
}

fn call(id: &str, arguments: &str) -> Part {
    Part::Call(Call { id: id.to_owned(), name: "ls".to_owned(), arguments: arguments.to_owned() })
}

fn result(id: &str, outcome: Outcome) -> Part {
    Part::Result { id: id.to_owned(), outcome }
}

fn signed(signature: &str) -> Part {
    Part::Thinking(Thinking { text: "hm".to_owned(), signature: Some(signature.to_owned()), redacted: None })
}

#[test]
fn a_conversation_becomes_a_request() {
    let image = Image { media_type: "image/png".to_owned(), base64: "QUJD".to_owned() };
    let hidden = Thinking { redacted: Some("anthropic@claude-sonnet-5:d".to_owned()), ..Thinking::default() };
    let mut request = request("claude-sonnet-5", Effort::Low);
    request.messages = vec![
        Message::user("one"),
        Message::user("two"),
        message(
            Role::Assistant,
            vec![
                signed("anthropic@claude-sonnet-5:s"),
                signed("anthropic@claude-opus-5:s"),
                signed("google:s"),
                Part::Thinking(Thinking { text: "unsigned".to_owned(), ..Thinking::default() }),
                Part::Thinking(hidden),
                Part::Text(" \n".to_owned()),
                call("a:1", r#"{"p":1}"#),
                call("b", "nonsense"),
            ],
        ),
        message(Role::Tool, vec![result("a:1", Outcome::Done { text: "x".to_owned(), images: vec![image] })]),
        message(Role::Tool, vec![result("b", Outcome::failed("no"))]),
        Message::user("and?"),
    ];
    let mark = json!({ "type": "ephemeral" });
    let expected = json!({
        "model": "claude-sonnet-5", "stream": true, "max_tokens": 5_096,
        "thinking": { "type": "adaptive", "display": "summarized" }, "output_config": { "effort": "low" },
        "system": [{ "type": "text", "text": "Be brief.", "cache_control": mark }],
        "tools": [{
            "name": "ls", "description": "Lists.", "input_schema": { "type": "object", "properties": {} }, "cache_control": mark,
        }],
        "messages": [
            { "role": "user", "content": [
                { "type": "text", "text": "one" }, { "type": "text", "text": "two", "cache_control": mark },
            ] },
            { "role": "assistant", "content": [
                { "type": "thinking", "thinking": "hm", "signature": "s" },
                { "type": "redacted_thinking", "data": "d" },
                { "type": "tool_use", "id": "a_1", "name": "ls", "input": { "p": 1 } },
                { "type": "tool_use", "id": "b", "name": "ls", "input": { "invalid": "nonsense" } },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "a_1", "content": [
                    { "type": "text", "text": "x" },
                    { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "QUJD" } },
                ] },
                { "type": "tool_result", "tool_use_id": "b", "content": [{ "type": "text", "text": "no" }], "is_error": true },
                { "type": "text", "text": "and?", "cache_control": mark },
            ] },
        ],
    });
    assert_eq!(request::body(&request, ThinkingFormat::Auto), expected);
}

#[test]
fn a_long_conversation_has_four_marks_at_most() {
    let mut request = request("claude-sonnet-5", Effort::Off);
    for _ in 0..9 {
        request.messages.push(message(Role::Assistant, vec![Part::Text("a".to_owned())]));
        request.messages.push(Message::user("b"));
    }
    assert_eq!(request::body(&request, ThinkingFormat::Auto).to_string().matches("cache_control").count(), 4);
}

#[test]
fn a_budget_waits_when_another_model_made_the_calls() {
    let thinks = |signature: &str| {
        let mut request = request("claude-sonnet-4-5", Effort::Low);
        request.messages.push(message(Role::Assistant, vec![signed(signature), call("a", "{}")]));
        request.messages.push(message(Role::Tool, vec![result("a", Outcome::done("x"))]));
        request::body(&request, ThinkingFormat::Auto).get("thinking").is_some()
    };
    assert!(thinks("anthropic@claude-sonnet-4-5:s"));
    assert!(!thinks("google:s"));
}

proptest! {
    #[test]
    fn deltas_do_not_depend_on_read_boundaries(cuts in proptest::collection::vec(any::<usize>(), 0..30), crlf: bool) {
        let stream = events(ANSWER);
        let stream = if crlf { stream.replace('\n', "\r\n") } else { stream };
        prop_assert_eq!(read(&cut(stream.as_bytes(), &cuts)).unwrap(), answer_read());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(read(&[&bytes]).is_err());
    }
}

#[test]
fn a_call_whose_id_comes_again_gets_another_one() {
    let call = || Part::Call(Call { id: "functions.ls:0".into(), name: "ls".into(), arguments: "{}".into() });
    let result = || Part::Result { id: "functions.ls:0".into(), outcome: Outcome::done("ok") };
    let mut request = request("claude-sonnet-5", Effort::Off);
    for _ in 0..2 {
        request.messages.push(Message { role: Role::Assistant, parts: vec![call()] });
        request.messages.push(Message { role: Role::Tool, parts: vec![result()] });
    }
    let body = request::body(&request, ThinkingFormat::Auto);
    let ids = |place: usize, field: &str| body["messages"][place]["content"][0][field].as_str().unwrap().to_owned();
    assert_eq!((ids(1, "id"), ids(2, "tool_use_id")), ("functions_ls_0".into(), "functions_ls_0".into()));
    assert_eq!((ids(3, "id"), ids(4, "tool_use_id")), ("functions_ls_0_2".into(), "functions_ls_0_2".into()));
}

#[test]
fn a_model_without_thinking_is_told_nothing_about_it() {
    let body = request::body(&request("house-claude", Effort::High), ThinkingFormat::None);
    assert_eq!((body.get("thinking"), body.get("output_config"), &body["max_tokens"]), (None, None, &json!(1_000)));
    assert!(request::body(&request("house-claude", Effort::High), ThinkingFormat::Auto).get("thinking").is_some());
}
