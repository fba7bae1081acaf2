//! The settings: TOML files one above the other (`layers`), converted into the option types of other rooms.
//!
//! Without a file the defaults are used. A part of a file that cannot be used is ignored, and a line says where and why. Every value knows
//! where it comes from (`origin`). Only `session` and `cli` import this room; no other room reads the configuration itself.

mod agent;
#[cfg(test)]
pub(crate) mod docs;
mod dollars;
pub(crate) mod edit;
mod ignore;
mod keys;
mod kit;
mod layers;
mod limits;
mod load;
mod masking;
mod origin;
mod parse;
mod paths;
mod permissions;
mod problem;
mod providers;
mod sandbox;
mod schema;
mod size;
mod syntax;
mod terminal;
mod theme;
mod words;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::guard::{PermissionMode, RuleText};
use crate::input::{Editing, Hotkey, UnknownHotkey};
use crate::provider::{CacheLifetime, ModelPreference, ModelRoles, Protocol};
use crate::reflex::RulesRole;
use crate::render::Wrapping;
use crate::store;
use crate::undo::UndoLimits;

pub(crate) use agent::Agent;
pub(crate) use edit::{EditError, set_in_file, set_model, unknown_key};
pub(crate) use keys::KeySettings;
pub(crate) use layers::{ConfigReader, Layer};
pub(crate) use limits::LimitSettings;
pub(crate) use load::Loaded;
pub(crate) use origin::{Origin, Origins, ProjectLines};
pub(crate) use paths::{Paths, private_dir};
pub(crate) use permissions::{GrantSettings, PermissionSettings, ScopeSettings};
pub(crate) use problem::Problem;
pub(crate) use providers::ProviderSettings;
pub(crate) use sandbox::SandboxSettings;
pub(crate) use schema::{is_secret, schema};
pub(crate) use size::ByteSize;
pub(crate) use terminal::{NotifyMode, TerminalSettings};
pub(crate) use theme::{ThemeChoice, parsed as parsed_theme, theme_names, theme_text};

/// Settings of shellmate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Config {
    /// The shell to start, when neither `--shell` nor `SHELLMATE_SHELL` names one. Without it: `$SHELL`, then your login shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PathBuf")]
    pub shell: Option<PathBuf>,
    /// The built-in rules that explain a failed command and correct it: `first` shows their answer while the model is asked, `only`
    /// never asks a model, `off` disables them.
    #[schemars(extend("default" = "first"))]
    pub reflex: RulesRole,
    /// Whether a failed command is followed by a dim line with its correction, if the built-in rules are sure of one.
    pub hint: bool,
    /// Whether a dim line above the first prompt of a nested shell (`bash`, `sudo -s`, `ssh host`) says that lines with `> ` run as
    /// shell commands there. It is shown once per session for each kind.
    pub nested_hint: bool,
    /// Whether a dim line above the prompt says how to ask. It is shown at the first three starts only.
    pub welcome: bool,
    /// The theme of answers: a name from `shellmate theme list`, or of your own in `themes/NAME.toml` next to the configuration.
    /// `{ light = "NAME", dark = "NAME" }` follows the background of the terminal, and `"auto"` does so with `light` and `dark`.
    #[schemars(extend("default" = "terminal"))]
    pub theme: ThemeChoice,
    /// Whether the output suits a screen reader: no spinner and no redraw, finished lines only, and words such as `tool:` and
    /// `answer:` in place of signs. The variable `ACCESSIBLE=1` turns it on too.
    pub screen_reader: bool,
    /// How long lines are wrapped: `words` breaks them between words, `terminal` leaves it to the terminal, which breaks them at its
    /// margin and copies them as one line. Code is never wrapped at words.
    #[schemars(extend("default" = "words"))]
    pub wrap: Wrapping,
    /// The key that opens the conversation line, even while a program runs: `"ctrl-"` with a letter or one of `\\ ] ^ _`, or `"none"`.
    /// Pressed twice, the key is sent to the program.
    pub hotkey: HotkeyName,
    /// How much the agent may do without a question: `ask` (looking is silent, changing asks), `auto` (edits in the project, and commands
    /// that run confined and offline, are silent too) or `plan` (only looking is possible). `/mode` changes it for a session.
    #[schemars(extend("default" = "ask"))]
    pub mode: PermissionMode,
    /// Your own rules, each a `[[rules]]` table with a `decision` (`allow`, `ask` or `deny`), at least one of `tool`, `path`, `command`
    /// and `host`, and a `reason` if you like. A denial beats everything else; of other rules the most specific one counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleText>,
    /// Settings for directories, each a `[[scope]]` table with a `path` and any of `mode`, `model` (asked there instead of `[model] name`),
    /// `allow` and `deny` (which models may be asked there: `"provider"`, or `"provider/model"` with `*` for any letters). Mode and model of
    /// the deepest directory count; a denial counts in everything below.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<ScopeSettings>,
    pub model: Model,
    /// Providers, each a `[providers.NAME]` table: a proxy, a server of your own, or changes to a built-in provider of that name.
    /// Its models are used as `NAME/MODEL`. PROVIDERS.md has the keys and examples.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub providers: BTreeMap<String, ProviderSettings>,
    pub limits: LimitSettings,
    pub history: HistorySettings,
    pub conversations: ConversationSettings,
    pub undo: UndoSettings,
    pub capture: CaptureSettings,
    pub agent: Agent,
    pub grants: GrantSettings,
    pub redact: Redact,
    pub sandbox: SandboxSettings,
    pub line: LineSettings,
    pub keys: KeySettings,
    pub terminal: TerminalSettings,
}

