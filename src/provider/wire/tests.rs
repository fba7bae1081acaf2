//! A wire and a signer that no vendor has: what a new one may need besides server-sent events and a key in a header.

use std::sync::Arc;

use serde_json::json;

use super::super::catalog::Price;
use super::super::decode::{AnswerEnd, AnswerProgress, Sink};
use super::super::error::ErrorKind;
use super::super::error_response::ErrorResponse;
use super::super::http::{Endpoint, Http};
use super::super::remote::Remote;
use super::super::sign::{SignError, Signer};
use super::super::sse::{SseEvent, TooLong};
use super::super::testing::{FakeServer, request};
use super::super::vendors::Route;
use super::super::{Delta, Provider, Stop};
use super::*;
use crate::chat::Usage;

/// Answers are lines of JSON.
#[derive(Debug)]
struct LinesWire;

#[derive(Default)]
struct LineFraming(Vec<u8>);

#[derive(Default)]
struct LinesReader {
    usage: Option<Usage>,
}

impl Wire for LinesWire {
    fn protocol(&self) -> Protocol {
        Protocol::Chat
    }

    fn path(&self) -> &'static str {
        "/converse"
    }

    fn body(&self, request: &ModelRequest, to: Recipient<'_>) -> Value {
        json!({ "ask": request.model, "with": to.takes_optional })
    }

    fn reader(&self, _vendor: &str, _model: &str) -> Box<dyn AnswerReader + Send> {
        Box::new(LinesReader::default())
    }

    fn framing(&self) -> Box<dyn Framing + Send> {
        Box::new(LineFraming::default())
    }

    fn efforts(&self, _model: &str) -> Vec<Effort> {
        Vec::new()
    }

    fn optional_field(&self) -> Option<&'static str> {
        Some("with")
    }
}

impl Framing for LineFraming {
    fn feed(&mut self, bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), TooLong> {
        self.0.extend_from_slice(bytes);
        while let Some(end) = self.0.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.0.drain(..=end).collect();
            events.push(SseEvent { name: String::new(), data: String::from_utf8(line).unwrap() });
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Option<SseEvent>, TooLong> {
        Ok(None)
    }

    fn is_document(&self) -> bool {
        false
    }
}

impl AnswerReader for LinesReader {
    fn take(&mut self, event: &Value, deltas: Sink<'_>) -> Result<AnswerProgress, ErrorResponse> {
        if let Some(text) = event["text"].as_str() {
            deltas(Delta::Text(text.to_owned()));
            return Ok(AnswerProgress::Open);
        }
        self.usage = event["tokens"].as_u64().map(|output| Usage { output, ..Usage::default() });
        Ok(AnswerProgress::Over)
    }

    fn end(&mut self, _: Sink<'_>) -> Result<AnswerEnd, ErrorKind> {
        Ok(AnswerEnd { usage: self.usage, stop: Stop::End })
    }
}

/// Signs method, path and body with a secret, as cloud vendors do.
#[derive(Debug)]
struct BodySigner(&'static str);

impl BodySigner {
    fn signature(&self, method: &str, path: &str, body: &str) -> String {
        let signed = [self.0, method, path, body].concat();
        let hash = signed
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        format!("{hash:016x}")
    }
}

impl Signer for BodySigner {
    fn sign(&self, request: &mut reqwest::Request) -> Result<(), SignError> {
        let body = request.body().and_then(|body| body.as_bytes()).unwrap_or_default();
        let body = std::str::from_utf8(body).unwrap();
        let signature = self.signature(request.method().as_str(), request.url().path(), body);
        request.headers_mut().insert("x-signature", signature.parse().map_err(|_| SignError::NotAHeader)?);
        Ok(())
    }
}

fn remote(url: &str, price: Option<Price>) -> Remote {
    let endpoint = Endpoint {
        vendor: "cloud".to_owned(),
        kind: &super::super::vendors::CUSTOM,
        base_url: url.to_owned(),
        route: Route { prefix: "/model/m".to_owned(), ..Route::default() },
        key: None,
        signer: Some(Arc::new(BodySigner("secret"))),
        headers: &[],
        extras: super::super::http::Extras::default(),
    };
    Remote::new(Http::default(), endpoint, &LinesWire, price)
}

#[tokio::test]
async fn a_signer_sees_the_request_as_it_is_sent() {
    let server = FakeServer::answering(200, "", b"{\"text\":\"hi\"}\n{\"tokens\":1000}\n");
    let mut deltas = Vec::new();
    let asked = request("m", Effort::Off);
    remote(&server.url, None).stream(&asked, &mut |delta| deltas.push(delta)).await.unwrap();
    assert_eq!(deltas[0], Delta::Text("hi".to_owned()), "a wire has its own framing");
    let sent = server.request();
    let (head, body) = sent.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /model/m/converse HTTP/1.1\r\n"), "{head}");
    let signature = BodySigner("secret").signature("POST", "/model/m/converse", body);
    assert!(head.contains(&format!("\r\nx-signature: {signature}\r\n")), "{head}");
}

#[tokio::test]
async fn an_answer_costs_what_its_model_costs() {
    let server = FakeServer::answering(200, "", b"{\"tokens\":1000}\n");
    let cost = async |price| {
        let mut cost = None;
        let asked = request("m", Effort::Off);
        let hear = &mut |delta| {
            if let Delta::Usage(usage) = delta {
                cost = usage.cost;
            }
        };
        remote(&server.url, price).stream(&asked, hear).await.unwrap();
        cost
    };
    let price = Price { input: 0.0, output: 5.0, cached: 0.0, cache_written: 0.0 };
    assert_eq!(cost(Some(price)).await, Some(0.005));
    assert_eq!(cost(None).await, None);
}

#[tokio::test]
async fn a_field_that_an_account_may_not_use_is_left_out_from_then_on() {
    let refusal = br#"{"error":{"message":"not for you","param":"with"}}"#;
    let server = FakeServer::answering(400, "", refusal);
    let remote = remote(&server.url, None);
    for _ in 0..2 {
        let asked = request("m", Effort::Off);
        remote.stream(&asked, &mut |_| ()).await.unwrap_err();
    }
    let bodies: Vec<bool> = (0..3).map(|_| server.request().ends_with(r#""with":true}"#)).collect();
    assert_eq!(bodies, [true, false, false]);
}
