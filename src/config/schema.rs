//! The shape of the file, as a JSON schema; also the list of keys that exist.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::Config;

/// The JSON schema of the configuration, for editors.
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true).into_generator();
    generator.into_root_schema_for::<Config>().to_value()
}

/// The known key that was probably meant by `key` in the table at `parents`.
pub(super) fn nearest(parents: &[String], key: &str) -> Option<String> {
    let schema = schema();
    let table = parents.iter().try_fold(&schema, |table, parent| table.get("properties")?.get(parent))?;
    let known = table.get("properties")?.as_object()?;
    let (distance, name) = known.keys().map(|name| (distance(key, name), name)).min()?;
    // A third of the letters may be wrong; more is another word.
    (distance <= key.chars().count().div_ceil(3)).then(|| name.clone())
}

/// The number of letters to insert, remove or change to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in to.iter().enumerate() {
            let change = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_letters() {
        assert_eq!(distance("ignor", "ignore"), 1);
        assert_eq!(distance("head", "tail"), 4);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn every_key_is_described_and_has_its_default() {
        let schema = schema();
        let tables = schema["properties"].as_object().unwrap().values();
        let keys: Vec<&Value> =
            tables.filter_map(|table| table["properties"].as_object()).flat_map(|t| t.values()).collect();
        assert_eq!(keys.len(), 9);
        for key in keys {
            assert!(key["description"].is_string() && !key["default"].is_null(), "{key}");
        }
        assert_eq!(schema["properties"]["capture"]["properties"]["tail"]["default"], "192 KiB");
    }
}