/// Which model is asked. Without these settings: the first provider whose key is set, then a server on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub(crate) struct Model {
    /// The model, as `provider/model[:effort]`. `--model`, `/model` and `SHELLMATE_MODEL` take precedence.
    pub name: String,
    /// The model for summaries and other requests beside the conversation, such as a cheap and quick one. Without it: as `name`.
    pub fast: String,
    /// The model for questions in plan mode. Without it: as `name`.
    pub plan: String,
    /// The server to use instead of the provider's own, such as `http://host:port/v1`.
    pub base_url: String,
    /// The environment variable that holds the API key. Do not put the key itself in this file; `shellmate auth login` stores it.
    pub api_key_env: String,
    /// The protocol of the server: `chat` (OpenAI's chat completions), `responses` (OpenAI's responses), `messages` (Anthropic's),
    /// `ollama` (Ollama's own), or `auto`. Ollama is asked over its own protocol, unless `base_url` ends with `/v1`.
    #[schemars(extend("default" = "auto"))]
    pub protocol: Protocol,
    /// Hosts, such as `"llm.lan:8000"`, that may get a key over `http://`, where anyone on the network can read it. Other hosts get a
    /// key only over `https://`. A server on this machine needs no entry.
    pub plain_http: Vec<String>,
    /// How many tokens the model's context window has. 0 takes what the server or the built-in list says; a window that nobody
    /// knows counts as 32768.
    #[serde(deserialize_with = "parse::whole_number")]
    pub window: u64,
    /// How long the provider keeps the beginning of a conversation in its prompt cache, so that the next question costs less: `short`
    /// (some minutes), `long` (an hour or more, where the provider offers it; on Anthropic the first question costs more) or `off`.
    #[schemars(extend("default" = "short"))]
    pub cache: CacheLifetime,
}

/// Which commands are recorded, and how many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub(crate) struct HistorySettings {
    /// Whether commands are recorded. Without it the latest ones still go with a question, and are forgotten when the tab closes.
    pub enabled: bool,
    /// Regular expressions. A command that matches one of them is not recorded. They match anywhere in the text unless anchored with
    /// `^` and `$`.
    pub ignore: Vec<String>,
    /// How many commands are kept. The oldest are deleted first.
    #[serde(deserialize_with = "parse::whole_number")]
    pub commands: u64,
    /// How large the history may grow on disk. The oldest commands are deleted first.
    pub size: ByteSize,
    /// The key that opens the finder of the history at the prompt, with what is typed as its words: `"ctrl-"` with a letter, such as
    /// `"ctrl-r"`, or `"none"`. It counts for shells that start afterwards.
    pub key: HotkeyName,
}

impl HistorySettings {
    /// How much is kept.
    pub(crate) fn limits(&self) -> store::HistoryLimits {
        store::HistoryLimits { commands: self.commands, bytes: self.size.bytes() }
    }
}

/// Which conversations with the agent are recorded, and for how long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub(crate) struct ConversationSettings {
    /// Whether conversations are recorded. They are not if `history.enabled` is false.
    pub enabled: bool,
    /// How many days a conversation is kept after its last question.
    #[serde(deserialize_with = "parse::whole_number")]
    pub days: u64,
    /// How large all conversations together may grow. The oldest are deleted first.
    pub size: ByteSize,
}

/// What is kept so that `/undo` can take back what the agent changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub(crate) struct UndoSettings {
    /// Whether files are kept before the agent changes them.
    pub enabled: bool,
    /// How many days a kept file stays.
    #[serde(deserialize_with = "parse::whole_number")]
    pub days: u64,
    /// How large all kept files together may grow. The oldest are deleted first.
    pub size: ByteSize,
}

impl UndoSettings {
    pub(crate) fn limits(&self) -> UndoLimits {
        UndoLimits { bytes: self.size.bytes(), age: Duration::from_secs(self.days.saturating_mul(24 * 60 * 60)) }
    }
}

