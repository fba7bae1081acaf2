//! Servers that are odd, broken or hostile.

use super::super::retry::Retry;
use super::super::testing::{
    CHUNK, Documents, FakeServer, KEY, LAST, ServerStep, ask_with, events, head, request, stored_gzip, without_port,
};
use super::super::{Delta, Effort, ErrorKind, Finder, Http, ModelPreference, ModelRequest, Provider, ProviderError};
use crate::chat::{Call, Message, Outcome, Part, Role, Thinking};
use crate::growth::assert_linear;

const STREAM: &str = "Content-Type: text/event-stream\r\n";
const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";

/// What is said of an answer, and the error.
async fn heard(steps: Vec<ServerStep>) -> (String, Result<(), ProviderError>) {
    let server = FakeServer::start(steps);
    let (deltas, answer) = ask_with(&server.url, &Http::default()).await;
    let text = |delta| if let Delta::Text(text) = delta { text } else { String::new() };
    (deltas.into_iter().map(text).collect(), answer)
}

async fn body(headers: &str, body: impl Into<Vec<u8>>) -> (String, Result<(), ProviderError>) {
    heard(vec![ServerStep::Send(head(200, headers)), ServerStep::Send(body.into())]).await
}

/// The words of a refusal.
async fn refusal(status: u16, headers: &str, body: &[u8]) -> String {
    let server = FakeServer::answering(status, headers, body);
    without_port(&ask_with(&server.url, &Http::default()).await.1.unwrap_err().to_string())
}

