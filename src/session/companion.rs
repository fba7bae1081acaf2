//! The agent's side of the session: a thread of its own, started by the first query.
//!
//! Orders go in, news comes out, each with the number of the request it is about; the session waits on one descriptor for both news and bytes. The agent holds no descriptor of
//! the user's terminal: whatever it wants of person or shell is news with a way to answer.

mod aid;
mod commands;
mod consent;
mod model;
mod orders;
mod sending;
mod settings;
mod slash;

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::agent::{Approval, Approver, Decision, Front, Place, Places, Query};
use crate::chat::{Ending, Event};
use crate::config;
use crate::tool::{self, Answer, Asker, ShellPort, ShellResult};

pub(super) use orders::CRASHED;
pub(super) use settings::Settings;
pub(super) use slash::{AgentCommand, Completes, SessionCommand, Slash, SlashCommand, commands, help, parse};

/// News that may wait to be heard; beyond this the agent waits for the screen.
const BACKLOG: usize = 1024;

/// The number of what is no request: words to the agent itself.
pub(super) const ITSELF: u64 = 0;

/// What the session wants of the agent.
pub(super) enum Order {
    Answer(Box<Question>),
    /// A slash command, with the state of the shell when it was typed.
    Command(AgentCommand, Box<Query>, CancellationToken),
    /// Mask this in everything that a model sees.
    KeepSecret(String),
}

/// A question to a model.
pub(super) struct Question {
    pub(super) number: u64,
    pub(super) query: Query,
    pub(super) cancel: CancellationToken,
    /// What the person says while it is being answered.
    pub(super) steering: UnboundedReceiver<String>,
}

/// What the session hears.
pub(super) enum News {
    Event(Event),
    /// Words of our own, not a model's.
    Words(String),
    Approve(Box<Approval>, oneshot::Sender<Decision>),
    Ask(tool::Question, oneshot::Sender<Answer>),
    Run(String, oneshot::Sender<Ran>),
    Suggest(String),
    /// Put this on the clipboard.
    Copy(String),
    /// Nothing more comes; how it ended was an event.
    Over {
        /// Whether it has become part of the conversation.
        was_asked: bool,
        /// What the person said too late for it.
        unheard: Vec<String>,
    },
}

/// What came of a command in the live shell, and where that has left it.
pub(super) struct Ran {
    pub(super) result: Result<ShellResult, String>,
    pub(super) place: Option<Place>,
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
}

/// The running thread.
pub(super) struct Companion {
    orders: UnboundedSender<Order>,
    news: Receiver<(u64, News)>,
    wake: UnixStream,
    /// Orders that are not over yet.
    open: Cell<usize>,
    gone: Cell<bool>,
}

impl Companion {
    pub(super) fn start(setup: AgentSetup) -> io::Result<Companion> {
        Companion::obeying(move |orders, line| orders::obey(orders, line, setup))
    }

