//! Values that are not written in the configuration itself: a variable of the shell, or what a command prints.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;

use super::choose::{Env, Variables, variable};
use crate::program::{FinishedProgram, Program, ProgramEnd};
use crate::text;

/// How long a command may run. It may ask a password manager that is locked.
const PATIENCE: Duration = Duration::from_secs(30);
/// The most bytes of an output. No key or token is that long.
const OUTPUT_CAP: usize = 64 * 1024;
/// At most this much of what a failed command wrote is quoted.
const QUOTE: usize = 200;

/// Where a value comes from. A value that is written out is never printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum ValueOrigin {
    /// The value itself.
    Text(String),
    /// A variable of the live shell, or a stored key of this name.
    Variable(String),
    /// The output of this shell command.
    Command(String),
}

/// Why a value could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unread {
    Unset {
        variable: String,
    },
    /// The command has to be run first.
    NotRun {
        command: String,
    },
    Failed {
        command: String,
        why: String,
    },
}

impl ValueOrigin {
    pub(super) fn read(&self, env: Env<'_>) -> Result<String, Unread> {
        match self {
            ValueOrigin::Text(text) => Ok(text.clone()),
            ValueOrigin::Variable(name) => variable(env, name).ok_or_else(|| Unread::Unset { variable: name.clone() }),
            ValueOrigin::Command(command) => match env.output(command) {
                Some(Ok(output)) => Ok(output),
                Some(Err(why)) => Err(Unread::Failed { command: command.clone(), why }),
                None => Err(Unread::NotRun { command: command.clone() }),
            },
        }
    }

    /// Whether there is a value, as far as that is known without running a command.
    pub(super) fn is_there(&self, env: Env<'_>) -> bool {
        match self {
            ValueOrigin::Text(_) | ValueOrigin::Command(_) => true,
            ValueOrigin::Variable(name) => variable(env, name).is_some(),
        }
    }

    /// Whether the value is kept out of the configuration, as secrets are.
    pub(super) fn is_secret(&self) -> bool {
        !matches!(self, ValueOrigin::Text(_))
    }
}

impl fmt::Debug for ValueOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueOrigin::Text(_) => f.write_str("Text"),
            ValueOrigin::Variable(name) => f.debug_tuple("Variable").field(name).finish(),
            ValueOrigin::Command(command) => f.debug_tuple("Command").field(command).finish(),
        }
    }
}

impl Serialize for ValueOrigin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (name, value) = match self {
            ValueOrigin::Text(text) => return serializer.serialize_str(text),
            ValueOrigin::Variable(name) => ("env", name),
            ValueOrigin::Command(command) => ("command", command),
        };
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(name, value)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for ValueOrigin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OriginVisitor)
    }
}

struct OriginVisitor;

impl<'de> Visitor<'de> for OriginVisitor {
    type Value = ValueOrigin;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text, { env = \"NAME\" } or { command = \"PROGRAM\" }")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<ValueOrigin, E> {
        Ok(ValueOrigin::Text(text.to_owned()))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<ValueOrigin, M::Error> {
        let wrong = |what: &str| de::Error::invalid_value(de::Unexpected::Other(what), &OriginVisitor);
        let Some((name, value)) = map.next_entry::<String, String>()? else { return Err(wrong("an empty table")) };
        if map.next_key::<String>()?.is_some() {
            return Err(wrong("a table with several keys"));
        }
        match name.as_str() {
            "env" if is_variable(&value) => Ok(ValueOrigin::Variable(value)),
            "env" => Err(de::Error::custom("`env` is not the name of an environment variable")),
            "command" if value.trim().is_empty() => Err(de::Error::custom("the command is empty")),
            "command" => Ok(ValueOrigin::Command(value)),
            other => Err(wrong(&format!("a table with the key `{other}`"))),
        }
    }
}

/// Whether this can be the name of an environment variable.
pub(crate) fn is_variable(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(is_letter) && !name.starts_with(|c: char| c.is_ascii_digit())
}

impl schemars::JsonSchema for ValueOrigin {
    fn schema_name() -> Cow<'static, str> {
        "ValueOrigin".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let table = |key: &str, description: &str| {
            json!({
                "type": "object",
                "description": description,
                "properties": { key: { "type": "string", "minLength": 1 } },
                "required": [key],
                "additionalProperties": false,
            })
        };
        let forms = json!({
            "anyOf": [
                { "type": "string" },
                table("env", "The value of an environment variable."),
                table("command", "The first line that a program prints."),
            ]
        });
        schemars::Schema::try_from(forms).unwrap_or_default()
    }
}

/// The outputs of commands that were run for the configuration. They are kept in memory only, until the session ends or a server
/// refuses what was sent.
#[derive(Default)]
pub(super) struct CommandOutputs(HashMap<String, Result<String, String>>);

impl CommandOutputs {
    /// Drops failures, so that their commands run again.
    pub(super) fn refresh(&mut self) {
        self.0.retain(|_, output| output.is_ok());
    }

    /// Drops everything, because a server refused what was sent.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// What commands have printed.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.0.values().filter_map(|output| output.as_deref().ok())
    }

    /// Runs a command with `sh` and keeps what it printed. Dropping the future ends the command.
    pub(super) async fn run(&mut self, command: &str) {
        let output = output(command, PATIENCE).await;
        self.0.insert(command.to_owned(), output);
    }
}

