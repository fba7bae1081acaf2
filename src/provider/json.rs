//! Reads JSON leniently: a value that is missing, null or of another type counts as absent.

use serde_json::{Value, json};

/// The text under a name; empty where there is none.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The entries of a list.
pub(super) fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// The number at a path such as `/a/b`.
pub(super) fn count(value: &Value, path: &str) -> Option<u64> {
    value.pointer(path).and_then(Value::as_u64)
}

/// A call's arguments as a JSON object. A model may have written something else, which servers refuse when it is sent back, so it is
/// wrapped in an object.
pub(super) fn arguments(written: &str) -> Value {
    if written.trim().is_empty() {
        return json!({});
    }
    match serde_json::from_str(written) {
        Ok(Value::Object(object)) => Value::Object(object),
        _ => json!({ "invalid": written }),
    }
}
