use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::ModelTraits;
use super::super::decode::AnswerDecoder;
use super::super::error_response::AskedModel;
use super::super::retry::Retry;
use super::super::testing::{cut, joined, request};
use super::super::{Delta, Effort, ErrorKind, ProviderError, Stop};
use super::*;
use crate::chat::{Call, Image, Message, Outcome, Part, Role, Thinking, Usage};

fn to(takes_optional: bool) -> Recipient<'static> {
    Recipient {
        vendor: "openai",
        kind: "openai",
        traits: ModelTraits::UNKNOWN,
        is_official: false,
        takes_optional,
        context: None,
        thinks: None,
    }
}

const ASKED: AskedModel<'static> = AskedModel { vendor: "openai", shown_name: "openai", model: "m", key: None };

fn read(chunks: &[&[u8]]) -> (Vec<Delta>, Result<(), ProviderError>) {
    let mut deltas = Vec::new();
    let mut sink = |delta| deltas.push(delta);
    let mut decoder = AnswerDecoder::with_reader(ASKED, &Responses, Box::new(Items::of("openai")));
    let fed = chunks.iter().try_for_each(|chunk| decoder.feed(chunk, &mut sink));
    let end = fed.and_then(|()| decoder.finish(&mut sink));
    (joined(deltas), end)
}

fn whole(stream: &str) -> Vec<Delta> {
    let (deltas, end) = read(&[stream.as_bytes()]);
    end.unwrap();
    deltas
}

/// A stream in which each event is named for its type, as they are.
fn events(data: &[&str]) -> String {
    let event = |data: &&str| {
        let value: Value = serde_json::from_str(data).unwrap();
        format!("event: {}\ndata: {data}\n\n", value["type"].as_str().unwrap())
    };
    data.iter().map(event).collect()
}

/// Thinking in two paragraphs, text and two calls, as OpenAI sends them: what came in pieces comes again whole.
const ANSWER: &[&str] = &[
    r#"{"type":"response.created","response":{"id":"resp_1","object":"response","status":"in_progress","error":null,"output":[],"usage":null},"sequence_number":0}"#,
    r#"{"type":"response.in_progress","response":{"id":"resp_1","object":"response","status":"in_progress","error":null},"sequence_number":1}"#,
    r#"{"type":"response.output_item.added","item":{"id":"rs_1","type":"reasoning","encrypted_content":"early","summary":[]},"output_index":0}"#,
    r#"{"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"part":{"type":"summary_text","text":""},"summary_index":0}"#,
    r#"{"type":"response.reasoning_summary_text.delta","delta":"h","item_id":"rs_1","obfuscation":"x","output_index":0,"summary_index":0}"#,
    r#"{"type":"response.reasoning_summary_text.delta","delta":"m ✳","item_id":"rs_1","output_index":0,"summary_index":0}"#,
    r#"{"type":"response.reasoning_summary_text.done","item_id":"rs_1","output_index":0,"summary_index":0,"text":"hm ✳"}"#,
    r#"{"type":"response.reasoning_summary_text.delta","delta":"so","item_id":"rs_1","output_index":0,"summary_index":1}"#,
    r#"{"type":"response.output_item.done","item":{"id":"rs_1","type":"reasoning","encrypted_content":"gAAA=","summary":[{"type":"summary_text","text":"hm ✳"},{"type":"summary_text","text":"so"}]},"output_index":0}"#,
    r#"{"type":"response.output_item.added","item":{"id":"msg_1","type":"message","status":"in_progress","content":[],"role":"assistant"},"output_index":1}"#,
    r#"{"type":"response.content_part.added","item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":""}}"#,
    r#"{"type":"response.output_text.delta","content_index":0,"delta":"I ","item_id":"msg_1","output_index":1}"#,
    r#"{"type":"response.output_text.delta","content_index":0,"delta":"look","item_id":"msg_1","output_index":1}"#,
    r#"{"type":"response.output_text.done","content_index":0,"item_id":"msg_1","output_index":1,"text":"I look"}"#,
    r#"{"type":"response.output_item.done","item":{"id":"msg_1","type":"message","content":[{"type":"output_text","text":"I look"}],"role":"assistant"},"output_index":1}"#,
    r#"{"type":"response.output_item.added","item":{"id":"fc_1","type":"function_call","status":"in_progress","arguments":"","call_id":"call_1","name":"ls"},"output_index":2}"#,
    r#"{"type":"response.function_call_arguments.delta","delta":"{\"p\":","item_id":"fc_1","output_index":2}"#,
    r#"{"type":"response.function_call_arguments.delta","delta":"1}","item_id":"fc_1","output_index":2}"#,
    r#"{"type":"response.function_call_arguments.done","arguments":"{\"p\":1}","item_id":"fc_1","output_index":2}"#,
    r#"{"type":"response.output_item.done","item":{"id":"fc_1","type":"function_call","arguments":"{\"p\":1}","call_id":"call_1","name":"ls"},"output_index":2}"#,
    r#"{"type":"response.output_item.done","item":{"id":"fc_2","type":"function_call","arguments":"{}","call_id":"call_2","name":"pwd"},"output_index":3}"#,
    r#"{"type":"response.completed","response":{"id":"resp_1","object":"response","status":"completed","error":null,"incomplete_details":null,"usage":{"input_tokens":123,"input_tokens_details":{"cached_tokens":100},"output_tokens":42,"output_tokens_details":{"reasoning_tokens":30},"total_tokens":165}}}"#,
];

