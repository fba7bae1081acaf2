//! Settings of the agent.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ByteSize, parse};
use crate::agent::{Events, Language, SkillSettings, TurnLimits, UnknownLanguage};
use crate::provider::HttpTimeouts;
use crate::tool::Timeouts;

/// Limits of the agent, and how much context goes with a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub(crate) struct Agent {
    /// How many requests to the model one question may take before you are asked whether to continue.
    #[serde(deserialize_with = "parse::whole_number")]
    pub steps: u64,
    /// How many seconds a model may be silent before a request counts as failed.
    #[serde(deserialize_with = "parse::whole_number")]
    pub idle_timeout: u64,
    /// How many lines of your commands' output go with a question.
    #[serde(deserialize_with = "parse::whole_number")]
    pub context_lines: u64,
    /// How much of your recent commands and their output goes with a question. 0 sends none.
    pub context_size: ByteSize,
    /// How many tokens a request may have before older parts of the conversation are summarised, however large the model's
    /// window is.
    #[serde(deserialize_with = "parse::whole_number")]
    pub compact_at: u64,
    /// Whether the conventions of a project (`AGENTS.md`, `CLAUDE.md` and the rules of other editors) are sent with a question.
    pub conventions: bool,
    /// Whether the agent is told about skills: directories with a `SKILL.md` in `.agents/skills` and `.claude/skills`, from the
    /// current directory to the repository's root and in your home directory, and in `skills` next to the configuration.
    pub skills: bool,
    /// More directories with skills, such as `"~/team/skills"`.
    pub skill_paths: Vec<PathBuf>,
    /// Whether notes are kept with `/remember` and sent with a question: those for the repository, and those for everywhere. They are
    /// Markdown files in `memory` of the state directory.
    pub memory: bool,
    /// The language of answers: `auto` (that of your shell's messages, from `LC_ALL`, `LC_MESSAGES`, `LANG` and `LANGUAGE`), `off`
    /// (the model decides) or a code such as `de` or `pt-BR`.
    pub lang: LanguageName,
    /// How many seconds a command of the agent may run, unless the model asks for another time.
    #[serde(deserialize_with = "parse::whole_number")]
    pub command_timeout: u64,
    /// The longest time in seconds that the model may ask for.
    #[serde(deserialize_with = "parse::whole_number")]
    pub longest_timeout: u64,
}

impl Default for Agent {
    fn default() -> Self {
        let (limits, skills, timeouts) = (TurnLimits::default(), SkillSettings::default(), Timeouts::default());
        Self {
            steps: limits.steps.into(),
            idle_timeout: HttpTimeouts::default().silence.as_secs(),
            context_lines: limits.events.lines as u64,
            context_size: ByteSize::new(limits.events.bytes as u64),
            compact_at: limits.compact_at.into(),
            conventions: limits.conventions,
            skills: skills.is_on,
            skill_paths: skills.paths,
            memory: limits.memory,
            lang: LanguageName::default(),
            command_timeout: timeouts.usual.as_secs(),
            longest_timeout: timeouts.longest.as_secs(),
        }
    }
}

impl Agent {
    pub(crate) fn limits(&self) -> TurnLimits {
        let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let events = Events { lines: whole(self.context_lines), bytes: whole(self.context_size.bytes()) };
        let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        TurnLimits {
            steps: number(self.steps),
            events,
            compact_at: number(self.compact_at),
            conventions: self.conventions,
            memory: self.memory,
            ..TurnLimits::default()
        }
    }

    pub(crate) fn language(&self) -> Language {
        self.lang.0.clone()
    }

    pub(crate) fn skills(&self) -> SkillSettings {
        SkillSettings { is_on: self.skills, paths: self.skill_paths.clone() }
    }

    pub(crate) fn patience(&self) -> HttpTimeouts {
        HttpTimeouts { silence: Duration::from_secs(self.idle_timeout), ..HttpTimeouts::default() }
    }

    pub(crate) fn timeouts(&self) -> Timeouts {
        Timeouts {
            usual: Duration::from_secs(self.command_timeout),
            longest: Duration::from_secs(self.longest_timeout.max(self.command_timeout)),
        }
    }
}

/// The setting for the language of answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub(crate) struct LanguageName(Language);

impl TryFrom<String> for LanguageName {
    type Error = UnknownLanguage;

    fn try_from(name: String) -> Result<Self, UnknownLanguage> {
        name.parse().map(LanguageName)
    }
}

impl From<LanguageName> for String {
    fn from(name: LanguageName) -> String {
        name.0.to_string()
    }
}
