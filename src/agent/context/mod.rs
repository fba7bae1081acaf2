//! What a model is told with a query: bounded fragments, once each.

mod attach;
mod excerpt;
mod fragment;
mod shares;
mod shell;
mod system;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub(crate) use fragment::Fragment;
pub(crate) use shell::Events;
pub(super) use system::SYSTEM;

use crate::chat::{Image, Message, Part, Role};
use crate::guard::Redactor;
use crate::store::Ticket;
use crate::text::{self, KIB};
use crate::{capture, track};
use attach::attach;
use excerpt::Room;

/// Bytes of the query itself.
const QUERY_CAP: usize = 64 * KIB;
/// Bytes of what was piped in that a model gets to see.
pub(crate) const STDIN_CAP: usize = 32 * KIB;
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
pub(crate) struct Query {
    pub text: String,
    pub view: ShellView,
    pub attachments: Vec<Image>,
    /// What was piped in.
    pub stdin: Option<String>,
}

/// What the shell looks like, and what is new since the last query.
#[derive(Debug, Clone)]
pub(crate) struct ShellView {
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
pub(crate) struct Happened {
    /// Becomes its id in the history, if it gets there.
    pub ticket: Ticket,
    pub command: track::Command,
    pub output: Arc<capture::Output>,
    /// Of the terminal it ran in.
    pub size: capture::Size,
}

impl ShellView {
    fn directory(&self) -> Fragment {
        let text = format!("<cwd>{}</cwd>\n", name(&self.cwd.to_string_lossy()));
        Fragment::new("cwd", NAME_CAP, "the shell's directory", text)
    }

    /// Whose shell it is, and where.
    fn account(&self) -> Fragment {
        let (shell, user, host) = (name(&self.shell), name(&self.user), name(&self.host));
        let text = format!("<shell>{shell} of {user} on {host} ({})</shell>\n", std::env::consts::OS);
        Fragment::new("shell", 3 * NAME_CAP, "your shell", text)
    }

    /// Waits, though not for long, until what happened has its ids: a query may come in the same breath as the command before it.
    pub(crate) async fn settled(&self) {
        let all = async {
            for one in self.happened.iter().chain(&self.last) {
                one.ticket.settled().await;
            }
        };
        let _ = tokio::time::timeout(STORE_PATIENCE, all).await;
    }
}

/// What a model is told with a query, in order, and what the person is told about that.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Assembled {
    pub(super) fragments: Vec<Fragment>,
    pub(super) images: Vec<Image>,
    /// One line each: what was not found or does not fit.
    pub(super) notices: Vec<String>,
}

/// Puts together what goes with a query: where the shell is, what happened, what was attached, and the query last. What may be cut
/// is masked before it is: half a secret would not be known for one.
pub(super) fn assemble(
    query: &Query,
    is_first: bool,
    events: Events,
    history: Option<&Path>,
    redactor: &Redactor,
) -> Assembled {
    let view = &query.view;
    redactor.learn(&view.environment);
    let attached = attach(query, history, redactor);
    let mut fragments = vec![view.directory()];
    fragments.extend(is_first.then(|| view.account()));
    let happened = shell::events(&view.happened, events, redactor);
    if !happened.is_empty() {
        fragments.push(Fragment::new("shell_events", events.bytes, "your commands", happened));
    }
    fragments.extend(view.screen.as_ref().map(|screen| {
        let screen = excerpt::excerpt(&data(&redactor.mask(screen)), SCREEN, "scrolled away");
        Fragment::new("screen", SCREEN.bytes, "the screen", screen).tagged()
    }));
    fragments.extend(attached.fragments);
    fragments.extend(query.stdin.as_ref().map(|stdin| {
        let stdin = data(&redactor.mask(stdin));
        Fragment::given("stdin", STDIN_CAP, "what was piped in", &stdin, "not kept").tagged()
    }));
    let mut asked = Fragment::given("query", QUERY_CAP, "your question", &redactor.mask(&query.text), "too long");
    asked.text.insert(0, '\n');
    fragments.push(asked);
    let notices = attached.missing.into_iter().chain(fragments.iter().rev().filter_map(Fragment::notice)).collect();
    Assembled { images: query.attachments.iter().chain(&attached.images).cloned().collect(), fragments, notices }
}

impl Assembled {
    pub(super) fn words(&self) -> String {
        self.fragments.iter().map(|fragment| fragment.text.as_str()).collect()
    }

    /// The message that carries the query.
    pub(super) fn message(self) -> Message {
        let words = Part::Text(self.words());
        let pictures = self.images.into_iter().map(Part::Image);
        Message { role: Role::User, parts: std::iter::once(words).chain(pictures).collect() }
    }
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
