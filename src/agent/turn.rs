//! One answer, from the query to its end.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::calls::{CallResult, StepCalls};
use super::context::{self, Fragment, Query, ShellView};
use super::conventions::{self, Nearby};
use super::front::{Approval, Approver, Decision, Front, WorkingContext};
use super::mask::masked;
use super::record::ExchangeRecord;
use super::skills::UnknownSkill;
use super::spending::RunningCost;
use super::step::{self, Step};
use super::stream::ModelAnswer;
use super::window::compact::{self, Reach};
use super::window::{Past, Transcript, request_bytes};
use super::{Exchange, Kit, hooks, stop};
use crate::chat::{Call, Ending, Event, Failure, FailureKind, Message, Part, Role, Usage};
use crate::guard::{GrantOffers, Intent};
use crate::provider::ModelRequest;
use crate::store::{ConversationLog, QueryId};
use crate::text;
use crate::tool::{self, Ports, Seen};

/// A running answer. Several can run at once. Each is appended to the conversation as a whole when it has ended.
pub(crate) struct Turn {
    pub query: QueryId,
    pub kit: Arc<Kit>,
    /// The conversation so far.
    pub said: Past,
    /// The files that the model has read.
    pub seen: Seen,
    pub front: Arc<dyn Front>,
    pub approver: Arc<dyn Approver>,
    pub ports: Ports,
    pub cancel: CancellationToken,
    /// Where the conversation is recorded.
    pub log: ConversationLog,
}

impl Turn {
    /// Answers a query and returns the exchange. However it ends, the conversation can continue.
    pub(crate) async fn run(mut self, query: Query) -> Exchange {
        let mut transcript = Transcript::new(std::mem::take(&mut self.said));
        self.learn_window().await;
        let scale = transcript.scale().of(&self.kit.model.name());
        *transcript.scale_mut() = scale;
        let ending = match self.over_recorded(&transcript, false).await {
            Some(words) => Ending::Failed(Failure::new(FailureKind::CostLimit, words)),
            None => self.answer(query, &mut transcript).await,
        };
        let (usage, timing) = (transcript.meter.usage(), transcript.meter.timing());
        let (question, record) = (std::mem::take(&mut transcript.question), std::mem::take(&mut transcript.record));
        let (messages, window, compacted) = transcript.into_compacted();
        let model = self.kit.model.name();
        let exchange = Exchange {
            query: self.query,
            question,
            messages,
            model,
            usage,
            timing,
            ending,
            seen: self.seen,
            window,
            compacted,
        };
        record.end(&exchange, &self.kit.model);
        self.front.hear(Event::Finished(exchange.ending.clone()));
        exchange
    }

    /// Summarises the conversation because the person asked for it; `focus` is what matters to them. Returns the shorter past, or
    /// nothing if there is nothing to summarise, and the tokens that the summary took.
    pub(crate) async fn compact(mut self, focus: &str) -> (Option<Past>, Usage) {
        let mut transcript = Transcript::new(std::mem::take(&mut self.said));
        self.learn_window().await;
        compact::shorten(&self, &mut transcript, Reach::ByHand(focus)).await;
        let usage = transcript.meter.usage();
        let (_, _, compacted) = transcript.into_compacted();
        (compacted, usage)
    }

    /// Finds out how large the model's window is, unless the person stops that.
    async fn learn_window(&mut self) {
        let Turn { kit, cancel, .. } = self;
        cancel.run_until_cancelled(Arc::make_mut(kit).model.learn_window()).await;
    }

