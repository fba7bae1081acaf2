//! Helpers for the tests of this room: cutting streams, and a scripted server.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use super::{CacheLifetime, Delta, Effort, Finder, Http, ModelPreference, ModelRequest, Provider, ProviderError};
use crate::chat::{Message, ToolSpec};

/// One word of an answer, and its end.
pub(super) const CHUNK: &str = r#"{"choices":[{"delta":{"content":"hi"}}]}"#;
pub(super) const LAST: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

/// The key in all tests.
pub(super) const KEY: &str = "sk-very-secret";

pub(super) fn env(name: &str) -> Option<String> {
    (name == "OPENAI_API_KEY").then(|| KEY.to_owned())
}

/// The server at this URL, over chat completions.
pub(super) async fn provider(url: &str, http: &Http) -> Arc<dyn Provider> {
    let preference =
        ModelPreference { base_url: Some(url.to_owned()), model: Some("m".to_owned()), ..ModelPreference::default() };
    Finder::new(http.clone()).find(&preference, &env).await.unwrap().unwrap().provider
}

/// A message with `HOST` for the address of a scripted server.
pub(super) fn without_port(message: &str) -> String {
    let port = |part: &str| part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mut parts = message.split("127.0.0.1:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |said, part| format!("{said}HOST{}", &part[port(part)..]))
}

/// Asks the server at this URL.
pub(super) async fn ask_with(url: &str, http: &Http) -> (Vec<Delta>, Result<(), ProviderError>) {
    let mut deltas = Vec::new();
    let provider = provider(url, http).await;
    let answer = provider.stream(&request("m", Effort::Medium), &mut |delta| deltas.push(delta)).await;
    (deltas, answer)
}

/// Cuts bytes at the places given, which may lie anywhere.
pub(super) fn cut<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// Deltas with neighbours of one kind joined, so that they do not depend on how the stream was cut.
pub(super) fn joined(deltas: Vec<Delta>) -> Vec<Delta> {
    let mut joined: Vec<Delta> = Vec::new();
    for delta in deltas {
        match (joined.last_mut(), &delta) {
            (Some(Delta::Text(all)), Delta::Text(more)) => all.push_str(more),
            (Some(Delta::Thinking(all)), Delta::Thinking(more)) => all.push_str(more),
            (Some(Delta::CallArguments { index, json }), Delta::CallArguments { index: same, json: more })
                if index == same =>
            {
                json.push_str(more);
            }
            _ => joined.push(delta),
        }
    }
    joined
}

/// A stream of events with this data.
pub(super) fn events(data: &[&str]) -> String {
    data.iter().map(|data| format!("data: {data}\n\n")).collect()
}

pub(super) fn request(model: &str, effort: Effort) -> ModelRequest {
    let schema = serde_json::json!({ "type": "object", "properties": {} });
    ModelRequest {
        model: model.to_owned(),
        system: "Be brief.".to_owned(),
        messages: vec![Message::user("hi")],
        tools: vec![ToolSpec { name: "ls".to_owned(), description: "Lists.".to_owned(), schema }],
        effort,
        max_output: 1_000,
        cache: CacheLifetime::Short,
        window: None,
    }
}

/// What a server does with a connection.
pub(super) enum ServerStep {
    Send(Vec<u8>),
    /// Sends nothing until the other side hangs up, and reports that it did.
    Wait,
}

/// A server on loopback that answers each connection with the same steps, then closes it.
pub(super) struct FakeServer {
    pub(super) url: String,
    /// What was asked: the head and the body of each request.
    pub(super) asked: mpsc::Receiver<String>,
    /// Says when the other side hung up during [`ServerStep::Wait`].
    pub(super) hung_up: mpsc::Receiver<()>,
}

impl FakeServer {
    pub(super) fn start(steps: Vec<ServerStep>) -> FakeServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (tell_asked, asked) = mpsc::channel();
        let (tell_hung_up, hung_up) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                if tell_asked.send(read_request(&mut stream)).is_err() {
                    return;
                }
                for step in &steps {
                    match step {
                        ServerStep::Send(bytes) => stream.write_all(bytes).unwrap(),
                        ServerStep::Wait => {
                            let _ = stream.read(&mut [0; 64]);
                            let _ = tell_hung_up.send(());
                        }
                    }
                }
            }
        });
        FakeServer { url, asked, hung_up }
    }

    /// Answers with this status, these header lines and this body.
    pub(super) fn answering(status: u16, headers: &str, body: &[u8]) -> FakeServer {
        FakeServer::start(vec![
            ServerStep::Send(head(status, &format!("Content-Length: {}\r\n{headers}", body.len()))),
            ServerStep::Send(body.to_vec()),
        ])
    }

    pub(super) fn request(&self) -> String {
        self.asked.recv_timeout(Duration::from_secs(5)).unwrap()
    }
}

/// The head of an answer; without a length the body lasts until the connection ends.
pub(super) fn head(status: u16, headers: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} X\r\nConnection: close\r\n{headers}\r\n").into_bytes()
}

fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).unwrap();
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            assert_ne!(read, 0, "a request without an end");
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
        if body.len() >= length.unwrap_or(0) {
            return text;
        }
    }
}

/// The simplest gzip there is: one block, stored as it is.
pub(super) fn stored_gzip(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap();
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 })
    });
    let mut gzip = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    gzip.extend(length.to_le_bytes());
    gzip.extend((!length).to_le_bytes());
    gzip.extend_from_slice(bytes);
    gzip.extend((!crc).to_le_bytes());
    gzip.extend(u32::from(length).to_le_bytes());
    gzip
}

/// A server with a JSON document at each of these paths, and status 404 at all others.
pub(super) struct Documents {
    pub(super) url: String,
    asked: mpsc::Receiver<String>,
}

impl Documents {
    pub(super) fn start(documents: &[(&str, serde_json::Value)]) -> Documents {
        Documents::serve(TcpListener::bind("127.0.0.1:0").unwrap(), documents)
    }

    pub(super) fn serve(listener: TcpListener, documents: &[(&str, serde_json::Value)]) -> Documents {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (tell, asked) = mpsc::channel();
        let documents: Vec<(String, String)> =
            documents.iter().map(|(path, document)| ((*path).to_owned(), document.to_string())).collect();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let request = read_request(&mut stream);
                let line: Vec<&str> = request.split(' ').take(2).collect();
                let document = documents.iter().find(|(path, _)| *path == line[1]).map(|(_, document)| document);
                let (status, body) = document.map_or((404, "no such page"), |document| (200, document));
                let _ = tell.send(line.join(" "));
                let _ = stream.write_all(&head(status, &format!("Content-Length: {}\r\n", body.len())));
                let _ = stream.write_all(body.as_bytes());
            }
        });
        Documents { url, asked }
    }

    /// What was asked since the last call: method and path.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.try_iter().collect()
    }
}