/// How much of a command's output is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub(crate) struct CaptureSettings {
    /// How much of the beginning of an output is kept in memory and in the history.
    pub head: ByteSize,
    /// How much of the end of an output is kept in memory and in the history.
    pub tail: ByteSize,
    /// How much of an output that is too large for `head` and `tail` is kept in a file. 0 writes no such files.
    pub spill: ByteSize,
    /// How large all those files together may grow. The oldest are deleted first.
    pub spill_total: ByteSize,
    /// How many days those files are kept.
    #[serde(deserialize_with = "parse::whole_number")]
    pub spill_days: u64,
}

impl Model {
    /// The model that the settings ask for.
    fn preference(&self) -> ModelPreference {
        let filled = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        ModelPreference {
            model: filled(&self.name),
            base_url: filled(&self.base_url),
            api_key_env: filled(&self.api_key_env),
            protocol: self.protocol,
            effort: None,
            plain_http: self.plain_http.clone(),
            window: u32::try_from(self.window).ok().filter(|window| *window > 0),
            cache: self.cache,
            roles: ModelRoles { fast: filled(&self.fast), plan: filled(&self.plan) },
            ..ModelPreference::default()
        }
    }
}

/// What is masked before a model sees it. Common kinds of keys, tokens and passwords, and the values of variables whose names look
/// secret, are masked without these settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub(crate) struct Redact {
    /// Regular expressions. Text that matches one of them is masked too. If an expression has a group, only its first group is masked.
    pub patterns: Vec<String>,
    /// Regular expressions. Secrets that match one of them are not masked, nor are the values of variables whose names match.
    pub exempt: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            shell: None,
            reflex: RulesRole::default(),
            hint: false,
            nested_hint: true,
            welcome: true,
            theme: ThemeChoice::default(),
            screen_reader: false,
            wrap: Wrapping::default(),
            hotkey: HotkeyName::default(),
            mode: PermissionMode::default(),
            rules: Vec::new(),
            scope: Vec::new(),
            model: Model::default(),
            providers: BTreeMap::new(),
            limits: LimitSettings::default(),
            history: HistorySettings::default(),
            conversations: ConversationSettings::default(),
            undo: UndoSettings::default(),
            capture: CaptureSettings::default(),
            agent: Agent::default(),
            grants: GrantSettings::default(),
            redact: Redact::default(),
            sandbox: SandboxSettings::default(),
            line: LineSettings::default(),
            keys: KeySettings::default(),
            terminal: TerminalSettings::default(),
        }
    }
}

/// The conversation line, which a bare `>` opens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub(crate) struct LineSettings {
    /// The key bindings: `"emacs"` or `"vi"`.
    pub mode: EditingMode,
}

/// Key bindings of the conversation line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EditingMode {
    #[default]
    Emacs,
    Vi,
}

/// The name of a hotkey.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct HotkeyName(String);

impl HotkeyName {
    /// No key.
    fn none() -> HotkeyName {
        HotkeyName("none".into())
    }

    /// The key, or `None` if it is turned off.
    pub fn key(&self) -> Option<Hotkey> {
        self.0.parse().ok()
    }
}

impl Default for HotkeyName {
    fn default() -> Self {
        HotkeyName("ctrl-\\".into())
    }
}

impl TryFrom<String> for HotkeyName {
    type Error = UnknownHotkey;

    fn try_from(name: String) -> Result<Self, UnknownHotkey> {
        if name != "none" {
            name.parse::<Hotkey>()?;
        }
        Ok(HotkeyName(name))
    }
}

impl From<HotkeyName> for String {
    fn from(name: HotkeyName) -> String {
        name.0
    }
}

impl LineSettings {
    pub(crate) fn editing(&self) -> Editing {
        match self.mode {
            EditingMode::Emacs => Editing::Emacs,
            EditingMode::Vi => Editing::Vi,
        }
    }
}

impl Default for HistorySettings {
    fn default() -> Self {
        Self { enabled: true, ignore: Vec::new(), commands: 100_000, size: ByteSize::gib(1), key: HotkeyName::none() }
    }
}

impl Default for ConversationSettings {
    fn default() -> Self {
        Self { enabled: true, days: 365, size: ByteSize::gib(1) }
    }
}

impl Default for UndoSettings {
    fn default() -> Self {
        Self { enabled: true, days: 30, size: ByteSize::mib(512) }
    }
}

impl Default for CaptureSettings {
    fn default() -> Self {
        Self {
            head: ByteSize::kib(64),
            tail: ByteSize::kib(192),
            spill: ByteSize::mib(64),
            spill_total: ByteSize::mib(512),
            spill_days: 7,
        }
    }
}

impl CaptureSettings {
    pub(crate) fn head_bytes(&self) -> usize {
        usize::try_from(self.head.bytes()).unwrap_or(usize::MAX)
    }

    pub(crate) fn tail_bytes(&self) -> usize {
        usize::try_from(self.tail.bytes()).unwrap_or(usize::MAX)
    }

    /// The age after which a spill file is deleted.
    pub(crate) fn spill_age(&self) -> Duration {
        Duration::from_secs(self.spill_days.saturating_mul(24 * 60 * 60))
    }
}
