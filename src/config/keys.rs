//! The settings of `[keys]`: an action with a key, or with a list of keys.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Config, Problem};
use crate::input::{KeyAction, KeyActionInfo, KeyClash, KeyMap};

const ABOUT: &str = "\
The keys of shellmate's own screens: `ACTION = \"KEY\"`, or a list of keys. `[]` turns an action off. `/keys` shows the keys in force.

A key is written as `ctrl-o`, `alt-enter`, `shift-tab`, `f5`, `esc` or `ctrl-\\`; `C-o`, `M-x` and `^O` work too. Terminals send the same
for ctrl-i and tab, for ctrl-m and enter, and for ctrl-[ and esc. Many send the same for enter, shift-enter and ctrl-enter. If two actions
have the same key at the same time, the one that you have set counts, and a line says so. Ctrl-C always stops an answer: `stop` has to
contain it.

The hotkey is the setting `hotkey`. The answers to an approval (`y`, `n`, `a`, …) are fixed, and so are the editing keys of the conversation
line, which `[line] mode` chooses. Keys in this table come before the editing keys.";

/// The keys of all actions, as they are configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KeySettings(KeyMap);

impl Config {
    /// The keys in force. The problems are keys that two actions have.
    pub(crate) fn key_map(&self) -> (KeyMap, Vec<Problem>) {
        let (keys, clashes) = self.keys.0.clone().settle();
        let problem = |clash: &KeyClash| Problem::new(&clash.to_string()).key(&format!("keys.{}", clash.setting()));
        (keys, clashes.iter().map(problem).collect())
    }
}

/// The keys of an action: a text if there is one, else a list.
fn value(keys: &KeyMap, action: KeyAction) -> Value {
    match keys.chords(action) {
        [only] => json!(only.to_string()),
        chords => chords.iter().map(ToString::to_string).collect(),
    }
}

impl Serialize for KeySettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for info in KeyAction::all() {
            map.serialize_entry(info.name, &value(&self.0, info.action))?;
        }
        map.end()
    }
}

impl JsonSchema for KeySettings {
    fn schema_name() -> Cow<'static, str> {
        "KeySettings".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let defaults = KeyMap::default();
        let entry = |info: &KeyActionInfo| {
            let mut context = info.context.words().to_owned();
            context[..1].make_ascii_uppercase();
            let schema = json!({
                "description": format!("{context}: {}.", info.help),
                "default": value(&defaults, info.action),
                "type": ["string", "array"],
            });
            (info.name.to_owned(), schema)
        };
        let properties: serde_json::Map<String, Value> = KeyAction::all().map(entry).collect();
        schemars::json_schema!({ "type": "object", "description": ABOUT, "properties": properties })
    }
}

impl<'de> Deserialize<'de> for KeySettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<KeySettings, D::Error> {
        deserializer.deserialize_map(KeyTable)
    }
}

struct KeyTable;

impl<'de> Visitor<'de> for KeyTable {
    type Value = KeySettings;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<KeySettings, A::Error> {
        let mut keys = KeyMap::default();
        while let Some(name) = table.next_key::<String>()? {
            match KeyAction::named(&name) {
                Some(action) => table.next_value_seed(ActionKeys { action, keys: &mut keys })?,
                // The reader of the file reports keys that are ignored.
                None => drop(table.next_value::<IgnoredAny>()?),
            }
        }
        Ok(KeySettings(keys))
    }
}

/// Reads the keys of one action. A wrong entry of a list makes the whole list wrong: without it, the action could be turned off.
struct ActionKeys<'a> {
    action: KeyAction,
    keys: &'a mut KeyMap,
}

impl<'de> DeserializeSeed<'de> for ActionKeys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ActionKeys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key such as \"ctrl-o\", or a list of keys")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<(), E> {
        self.keys.bind(self.action, &[key]).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut keys: Vec<String> = Vec::new();
        let mut is_text = true;
        while let Some(entry) = list.next_element::<toml::Value>()? {
            is_text &= entry.is_str();
            keys.extend(entry.as_str().map(str::to_owned));
        }
        if !is_text {
            return Err(de::Error::invalid_type(de::Unexpected::Other("a list with other values"), &self));
        }
        self.keys.bind(self.action, &keys).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Loaded;

