//! The agent's thread: takes orders, runs turns, appends their exchanges.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use nix::unistd::{Uid, User};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::agent::{Conversation, ConversationId, Exchange, Front, Kit, Query, ShellView, Turn};
use crate::chat::{Ending, Event, Failure, FailureKind, Usage};
use crate::guard::{PermissionMode, Permissions, PrivateTemp, Redactor};
use crate::provider::{Finder, Http, ModelPreference, Resolved};
use crate::reflex::RulesRole;
use crate::store::{ConversationLog, ConversationRecorder, PAUSED, QueryId};
use crate::tool::{ChangeKeeper, Ports};
use crate::undo::Ledger;

use super::super::workspace::Exported;
use super::aid::{self, RulesTask, Said};
use super::consent::{Declined, Gate};
use super::hooks::{AnswerHooks, SessionHooks};
use super::own_commands::OwnCommandCall;
use super::resume::SETTLING;
use super::slash::AgentCommand;
use super::{AgentSetup, News, Order, Question, RequestLink};

/// Handles orders until the session ends. Running answers are dropped then, with their processes.
pub(super) async fn run(mut orders: UnboundedReceiver<Order>, link: RequestLink, setup: AgentSetup) {
    let mut thread = AgentThread::new(link, setup);
    let mut answers = JoinSet::new();
    loop {
        tokio::select! {
            // An answer that is over is appended before the next question is asked.
            biased;
            Some(Ok(over)) = answers.join_next() => thread.take_back(over),
            order = orders.recv() => match order {
                None => return thread.hooks.end("prompt_input_exit"),
                Some(Order::KeepSecret(secret)) => thread.redactor.learn_secret(NONCE, &secret),
                Some(Order::Answer(question)) => thread.take_question(*question, &mut answers).await,
                Some(Order::Command(command, mut query, exported, cancel)) => {
                    thread.complete(&mut query.view, exported).await;
                    let ending = thread.carry_out(command, &query, &cancel).await;
                    thread.link.hear(Event::Finished(ending));
                    thread.link.over(false);
                }
            },
        }
    }
}

/// An answer that is over: its exchange (none after a panic), and its link.
struct FinishedAnswer {
    exchange: Option<(ConversationId, Exchange)>,
    link: RequestLink,
    /// Whether a model was asked.
    was_asked: bool,
    has_failed: bool,
    /// Whether the model runs on this machine, where it costs nothing.
    is_here: bool,
}

impl FinishedAnswer {
    /// An answer without a model.
    fn without_a_model(link: RequestLink) -> FinishedAnswer {
        FinishedAnswer { exchange: None, link, was_asked: false, has_failed: false, is_here: false }
    }
}

/// A turn that is ready to run, its conversation, and the consent that it needs.
struct Pending {
    turn: Turn,
    conversation: ConversationId,
    gate: Option<Gate>,
    hooks: AnswerHooks,
}

/// Runs a turn on a task of its own. A panic ends only this turn.
async fn answer(pending: Pending, query: Query, link: RequestLink) -> FinishedAnswer {
    let Pending { mut turn, conversation, gate, hooks } = pending;
    if let Some(gate) = gate {
        let ending = match turn.cancel.run_until_cancelled(gate.opens(&link)).await {
            Some(true) => None,
            Some(false) => {
                link.say_kept();
                link.say(News::Words(gate.refusal()));
                Some(Ending::Answered)
            }
            None => Some(Ending::Interrupted),
        };
        if let Some(ending) = ending {
            link.hear(Event::Finished(ending));
            return FinishedAnswer::without_a_model(link);
        }
    }
    let cancel = turn.cancel.clone();
    let equipped = hooks.equip(Arc::make_mut(&mut turn.kit), &query.view, &link);
    if cancel.run_until_cancelled(equipped).await.is_none() {
        link.hear(Event::Finished(Ending::Interrupted));
        return FinishedAnswer::without_a_model(link);
    }
    let is_here = turn.kit.model.is_here();
    match AssertUnwindSafe(turn.run(query)).catch_unwind().await {
        Ok(exchange) => {
            let has_failed = matches!(exchange.ending, Ending::Failed(_));
            FinishedAnswer { exchange: Some((conversation, exchange)), link, was_asked: true, has_failed, is_here }
        }
        Err(_) => {
            link.hear(Event::Finished(Ending::Failed(Failure::new(FailureKind::Crash, CRASHED))));
            FinishedAnswer { exchange: None, link, was_asked: true, has_failed: true, is_here }
        }
    }
}

