//! Schemas and parsing of tool arguments.
//!
//! Schemas are generated from the argument types and trimmed to what a model needs. Parsing is lenient if the meaning is clear: a number
//! in quotes, a single value instead of a list, null for an optional field.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::chat::ToolSpec;

/// A spec with the schema of `A`.
pub(super) fn spec<A: JsonSchema>(name: &str, description: &str) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: description.to_owned(), schema: schema::<A>() }
}

/// Parses arguments. The error tells the model which argument is wrong.
pub(super) fn read<A: DeserializeOwned + JsonSchema>(arguments: &Value) -> Result<A, String> {
    let arguments = coerced(arguments.clone(), &schema::<A>());
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let at = error.path().to_string();
        let problem = error.into_inner();
        if at == "." { format!("bad arguments: {problem}") } else { format!("bad argument {at}: {problem}") }
    })
}

fn schema<A: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true).into_generator();
    let mut schema = generator.into_root_schema_for::<A>().to_value();
    trim(&mut schema);
    schema
}

/// Removes parts of the schema that only cost tokens: titles, number formats, `null` as a type of optional fields.
fn trim(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else { return };
    for noise in ["$schema", "title", "format", "default", "minimum"] {
        schema.remove(noise);
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(forms)) = schema.get_mut("anyOf") {
        forms.retain(|form| form.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = &forms[..] {
            let only = only.clone();
            schema.remove("anyOf");
            for (key, value) in only {
                schema.entry(key).or_insert(value);
            }
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(trim);
    }
    if let Some(items) = schema.get_mut("items") {
        trim(items);
    }
}

/// Converts a value to the type of its schema if only one conversion makes sense.
fn coerced(value: Value, schema: &Value) -> Value {
    match (schema.get("type").and_then(Value::as_str), value) {
        (Some("object"), Value::Null) => Value::Object(Map::new()),
        (Some("object"), Value::Object(fields)) => Value::Object(coerced_fields(fields, schema)),
        (Some("object"), Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Object(fields)) => Value::Object(coerced_fields(fields, schema)),
            _ => Value::String(text),
        },
        (Some("array"), value) => Value::Array(coerced_items(value, &schema["items"])),
        (Some("integer"), Value::String(text)) => match text.trim().parse::<i64>() {
            Ok(number) => number.into(),
            Err(_) => Value::String(text),
        },
        (Some("integer"), Value::Number(number)) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e15 => (float as i64).into(),
            _ => Value::Number(number),
        },
        (Some("boolean"), Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => true.into(),
            "false" => false.into(),
            _ => Value::String(text),
        },
        (Some("string"), Value::Number(number)) => number.to_string().into(),
        (_, value) => value,
    }
}

fn coerced_fields(fields: Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let wanted = |name: &str| schema.get("properties").and_then(|properties| properties.get(name));
    let given = fields.into_iter().filter(|(_, value)| !value.is_null());
    given
        .map(|(name, value)| match wanted(&name) {
            Some(schema) => (name, coerced(value, schema)),
            None => (name, value),
        })
        .collect()
}

fn coerced_items(value: Value, schema: &Value) -> Vec<Value> {
    let items = match value {
        Value::Array(items) => items,
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Array(items)) => items,
            _ => vec![Value::String(text)],
        },
        one => vec![one],
    };
    items.into_iter().map(|item| coerced(item, schema)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    /// How.
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Mode {
        Fast,
        Slow,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Part {
        old: String,
        #[serde(default)]
        all: bool,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Wish {
        /// Where.
        path: String,
        limit: Option<usize>,
        mode: Option<Mode>,
        #[serde(default)]
        parts: Vec<Part>,
    }

    fn wish(arguments: Value) -> Result<Wish, String> {
        read(&arguments)
    }

    #[test]
    fn a_schema_is_trimmed_to_what_a_model_needs() {
        let spec = spec::<Wish>("wish", "Wishes.");
        assert_eq!(
            spec.schema,
            json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Where."},
                    "limit": {"type": "integer"},
                    "mode": {"type": "string", "description": "How.", "enum": ["fast", "slow"]},
                    "parts": {"type": "array", "items": {
                        "type": "object",
                        "properties": {"old": {"type": "string"}, "all": {"type": "boolean"}},
                        "required": ["old"],
                    }},
                },
                "required": ["path"],
            })
        );
    }

    #[test]
    fn unambiguous_values_are_converted() {
        let expected =
            Wish { path: "5".into(), limit: Some(7), mode: None, parts: vec![Part { old: "a".into(), all: true }] };
        let loose = json!({"path": 5, "limit": "7", "mode": null, "parts": {"old": "a", "all": "true"}, "other": 1});
        assert_eq!(wish(loose), Ok(expected));
        let quoted = json!({"path": "5", "limit": 7.0, "parts": "[{\"old\": \"a\", \"all\": true}]"});
        assert_eq!(wish(Value::String(quoted.to_string())).unwrap().limit, Some(7));
        assert_eq!(wish(quoted).unwrap().parts.len(), 1);
    }

    #[test]
    fn the_error_names_the_wrong_argument() {
        let wrong = |arguments| wish(arguments).unwrap_err();
        assert_eq!(wrong(Value::Null), "bad arguments: missing field `path`");
        assert_eq!(
            wrong(json!({"path": "a", "parts": [{"old": "a"}, {"old": true}]})),
            "bad argument parts[1].old: invalid type: boolean `true`, expected a string"
        );
        let limit = wrong(json!({"path": "a", "limit": "many"}));
        assert_eq!(limit, "bad argument limit: invalid type: string \"many\", expected usize");
        let mode = wrong(json!({"path": "a", "mode": "odd"}));
        assert_eq!(mode, "bad argument mode: unknown variant `odd`, expected `fast` or `slow`");
    }
}
