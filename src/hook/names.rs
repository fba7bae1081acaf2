//! Calls under the names that other agents give to tools and fields, which existing hooks look for.

use std::path::Path;

use serde_json::{Map, Value, json};

/// How a tool of shellmate is named elsewhere.
struct ForeignTool {
    ours: &'static str,
    /// The name that hooks are told.
    name: &'static str,
    /// Other names that a matcher may use.
    others: &'static [&'static str],
    fields: &'static [ForeignField],
}

/// The field of a tool. Models may use any of our names for it, hooks are told the foreign one.
struct ForeignField {
    ours: &'static [&'static str],
    theirs: &'static str,
    /// How many of their units one of ours is.
    scale: u64,
}

const fn field(ours: &'static [&'static str], theirs: &'static str) -> ForeignField {
    ForeignField { ours, theirs, scale: 1 }
}

const PATH: ForeignField = field(&["path", "file"], "file_path");
const COMMAND: ForeignField = field(&["command", "cmd"], "command");
const PATTERN: ForeignField = field(&["pattern"], "pattern");

const TOOLS: &[ForeignTool] = &[
    ForeignTool {
        ours: "bash",
        name: "Bash",
        others: &[],
        fields: &[COMMAND, ForeignField { ours: &["timeout"], theirs: "timeout", scale: 1000 }],
    },
    // A hook that watches over commands is to see those in the person's own shell too.
    ForeignTool { ours: "run_in_shell", name: "Bash", others: &[], fields: &[COMMAND] },
    ForeignTool { ours: "read_file", name: "Read", others: &[], fields: &[PATH] },
    ForeignTool {
        ours: "write_file",
        name: "Write",
        others: &[],
        fields: &[PATH, field(&["content", "contents", "text"], "content")],
    },
    ForeignTool { ours: "edit_file", name: "Edit", others: &["MultiEdit"], fields: &[PATH] },
    ForeignTool {
        ours: "grep",
        name: "Grep",
        others: &[],
        fields: &[PATTERN, field(&["glob", "include"], "glob"), field(&["ignore_case", "case_insensitive"], "-i")],
    },
    ForeignTool { ours: "glob", name: "Glob", others: &[], fields: &[PATTERN] },
    ForeignTool { ours: "ls", name: "LS", others: &[], fields: &[] },
];

const EDITS: &str = "edits";
const OLD: ForeignField = field(&["old_string", "old", "old_str", "old_text"], "old_string");
const NEW: ForeignField = field(&["new_string", "new", "new_str", "new_text"], "new_string");

/// What a tool has understood of a call's arguments. It is what will happen, whatever the arguments are called.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CallFacts<'a> {
    pub command: Option<&'a str>,
    /// The file, as an absolute path.
    pub file: Option<&'a Path>,
}

/// A call as hooks see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForeignCall {
    /// The name that hooks are told.
    pub name: String,
    /// All names that a matcher may use.
    pub names: Vec<String>,
    pub input: Map<String, Value>,
}

impl ForeignCall {
    /// A call of one of our tools with these arguments.
    pub(crate) fn of(tool: &str, arguments: &Map<String, Value>, facts: CallFacts<'_>) -> ForeignCall {
        let Some(foreign) = TOOLS.iter().find(|one| one.ours == tool) else {
            return ForeignCall { name: tool.to_owned(), names: vec![tool.to_owned()], input: arguments.clone() };
        };
        let mut input = renamed(arguments, foreign.fields);
        if foreign.ours == "edit_file" {
            add_edits(&mut input);
        }
        if let Some(command) = facts.command {
            input.insert("command".to_owned(), command.into());
        }
        if let Some(file) = facts.file.filter(|_| foreign.fields.iter().any(|field| field.theirs == "file_path")) {
            input.insert("file_path".to_owned(), file.to_string_lossy().into());
        }
        let names = [foreign.ours, foreign.name].into_iter().chain(foreign.others.iter().copied());
        ForeignCall { name: foreign.name.to_owned(), names: names.map(str::to_owned).collect(), input }
    }

