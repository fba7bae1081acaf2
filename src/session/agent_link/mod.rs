//! The link between the session's loop and the agent's thread, which the first query starts.
//!
//! The session sends orders and receives news, each with the number of its request. A descriptor tells the loop that there is
//! news. Neither end can block the loop: orders go into an unbounded queue, news into a bounded one, and if that is full the
//! agent's thread waits until the loop has taken some. The agent has no descriptor of the user's terminal: if it needs the person
//! or the shell, it sends news with a channel for the reply.

mod aid;
#[cfg(test)]
mod command_tests;
mod commands;
mod consent;
mod export;
mod help;
mod hooks;
mod memory;
mod model;
mod orders;
mod own_commands;
mod permissions;
mod pick_model;
mod resume;
#[cfg(test)]
mod resume_tests;
#[cfg(test)]
mod scripted;
mod sending;
mod settings;
mod slash;
#[cfg(test)]
mod testing;
mod trust;
mod undo;
mod usage;

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use nix::poll::PollFlags;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::agent::{Approval, Approver, Decision, Front, Places, Query, WorkingContext};
use crate::chat::{Ending, Event};
use crate::config;
use crate::guard::{Grants, TrustStore};
use crate::host::Child;
use crate::render::UnifiedDiff;
use crate::store::ConversationRecorder;
use crate::tool::{self, Asker, ShellPort, ShellResult, UserAnswer};
use crate::undo::UndoKeeper;

use super::prompt::{Confirmation, PickList};
use super::wires::wait_for;
use super::workspace::Exported;

pub(super) use help::help;
pub(super) use orders::CRASHED;
pub(super) use own_commands::{find as find_own_commands, usage as own_usage};
pub(crate) use pick_model::{model_facts, model_list, needs_key};
#[cfg(test)]
pub(super) use scripted::ScriptedAgent;
pub(super) use settings::Settings;
pub(super) use slash::{AgentCommand, Completes, SessionCommand, Slash, SlashCommand, SlashError, commands, parse};
pub(crate) use slash::{is_built_in, refusal_outside};

/// The capacity of the queue of news. If it is full, the agent's thread waits.
const BACKLOG: usize = 1024;

/// The longest time that the agent's thread waits before it tries again.
const RETRY: Duration = Duration::from_millis(50);

/// The request number of slash commands, which are not requests.
pub(super) const ITSELF: u64 = 0;

/// A message from the session to the agent.
pub(super) enum Order {
    Answer(Box<Question>),
    /// A slash command, with the state of the shell when it was typed.
    Command(AgentCommand, Box<Query>, Exported, CancellationToken),
    /// Masks this text in everything that a model sees.
    KeepSecret(String),
}

/// A question to a model.
pub(super) struct Question {
    pub(super) number: u64,
    pub(super) query: Query,
    /// The environment of the query.
    pub(super) exported: Exported,
    pub(super) cancel: CancellationToken,
    /// Messages of the person while the question is being answered.
    pub(super) steering: UnboundedReceiver<String>,
}

/// A message from the agent to the session.
pub(super) enum News {
    Event(Event),
    /// Text of shellmate itself, not of a model.
    Words(String),
    Diff(Vec<UnifiedDiff>),
    Approve(Box<Approval>, oneshot::Sender<Decision>),
    Ask(tool::UserQuestion, oneshot::Sender<UserAnswer>),
    /// Asks for a yes or a no.
    Confirm(Confirmation, oneshot::Sender<bool>),
    /// Asks the person to pick from a list. The reply is `None` if they leave it.
    Pick(PickList, oneshot::Sender<Option<i64>>),
    Run(String, oneshot::Sender<Ran>),
    /// Puts a command on the shell's prompt.
    Suggest(String),
    /// Lets the person edit a question and ask it again.
    AskAgain(String),
    /// Copies a text to the clipboard.
    Copy(String),
    /// The request is over. An event before this said how it ended.
    Over {
        /// Whether a model was asked, so that the question is part of the conversation.
        was_asked: bool,
        /// Messages of the person that came too late for the model.
        unheard: Vec<String>,
    },
}

/// The result of a command in the live shell, and the shell's directory and environment after it.
pub(super) struct Ran {
    pub(super) result: Result<ShellResult, String>,
    pub(super) place: Option<ShellPlace>,
}

/// How the agent's thread looks up the directory and the environment of the live shell.
pub(super) struct ShellPlace {
    pub(super) shell: Child,
    /// The directory that the hook has reported, in case the system does not name one.
    pub(super) reported: PathBuf,
    pub(super) exported: Exported,
}

impl ShellPlace {
    async fn look_up(self) -> WorkingContext {
        let cwd = self.shell.cwd().unwrap_or(self.reported);
        WorkingContext { cwd, environment: self.exported.read().await }
    }
}

