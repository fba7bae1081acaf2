use proptest::prelude::*;
use serde_json::json;

use super::super::ModelTraits;
use super::super::decode::AnswerDecoder;
use super::super::error_response::AskedModel;
use super::super::retry::Retry;
use super::super::testing::{LAST, cut, events, joined, request};
use super::super::{Delta, Effort, ErrorKind, ProviderError, Stop, Vendor};
use super::*;
use crate::chat::{Call, Image, Message, Outcome, Part, Role, Thinking, Usage};

const TO: Recipient<'static> = Recipient {
    vendor: "custom",
    kind: "custom",
    traits: ModelTraits::UNKNOWN,
    is_official: false,
    takes_optional: true,
    context: None,
    thinks: None,
};
const ASKED: AskedModel<'static> = AskedModel { vendor: "custom", shown_name: "custom", model: "m", key: None };

fn read(chunks: &[&[u8]]) -> (Vec<Delta>, Result<(), ProviderError>) {
    let mut deltas = Vec::new();
    let mut sink = |delta| deltas.push(delta);
    let mut decoder = AnswerDecoder::with_reader(ASKED, &PLAIN, Box::new(Chunks::with_ids("call_x".to_owned())));
    let fed = chunks.iter().try_for_each(|chunk| decoder.feed(chunk, &mut sink));
    let end = fed.and_then(|()| decoder.finish(&mut sink));
    (joined(deltas), end)
}

fn whole(stream: &str) -> Vec<Delta> {
    let (deltas, end) = read(&[stream.as_bytes()]);
    end.unwrap();
    deltas
}

fn error(stream: &str) -> ProviderError {
    read(&[stream.as_bytes()]).1.unwrap_err()
}

fn text(words: &str) -> Delta {
    Delta::Text(words.to_owned())
}

fn began(index: usize, id: &str, name: &str) -> Delta {
    Delta::CallBegan { index, id: id.to_owned(), name: name.to_owned() }
}

fn arguments(index: usize, json: &str) -> Delta {
    Delta::CallArguments { index, json: json.to_owned() }
}

/// OpenAI as it is: a role first, calls by index, usage in a chunk without choices, then the word.
const CALLS: &[&str] = &[
    r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"refusal":null},"finish_reason":null}],"usage":null}"#,
    r#"{"choices":[{"delta":{"content":"Löok"}}]}"#,
    r#"{"choices":[{"delta":{"content":"ing"}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"ls","arguments":""}}]}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"p\":"}}]}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"cat","arguments":"{}"}}]}}]}"#,
    r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
    r#"{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4}}}"#,
    "[DONE]",
];

