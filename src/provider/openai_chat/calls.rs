//! Joins calls that come in pieces, with or without an index, an id or a name.

use serde_json::Value;

use super::super::Delta;

/// The calls of one answer.
#[derive(Debug)]
pub(super) struct CallPieces {
    /// The prefix of ids for calls that have none.
    id: String,
    calls: Vec<OpenCall>,
}

/// A call that has started.
#[derive(Debug, Default)]
struct OpenCall {
    index: Option<u64>,
    id: Option<String>,
    began: bool,
    /// Arguments that came before the name.
    early: String,
}

/// One piece of a call. Servers fill in different fields.
struct CallPiece<'a> {
    index: Option<u64>,
    id: Option<&'a str>,
    name: Option<&'a str>,
    arguments: String,
}

impl CallPieces {
    pub(super) fn new(id: String) -> CallPieces {
        CallPieces { id, calls: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Takes an entry of `tool_calls`.
    pub(super) fn take(&mut self, call: &Value, deltas: &mut (dyn FnMut(Delta) + Send)) {
        let function = call.get("function").unwrap_or(&Value::Null);
        let index = call.get("index").and_then(Value::as_u64);
        self.put(CallPiece { index, id: words(call.get("id")), ..CallPiece::of(function) }, deltas);
    }

    /// Takes a `function_call`, of which an answer has only one.
    pub(super) fn take_only(&mut self, function: &Value, deltas: &mut (dyn FnMut(Delta) + Send)) {
        self.put(CallPiece { index: Some(0), ..CallPiece::of(function) }, deltas);
    }

    /// The answer is complete. Calls without a name begin now, so that the model is told about the missing name.
    pub(super) fn end(&mut self, deltas: &mut (dyn FnMut(Delta) + Send)) {
        for place in 0..self.calls.len() {
            self.begin(place, "", deltas);
        }
    }

    fn put(&mut self, piece: CallPiece<'_>, deltas: &mut (dyn FnMut(Delta) + Send)) {
        let place = self.place(&piece);
        let call = &mut self.calls[place];
        if call.id.is_none() {
            call.id = piece.id.map(str::to_owned);
        }
        if let Some(name) = piece.name {
            self.begin(place, name, deltas);
        }
        let call = &mut self.calls[place];
        if !call.began {
            call.early.push_str(&piece.arguments);
        } else if !piece.arguments.is_empty() {
            deltas(Delta::CallArguments { index: place, json: piece.arguments });
        }
    }

    /// The call that a piece belongs to, or a new one.
    fn place(&mut self, piece: &CallPiece<'_>) -> usize {
        let found = match (piece.index, piece.id) {
            // Some servers number every call 0 and give them different ids.
            (Some(index), id) => self.calls.iter().rposition(|call| call.index == Some(index)).filter(|place| {
                let other = id.is_some() && self.calls[*place].id.is_some() && self.calls[*place].id.as_deref() != id;
                !(other && piece.name.is_some())
            }),
            (None, Some(id)) => self.calls.iter().rposition(|call| call.id.as_deref() == Some(id)),
            (None, None) if piece.name.is_some() => None,
            (None, None) => self.calls.len().checked_sub(1),
        };
        found.unwrap_or_else(|| {
            self.calls.push(OpenCall { index: piece.index, ..OpenCall::default() });
            self.calls.len() - 1
        })
    }

    fn begin(&mut self, place: usize, name: &str, deltas: &mut (dyn FnMut(Delta) + Send)) {
        let call = &mut self.calls[place];
        if std::mem::replace(&mut call.began, true) {
            return;
        }
        let id = call.id.get_or_insert_with(|| format!("{}_{place}", self.id)).clone();
        deltas(Delta::CallBegan { index: place, id, name: name.to_owned() });
        let early = std::mem::take(&mut call.early);
        if !early.is_empty() {
            deltas(Delta::CallArguments { index: place, json: early });
        }
    }
}

impl<'a> CallPiece<'a> {
    fn of(function: &'a Value) -> CallPiece<'a> {
        let arguments = match function.get("arguments") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(json)) => json.clone(),
            // Some servers send an object instead of its text.
            Some(object) => object.to_string(),
        };
        CallPiece { index: None, id: None, name: words(function.get("name")), arguments }
    }
}

fn words(value: Option<&Value>) -> Option<&str> {
    value?.as_str().filter(|words| !words.is_empty())
}
