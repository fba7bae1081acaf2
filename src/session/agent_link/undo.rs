//! Carries out `/undo`, `/redo` and `/diff`, and offers an undo after `/rewind`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::agent::{ShellView, queries, shown_path};
use crate::render::UnifiedDiff;
use crate::session::prompt::Confirmation;
use crate::store::{QueryId, StoredEntry};
use crate::text::{KIB, human, spelled};
use crate::undo::{Ledger, LeftBecause, PathDifference, UndoKeeper, UndoPlan, UndoScope, conversation_changes};

use super::News;
use super::orders::AgentThread;
use super::slash::SlashError;

/// The most paths that a question or an answer lists.
const LISTED: usize = 40;
/// The most files that `/diff` shows.
const SHOWN_FILES: usize = 200;
/// The most bytes of diffs that `/diff` shows.
const SHOWN_DIFFS: usize = 256 * KIB;
/// The most bytes of diffs of paths that have changed since the agent wrote them.
const SHOWN_CONFLICTS: usize = 16 * KIB;
/// How long a command waits until the changes of a stopped call are noted.
const SETTLING: Duration = Duration::from_secs(10);

const OFF: &str = "changes are not kept here, so they cannot be undone (`undo.enabled`)";

/// Whether `/diff` shows lines, or only their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum DiffForm {
    Lines,
    Stat,
}

impl DiffForm {
    pub(super) fn read(rest: &str) -> Result<DiffForm, SlashError> {
        match rest {
            "" => Ok(DiffForm::Lines),
            "--stat" | "stat" => Ok(DiffForm::Stat),
            _ => Err(SlashError::UnknownDiffForm(rest.to_owned())),
        }
    }
}

/// What the changes of a conversation are read from and written to.
struct Workshop {
    keeper: UndoKeeper,
    ledger: Arc<Ledger>,
    log: crate::store::ConversationLog,
}

impl AgentThread {
    /// `/undo`: takes back what the last queries changed.
    pub(super) async fn undo(&mut self, wanted: usize, view: &ShellView) -> String {
        let Some(plan) = self.plan(Wanted::Last(wanted)).await else { return OFF.to_owned() };
        if plan.is_empty() && plan.left.is_empty() {
            return self.with_left_out("nothing to undo: the agent has changed no file in this conversation");
        }
        let heading = match plan.queries {
            queries if queries < wanted && queries > 1 => {
                format!("only {queries} questions changed files; undo their changes?")
            }
            1 if wanted > 1 => "only one question changed files; undo its changes?".to_owned(),
            1 => "undo the last changes?".to_owned(),
            queries => format!("undo the changes of the last {queries} questions that changed files?"),
        };
        self.confirm_and_carry_out(plan, &heading, "/redo", view).await
    }

    /// `/redo`: makes the changes again that the last `/undo` took back.
    pub(super) async fn redo(&mut self, view: &ShellView) -> String {
        let Some(plan) = self.plan(Wanted::Redo).await else { return OFF.to_owned() };
        if plan.is_empty() && plan.left.is_empty() {
            return "nothing to redo: nothing was undone in this conversation".to_owned();
        }
        self.confirm_and_carry_out(plan, "redo what the last `/undo` took back?", "/undo", view).await
    }

    /// Offers to undo the changes of questions that were taken back. Returns words if there were any.
    pub(super) async fn offer_undo(&mut self, queries: Vec<QueryId>, view: &ShellView) -> Option<String> {
        let plan = self.plan(Wanted::Queries(queries)).await.filter(|plan| !plan.is_empty())?;
        Some(self.confirm_and_carry_out(plan, "undo the file changes of these questions too?", "/redo", view).await)
    }