/// Advice on how to empty a file, if the whole question is a file's name: in a plain shell `> some.log` would empty it.
fn redirection_advice(query: &Query) -> Option<String> {
    let name = query.text.trim();
    let is_one_word = !name.is_empty() && !name.contains(char::is_whitespace);
    let is_file = is_one_word && query.view.cwd.join(name).is_file();
    is_file.then(|| format!("this asked about `{name}` and did not empty it; to empty it, run `: > {name}`"))
}

/// Shown once in a session that records nothing.
const IN_MEMORY: &str =
    "this conversation is in memory only: recording is off (`history.enabled`, `conversations.enabled`)";

/// Shown when a request panicked.
pub(in crate::session) const CRASHED: &str = "the agent crashed; your shell is unaffected, and you can ask again";

impl RequestLink {
    fn over(&self, was_asked: bool) {
        self.drop_kept();
        let unheard = self.close();
        self.say(News::Over { was_asked, unheard });
    }
}

/// The name of the user. Looking it up may take a network request.
fn user_name() -> String {
    User::from_uid(Uid::effective()).ok().flatten().map(|user| user.name).unwrap_or_default()
}

/// The label that the model reads in place of the nonce.
const NONCE: &str = "session nonce";

/// The label in place of a key or header of the configuration.
const CONFIGURED: &str = "configured secret";

/// The ports of an answer that reports over this link.
pub(super) fn ports(link: &Arc<RequestLink>) -> Ports {
    Ports { shell: Some(link.clone()), asker: Some(link.clone()), changes: None }
}

/// What the person was told in this session.
#[derive(Debug, Default)]
pub(super) struct Notified {
    /// The host that was asked last.
    pub(super) host: Option<String>,
    /// The model whose name was shown last.
    pub(super) model: Option<String>,
    /// Why the model for requests beside the conversation is not used.
    pub(super) fast: Option<String>,
    /// The models of which they know that their price is unknown.
    pub(super) unpriced: HashSet<String>,
    /// Whether they know that conversations are not recorded.
    unrecorded: bool,
}

/// The state of the agent's thread: the conversation, and everything its answers need.
pub(super) struct AgentThread {
    pub(super) link: RequestLink,
    pub(super) setup: AgentSetup,
    pub(super) finder: Finder,
    /// The choice made with `/model` and `/thinking`.
    pub(super) preference: ModelPreference,
    /// The model that the shell's environment named at the last order; the outer `None` means that there was no order yet.
    pub(super) named: Option<Option<String>>,
    pub(super) told: Notified,
    pub(super) declined: Declined,
    pub(super) conversation: Conversation,
    /// Where the conversation is recorded.
    pub(super) log: ConversationLog,
    /// What the agent changed in the conversation.
    pub(super) ledger: Arc<Ledger>,
    /// The tokens of conversations that are over, and of summaries that the person asked for.
    spent: Usage,
    /// What the agent may do. The grants and the chosen mode outlive a conversation.
    pub(super) permissions: Permissions,
    /// The temporary directory of commands.
    temp: PrivateTemp,
    /// Outlives a conversation: the number of a masked secret must not be used for another one.
    pub(super) redactor: Redactor,
    pub(super) hooks: SessionHooks,
}