    async fn answer(&mut self, query: Query, transcript: &mut Transcript) -> Ending {
        query.view.settled().await;
        self.write_for_hooks(transcript);
        let added = match self.hooks_before_question(&query.text).await {
            Ok(added) => added,
            Err(ending) => return ending,
        };
        let mut place = match self.ask(query, added, transcript) {
            Ok(place) => place,
            Err(unknown) => return Ending::Failed(Failure::new(FailureKind::Setup, unknown.to_string())),
        };
        self.front = transcript.record.listening(Arc::clone(&self.front), &self.kit.redactor);
        let (pause, mut continuations) = (self.kit.limits.steps.max(1), 0);
        for step in 1.. {
            if step > 1 && (step - 1) % pause == 0 && !self.may_go_on(step - 1, &place).await {
                return if self.cancel.is_cancelled() { Ending::Interrupted } else { Ending::StepLimit };
            }
            self.front.hear(Event::StepStarted { step });
            let ModelAnswer { message, stop } = match self.step(transcript).await {
                Step::Said(answer) => answer,
                Step::Interrupted(message) => {
                    transcript.say(message);
                    return Ending::Interrupted;
                }
                Step::TooLong { failure, .. } => return Ending::Failed(failure),
                Step::Failed(message, failure) => {
                    message.into_iter().for_each(|message| transcript.say(message));
                    return Ending::Failed(failure);
                }
            };
            let (message, ending) = stop::judge(message, stop, self.over_limits(transcript).await, &*self.front);
            let calls: Vec<Call> = message.calls().cloned().collect();
            transcript.say(message);
            if let Some(ending) = ending {
                if ending == Ending::Answered {
                    match self.take_steering(&place, transcript).await {
                        Ok(true) => continue,
                        Ok(false) => {}
                        Err(ending) => return ending,
                    }
                }
                if ending == Ending::Answered && self.hooks_go_on(continuations, &place, transcript).await {
                    continuations += 1;
                    continue;
                }
                return ending;
            }
            if let Some(ending) = self.make_calls(calls, &place, transcript).await {
                return ending;
            }
            if let Some(WorkingContext { cwd, environment }) = self.front.place() {
                self.kit.redactor.learn(&environment);
                place = tool::Context { cwd, environment, ..place };
            }
            if let Err(ending) = self.take_steering(&place, transcript).await {
                return ending;
            }
        }
        unreachable!("the loop returns when the turn ends")
    }

    /// Why the turn may go no further, if the day or the month has cost as much as it may. `has_asked` says whether it has begun.
    async fn over_recorded(&self, transcript: &Transcript, has_asked: bool) -> Option<String> {
        let Kit { limits, places, .. } = &*self.kit;
        let (started, cost) = (transcript.meter.timing().started, transcript.meter.usage().cost.unwrap_or(0.0));
        limits.cost.over_recorded(places.history.clone(), RunningCost { started, cost, has_asked }).await
    }

    /// Why the turn may make no further call, if it, the day or the month has cost as much as it may.
    async fn over_limits(&self, transcript: &Transcript) -> Option<String> {
        let over_query = self.kit.limits.cost.over_query(transcript.meter.usage().cost);
        if over_query.is_some() { over_query } else { self.over_recorded(transcript, true).await }
    }

    /// Runs the calls of a message and appends their results. Returns how the turn ends, if it does.
    async fn make_calls(&self, calls: Vec<Call>, place: &tool::Context, transcript: &mut Transcript) -> Option<Ending> {
        self.write_for_hooks(transcript);
        let mut results = StepCalls { turn: self, context: place }.perform(calls).await;
        self.add_conventions(&mut results, place, transcript);
        let ended = results.iter().find_map(|result| result.stop.as_deref().map(hooks::ended));
        let parts = results.into_iter().map(Part::from).collect();
        self.add(Message { role: Role::Tool, parts }, transcript);
        if self.cancel.is_cancelled() { Some(Ending::Interrupted) } else { ended }
    }

    /// Asks the model for its next message. A request that turns out to be too long is made shorter and sent again, as long as that
    /// makes a difference.
    async fn step(&self, transcript: &mut Transcript) -> Step {
        loop {
            let request = compact::fitting_request(self, transcript).await;
            self.front.hear(sent(&request, &self.kit, transcript));
            let before = transcript.meter.usage().input;
            let step = step::ask(self, &request, &mut transcript.meter).await;
            let counted = transcript.meter.usage().input - before;
            if transcript.scale_mut().learn(&request, counted) {
                let window = text::human::count(counted);
                self.front.hear(Event::Notice(format!("the server read only {window} tokens of the request")));
            }
            let window = match &step {
                Step::TooLong { window, .. } => *window,
                Step::Said(answer) if answer.is_cut_before_the_first_word() && self.is_long(&request, transcript) => {
                    None
                }
                Step::Said(_) | Step::Interrupted(_) | Step::Failed(..) => return step,
            };
            if !compact::after_overflow(self, transcript, &request, window).await {
                return step;
            }
        }
    }

