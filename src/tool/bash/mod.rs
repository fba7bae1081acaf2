//! `bash`: runs a command in a process group of its own.

mod environment;
mod notes;
mod process;
#[cfg(test)]
mod tests;
mod transcript;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{ChangeScope, Context, NoteChanges, Prepared, Preview, RunContext, Tool, arguments, paths};
use crate::chat::{Outcome, ToolKind, ToolSpec};
use crate::guard::{Applied, CommandRequest, Intent, SandboxChange, SandboxException, SandboxLevel};
use crate::text::spelled;
use process::{FinishedCommand, ProcessEnding};
use transcript::CommandTranscript;

/// How long a command may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timeouts {
    /// The default.
    pub usual: Duration,
    /// The upper limit for the time that a model asks for.
    pub longest: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts { usual: Duration::from_secs(60), longest: Duration::from_secs(3600) }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    #[serde(alias = "cmd")]
    command: String,
    /// Seconds until it is stopped
    timeout: Option<u64>,
    /// To repeat a denied command: a path it may write
    write: Option<String>,
    /// Likewise: allow the network
    network: Option<bool>,
    /// Likewise: no sandbox
    unconfined: Option<bool>,
    /// Why, for the user
    justification: Option<String>,
}

impl Arguments {
    /// What the command asks for beyond the sandbox.
    fn exception(&self, context: &Context) -> Result<Option<SandboxException>, String> {
        let written = self.write.as_deref().map(str::trim).filter(|path| !path.is_empty());
        let asked = [
            written.map(|path| SandboxChange::Write(paths::resolve(path, context))),
            self.network.unwrap_or_default().then_some(SandboxChange::Network),
            self.unconfined.unwrap_or_default().then_some(SandboxChange::Unconfined),
        ];
        let mut asked = asked.into_iter().flatten();
        let Some(change) = asked.next() else { return Ok(None) };
        if asked.next().is_some() {
            return Err("bad arguments: give only one of write, network and unconfined".to_owned());
        }
        let justification = self.justification.as_deref().map(title).unwrap_or_default();
        if justification.is_empty() {
            return Err("bad argument justification: say why the command needs more than the sandbox allows".to_owned());
        }
        Ok(Some(SandboxException { change, justification }))
    }
}

pub(super) struct Bash(pub(super) Timeouts);

impl Tool for Bash {
    fn spec(&self) -> ToolSpec {
        let Timeouts { usual, longest } = self.0;
        arguments::spec::<Arguments>(
            "bash",
            &format!(
                "Run a command with bash -c in the user's directory and environment: no terminal, no input, and cd or export do \
                 not last. Sandboxed: it writes only the project, package caches and $TMPDIR; background processes end with it. \
                 Returns exit code and output. Stopped after {} s, at most {} s.",
                usual.as_secs(),
                longest.as_secs()
            ),
        )
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Run
    }

    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String> {
        let arguments: Arguments = arguments::read(arguments)?;
        check(&arguments.command)?;
        let exception = arguments.exception(context)?;
        let Arguments { command, timeout, .. } = arguments;
        let Timeouts { usual, longest } = self.0;
        let timeout = timeout.map_or(usual, |seconds| Duration::from_secs(seconds.max(1))).min(longest);
        let cwd = context.cwd.clone();
        let run = BashRun {
            command: command.clone(),
            exception: exception.clone(),
            timeout,
            cwd: cwd.clone(),
            context: context.clone(),
        };
        Ok(Prepared {
            title: title(&command),
            intent: Intent::Run { command: command.clone(), cwd: cwd.clone(), exception },
            preview: Some(Preview::Command { command, cwd }),
            run: Box::new(|context| Box::pin(run.run(context))),
        })
    }
}

/// The environment of a program that runs unconfined, such as a hook, for a shell that exports these variables.
pub(crate) fn child_environment(shell: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    environment::of_child(shell, SandboxLevel::Off)
}

/// Refuses an empty command and one with a NUL character.
pub(super) fn check(command: &str) -> Result<(), String> {
    match command {
        _ if command.trim().is_empty() => Err("bad argument command: it is empty".to_owned()),
        _ if command.contains('\0') => Err("bad argument command: it contains a NUL character".to_owned()),
        _ => Ok(()),
    }
}

