//! Who answers the agent's questions: the person at the terminal, if there is one.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::{BoxFuture, ready};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::voice::Voice;
use crate::agent::{Approval, Approver, Decision};
use crate::guard::Intent;
use crate::session::{self, Asked, Inquired, Look};
use crate::tool::{Answer, Asker, Question};
use crate::tty;

/// Asks the person, or decides without them.
pub(super) struct Person {
    says_yes: bool,
    refused: AtomicUsize,
    /// Whether there is a terminal to ask on.
    is_there: bool,
    desk: Arc<Desk>,
}

/// What a question on the terminal needs.
struct Desk {
    voice: Arc<Voice>,
    look: Look,
    cwd: PathBuf,
    cancel: CancellationToken,
    /// Held while a question has the terminal: questions are asked one at a time, and nobody exits before it is given back.
    terminal: Mutex<()>,
}

impl Person {
    pub(super) fn new(
        says_yes: bool,
        look: impl FnOnce() -> Look,
        cwd: PathBuf,
        voice: Arc<Voice>,
        cancel: CancellationToken,
    ) -> Person {
        let is_there = io::stderr().is_terminal() && tty::is_in_foreground();
        let look = if is_there { look() } else { Look::default() };
        let desk = Desk { voice, look, cwd, cancel, terminal: Mutex::new(()) };
        Person { says_yes, refused: AtomicUsize::new(0), is_there, desk: Arc::new(desk) }
    }

    /// Who the model may ask, if anybody.
    pub(super) fn asker(self: &Arc<Person>) -> Option<Arc<dyn Asker>> {
        self.is_there.then(|| self.clone() as Arc<dyn Asker>)
    }

    /// How many calls were refused because nobody could be asked. No question has the terminal after this.
    pub(super) fn dismiss(&self) -> usize {
        drop(self.desk.terminal.lock().unwrap_or_else(PoisonError::into_inner));
        self.refused.load(Ordering::Relaxed)
    }

    fn refuse(&self, goes_on: bool) -> Decision {
        if !goes_on {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        let why = "this runs without --yes, so nothing may be changed; say what you would have done".to_owned();
        Decision::Unasked { why }
    }
}

impl Desk {
    /// Asks on a thread of its own. The answer is `declined` if the person gives none.
    fn ask<T: Send + 'static>(
        self: Arc<Desk>,
        asked: impl FnOnce(oneshot::Sender<T>) -> Asked + Send + 'static,
        declined: T,
    ) -> BoxFuture<'static, T> {
        let (reply, answer) = oneshot::channel();
        tokio::task::spawn_blocking(move || {
            let answer = self.wait_for_answer(asked, || reply.is_closed());
            // The terminal is as it was before anybody goes on.
            let _ = reply.send(answer.unwrap_or(declined));
        });
        Box::pin(async move { answer.await.unwrap_or_else(|_| unreachable!("the thread always answers")) })
    }

    fn wait_for_answer<T>(
        &self,
        asked: impl FnOnce(oneshot::Sender<T>) -> Asked,
        is_over: impl Fn() -> bool,
    ) -> Option<T> {
        let _terminal = self.terminal.lock().unwrap_or_else(PoisonError::into_inner);
        self.voice.make_way();
        let (reply, mut answer) = oneshot::channel();
        match session::inquire(asked(reply), &self.look, &self.cwd, is_over) {
            Ok(Inquired::Answered | Inquired::TakenBack) => {}
            Ok(Inquired::Interrupted) => self.cancel.cancel(),
            Err(error) => tracing::warn!(%error, "a question could not be asked"),
        }
        answer.try_recv().ok()
    }
}

impl Approver for Person {
    fn approve(&self, request: Approval) -> BoxFuture<'static, Decision> {
        // Whether to go on after many steps is theirs alone.
        let goes_on = request.intent == Intent::Ask;
        if self.says_yes && !goes_on {
            return Box::pin(ready(Decision::Once));
        }
        // A program in the background must not touch the terminal.
        if !self.is_there || !tty::is_in_foreground() {
            return Box::pin(ready(self.refuse(goes_on)));
        }
        let no = Decision::No { why: None };
        self.desk.clone().ask(|reply| Asked::Approval(Box::new(request), reply), no)
    }
}

impl Asker for Person {
    fn ask(&self, question: Question) -> BoxFuture<'static, Answer> {
        self.desk.clone().ask(|reply| Asked::Question(question, reply), Answer::Declined)
    }
}