/// The first line that a command prints. It runs in the home directory and has no terminal.
async fn output(command: &str, patience: Duration) -> Result<String, String> {
    let home = std::env::home_dir().filter(|home| home.is_dir()).unwrap_or_else(|| PathBuf::from("/"));
    // With this variable gpg would ask for a password on the shell's terminal, where nobody can answer now.
    let environment: Vec<(OsString, OsString)> = std::env::vars_os().filter(|(name, _)| name != "GPG_TTY").collect();
    let directory: &Path = &home;
    let program =
        Program { command, arguments: None, directory, environment, input: "", patience, output_cap: OUTPUT_CAP };
    let FinishedProgram { end, output, errors, .. } = program.run().await;
    let said = errors.lines().map(str::trim).find(|line| !line.is_empty()).map(text::sanitize).unwrap_or_default();
    let said: String = said.chars().take(QUOTE).collect();
    let with_errors = |what: String| if said.is_empty() { what } else { format!("{what}: {said}") };
    match end {
        ProgramEnd::Exited(Some(0)) => first_line(&output),
        ProgramEnd::Exited(Some(code)) => Err(with_errors(format!("it exited with {code}"))),
        ProgramEnd::Exited(None) => Err(with_errors("it was killed".to_owned())),
        ProgramEnd::NotStarted(error) => Err(error.to_string()),
        ProgramEnd::TimedOut => Err(format!(
            "it ran longer than {} s; it has no terminal, so unlock what it waits for in your shell first",
            patience.as_secs()
        )),
    }
}

/// Password managers print notes below a password.
fn first_line(output: &str) -> Result<String, String> {
    match output.lines().next().unwrap_or_default().trim() {
        "" => Err("it printed nothing".to_owned()),
        line if line.contains(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER) => {
            Err("its first line has characters that no key or header has".to_owned())
        }
        line => Ok(line.to_owned()),
    }
}

/// Variables together with the outputs of commands.
pub(super) struct WithOutputs<'a> {
    pub(super) env: Env<'a>,
    pub(super) outputs: &'a CommandOutputs,
}

impl Variables for WithOutputs<'_> {
    fn get(&self, name: &str) -> Option<String> {
        self.env.get(name)
    }

    fn exported(&self, name: &str) -> Option<String> {
        self.env.exported(name)
    }

    fn output(&self, command: &str) -> Option<Result<String, String>> {
        self.outputs.0.get(command).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn ran(command: &str) -> Result<String, Unread> {
        let mut outputs = CommandOutputs::default();
        outputs.run(command).await;
        let env = |_: &str| None;
        ValueOrigin::Command(command.to_owned()).read(&WithOutputs { env: &env, outputs: &outputs })
    }

    #[tokio::test]
    async fn a_command_gives_its_first_line_or_says_why_not() {
        assert_eq!(ran("printf 'token \\nmore\\n'").await, Ok("token".to_owned()));
        let failed = |why: &str, command: &str| Err(Unread::Failed { command: command.into(), why: why.into() });
        assert_eq!(ran("true").await, failed("it printed nothing", "true"));
        let locked = "echo 'the vault is locked' >&2; exit 3";
        assert_eq!(ran(locked).await, failed("it exited with 3: the vault is locked", locked));
    }

    #[tokio::test]
    async fn a_command_that_hangs_is_ended_with_its_children() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("late");
        let command = format!("(sleep 2; touch {}) & sleep 60", file.display());
        let said = output(&command, Duration::from_millis(200)).await.unwrap_err();
        assert!(said.starts_with("it ran longer than 0 s; it has no terminal"), "{said}");
        let said = output("printf 'a\\033[2J\\n'", Duration::from_secs(30)).await.unwrap_err();
        assert!(said.contains("characters"), "{said}");
        assert_eq!(output("tty || :", Duration::from_secs(30)).await.unwrap(), "not a tty");
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Table {
        key: ValueOrigin,
    }

    #[test]
    fn the_three_forms_are_read_and_written_and_others_are_refused() {
        let read = |value: &str| {
            let read = toml::from_str::<Table>(&format!("key = {value}"));
            read.map_err(|error| error.message().to_owned())
        };
        for text in ["\"plain\"", "{ env = \"MY_KEY\" }", "{ command = \"pass show x\" }"] {
            let table = read(text).unwrap();
            assert_eq!(toml::from_str::<Table>(&toml::to_string(&table).unwrap()).unwrap(), table, "{text}");
        }
        let accepted = "expected text, { env = \"NAME\" } or { command = \"PROGRAM\" }";
        for text in ["3", "{}", "{ file = \"x\" }", "{ env = \"A\", command = \"b\" }"] {
            let said = read(text).unwrap_err();
            assert!(said.ends_with(accepted), "{text}: {said}");
        }
        assert!(!read("{ env = \"sk-1234\" }").unwrap_err().contains("sk-1234"), "it may be a key");
    }

    #[test]
    fn a_value_is_never_printed_and_a_command_is_not_run_by_reading() {
        assert_eq!(format!("{:?}", ValueOrigin::Text("sk-12345".into())), "Text");
        let env = |name: &str| (name == "A").then(|| "a".to_owned());
        assert_eq!(ValueOrigin::Variable("A".into()).read(&env), Ok("a".to_owned()));
        assert_eq!(ValueOrigin::Variable("B".into()).read(&env), Err(Unread::Unset { variable: "B".into() }));
        let command = ValueOrigin::Command("exit 1".into());
        assert_eq!(command.read(&env), Err(Unread::NotRun { command: "exit 1".into() }));
        assert!(command.is_there(&env) && command.is_secret());
    }
}
