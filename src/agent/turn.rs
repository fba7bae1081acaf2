//! One answer, from the query to the last word.

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

/// One answer in the making. Several may run at once; each joins the conversation as a whole when it is over.
pub(crate) struct Turn {
    pub kit: Arc<Kit>,
    /// The conversation so far.
    pub said: Vec<Message>,
    /// The files that the model knows.
    pub seen: Seen,
    pub front: Arc<dyn Front>,
    pub approver: Arc<dyn Approver>,
    pub ports: Ports,
    pub cancel: CancellationToken,
}

impl Turn {
    /// Answers a query and returns what was said. However it ends, the conversation can go on.
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
        unreachable!("a turn has an end")
    }

    /// Puts the query at the end of the request. Returns where its calls happen.
    fn ask(&self, query: Query, request: &mut Request) -> tool::Context {
        let Kit { redactor, places, limits, .. } = &*self.kit;
        let is_first = request.messages.is_empty();
        let assembled = context::assemble(&query, is_first, limits.events, places.history.as_deref(), redactor);
        assembled.notices.iter().for_each(|notice| self.front.hear(Event::Notice(notice.clone())));
        self.add(assembled.message(), request);
        self.place(query.view)
    }

    /// Adds a message that is not the model's own. Its secrets are masked first.
    fn add(&self, message: Message, request: &mut Request) {
        request.messages.push(masked(message, &self.kit.redactor));
    }

    /// Tells the model what the person has said meanwhile, behind all results. Returns whether there was anything.
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
            title: format!("{steps} steps so far: go on?"),
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