/// Settings and files of the agent's thread.
#[derive(Debug, Clone, Default)]
pub(super) struct AgentSetup {
    pub(super) places: Arc<Places>,
    /// The file with keys that `auth login` has stored.
    pub(super) keys: Option<PathBuf>,
    /// The servers of this machine that the person has agreed to use, and the kept lists of models.
    pub(super) servers: Option<PathBuf>,
    pub(super) models: Option<PathBuf>,
    pub(super) hooks: Option<PathBuf>,
    /// The projects that the person trusts.
    pub(super) trust: TrustStore,
    /// Reads the configuration again when it was saved.
    pub(super) config: config::ConfigReader,
    pub(super) settings: Settings,
    /// The nonce of the shell's marks, which no model may see.
    pub(super) nonce: String,
    /// The approvals that outlive a session.
    pub(super) grants: Grants,
    pub(super) conversations: ConversationRecorder,
    /// Keeps what the agent changes, unless that is turned off.
    pub(super) keeper: Option<UndoKeeper>,
    /// Where kept files are, if the settings about them change.
    pub(super) paths: Option<config::Paths>,
    /// The name of the user, once the agent's thread has looked it up.
    pub(super) user: Arc<OnceLock<String>>,
}

/// The session's end of the link.
pub(super) struct AgentLink {
    orders: UnboundedSender<Order>,
    news: Receiver<(u64, News)>,
    wake: UnixStream,
    thread: Thread,
    /// Orders that are not over yet.
    open: Cell<usize>,
    gone: Cell<bool>,
}

impl AgentLink {
    pub(super) fn start(setup: AgentSetup) -> io::Result<AgentLink> {
        AgentLink::obeying(move |orders, link| orders::run(orders, link, setup))
    }

    /// Starts a thread that handles its orders with `obey`.
    fn obeying<F: Future<Output = ()>>(
        obey: impl FnOnce(UnboundedReceiver<Order>, RequestLink) -> F + Send + 'static,
    ) -> io::Result<AgentLink> {
        let (wake, awaken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        awaken.set_nonblocking(true)?;
        let (tell, news) = sync_channel(BACKLOG);
        let (orders, incoming) = unbounded_channel();
        let link = RequestLink {
            number: ITSELF,
            tell,
            awaken: Arc::new(awaken),
            place: Arc::default(),
            steering: Arc::default(),
            held: Arc::default(),
            reserve: Arc::default(),
        };
        let work = move || match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(obey(incoming, link)),
            Err(error) => tracing::error!(%error, "the agent has no runtime"),
        };
        let thread = thread::Builder::new().name("agent".into()).spawn(work)?.thread().clone();
        Ok(AgentLink { orders, news, wake, thread, open: Cell::new(0), gone: Cell::new(false) })
    }

    /// Sends an order; false if the thread has ended.
    pub(super) fn order(&self, order: Order) -> bool {
        self.open.set(self.open.get() + 1);
        self.orders.send(order).is_ok()
    }

    /// Masks a secret in everything that a model sees from here on.
    pub(super) fn keep_secret(&self, secret: String) {
        // If the thread has ended, nothing is sent to a model.
        let _ = self.orders.send(Order::KeepSecret(secret));
    }

    /// Lets the thread end, and waits until it has started the hooks at the end of the session.
    pub(super) fn end(self, patience: Duration) {
        let AgentLink { orders, news, wake, .. } = self;
        drop((orders, news));
        let end = Instant::now() + patience;
        let mut bytes = [0; 256];
        // The descriptor is closed when the thread has ended.
        while !matches!((&wake).read(&mut bytes), Ok(0)) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            wait_for(&wake, PollFlags::POLLIN, left);
        }
    }

    /// Whether the thread has ended, which only happens by a panic.
    pub(super) fn is_gone(&self) -> bool {
        self.gone.get()
    }

    /// Whether an order is being carried out.
    pub(super) fn is_busy(&self) -> bool {
        self.open.get() > 0
    }

    /// Takes all news that is waiting. Never waits itself.
    pub(super) fn news(&self) -> Vec<(u64, News)> {
        let mut bytes = [0; 256];
        let gone = loop {
            match (&self.wake).read(&mut bytes) {
                Ok(0) => break true,
                Ok(_) => {}
                Err(_) => break false,
            }
        };
        let news: Vec<(u64, News)> = self.news.try_iter().collect();
        if !news.is_empty() {
            // The queue has room again.
            self.thread.unpark();
        }
        let over = news.iter().filter(|(_, news)| matches!(news, News::Over { .. })).count();
        self.gone.set(gone);
        self.open.set(if gone { 0 } else { self.open.get().saturating_sub(over) });
        news
    }
}

