//! Keeps the state of files before the agent changes them, and notes what it changed.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::contents::ContentStore;
use super::ledger::{Ledger, PathChange};
use super::scan::{ScanLimits, ScannedChange, TreeIndex, project_of};
use super::state::{Observer, PathState};
use crate::store::{ConversationLog, QueryId};
use crate::text::spelled;
use crate::tool::{ChangeKeeper, ChangeScope, NoteChanges};

/// Keeps files for all conversations of a session. Clones share everything.
#[derive(Debug, Clone)]
pub(crate) struct UndoKeeper {
    shared: Arc<KeeperShared>,
}

#[derive(Debug)]
struct KeeperShared {
    store: ContentStore,
    /// Directories that are never scanned: shellmate's own.
    private: Vec<PathBuf>,
    trees: Mutex<HashMap<PathBuf, Arc<Mutex<Tree>>>>,
    /// What the person has been told in this session.
    told: Mutex<HashSet<String>>,
    /// Scans after calls that are still at work.
    finishing: Mutex<usize>,
    finished: Condvar,
}

/// What is known about a project.
#[derive(Debug, Default)]
struct Tree {
    index: Option<Arc<TreeIndex>>,
    /// What the person is told if the project is too large.
    too_large: Option<String>,
}

/// The keeper for one query.
pub(crate) struct QueryKeeper {
    keeper: UndoKeeper,
    query: QueryId,
    ledger: Arc<Ledger>,
    log: ConversationLog,
    tell: Arc<dyn Fn(String) + Send + Sync>,
}

impl UndoKeeper {
    pub(crate) fn new(store: ContentStore, private: Vec<PathBuf>) -> UndoKeeper {
        let shared = KeeperShared {
            store,
            private,
            trees: Mutex::default(),
            told: Mutex::default(),
            finishing: Mutex::default(),
            finished: Condvar::new(),
        };
        UndoKeeper { shared: Arc::new(shared) }
    }

    /// The keeper for a query of a conversation. `tell` shows one line to the person.
    pub(crate) fn for_query(
        &self,
        query: QueryId,
        ledger: Arc<Ledger>,
        log: ConversationLog,
        tell: impl Fn(String) + Send + Sync + 'static,
    ) -> QueryKeeper {
        QueryKeeper { keeper: self.clone(), query, ledger, log, tell: Arc::new(tell) }
    }

    pub(crate) fn store(&self) -> &ContentStore {
        &self.shared.store
    }

    /// Waits until the changes of calls that are over are noted, at the latest until `patience` is over. Blocks.
    pub(crate) fn settle(&self, patience: Duration) {
        let finishing = lock(&self.shared.finishing);
        let _ = self.shared.finished.wait_timeout_while(finishing, patience, |count| *count > 0);
    }

    fn tree(&self, root: &Path) -> Arc<Mutex<Tree>> {
        Arc::clone(lock(&self.shared.trees).entry(root.to_owned()).or_default())
    }

    /// Scans a project before a command. The error is for the person.
    fn scan_before(&self, root: &Path) -> Result<Arc<TreeIndex>, String> {
        let tree = self.tree(root);
        let mut tree = lock(&tree);
        if let Some(words) = &tree.too_large {
            return Err(words.clone());
        }
        let covers_edits =
            |why: &str| format!("what commands change here cannot be undone: {why}; `/undo` covers edits only");
        let KeeperShared { store, private, .. } = &*self.shared;
        let mut observer = Observer::new(store);
        let known = tree.index.take();
        let limits = ScanLimits::before(store.room());
        let scanned = TreeIndex::scan(root, private, known.as_deref(), limits, &mut observer);
        let index = Arc::new(scanned.map_err(|why| tree.too_large.insert(covers_edits(&why.to_string())).clone())?);
        observer.commit().map_err(|error| covers_edits(&format!("{}: {error}", store.directory().display())))?;
        tree.index = Some(Arc::clone(&index));
        Ok(index)
    }

    /// Finds out what a command has changed, and what the person must know about it.
    fn scan_after(&self, root: &Path, before: &TreeIndex) -> (Vec<ScannedChange>, Option<String>) {
        let tree = self.tree(root);
        let mut tree = lock(&tree);
        let KeeperShared { store, private, .. } = &*self.shared;
        let mut observer = Observer::new(store);
        let (changes, words) = match TreeIndex::scan(root, private, Some(before), ScanLimits::AFTER, &mut observer) {
            Ok(after) => {
                let changes = before.changes_to(&after, &mut observer);
                tree.index = Some(Arc::new(after));
                (changes, None)
            }
            Err(_) => {
                let words = "the command created too many files; `/undo` will not remove them";
                (before.changes_of_known(&mut observer), Some(words.to_owned()))
            }
        };
        if let Err(error) = observer.commit() {
            // What was there before the command is kept. What it wrote is not, so nothing may rely on it.
            tracing::warn!(%error, "the files that a command wrote are not kept");
            tree.index = None;
        }
        (changes, words)
    }
}

