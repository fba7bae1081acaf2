//! The hooks of a session, and how those of an event run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::answer::{self, HookAnswer};
use super::event::HookEvent;
use super::matcher::Matcher;
use crate::program::{FinishedProgram, Program};
use crate::text::shell::ExpansionKind;
use crate::text::shell::parse::parse;

/// The most bytes of standard output that are kept. Enough for a rewritten file.
const OUTPUT_CAP: usize = 1024 * 1024;
/// The most hooks that run for one event.
const MOST_AT_ONCE: usize = 32;
/// A hook that runs longer is mentioned to the person.
const SLOW: Duration = Duration::from_secs(1);

/// All hooks of a session.
#[derive(Debug, Clone, Default)]
pub(crate) struct HookSet {
    pub(super) groups: Vec<HookGroup>,
}

/// Hooks with the same event and matcher.
#[derive(Debug, Clone)]
pub(super) struct HookGroup {
    pub(super) event: HookEvent,
    pub(super) matcher: Matcher,
    /// The matcher as it was written.
    pub(super) pattern: String,
    pub(super) commands: Vec<HookCommand>,
}

/// One hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HookCommand {
    /// A command line for `sh`, or the program if there are `arguments`.
    pub(super) command: String,
    pub(super) arguments: Option<Vec<String>>,
    pub(super) timeout: Duration,
    /// Whether the hook blocks if it fails.
    pub(super) fails_closed: bool,
}

/// Where hooks run, and what all of them are told.
#[derive(Debug, Clone)]
pub(crate) struct HookRun {
    pub session: String,
    pub cwd: PathBuf,
    /// The root of the repository, or the directory itself outside of one.
    pub project: PathBuf,
    /// The mode under the name that other agents give it.
    pub permission_mode: &'static str,
    /// Without secrets of shellmate.
    pub environment: Arc<Vec<(OsString, OsString)>>,
    /// The file with the conversation, if there is one.
    pub conversation: Option<PathBuf>,
}

impl HookRun {
    /// Runs a hook to its end. Must be called in an async runtime. Dropping the future ends the hook.
    pub(super) async fn run(&self, hook: &HookCommand, input: &str) -> FinishedProgram {
        let project = |name: &str| (OsString::from(name), self.project.clone().into_os_string());
        let more = [project("CLAUDE_PROJECT_DIR"), project("SHELLMATE_PROJECT_DIR")];
        let program = Program {
            command: &hook.command,
            arguments: hook.arguments.as_deref(),
            directory: &self.cwd,
            environment: self.environment.iter().cloned().chain(more).collect(),
            input,
            patience: hook.timeout,
            output_cap: OUTPUT_CAP,
        };
        program.run().await
    }

    /// The object that a hook reads: what is always there, and the fields of the event.
    pub(super) fn input(&self, event: HookEvent, fields: Map<String, Value>) -> Value {
        let conversation = self.conversation.as_deref().filter(|path| path.exists()).unwrap_or(Path::new(""));
        let always = [
            ("session_id", self.session.as_str().into()),
            ("transcript_path", conversation.to_string_lossy().into()),
            ("cwd", self.cwd.to_string_lossy().into()),
            ("hook_event_name", event.name().into()),
            ("permission_mode", self.permission_mode.into()),
        ];
        let always = always.into_iter().map(|(name, value): (&str, Value)| (name.to_owned(), value));
        Value::Object(always.chain(fields).collect())
    }
}

impl HookCommand {
    /// The hook in a sentence.
    pub(super) fn described(&self, event: HookEvent) -> String {
        format!("the {} hook `{}`", event.name(), answer::line(&self.command, 80))
    }
}

/// The program that a hook begins with.
fn program(hook: &HookCommand) -> Option<String> {
    if hook.arguments.is_some() {
        return Some(hook.command.clone());
    }
    let script = parse(&hook.command).ok()?;
    let first = script.simple_commands().into_iter().find(|command| !command.words.is_empty())?.words.first()?;
    let is_known = first.expansions.iter().all(|expansion| expansion.kind == ExpansionKind::Tilde);
    is_known.then(|| first.text.clone())
}

impl HookSet {
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// These hooks, and others after them.
    pub(crate) fn and(&self, others: &HookSet) -> HookSet {
        HookSet { groups: self.groups.iter().chain(&others.groups).cloned().collect() }
    }

    /// One line for each hook, for a person who is to decide about them.
    pub(crate) fn described(&self) -> Vec<String> {
        let line = |group: &HookGroup, command: &HookCommand| {
            let subject = if group.pattern.is_empty() { "" } else { " " };
            let words = [&command.command].into_iter().chain(command.arguments.iter().flatten());
            let words = words.map(String::as_str).collect::<Vec<_>>().join(" ");
            format!("{}{subject}{}: {words}", group.event.name(), group.pattern)
        };
        self.groups.iter().flat_map(|group| group.commands.iter().map(|command| line(group, command))).collect()
    }

    /// The programs that the hooks begin with, as they are written. A name that only the shell finds out is left out.
    pub(crate) fn programs(&self) -> Vec<String> {
        let mut found: Vec<String> = self.groups.iter().flat_map(|group| &group.commands).filter_map(program).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The hooks of an event for a subject with these names. A hook that is named twice runs once.
    pub(super) fn matching(&self, event: HookEvent, subject: &[&str]) -> Vec<&HookCommand> {
        let groups = self.groups.iter().filter(|group| group.event == event && group.matcher.matches(subject));
        let mut found: Vec<&HookCommand> = Vec::new();
        for command in groups.flat_map(|group| &group.commands) {
            if !found.contains(&command) && found.len() < MOST_AT_ONCE {
                found.push(command);
            }
        }
        found
    }

    /// Whether a hook would run.
    pub(crate) fn wait_for(&self, event: HookEvent, subject: &[&str]) -> bool {
        !self.matching(event, subject).is_empty()
    }

    /// Runs the hooks of an event side by side. Returns what they say together. Dropping the future ends them. `is_slow` gets a line about
    /// each hook that takes long, while it runs.
    pub(crate) async fn run(
        &self,
        event: HookEvent,
        subject: &[&str],
        place: &HookRun,
        fields: Map<String, Value>,
        is_slow: &(dyn Fn(String) + Sync),
    ) -> HookAnswer {
        let commands = self.matching(event, subject);
        if commands.is_empty() {
            return HookAnswer::default();
        }
        let input = place.input(event, fields).to_string();
        let answers = commands.iter().map(|command| async {
            let mut run = pin!(place.run(command, &input));
            let finished = match timeout(SLOW, &mut run).await {
                Ok(finished) => finished,
                Err(_) => {
                    is_slow(format!("running {}…", command.described(event)));
                    run.await
                }
            };
            HookAnswer::read(event, command, finished)
        });
        join_all(answers).await.into_iter().fold(HookAnswer::default(), HookAnswer::and)
    }
}