    /// Whether a request fills so much of the window that the answer may have had no room.
    fn is_long(&self, request: &ModelRequest, transcript: &Transcript) -> bool {
        transcript.scale().tokens(request) > self.kit.budget(&transcript.past).trigger() / 2
    }

    /// Appends the query to the transcript, with what hooks have added. Returns the environment of its calls.
    fn ask(
        &self,
        query: Query,
        added: Option<Fragment>,
        transcript: &mut Transcript,
    ) -> Result<tool::Context, UnknownSkill> {
        let (asked, called) = self.kit.called_skill(&query)?;
        let (mut assembled, sent) = self.kit.assemble(&asked, &transcript.past, called);
        assembled.add(added);
        transcript.past.state.standing = sent;
        assembled.notices.iter().for_each(|notice| self.front.hear(Event::Notice(notice.clone())));
        let question = self.kit.redactor.mask(&query.text);
        let message = masked(assembled.message(), &self.kit.redactor);
        let record = ExchangeRecord::begin(&self.log, query.view.cwd.clone(), (self.query, &question), &message);
        transcript.ask(question, message, record);
        drop(asked);
        Ok(self.place(query.view))
    }

    /// Adds the conventions of the directories below the current one that the calls have touched, unless the model has them.
    fn add_conventions(&self, results: &mut [CallResult], place: &tool::Context, transcript: &Transcript) {
        if self.kit.limits.conventions {
            let cap = conventions::cap(self.kit.budget(&transcript.past).window);
            let nearby = Nearby::new(&place.cwd, place.home(), cap, &self.kit.redactor);
            nearby.add_to(results, || transcript.messages());
        }
    }

    /// Appends a message that is not from the model, with its secrets masked.
    pub(super) fn add(&self, message: Message, transcript: &mut Transcript) {
        transcript.say(masked(message, &self.kit.redactor));
    }

    /// Appends the messages that the person has sent meanwhile, after all results, with what hooks add to them. Returns whether there were
    /// any, or how the turn ends if a hook ends it.
    async fn take_steering(&self, place: &tool::Context, transcript: &mut Transcript) -> Result<bool, Ending> {
        let mut parts = Vec::new();
        for words in self.front.steered() {
            let Some(added) = self.hooks_before_steering(&words, place).await? else { continue };
            parts.extend(Some(added).filter(|added| !added.is_empty()).map(Part::Text));
            parts.push(Part::Text(context::steering(&words, &self.kit.redactor)));
        }
        let has_any = !parts.is_empty();
        if has_any {
            self.add(Message { role: Role::User, parts }, transcript);
        }
        Ok(has_any)
    }

    async fn may_go_on(&self, steps: u32, place: &tool::Context) -> bool {
        let question = Approval {
            title: format!("{steps} steps so far. Continue?"),
            tool: String::new(),
            intent: Intent::Ask,
            preview: None,
            offers: GrantOffers::default(),
            cwd: place.cwd.clone(),
            secrets: Vec::new(),
            weakness: None,
            is_contained: true,
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => false,
            decision = self.approver.approve(question) => match decision {
                Decision::Once | Decision::Granted { .. } | Decision::AutoMode | Decision::ByOption => true,
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

/// The event for a request that is sent now.
fn sent(request: &ModelRequest, kit: &Kit, transcript: &Transcript) -> Event {
    Event::RequestSent {
        model: kit.model.name(),
        messages: request.messages.len(),
        bytes: request_bytes(request),
        tokens: transcript.scale().tokens(request).into(),
    }
}
