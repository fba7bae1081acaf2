//! Puts masked secrets back into the text of a file that the model writes.
//!
//! Secrets are masked on their way to the model. A text that it writes may contain the placeholder of one; only there, and only after a yes
//! of the person to exactly that, is it replaced by the secret.

use serde_json::Value;

use super::Toolbox;
use crate::chat::Call;
use crate::guard::Redactor;

/// A call with secrets in place of their placeholders. It must not be shown, recorded or sent.
pub(crate) struct RestoredCall {
    pub call: Call,
    /// What the secrets are called, such as `OPENAI_API_KEY`.
    pub names: Vec<String>,
}

impl Toolbox {
    /// Puts the secrets back that a call writes to a file. `None` if there is none, or if a placeholder is anywhere else in the arguments:
    /// in a path, a command or an address it would be used for something else than a file's text.
    pub(crate) fn restored(&self, call: &Call, redactor: &Redactor) -> Option<RestoredCall> {
        let mut arguments: Value = serde_json::from_str(&call.arguments).ok()?;
        let mut names = Vec::new();
        for text in self.file_texts(&call.name, &mut arguments) {
            let (restored, more) = redactor.restored(text)?;
            *text = restored;
            for name in more {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let arguments = arguments.to_string();
        let is_whole = !names.is_empty() && redactor.placeholder_in(&arguments).is_none();
        is_whole.then(|| RestoredCall { call: Call { arguments, ..call.clone() }, names })
    }
}

/// The texts of the fields with these names.
pub(super) fn texts<'a>(arguments: &'a mut Value, names: &[&str]) -> Vec<&'a mut String> {
    let fields = arguments.as_object_mut().into_iter().flatten().filter(|(name, _)| names.contains(&name.as_str()));
    let texts = fields.filter_map(|(_, value)| match value {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Timeouts;
    use serde_json::json;

    const SECRET: &str = "Zq7vN2xLw9Tf4Rb8Kc3M";

    fn redactor() -> (Redactor, String) {
        let redactor = Redactor::default();
        redactor.learn(&[("DEPLOY_TOKEN".into(), SECRET.into())]);
        let placeholder = redactor.mask(SECRET);
        (redactor, placeholder)
    }

    fn restored(name: &str, arguments: Value, redactor: &Redactor) -> Option<(Value, Vec<String>)> {
        let call = Call { id: "1".into(), name: name.into(), arguments: arguments.to_string() };
        let restored = Toolbox::standard(Timeouts::default()).restored(&call, redactor)?;
        Some((serde_json::from_str(&restored.call.arguments).unwrap(), restored.names))
    }

    #[test]
    fn a_secret_is_put_back_into_the_text_of_a_file() {
        let (redactor, masked) = redactor();
        let text = |secret: &str| format!("TOKEN={secret}\nAGAIN=\"{secret}\"\n");
        for (name, form) in [
            ("write_file", (|text| json!({ "path": ".env", "content": text })) as fn(String) -> Value),
            ("write_file", |text| json!({ "file_path": ".env", "contents": text })),
            ("edit_file", |text| json!({ "path": ".env", "edits": [{ "old_string": "a", "new_string": text }] })),
            ("edit_file", |text| json!({ "path": ".env", "old_string": "a", "new_string": text })),
        ] {
            let (arguments, names) = restored(name, form(text(&masked)), &redactor).unwrap();
            assert_eq!(arguments, form(text(SECRET)));
            assert_eq!(names, ["DEPLOY_TOKEN"]);
        }
    }

    #[test]
    fn a_placeholder_anywhere_else_is_not_replaced() {
        let (redactor, masked) = redactor();
        for (name, arguments) in [
            ("write_file", json!({ "path": masked, "content": masked })),
            ("write_file", json!({ "path": "a", "content": "b", "note": masked })),
            ("edit_file", json!({ "path": "a", "edits": [{ "old_string": masked, "new_string": masked }] })),
            ("edit_file", json!({ "path": masked, "old_string": "a", "new_string": masked })),
            ("edit_file", json!({ "path": "a", "edits": format!("[{{\"old\": \"a\", \"new\": \"{masked}\"}}]") })),
            ("bash", json!({ "command": format!("echo {masked}"), "content": masked })),
            ("run_in_shell", json!({ "command": masked })),
            ("ls", json!({ "path": masked, "content": masked })),
        ] {
            assert!(restored(name, arguments.clone(), &redactor).is_none(), "{name} {arguments}");
        }
        assert!(
            restored("write_file", json!({ "path": "a", "content": "[masked: $OTHER_TOKEN #1]" }), &redactor).is_none()
        );
    }

    #[test]
    fn a_secret_of_the_session_is_never_put_back() {
        let (redactor, _) = redactor();
        redactor.learn_secret("session nonce", "0123456789abcdef");
        let masked = redactor.mask("nonce 0123456789abcdef");
        assert!(restored("write_file", json!({ "path": "a", "content": masked }), &redactor).is_none());
    }
}
