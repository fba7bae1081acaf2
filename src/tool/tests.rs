//! Helpers for the tests of all tools.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Asker, Context, Ports, Prepared, RunContext, Seen, ShellPort, Tool};
use crate::chat::Outcome;
use crate::guard::{Confinement, Redactor};

/// A home directory with a shell in `~/app`.
pub(super) struct Home {
    directory: tempfile::TempDir,
    root: PathBuf,
    seen: Seen,
    ports: Ports,
}

impl Home {
    pub(super) fn new() -> Home {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        fs::create_dir(root.join("app")).unwrap();
        Home { directory, root, seen: Seen::default(), ports: Ports::default() }
    }

    pub(super) fn with_shell(mut self, shell: Arc<dyn ShellPort>) -> Home {
        self.ports.shell = Some(shell);
        self
    }

    pub(super) fn with_asker(mut self, asker: Arc<dyn Asker>) -> Home {
        self.ports.asker = Some(asker);
        self
    }

    pub(super) fn context(&self) -> Context {
        let path = std::env::var_os("PATH").unwrap();
        Context {
            cwd: self.path("app"),
            environment: vec![("HOME".into(), self.root.clone().into()), ("PATH".into(), path)],
            spill: self.path("spill"),
            history: None,
            seen: self.seen.clone(),
            redactor: Redactor::default(),
            ports: self.ports.clone(),
        }
    }

    pub(super) fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        assert!(self.directory.path().exists());
        self.root.join(below)
    }

    pub(super) fn write(&self, below: &str, content: impl AsRef<[u8]>) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(super) fn read(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).unwrap()
    }

    pub(super) fn prepare(&self, tool: &dyn Tool, arguments: Value) -> Result<Prepared, String> {
        tool.prepare(&arguments, &self.context())
    }

    /// Prepares and runs a call. An error of `prepare` counts as a failed call.
    pub(super) fn call(&self, tool: &dyn Tool, arguments: Value) -> Outcome {
        match self.prepare(tool, arguments) {
            Ok(prepared) => finish(prepared),
            Err(message) => Outcome::failed(message),
        }
    }

    /// The text of a call that must succeed.
    pub(super) fn done(&self, tool: &dyn Tool, arguments: Value) -> String {
        match self.call(tool, arguments) {
            Outcome::Done { text, .. } => text,
            Outcome::Failed { message } => panic!("{message}"),
        }
    }

    /// The message of a call that must fail.
    pub(super) fn failed(&self, tool: &dyn Tool, arguments: Value) -> String {
        match self.call(tool, arguments) {
            Outcome::Done { text, .. } => panic!("{text}"),
            Outcome::Failed { message } => message,
        }
    }
}

/// Runs a call to its end on a new runtime.
pub(super) fn finish(prepared: Prepared) -> Outcome {
    runtime().block_on((prepared.run)(run_context(Box::new(|_| {}), CancellationToken::new())))
}

fn run_context(output: Box<dyn FnMut(&str) + Send>, cancel: CancellationToken) -> RunContext {
    RunContext { output, cancel, confinement: Confinement::default(), only_looks: false, applied: Arc::default() }
}

pub(super) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// A run context whose output can be received.
pub(super) fn followed() -> (RunContext, Receiver<String>, CancellationToken) {
    let (sender, heard): (Sender<String>, _) = channel();
    let cancel = CancellationToken::new();
    let output = Box::new(move |text: &str| drop(sender.send(text.to_owned())));
    (run_context(output, cancel.clone()), heard, cancel)
}
