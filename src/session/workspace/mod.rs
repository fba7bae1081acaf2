//! The session's private directory: its lock, the directive FIFO, the integration script and the spill files.
//!
//! The loop only gives tasks; a thread works on the files, in the order of the tasks. So a directive is sent after its command
//! was written, and the environment is read before the hook continues and may write it again.

mod files;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use tokio::sync::oneshot;

use crate::config::{Paths, private_dir};
use crate::host::ShellKind;
use crate::input;

use super::errands::{Done, Reporter};
use super::worker::{Tasks, Worker};
use files::Files;

pub(crate) use files::hosts;
pub(super) use files::random_hex;

/// Exported variables.
pub(super) type Environment = Vec<(OsString, OsString)>;

/// The shell's exported variables, which another thread reads. Getting them waits, so the loop must not.
#[derive(Debug)]
pub(super) struct Exported(oneshot::Receiver<Environment>);

impl Exported {
    /// The shell's exported variables, or this process's own if they are unknown.
    pub(super) async fn read(self) -> Environment {
        self.0.await.unwrap_or_else(|_| std::env::vars_os().collect())
    }

    /// Variables that are already known.
    #[cfg(test)]
    pub(super) fn known(environment: Environment) -> Exported {
        let (known, exported) = oneshot::channel();
        let _ = known.send(environment);
        Exported(exported)
    }

    /// The same, for a thread that does nothing else.
    pub(super) fn wait(self) -> Environment {
        self.0.blocking_recv().unwrap_or_else(|_| std::env::vars_os().collect())
    }
}

/// The directory, locked while the session runs.
pub(super) struct Workspace {
    directory: PathBuf,
    fifo: PathBuf,
    state: WorkspaceState,
}

enum WorkspaceState {
    /// Before the first task: a tab that is starting needs no thread.
    Idle(Box<Keeper>),
    Working(Worker<Task>),
    /// No thread could be started: tasks are dropped.
    Lost,
}

/// The state of the thread.
struct Keeper {
    files: Files,
    reporter: Reporter,
    /// The shell whose hooks are restored with the directory, and the terminal it runs on.
    shell: ShellKind,
    terminal: Option<PathBuf>,
    /// The file of earlier queries.
    queries: Option<PathBuf>,
    /// Whether the person was told that the directory cannot be created again.
    is_cut_off: bool,
    /// The exported variables when the hook last wrote them.
    exported: Option<Environment>,
}

enum Task {
    Direct(String),
    DirectAnew(String),
    ForgetOldFifos,
    WriteCommand(String),
    RemoveCommand,
    AskForNonce,
    HasNonce,
    Mend,
    Environment(oneshot::Sender<Environment>),
    Remove(Vec<PathBuf>),
    LoadQueries,
    KeepQuery(String),
    Withdraw,
}

