//! The rules by which servers refuse a request, checked on the JSON of every protocol.

use std::collections::HashSet;

use serde_json::Value;

use super::{Protocol, Recipient, Wire, of};
use crate::provider::ModelRequest;

/// One message of a body, whatever its protocol calls it.
#[derive(Debug, PartialEq)]
enum Turned {
    User,
    /// The ids of its calls.
    Assistant(Vec<String>),
    /// The ids of the calls that are answered.
    Results(Vec<String>),
}

/// Asserts that each protocol can send a request by its own rules: the person begins, questions and answers alternate, every call is
/// answered at once and in order, no text is empty. Returns the bytes of the body for chat completions.
pub(crate) fn assert_accepted(request: &ModelRequest) -> usize {
    let protocols = [Protocol::Chat, Protocol::Responses, Protocol::Messages, Protocol::Ollama];
    let mut bytes = 0;
    for protocol in protocols {
        let wire: &dyn Wire = of(protocol);
        let context = wire.context(request, 4_096);
        let to = Recipient {
            vendor: "v",
            kind: "v",
            traits: crate::provider::ModelTraits::UNKNOWN,
            is_official: true,
            takes_optional: true,
            context,
            thinks: None,
        };
        let body = wire.body(request, to);
        let turned = match protocol {
            Protocol::Responses => items(&body["input"]),
            Protocol::Messages => blocks(&body["messages"]),
            Protocol::Auto | Protocol::Chat | Protocol::Ollama => messages(&body["messages"]),
        };
        assert_regular(&turned, protocol);
        if protocol == Protocol::Chat {
            bytes = serde_json::to_vec(&body).unwrap().len();
        }
    }
    bytes
}

fn assert_regular(turned: &[Turned], protocol: Protocol) {
    assert_eq!(turned.first(), Some(&Turned::User), "{protocol:?}: the person begins");
    assert!(!matches!(turned.last(), Some(Turned::Assistant(_))), "{protocol:?}: it is the model's turn");
    let mut ids = HashSet::new();
    for pair in turned.windows(2) {
        let is_regular = match (&pair[0], &pair[1]) {
            (Turned::User, Turned::Assistant(_)) => true,
            (Turned::Assistant(calls), Turned::User) => calls.is_empty(),
            (Turned::Assistant(calls), Turned::Results(results)) => !calls.is_empty() && calls == results,
            (Turned::Results(_), next) => !matches!(next, Turned::Results(_)),
            _ => false,
        };
        assert!(is_regular, "{protocol:?}: {pair:?}");
        if let Turned::Assistant(calls) = &pair[0] {
            assert!(calls.iter().all(|id| ids.insert(id)), "{protocol:?}: an id comes twice: {calls:?}");
        }
    }
}

/// The messages of chat completions and of Ollama, where each result is a message.
fn messages(messages: &Value) -> Vec<Turned> {
    let mut turned = Vec::new();
    for message in list(messages) {
        let calls: Vec<String> = list(&message["tool_calls"]).iter().map(|call| text(&call["id"])).collect();
        let content = message["content"].as_str().unwrap_or_default();
        assert!(!content.trim().is_empty() || !calls.is_empty(), "nothing is said: {message}");
        match text(&message["role"]).as_str() {
            "system" => {}
            "user" => turned.push(Turned::User),
            "assistant" => turned.push(Turned::Assistant(calls)),
            "tool" => add_result(&mut turned, text(&message["tool_call_id"])),
            other => panic!("a role {other}"),
        }
    }
    turned
}

/// The items of the responses API, where each call and each result is an item.
fn items(items: &Value) -> Vec<Turned> {
    let mut turned = Vec::new();
    for item in list(items) {
        let call = text(&item["call_id"]);
        match (item["role"].as_str(), item["type"].as_str()) {
            (Some("user"), _) => turned.push(Turned::User),
            (Some("assistant"), _) => turned.push(Turned::Assistant(Vec::new())),
            (_, Some("function_call")) => match turned.last_mut() {
                Some(Turned::Assistant(calls)) => calls.push(call),
                _ => turned.push(Turned::Assistant(vec![call])),
            },
            (_, Some("function_call_output")) => add_result(&mut turned, call),
            other => panic!("an item {other:?}"),
        }
    }
    turned
}

/// The messages of Anthropic, whose results are blocks of the person's message.
fn blocks(messages: &Value) -> Vec<Turned> {
    let mut turned = Vec::new();
    for message in list(messages) {
        let ids = |kind: &str, field: &str| -> Vec<String> {
            let blocks = list(&message["content"]).iter().filter(|block| block["type"] == kind);
            blocks.map(|block| text(&block[field])).collect()
        };
        assert!(!list(&message["content"]).is_empty(), "nothing is said: {message}");
        let results = ids("tool_result", "tool_use_id");
        turned.push(match text(&message["role"]).as_str() {
            "user" if results.is_empty() => Turned::User,
            "user" => Turned::Results(results),
            _ => Turned::Assistant(ids("tool_use", "id")),
        });
    }
    turned
}

fn add_result(turned: &mut Vec<Turned>, id: String) {
    match turned.last_mut() {
        Some(Turned::Results(results)) => results.push(id),
        _ => turned.push(Turned::Results(vec![id])),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