fn answer_read() -> Vec<Delta> {
    let began = |index, id: &str, name: &str| Delta::CallBegan { index, id: id.to_owned(), name: name.to_owned() };
    let arguments = |index, json: &str| Delta::CallArguments { index, json: json.to_owned() };
    vec![
        Delta::Thinking("hm ✳\n\nso".to_owned()),
        Delta::Signature("responses@openai:rs_1 gAAA=".to_owned()),
        Delta::Text("I look".to_owned()),
        began(0, "call_1", "ls"),
        arguments(0, r#"{"p":1}"#),
        began(1, "call_2", "pwd"),
        arguments(1, "{}"),
        Delta::Usage(Usage { input: 123, output: 42, cached: 100, ..Usage::default() }),
        Delta::Stopped(Stop::ToolUse),
    ]
}

#[test]
fn thinking_text_calls_and_usage() {
    assert_eq!(whole(&events(ANSWER)), answer_read());
}

#[test]
fn an_answer_in_one_piece() {
    let answer = json!({
        "object": "response", "status": "completed", "error": null,
        "output": [
            { "type": "reasoning", "id": "rs_1", "summary": [{ "type": "summary_text", "text": "hm" }] },
            { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "so" }] },
            { "type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}" },
        ],
        "usage": { "input_tokens": 1, "output_tokens": 2 },
    });
    let expected = [
        Delta::Thinking("hm".to_owned()),
        Delta::Text("so".to_owned()),
        Delta::CallBegan { index: 0, id: "c".to_owned(), name: "ls".to_owned() },
        Delta::CallArguments { index: 0, json: "{}".to_owned() },
        Delta::Usage(Usage { input: 1, output: 2, ..Usage::default() }),
        Delta::Stopped(Stop::ToolUse),
    ];
    assert_eq!(whole(&answer.to_string()), expected);
}

#[test]
fn items_may_be_known_by_their_names_alone() {
    let stream = events(&[
        r#"{"type":"response.output_text.delta","item_id":"msg_1","delta":"so"}"#,
        r#"{"type":"response.output_item.done","item":{"id":"msg_1","type":"message","content":[{"type":"output_text","text":"so"}]}}"#,
        r#"{"type":"response.output_item.added","item":{"id":"fc_a","type":"function_call","call_id":"a","name":"ls"}}"#,
        r#"{"type":"response.output_item.done","item":{"id":"fc_a","type":"function_call","call_id":"a","name":"ls","arguments":"{}"}}"#,
        r#"{"type":"response.completed","response":{"status":"completed"}}"#,
    ]);
    let expected = [
        Delta::Text("so".to_owned()),
        Delta::CallBegan { index: 0, id: "a".to_owned(), name: "ls".to_owned() },
        Delta::CallArguments { index: 0, json: "{}".to_owned() },
        Delta::Stopped(Stop::ToolUse),
    ];
    assert_eq!(whole(&stream), expected);
}

#[test]
fn an_answer_that_breaks_off_is_an_error() {
    let all = events(ANSWER);
    let cut_short = &all[..all.find("response.completed").unwrap() + 60];
    for stream in [events(&ANSWER[..12]), cut_short.to_owned(), String::new()] {
        let error = read(&[stream.as_bytes()]).1.unwrap_err();
        assert_eq!((error.kind(), error.retry()), (&ErrorKind::BrokenOff, Retry::Backoff));
    }
}

