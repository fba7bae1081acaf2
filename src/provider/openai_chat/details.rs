//! OpenRouter's `reasoning_details`: thinking in the form of the model's maker, which must be sent back unchanged.

use serde_json::{Value, json};

/// At most this many bytes are kept. Longer thinking is not sent back.
const CAP: usize = 1024 * 1024;

/// The details of an answer that is still arriving.
#[derive(Debug, Default)]
pub(super) struct ReasoningDetails {
    entries: Vec<Value>,
    bytes: usize,
}

impl ReasoningDetails {
    /// Adds the details of a chunk. Pieces of one entry have the same type and index, and their texts are joined. Entries with
    /// different ids are different ones.
    pub(super) fn take(&mut self, pieces: &[Value]) {
        for piece in pieces.iter().filter(|piece| piece.is_object()) {
            self.bytes += piece.to_string().len();
            if self.bytes > CAP {
                return;
            }
            let has_other_id =
                |entry: &Value| entry["id"].is_string() && piece["id"].is_string() && entry["id"] != piece["id"];
            let is_same = |entry: &&mut Value| {
                entry["type"] == piece["type"] && entry["index"] == piece["index"] && !has_other_id(entry)
            };
            match self.entries.iter_mut().rev().find(is_same).filter(|_| piece["index"].is_number()) {
                Some(entry) => join(entry, piece),
                None => self.entries.push(piece.clone()),
            }
        }
    }

    /// All entries as JSON. `None` if there are none, or too many.
    pub(super) fn finish(&mut self) -> Option<String> {
        let entries = std::mem::take(&mut self.entries);
        (!entries.is_empty() && self.bytes <= CAP).then(|| Value::Array(entries).to_string())
    }
}

fn join(entry: &mut Value, piece: &Value) {
    for (name, value) in piece.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        match (entry[name].as_str(), value.as_str()) {
            (Some(before), Some(more)) if ["text", "summary"].contains(&name.as_str()) => {
                entry[name] = json!(format!("{before}{more}"));
            }
            _ => entry[name] = value.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_one_entry_are_joined_and_everything_else_is_kept() {
        let mut details = ReasoningDetails::default();
        let text =
            |text: &str| json!({ "type": "reasoning.text", "index": 0, "text": text, "format": "anthropic-claude-v1" });
        details.take(&[text("Let me ")]);
        details.take(&[text("think.")]);
        details.take(&[json!({ "type": "reasoning.text", "index": 0, "signature": "sig", "text": null })]);
        details.take(&[json!({ "type": "reasoning.encrypted", "index": 1, "data": "abc", "id": "r1" })]);
        let kept: Value = serde_json::from_str(&details.finish().unwrap()).unwrap();
        let expected = json!([
            { "type": "reasoning.text", "index": 0, "text": "Let me think.", "format": "anthropic-claude-v1", "signature": "sig" },
            { "type": "reasoning.encrypted", "index": 1, "data": "abc", "id": "r1" },
        ]);
        assert_eq!(kept, expected);
        assert_eq!(ReasoningDetails::default().finish(), None);
        let encrypted = |id: &str| json!({ "type": "reasoning.encrypted", "index": 0, "data": id, "id": id });
        let mut details = ReasoningDetails::default();
        details.take(&[encrypted("call_1"), encrypted("call_2")]);
        let kept: Value = serde_json::from_str(&details.finish().unwrap()).unwrap();
        assert_eq!(kept, json!([encrypted("call_1"), encrypted("call_2")]));
    }
}
