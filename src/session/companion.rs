//! The agent's side of the session: a thread of its own, started by the first query.
//!
//! Orders go in, news comes out; the session waits on one descriptor for both news and bytes. The agent holds no descriptor of
//! the user's terminal: whatever it wants of person or shell is news with a way to answer.

mod orders;
mod slash;

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

pub(super) use slash::commands;

use crate::agent::{Approval, Approver, Decision, Front, Place, Query};
use crate::chat::{Ending, Event};
use crate::tool::{Answer, Asker, Question, ShellPort, ShellResult};

/// News that may wait to be heard; beyond this the agent waits for the screen.
const BACKLOG: usize = 1024;

/// What the session wants of the agent.
pub(super) enum Order {
    /// Answer this; `/words` are for the agent itself.
    Turn(Box<Query>, CancellationToken),
}

/// What the session hears.
pub(super) enum News {
    Event(Event),
    /// Words of our own, not a model's.
    Words(String),
    Approve(Box<Approval>, oneshot::Sender<Decision>),
    Ask(Question, oneshot::Sender<Answer>),
    Run(String, oneshot::Sender<Ran>),
    Suggest(String),
    /// Put this on the clipboard.
    Copy(String),
    Over(Ending),
}

/// What came of a command in the live shell, and where that has left it.
pub(super) struct Ran {
    pub(super) result: Result<ShellResult, String>,
    pub(super) place: Option<Place>,
}

/// Where the agent keeps and finds things.
#[derive(Debug, Clone)]
pub(super) struct Places {
    /// The session's private directory.
    pub(super) workspace: PathBuf,
    pub(super) history: Option<PathBuf>,
    /// Directories with our own memory, which no call may change.
    pub(super) private: Vec<PathBuf>,
}

/// The running thread.
pub(super) struct Companion {
    orders: UnboundedSender<Order>,
    news: Receiver<News>,
    wake: UnixStream,
    /// Orders that are not over yet.
    open: Cell<usize>,
    gone: Cell<bool>,
}

impl Companion {
    pub(super) fn start(places: Places) -> io::Result<Companion> {
        let (wake, awaken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        awaken.set_nonblocking(true)?;
        let (tell, news) = sync_channel(BACKLOG);
        let (orders, incoming) = unbounded_channel();
        let line = Line { tell, awaken: Arc::new(awaken), place: Arc::default() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new()
            .name("agent".into())
            .spawn(move || runtime.block_on(orders::obey(incoming, line, places)))?;
        Ok(Companion { orders, news, wake, open: Cell::new(0), gone: Cell::new(false) })
    }

    /// Gives an order; false if the thread is gone.
    pub(super) fn order(&self, order: Order) -> bool {
        self.open.set(self.open.get() + 1);
        self.orders.send(order).is_ok()
    }

    /// Whether the thread has ended, as only a panic makes it.
    pub(super) fn is_gone(&self) -> bool {
        self.gone.get()
    }

    /// Whether an order is being carried out.
    pub(super) fn is_busy(&self) -> bool {
        self.open.get() > 0
    }

    /// What is new. A thread that is gone has ended its turn.
    pub(super) fn news(&self) -> Vec<News> {
        let mut bytes = [0; 256];
        let gone = loop {
            match (&self.wake).read(&mut bytes) {
                Ok(0) => break true,
                Ok(_) => {}
                Err(_) => break false,
            }
        };
        let mut news: Vec<News> = self.news.try_iter().collect();
        if gone {
            self.gone.set(true);
            news.push(News::Over(Ending::Failed("the agent has crashed; `> ` starts it again".into())));
        }
        let over = news.iter().filter(|news| matches!(news, News::Over(_))).count();
        self.open.set(self.open.get().saturating_sub(over));
        news
    }
}

impl AsFd for Companion {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}

/// The agent's line to the session.
#[derive(Clone)]
pub(super) struct Line {
    tell: SyncSender<News>,
    awaken: Arc<UnixStream>,
    /// Where the live shell is, once a call has moved it. Only the agent's side holds this.
    place: Arc<Mutex<Option<Place>>>,
}

impl Line {
    fn say(&self, news: News) {
        // A session that has ended hears nothing any more, and its thread is about to end too.
        let _ = self.tell.send(news);
        // A full pipe is a session that will wake up anyway.
        let _ = (&*self.awaken).write(&[1]);
    }

    /// A new query says itself where the shell is.
    fn forget_place(&self) {
        if let Ok(mut place) = self.place.lock() {
            *place = None;
        }
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
}

impl Approver for Line {
    fn approve(&self, request: Approval) -> BoxFuture<'static, Decision> {
        self.ask(|reply| News::Approve(Box::new(request), reply), Decision::No { why: None })
    }
}

impl Asker for Line {
    fn ask(&self, question: Question) -> BoxFuture<'static, Answer> {
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