impl Workspace {
    pub(super) fn create(paths: &Paths, session: &str, shell: ShellKind, reporter: Reporter) -> io::Result<Workspace> {
        let files = Files::create(paths, session)?;
        let (directory, fifo) = (files.directory().to_owned(), files.fifo().to_owned());
        let queries = paths.query_history();
        let keeper = Keeper { files, reporter, shell, terminal: None, queries, is_cut_off: false, exported: None };
        Ok(Workspace { directory, fifo, state: WorkspaceState::Idle(Box::new(keeper)) })
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(super) fn fifo(&self) -> &Path {
        &self.fifo
    }

    /// Notes the shell's terminal, so that a second shellmate on the same terminal can find out. Only for the start of a session.
    pub(super) fn note_terminal(&mut self, terminal: PathBuf) {
        if let WorkspaceState::Idle(keeper) = &mut self.state {
            keeper.files.note_terminal(&terminal);
            keeper.terminal = Some(terminal);
        }
    }

    /// Sends one line to the waiting hook.
    pub(super) fn direct(&mut self, directive: String) {
        self.give(Task::Direct(directive));
    }

    /// Sends one line through a new FIFO, because another program may be reading the old one.
    pub(super) fn direct_anew(&mut self, directive: String) {
        self.give(Task::DirectAnew(directive));
    }

    /// The hook has received the line.
    pub(super) fn forget_old_fifos(&mut self) {
        self.give(Task::ForgetOldFifos);
    }

    /// Writes a command for the hook to its file. A failure is reported as `Done::NotHanded`.
    pub(super) fn write_command(&mut self, command: String) {
        self.give(Task::WriteCommand(command));
    }

    /// The command has run, or will not run.
    pub(super) fn remove_command(&mut self) {
        self.give(Task::RemoveCommand);
    }

    /// Asks the hook for another nonce before the next prompt.
    pub(super) fn ask_for_nonce(&mut self) {
        self.give(Task::AskForNonce);
    }

    /// The hook has chosen a nonce.
    pub(super) fn has_nonce(&mut self) {
        self.give(Task::HasNonce);
    }

    /// Creates the directory again if it was deleted. A failure is shown once, as a notice.
    pub(super) fn mend(&mut self) {
        self.give(Task::Mend);
    }

    /// The shell's environment, as the hook has written it before this call.
    pub(super) fn environment(&mut self) -> Exported {
        let (reply, exported) = oneshot::channel();
        self.give(Task::Environment(reply));
        Exported(exported)
    }

    /// Deletes files that are no longer needed.
    pub(super) fn remove(&mut self, files: Vec<PathBuf>) {
        self.give(Task::Remove(files));
    }

    /// Reads the queries of earlier conversations; the result is `Done::Queries`.
    pub(super) fn load_queries(&mut self) {
        self.give(Task::LoadQueries);
    }

    /// Keeps a query for later conversations.
    pub(super) fn keep_query(&mut self, query: String) {
        self.give(Task::KeepQuery(query));
    }

    /// Deletes the FIFO: a waiting hook continues, and no hook waits any more.
    pub(super) fn withdraw(&mut self) {
        self.give(Task::Withdraw);
    }

    fn give(&mut self, task: Task) {
        self.state = match std::mem::replace(&mut self.state, WorkspaceState::Lost) {
            WorkspaceState::Idle(mut keeper) => match Worker::start("workspace", move |tasks| keeper.work(&tasks)) {
                Ok(worker) => WorkspaceState::Working(worker),
                Err(error) => {
                    tracing::error!(%error, "the private directory has no thread");
                    WorkspaceState::Lost
                }
            },
            state => state,
        };
        if let WorkspaceState::Working(worker) = &self.state {
            worker.give(task);
        }
    }
}

impl Drop for Workspace {
    /// Waits for the thread, which deletes everything in the directory except spill files.
    fn drop(&mut self) {
        if let WorkspaceState::Working(worker) = std::mem::replace(&mut self.state, WorkspaceState::Lost) {
            worker.finish();
        }
    }
}

impl Keeper {
    fn work(&mut self, tasks: &Tasks<Task>) {
        while let Some(task) = tasks.next() {
            match task {
                Task::Direct(line) => self.files.direct(&line),
                Task::DirectAnew(line) => self.files.direct_anew(&line),
                Task::ForgetOldFifos => self.files.forget_old_fifos(),
                Task::WriteCommand(command) => {
                    if let Err(error) = self.files.write_command(&command) {
                        self.reporter.report(Done::NotHanded(error));
                    }
                }
                Task::RemoveCommand => self.files.remove_command(),
                Task::AskForNonce => self.files.ask_for_nonce(),
                Task::HasNonce => self.files.has_nonce(),
                Task::Mend => self.mend(),
                Task::Environment(reply) => drop(reply.send(self.environment())),
                Task::Remove(files) => files.iter().for_each(|file| drop(std::fs::remove_file(file))),
                Task::LoadQueries => self.load_queries(),
                Task::KeepQuery(query) => self.keep_query(&query),
                Task::Withdraw => self.files.withdraw(),
            }
        }
    }

    fn mend(&mut self) {
        match self.files.mend() {
            Ok(false) => self.is_cut_off = false,
            Ok(true) => {
                self.is_cut_off = false;
                if let Err(error) = crate::host::restore(self.shell, self.files.directory()) {
                    tracing::warn!(%error, "the rest of the hooks was not written again");
                }
                self.terminal.iter().for_each(|terminal| self.files.note_terminal(terminal));
            }
            Err(error) if !std::mem::replace(&mut self.is_cut_off, true) => {
                let place = self.files.directory().display();
                let words =
                    format!("{place} was deleted and cannot be made again, so no questions can be asked: {error}");
                self.reporter.report(Done::Notice(words));
            }
            Err(_) => {}
        }
    }

    fn load_queries(&self) {
        let Some(path) = &self.queries else { return };
        match input::read_queries(path) {
            Ok(queries) => self.reporter.report(Done::Queries(queries)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!(%error, "the history of queries was not read"),
        }
    }

    fn keep_query(&self, query: &str) {
        let Some(path) = self.queries.as_ref().filter(|_| !self.files.is_paused()) else { return };
        // The history of commands creates the same directory, but perhaps later.
        let made = path.parent().map_or(Ok(()), private_dir);
        if let Err(error) = made.and_then(|()| input::keep_query(path, query)) {
            tracing::warn!(%error, "the query was not added to the history");
        }
    }

    /// The shell's exported variables, as the hook has written them last; this process's own if it could not.
    fn environment(&mut self) -> Environment {
        if let Some(bytes) = self.files.environment() {
            self.exported = Some(files::variables(&bytes));
        }
        self.exported.clone().unwrap_or_else(|| std::env::vars_os().collect())
    }
}