impl QueryKeeper {
    /// Says something once in a session.
    fn tell_once(&self, words: String) {
        if lock(&self.keeper.shared.told).insert(words.clone()) {
            (self.tell)(words);
        }
    }

    fn before_file(&self, path: &Path) -> NoteChanges {
        // The nearest directory that exists comes last.
        let mut observer = Observer::new(self.keeper.store());
        let above = path.ancestors().skip(1);
        let missing: Vec<PathBuf> =
            above.take_while(|path| observer.look(path) == PathState::Absent).map(Path::to_owned).collect();
        let mut kept: Vec<(PathBuf, PathState)> =
            missing.into_iter().rev().map(|path| (path, PathState::Absent)).collect();
        kept.push((path.to_owned(), observer.look(path)));
        if let Err(error) = observer.commit() {
            self.tell_once(format!("changes cannot be undone: {}: {error}", self.keeper.store().directory().display()));
        }
        let (keeper, query) = (self.keeper.clone(), self.query);
        let (ledger, log) = (Arc::clone(&self.ledger), self.log.clone());
        Box::new(move || {
            let mut observer = Observer::new(keeper.store());
            let after = kept.into_iter().map(|(path, before)| {
                let after = observer.look(&path);
                PathChange::new(query, path, before, after)
            });
            let changes = after.filter(|change| change.before != change.after).collect();
            if let Err(error) = observer.commit() {
                tracing::warn!(%error, "a file that the agent wrote is not kept");
            }
            ledger.add(changes, &log);
        })
    }

    fn before_command(&self, cwd: &Path, home: Option<&Path>) -> NoteChanges {
        let Some(root) = project_of(cwd, home) else {
            self.ledger.leave_out(format!(
                "what commands changed in {} is not known: it is not the directory of a project",
                spelled(&cwd.to_string_lossy())
            ));
            return Box::new(|| ());
        };
        match self.keeper.scan_before(&root) {
            Err(words) => {
                self.ledger.leave_out(words.clone());
                self.tell_once(words);
                Box::new(|| ())
            }
            Ok(before) => {
                let pending = PendingNote {
                    keeper: self.keeper.clone(),
                    query: self.query,
                    ledger: Arc::clone(&self.ledger),
                    log: self.log.clone(),
                    tell: Arc::clone(&self.tell),
                    root,
                    before,
                };
                let watch = TreeWatch(Some(pending));
                Box::new(move || watch.finish())
            }
        }
    }
}

impl ChangeKeeper for QueryKeeper {
    fn before(&self, scope: ChangeScope<'_>) -> NoteChanges {
        match scope {
            ChangeScope::File(path) => self.before_file(path),
            ChangeScope::Project { cwd, home } => self.before_command(cwd, home),
        }
    }

    fn keeps(&self, scope: ChangeScope<'_>) -> bool {
        match scope {
            ChangeScope::File(_) => true,
            ChangeScope::Project { cwd, home } => project_of(cwd, home).is_some(),
        }
    }
}

/// A running command in a project. If it is dropped, a thread notes what the command has changed.
struct TreeWatch(Option<PendingNote>);

/// What is needed to note the changes of a command.
struct PendingNote {
    keeper: UndoKeeper,
    query: QueryId,
    ledger: Arc<Ledger>,
    log: ConversationLog,
    tell: Arc<dyn Fn(String) + Send + Sync>,
    root: PathBuf,
    before: Arc<TreeIndex>,
}

impl PendingNote {
    fn note(self) {
        let (changes, words) = self.keeper.scan_after(&self.root, &self.before);
        let changes = changes
            .into_iter()
            .map(|ScannedChange { path, before, after }| PathChange::new(self.query, path, before, after));
        self.ledger.add(changes.collect(), &self.log);
        words.into_iter().for_each(|words| (self.tell)(words));
    }
}

impl TreeWatch {
    fn finish(mut self) {
        if let Some(pending) = self.0.take() {
            let _counted = FinishingScan::count(&pending.keeper);
            pending.note();
        }
    }
}

impl Drop for TreeWatch {
    fn drop(&mut self) {
        let Some(pending) = self.0.take() else { return };
        let counted = FinishingScan::count(&pending.keeper);
        let work = move || {
            let _counted = counted;
            pending.note();
        };
        if let Err(error) = thread::Builder::new().name("undo".to_owned()).spawn(work) {
            tracing::warn!(%error, "the changes of a stopped command are not noted");
        }
    }
}

/// Counts a scan until it is dropped.
struct FinishingScan(Arc<KeeperShared>);

impl FinishingScan {
    fn count(keeper: &UndoKeeper) -> FinishingScan {
        *lock(&keeper.shared.finishing) += 1;
        FinishingScan(Arc::clone(&keeper.shared))
    }
}

impl Drop for FinishingScan {
    fn drop(&mut self) {
        *lock(&self.0.finishing) -= 1;
        self.0.finished.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
