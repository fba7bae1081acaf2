//! One answer, from the query to its end.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::calls::Calls;
use super::context::{self, Query, ShellView};
use super::front::{Approval, Approver, Decision, Front, Place};
use super::mask::masked;
use super::step::{self, Step};
use super::stream::Answer;
use super::{Exchange, Kit, stop};
use crate::chat::{Call, Ending, Event, Message, Part, Role, Usage};
use crate::guard::Intent;
use crate::provider::Request;
use crate::tool::{self, Ports, Seen};

/// A running answer. Several can run at once. Each is appended to the conversation as a whole when it has ended.
pub(crate) struct Turn {
    pub kit: Arc<Kit>,
    /// The conversation so far.
    pub said: Vec<Message>,
    /// The files that the model has read.
    pub seen: Seen,
    pub front: Arc<dyn Front>,
    pub approver: Arc<dyn Approver>,
    pub ports: Ports,
    pub cancel: CancellationToken,
}

impl Turn {
    /// Answers a query and returns the exchange. However it ends, the conversation can continue.
    pub(crate) async fn run(mut self, query: Query) -> Exchange {
        let said = std::mem::take(&mut self.said);
        let before = said.len();
        let mut request = self.kit.request(said, &self.ports);
        let mut usage = Usage::default();
        let ending = self.answer(query, &mut request, &mut usage).await;
        self.front.hear(Event::Finished(ending.clone()));
        let messages = request.messages.split_off(before);
        Exchange { messages, model: self.kit.model.name(), usage, ending, seen: self.seen }
    }

    async fn answer(&self, query: Query, request: &mut Request, usage: &mut Usage) -> Ending {
        query.view.settled().await;
        let mut place = self.ask(query, request);
        let pause = self.kit.limits.steps.max(1);
        for step in 1.. {
            if step > 1 && (step - 1) % pause == 0 && !self.may_go_on(step - 1, &place).await {
                return if self.cancel.is_cancelled() { Ending::Interrupted } else { Ending::StepLimit };
            }
            self.front.hear(Event::StepStarted { step });
            let Answer { message, stop } = match step::ask(self, request, usage).await {
                Step::Said(answer) => answer,
                Step::Interrupted(message) => {
                    request.messages.push(message);
                    return Ending::Interrupted;
                }
                Step::Failed(message, failure) => {
                    request.messages.extend(message);
                    return Ending::Failed(failure);
                }
            };
            let (message, ending) = stop::judge(message, stop, &*self.front);
            let calls: Vec<Call> = message.calls().cloned().collect();
            request.messages.push(message);
            if let Some(ending) = ending {
                if ending == Ending::Answered && self.take_steering(request) {
                    continue;
                }
                return ending;
            }
            let results = Calls { turn: self, context: &place }.perform(calls).await;
            self.add(Message { role: Role::Tool, parts: results }, request);
            if self.cancel.is_cancelled() {
                return Ending::Interrupted;
            }
            if let Some(Place { cwd, environment }) = self.front.place() {
                self.kit.redactor.learn(&environment);
                place = tool::Context { cwd, environment, ..place };
            }
            self.take_steering(request);
        }
        unreachable!("the loop returns when the turn ends")
    }

    /// Appends the query to the request. Returns the environment of its calls.
    fn ask(&self, query: Query, request: &mut Request) -> tool::Context {
        let Kit { redactor, places, limits, .. } = &*self.kit;
        let is_first = request.messages.is_empty();
        let assembled = context::assemble(&query, is_first, limits.events, places.history.as_deref(), redactor);
        assembled.notices.iter().for_each(|notice| self.front.hear(Event::Notice(notice.clone())));
        self.add(assembled.message(), request);
        self.place(query.view)
    }

    /// Appends a message that is not from the model, with its secrets masked.
    fn add(&self, message: Message, request: &mut Request) {
        request.messages.push(masked(message, &self.kit.redactor));
    }

    /// Appends the messages that the person has sent meanwhile, after all results. Returns whether there were any.
    fn take_steering(&self, request: &mut Request) -> bool {
        let words = self.front.steered();
        let parts: Vec<Part> =
            words.iter().map(|words| Part::Text(context::steering(words, &self.kit.redactor))).collect();
        let has_any = !parts.is_empty();
        if has_any {
            self.add(Message { role: Role::User, parts }, request);
        }
        has_any
    }

    async fn may_go_on(&self, steps: u32, place: &tool::Context) -> bool {
        let question = Approval {
            title: format!("{steps} steps so far: continue?"),
            tool: String::new(),
            intent: Intent::Ask,
            preview: None,
            lasting: None,
            cwd: place.cwd.clone(),
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => false,
            decision = self.approver.approve(question) => match decision {
                Decision::Once | Decision::ForSession => true,
                Decision::No { .. } | Decision::Unasked { .. } => false,
            },
        }
    }

    fn place(&self, view: ShellView) -> tool::Context {
        tool::Context {
            cwd: view.cwd,
            environment: view.environment,
            spill: self.kit.places.spill.clone(),
            history: self.kit.places.history.clone(),
            seen: self.seen.clone(),
            redactor: self.kit.redactor.clone(),
            ports: self.ports.clone(),
        }
    }
}