impl AsFd for AgentLink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}

/// The agent's end of the link, for one request.
#[derive(Clone)]
pub(super) struct RequestLink {
    number: u64,
    tell: SyncSender<(u64, News)>,
    awaken: Arc<UnixStream>,
    /// The live shell's directory and environment, once a call has run in it. Only the agent's thread uses this.
    place: Arc<Mutex<Option<WorkingContext>>>,
    /// Messages of the person. Only the agent's thread uses this.
    steering: Arc<Mutex<Option<UnboundedReceiver<String>>>>,
    /// News that waits until the built-in rules have finished; `None` if news is not held back.
    held: Arc<Mutex<Option<Vec<News>>>>,
    /// The answer of the built-in rules, shown if the model does not answer.
    reserve: Arc<Mutex<Option<String>>>,
}

#[cfg(test)]
impl RequestLink {
    /// The link of request 3, which tells its news to a test.
    pub(super) fn scripted(tell: SyncSender<(u64, News)>) -> RequestLink {
        let awaken = Arc::new(UnixStream::pair().unwrap().1);
        let (place, steering, held, reserve) = Default::default();
        RequestLink { number: 3, tell, awaken, place, steering, held, reserve }
    }
}

impl RequestLink {
    fn say(&self, news: News) {
        match self.held.lock().ok().as_mut().and_then(|held| held.as_mut()) {
            Some(held) => held.push(news),
            None => self.send(news),
        }
    }

    /// Holds back all news until `release`.
    fn hold(&self) {
        if let Ok(mut held) = self.held.lock() {
            *held = Some(Vec::new());
        }
    }

    /// Sends `first`, then the news that was held back.
    fn release(&self, first: Option<News>) {
        let Ok(mut held) = self.held.lock() else { return };
        first.into_iter().chain(held.take().into_iter().flatten()).for_each(|news| self.send(news));
    }

    /// Keeps the rules' answer in case the model does not answer.
    fn keep(&self, words: String) {
        if let Ok(mut reserve) = self.reserve.lock() {
            *reserve = Some(words);
        }
    }

    fn drop_kept(&self) -> Option<String> {
        self.reserve.lock().ok()?.take()
    }

    /// Sends the rules' answer if one was kept. Returns whether there was one.
    fn say_kept(&self) -> bool {
        self.drop_kept().map(|words| self.transmit(News::Words(words))).is_some()
    }

    fn send(&self, news: News) {
        match &news {
            // The model is in trouble: the rules' answer is shown first.
            News::Event(Event::Retrying { .. } | Event::Finished(Ending::Failed(_))) => {
                self.say_kept();
            }
            // The model answers: the rules' answer is not needed.
            News::Event(Event::Text(_) | Event::CallStarted { .. }) => {
                self.drop_kept();
            }
            News::Event(
                Event::StepStarted { .. }
                | Event::RequestSent { .. }
                | Event::Model(_)
                | Event::Mode(_)
                | Event::Thinking(_)
                | Event::CallDecided { .. }
                | Event::CallOutput { .. }
                | Event::CallConfined { .. }
                | Event::CallFinished { .. }
                | Event::Usage(_)
                | Event::Compacted { .. }
                | Event::Steered(_)
                | Event::Notice(_)
                | Event::Finished(Ending::Answered | Ending::Interrupted | Ending::StepLimit),
            )
            | News::Words(_)
            | News::Diff(_)
            | News::Approve(..)
            | News::Ask(..)
            | News::Confirm(..)
            | News::Pick(..)
            | News::Run(..)
            | News::Suggest(_)
            | News::AskAgain(_)
            | News::Copy(_)
            | News::Over { .. } => {}
        }
        self.transmit(news);
    }

    fn transmit(&self, news: News) {
        let mut unsent = self.tell.try_send((self.number, news));
        while let Err(TrySendError::Full(news)) = unsent {
            self.wake();
            thread::park_timeout(RETRY);
            unsent = self.tell.try_send(news);
        }
        // A session that has ended takes no news, and this thread is about to end too.
        self.wake();
    }

    fn wake(&self) {
        // If the socket is full, the session is about to wake up anyway.
        let _ = (&*self.awaken).write(&[1]);
    }

    /// A link for another request, with its own steering and shell state.
    fn of(&self, number: u64, steering: UnboundedReceiver<String>) -> RequestLink {
        let (tell, awaken) = (self.tell.clone(), Arc::clone(&self.awaken));
        RequestLink {
            number,
            tell,
            awaken,
            place: Arc::default(),
            steering: Arc::new(Mutex::new(Some(steering))),
            held: Arc::default(),
            reserve: Arc::default(),
        }
    }

