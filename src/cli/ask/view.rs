//! The context of `ask`: directory, environment and the last commands of this terminal.

use std::path::Path;
use std::time::SystemTime;

use crate::agent::{Happened, ShellView};
use crate::config::Paths;
use crate::store::{Filter, History, StoreError};

/// How many commands of this terminal are sent.
const NEWEST: usize = 20;

/// The shell as it is now. Inside a session it includes the last commands. If the history cannot be read, `tell` gets the reason.
pub(super) fn now(paths: &Paths, tell: impl Fn(String)) -> ShellView {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let shell = variable("SHELL").unwrap_or_default();
    let host = nix::unistd::gethostname().map(|name| name.to_string_lossy().into_owned());
    let session = super::super::this_session(paths).map(|(id, _)| id).zip(paths.history_db());
    let happened = session.map(|(session, database)| recent(&database, session)).unwrap_or(Ok(Vec::new()));
    let happened = happened.unwrap_or_else(|error| {
        tell(format!("{error}; the model does not see what you ran"));
        Vec::new()
    });
    ShellView {
        at: SystemTime::now(),
        cwd: super::super::working_directory(),
        environment: std::env::vars_os().collect(),
        shell: shell.rsplit('/').next().unwrap_or_default().to_owned(),
        host: host.unwrap_or_default(),
        user: variable("USER").or_else(|| variable("LOGNAME")).unwrap_or_default(),
        last: happened.last().cloned(),
        happened,
        screen: None,
        columns: None,
    }
}

fn recent(database: &Path, session: String) -> Result<Vec<Happened>, StoreError> {
    let history = History::open(database)?;
    let entries = history.list(&Filter { session: Some(session), limit: Some(NEWEST), ..Filter::default() })?;
    let mut happened = Vec::new();
    for entry in entries {
        happened.extend(history.get(entry.id)?.and_then(Happened::stored));
    }
    Ok(happened)
}
