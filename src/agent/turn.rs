//! A turn, from the query to the last word.

use tokio_util::sync::CancellationToken;

use super::calls::Desk;
use super::context::{self, Query, ShellView};
use super::front::{Approval, Decision, Place};
use super::step::{self, Line, Step};
use super::stream::Answer;
use super::{Agent, stop};
use crate::chat::{Call, Ending, Event, Message, Part, Role};
use crate::guard::Intent;
use crate::tool;

impl Agent {
    /// Answers a query. However it ends, the conversation can go on.
    pub async fn turn(&mut self, query: Query, cancel: CancellationToken) -> Ending {
        let ending = self.answer(query, &cancel).await;
        self.front.hear(Event::Finished(ending.clone()));
        ending
    }

    async fn answer(&mut self, query: Query, cancel: &CancellationToken) -> Ending {
        query.view.settled().await;
        self.redactor.learn(&query.view.environment);
        let attached = context::attach(&query, self.history.as_deref(), &self.redactor);
        let message = context::message(&query, &attached, self.is_new(), self.limits.events, &self.redactor);
        let cuts = context::cuts(&query);
        attached.missing.into_iter().chain(cuts).for_each(|missing| self.front.hear(Event::Notice(missing)));
        self.add(message);
        let mut place = self.place(query.view);
        for step in 1.. {
            if step > 1 && (step - 1) % self.limits.steps.max(1) == 0 && !self.may_go_on(step - 1, &place, cancel).await
            {
                return if cancel.is_cancelled() { Ending::Interrupted } else { Ending::StepLimit };
            }
            self.front.hear(Event::StepStarted { step });
            let line = Line {
                provider: &*self.provider,
                front: &*self.front,
                policy: &self.policy,
                tellings: self.limits.tellings,
                cancel,
            };
            let asked = step::ask(line, &self.request, &mut self.usage).await;
            let Answer { message, stop } = match asked {
                Step::Said(answer) => answer,
                Step::Interrupted(message) => {
                    self.request.messages.push(message);
                    return Ending::Interrupted;
                }
                Step::Failed(message, failure) => {
                    self.request.messages.extend(message);
                    return Ending::Failed(failure);
                }
            };
            let (message, ending) = stop::judge(message, stop, &*self.front);
            let calls: Vec<Call> = message.calls().cloned().collect();
            self.request.messages.push(message);
            if let Some(ending) = ending {
                if ending == Ending::Answered && self.take_steering() {
                    continue;
                }
                return ending;
            }
            let results = self.perform(calls, &place, cancel).await;
            self.add(Message { role: Role::Tool, parts: results });
            if cancel.is_cancelled() {
                return Ending::Interrupted;
            }
            if let Some(Place { cwd, environment }) = self.front.place() {
                self.redactor.learn(&environment);
                place = tool::Context { cwd, environment, ..place };
            }
            self.take_steering();
        }
        unreachable!("a turn has an end")
    }

    /// Tells the model what the person has said meanwhile: behind all results, where a message may stand. Whether there was any.
    fn take_steering(&mut self) -> bool {
        let said = self.front.steered();
        for words in &said {
            let words = context::steering(words, &self.redactor);
            self.add(Message::user(words));
        }
        !said.is_empty()
    }

    /// Does what the model asks for; each call has a result, in the order they were made.
    async fn perform(&mut self, calls: Vec<Call>, place: &tool::Context, cancel: &CancellationToken) -> Vec<Part> {
        let mut desk = Desk {
            registry: &self.registry,
            front: &self.front,
            approver: &*self.approver,
            private: &self.private,
            grants: &mut self.grants,
            redactor: &self.redactor,
            context: place,
            cancel,
        };
        desk.perform(calls).await
    }

    async fn may_go_on(&self, steps: u32, place: &tool::Context, cancel: &CancellationToken) -> bool {
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
            () = cancel.cancelled() => false,
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
            spill: self.spill.clone(),
            history: self.history.clone(),
            seen: self.seen.clone(),
            redactor: self.redactor.clone(),
        }
    }
}