impl AgentThread {
    pub(super) fn new(link: RequestLink, setup: AgentSetup) -> AgentThread {
        let redactor = Redactor::new(setup.settings.masking.clone());
        redactor.learn_secret(NONCE, &setup.nonce);
        let permissions = setup.settings.permissions(setup.grants.clone());
        AgentThread {
            link,
            finder: Finder::new(Http::new(setup.settings.agent.patience())),
            log: setup.conversations.begin(),
            ledger: Arc::default(),
            hooks: SessionHooks::new(&setup),
            setup,
            preference: ModelPreference::default(),
            named: None,
            told: Notified::default(),
            declined: Declined::default(),
            conversation: Conversation::default(),
            spent: Usage::default(),
            permissions,
            temp: PrivateTemp::default(),
            redactor,
        }
    }

    /// Adds to a view of the shell the facts for which the session's loop does not wait: the environment, and the name of the
    /// user.
    async fn complete(&self, view: &mut ShellView, exported: Exported) {
        view.environment = exported.read().await;
        view.user.clone_from(self.setup.user.get_or_init(user_name));
    }

    /// Starts the answer to a question: by the built-in rules, by a model, or by both.
    async fn take_question(&mut self, question: Question, answers: &mut JoinSet<FinishedAnswer>) {
        let Question { number, mut query, exported, cancel, steering } = question;
        self.complete(&mut query.view, exported).await;
        let link = self.link.of(number, steering);
        if let Some(advice) = redirection_advice(&query) {
            link.hear(Event::Notice(advice));
        }
        self.catch_up(&query.view, &link);
        let mut model = None;
        match self.own_command(&query) {
            OwnCommandCall::Question => {}
            OwnCommandCall::Called(called) => (query.text, model) = (called.text, called.model),
            OwnCommandCall::Refused(words) => {
                link.say(News::Words(words));
                link.hear(Event::Finished(Ending::Answered));
                return link.over(false);
            }
        }
        let role = self.setup.settings.reflex;
        let rules = match (role != RulesRole::Off).then(|| RulesTask::ask(&query, self.history())).flatten() {
            Some(rules) if rules.are_asked_for_a_fix() => match rules.aid().await {
                Some(aid) if !aid.proposals.is_empty() => {
                    answers.spawn(async move {
                        aid::offer(aid, &link).await;
                        FinishedAnswer::without_a_model(link)
                    });
                    return;
                }
                aid => Said::kept(aid, &link),
            },
            Some(rules) => rules.speak_first(&link),
            None => Said::nothing(),
        };
        let pending = match role {
            RulesRole::Only => Ok(None),
            RulesRole::First | RulesRole::Off => self.prepare(model, &query.view, &link, cancel).await,
        };
        let ending = match pending {
            Ok(Some(pending)) => {
                answers.spawn(answer(pending, aid::for_a_model(query), link));
                return;
            }
            Ok(None) => {
                if !rules.have_spoken().await && !link.say_kept() {
                    link.say(News::Words(aid::without_a_model(role)));
                }
                Ending::Answered
            }
            Err(ending) => {
                rules.have_spoken().await;
                ending
            }
        };
        link.hear(Event::Finished(ending));
        link.over(false);
    }

    /// The database with the recorded commands.
    fn history(&self) -> Option<PathBuf> {
        self.setup.places.history.clone()
    }