    /// `/diff`: shows what the agent changed in this conversation.
    pub(super) async fn diff(&mut self, form: DiffForm, view: &ShellView) -> String {
        let Some(workshop) = self.workshop() else { return OFF.to_owned() };
        let view = view.clone();
        let diffs = blocking(move || {
            workshop.keeper.settle(SETTLING);
            let changes = conversation_changes(&workshop.ledger, workshop.keeper.store());
            let mut room = SHOWN_DIFFS;
            let mut shown = |diff: PathDifference| {
                let is_shown = form == DiffForm::Lines && diff.text.len() <= room;
                let text = if is_shown { diff.text } else { String::new() };
                room -= text.len();
                let is_left_out = form == DiffForm::Lines && !is_shown;
                let notes = diff.notes.into_iter().chain(is_left_out.then(|| "too long to be shown".to_owned()));
                (diff.added, diff.removed, text, notes.collect::<Vec<_>>().join(", "))
            };
            let diffs = changes.into_iter().map(|change| {
                let (added, removed, text, notes) = shown(change.difference);
                UnifiedDiff { path: display(&change.path, &view), added, removed, notes, text }
            });
            diffs.collect::<Vec<_>>()
        })
        .await;
        let Some(mut diffs) = diffs.filter(|diffs| !diffs.is_empty()) else {
            return self.with_left_out("the agent has changed no file in this conversation");
        };
        let files = counted(diffs.len(), "file");
        let (added, removed) =
            diffs.iter().fold((0, 0), |(added, removed), diff| (added + diff.added, removed + diff.removed));
        diffs.truncate(SHOWN_FILES);
        self.link.say(News::Diff(diffs));
        let words = format!("{files} changed, +{added} −{removed}; `> /undo` takes the last question's changes back");
        self.with_left_out(&words)
    }

    /// The changes of a conversation that goes on, with those that its entries name.
    pub(super) fn recorded_changes(&self, id: i64, entries: &[StoredEntry]) -> Arc<Ledger> {
        let read = self.setup.conversations.conversations();
        let read = read.map(|conversations| conversations?.changes(id, &queries(entries)));
        let changes = read.transpose().unwrap_or_else(|error| {
            tracing::warn!(%error, "the changes of a conversation cannot be read");
            None
        });
        Arc::new(Ledger::restore(changes.unwrap_or_default()))
    }

    async fn plan(&self, wanted: Wanted) -> Option<UndoPlan> {
        let workshop = self.workshop()?;
        blocking(move || {
            workshop.keeper.settle(SETTLING);
            let scope = match &wanted {
                Wanted::Last(queries) => UndoScope::Last(*queries),
                Wanted::Queries(queries) => UndoScope::Queries(queries),
                Wanted::Redo => UndoScope::Redo,
            };
            UndoPlan::new(&workshop.ledger, scope, workshop.keeper.store())
        })
        .await
    }

    /// Asks, and restores what the plan names. `reverse` is the slash command that reverts that.
    async fn confirm_and_carry_out(
        &mut self,
        plan: UndoPlan,
        heading: &str,
        reverse: &str,
        view: &ShellView,
    ) -> String {
        let Some(workshop) = self.workshop() else { return OFF.to_owned() };
        let seen = view.clone();
        let told = blocking(move || {
            let (steps, left) = (steps(&plan, &workshop.keeper, &seen), left(&plan, &workshop.keeper, &seen));
            let conflicts = conflicts(&plan, &workshop.keeper, &seen);
            (plan, workshop, steps, left, conflicts)
        });
        let Some((plan, workshop, steps, left, conflicts)) = told.await else { return CRASHED.to_owned() };
        if !conflicts.is_empty() {
            self.link.say(News::Diff(conflicts));
        }
        if plan.is_empty() {
            return format!("nothing can be restored\n{}", left.join("\n"));
        }
        let text = [heading.to_owned()].into_iter().chain(steps).chain(left).chain(self.ledger.left_out());
        let question = Confirmation { text: text.collect::<Vec<_>>().join("\n"), yes: "yes", no: "no", lasts: false };
        if !self.link.confirm(question).await {
            return "nothing was changed".to_owned();
        }
        let done = blocking(move || plan.carry_out(&workshop.ledger, &workshop.log, workshop.keeper.store()));
        let Some(done) = done.await else { return CRASHED.to_owned() };
        let mut lines = vec![match done.restored.len() {
            0 => "nothing was restored".to_owned(),
            paths => format!("{} restored; `> {reverse}` reverts that", counted(paths, "path")),
        }];
        lines.extend(done.failed.iter().take(LISTED).map(|(path, why)| format!("  {}: {why}", display(path, view))));
        lines.join("\n")
    }

