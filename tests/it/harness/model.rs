//! A scripted model behind HTTP.
//!
//! It serves OpenAI's chat completions at `/v1/chat/completions`, its responses at `/v1/responses`, Anthropic's messages at
//! `/v1/messages` and Ollama's chat at `/api/chat`: one reply per request, in order. The pieces of a gated reply are sent one by one, when the test releases them.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use super::screen::patience;

/// The reply to one request.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    status: u16,
    headers: String,
    pieces: Vec<Piece>,
    is_whole: bool,
    is_gated: bool,
}

#[derive(Debug, Clone)]
enum Piece {
    Text(String),
    Call {
        id: String,
        name: String,
        arguments: String,
    },
    /// The body of an error.
    Body(String),
}

impl Reply {
    /// An answer in these pieces.
    pub(crate) fn text<S: Into<String>>(pieces: impl IntoIterator<Item = S>) -> Reply {
        let pieces = pieces.into_iter().map(|piece| Piece::Text(piece.into())).collect();
        Reply { status: 200, headers: String::new(), pieces, is_whole: true, is_gated: false }
    }

    /// A reply with tool calls.
    pub(crate) fn calls(calls: &[(&str, Value)]) -> Reply {
        Reply::text(Vec::<String>::new()).and_calls(calls)
    }

    /// Adds tool calls after the text.
    pub(crate) fn and_calls(mut self, calls: &[(&str, Value)]) -> Reply {
        for (number, (name, arguments)) in calls.iter().enumerate() {
            let arguments = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
            self.pieces.push(Piece::Call { id: format!("call_{number}"), name: (*name).to_owned(), arguments });
        }
        self
    }