    /// Prepares a turn that reports over this link, of this model if one is named. `None` if there is no model.
    async fn prepare(
        &mut self,
        model: Option<String>,
        view: &ShellView,
        link: &RequestLink,
        cancel: CancellationToken,
    ) -> Result<Option<Pending>, Ending> {
        let usual = self.preference.clone();
        let preference =
            model.map_or(usual, |name| ModelPreference { model: Some(name), ..ModelPreference::default() });
        // The person can cancel the wait for a server that does not answer.
        let resolved = match cancel.run_until_cancelled(self.resolve(&preference, view)).await {
            None => return Err(Ending::Interrupted),
            Some(Ok(Some(resolved))) => resolved,
            Some(Ok(None)) => return Ok(None),
            Some(Err(failure)) => return Err(Ending::Failed(failure)),
        };
        let gate = Gate::before(&resolved, self.setup.servers.as_deref(), &self.declined);
        if gate.as_ref().is_some_and(Gate::is_shut) {
            return Ok(None);
        }
        self.introduce(&resolved, link);
        match self.permissions.mode(&view.cwd, view.home()) {
            PermissionMode::Ask => {}
            mode @ (PermissionMode::Auto | PermissionMode::Plan) => link.hear(Event::Mode(mode.name().to_owned())),
        }
        if self.setup.settings.costs.is_set() {
            // The costs of the last question count too.
            self.setup.conversations.settled(SETTLING).await;
        }
        let fast = self.fast_model(view, link).await;
        let mut turn = self.turn(resolved, Arc::new(link.clone()), cancel);
        Arc::make_mut(&mut turn.kit).fast = fast;
        let hooks = self.hooks.for_question(view, link);
        Ok(Some(Pending { turn, conversation: self.conversation.id(), gate, hooks }))
    }

    /// A turn that continues the conversation.
    pub(super) fn turn(&self, resolved: Resolved, link: Arc<RequestLink>, cancel: CancellationToken) -> Turn {
        let (query, log) = (QueryId::fresh(), self.log_for_now());
        let changes = self.setup.keeper.as_ref().map(|keeper| {
            let front = Arc::clone(&link);
            let tell = move |words| front.hear(Event::Notice(words));
            Arc::new(keeper.for_query(query, Arc::clone(&self.ledger), log.clone(), tell)) as Arc<dyn ChangeKeeper>
        });
        Turn {
            query,
            kit: Arc::new(self.kit(resolved)),
            said: self.conversation.past().clone(),
            seen: self.conversation.seen(),
            ports: Ports { changes, ..ports(&link) },
            approver: link.clone(),
            front: link,
            cancel,
            log,
        }
    }

    /// Where what happens now is recorded: nowhere while the person has turned recording off, or paused it in this terminal.
    pub(super) fn log_for_now(&self) -> ConversationLog {
        let is_wanted = self.setup.conversations.is_on() && !self.setup.places.spill.join(PAUSED).exists();
        if is_wanted { self.log.clone() } else { ConversationRecorder::off().begin() }
    }

    pub(super) fn kit(&self, resolved: Resolved) -> Kit {
        self.finder.secrets().iter().for_each(|secret| self.redactor.learn_secret(CONFIGURED, secret));
        let AgentSetup { places, settings, .. } = &self.setup;
        let sandbox = settings.sandbox.confinement(self.temp.clone());
        let (permissions, redactor) = (self.permissions.clone(), self.redactor.clone());
        let mut kit = settings.agent.kit(resolved, Arc::clone(places), sandbox, permissions, redactor);
        kit.limits.cost = settings.costs;
        kit
    }

    /// Starts a conversation without messages.
    pub(super) fn begin_conversation(&mut self) {
        self.hooks.end("clear");
        self.hooks.begin("clear");
        self.spent += self.conversation.usage();
        self.conversation = Conversation::default();
        self.log.leave();
        self.log = self.setup.conversations.begin();
        self.ledger = Arc::default();
    }

    /// Adds tokens that belong to no exchange.
    pub(super) fn spend(&mut self, usage: Usage) {
        self.spent += usage;
    }

    /// The usage of all turns of this session.
    pub(super) fn usage(&self) -> Usage {
        let mut usage = self.spent;
        usage += self.conversation.usage();
        usage
    }

    fn take_back(&mut self, over: FinishedAnswer) {
        let FinishedAnswer { exchange, link, was_asked, has_failed, is_here } = over;
        if has_failed {
            self.finder.forget();
            self.told.model = None;
        }
        if let Some((_, exchange)) = &exchange
            && !is_here
        {
            self.mention_price(&exchange.model, exchange.usage, &link);
        }
        match exchange {
            Some((id, exchange)) if id == self.conversation.id() => {
                if exchange.compacted.is_some() {
                    self.hooks.begin("compact");
                }
                self.conversation.append(exchange);
            }
            // The person has started another conversation meanwhile.
            Some((_, exchange)) => self.spent += exchange.usage,
            None => {}
        }
        if let Some(trouble) = self.setup.conversations.trouble() {
            link.hear(Event::Notice(trouble));
        }
        if was_asked && !self.setup.conversations.is_on() && !std::mem::replace(&mut self.told.unrecorded, true) {
            link.hear(Event::Notice(IN_MEMORY.to_owned()));
        }
        link.over(was_asked);
    }

