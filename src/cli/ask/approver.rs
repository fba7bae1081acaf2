//! Approvals and questions of the agent, answered on the terminal if there is one.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::{BoxFuture, ready};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::writer::AnswerWriter;
use crate::agent::{Approval, Approver, Decision};
use crate::guard::Intent;
use crate::session::{self, Asked, Inquired, QuestionLook};
use crate::tool::{Asker, UserAnswer, UserQuestion};
use crate::tty;

/// Asks the user on the terminal, or decides without a terminal.
pub(super) struct TerminalApprover {
    approves_all: bool,
    refused: AtomicUsize,
    /// Whether stderr is a terminal and this process is in its foreground.
    has_terminal: bool,
    terminal: Arc<ApprovalTerminal>,
}

/// What is needed to ask on the terminal.
struct ApprovalTerminal {
    writer: Arc<AnswerWriter>,
    look: QuestionLook,
    cwd: PathBuf,
    cancel: CancellationToken,
    /// Held while a question uses the terminal. Questions are asked one at a time, and the program ends only after the terminal is
    /// restored.
    terminal: Mutex<()>,
}

impl TerminalApprover {
    pub(super) fn new(
        approves_all: bool,
        look: impl FnOnce() -> QuestionLook,
        cwd: PathBuf,
        writer: Arc<AnswerWriter>,
        cancel: CancellationToken,
    ) -> TerminalApprover {
        let has_terminal = io::stderr().is_terminal() && tty::is_in_foreground();
        let look = if has_terminal { look() } else { QuestionLook::default() };
        let terminal = ApprovalTerminal { writer, look, cwd, cancel, terminal: Mutex::new(()) };
        TerminalApprover { approves_all, refused: AtomicUsize::new(0), has_terminal, terminal: Arc::new(terminal) }
    }

    /// The port for questions of the model, if there is a terminal.
    pub(super) fn asker(self: &Arc<TerminalApprover>) -> Option<Arc<dyn Asker>> {
        self.has_terminal.then(|| self.clone() as Arc<dyn Asker>)
    }

    /// Waits until no question uses the terminal. Returns how many calls were refused because there was nobody to ask.
    pub(super) fn dismiss(&self) -> usize {
        drop(self.terminal.terminal.lock().unwrap_or_else(PoisonError::into_inner));
        self.refused.load(Ordering::Relaxed)
    }

    fn refuse(&self, goes_on: bool, writes_secrets: bool) -> Decision {
        if !goes_on {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        let why = match writes_secrets {
            true => {
                "a masked secret is put into a file only after a yes of the user, and there is no terminal to ask on"
            }
            false => "shellmate ask runs without --yes, so nothing may be changed; say what you would have done",
        };
        Decision::Unasked { why: why.to_owned() }
    }
}

impl ApprovalTerminal {
    /// Asks on a blocking thread. Without an answer it returns `declined`.
    fn ask<T: Send + 'static>(
        self: Arc<ApprovalTerminal>,
        asked: impl FnOnce(oneshot::Sender<T>) -> Asked + Send + 'static,
        declined: T,
    ) -> BoxFuture<'static, T> {
        let (reply, answer) = oneshot::channel();
        tokio::task::spawn_blocking(move || {
            let answer = self.wait_for_answer(asked, || reply.is_closed());
            // The terminal is restored before the answer is sent.
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
        self.writer.suspend();
        let (reply, mut answer) = oneshot::channel();
        let inquired = session::inquire(asked(reply), &self.look, &self.cwd, is_over);
        self.writer.resume();
        match inquired {
            Ok(Inquired::Answered | Inquired::TakenBack) => {}
            Ok(Inquired::Interrupted) => self.cancel.cancel(),
            Err(error) => tracing::warn!(%error, "a question could not be asked"),
        }
        answer.try_recv().ok()
    }
}

impl Approver for TerminalApprover {
    fn approve(&self, request: Approval) -> BoxFuture<'static, Decision> {
        // Only the user may decide to continue after many steps.
        let goes_on = request.intent == Intent::Ask;
        // `--yes` does not hand out secrets.
        let writes_secrets = !request.secrets.is_empty();
        if self.approves_all && !goes_on && !writes_secrets {
            return Box::pin(ready(Decision::ByOption));
        }
        // A background process must not use the terminal.
        if !self.has_terminal || !tty::is_in_foreground() {
            return Box::pin(ready(self.refuse(goes_on, writes_secrets)));
        }
        let no = Decision::No { why: None };
        self.terminal.clone().ask(|reply| Asked::Approval(Box::new(request), reply), no)
    }
}

impl Asker for TerminalApprover {
    fn ask(&self, question: UserQuestion) -> BoxFuture<'static, UserAnswer> {
        self.terminal.clone().ask(|reply| Asked::Question(question, reply), UserAnswer::Declined)
    }
}
