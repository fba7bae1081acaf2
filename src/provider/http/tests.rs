use std::sync::mpsc;

use super::super::choose::choose;
use super::super::error::Distrust;
use super::super::retry::Retry;
use super::super::testing::{
    CHUNK, FakeServer, KEY, LAST, ServerStep, ask_with, env, events, head, provider, request, stored_gzip, without_port,
};
use super::super::{Delta, Effort, Finder, ModelPreference, Protocol, ResolveError};
use super::*;

const STREAM: &str = "Content-Type: text/event-stream\r\n";

async fn ask(server: &FakeServer) -> Result<(), ProviderError> {
    ask_with(&server.url, &Http::default()).await.1
}

async fn refused(status: u16, headers: &str, body: &str) -> ProviderError {
    ask(&FakeServer::answering(status, headers, body.as_bytes())).await.unwrap_err()
}

#[tokio::test]
async fn a_status_becomes_an_error_kind_and_a_retry_rule() {
    let wants_key = ErrorKind::Key { variable: Some("OPENAI_API_KEY".to_owned()) };
    let no_model = ErrorKind::ModelNotFound { model: "m".to_owned() };
    let object = |code: &str| format!(r#"{{"error":{{"message":"words","type":"t","code":"{code}"}}}}"#);
    let cases = [
        (401, object("invalid_api_key"), wants_key.clone(), Retry::Never),
        (401, String::new(), wants_key.clone(), Retry::Never),
        (400, r#"[{"error":{"code":400,"message":"x","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]"#.to_owned(), wants_key, Retry::Never),
        (402, String::new(), ErrorKind::Quota, Retry::Never),
        (403, object("x"), ErrorKind::Forbidden, Retry::Never),
        (404, object("model_not_found"), no_model.clone(), Retry::Never),
        (404, r#"{"error":"model 'm' not found"}"#.to_owned(), no_model, Retry::Never),
        (404, "<html>nginx</html>".to_owned(), ErrorKind::Malformed, Retry::Never),
        (400, object("context_length_exceeded"), ErrorKind::ContextTooLong { window: None }, Retry::Never),
        (400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}"#.to_owned(), ErrorKind::ContextTooLong { window: None }, Retry::Never),
        (413, String::new(), ErrorKind::ContextTooLong { window: None }, Retry::Never),
        (400, object("x"), ErrorKind::BadRequest { status: Some(400) }, Retry::Never),
        (307, String::new(), ErrorKind::BadRequest { status: Some(307) }, Retry::Never),
        (429, object("rate_limit_exceeded"), ErrorKind::RateLimited, Retry::Backoff),
        (429, object("insufficient_quota"), ErrorKind::Quota, Retry::Never),
        (500, String::new(), ErrorKind::Server { status: Some(500) }, Retry::Backoff),
        (502, "<html>bad gateway</html>".to_owned(), ErrorKind::Server { status: Some(502) }, Retry::Backoff),
        (503, String::new(), ErrorKind::Overloaded, Retry::Backoff),
        (529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#.to_owned(), ErrorKind::Overloaded, Retry::Backoff),
    ];
    for (status, body, kind, retry) in cases {
        let error = refused(status, "", &body).await;
        assert_eq!((error.kind(), error.retry()), (&kind, retry), "{status} {body}");
    }
}

#[tokio::test]
async fn a_vendor_may_say_when_to_try_again() {
    let wait = |error: ProviderError| error.retry();
    assert_eq!(wait(refused(429, "Retry-After: 7\r\n", "").await), Retry::After(Duration::from_secs(7)));
    assert_eq!(wait(refused(503, "retry-after-ms: 250\r\n", "").await), Retry::After(Duration::from_millis(250)));
    let past = "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n";
    assert_eq!(wait(refused(429, past, "").await), Retry::After(Duration::ZERO));
    assert_eq!(wait(refused(401, "Retry-After: 7\r\n", "").await), Retry::Never);
    // The vendor's clock counts, not ours.
    let dated = "Date: Wed, 21 Oct 2015 07:28:00 GMT\r\nRetry-After: Wed, 21 Oct 2015 07:28:09 GMT\r\n";
    assert_eq!(wait(refused(429, dated, "").await), Retry::After(Duration::from_secs(9)));
    let error = refused(429, "Retry-After: 3600\r\n", r#"{"error":{"message":"slow\n  down"}}"#).await;
    assert_eq!(
        without_port(&error.to_string()),
        "you have reached the rate limit of HOST: slow down; ask again in 1h00m"
    );
}

#[tokio::test]
async fn messages_say_what_to_do_and_never_the_key() {
    let quoting =
        format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}\u001b[2J","code":"invalid_api_key"}}}}"#);
    let error = refused(401, "", &quoting).await;
    assert!(!format!("{error} {error:?}").contains(KEY));
    assert_eq!(
        without_port(&error.to_string()),
        "HOST does not accept the key in OPENAI_API_KEY: Incorrect API key provided: [key]\u{fffd}[2J; `shellmate auth status` says where it comes from: export another, or store one with `shellmate auth login`"
    );
    let error = refused(404, "", r#"{"error":{"message":"no","code":"model_not_found"}}"#).await;
    assert_eq!(
        without_port(&error.to_string()),
        "HOST has no model called m: no; `shellmate models` lists the ones it has"
    );
    let long = refused(400, "", &"é".repeat(70_000)).await.to_string();
    assert!(long.len() < 1_000);
}

#[tokio::test]
async fn a_refused_connection_is_told_at_once() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = ask_with(&format!("http://user:{KEY}@{closed}/v1"), &Http::default()).await.1.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("nothing answers at {closed}; is the server running? start it, or name another model")
    );
    assert_eq!(error.retry(), Retry::Never);
    assert!(!format!("{error:?}").contains(KEY));
}

#[tokio::test]
async fn a_connection_that_cannot_be_trusted_is_not_tried_again() {
    // No TLS is spoken here.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = std::io::Read::read(&mut stream, &mut [0; 512]);
        let _ = std::io::Write::write_all(&mut stream, &head(400, ""));
    });
    let error = ask_with(&format!("https://{address}"), &Http::default()).await.1.unwrap_err();
    let untrusted = ErrorKind::Untrusted { address: address.to_string(), why: Distrust::NoTls };
    assert_eq!((error.kind(), error.retry()), (&untrusted, Retry::Never));
    assert!(error.to_string().ends_with("it does not speak TLS; should the URL begin with http://?"), "{error}");
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_an_error_after_its_deltas() {
    let chunk = events(&[CHUNK]).into_bytes();
    let closed = vec![ServerStep::Send(head(200, STREAM)), ServerStep::Send(chunk.clone())];
    let promised = vec![ServerStep::Send(head(200, "Content-Length: 9999\r\n")), ServerStep::Send(chunk.clone())];
    let chunked = vec![
        ServerStep::Send(head(200, "Transfer-Encoding: chunked\r\n")),
        ServerStep::Send(format!("{:x}\r\n", chunk.len()).into_bytes()),
        ServerStep::Send(chunk),
    ];
    for steps in [closed, promised, chunked, vec![ServerStep::Send(head(200, STREAM))], vec![]] {
        let deltas_expected = steps.len() > 1;
        let (deltas, answer) = ask_with(&FakeServer::start(steps).url, &Http::default()).await;
        let error = answer.unwrap_err();
        assert_eq!((error.kind(), error.retry()), (&ErrorKind::BrokenOff, Retry::Backoff), "{error:?}");
        assert_eq!(deltas.contains(&Delta::Text("hi".to_owned())), deltas_expected);
    }
}

#[tokio::test]
async fn a_silent_server_is_an_error_after_the_timeout() {
    let http = Http::new(HttpTimeouts { silence: Duration::from_millis(80), ..HttpTimeouts::default() });
    let after_chunk =
        vec![ServerStep::Send(head(200, STREAM)), ServerStep::Send(events(&[CHUNK]).into_bytes()), ServerStep::Wait];
    for steps in [after_chunk, vec![ServerStep::Send(head(200, STREAM)), ServerStep::Wait], vec![ServerStep::Wait]] {
        let error = ask_with(&FakeServer::start(steps).url, &http).await.1.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Silent { after: Duration::from_millis(80) });
        let said = without_port(&error.to_string());
        assert_eq!(said, "no response from HOST for 80ms; ask again; `idle_timeout` in [agent] sets how long to wait");
        assert_eq!(error.retry(), Retry::Backoff);
    }
}

#[tokio::test]
async fn a_complete_answer_does_not_wait_for_the_connection_to_close() {
    let http = Http::new(HttpTimeouts { silence: Duration::from_millis(80), ..HttpTimeouts::default() });
    let steps = vec![
        ServerStep::Send(head(200, STREAM)),
        ServerStep::Send(events(&[CHUNK, LAST]).into_bytes()),
        ServerStep::Wait,
    ];
    let (deltas, answer) = ask_with(&FakeServer::start(steps).url, &http).await;
    assert!(answer.is_ok());
    assert_eq!(deltas.len(), 2);
}

#[tokio::test]
async fn deltas_come_as_they_arrive_and_dropping_hangs_up() {
    // Half a line is no event yet; a whole one is, though the answer is not over.
    let steps =
        vec![ServerStep::Send(head(200, STREAM)), ServerStep::Send(events(&[CHUNK]).into_bytes()), ServerStep::Wait];
    let server = FakeServer::start(steps);
    let provider = provider(&server.url, &Http::default()).await;
    let (tell, heard) = mpsc::channel();
    let answer = tokio::spawn(async move {
        let request = request("m", Effort::Medium);
        let _ = provider.stream(&request, &mut |delta| drop(tell.send(delta))).await;
    });
    let first = tokio::task::spawn_blocking(move || heard.recv()).await.unwrap();
    assert_eq!(first.unwrap(), Delta::Text("hi".to_owned()));
    answer.abort();
    let hung_up = server.hung_up;
    tokio::task::spawn_blocking(move || hung_up.recv()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_compressed_answer_is_read() {
    // gzip of an event stream with CHUNK and LAST.
    let plain = events(&[CHUNK, LAST, "[DONE]"]);
    let server = FakeServer::answering(
        200,
        "Content-Encoding: gzip\r\nContent-Type: text/event-stream\r\n",
        &stored_gzip(plain.as_bytes()),
    );
    let (deltas, answer) = ask_with(&server.url, &Http::default()).await;
    answer.unwrap();
    assert_eq!(deltas[0], Delta::Text("hi".to_owned()));
    assert!(server.request().to_ascii_lowercase().contains("accept-encoding: gzip"));
}

#[test]
fn nothing_is_built_before_the_first_request() {
    let http = Http::default();
    let preference =
        ModelPreference { base_url: Some("https://llm.example.com".to_owned()), ..ModelPreference::default() };
    let choice: Result<_, ResolveError> = choose(&preference, &env);
    assert!(choice.unwrap().is_some());
    let Clients { remote, local, plain, .. } = &*http.clients;
    assert!([remote, local, plain].iter().all(|client| client.get().is_none()));
}

#[test]
fn hosts_and_loopback() {
    assert_eq!(host("https://u:p@example.com:81/v1?x"), "example.com:81");
    for url in [
        "http://localhost:1/v1",
        "http://127.0.0.1",
        "http://127.9.9.9:80",
        "http://[::1]:8080/v1",
        "http://u@LOCALHOST",
    ] {
        assert!(is_loopback(url), "{url}");
    }
    for url in
        ["http://localhost.example.com", "http://127.0.0.1.example.com", "http://10.0.0.1", "http://a@b", "http://"]
    {
        assert!(!is_loopback(url), "{url}");
    }
}

#[tokio::test]
async fn an_account_without_thinking_summaries_is_asked_again_without_them() {
    let refusal = r#"{"error":{"message":"Your organization must be verified to generate reasoning summaries.","type":"invalid_request_error","param":"reasoning.summary","code":"unsupported_value"}}"#;
    let server = FakeServer::answering(400, "", refusal.as_bytes());
    let preference = ModelPreference {
        base_url: Some(server.url.clone()),
        model: Some("gpt-5.4".to_owned()),
        protocol: Protocol::Responses,
        ..ModelPreference::default()
    };
    let provider = Finder::default().find(&preference, &env).await.unwrap().unwrap().provider;
    let request = request("gpt-5.4", Effort::Medium);
    let mut quiet = |_| {};
    assert!(provider.stream(&request, &mut quiet).await.is_err());
    let asks = |asked: String| asked.contains(r#""summary":"auto""#);
    assert!(asks(server.request()) && !asks(server.request()));
    assert!(provider.stream(&request, &mut quiet).await.is_err());
    assert!(!asks(server.request()));
    assert!(server.asked.try_recv().is_err());
}
