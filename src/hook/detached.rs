//! Hooks at the end of a session, which nobody waits for.
//!
//! shellmate ends with the shell. Hooks that run then belong to a helper process, which is shellmate itself under a hidden name. It reads
//! what to run from its standard input, ends each hook after its time, and exits. The person's terminal is closed for it.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::commands::{HookCommand, HookRun, HookSet};
use super::event::HookEvent;

/// The argument that makes shellmate the helper.
pub(crate) const HELPER: &str = "__shellmate-run-hooks";
/// The largest order, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;

/// What the helper is to do.
#[derive(Debug, Serialize, Deserialize)]
struct DetachedOrder {
    hooks: Vec<HookCommand>,
    project: String,
    input: Value,
}

impl HookSet {
    /// Starts the hooks at the end of a session and does not wait for them.
    pub(crate) fn run_detached(&self, reason: &str, place: &HookRun) -> io::Result<()> {
        let event = HookEvent::SessionEnd;
        let hooks: Vec<HookCommand> = self.matching(event, &[reason]).into_iter().cloned().collect();
        if hooks.is_empty() {
            return Ok(());
        }
        let fields = Map::from_iter([("reason".to_owned(), Value::from(reason))]);
        let project = place.project.to_string_lossy().into_owned();
        let order = serde_json::to_vec(&DetachedOrder { hooks, project, input: place.input(event, fields) })?;
        start_helper(&std::env::current_exe()?, &order, place)
    }
}

fn start_helper(program: &Path, order: &[u8], place: &HookRun) -> io::Result<()> {
    let mut helper = Command::new(program);
    helper.arg(HELPER).env_clear().envs(place.environment.iter().cloned());
    // A directory that is gone must not keep the hooks from running.
    helper.current_dir(if place.cwd.is_dir() { place.cwd.as_path() } else { Path::new("/") });
    helper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    std::os::unix::process::CommandExt::process_group(&mut helper, 0);
    let mut helper = helper.spawn()?;
    match helper.stdin.take() {
        Some(mut stdin) => stdin.write_all(order),
        None => Ok(()),
    }
}

/// Runs as the helper. Returns the exit code.
pub(crate) fn run_helper() -> u8 {
    let mut text = Vec::new();
    let order: Option<DetachedOrder> = match io::stdin().lock().take(LARGEST).read_to_end(&mut text) {
        Ok(_) => serde_json::from_slice(&text).ok(),
        Err(_) => None,
    };
    let (Some(order), Ok(runtime)) = (order, tokio::runtime::Builder::new_current_thread().enable_all().build()) else {
        return 1;
    };
    let place = HookRun {
        session: String::new(),
        cwd: std::env::current_dir().unwrap_or_default(),
        project: Path::new(OsStr::new(&order.project)).to_owned(),
        permission_mode: "default",
        environment: Arc::new(std::env::vars_os().collect()),
        conversation: None,
    };
    let input = order.input.to_string();
    runtime.block_on(join_all(order.hooks.iter().map(|hook| place.run(hook, &input))));
    0
}
