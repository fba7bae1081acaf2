//! Words for values that are not accepted: what is accepted, and what was found.

use serde_json::Value as Json;

use super::schema;
use crate::text;

/// The keys of a larger table are not listed.
const KEY_CAP: usize = 12;

/// A message of serde about the value at a path, in the words of a configuration.
pub(super) fn of_error(message: &str, path: &[String]) -> String {
    if let Some((unknown, known)) = message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`')) {
        // The known names are quoted too.
        let near = near(unknown, known.split('`').skip(1).step_by(2));
        let known = known.trim_start_matches(", ");
        return match near {
            Some(near) => format!("unknown key `{unknown}`, did you mean `{near}`?"),
            None => format!("unknown key `{unknown}`, {known}"),
        };
    }
    let wrong = ["invalid type: ", "invalid value: "].into_iter().find_map(|prefix| message.strip_prefix(prefix));
    if let Some((found, expected)) = wrong.and_then(|wrong| wrong.rsplit_once(", expected ")) {
        return format!("expected {}, not {}", expectation(expected, path), value_in_words(found));
    }
    // toml says this where a name is expected and the value is something else.
    if message == "wanted string or table" {
        return format!("expected {}", one_of(path).unwrap_or_else(|| "text in quotes".to_owned()));
    }
    match message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        Some(missing) => format!("the key `{missing}` is missing"),
        // serde calls the value of an enum a variant.
        None => message.replace("unknown variant", "unknown value"),
    }
}

/// An unknown key: what may be meant, or what is known there.
pub(super) fn unknown_key(parents: &[String], key: &str) -> String {
    let full = [parents, &[key.to_owned()]].concat().join(".");
    let schema = schema::schema();
    match (schema::nearest(parents, key), schema::at(&schema, parents).and_then(known_keys)) {
        (Some(near), _) => format!("unknown key `{full}`, did you mean `{near}`?"),
        (None, Some(known)) if !parents.is_empty() => {
            format!("unknown key `{full}`, [{}] has {known}", parents.join("."))
        }
        (None, _) => format!("unknown key `{full}`; `shellmate config get` lists all keys"),
    }
}

/// A key that is spelled similarly, or of which this is the beginning.
pub(super) fn near<'a>(key: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let begins = |name: &&str| key.len() >= 3 && name.strip_prefix(key).is_some_and(|rest| rest.starts_with('_'));
    text::nearest(key, known.clone()).or_else(|| known.clone().find(begins))
}

fn known_keys(table: &Json) -> Option<String> {
    let known = table.get("properties")?.as_object()?;
    let quoted: Vec<String> = known.keys().map(|key| format!("`{key}`")).collect();
    (1..=KEY_CAP).contains(&quoted.len()).then(|| quoted.join(", "))
}

/// What serde expected, for people.
fn expectation(expected: &str, path: &[String]) -> String {
    let schema = schema::schema();
    let here = schema::at(&schema, path);
    match expected {
        "a boolean" => "true or false".to_owned(),
        "a string" => "text in quotes".to_owned(),
        "path string" => "a path in quotes".to_owned(),
        "a map" => "a table".to_owned(),
        "a sequence" => {
            let is_list_of_tables = here.is_some_and(|list| list["items"]["type"] == "object");
            if is_list_of_tables {
                format!("tables with [[{}]]", path.join("."))
            } else {
                "a list such as [\"…\"]".to_owned()
            }
        }
        "a table" => match here.and_then(known_keys) {
            Some(known) => format!("a table with {known}"),
            None => "a table".to_owned(),
        },
        other => other.to_owned(),
    }
}

/// The names that the value at a path may have.
fn one_of(path: &[String]) -> Option<String> {
    let schema = schema::schema();
    let here = schema::at(&schema, path)?;
    let listed = here.get("enum").and_then(Json::as_array).map(|names| names.iter().collect::<Vec<_>>());
    let described = || Some(here.get("oneOf")?.as_array()?.iter().filter_map(|one| one.get("const")).collect());
    let names: Vec<&Json> = listed.or_else(described)?;
    let names: Vec<String> = names.into_iter().map(Json::to_string).collect();
    let (last, others) = names.split_last()?;
    Some(if others.is_empty() { last.clone() } else { format!("{} or {last}", others.join(", ")) })
}

/// A value that serde describes: `string "x"`, `integer `3``, `sequence`, `map`.
fn value_in_words(found: &str) -> String {
    match found {
        "sequence" => return "a list".to_owned(),
        "map" => return "a table".to_owned(),
        _ => {}
    }
    let kinds = ["string ", "integer ", "floating point ", "boolean "];
    let value = kinds.into_iter().find_map(|kind| found.strip_prefix(kind)).unwrap_or(found);
    // A number that no type holds is described with its type.
    let value = value.strip_suffix(" as i128").or(value.strip_suffix(" as u128")).unwrap_or(value);
    let bare = value.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).filter(|bare| !bare.contains('`'));
    bare.unwrap_or(value).to_owned()
}
