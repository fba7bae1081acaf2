//! The link between the session's loop and the agent's thread, which the first query starts.
//!
//! The session sends orders and takes news, each with the number of its request; a descriptor tells the loop that there is news.
//! Neither end can block the loop: orders go into an unbounded queue, news into a bounded one, and where that is full the agent's
//! thread parks until the loop has taken some. The agent holds no descriptor of the user's terminal: what it needs
//! from the person or the shell is news with a channel for the reply.

mod aid;
#[cfg(test)]
mod command_tests;
mod commands;
mod consent;
mod export;
mod memory;
mod model;
mod orders;
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
mod usage;

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, Thread};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::agent::{Approval, Approver, Decision, Front, Places, Query, WorkingContext};
use crate::chat::{Ending, Event};
use crate::config;
use crate::host::Child;
use crate::store::ConversationRecorder;
use crate::tool::{self, Asker, ShellPort, ShellResult, UserAnswer};

use super::prompt::PickList;
use super::workspace::Exported;

pub(super) use orders::CRASHED;
#[cfg(test)]
pub(super) use scripted::ScriptedAgent;
pub(super) use settings::Settings;
pub(super) use slash::{AgentCommand, Completes, SessionCommand, Slash, SlashCommand, commands, help, parse};

/// The news that the queue holds. Where it is full, the agent's thread waits.
const BACKLOG: usize = 1024;

/// How long the agent's thread parks at most before it tries again.
const RETRY: Duration = Duration::from_millis(50);

/// The number of slash commands, which are no requests.
pub(super) const ITSELF: u64 = 0;

/// What the session wants of the agent.
pub(super) enum Order {
    Answer(Box<Question>),
    /// A slash command, with the state of the shell when it was typed.
    Command(AgentCommand, Box<Query>, Exported, CancellationToken),
    /// Mask this in everything that a model sees.
    KeepSecret(String),
}

/// A question to a model.
pub(super) struct Question {
    pub(super) number: u64,
    pub(super) query: Query,
    /// The environment of the query.
    pub(super) exported: Exported,
    pub(super) cancel: CancellationToken,
    /// What the person says while it is being answered.
    pub(super) steering: UnboundedReceiver<String>,
}

/// What the agent tells the session.
pub(super) enum News {
    Event(Event),
    /// Words of this program, not of a model.
    Words(String),
    Approve(Box<Approval>, oneshot::Sender<Decision>),
    Ask(tool::UserQuestion, oneshot::Sender<UserAnswer>),
    /// Let the person pick from a list. The reply is `None` if they leave it.
    Pick(PickList, oneshot::Sender<Option<i64>>),
    Run(String, oneshot::Sender<Ran>),
    Suggest(String),
    /// Put this on the clipboard.
    Copy(String),
    /// The request is over. How it ended was an event before this.
    Over {
        /// Whether a model was asked, so that the question is part of the conversation.
        was_asked: bool,
        /// What the person said too late for the model to hear.
        unheard: Vec<String>,
    },
}

/// The result of a command in the live shell, and the shell's directory and environment after it.
pub(super) struct Ran {
    pub(super) result: Result<ShellResult, String>,
    pub(super) place: Option<ShellPlace>,
}

/// Where the live shell is and what it exports, to be looked up by the agent's thread.
pub(super) struct ShellPlace {
    pub(super) shell: Child,
    /// The directory that its hook has reported, in case the system does not tell.
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
    /// The keys a person gave us to keep.
    pub(super) keys: Option<PathBuf>,
    /// The servers of this machine that the person has agreed to use.
    pub(super) servers: Option<PathBuf>,
    /// The configuration, and the state in which it was read.
    pub(super) config: Option<PathBuf>,
    pub(super) stamp: config::Stamp,
    pub(super) settings: Settings,
    /// The nonce of the shell's marks, which no model may see.
    pub(super) nonce: String,
    pub(super) conversations: ConversationRecorder,
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

    /// Gives an order; false if the thread is gone.
    pub(super) fn order(&self, order: Order) -> bool {
        self.open.set(self.open.get() + 1);
        self.orders.send(order).is_ok()
    }

    /// Has a secret masked in everything that a model sees from here on.
    pub(super) fn keep_secret(&self, secret: String) {
        // A thread that is gone shows nothing to a model.
        let _ = self.orders.send(Order::KeepSecret(secret));
    }

    /// Whether the thread has ended, which only a panic does.
    pub(super) fn is_gone(&self) -> bool {
        self.gone.get()
    }

    /// Whether an order is being carried out.
    pub(super) fn is_busy(&self) -> bool {
        self.open.get() > 0
    }

    /// Takes the news there is. Never waits.
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
            // There is room in the queue again.
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
    /// What the person says meanwhile. Only the agent's thread uses this.
    steering: Arc<Mutex<Option<UnboundedReceiver<String>>>>,
    /// News held back until the built-in rules have spoken; none while nothing is held back.
    held: Arc<Mutex<Option<Vec<News>>>>,
    /// The built-in rules' words, shown if the model does not answer.
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

    /// Keeps the rules' words for the case that the model does not answer.
    fn keep(&self, words: String) {
        if let Ok(mut reserve) = self.reserve.lock() {
            *reserve = Some(words);
        }
    }

    fn drop_kept(&self) -> Option<String> {
        self.reserve.lock().ok()?.take()
    }

    /// Sends the rules' words that were kept. Returns whether there were any.
    fn say_kept(&self) -> bool {
        self.drop_kept().map(|words| self.transmit(News::Words(words))).is_some()
    }

    fn send(&self, news: News) {
        match &news {
            // The model is in trouble: the rules' words are shown first.
            News::Event(Event::Retrying { .. } | Event::Finished(Ending::Failed(_))) => {
                self.say_kept();
            }
            // The model answers: the rules' words are not needed.
            News::Event(Event::Text(_) | Event::CallStarted { .. }) => {
                self.drop_kept();
            }
            News::Event(
                Event::StepStarted { .. }
                | Event::Model(_)
                | Event::Thinking(_)
                | Event::CallOutput { .. }
                | Event::CallFinished { .. }
                | Event::Usage(_)
                | Event::Compacted { .. }
                | Event::Steered(_)
                | Event::Notice(_)
                | Event::Finished(Ending::Answered | Ending::Interrupted | Ending::StepLimit),
            )
            | News::Words(_)
            | News::Approve(..)
            | News::Ask(..)
            | News::Pick(..)
            | News::Run(..)
            | News::Suggest(_)
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

    /// Closes the steering. Returns what the person said and the model did not hear.
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

    /// Waits for news and counts it, until `wanted` have come or the thread is gone.
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
    fn a_thread_that_is_gone_is_noticed() {
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
