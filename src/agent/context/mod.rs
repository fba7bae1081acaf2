//! The context of a query: a list of fragments with limits.

mod attach;
mod excerpt;
mod fragment;
mod shares;
mod shell;
mod system;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub(crate) use fragment::Fragment;
pub(super) use shares::shares;
pub(crate) use shell::Events;
pub(super) use system::SYSTEM;

pub(super) use crate::text::escape;

use super::standing::Standing;
use crate::chat::{Image, Message, Part, Role};
use crate::guard::Redactor;
use crate::store::{StoredCommand, Ticket};
use crate::text::{self, Clock, KIB};
use crate::{capture, track};
use attach::attach;
use excerpt::ExcerptLimit;

/// The most bytes of the query itself.
const QUERY_CAP: usize = 64 * KIB;
/// The most bytes of standard input that are sent to the model.
pub(crate) const STDIN_CAP: usize = 32 * KIB;
/// The limit for the screen of a running program.
const SCREEN: ExcerptLimit = ExcerptLimit { lines: 200, bytes: 16 * KIB };
/// The most bytes of a name: a directory, a host, a shell.
const NAME_CAP: usize = 4 * KIB;
/// How long to wait for the history to store a command, which takes about a millisecond. While the history is locked a command has no id,
/// but its output is sent anyway.
const STORE_PATIENCE: Duration = Duration::from_millis(100);

/// A question with its context.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    pub text: String,
    pub view: ShellView,
    pub attachments: Vec<Image>,
    /// The text from standard input.
    pub stdin: Option<String>,
}

/// The state of the shell, and the commands since the last query.
#[derive(Debug, Clone)]
pub(crate) struct ShellView {
    /// When the query was asked.
    pub at: SystemTime,
    pub cwd: PathBuf,
    /// The exported variables.
    pub environment: Vec<(OsString, OsString)>,
    /// Such as `zsh`.
    pub shell: String,
    pub host: String,
    pub user: String,
    /// Oldest first.
    pub happened: Vec<Happened>,
    /// The last command, even if an earlier query already contained it.
    pub last: Option<Happened>,
    /// The screen of the running program, if the query was asked while it runs.
    pub screen: Option<String>,
    /// The columns of the terminal, if they are known.
    pub columns: Option<usize>,
}

/// A command that the person ran.
#[derive(Debug, Clone)]
pub(crate) struct Happened {
    /// Resolves to its id in the history once it is stored.
    pub ticket: Ticket,
    pub command: track::Command,
    pub output: Arc<capture::Output>,
    /// The size of the terminal that it ran in.
    pub size: capture::Size,
}

impl Happened {
    /// A command of the history. `None` if something about it is unknown, as for an imported one.
    pub(crate) fn stored(stored: StoredCommand) -> Option<Happened> {
        let StoredCommand { entry, output, size } = stored;
        let command = track::Command {
            text: entry.command,
            cwd: entry.cwd?,
            status: entry.status?,
            started_at: entry.started_at?,
            duration: entry.duration?,
        };
        Some(Happened { ticket: Ticket::of(entry.id), command, output: Arc::new(output), size })
    }
}

impl ShellView {
    /// The person's home directory.
    pub(crate) fn home(&self) -> Option<&Path> {
        let home = self.environment.iter().find(|(name, _)| name == "HOME");
        home.map(|(_, home)| Path::new(home)).filter(|home| home.is_absolute())
    }

    fn directory(&self) -> Fragment {
        let text = format!("<cwd>{}</cwd>\n", name(&self.cwd.to_string_lossy()));
        Fragment::new("cwd", NAME_CAP, "the shell's directory", text)
    }

    /// The fragment with the shell, the user and the host.
    fn account(&self) -> Fragment {
        let (shell, user, host) = (name(&self.shell), name(&self.user), name(&self.host));
        let text = format!("<shell>{shell} of {user} on {host} ({})</shell>\n", std::env::consts::OS);
        Fragment::new("shell", 3 * NAME_CAP, "your shell", text)
    }