    /// Adds which changes are not known.
    fn with_left_out(&self, words: &str) -> String {
        [words.to_owned()].into_iter().chain(self.ledger.left_out()).collect::<Vec<_>>().join("\n")
    }

    fn workshop(&self) -> Option<Workshop> {
        let keeper = self.setup.keeper.clone()?;
        Some(Workshop { keeper, ledger: Arc::clone(&self.ledger), log: self.log.clone() })
    }
}

/// Which changes are meant.
enum Wanted {
    Last(usize),
    Queries(Vec<QueryId>),
    Redo,
}

const CRASHED: &str = "the undo has crashed; the log may say more";

/// Runs work that waits for the disk.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

/// What would change, one line for each path.
fn steps(plan: &UndoPlan, keeper: &UndoKeeper, view: &ShellView) -> Vec<String> {
    let mut lines = Vec::new();
    for step in plan.steps.iter().take(LISTED) {
        let difference = step.difference(keeper.store());
        lines.push(format!("  {}{}", display(&step.path, view), in_short(&difference)));
    }
    lines.extend(more(plan.steps.len()));
    lines
}

/// What stays as it is, and why. Of a path that has changed since, both differences are named.
fn left(plan: &UndoPlan, keeper: &UndoKeeper, view: &ShellView) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    if !plan.left.is_empty() {
        lines.push("these stay as they are:".to_owned());
    }
    for left in plan.left.iter().take(LISTED) {
        let why = match &left.why {
            LeftBecause::Changed { left, now } => {
                let since = PathDifference::between(left, now, keeper.store());
                format!("it has changed since the agent wrote it{}", in_short(&since))
            }
            LeftBecause::NotKept { size } => format!("its old content was not kept ({})", human::size(*size)),
            LeftBecause::NoLongerKept => "its old content is no longer kept".to_owned(),
        };
        lines.push(format!("  {}: {why}", display(&left.path, view)));
    }
    lines.extend(more(plan.left.len()));
    lines
}

/// What has changed since the agent wrote it: the agent's lines with `-`, the present ones with `+`.
fn conflicts(plan: &UndoPlan, keeper: &UndoKeeper, view: &ShellView) -> Vec<UnifiedDiff> {
    let mut room = SHOWN_CONFLICTS;
    let mut diffs = Vec::new();
    for path in &plan.left {
        let LeftBecause::Changed { left, now } = &path.why else { continue };
        let PathDifference { added, removed, text, .. } = PathDifference::between(left, now, keeper.store());
        if text.is_empty() || text.len() > room {
            continue;
        }
        room -= text.len();
        let notes = "since the agent wrote it".to_owned();
        diffs.push(UnifiedDiff { path: display(&path.path, view), added, removed, notes, text });
    }
    diffs
}

/// `  +2 −1 (new)`.
fn in_short(difference: &PathDifference) -> String {
    let PathDifference { added, removed, notes, .. } = difference;
    let lines = if added + removed > 0 { format!("  +{added} −{removed}") } else { String::new() };
    let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join(", ")) };
    format!("{lines}{notes}")
}

fn more(count: usize) -> Option<String> {
    (count > LISTED).then(|| format!("  and {} more", count - LISTED))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// A path relative to the shell's directory if it is below that.
fn display(path: &Path, view: &ShellView) -> String {
    let cwd = view.cwd.canonicalize().unwrap_or_else(|_| view.cwd.clone());
    // A name with a line break must not look like a line of ours.
    spelled(&match path.strip_prefix(&cwd) {
        Ok(below) => below.display().to_string(),
        Err(_) => shown_path(path, view.home()),
    })
}
