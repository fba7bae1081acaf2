//! `bash`: runs a command in a process group of its own.

mod environment;
mod process;
#[cfg(test)]
mod tests;
mod transcript;

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Context, Prepared, Preview, RunContext, Tool, arguments};
use crate::chat::{Outcome, ToolKind, ToolSpec};
use crate::guard::Intent;
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
}

pub(super) struct Bash(pub(super) Timeouts);

impl Tool for Bash {
    fn spec(&self) -> ToolSpec {
        let Timeouts { usual, longest } = self.0;
        arguments::spec::<Arguments>(
            "bash",
            &format!(
                "Run a command with bash -c in the user's directory and environment, in a process of its own: no terminal, no \
                 input, and cd or export do not last. Returns exit code and output. Stopped after {} s, at most {} s.",
                usual.as_secs(),
                longest.as_secs()
            ),
        )
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Run
    }

    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String> {
        let Arguments { command, timeout } = arguments::read(arguments)?;
        check(&command)?;
        let Timeouts { usual, longest } = self.0;
        let timeout = timeout.map_or(usual, |seconds| Duration::from_secs(seconds.max(1))).min(longest);
        let cwd = context.cwd.clone();
        let run = BashRun { command: command.clone(), timeout, cwd: cwd.clone(), context: context.clone() };
        Ok(Prepared {
            title: title(&command),
            intent: Intent::Run { command: command.clone(), cwd: cwd.clone() },
            preview: Some(Preview::Command { command, cwd }),
            run: Box::new(|context| Box::pin(run.run(context))),
        })
    }
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

struct BashRun {
    command: String,
    timeout: Duration,
    cwd: PathBuf,
    context: Context,
}

impl BashRun {
    async fn run(self, mut follower: RunContext) -> Outcome {
        if !self.cwd.is_dir() {
            return Outcome::failed(format!("the directory {} no longer exists", self.cwd.display()));
        }
        let environment = environment::of_child(&self.context.environment);
        let mut running = match process::start(&self.command, &self.cwd, environment) {
            Ok(running) => running,
            Err(error) => return Outcome::failed(format!("cannot start bash: {error}")),
        };
        let mut transcript = CommandTranscript::new(&self.context);
        let finished =
            running.finish(self.timeout, &follower.cancel, |bytes| transcript.push(bytes, &mut *follower.output)).await;
        let said = self.words(&finished);
        let output = transcript.finish();
        let text = if output.is_empty() { format!("{said}, no output") } else { format!("{said}\n{output}") };
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
        match finished.left_running {
            true => format!("{ending}; its background processes are still running, their output is not captured"),
            false => ending,
        }
    }
}
