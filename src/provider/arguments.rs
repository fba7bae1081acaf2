//! A call's arguments as they are sent back.

use serde_json::{Value, json};

/// The arguments as an object. A model may have written something else; servers that read them again refuse that, so it is
/// wrapped.
pub(super) fn object(arguments: &str) -> Value {
    if arguments.trim().is_empty() {
        return json!({});
    }
    match serde_json::from_str(arguments) {
        Ok(Value::Object(object)) => Value::Object(object),
        _ => json!({ "invalid": arguments }),
    }
}
