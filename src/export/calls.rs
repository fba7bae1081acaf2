//! Tool calls in a form that fits every document.

use std::collections::HashMap;

use serde_json::Value;

use crate::chat::{Call, Message, Outcome, Part};

/// Names of arguments that tell best what a call does, the best first.
const TELLING: [&str; 6] = ["command", "path", "pattern", "url", "query", "question"];

/// A call and its result.
pub(super) struct DocumentCall<'a> {
    pub(super) call: &'a Call,
    pub(super) outcome: Option<&'a Outcome>,
}

impl DocumentCall<'_> {
    /// The argument that tells best what the call does, on one line.
    pub(super) fn title(&self) -> String {
        let Ok(Value::Object(arguments)) = serde_json::from_str(&self.call.arguments) else { return String::new() };
        let telling = TELLING.iter().find_map(|name| arguments.get(*name)?.as_str());
        let any = || arguments.values().find_map(Value::as_str);
        let title = telling.or_else(any).unwrap_or_default();
        title.lines().next().unwrap_or_default().to_owned()
    }

    /// The arguments as indented JSON, or as they are if they are no JSON.
    pub(super) fn arguments(&self) -> String {
        let value: Result<Value, _> = serde_json::from_str(&self.call.arguments);
        let pretty = value.ok().and_then(|value| serde_json::to_string_pretty(&value).ok());
        pretty.unwrap_or_else(|| self.call.arguments.clone())
    }

    /// The old and new texts of an edit.
    pub(super) fn edits(&self) -> Vec<(String, String)> {
        let Ok(arguments) = serde_json::from_str::<Value>(&self.call.arguments) else { return Vec::new() };
        let edits = arguments.get("edits").and_then(Value::as_array).cloned();
        let edit = |edit: &Value| {
            let text = |name| edit.get(name)?.as_str().map(str::to_owned);
            Some((text("old_string")?, text("new_string")?))
        };
        edits.unwrap_or_else(|| vec![arguments]).iter().filter_map(edit).collect()
    }
}

/// The results of all calls of an exchange, by id.
pub(super) fn results(messages: &[Message]) -> HashMap<&str, &Outcome> {
    let parts = messages.iter().flat_map(|message| &message.parts);
    parts.filter_map(result).collect()
}

fn result(part: &Part) -> Option<(&str, &Outcome)> {
    match part {
        Part::Result { id, outcome } => Some((id, outcome)),
        Part::Text(_) | Part::Thinking(_) | Part::Image(_) | Part::Call(_) => None,
    }
}