    async fn carry_out(&mut self, command: AgentCommand, query: &Query, cancel: &CancellationToken) -> Ending {
        let link = self.link.clone();
        self.catch_up(&query.view, &link);
        match cancel.run_until_cancelled(self.command(command, query)).await {
            None => Ending::Interrupted,
            Some(words) => {
                self.link.say(News::Words(words));
                Ending::Answered
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::{Delta, Effort, ModelRequest, Provider, ProviderError};
    use futures_util::future::BoxFuture;
    use std::sync::mpsc::sync_channel;

    /// A model whose code panics.
    struct Broken;

    impl Provider for Broken {
        fn stream<'a>(
            &'a self,
            _: &'a ModelRequest,
            _: &'a mut (dyn FnMut(Delta) + Send),
        ) -> BoxFuture<'a, Result<(), ProviderError>> {
            panic!("as the test wants it")
        }
    }

    #[test]
    fn an_answer_that_ends_after_new_is_counted_but_not_appended() {
        let (tell, _news) = sync_channel(100);
        let mut thread = AgentThread::new(RequestLink::scripted(tell), AgentSetup::default());
        let exchange = || Exchange {
            query: Default::default(),
            question: "q".into(),
            window: Default::default(),
            compacted: None,
            messages: vec![crate::chat::Message::user("why")],
            model: "m".into(),
            usage: Usage { input: 3, ..Usage::default() },
            timing: crate::chat::Timing::ZERO,
            ending: Ending::Answered,
            seen: Default::default(),
        };
        let over = |thread: &AgentThread| {
            let exchange = Some((thread.conversation.id(), exchange()));
            FinishedAnswer { exchange, link: thread.link.clone(), was_asked: true, has_failed: false, is_here: true }
        };
        let (one, late) = (over(&thread), over(&thread));
        thread.take_back(one);
        assert_eq!(thread.conversation.window().len(), 2, "the question, and a stand-in for its answer");
        thread.begin_conversation();
        thread.take_back(late);
        assert!(thread.conversation.window().is_empty());
        assert_eq!(thread.usage().input, 6);
    }

    #[test]
    fn a_panic_ends_one_request_and_is_reported() {
        let (tell, news) = sync_channel(100);
        let link = RequestLink::scripted(tell);
        let mut thread = AgentThread::new(link.clone(), AgentSetup::default());
        let resolved = Resolved {
            provider: Arc::new(Broken),
            model: "x".into(),
            effort: Effort::default(),
            context_window: None,
            cache: Default::default(),
            vendor: "broken".into(),
            host: "localhost".into(),
            listener: None,
            window_source: Default::default(),
            facts: None,
            traits: crate::provider::ModelTraits::default(),
        };
        let turn = thread.turn(resolved, Arc::new(link.clone()), CancellationToken::new());
        let query = Query::scripted("why");
        let hooks = thread.hooks.for_question(&query.view, &link);
        let pending = Pending { turn, conversation: thread.conversation.id(), gate: None, hooks };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            thread.take_back(answer(pending, query, link).await);
        });
        let told: Vec<(u64, News)> = news.try_iter().collect();
        let is_crash = |news: &News| matches!(news, News::Event(Event::Finished(Ending::Failed(failure))) if failure.words == CRASHED);
        assert!(told.iter().any(|(number, news)| *number == 3 && is_crash(news)), "the person is told why");
        assert!(matches!(told.last(), Some((3, News::Over { .. }))), "and that it is over");
    }
}