#[tokio::test]
async fn an_answer_that_ends_within_a_character_is_broken_off() {
    let whole = events(&[CHUNK, r#"{"choices":[{"delta":{"content":"é"}}]}"#]).into_bytes();
    let within = whole.iter().position(|byte| *byte == 0xC3).unwrap() + 1;
    let (text, answer) = body(STREAM, &whole[..within]).await;
    assert_eq!((text.as_str(), answer.unwrap_err().kind()), ("hi", &ErrorKind::BrokenOff));
    // Bytes that are no UTF-8 in an event that is complete are shown as such.
    let mut broken = events(&[r#"{"choices":[{"delta":{"content":"a?b"}}]}"#, LAST]).into_bytes();
    let at = broken.iter().position(|byte| *byte == b'?').unwrap();
    broken[at] = 0xC3;
    let (text, answer) = body(STREAM, broken).await;
    assert_eq!(text, "a\u{FFFD}b");
    answer.unwrap();
}

#[tokio::test]
async fn a_damaged_chunk_breaks_an_answer_off() {
    let chunk = events(&[CHUNK]);
    let good = format!("{:x}\r\n{chunk}\r\n", chunk.len());
    for bad in ["zz\r\n", "-1\r\n", "ffffffffffffffffff\r\n", "5\r\nabcdefgh\r\n"] {
        let (text, answer) = body(CHUNKED, format!("{good}{bad}")).await;
        let error = answer.unwrap_err();
        assert_eq!((text.as_str(), error.kind()), ("hi", &ErrorKind::BrokenOff), "{bad:?}");
        assert_eq!(error.retry(), Retry::Backoff);
    }
}

#[test]
fn a_megabyte_in_one_line_and_a_hundred_thousand_pieces_are_read() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let read = |stream: &str| {
        let (text, answer) = runtime.block_on(body(STREAM, stream));
        answer.unwrap();
        text
    };
    let line = |size: usize| {
        let long = "x".repeat(size);
        (events(&[&format!(r#"{{"choices":[{{"delta":{{"content":"{long}"}}}}]}}"#), LAST]), long)
    };
    assert_linear("one line", 1 << 20, line, |(stream, long)| assert!(read(stream) == *long));
    let pieces = |size: usize| (events(&[vec![CHUNK; size], vec![LAST]].concat()), size);
    assert_linear("pieces", 100_000, pieces, |(stream, size)| assert_eq!(read(stream).len(), 2 * size));
}

#[tokio::test]
async fn an_answer_without_an_end_is_given_up() {
    let line = format!(r#"{{"choices":[{{"delta":{{"content":"{}"}}}}]}}"#, "x".repeat(1 << 20));
    let endless = vec![line.as_str(); 17];
    let (text, answer) = body(STREAM, events(&endless)).await;
    let error = answer.unwrap_err();
    assert_eq!(text.len(), 17 << 20);
    assert_eq!(
        without_port(&error.to_string()),
        "the response from HOST is not a model's answer: it does not end; check the base URL, which usually ends with /v1"
    );
}

#[tokio::test]
async fn an_error_that_is_compressed_is_read() {
    let object = br#"{"error":{"message":"packed words","code":"model_not_found"}}"#;
    let words = refusal(404, "Content-Encoding: gzip\r\n", &stored_gzip(object)).await;
    assert_eq!(words, "HOST has no model called m: packed words; `shellmate models` lists the ones it has");
    // One that only says so is an error like any other.
    let words = refusal(500, "Content-Encoding: gzip\r\n", b"not packed").await;
    assert_eq!(words, "HOST reported a server error (500); ask again later, or choose another model with /model");
}

#[tokio::test]
async fn a_web_page_instead_of_an_answer_is_named_by_its_title() {
    let page = b"<!DOCTYPE html>\n<HTML><head><Title lang=en>\n  Bad\n gateway </Title></head><body><h1>Oh</h1></body>";
    assert_eq!(
        refusal(502, "", page).await,
        "HOST reported a server error (502): a web page, \"Bad gateway\"; ask again later, or choose another model with /model"
    );
    assert_eq!(
        refusal(404, "", page).await,
        "the response from HOST is not a model's answer: a web page, \"Bad gateway\" (status 404); check the base URL, which usually ends with /v1"
    );
    assert_eq!(
        refusal(403, "", page).await,
        "HOST does not allow this with your key: a web page, \"Bad gateway\" (status 403); check what the key is for, or choose another model"
    );
    assert_eq!(
        refusal(404, "", b"").await,
        "the response from HOST is not a model's answer: status 404; check the base URL, which usually ends with /v1"
    );
    for page in ["<html>", "<title>", "<title>x", "<title></title>", "<title >"] {
        assert_eq!(
            refusal(502, "", page.as_bytes()).await,
            "HOST reported a server error (502); ask again later, or choose another model with /model",
            "{page}"
        );
    }
    let (_, answer) = body("Content-Type: text/html\r\n", *page).await;
    assert_eq!(
        without_port(&answer.unwrap_err().to_string()),
        "the response from HOST is not a model's answer: a web page, \"Bad gateway\"; check the base URL, which usually ends with /v1"
    );
}

#[tokio::test]
async fn every_refusal_says_what_to_do() {
    let object = |message: &str, code: &str| format!(r#"{{"error":{{"message":"{message}","code":"{code}"}}}}"#);
    for (status, body, words) in [
        (
            403,
            object("not yours", "x"),
            "HOST does not allow this with your key: not yours; check what the key is for, or choose another model",
        ),
        (
            402,
            object("", "x"),
            "your account at HOST has no credit left; add credit, or choose another model with /model",
        ),
        (
            400,
            object("9 > 8 tokens", "context_length_exceeded"),
            "the conversation is too long for the model: 9 > 8 tokens; ask about less, or start afresh with /new",
        ),
    ] {
        assert_eq!(refusal(status, "", body.as_bytes()).await, words);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = FakeServer::answering(200, STREAM, events(&[CHUNK, LAST]).as_bytes());
    for status in [301, 302, 303, 307, 308] {
        let location = format!("Location: {}/v1/chat/completions?x#y\r\n", other.url.replace("http://", "http://u:p@"));
        let server = FakeServer::answering(status, &location, b"");
        let (_, answer) = ask_with(&server.url, &Http::default()).await;
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Moved { to: format!("{}/v1", other.url) });
        assert_eq!(
            error.to_string(),
            format!(
                "{} redirects to {}/v1; if you trust it, make that the base URL",
                server.url.trim_start_matches("http://"),
                other.url
            )
        );
        assert!(server.request().contains(KEY));
    }
    assert!(other.asked.try_recv().is_err(), "the key went elsewhere");
    let server = FakeServer::answering(308, "Location: /api/chat/completions\r\n", b"");
    let error = ask_with(&server.url, &Http::default()).await.1.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Moved { to: format!("{}/api", server.url) });
    let error = ask_with(&FakeServer::answering(304, "", b"").url, &Http::default()).await.1.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::BadRequest { status: Some(304) });
}

/// A model of Ollama at this URL.
async fn ollama(url: &str) -> std::sync::Arc<dyn Provider> {
    let preference = ModelPreference {
        base_url: Some(url.to_owned()),
        model: Some("ollama/m".to_owned()),
        ..ModelPreference::default()
    };
    Finder::default().find(&preference, &|_: &str| None).await.unwrap().unwrap().provider
}

/// A request for a model with a window.
fn within(window: u32) -> ModelRequest {
    ModelRequest { window: Some(window), ..request("m", Effort::Off) }
}

/// The context windows that a server was asked for.
fn contexts(server: &FakeServer) -> Vec<u64> {
    let body = |request: String| serde_json::from_str::<serde_json::Value>(request.split_once("\r\n\r\n")?.1).ok();
    let asked = server.asked.try_iter().filter(|request| request.starts_with("POST /api/chat "));
    asked.filter_map(body).filter_map(|body| body["options"]["num_ctx"].as_u64()).collect()
}

#[tokio::test]
async fn ollama_is_asked_for_the_window_that_a_request_needs() {
    let both = br#"{"message":{"content":"hi"},"done":true,"models":[{"model":"m","context_length":4096}]}"#;
    let server = FakeServer::answering(200, "", both);
    let provider = ollama(&server.url).await;
    let long = |bytes: usize| ModelRequest { messages: vec![Message::user("x".repeat(bytes))], ..within(32_768) };
    for bytes in [10, 20_000, 10] {
        provider.stream(&long(bytes), &mut |_| ()).await.unwrap();
    }
    assert_eq!(contexts(&server), [8_192, 16_384, 16_384], "the model is not loaded again for a smaller window");
}

#[tokio::test]
async fn a_request_that_ollama_finds_too_long_is_sent_again_with_a_larger_window() {
    let refusal = br#"{"error":"the prompt is longer than the context length currently available to the model"}"#;
    let server = FakeServer::answering(400, "", refusal);
    let error = ollama(&server.url).await.stream(&within(20_000), &mut |_| ()).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::ContextTooLong { window: None });
    assert_eq!(contexts(&server), [8_192, 16_384, 20_000]);
}

#[tokio::test]
async fn a_proxy_that_does_not_know_ollamas_path_is_asked_as_openai_from_then_on() {
    let whole = serde_json::json!({ "choices": [{ "message": { "content": "hi" }, "finish_reason": "stop" }] });
    let server = Documents::start(&[("/v1/chat/completions", whole)]);
    let provider = ollama(&server.url).await;
    for _ in 0..2 {
        let mut deltas = Vec::new();
        provider.stream(&within(8_192), &mut |delta| deltas.push(delta)).await.unwrap();
        assert_eq!(deltas[0], Delta::Text("hi".to_owned()));
    }
    let asked: Vec<String> = server.asked().into_iter().filter(|asked| asked.contains("chat")).collect();
    assert_eq!(asked, ["POST /api/chat", "POST /v1/chat/completions", "POST /v1/chat/completions"]);
}

#[tokio::test]
async fn a_model_that_ollama_does_not_have_is_not_looked_for_elsewhere() {
    let server = FakeServer::answering(404, "", br#"{"error":"model 'm' not found"}"#);
    let error = ollama(&server.url).await.stream(&within(8_192), &mut |_| ()).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::ModelNotFound { model: "m".to_owned() });
    assert!(server.asked.try_iter().all(|request| !request.starts_with("POST /v1/")));
}

#[tokio::test]
async fn a_server_that_refuses_pictures_is_asked_again_in_words() {
    let refusal = br#"{"error":{"message":"This model does not support image input","type":"invalid_request_error"}}"#;
    let server = FakeServer::answering(400, "Content-Type: application/json\r\n", refusal);
    let provider = super::super::testing::provider(&server.url, &Http::default()).await;
    let image = crate::chat::Image { media_type: "image/png".into(), base64: "QQ==".into() };
    let mut asked = request("m", Effort::Medium);
    asked.messages[0].parts.push(crate::chat::Part::Image(image));
    provider.stream(&asked, &mut |_| ()).await.unwrap_err();
    assert!(server.asked.recv().unwrap().contains("image_url"));
    let again = server.asked.recv().unwrap();
    assert!(again.contains("a picture (image/png) was left out here") && !again.contains("image_url"), "{again}");
}

/// A conversation whose last answer has thinking with this signature, and a call.
fn with_thinking(model: &str, signature: &str) -> ModelRequest {
    let thinking = Thinking { text: "hm".into(), signature: Some(signature.to_owned()), redacted: None };
    let call = Call { id: "a".into(), name: "ls".into(), arguments: "{}".into() };
    let mut request = request(model, Effort::Medium);
    let parts = vec![Part::Thinking(thinking), Part::Text("I look.".into()), Part::Call(call)];
    request.messages.push(Message { role: Role::Assistant, parts });
    let result = Part::Result { id: "a".into(), outcome: Outcome::done("ok") };
    request.messages.push(Message { role: Role::Tool, parts: vec![result] });
    request
}

/// Asks a model whose server refuses every request with these words. Returns the requests.
async fn refused_with(name: &str, words: &str, request: &ModelRequest) -> Vec<String> {
    let error = serde_json::json!({ "error": { "message": words, "type": "invalid_request_error" } }).to_string();
    let server = FakeServer::answering(400, "", error.as_bytes());
    let (base_url, model) = (Some(server.url.clone()), Some(name.to_owned()));
    let preference = ModelPreference { base_url, model, ..ModelPreference::default() };
    let found = Finder::default().find(&preference, &|_: &str| None).await.unwrap().unwrap();
    found.provider.stream(request, &mut |_| ()).await.unwrap_err();
    server.asked.try_iter().collect()
}

#[tokio::test]
async fn a_refused_signature_is_left_out() {
    let claude = with_thinking("claude-sonnet-5", "anthropic@claude-sonnet-5:SIG");
    let words = "messages.1.content.0: Invalid `signature` in `thinking` block";
    let sent = refused_with("anthropic/claude-sonnet-5", words, &claude).await;
    assert_eq!(sent.iter().map(|sent| sent.contains("SIG")).collect::<Vec<_>>(), [true, false]);
    assert!(sent[1].contains("I look."));
    let gpt = with_thinking("gpt-5", "responses@openai:rs_1 SIG");
    let words = "The encrypted content SIG could not be verified.";
    let sent = refused_with("openai/gpt-5", words, &gpt).await;
    assert_eq!(sent.iter().map(|sent| sent.contains("rs_1")).collect::<Vec<_>>(), [true, false]);
    let sent = refused_with("openai/gpt-5", "Unknown parameter: 'x'.", &gpt).await;
    assert_eq!(sent.len(), 1);
}

#[tokio::test]
async fn a_refused_echo_is_left_out() {
    for words in [
        "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
        "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
        "[{'type': 'extra_forbidden', 'loc': ['body', 'messages', 2, 'reasoning_content'], 'msg': 'Extra inputs are not permitted'}]",
    ] {
        let sent = refused_with("custom/qwen3-32b", words, &with_thinking("qwen3-32b", "x")).await;
        assert_eq!(sent.iter().map(|sent| sent.contains("\"hm\"")).collect::<Vec<_>>(), [true, false], "{words}");
    }
    let fields = r#"{"detail":[{"type":"extra_forbidden","loc":["body","messages",2,"reasoning_content"],"msg":"Extra inputs are not permitted"}]}"#;
    let server = FakeServer::answering(422, "", fields.as_bytes());
    let error = ask_with(&server.url, &Http::default()).await.1.unwrap_err();
    assert!(
        error.is_about_echo() && error.to_string().contains("body.messages.2.reasoning_content: Extra inputs"),
        "{error}"
    );
    let needed = "The `reasoning_content` in the thinking mode must be passed back to the API.";
    assert_eq!(refused_with("custom/qwen3-32b", needed, &with_thinking("qwen3-32b", "x")).await.len(), 1);
}
