//! What a model is told with a query: bounded fragments, once each.

mod attach;
mod excerpt;
mod shares;
mod shell;
mod system;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub(super) use attach::{Attached, attach};
pub use shell::Events;
pub(super) use system::SYSTEM;

use crate::chat::{Image, Message, Part, Role};
use crate::guard::Redactor;
use crate::store::Ticket;
use crate::text::{self, KIB};
use crate::{capture, track};
use excerpt::Room;

/// Bytes of the query itself.
const QUERY_CAP: usize = 64 * KIB;
/// Bytes of what was piped in that a model gets to see.
pub const STDIN_CAP: usize = 32 * KIB;
/// What a program shows, at most.
const SCREEN: Room = Room { lines: 200, bytes: 16 * KIB };
/// Bytes of one name: a directory, a host, a shell.
const NAME_CAP: usize = 4 * KIB;
/// A command takes a millisecond to be stored. In a history that is locked it has no id, and can be read about all the same.
const STORE_PATIENCE: Duration = Duration::from_millis(100);
/// The tags a model may believe. Nothing else may look like one.
const TAGS: [&str; 9] = ["cwd", "shell", "command", "output", "stdin", "file", "directory", "reference", "screen"];

/// What the person asks, with everything that goes with it.
#[derive(Debug, Clone)]
pub struct Query {
    pub text: String,
    pub view: ShellView,
    pub attachments: Vec<Image>,
    /// What was piped in.
    pub stdin: Option<String>,
}

/// What the shell looks like, and what is new since the last query.
#[derive(Debug, Clone)]
pub struct ShellView {
    pub cwd: PathBuf,
    /// The exported variables.
    pub environment: Vec<(OsString, OsString)>,
    /// Such as `zsh`.
    pub shell: String,
    pub host: String,
    pub user: String,
    /// Oldest first.
    pub happened: Vec<Happened>,
    /// The last command, also if an earlier query has carried it.
    pub last: Option<Happened>,
    /// What a program in front shows, if the query was asked over it.
    pub screen: Option<String>,
}

/// One command the person ran.
#[derive(Debug, Clone)]
pub struct Happened {
    /// Becomes its id in the history, if it gets there.
    pub ticket: Ticket,
    pub command: track::Command,
    pub output: Arc<capture::Output>,
    /// Of the terminal it ran in.
    pub size: capture::Size,
}

impl ShellView {
    /// Waits, though not for long, until what happened has its ids: a query may come in the same breath as the command before it.
    pub async fn settled(&self) {
        let all = async {
            for one in self.happened.iter().chain(&self.last) {
                one.ticket.settled().await;
            }
        };
        let _ = tokio::time::timeout(STORE_PATIENCE, all).await;
    }
}

/// The message that carries a query.
pub(super) fn message(
    query: &Query,
    attached: &Attached,
    is_first: bool,
    events: Events,
    redactor: &Redactor,
) -> Message {
    let words = Part::Text(words(query, attached, is_first, events, redactor));
    let pictures = query.attachments.iter().chain(&attached.images).cloned().map(Part::Image);
    Message { role: Role::User, parts: std::iter::once(words).chain(pictures).collect() }
}

/// The words of that message: where the shell is, what happened, what goes with it, and the query last. What may be cut is masked
/// before it is: half a secret would not be known for one.
pub(super) fn words(query: &Query, attached: &Attached, is_first: bool, events: Events, redactor: &Redactor) -> String {
    let view = &query.view;
    let mut words = format!("<cwd>{}</cwd>\n", name(&view.cwd.to_string_lossy()));
    if is_first {
        let (shell, user, host) = (name(&view.shell), name(&view.user), name(&view.host));
        words.push_str(&format!("<shell>{shell} of {user} on {host} ({})</shell>\n", std::env::consts::OS));
    }
    words.push_str(&shell::events(&view.happened, events, redactor));
    if let Some(screen) = &view.screen {
        let screen = excerpt::excerpt(&data(&redactor.mask(screen)), SCREEN, "scrolled away");
        words.push_str(&format!("<screen>\n{screen}\n</screen>\n"));
    }
    words.push_str(&attached.words);
    if let Some(stdin) = &query.stdin {
        let stdin = excerpt::given(&data(&redactor.mask(stdin)), STDIN_CAP, "not kept");
        words.push_str(&format!("<stdin>\n{stdin}\n</stdin>\n"));
    }
    words.push('\n');
    words.push_str(&excerpt::given(&redactor.mask(&query.text), QUERY_CAP, "too long"));
    words
}

/// What of the person's own words does not fit, one line each for them.
pub(super) fn cuts(query: &Query) -> Vec<String> {
    let stdin = query.stdin.as_deref().and_then(|stdin| cut("what was piped in", stdin, STDIN_CAP));
    cut("your question", &query.text, QUERY_CAP).into_iter().chain(stdin).collect()
}

/// Says that the model gets a text only in part, if it does.
fn cut(what: &str, text: &str, cap: usize) -> Option<String> {
    let size = |bytes: usize| text::human::size(bytes as u64);
    let words = || format!("{what} has {}; the model gets {} of it and is told so", size(text.len()), size(cap));
    (text.len() > cap).then(words)
}

/// What the person says while the agent works.
pub(super) fn steering(words: &str, redactor: &Redactor) -> String {
    excerpt::given(&redactor.mask(words), QUERY_CAP, "too long")
}

/// A name on one line.
fn name(text: &str) -> String {
    let line = data(&text.replace(char::is_control, "\u{FFFD}"));
    text::beginning(&line, NAME_CAP).to_owned()
}

/// Text that can't be taken for what we say ourselves: in a tag of ours that is not ours, the bracket stands apart.
fn data(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let after = &rest[at + 1..];
        let tag = after.strip_prefix('/').unwrap_or(after);
        safe.push_str(&rest[..rest.len() - tag.len()]);
        if TAGS.iter().any(|ours| tag.starts_with(ours)) {
            safe.push(' ');
        }
        rest = tag;
    }
    safe + rest
}

#[cfg(test)]
mod tests;
