//! The JSON schema of the configuration. It is also the list of known keys.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::Config;
use crate::text;

/// The JSON schema of the configuration, for editors.
pub(crate) fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true).into_generator();
    generator.into_root_schema_for::<Config>().to_value()
}

/// The known key that is most similar to `key`, in the table at `parents`.
pub(super) fn nearest(parents: &[String], key: &str) -> Option<String> {
    let schema = schema();
    let table = parents.iter().try_fold(&schema, |table, parent| table.get("properties")?.get(parent))?;
    let known = table.get("properties")?.as_object()?;
    text::nearest(key, known.keys().map(String::as_str)).map(str::to_owned)
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
        assert_eq!(keys.len(), 33);
        for key in keys {
            assert!(key["description"].is_string() && !key["default"].is_null(), "{key}");
        }
        assert_eq!(schema["properties"]["capture"]["properties"]["tail"]["default"], "192 KiB");
    }
}