fn calls_read() -> Vec<Delta> {
    vec![
        text("Löoking"),
        began(0, "a", "ls"),
        arguments(0, r#"{"p":1}"#),
        began(1, "b", "cat"),
        arguments(1, "{}"),
        Delta::Usage(Usage { input: 10, output: 5, cached: 4, ..Usage::default() }),
        Delta::Stopped(Stop::ToolUse),
    ]
}

#[test]
fn text_calls_and_usage() {
    assert_eq!(whole(&events(CALLS)), calls_read());
}

#[test]
fn comments_and_carriage_returns() {
    let stream = format!(": OPENROUTER PROCESSING\n\n{}", events(CALLS)).replace('\n', "\r\n");
    assert_eq!(whole(&stream), calls_read());
}

#[test]
fn the_final_done_may_be_missing() {
    assert_eq!(whole(&events(&CALLS[..CALLS.len() - 1])), calls_read());
    let without_blank = events(&CALLS[..CALLS.len() - 1]);
    assert_eq!(whole(without_blank.trim_end()), calls_read());
}

#[test]
fn a_final_done_alone_ends_an_answer() {
    let stream = events(&[r#"{"choices":[{"delta":{"content":"hi"}}]}"#, "[DONE]"]);
    assert_eq!(whole(&stream), [text("hi"), Delta::Stopped(Stop::End)]);
}

#[test]
fn an_answer_that_breaks_off_is_an_error() {
    for stream in [events(&CALLS[..5]), events(&CALLS[..5]) + "data: {\"choi", String::new(), "data: {}\n\n".to_owned()]
    {
        let (deltas, end) = read(&[stream.as_bytes()]);
        let error = end.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::BrokenOff, "{stream}");
        assert_eq!(error.retry(), Retry::Backoff);
        assert!(!deltas.iter().any(|delta| matches!(delta, Delta::Stopped(_))));
    }
}

#[test]
fn reasoning_has_two_names() {
    let field = || Delta::Signature("field@custom:reasoning".to_owned());
    for (name, signature) in [("reasoning_content", None), ("reasoning", Some(field()))] {
        let stream = events(&[
            &format!(r#"{{"choices":[{{"delta":{{"content":"","{name}":"hm"}}}}]}}"#),
            &format!(r#"{{"choices":[{{"delta":{{"content":"so","{name}":null}},"finish_reason":"stop"}}]}}"#),
        ]);
        let said = [Delta::Thinking("hm".to_owned()), text("so")].into_iter().chain(signature);
        assert_eq!(of_custom(&stream), said.chain([Delta::Stopped(Stop::End)]).collect::<Vec<_>>());
    }
    let both =
        events(&[r#"{"choices":[{"delta":{"reasoning":"hm","reasoning_content":"hm"},"finish_reason":"stop"}]}"#]);
    assert_eq!(of_custom(&both), [Delta::Thinking("hm".to_owned()), Delta::Stopped(Stop::End)]);
}

/// The answer of a model of a provider called `custom`.
fn of_custom(stream: &str) -> Vec<Delta> {
    let mut heard = Vec::new();
    let mut decoder = AnswerDecoder::new(&PLAIN, ASKED, None);
    decoder.feed(stream.as_bytes(), &mut |delta| heard.push(delta)).unwrap();
    decoder.finish(&mut |delta| heard.push(delta)).unwrap();
    joined(heard)
}

#[test]
fn thinking_goes_back_in_the_field_in_which_it_came() {
    let echoed = |vendor: &'static str, wire: &dyn Wire, signature: Option<&str>| {
        let thinking = Thinking { text: "hm".into(), signature: signature.map(str::to_owned), ..Thinking::default() };
        let call = Call { id: "a".into(), name: "ls".into(), arguments: "{}".into() };
        let mut request = request("qwen/qwen3-32b", Effort::Medium);
        let parts = vec![Part::Thinking(thinking), Part::Call(call)];
        request.messages.push(Message { role: Role::Assistant, parts });
        let traits = ModelTraits { echoes: Some(true), ..ModelTraits::UNKNOWN };
        let said = wire.body(&request, Recipient { vendor, traits, ..TO })["messages"][2].clone();
        ["reasoning_content", "reasoning"].into_iter().find(|name| said[*name] == "hm")
    };
    assert_eq!(echoed("custom", &PLAIN, None), Some("reasoning_content"));
    assert_eq!(echoed("custom", &PLAIN, Some("field@custom:reasoning")), Some("reasoning"));
    assert_eq!(echoed("other", &PLAIN, Some("field@custom:reasoning")), Some("reasoning_content"));
    for vendor in ["groq", "cerebras", "openrouter"] {
        assert_eq!(echoed(vendor, Vendor::named(vendor).unwrap().wire, None), Some("reasoning"), "{vendor}");
    }
}

#[test]
fn thinking_in_the_text_is_no_part_of_the_answer() {
    let stream = events(&[
        r#"{"choices":[{"delta":{"content":"<thi"}}]}"#,
        r#"{"choices":[{"delta":{"content":"nk>\nhm\n</think>\n\nso"}}]}"#,
        LAST,
    ]);
    assert_eq!(whole(&stream), [Delta::Thinking("hm".to_owned()), text("so"), Delta::Stopped(Stop::End)]);
}

#[test]
fn content_in_parts() {
    let stream = events(&[
        r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}}]}"#,
        r#"{"choices":[{"delta":{"content":[{"type":"text","text":"so"}]},"finish_reason":"stop"}]}"#,
    ]);
    assert_eq!(whole(&stream), [Delta::Thinking("hm".to_owned()), text("so"), Delta::Stopped(Stop::End)]);
}

#[test]
fn calls_without_index_or_id() {
    let piece = |call: &str| format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{call}]}}}}]}}"#);
    let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    let read = |calls: &[&str]| {
        let mut data: Vec<String> = calls.iter().map(|call| piece(call)).collect();
        data.push(end.to_owned());
        whole(&events(&data.iter().map(String::as_str).collect::<Vec<_>>()))
    };
    // No id: ours.
    assert_eq!(
        read(&[
            r#"{"index":0,"function":{"name":"ls","arguments":"{"}}"#,
            r#"{"index":0,"function":{"arguments":"}"}}"#
        ]),
        [began(0, "call_x_0", "ls"), arguments(0, "{}"), Delta::Stopped(Stop::ToolUse)]
    );
    // No index: by id, or by name.
    let two = [
        began(0, "a", "ls"),
        arguments(0, "{}"),
        began(1, "b", "cat"),
        arguments(1, "{}"),
        Delta::Stopped(Stop::ToolUse),
    ];
    assert_eq!(
        read(&[
            r#"{"id":"a","function":{"name":"ls","arguments":"{"}}"#,
            r#"{"id":"a","function":{"arguments":"}"}}"#,
            r#"{"id":"b","function":{"name":"cat","arguments":"{"}}"#,
            r#"{"function":{"arguments":"}"}}"#,
        ]),
        two
    );
    assert_eq!(
        read(&[r#"{"function":{"name":"ls","arguments":"{}"}}"#, r#"{"function":{"name":"ls","arguments":"{}"}}"#]),
        [
            began(0, "call_x_0", "ls"),
            arguments(0, "{}"),
            began(1, "call_x_1", "ls"),
            arguments(1, "{}"),
            Delta::Stopped(Stop::ToolUse)
        ]
    );
    // Every call is number 0, and whole; arguments may be an object.
    assert_eq!(
        read(&[
            r#"{"index":0,"id":"a","function":{"name":"ls","arguments":{}}}"#,
            r#"{"index":0,"id":"b","function":{"name":"cat","arguments":"{}"}}"#,
        ]),
        two
    );
    // Id and name with every piece, an empty name, arguments before the name.
    assert_eq!(
        read(&[
            r#"{"index":0,"id":"a","function":{"name":"ls","arguments":"{"}}"#,
            r#"{"index":0,"id":"a","function":{"name":"ls","arguments":"}"}}"#,
        ]),
        [began(0, "a", "ls"), arguments(0, "{}"), Delta::Stopped(Stop::ToolUse)]
    );
    assert_eq!(
        read(&[
            r#"{"index":0,"id":"a","function":{"name":"","arguments":"{"}}"#,
            r#"{"index":0,"id":"","function":{"name":"ls","arguments":"}"}}"#,
        ]),
        [began(0, "a", "ls"), arguments(0, "{}"), Delta::Stopped(Stop::ToolUse)]
    );
    // A name never comes: the model shall hear of it.
    assert_eq!(
        read(&[r#"{"index":0,"id":"a","function":{"arguments":"{}"}}"#]),
        [began(0, "a", ""), arguments(0, "{}"), Delta::Stopped(Stop::ToolUse)]
    );
}

#[test]
fn an_old_function_call() {
    let stream = events(&[
        r#"{"choices":[{"delta":{"function_call":{"name":"ls","arguments":"{"}}}]}"#,
        r#"{"choices":[{"delta":{"function_call":{"arguments":"}"}},"finish_reason":"function_call"}]}"#,
    ]);
    assert_eq!(whole(&stream), [began(0, "call_x_0", "ls"), arguments(0, "{}"), Delta::Stopped(Stop::ToolUse)]);
}

#[test]
fn a_server_that_does_not_stream() {
    let answer = r#" {"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"hi","tool_calls":null},
        "finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#;
    let usage = Usage { input: 1, output: 2, ..Usage::default() };
    assert_eq!(whole(answer), [text("hi"), Delta::Usage(usage), Delta::Stopped(Stop::End)]);
    assert_eq!(error("<html>").kind(), &ErrorKind::Malformed);
    assert_eq!(error("{}").kind(), &ErrorKind::Malformed);
}

#[test]
fn reasons_to_stop() {
    let stop = |reason: &str| {
        events(&[&format!(r#"{{"choices":[{{"delta":{{"content":"x"}},"finish_reason":"{reason}"}}]}}"#)])
    };
    let stopped = |reason| whole(&stop(reason)).pop().unwrap();
    assert_eq!(stopped("stop"), Delta::Stopped(Stop::End));
    assert_eq!(stopped("length"), Delta::Stopped(Stop::Length));
    assert_eq!(stopped("content_filter"), Delta::Stopped(Stop::Filtered));
    assert_eq!(stopped("odd"), Delta::Stopped(Stop::Other("odd".to_owned())));
    assert_eq!(error(&stop("insufficient_system_resource")).kind(), &ErrorKind::Overloaded);
    let unfinished = events(&[r#"{"choices":[{"delta":{"content":"x"},"finish_reason":""}]}"#]);
    assert_eq!(error(&unfinished).kind(), &ErrorKind::BrokenOff);
    let refusal = events(&[r#"{"choices":[{"delta":{"refusal":"I can't"},"finish_reason":"stop"}]}"#]);
    assert_eq!(whole(&refusal), [Delta::Stopped(Stop::Refused("I can't".to_owned()))]);
}

#[test]
fn errors_inside_the_stream() {
    let kind = |data: &str| error(&events(&[CALLS[1], data])).kind().clone();
    assert_eq!(kind(r#"{"error":{"message":"m","code":502}}"#), ErrorKind::Server { status: Some(502) });
    assert_eq!(kind(r#"{"error":{"message":"m","code":429}}"#), ErrorKind::RateLimited);
    assert_eq!(kind(r#"{"error":{"message":"m","type":"server_error"}}"#), ErrorKind::Server { status: None });
    assert_eq!(
        kind(r#"{"error":{"message":"m","code":"context_length_exceeded"}}"#),
        ErrorKind::ContextTooLong { window: None }
    );
    assert_eq!(kind(r#"{"error":"out of memory"}"#), ErrorKind::Server { status: None });
    let named = error("event: error\ndata: {\"message\":\"gone\"}\n\n");
    assert_eq!(
        named.to_string(),
        "custom reported a server error: gone; ask again later, or choose another model with /model"
    );
    assert_eq!(error("data: what\n\ndata: [DONE]\n\n").kind(), &ErrorKind::Malformed);
}

#[test]
fn a_stream_that_is_damaged_later_is_not_blamed_on_the_url() {
    let damaged = error(&events(&[CALLS[1], r#"{"choices":[{"del"#]));
    assert_eq!(damaged.to_string(), "the answer from custom arrived damaged; ask again");
    assert_eq!(damaged.retry(), Retry::Backoff);
}

#[test]
fn a_signature_of_google_comes_back_with_its_call() {
    let stream = events(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"id":"a","extra_content":{"google":{"thought_signature":"sig"}},"function":{"name":"ls","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#,
    ]);
    let sealed = "google:sig".to_owned();
    assert_eq!(whole(&stream)[0], Delta::Signature(sealed.clone()));
    let thinking = Thinking { signature: Some(sealed), ..Thinking::default() };
    let sent = |parts| {
        let mut request = request("m", Effort::Medium);
        request.messages = vec![Message { role: Role::Assistant, parts }];
        body(&request, super::super::vendors::gemini::CHAT.0, TO)["messages"][1]["tool_calls"][0]["extra_content"]["google"]
            ["thought_signature"]
            .clone()
    };
    let call = Part::Call(Call { id: "a".to_owned(), name: "ls".to_owned(), arguments: String::new() });
    assert_eq!(sent(vec![Part::Thinking(thinking), call.clone()]), "sig");
    let foreign = Thinking { signature: Some("anthropic:sig".to_owned()), ..Thinking::default() };
    assert_eq!(sent(vec![Part::Thinking(foreign), call]), "skip_thought_signature_validator");
}

#[test]
fn a_conversation_becomes_a_request() {
    let image = Image { media_type: "image/png".to_owned(), base64: "QUJD".to_owned() };
    let result = |id: &str, outcome| Part::Result { id: id.to_owned(), outcome };
    let call = |id: &str, arguments: &str| {
        Part::Call(Call { id: id.to_owned(), name: "ls".to_owned(), arguments: arguments.to_owned() })
    };
    let thinking = Part::Thinking(Thinking { text: "hm".to_owned(), ..Thinking::default() });
    let mut request = request("m", Effort::Medium);
    request.messages = vec![
        Message { role: Role::User, parts: vec![Part::Text("see".to_owned()), Part::Image(image.clone())] },
        Message {
            role: Role::Assistant,
            parts: vec![thinking, call("a", r#"{"p":1}"#), call("b", "{nonsense"), call("c", "")],
        },
        Message {
            role: Role::Tool,
            parts: vec![
                result("a", Outcome::Done { text: "one".to_owned(), images: vec![image] }),
                result("b", Outcome::failed("bad arguments")),
                result("c", Outcome::done("")),
            ],
        },
        Message { role: Role::Assistant, parts: vec![Part::Text("So.".to_owned())] },
    ];
    let picture = json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,QUJD" } });
    let tool_call = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "ls", "arguments": arguments } });
    let expected = json!({
        "model": "m", "stream": true, "stream_options": { "include_usage": true }, "max_tokens": 1_000,
        "tools": [{ "type": "function", "function": {
            "name": "ls", "description": "Lists.", "parameters": { "type": "object", "properties": {} },
        } }],
        "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": [{ "type": "text", "text": "see" }, picture] },
            { "role": "assistant", "content": null, "tool_calls": [
                tool_call("a", r#"{"p":1}"#), tool_call("b", r#"{"invalid":"{nonsense"}"#), tool_call("c", "{}"),
            ] },
            { "role": "tool", "tool_call_id": "a", "content": "one" },
            { "role": "tool", "tool_call_id": "b", "content": "error: bad arguments" },
            { "role": "tool", "tool_call_id": "c", "content": "" },
            { "role": "user", "content": [picture] },
            { "role": "assistant", "content": "So." },
        ],
    });
    assert_eq!(body(&request, PLAIN.0, TO), expected);

    let sent = |vendor: &str| Vendor::named(vendor).unwrap().wire.body(&request, TO);
    assert_eq!(sent("moonshot")["messages"][2]["reasoning_content"], "hm");
    let short = &sent("mistral")["messages"];
    let id = short[2]["tool_calls"][0]["id"].as_str().unwrap();
    assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    assert_eq!(short[3]["tool_call_id"], id);
}

#[test]
fn thinking_is_asked_for_in_each_dialect() {
    let ask = |vendor: &str, model: &str, effort| {
        let body = Vendor::named(vendor).unwrap().wire.body(&request(model, effort), TO);
        ["reasoning_effort", "reasoning", "thinking", "max_tokens", "max_completion_tokens"]
            .into_iter()
            .filter_map(|name| Some((name, body.get(name)?.clone())))
            .collect::<Vec<_>>()
    };
    let (effort, limit) = ("reasoning_effort", "max_completion_tokens");
    assert_eq!(ask("openai", "gpt-4.1", Effort::High), [(limit, json!(1_000))]);
    assert_eq!(ask("openai", "gpt-5-mini", Effort::Off), [(effort, json!("minimal")), (limit, json!(2_024))]);
    assert_eq!(ask("openai", "gpt-5.1", Effort::XHigh), [(effort, json!("high")), (limit, json!(21_480))]);
    assert_eq!(ask("openai", "gpt-6-sol", Effort::High), [(effort, json!("none")), (limit, json!(1_000))]);
    assert_eq!(ask("openai", "o3", Effort::Minimal), [(effort, json!("low")), (limit, json!(5_096))]);
    assert_eq!(ask("vllm", "openai/gpt-5.1", Effort::Low), [(effort, json!("low")), (limit, json!(5_096))]);
    assert_eq!(ask("groq", "llama-3.3-70b", Effort::High), [("max_tokens", json!(1_000))]);
    assert_eq!(ask("groq", "openai/gpt-oss-20b", Effort::Off), [(effort, json!("low")), ("max_tokens", json!(5_096))]);
    assert_eq!(
        ask("openrouter", "x/y", Effort::Off),
        [("reasoning", json!({ "effort": "none" })), ("max_tokens", json!(1_000))]
    );
    assert_eq!(
        ask("deepseek", "deepseek-v4-flash", Effort::XHigh),
        [(effort, json!("max")), ("thinking", json!({ "type": "enabled" })), ("max_tokens", json!(33_768))]
    );
    assert_eq!(
        ask("deepseek", "deepseek-v4-flash", Effort::Off),
        [("thinking", json!({ "type": "disabled" })), ("max_tokens", json!(1_000))]
    );
    assert_eq!(ask("gemini", "gemini-3.5-flash", Effort::Off)[0], (effort, json!("minimal")));
}

proptest! {
    #[test]
    fn deltas_do_not_depend_on_read_boundaries(cuts in proptest::collection::vec(any::<usize>(), 0..30), crlf: bool) {
        let stream = events(CALLS);
        let stream = if crlf { stream.replace('\n', "\r\n") } else { stream };
        let (deltas, end) = read(&cut(stream.as_bytes(), &cuts));
        prop_assert!(end.is_ok());
        prop_assert_eq!(deltas, calls_read());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), cuts in proptest::collection::vec(any::<usize>(), 0..8)) {
        let kind = |(deltas, end): (Vec<Delta>, Result<(), ProviderError>)| (deltas, end.map_err(|e| e.kind().clone()));
        let (once, cut) = (kind(read(&[&bytes])), kind(read(&cut(&bytes, &cuts))));
        prop_assert_eq!(once, cut);
    }
}

#[test]
fn reasoning_details_go_back_unchanged_to_the_model_that_sent_them() {
    let stream = events(&[
        r#"{"choices":[{"delta":{"reasoning":"Hm","reasoning_details":[{"type":"reasoning.text","index":0,"text":"Hm"}]}}]}"#,
        r#"{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"signature":"s1"}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#,
        "[DONE]",
    ]);
    let mut heard = Vec::new();
    let asked = AskedModel { vendor: "openrouter", shown_name: "openrouter", model: "anthropic/claude-x", key: None };
    let mut decoder = AnswerDecoder::new(&PLAIN, asked, None);
    decoder.feed(stream.as_bytes(), &mut |delta| heard.push(delta)).unwrap();
    decoder.finish(&mut |delta| heard.push(delta)).unwrap();
    let signature = heard.iter().find_map(|delta| match delta {
        Delta::Signature(signature) => Some(signature.clone()),
        _ => None,
    });
    let thinking = Thinking { text: "Hm".to_owned(), signature, ..Thinking::default() };
    let call = Call { id: "a".to_owned(), name: "ls".to_owned(), arguments: "{}".to_owned() };
    let sent = |vendor: &'static str, model: &str, echoes| {
        let mut request = request(model, Effort::Medium);
        let parts = vec![Part::Thinking(thinking.clone()), Part::Call(call.clone())];
        request.messages.push(Message { role: Role::Assistant, parts });
        let traits = ModelTraits { echoes, ..ModelTraits::UNKNOWN };
        body(&request, PLAIN.0, Recipient { vendor, traits, ..TO })["messages"][2].clone()
    };
    let details = json!([{ "type": "reasoning.text", "index": 0, "text": "Hm", "signature": "s1" }]);
    let own = sent("openrouter", "anthropic/claude-x", Some(true));
    assert_eq!((&own["reasoning_details"], own.get("reasoning_content")), (&details, None));
    assert_eq!(sent("openrouter", "openai/gpt-x", None).get("reasoning_details"), None);
    let other = sent("deepinfra", "deepseek-v4", Some(true));
    assert_eq!((other.get("reasoning_details"), &other["reasoning_content"]), (None, &json!("Hm")));
    assert_eq!(sent("deepinfra", "deepseek-v4", Some(false)).get("reasoning_content"), None);
}