    /// Starts a thread that does with its orders what `obey` says.
    fn obeying<F: Future<Output = ()>>(
        obey: impl FnOnce(UnboundedReceiver<Order>, Line) -> F + Send + 'static,
    ) -> io::Result<Companion> {
        let (wake, awaken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        awaken.set_nonblocking(true)?;
        let (tell, news) = sync_channel(BACKLOG);
        let (orders, incoming) = unbounded_channel();
        let line = Line {
            number: ITSELF,
            tell,
            awaken: Arc::new(awaken),
            place: Arc::default(),
            steering: Arc::default(),
            held: Arc::default(),
            reserve: Arc::default(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name("agent".into()).spawn(move || runtime.block_on(obey(incoming, line)))?;
        Ok(Companion { orders, news, wake, open: Cell::new(0), gone: Cell::new(false) })
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

    /// Whether the thread has ended, as only a panic makes it.
    pub(super) fn is_gone(&self) -> bool {
        self.gone.get()
    }

    /// Whether an order is being carried out.
    pub(super) fn is_busy(&self) -> bool {
        self.open.get() > 0
    }

    /// What is new.
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
        let over = news.iter().filter(|(_, news)| matches!(news, News::Over { .. })).count();
        self.gone.set(gone);
        self.open.set(if gone { 0 } else { self.open.get().saturating_sub(over) });
        news
    }
}

impl AsFd for Companion {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}

/// The agent's line to the session, for one request.
#[derive(Clone)]
pub(super) struct Line {
    number: u64,
    tell: SyncSender<(u64, News)>,
    awaken: Arc<UnixStream>,
    /// Where the live shell is, once a call has moved it. Only the agent's side holds this.
    place: Arc<Mutex<Option<Place>>>,
    /// What the person says meanwhile. Only the agent's side holds this too.
    steering: Arc<Mutex<Option<UnboundedReceiver<String>>>>,
    /// What has to wait until somebody else has spoken; none while nobody has to.
    held: Arc<Mutex<Option<Vec<News>>>>,
    /// What the rules say if the model does not answer.
    reserve: Arc<Mutex<Option<String>>>,
}

impl Line {
    fn say(&self, news: News) {
        match self.held.lock().ok().as_mut().and_then(|held| held.as_mut()) {
            Some(held) => held.push(news),
            None => self.send(news),
        }
    }

    /// Keeps everything that is said until it is released.
    fn hold(&self) {
        if let Ok(mut held) = self.held.lock() {
            *held = Some(Vec::new());
        }
    }

    /// Says what was to come first, and then what waited for it.
    fn release(&self, first: Option<News>) {
        let Ok(mut held) = self.held.lock() else { return };
        first.into_iter().chain(held.take().into_iter().flatten()).for_each(|news| self.send(news));
    }

    /// Keeps words of the rules for when the model does not answer.
    fn keep(&self, words: String) {
        if let Ok(mut reserve) = self.reserve.lock() {
            *reserve = Some(words);
        }
    }

    fn drop_kept(&self) -> Option<String> {
        self.reserve.lock().ok()?.take()
    }

    /// Says the words of the rules that were kept. Whether there were any.
    fn say_kept(&self) -> bool {
        self.drop_kept().map(|words| self.transmit(News::Words(words))).is_some()
    }

    fn send(&self, news: News) {
        match &news {
            // The rules know something while the model is in trouble.
            News::Event(Event::Retrying { .. } | Event::Finished(Ending::Failed(_))) => {
                self.say_kept();
            }
            // The model answers.
            News::Event(Event::Text(_) | Event::CallStarted { .. }) => {
                self.drop_kept();
            }
            _ => {}
        }
        self.transmit(news);
    }

    fn transmit(&self, news: News) {
        // A session that has ended hears nothing any more, and its thread is about to end too.
        let _ = self.tell.send((self.number, news));
        // A full pipe is a session that will wake up anyway.
        let _ = (&*self.awaken).write(&[1]);
    }

    /// The same line for another request, which says itself where the shell is.
    fn of(&self, number: u64, steering: UnboundedReceiver<String>) -> Line {
        let (tell, awaken) = (self.tell.clone(), Arc::clone(&self.awaken));
        Line {
            number,
            tell,
            awaken,
            place: Arc::default(),
            steering: Arc::new(Mutex::new(Some(steering))),
            held: Arc::default(),
            reserve: Arc::default(),
        }
    }

    /// Takes no more from the person; what they said and nobody heard.
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

impl Front for Line {
    fn hear(&self, event: Event) {
        self.say(News::Event(event));
    }

    fn place(&self) -> Option<Place> {
        self.place.lock().ok()?.clone()
    }

    fn steered(&self) -> Vec<String> {
        let Ok(mut steering) = self.steering.lock() else { return Vec::new() };
        std::iter::from_fn(|| steering.as_mut()?.try_recv().ok()).collect()
    }
}

impl Approver for Line {
    fn approve(&self, request: Approval) -> BoxFuture<'static, Decision> {
        self.ask(|reply| News::Approve(Box::new(request), reply), Decision::No { why: None })
    }
}

impl Asker for Line {
    fn ask(&self, question: tool::Question) -> BoxFuture<'static, Answer> {
        Line::ask(self, |reply| News::Ask(question, reply), Answer::Declined)
    }
}

impl ShellPort for Line {
    fn run(&self, command: String) -> BoxFuture<'static, Result<ShellResult, String>> {
        let nothing = Ran { result: Err("the shell did not run it".into()), place: None };
        let (ran, moved) = (self.ask(|reply| News::Run(command, reply), nothing), self.place.clone());
        Box::pin(async move {
            let Ran { result, place } = ran.await;
            if let (Some(place), Ok(mut moved)) = (place, moved.lock()) {
                *moved = Some(place);
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

    #[test]
    fn a_thread_that_is_gone_is_noticed() {
        let obey = |mut orders: UnboundedReceiver<Order>, line: Line| async move {
            orders.recv().await;
            line.say(News::Words("last words".into()));
            panic!("as the test wants it")
        };
        let companion = Companion::obeying(obey).unwrap();
        let question = |steering| Question {
            number: 1,
            query: Query {
                text: "why".into(),
                view: crate::agent::ShellView {
                    cwd: "/".into(),
                    environment: Vec::new(),
                    shell: "bash".into(),
                    host: "box".into(),
                    user: "me".into(),
                    happened: Vec::new(),
                    last: None,
                    screen: None,
                },
                attachments: Vec::new(),
                stdin: None,
            },
            cancel: CancellationToken::new(),
            steering,
        };
        assert!(companion.order(Order::Answer(Box::new(question(unbounded_channel().1)))));
        assert!(companion.is_busy());
        let mut heard = 0;
        while !companion.is_gone() {
            let mut waited = [nix::poll::PollFd::new(companion.as_fd(), nix::poll::PollFlags::POLLIN)];
            nix::poll::poll(&mut waited, 30_000_u16).unwrap();
            heard += companion.news().len();
        }
        assert_eq!(heard, 1, "what it said before is heard");
        assert!(!companion.is_busy());
        assert!(!companion.order(Order::Answer(Box::new(question(unbounded_channel().1)))));
    }
}