    /// The names that a matcher may use.
    pub(crate) fn subject(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// Our arguments for an input that a hook has rewritten.
    pub(crate) fn arguments(tool: &str, input: Map<String, Value>) -> Map<String, Value> {
        let Some(foreign) = TOOLS.iter().find(|one| one.ours == tool) else { return input };
        let mut arguments = Map::new();
        for (name, value) in input {
            match foreign.fields.iter().find(|field| field.theirs == name) {
                Some(ForeignField { ours: [ours, ..], scale, .. }) => {
                    arguments.insert((*ours).to_owned(), scaled_down(value, *scale));
                }
                Some(_) | None => {
                    arguments.insert(name, value);
                }
            }
        }
        if foreign.ours == "edit_file" {
            take_edits(&mut arguments);
        }
        arguments
    }
}

fn renamed(arguments: &Map<String, Value>, fields: &[ForeignField]) -> Map<String, Value> {
    let mut input = Map::new();
    for (name, value) in arguments {
        let foreign = fields.iter().find(|field| field.ours.contains(&name.as_str()) || field.theirs == name);
        match foreign {
            Some(field) => input.insert(field.theirs.to_owned(), scaled_up(value.clone(), field.scale)),
            None => input.insert(name.clone(), value.clone()),
        };
    }
    input
}

fn scaled_up(value: Value, scale: u64) -> Value {
    let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    number.filter(|_| scale > 1).map_or(value, |number| number.saturating_mul(scale).into())
}

fn scaled_down(value: Value, scale: u64) -> Value {
    value.as_f64().filter(|_| scale > 1).map_or(value, |number| ((number / scale as f64).ceil() as u64).into())
}

/// Edits in the form of other agents, who make one at a time. Several are joined, so that a hook that looks at the new text sees all of it.
fn add_edits(input: &mut Map<String, Value>) {
    let edits: Vec<Map<String, Value>> = match input.remove(EDITS) {
        Some(Value::Array(edits)) => edits.iter().filter_map(Value::as_object).map(edit).collect(),
        Some(Value::Object(one)) => vec![edit(&one)],
        Some(other) => {
            input.insert(EDITS.to_owned(), other);
            return;
        }
        None => return,
    };
    let joined = |name: &str| {
        let texts = edits.iter().filter_map(|edit| edit.get(name)?.as_str());
        Value::String(texts.collect::<Vec<_>>().join("\n"))
    };
    let replaces_all = edits.iter().any(|edit| edit.get("replace_all") == Some(&Value::Bool(true)));
    let fields = [
        ("old_string", joined("old_string")),
        ("new_string", joined("new_string")),
        ("replace_all", replaces_all.into()),
    ];
    input.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    if edits.len() > 1 {
        input.insert(EDITS.to_owned(), edits.into_iter().map(Value::Object).collect());
    }
}

fn edit(edit: &Map<String, Value>) -> Map<String, Value> {
    renamed(edit, &[OLD, NEW])
}

/// The edits of an input that a hook has rewritten: the list if there is one, else the single edit.
fn take_edits(arguments: &mut Map<String, Value>) {
    let [old, new, all] = ["old_string", "new_string", "replace_all"].map(|name| arguments.remove(name));
    if arguments.contains_key(EDITS) {
        return;
    }
    if let (Some(old), Some(new)) = (old, new) {
        let all = all.unwrap_or(Value::Bool(false));
        let one = json!({ "old_string": old, "new_string": new, "replace_all": all });
        arguments.insert(EDITS.to_owned(), Value::Array(vec![one]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(object) => object,
            other => panic!("{other}"),
        }
    }

    fn seen(tool: &str, arguments: Value) -> (String, Value) {
        let call = ForeignCall::of(tool, &object(arguments), CallFacts::default());
        (call.name, Value::Object(call.input))
    }

    #[test]
    fn tools_and_fields_have_the_names_of_other_agents() {
        let cases = [
            ("bash", json!({"command": "ls", "timeout": 5}), "Bash", json!({"command": "ls", "timeout": 5000})),
            ("bash", json!({"cmd": "ls", "timeout": "5"}), "Bash", json!({"command": "ls", "timeout": 5000})),
            ("run_in_shell", json!({"command": "cd"}), "Bash", json!({"command": "cd"})),
            ("read_file", json!({"path": "/a", "offset": 2}), "Read", json!({"file_path": "/a", "offset": 2})),
            ("read_file", json!({"file_path": "/a"}), "Read", json!({"file_path": "/a"})),
            ("write_file", json!({"file": "/a", "text": "x"}), "Write", json!({"file_path": "/a", "content": "x"})),
            ("grep", json!({"pattern": "x", "include": "*.rs"}), "Grep", json!({"pattern": "x", "glob": "*.rs"})),
            ("glob", json!({"pattern": "*.rs", "path": "src"}), "Glob", json!({"pattern": "*.rs", "path": "src"})),
            ("ls", json!({"path": "src"}), "LS", json!({"path": "src"})),
            ("recall", json!({"words": "x"}), "recall", json!({"words": "x"})),
        ];
        for (tool, arguments, name, input) in cases {
            assert_eq!(seen(tool, arguments), (name.to_owned(), input), "{tool}");
        }
    }

    #[test]
    fn one_edit_is_shown_as_one_and_several_are_joined() {
        let (name, input) = seen("edit_file", json!({"path": "/a", "edits": [{"old": "x", "new_str": "y"}]}));
        let expected = json!({"file_path": "/a", "old_string": "x", "new_string": "y", "replace_all": false});
        assert_eq!((name.as_str(), input), ("Edit", expected));
        let two = json!([{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d", "replace_all": true}]);
        let (_, input) = seen("edit_file", json!({"path": "/a", "edits": two}));
        assert_eq!(input["new_string"], "b\nd");
        assert_eq!(input["replace_all"], true);
        assert_eq!(input["edits"][1]["old_string"], "c");
    }

    #[test]
    fn what_the_tool_understood_is_what_hooks_see() {
        let facts = CallFacts { command: Some("rm -rf x"), file: None };
        let call = ForeignCall::of("bash", &object(json!({"cmd": "true"})), facts);
        assert_eq!(Value::Object(call.input), json!({"command": "rm -rf x"}));
        let facts = CallFacts { command: None, file: Some(Path::new("/home/me/a")) };
        let call = ForeignCall::of("read_file", &object(json!({"path": "~/a"})), facts);
        assert_eq!(call.input["file_path"], "/home/me/a");
        assert_eq!(call.names, ["read_file", "Read"]);
    }

    #[test]
    fn a_rewritten_input_becomes_our_arguments_again() {
        let back = |tool: &str, input: Value| Value::Object(ForeignCall::arguments(tool, object(input)));
        let bash = back("bash", json!({"command": "ls", "timeout": 1500, "description": "x"}));
        assert_eq!(bash, json!({"command": "ls", "timeout": 2, "description": "x"}));
        assert_eq!(back("read_file", json!({"file_path": "/b"})), json!({"path": "/b"}));
        assert_eq!(
            back("edit_file", json!({"file_path": "/a", "old_string": "x", "new_string": "z", "replace_all": true})),
            json!({"path": "/a", "edits": [{"old_string": "x", "new_string": "z", "replace_all": true}]})
        );
        let edits = json!([{"old_string": "a", "new_string": "b"}]);
        assert_eq!(
            back("edit_file", json!({"file_path": "/a", "old_string": "a", "new_string": "b", "edits": edits})),
            json!({"path": "/a", "edits": edits})
        );
        assert_eq!(back("recall", json!({"words": "y"})), json!({"words": "y"}));
    }
}