/// A command as one line for the person.
pub(super) fn title(command: &str) -> String {
    let mut lines = command.trim().lines();
    let first = spelled(lines.next().unwrap_or_default());
    if lines.next().is_some() { format!("{first} …") } else { first }
}

/// Keeps the files of the project before a command, where that is possible.
pub(super) async fn keep_project(context: &Context) -> Option<NoteChanges> {
    let (changes, cwd) = (context.ports.changes.clone()?, context.cwd.clone());
    let home = context.home().map(Path::to_owned);
    let scope = move || changes.before(ChangeScope::Project { cwd: &cwd, home: home.as_deref() });
    tokio::task::spawn_blocking(scope).await.ok()
}

/// Notes what a command has changed.
pub(super) async fn note_changes(kept: Option<NoteChanges>) {
    if let Some(note_changes) = kept {
        // A panic there is not the command's fault.
        let _ = tokio::task::spawn_blocking(note_changes).await;
    }
}

struct BashRun {
    command: String,
    exception: Option<SandboxException>,
    timeout: Duration,
    cwd: PathBuf,
    context: Context,
}

impl BashRun {
    async fn run(self, mut follower: RunContext) -> Outcome {
        if !self.cwd.is_dir() {
            return Outcome::failed(format!("the directory {} no longer exists", self.cwd.display()));
        }
        // A command that only looks leaves nothing to undo.
        let kept = if follower.only_looks { None } else { keep_project(&self.context).await };
        let confinement = follower.confinement.clone().with(self.exception.as_ref());
        let request = CommandRequest { command: &self.command, cwd: &self.cwd, environment: &self.context.environment };
        let mut command = match confinement.command(request) {
            Ok(command) => command,
            Err(error) => return Outcome::failed(notes::not_confined(&error)),
        };
        let environment = environment::of_child(&self.context.environment, confinement.level);
        let (backend, profile) = (command.backend, command.profile.take());
        let mut watch = std::mem::take(&mut command.watch);
        let mut running = match process::start(command, &self.cwd, environment) {
            Ok(running) => running,
            Err(error) => return Outcome::failed(format!("cannot start bash: {error}")),
        };
        let mut transcript = CommandTranscript::new(&self.context);
        let finished =
            running.finish(self.timeout, &follower.cancel, |bytes| transcript.push(bytes, &mut *follower.output)).await;
        let settled = watch.settle();
        note_changes(kept).await;
        let applied = finished.report.as_ref().map_or(Some(Applied::NONE), |report| report.applied(backend));
        let output = transcript.finish();
        let Some(applied) = applied else { return Outcome::failed(notes::not_started(&finished, &output)) };
        let _ = follower.applied.set(applied);
        let said = self.words(&finished);
        let mut text = if output.is_empty() { format!("{said}, no output") } else { format!("{said}\n{output}") };
        let weaker = applied.weakness(confinement.level).map(str::to_owned);
        let denied = notes::after(&finished, &output, applied, profile.as_ref());
        for note in weaker.into_iter().chain(denied).chain(settled) {
            text.push_str(&format!("\n[{note}]"));
        }
        match finished.ending {
            ProcessEnding::Exited(status) if status.success() => Outcome::done(text),
            ProcessEnding::Exited(_) | ProcessEnding::TimedOut | ProcessEnding::Cancelled => Outcome::failed(text),
        }
    }

    fn words(&self, finished: &FinishedCommand) -> String {
        let ending = match finished.ending {
            ProcessEnding::Exited(status) => process::status(status),
            ProcessEnding::TimedOut => {
                format!("stopped after {} s (ask for more with timeout)", self.timeout.as_secs())
            }
            ProcessEnding::Cancelled => "stopped by the user".to_owned(),
        };
        if finished.report.as_ref().is_some_and(|report| report.ended_others) {
            return format!("{ending}; its background processes were ended");
        }
        match finished.left_running {
            true => format!("{ending}; its background processes are still running, their output is not captured"),
            false => ending,
        }
    }
}
