//! Servers that are odd, broken or hostile.

use std::time::{Duration, Instant};

use super::super::retry::Retry;
use super::super::testing::{CHUNK, FakeServer, KEY, LAST, ServerStep, ask_with, events, head, stored_gzip};
use super::super::{Delta, ErrorKind, Http, ProviderError};

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
    ask_with(&server.url, &Http::default()).await.1.unwrap_err().to_string()
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

#[tokio::test]
async fn a_megabyte_in_one_line_and_a_hundred_thousand_pieces_are_read() {
    let long = "x".repeat(1 << 20);
    let line = format!(r#"{{"choices":[{{"delta":{{"content":"{long}"}}}}]}}"#);
    let (text, answer) = body(STREAM, events(&[&line, LAST])).await;
    answer.unwrap();
    assert!(text == long);

    let mut pieces = vec![CHUNK; 100_000];
    pieces.push(LAST);
    let began = Instant::now();
    let (text, answer) = body(STREAM, events(&pieces)).await;
    answer.unwrap();
    assert_eq!(text.len(), 200_000);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[tokio::test]
async fn an_answer_without_an_end_is_given_up() {
    let line = format!(r#"{{"choices":[{{"delta":{{"content":"{}"}}}}]}}"#, "x".repeat(1 << 20));
    let endless = vec![line.as_str(); 17];
    let (text, answer) = body(STREAM, events(&endless)).await;
    let error = answer.unwrap_err();
    assert_eq!(text.len(), 17 << 20);
    assert_eq!(error.to_string(), "what came back from custom is not an answer: it does not end; check the base URL");
}

#[tokio::test]
async fn an_error_that_is_compressed_is_read() {
    let object = br#"{"error":{"message":"packed words","code":"model_not_found"}}"#;
    let words = refusal(404, "Content-Encoding: gzip\r\n", &stored_gzip(object)).await;
    assert_eq!(words, "custom has no model called m: packed words; `shellmate models` lists those it has");
    // One that only says so is an error like any other.
    let words = refusal(500, "Content-Encoding: gzip\r\n", b"not packed").await;
    assert_eq!(words, "custom reported a server error (500)");
}

#[tokio::test]
async fn a_web_page_instead_of_an_answer_is_named_by_its_title() {
    let page = b"<!DOCTYPE html>\n<HTML><head><Title lang=en>\n  Bad\n gateway </Title></head><body><h1>Oh</h1></body>";
    assert_eq!(refusal(502, "", page).await, "custom reported a server error (502): a web page, \"Bad gateway\"");
    assert_eq!(
        refusal(404, "", page).await,
        "what came back from custom is not an answer: a web page, \"Bad gateway\" (status 404); check the base URL"
    );
    assert_eq!(
        refusal(403, "", page).await,
        "custom does not allow this with your key: a web page, \"Bad gateway\" (status 403); check what the key is for, or choose another model"
    );
    assert_eq!(
        refusal(404, "", b"").await,
        "what came back from custom is not an answer: (status 404); check the base URL"
    );
    for page in ["<html>", "<title>", "<title>x", "<title></title>", "<title >"] {
        assert_eq!(refusal(502, "", page.as_bytes()).await, "custom reported a server error (502)", "{page}");
    }
    let (_, answer) = body("Content-Type: text/html\r\n", *page).await;
    assert_eq!(
        answer.unwrap_err().to_string(),
        "what came back from custom is not an answer: a web page, \"Bad gateway\"; check the base URL"
    );
}

#[tokio::test]
async fn every_refusal_says_what_to_do() {
    let object = |message: &str, code: &str| format!(r#"{{"error":{{"message":"{message}","code":"{code}"}}}}"#);
    for (status, body, words) in [
        (
            403,
            object("not yours", "x"),
            "custom does not allow this with your key: not yours; check what the key is for, or choose another model",
        ),
        (402, object("", "x"), "your account at custom has no credit left; add credit, or choose another with /model"),
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
            format!("custom redirects to {}/v1; if you trust it, make that the base URL", other.url)
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
