//! A call that wants a yes, as a card.

use std::path::Path;

use crate::agent::Approval;
use crate::guard::{Grant, Intent};
use crate::render::{self, Card, FileChange, RenderOptions, Subject};
use crate::tool::Preview;

/// What a card is seen beside.
pub(in crate::session) struct CardContext<'a> {
    pub(in crate::session) user: &'a str,
    pub(in crate::session) host: &'a str,
    /// The directory of the prompt above; none where another program is in front, which may run elsewhere.
    pub(in crate::session) cwd: Option<&'a Path>,
    /// The height of the screen.
    pub(in crate::session) rows: u16,
}

/// Draws the whole command or change, and where and as whom if that is not what the prompt says.
pub(super) fn card(approval: &Approval, around: &CardContext<'_>, options: &RenderOptions) -> Card {
    let place = place(&approval.cwd, around);
    let covers = approval.lasting.as_ref().map(|grant| covers(grant, approval));
    let request =
        render::ApprovalRequest { subject: subject(approval), place: place.as_deref(), always: covers.as_deref() };
    render::approval_card(&request, around.rows, options)
}

fn subject(approval: &Approval) -> Subject<'_> {
    match (&approval.intent, &approval.preview) {
        (Intent::Run { command, .. }, _) => Subject::Command { action: "run", command },
        (Intent::RunInShell { command, .. }, _) => Subject::Command { action: "run in your shell", command },
        (Intent::Write { .. }, Some(Preview::Edit { before, after, .. })) => {
            Subject::Edit(FileChange { path: &approval.title, old: before, new: after })
        }
        (Intent::Write { .. }, _) => Subject::Other { action: "edit", title: &approval.title },
        (Intent::Read { .. }, _) => Subject::Other { action: "read", title: &approval.title },
        (Intent::Ask | Intent::Suggest { .. }, _) => Subject::Other { action: "go on", title: &approval.title },
    }
}

/// Who would act and where, as far as the prompt does not say it.
fn place(directory: &Path, around: &CardContext<'_>) -> Option<String> {
    match around.cwd {
        Some(cwd) if cwd == directory => None,
        Some(_) => Some(format!("in {}", directory.display())),
        None => Some(format!("as {}@{} in {}", around.user, around.host, directory.display())),
    }
}

/// What a yes for the session covers.
fn covers(grant: &Grant, approval: &Approval) -> String {
    let what = match grant {
        Grant::Command { .. } | Grant::ShellCommand { .. } => "exactly this command".to_owned(),
        Grant::Edits(path) if *path == approval.cwd => "all edits here".to_owned(),
        Grant::Edits(path) if approval.intent == (Intent::Write { path: path.clone() }) => {
            "edits of this file".to_owned()
        }
        Grant::Edits(path) => format!("all edits in {}", path.display()),
        Grant::Reads(paths) if paths.len() == 1 => "reading this".to_owned(),
        Grant::Reads(paths) => format!("reading these {} files", paths.len()),
    };
    format!("{what}, this session")
}