    /// Closes the steering. Returns the messages that the model has not seen.
    fn close(&self) -> Vec<String> {
        let Some(mut steering) = self.steering.lock().ok().and_then(|mut steering| steering.take()) else {
            return Vec::new();
        };
        steering.close();
        std::iter::from_fn(|| steering.try_recv().ok()).collect()
    }

    fn ask<T: Send + 'static>(&self, news: impl FnOnce(oneshot::Sender<T>) -> News, or: T) -> BoxFuture<'static, T> {
        let (reply, answer) = oneshot::channel();
        self.say(news(reply));
        Box::pin(async move { answer.await.unwrap_or(or) })
    }
}

impl RequestLink {
    /// Asks the person for a yes or a no.
    fn confirm(&self, question: Confirmation) -> BoxFuture<'static, bool> {
        RequestLink::ask(self, |reply| News::Confirm(question, reply), false)
    }

    /// Lets the person pick from a list.
    fn pick(&self, list: PickList) -> BoxFuture<'static, Option<i64>> {
        RequestLink::ask(self, |reply| News::Pick(list, reply), None)
    }
}

impl Front for RequestLink {
    fn hear(&self, event: Event) {
        self.say(News::Event(event));
    }

    fn place(&self) -> Option<WorkingContext> {
        self.place.lock().ok()?.clone()
    }

    fn steered(&self) -> Vec<String> {
        let Ok(mut steering) = self.steering.lock() else { return Vec::new() };
        std::iter::from_fn(|| steering.as_mut()?.try_recv().ok()).collect()
    }
}

impl Approver for RequestLink {
    fn approve(&self, request: Approval) -> BoxFuture<'static, Decision> {
        self.ask(|reply| News::Approve(Box::new(request), reply), Decision::No { why: None })
    }
}

impl Asker for RequestLink {
    fn ask(&self, question: tool::UserQuestion) -> BoxFuture<'static, UserAnswer> {
        RequestLink::ask(self, |reply| News::Ask(question, reply), UserAnswer::Declined)
    }
}

impl ShellPort for RequestLink {
    fn run(&self, command: String) -> BoxFuture<'static, Result<ShellResult, String>> {
        let nothing = Ran { result: Err("the shell did not run it".into()), place: None };
        let (ran, moved) = (self.ask(|reply| News::Run(command, reply), nothing), self.place.clone());
        Box::pin(async move {
            let Ran { result, place } = ran.await;
            if let Some(place) = place {
                let place = place.look_up().await;
                if let Ok(mut moved) = moved.lock() {
                    *moved = Some(place);
                }
            }
            result
        })
    }

    fn suggest(&self, command: String) -> Result<(), String> {
        self.say(News::Suggest(command));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits for news and counts it, until `wanted` have arrived or the thread has ended.
    fn count(agent: &AgentLink, wanted: usize) -> usize {
        let mut taken = 0;
        while taken < wanted && !agent.is_gone() {
            let mut waited = [nix::poll::PollFd::new(agent.as_fd(), nix::poll::PollFlags::POLLIN)];
            nix::poll::poll(&mut waited, 30_000_u16).unwrap();
            taken += agent.news().len();
        }
        taken
    }

    #[test]
    fn a_full_queue_makes_the_agents_thread_wait_and_loses_nothing() {
        let obey = |mut orders: UnboundedReceiver<Order>, link: RequestLink| async move {
            orders.recv().await;
            (0..3 * BACKLOG).for_each(|number| link.say(News::Words(number.to_string())));
            orders.recv().await;
        };
        let agent = AgentLink::obeying(obey).unwrap();
        agent.keep_secret("begin".into());
        // An order is accepted while the thread waits for room in the queue.
        agent.keep_secret("end".into());
        assert_eq!(count(&agent, 3 * BACKLOG), 3 * BACKLOG);
    }

    #[test]
    fn the_end_of_the_agents_thread_is_noticed() {
        let obey = |mut orders: UnboundedReceiver<Order>, link: RequestLink| async move {
            orders.recv().await;
            link.say(News::Words("last words".into()));
            panic!("as the test wants it")
        };
        let agent = AgentLink::obeying(obey).unwrap();
        let question = |steering| Question {
            number: 1,
            query: Query::scripted("why"),
            exported: Exported::known(Vec::new()),
            cancel: CancellationToken::new(),
            steering,
        };
        assert!(agent.order(Order::Answer(Box::new(question(unbounded_channel().1)))));
        assert!(agent.is_busy());
        let heard = count(&agent, usize::MAX);
        assert_eq!(heard, 1, "what it said before is heard");
        assert!(!agent.is_busy());
        assert!(!agent.order(Order::Answer(Box::new(question(unbounded_channel().1)))));
    }
}