    /// Waits briefly until the recent commands have their ids, because a query may directly follow a command.
    pub(crate) async fn settled(&self) {
        let all = async {
            for one in self.happened.iter().chain(&self.last) {
                one.ticket.settled().await;
            }
        };
        let _ = tokio::time::timeout(STORE_PATIENCE, all).await;
    }
}

/// The context of a query in order, and notices about it for the person.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Assembled {
    pub(super) fragments: Vec<Fragment>,
    pub(super) images: Vec<Image>,
    /// One line each about attachments that were not found or do not fit.
    pub(super) notices: Vec<String>,
}

/// Everything besides the query that its context depends on.
pub(super) struct Sources<'a> {
    /// Whether nothing was said before.
    pub(super) is_first: bool,
    pub(super) events: Events,
    pub(super) history: Option<&'a Path>,
    /// Tells times in the person's time zone.
    pub(super) clock: Clock,
    /// What is sent once, and again when it has changed.
    pub(super) standing: Standing,
    pub(super) redactor: &'a Redactor,
}

/// Assembles the context of a query: the state of the shell, recent commands, attachments, and the query last. Text is masked before it is
/// cut, because a part of a secret would not be recognised.
pub(super) fn assemble(query: &Query, sources: Sources<'_>) -> Assembled {
    let Sources { is_first, events, history, clock, standing, redactor } = sources;
    let view = &query.view;
    redactor.learn(&view.environment);
    let attached = attach(query, history, &clock, redactor);
    let date = Fragment::new("date", NAME_CAP, "the date", format!("<date>{}</date>\n", clock.today()));
    let mut fragments = vec![view.directory(), date];
    fragments.extend(is_first.then(|| view.account()));
    fragments.extend(standing.fragments);
    let happened = shell::events(&view.happened, events, &clock, redactor);
    if !happened.is_empty() {
        fragments.push(Fragment::new("shell_events", events.bytes, "your commands", happened));
    }
    fragments.extend(view.screen.as_ref().map(|screen| {
        let screen = excerpt::excerpt(&escape(&redactor.mask(screen)), SCREEN, "scrolled away");
        Fragment::new("screen", SCREEN.bytes, "the screen", screen).tagged()
    }));
    fragments.extend(attached.fragments);
    fragments.extend(query.stdin.as_ref().map(|stdin| {
        let stdin = escape(&redactor.mask(stdin));
        Fragment::given("stdin", STDIN_CAP, "what was piped in", &stdin, "not kept").tagged()
    }));
    let mut asked = Fragment::given("query", QUERY_CAP, "your question", &redactor.mask(&query.text), "too long");
    asked.text.insert(0, '\n');
    fragments.push(asked);
    let told = standing.notices.into_iter().chain(attached.notices);
    let notices = told.chain(fragments.iter().rev().filter_map(Fragment::notice)).collect();
    Assembled { images: query.attachments.iter().chain(&attached.images).cloned().collect(), fragments, notices }
}

impl Assembled {
    /// Adds a fragment before the query.
    pub(super) fn add(&mut self, fragment: Option<Fragment>) {
        let at = self.fragments.len().saturating_sub(1);
        self.fragments.splice(at..at, fragment);
    }

    pub(super) fn words(&self) -> String {
        self.fragments.iter().map(|fragment| fragment.text.as_str()).collect()
    }

    /// The message with the query and its context.
    pub(super) fn message(self) -> Message {
        let words = Part::Text(self.words());
        let pictures = self.images.into_iter().map(Part::Image);
        Message { role: Role::User, parts: std::iter::once(words).chain(pictures).collect() }
    }
}

/// A message that the person sends while a turn runs.
pub(super) fn steering(words: &str, redactor: &Redactor) -> String {
    excerpt::given(&redactor.mask(words), QUERY_CAP, "too long")
}

/// A name on one line.
fn name(text: &str) -> String {
    let line = escape(&text.replace(char::is_control, "\u{FFFD}"));
    text::beginning(&line, NAME_CAP).to_owned()
}

#[cfg(test)]
mod tests;
