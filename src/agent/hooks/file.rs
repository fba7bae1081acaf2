//! The conversation as a file that hooks can read, in the form that other agents write: one JSON object a line.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::chat::{Message, Outcome, Part, Role};
use crate::hook::{CallFacts, ForeignCall, HookRun};
use crate::store::QueryId;

/// The file in the private directory of a session.
pub(super) fn path_in(directory: &Path) -> PathBuf {
    directory.join("conversation.jsonl")
}

/// Replaces the file by these messages. A hook that still reads the old one is not disturbed.
pub(super) fn write(path: &Path, place: &HookRun, QueryId(query): QueryId, messages: &[Message]) -> io::Result<()> {
    // Requests that run at once write one file each before one takes the place of the other.
    let fresh = path.with_extension(format!("{query}.new"));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
    file.write_all(lines(&place.session, &place.cwd, messages).as_bytes())?;
    fs::rename(&fresh, path)
}

fn lines(session: &str, cwd: &Path, messages: &[Message]) -> String {
    let cwd = cwd.to_string_lossy();
    let line = |message: &Message| {
        let kind = match message.role {
            Role::Assistant => "assistant",
            // Other agents let the person say the results of calls.
            Role::User | Role::Tool => "user",
        };
        let content: Vec<Value> = message.parts.iter().filter_map(content).collect();
        let line = json!({
            "type": kind,
            "message": { "role": kind, "content": content },
            "sessionId": session,
            "cwd": cwd,
        });
        format!("{line}\n")
    };
    messages.iter().map(line).collect()
}

/// A part in the form of other agents. Thinking and pictures are left out.
fn content(part: &Part) -> Option<Value> {
    match part {
        Part::Text(text) => Some(json!({ "type": "text", "text": text })),
        Part::Call(call) => {
            let arguments: Map<String, Value> = serde_json::from_str(&call.arguments).unwrap_or_default();
            let ForeignCall { name, input, .. } = ForeignCall::of(&call.name, &arguments, CallFacts::default());
            Some(json!({ "type": "tool_use", "id": call.id, "name": name, "input": input }))
        }
        Part::Result { id, outcome } => Some(result(id, outcome)),
        Part::Thinking(_) | Part::Image(_) => None,
    }
}

fn result(id: &str, outcome: &Outcome) -> Value {
    json!({ "type": "tool_result", "tool_use_id": id, "content": outcome.text(), "is_error": outcome.is_failed() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Call;

    #[test]
    fn messages_calls_and_results_have_the_form_of_other_agents() {
        let call = Call { id: "1".to_owned(), name: "bash".to_owned(), arguments: r#"{"command":"ls"}"#.to_owned() };
        let result = Part::Result { id: "1".to_owned(), outcome: Outcome::failed("no") };
        let messages = [
            Message::user("look"),
            Message { role: Role::Assistant, parts: vec![Part::Text("I look.".to_owned()), Part::Call(call)] },
            Message { role: Role::Tool, parts: vec![result] },
        ];
        let text = lines("7", Path::new("/here"), &messages);
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["user", "assistant", "user"]);
        assert_eq!(lines[0]["message"]["content"][0], json!({ "type": "text", "text": "look" }));
        let used = json!({ "type": "tool_use", "id": "1", "name": "Bash", "input": { "command": "ls" } });
        assert_eq!(lines[1]["message"]["content"][1], used);
        let failed = json!({ "type": "tool_result", "tool_use_id": "1", "content": "no", "is_error": true });
        assert_eq!(lines[2]["message"]["content"][0], failed);
        assert_eq!((&lines[2]["sessionId"], &lines[2]["cwd"]), (&json!("7"), &json!("/here")));
    }
}