    fn said(loaded: &Loaded) -> Vec<String> {
        let line = |problem: &Problem| format!("{}: {problem}", problem.line.unwrap_or_default());
        loaded.all_problems().iter().map(line).collect()
    }

    fn labels(text: &str, action: KeyAction) -> Vec<String> {
        Config::parse(text).config.key_map().0.labels(action)
    }

    #[test]
    fn an_action_has_one_key_or_several_or_none() {
        let text = "[keys]\nunfold = 'M-o'\nthinking = []\nsubmit = ['enter', '^X']\n";
        let loaded = Config::parse(text);
        assert_eq!(said(&loaded), [] as [String; 0]);
        assert_eq!(labels(text, KeyAction::Unfold), ["Alt-O"]);
        assert_eq!(labels(text, KeyAction::Thinking), [] as [String; 0]);
        assert_eq!(labels(text, KeyAction::Submit), ["Enter", "Ctrl-X"]);
        assert_eq!(labels(text, KeyAction::Stop), ["Ctrl-C"]);
        let written = toml::to_string(&loaded.config).unwrap();
        assert!(written.contains("unfold = \"alt-o\"\nthinking = []\nsubmit = [\"enter\", \"ctrl-x\"]\n"), "{written}");
        assert_eq!(Config::parse(&written).config.keys, loaded.config.keys);
    }

    #[test]
    fn a_wrong_key_is_named_and_the_default_and_the_rest_stay() {
        let text = "[keys]\nunfold = ['f5', 'ctl-x']\nthinking = 3\nbackground = 'ctrl-shift-x'\nstop = []\nsubmit = []\n\
                    editor = 'x'\nsearch = [1]\nunfld = 'f6'\nhotkey = 'ctrl-g'\ncancel = 'f7'\n[history]\ncommands = 7\n";
        let loaded = Config::parse(text);
        let all = said(&loaded);
        for (line, words) in [
            (2, "keys.unfold: `ctl-x` is not a key; write ctrl-o, alt-x"),
            (3, "keys.thinking: expected a key such as \"ctrl-o\", or a list of keys, not 3"),
            (4, "keys.background: terminals cannot send `ctrl-shift-x`: with ctrl they leave shift out"),
            (5, "keys.stop: ctrl-c must be one of its keys: it always stops an answer"),
            (6, "keys.submit: it needs a key"),
            (7, "keys.editor: `x` is a character that you type"),
            (8, "keys.search: expected a key such as \"ctrl-o\", or a list of keys, not a list with other values"),
            (9, "unknown key `keys.unfld`, did you mean `keys.unfold`?"),
            (10, "unknown key `keys.hotkey`, did you mean `hotkey`?"),
        ] {
            let wanted = format!("{line}: {words}");
            assert!(all.iter().any(|said| said.starts_with(&wanted)), "{wanted}\n{all:#?}");
        }
        assert_eq!(all.len(), 9, "{all:#?}");
        assert_eq!(
            (labels(text, KeyAction::Unfold), labels(text, KeyAction::Cancel)),
            (vec!["Ctrl-O".to_owned()], vec!["F7".to_owned()])
        );
        assert_eq!(loaded.config.history.commands, 7);
        assert_eq!(said(&Config::parse("keys = 3")), ["1: keys: expected a table, not 3"]);
    }

    #[test]
    fn a_clash_is_a_problem_of_the_setting() {
        let text = "hint = true\n[keys]\nunfold = 'ctrl-t'\n";
        assert_eq!(
            said(&Config::parse(text)),
            [
                "3: keys.unfold: Ctrl-T is a key of `unfold` and of `thinking`; it counts for `unfold`, and `thinking` has no key"
            ]
        );
        assert_eq!(labels(text, KeyAction::Thinking), [] as [String; 0]);
    }
}
