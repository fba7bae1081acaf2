//! The card that asks for approval of a call.

use std::path::Path;
use std::sync::Arc;

use crate::agent::Approval;
use crate::guard::{Intent, SandboxException};
use crate::input::KeyMap;
use crate::render::{self, CardText, FileChange, RenderOptions, Subject};
use crate::tool::Preview;

/// What is on the screen beside the card.
pub(in crate::session) struct CardContext<'a> {
    pub(in crate::session) user: &'a str,
    pub(in crate::session) host: &'a str,
    /// The directory of the prompt above; `None` if another program is in the foreground, which may run elsewhere.
    pub(in crate::session) cwd: Option<&'a Path>,
    /// The keys of a list.
    pub(in crate::session) keys: &'a Arc<KeyMap>,
}

/// The text of the card: the whole command or change, and the directory and the user if they differ from those of the prompt.
pub(super) fn text(approval: &Approval, around: &CardContext<'_>, options: &RenderOptions) -> CardText {
    let secrets = (!approval.secrets.is_empty()).then(|| format!("puts back: {}", approval.secrets.join(", ")));
    let weakness = approval.weakness.map(str::to_owned);
    let place = secrets.into_iter().chain(weakness).chain(place(&approval.cwd, around));
    let place = place.reduce(|all, next| format!("{next}, {all}"));
    let exception = approval.intent.exception();
    let beyond = exception.map(SandboxException::words);
    let request = render::ApprovalRequest {
        subject: subject(approval),
        place: place.as_deref(),
        exception: beyond.as_deref(),
        reason: exception.map(|exception| exception.justification.as_str()).filter(|reason| !reason.is_empty()),
    };
    render::approval(&request, options)
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
        (Intent::OtherTerminals, _) => Subject::Other { action: "read other terminals:", title: &approval.title },
        (Intent::Ask | Intent::Suggest { .. }, _) => Subject::Other { action: "go on", title: &approval.title },
    }
}

/// The user and the directory of the call, as far as the prompt does not show them.
fn place(directory: &Path, around: &CardContext<'_>) -> Option<String> {
    match around.cwd {
        Some(cwd) if cwd == directory => None,
        Some(_) => Some(format!("in {}", directory.display())),
        None => Some(format!("as {}@{} in {}", around.user, around.host, directory.display())),
    }
}