    /// An error with this status and message.
    pub(crate) fn error(status: u16, message: &str) -> Reply {
        let body = json!({ "error": { "message": message, "type": "scripted" } }).to_string();
        Reply { status, pieces: vec![Piece::Body(body)], ..Reply::text(Vec::<String>::new()) }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Reply {
        self.headers.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    /// Closes the connection before the end.
    pub(crate) fn broken_off(mut self) -> Reply {
        self.is_whole = false;
        self
    }

    /// Each piece, and the end, waits for [`Model::release`].
    pub(crate) fn gated(mut self) -> Reply {
        self.is_gated = true;
        self
    }
}

/// A request that the model has received.
#[derive(Debug)]
pub(crate) struct ModelRequest {
    /// Request line and headers, in lower case.
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl ModelRequest {
    /// The text of a message, counted from the end.
    pub(crate) fn said(&self, from_end: usize) -> String {
        let messages = self.body["messages"].as_array().expect("messages");
        let content = &messages[messages.len() - 1 - from_end]["content"];
        match content.as_array() {
            Some(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
            None => content.as_str().unwrap_or_default().to_owned(),
        }
    }
}

/// The server of the scripted model. Its threads end with the test.
pub(crate) struct Model {
    address: String,
    asked: Receiver<ModelRequest>,
    gate: Sender<()>,
}

struct Script {
    replies: Mutex<VecDeque<Reply>>,
    asked: Mutex<Sender<ModelRequest>>,
    gate: Mutex<Receiver<()>>,
    /// Requests without this key are refused.
    key: Option<&'static str>,
}

impl Model {
    pub(crate) fn start(replies: impl IntoIterator<Item = Reply>) -> Model {
        Model::serving(replies, None)
    }

    /// Refuses requests without this key, which has no capitals. Its base URL ends with `/v1`: there is nothing above it.
    pub(crate) fn locked(key: &'static str, replies: impl IntoIterator<Item = Reply>) -> Model {
        Model::serving(replies, Some(key))
    }

    fn serving(replies: impl IntoIterator<Item = Reply>, key: Option<&'static str>) -> Model {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let ((tell, asked), (gate, wait)) = (channel(), channel());
        let replies = Mutex::new(replies.into_iter().collect());
        let script = Arc::new(Script { replies, asked: Mutex::new(tell), gate: Mutex::new(wait), key });
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let script = Arc::clone(&script);
                thread::spawn(move || script.serve(stream));
            }
        });
        Model { address, asked, gate }
    }

    /// For `OPENAI_BASE_URL`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// For `ANTHROPIC_BASE_URL`.
    pub(crate) fn root(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Host and port.
    pub(crate) fn address(&self) -> String {
        self.address.clone()
    }

    /// Sends one piece of a gated reply.
    pub(crate) fn release(&self) {
        self.gate.send(()).expect("a model");
    }

    /// Waits for the next request.
    #[track_caller]
    pub(crate) fn request(&self) -> ModelRequest {
        self.asked.recv_timeout(patience()).expect("a request")
    }

    /// The requests that were not taken with `request`.
    pub(crate) fn others(&self) -> Vec<ModelRequest> {
        self.asked.try_iter().collect()
    }
}

impl Script {
    /// TerminalReplies one connection. It is no error if the client closes it.
    fn serve(&self, stream: TcpStream) {
        let Some((head, body)) = read_request(&stream) else { return };
        if self.key.is_some() && !head.contains(" /v1/") {
            let _ = send(&stream, 404, "", "application/json", r#"{"error":{"message":"not found"}}"#);
            return;
        }
        if self.key.is_some_and(|key| !head.contains(&format!("authorization: bearer {key}\r\n"))) {
            let _ = send(&stream, 401, "", "application/json", r#"{"error":{"message":"wrong key"}}"#);
            return;
        }
        if head.starts_with("get ") {
            let _ = send(&stream, 200, "", "application/json", r#"{"data":[{"id":"scripted"}]}"#);
            return;
        }
        let path = head.split(' ').nth(1).unwrap_or_default();
        if path == "/api/show" {
            let info = json!({ "general.architecture": "llama", "llama.context_length": 16_384 });
            let shown = json!({ "model_info": info, "capabilities": ["completion", "tools", "thinking"] });
            let _ = send(&stream, 200, "", "application/json", &shown.to_string());
            return;
        }
        let wire: &dyn VendorFormat = match path {
            "/api/chat" => &Ollama,
            "/v1/messages" => &Anthropic,
            "/v1/responses" => &Responses,
            _ => &OpenAi,
        };
        let reply = self.replies.lock().unwrap().pop_front();
        let reply = reply.unwrap_or_else(|| Reply::error(400, "the script is at its end"));
        if self.asked.lock().unwrap().send(ModelRequest { head, body }).is_ok() {
            let _ = self.answer(&stream, &reply, wire);
        }
    }

    fn answer(&self, mut stream: &TcpStream, reply: &Reply, wire: &dyn VendorFormat) -> std::io::Result<()> {
        if let [Piece::Body(body)] = &reply.pieces[..] {
            return send(stream, reply.status, &reply.headers, "application/json", body);
        }
        send(stream, reply.status, &reply.headers, "text/event-stream", "")?;
        stream.write_all(wire.begin().as_bytes())?;
        for (index, piece) in reply.pieces.iter().enumerate() {
            self.wait(reply);
            stream.write_all(wire.piece(index, piece).as_bytes())?;
        }
        if reply.is_whole {
            self.wait(reply);
            let has_calls = reply.pieces.iter().any(|piece| matches!(piece, Piece::Call { .. }));
            stream.write_all(wire.end(has_calls).as_bytes())?;
        }
        Ok(())
    }

    fn wait(&self, reply: &Reply) {
        if reply.is_gated {
            let _ = self.gate.lock().unwrap().recv();
        }
    }
}

/// The body ends with the connection.
fn send(mut stream: &TcpStream, status: u16, headers: &str, kind: &str, body: &str) -> std::io::Result<()> {
    write!(stream, "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Type: {kind}\r\n{headers}\r\n{body}")
}

fn read_request(stream: &TcpStream) -> Option<(String, Value)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, serde_json::from_slice(&body).unwrap_or_default()))
}

/// The format of a vendor's answer.
trait VendorFormat {
    fn begin(&self) -> String;
    fn piece(&self, index: usize, piece: &Piece) -> String;
    fn end(&self, has_calls: bool) -> String;
}

struct OpenAi;

impl VendorFormat for OpenAi {
    fn begin(&self) -> String {
        chunk(&json!({ "role": "assistant" }), None)
    }

    fn piece(&self, index: usize, piece: &Piece) -> String {
        match piece {
            Piece::Text(text) => chunk(&json!({ "content": text }), None),
            Piece::Call { id, name, arguments } => {
                let function = json!({ "name": name, "arguments": arguments });
                chunk(&json!({ "tool_calls": [{ "index": index, "id": id, "function": function }] }), None)
            }
            Piece::Body(body) => body.clone(),
        }
    }

    fn end(&self, has_calls: bool) -> String {
        let finish = chunk(&json!({}), Some(if has_calls { "tool_calls" } else { "stop" }));
        let usage = json!({ "choices": [], "usage": { "prompt_tokens": 11, "completion_tokens": 7 } });
        format!("{finish}data: {usage}\n\ndata: [DONE]\n\n")
    }
}

fn chunk(delta: &Value, finish: Option<&str>) -> String {
    let chunk = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    format!("data: {chunk}\n\n")
}

struct Responses;

impl VendorFormat for Responses {
    fn begin(&self) -> String {
        event(&json!({ "type": "response.created", "response": { "status": "in_progress", "error": null } }))
    }

    fn piece(&self, index: usize, piece: &Piece) -> String {
        let about = |kind: &str, item: Value| event(&json!({ "type": kind, "output_index": index, "item": item }));
        match piece {
            Piece::Text(text) => {
                event(&json!({ "type": "response.output_text.delta", "output_index": index, "delta": text }))
            }
            Piece::Call { id, name, arguments } => {
                let thought =
                    json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "thought" });
                let call =
                    json!({ "type": "function_call", "call_id": id, "name": name, "arguments": arguments, "id": "fc" });
                event(&json!({ "type": "response.output_item.done", "output_index": index + 100, "item": thought }))
                    + &about("response.output_item.done", call)
            }
            Piece::Body(body) => body.clone(),
        }
    }

