//! The JSON schema of the configuration. It is also the list of known keys.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{Config, words};

/// The JSON schema of the configuration, for editors.
pub(crate) fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true).into_generator();
    generator.into_root_schema_for::<Config>().to_value()
}

/// The known key that is most similar to `key` in the table at `parents`, or the key of this name in another table. With all its
/// parents.
pub(super) fn nearest(parents: &[String], key: &str) -> Option<String> {
    let schema = schema();
    let with = |parents: &[String], key: &str| [parents, &[key.to_owned()]].concat().join(".");
    let known = at(&schema, parents).and_then(|table| table.get("properties")?.as_object());
    let near = known.and_then(|known| words::near(key, known.keys().map(String::as_str)));
    near.map(|near| with(parents, near)).or_else(|| {
        let mut tables = schema.get("properties")?.as_object()?.iter();
        let has_key = |table: &Value| table.get("properties").is_some_and(|keys| keys.get(key).is_some());
        let is_top = schema["properties"].get(key).is_some() && !parents.is_empty();
        if is_top {
            return Some(key.to_owned());
        }
        tables.find(|(_, table)| has_key(table)).map(|(name, _)| with(std::slice::from_ref(name), key))
    })
}

/// The schema of the value at this path. A table with names of the person's own choice and a list have one schema for all of their
/// values.
pub(super) fn at<'a, S: AsRef<str>>(schema: &'a Value, path: &[S]) -> Option<&'a Value> {
    path.iter().try_fold(schema, |schema, name| step(schema, name.as_ref()))
}

fn step<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    let named = schema.get("properties").and_then(|keys| keys.get(name));
    let any = || schema.get("additionalProperties").filter(|any| any.is_object());
    let entry = || schema.get("items").filter(|_| name.parse::<usize>().is_ok());
    named.or_else(any).or_else(entry)
}

/// Whether the text at this path is a secret: it is marked as a password, or it is in a table that is.
pub(crate) fn is_secret(schema: &Value, path: &[&str]) -> bool {
    let mut schema = schema;
    path.iter().any(|name| match step(schema, name) {
        Some(found) => {
            schema = found;
            found["format"] == "password"
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_described_and_has_its_default() {
        let schema = schema();
        let tables = schema["properties"].as_object().unwrap().values();
        let keys: Vec<&Value> =
            tables.filter_map(|table| table["properties"].as_object()).flat_map(|t| t.values()).collect();
        assert_eq!(keys.len(), 78);
        for key in keys {
            assert!(key["description"].is_string() && !key["default"].is_null(), "{key}");
        }
        assert_eq!(schema["properties"]["capture"]["properties"]["tail"]["default"], "192 KiB");
    }
}
