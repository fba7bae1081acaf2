//! The agent, which answers queries.
//!
//! A [`Conversation`] holds the messages so far. A [`Kit`] holds what an answer needs: the model, the tools, the permissions. A [`Turn`]
//! computes one answer: it takes a query with a frozen [`ShellView`], asks the model, runs the calls that `guard` and the person allow, and
//! returns the [`Exchange`] that is appended to the conversation. It reports to a [`Front`] and asks an [`Approver`]. Uses: chat, provider,
//! tool, guard, track, capture, text. Does not use: a terminal, a file descriptor, the configuration.

mod aid;
mod calls;
mod change;
pub(crate) mod context;
mod conventions;
mod conversation;
#[cfg(test)]
mod day_tests;
mod decided;
mod failure;
mod front;
mod hooks;
mod kit;
mod language;
mod limits;
#[cfg(test)]
mod long_tests;
mod mask;
mod memory;
mod meter;
mod own_commands;
mod picture;
mod pictures;
mod project;
mod record;
mod recorded_front;
mod refusal;
mod regular;
mod restore;
#[cfg(test)]
mod sandbox_tests;
#[cfg(test)]
mod secrets_tests;
mod single;
mod skills;
mod spending;
mod standing;
mod step;
mod stop;
mod stream;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod turn;
mod window;

pub(crate) use aid::{Aid, RULES_WAIT, diagnose, first_aid};
pub(crate) use context::{Events, Happened, Query, STDIN_CAP, ShellView};
pub(crate) use conversation::{Conversation, ConversationId, Exchange};
pub(crate) use failure::unresolved;
pub(crate) use front::{Approval, Approver, Decision, Front, WorkingContext};
pub(crate) use hooks::HookKit;
pub(crate) use kit::{ContextPreview, Kit, Places};
pub(crate) use language::{Language, UnknownLanguage};
pub(crate) use limits::TurnLimits;
pub(crate) use memory::{MemoryError, MemoryScope, Notebook};
pub(crate) use own_commands::{CalledCommand, OwnCommand, OwnCommands};
pub(crate) use picture::picture;
pub(crate) use pictures::put_back as put_pictures_back;
pub(crate) use project::Project;
pub(crate) use record::{
    RecordedEntry, compact as record_compaction, name as record_name, queries, rewind as record_rewind,
};
pub(crate) use restore::{Unfinished, missing_pictures};
pub(crate) use skills::{Skill, SkillSettings, Skills, shown as shown_path};
pub(crate) use spending::{CostLimits, unpriced};
pub(crate) use turn::Turn;
#[cfg(test)]
pub(crate) use window::Scale;
pub(crate) use window::{Past, Rewound};

/// The message for a person who has not connected a model yet. It does not suggest a command with the key in it, because the shell's history
/// would keep the key.
pub(crate) const NO_MODEL: &str = "\
No model is connected yet.

Without one, the built-in rules explain a failed command (`> why did that fail`), put a correction on your prompt (`> fix`) and \
answer questions about what you ran (`> when did I last run make`).

To connect a model, run `shellmate init` at the prompt of your shell. It asks step by step. Or do it by hand:
  1. with a key: run `shellmate auth login` and ask again. It asks for the provider and keeps the key in a private file.
  2. on this machine: start Ollama, LM Studio, llama.cpp or vLLM and ask again.
  3. any other server: `export OPENAI_BASE_URL=http://HOST:PORT/v1` and ask again; SHELLMATE_MODEL names one of its models.

`> /help` lists what else you can type.
";