    fn end(&self, _: bool) -> String {
        let usage = json!({ "input_tokens": 11, "output_tokens": 7 });
        event(&json!({ "type": "response.completed", "response": { "status": "completed", "usage": usage } }))
    }
}

struct Ollama;

impl Ollama {
    fn line(message: &Value) -> String {
        format!("{}\n", json!({ "model": "scripted", "message": message, "done": false }))
    }
}

impl VendorFormat for Ollama {
    fn begin(&self) -> String {
        Ollama::line(&json!({ "role": "assistant", "content": "" }))
    }

    fn piece(&self, index: usize, piece: &Piece) -> String {
        match piece {
            Piece::Text(text) => Ollama::line(&json!({ "role": "assistant", "content": text })),
            Piece::Call { id, name, arguments } => {
                let arguments: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
                let function = json!({ "index": index, "name": name, "arguments": arguments });
                let call = json!({ "id": id, "function": function });
                Ollama::line(&json!({ "role": "assistant", "content": "", "tool_calls": [call] }))
            }
            Piece::Body(body) => body.clone(),
        }
    }

    fn end(&self, _: bool) -> String {
        let end = json!({
            "model": "scripted", "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop",
            "prompt_eval_count": 11, "eval_count": 7,
        });
        format!("{end}\n")
    }
}

struct Anthropic;

impl VendorFormat for Anthropic {
    fn begin(&self) -> String {
        let message = json!({ "usage": { "input_tokens": 11, "output_tokens": 1 } });
        event(&json!({ "type": "message_start", "message": message }))
    }

    fn piece(&self, index: usize, piece: &Piece) -> String {
        let (block, delta) = match piece {
            Piece::Text(text) => (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": text })),
            Piece::Call { id, name, arguments } => (
                json!({ "type": "tool_use", "id": id, "name": name, "input": {} }),
                json!({ "type": "input_json_delta", "partial_json": arguments }),
            ),
            Piece::Body(body) => return body.clone(),
        };
        event(&json!({ "type": "content_block_start", "index": index, "content_block": block }))
            + &event(&json!({ "type": "content_block_delta", "index": index, "delta": delta }))
            + &event(&json!({ "type": "content_block_stop", "index": index }))
    }

    fn end(&self, has_calls: bool) -> String {
        let reason = if has_calls { "tool_use" } else { "end_turn" };
        let delta = json!({ "stop_reason": reason });
        event(&json!({ "type": "message_delta", "delta": delta, "usage": { "output_tokens": 7 } }))
            + &event(&json!({ "type": "message_stop" }))
    }
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}