#[test]
fn reasons_to_stop() {
    let stop = |kind: &str, response: &str| {
        let end = format!(r#"{{"type":"response.{kind}","response":{response}}}"#);
        match whole(&events(&[&end])).pop() {
            Some(Delta::Stopped(stop)) => stop,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(stop("completed", r#"{"status":"completed"}"#), Stop::End);
    let incomplete = |reason: &str| {
        stop("incomplete", &format!(r#"{{"status":"incomplete","incomplete_details":{{"reason":"{reason}"}}}}"#))
    };
    assert_eq!(incomplete("max_output_tokens"), Stop::Length);
    assert_eq!(incomplete("content_filter"), Stop::Filtered);
    assert_eq!(incomplete("odd"), Stop::Other("odd".to_owned()));
    let refusal = events(&[
        r#"{"type":"response.refusal.delta","delta":"I ","output_index":0}"#,
        r#"{"type":"response.refusal.delta","delta":"can't","output_index":0}"#,
        r#"{"type":"response.output_item.done","item":{"type":"message","content":[{"type":"refusal","refusal":"I can't"}]},"output_index":0}"#,
        r#"{"type":"response.completed","response":{"status":"completed"}}"#,
    ]);
    assert_eq!(whole(&refusal), [Delta::Stopped(Stop::Refused("I can't".to_owned()))]);
}

#[test]
fn errors_inside_the_stream() {
    let kind = |event: &str| read(&[events(&[ANSWER[0], event]).as_bytes()]).1.unwrap_err().kind().clone();
    let failed = |code: &str| {
        let error = format!(r#"{{"code":"{code}","message":"no"}}"#);
        kind(&format!(r#"{{"type":"response.failed","response":{{"status":"failed","error":{error}}}}}"#))
    };
    assert_eq!(failed("server_error"), ErrorKind::Server { status: None });
    assert_eq!(failed("rate_limit_exceeded"), ErrorKind::RateLimited);
    assert_eq!(failed("context_length_exceeded"), ErrorKind::ContextTooLong { window: None });
    assert_eq!(failed("insufficient_quota"), ErrorKind::Quota);
    assert_eq!(
        kind(r#"{"type":"error","code":"server_error","message":"no","param":null}"#),
        ErrorKind::Server { status: None }
    );
    assert_eq!(kind(r#"{"type":"error","code":null,"message":"no"}"#), ErrorKind::Server { status: None });
    assert_eq!(
        kind(r#"{"type":"error","error":{"type":"invalid_request_error","code":"model_not_found"}}"#),
        ErrorKind::ModelNotFound { model: "m".to_owned() }
    );
}

#[test]
fn a_conversation_becomes_a_request() {
    let image = Image { media_type: "image/png".to_owned(), base64: "QUJD".to_owned() };
    let signed = |signature: &str| {
        Part::Thinking(Thinking { text: "hm".to_owned(), signature: Some(signature.to_owned()), redacted: None })
    };
    let call = |id: &str, arguments: &str| {
        Part::Call(Call { id: id.to_owned(), name: "ls".to_owned(), arguments: arguments.to_owned() })
    };
    let result = |id: &str, outcome| Part::Result { id: id.to_owned(), outcome };
    let mut request = request("gpt-5.4", Effort::Low);
    request.messages = vec![
        Message { role: Role::User, parts: vec![Part::Text("see".to_owned()), Part::Image(image.clone())] },
        Message {
            role: Role::Assistant,
            parts: vec![
                signed("responses@openai:rs_1 gAAA="),
                signed("responses@azure:rs_1 gAAA="),
                signed("anthropic:s"),
                Part::Text("I look".to_owned()),
                call("a", r#"{"p":1}"#),
                call("b", "nonsense"),
            ],
        },
        Message {
            role: Role::Tool,
            parts: vec![
                result("a", Outcome::Done { text: "x".to_owned(), images: vec![image] }),
                result("b", Outcome::failed("no")),
            ],
        },
        Message::user("and?"),
    ];
    let picture = json!({ "type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,QUJD" });
    let called = |id: &str, arguments: &str| json!({ "type": "function_call", "call_id": id, "name": "ls", "arguments": arguments });
    let expected = json!({
        "model": "gpt-5.4", "stream": true, "store": false, "max_output_tokens": 5_096,
        "reasoning": { "effort": "low", "summary": "auto" }, "include": ["reasoning.encrypted_content"],
        "instructions": "Be brief.",
        "tools": [{
            "type": "function", "name": "ls", "description": "Lists.", "parameters": { "type": "object", "properties": {} },
            "strict": false,
        }],
        "input": [
            { "role": "user", "content": [{ "type": "input_text", "text": "see" }, picture] },
            {
                "type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA=",
                "summary": [{ "type": "summary_text", "text": "hm" }],
            },
            { "role": "assistant", "content": "I look" },
            called("a", r#"{"p":1}"#),
            called("b", r#"{"invalid":"nonsense"}"#),
            { "type": "function_call_output", "call_id": "a", "output": [{ "type": "input_text", "text": "x" }, picture] },
            { "type": "function_call_output", "call_id": "b", "output": "error: no" },
            { "role": "user", "content": "and?" },
        ],
    });
    assert_eq!(body(&request, to(true)), expected);
    assert_eq!(body(&request, to(false))["reasoning"], json!({ "effort": "low" }));
    request.model = "gpt-4.1".to_owned();
    assert!(body(&request, to(true)).get("reasoning").is_none());
}

proptest! {
    #[test]
    fn deltas_do_not_depend_on_read_boundaries(cuts in proptest::collection::vec(any::<usize>(), 0..30), crlf: bool) {
        let stream = events(ANSWER);
        let stream = if crlf { stream.replace('\n', "\r\n") } else { stream };
        let (deltas, end) = read(&cut(stream.as_bytes(), &cuts));
        prop_assert!(end.is_ok());
        prop_assert_eq!(deltas, answer_read());
    }

    #[test]
    fn events_in_any_order_are_read(order in proptest::collection::vec(0..ANSWER.len(), 0..40)) {
        let shuffled: Vec<&str> = order.iter().map(|place| ANSWER[*place]).collect();
        let (deltas, end) = read(&[events(&shuffled).as_bytes()]);
        let is_stopped = matches!(deltas.last(), Some(Delta::Stopped(_)));
        prop_assert_eq!(end.is_ok(), is_stopped);
    }
}
