//! What the agent's thread does all day.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use futures_util::FutureExt;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, Front, Query, Setup, ShellView, Voices};
use crate::chat::{Ending, Event, Failure, FailureKind};
use crate::provider::{Finder, Http, Resolved, Wish};
use crate::reflex::Role;
use crate::tool::{Ports, Registry};

use super::aid::{self, Rules, Said};
use super::consent::{Declined, Gate};
use super::slash::AgentCommand;
use super::{Line, News, Order, Places, Question};

/// Takes orders until the session is gone; what is being answered then is dropped, processes included.
pub(super) async fn obey(mut orders: UnboundedReceiver<Order>, line: Line, places: Places) {
    let mut mind = Mind::new(line, places);
    let mut answers = JoinSet::new();
    loop {
        tokio::select! {
            // An answer that is over belongs to the conversation before the next question is asked.
            biased;
            Some(Ok(over)) = answers.join_next() => mind.take_back(over),
            order = orders.recv() => match order {
                None => return,
                Some(Order::Answer(question)) => mind.see_to(*question, &mut answers).await,
                Some(Order::Command(command, query, cancel)) => {
                    let ending = mind.obey(command, &query, &cancel).await;
                    mind.line.hear(Event::Finished(ending));
                    mind.line.over(false);
                }
            },
        }
    }
}

/// An answer that is over: the agent that gave it, unless it broke, and whom to tell.
struct Over {
    twin: Option<Agent>,
    line: Line,
    /// Whether a model was asked.
    was_asked: bool,
    has_failed: bool,
}

impl Over {
    /// An answer without a model.
    fn without_a_model(line: Line) -> Over {
        Over { twin: None, line, was_asked: false, has_failed: false }
    }
}

/// An agent for one answer, and what the person must agree to first.
struct Twin {
    agent: Agent,
    gate: Option<Gate>,
}

/// Answers on a task of its own. If that panics, nothing else does.
async fn answer(twin: Twin, query: Query, cancel: CancellationToken, line: Line) -> Over {
    let Twin { agent: mut twin, gate } = twin;
    if let Some(gate) = gate {
        let ending = match cancel.run_until_cancelled(gate.opens(&line)).await {
            Some(true) => None,
            Some(false) => {
                line.say_kept();
                line.say(News::Words(gate.refusal()));
                Some(Ending::Answered)
            }
            None => Some(Ending::Interrupted),
        };
        if let Some(ending) = ending {
            line.hear(Event::Finished(ending));
            return Over::without_a_model(line);
        }
    }
    match AssertUnwindSafe(twin.turn(query, cancel)).catch_unwind().await {
        Ok(ending) => Over { twin: Some(twin), line, was_asked: true, has_failed: matches!(ending, Ending::Failed(_)) },
        Err(_) => {
            line.hear(Event::Finished(Ending::Failed(Failure::new(FailureKind::Crash, CRASHED))));
            Over { twin: None, line, was_asked: true, has_failed: true }
        }
    }
}

/// How to empty a file, where the whole question is the name of one: in a plain shell `> some.log` would have emptied it.
fn redirection_advice(query: &Query) -> Option<String> {
    let name = query.text.trim();
    let is_one_word = !name.is_empty() && !name.contains(char::is_whitespace);
    let is_file = is_one_word && query.view.cwd.join(name).is_file();
    is_file.then(|| format!("`{name}` was asked about, not emptied; to empty it: `: > {name}`"))
}

/// What a person is told whose request met a bug of ours.
pub(in crate::session) const CRASHED: &str =
    "the agent has crashed (the log says where); your shell goes on, and so does the next `> `";

impl Line {
    fn over(&self, was_asked: bool) {
        self.drop_kept();
        let unheard = self.close();
        self.say(News::Over { was_asked, unheard });
    }
}

impl Places {
    /// Has the nonce of the shell's marks masked in all that a model sees.
    fn hide_nonce(&self, agent: &Agent) {
        let nonce = self.nonce.lock().unwrap_or_else(PoisonError::into_inner);
        agent.redactor().learn_secret("session nonce", &nonce);
    }
}

/// One conversation, and what it needs to begin.
pub(super) struct Mind {
    pub(super) line: Line,
    pub(super) places: Places,
    pub(super) finder: Finder,
    /// What `/model` and `/thinking` ask for.
    pub(super) wish: Wish,
    /// The model that the shell's environment named at the last order; the outer `None` before the first.
    pub(super) named: Option<Option<String>>,
    /// The host that was asked last.
    pub(super) host: Option<String>,
    /// The model whose name the person has seen.
    pub(super) introduced: Option<String>,
    pub(super) declined: Declined,
    pub(super) agent: Option<Agent>,
}

impl Mind {
    fn new(line: Line, places: Places) -> Mind {
        Mind {
            line,
            finder: Finder::new(Http::new(places.settings.agent.patience())),
            places,
            wish: Wish::default(),
            named: None,
            host: None,
            introduced: None,
            declined: Declined::default(),
            agent: None,
        }
    }

    /// Has a question answered: by the rules, by a model, or by both.
    async fn see_to(&mut self, question: Question, answers: &mut JoinSet<Over>) {
        let Question { number, query, cancel, steering } = question;
        let line = self.line.of(number, steering);
        if let Some(advice) = redirection_advice(&query) {
            line.hear(Event::Notice(advice));
        }
        self.catch_up(&query.view, &line);
        let role = self.places.settings.reflex;
        let rules = match (role != Role::Off).then(|| Rules::ask(&query, self.history())).flatten() {
            Some(rules) if rules.are_asked_for_a_fix() => match rules.aid().await {
                Some(aid) if !aid.proposals.is_empty() => {
                    answers.spawn(async move {
                        aid::offer(aid, &line).await;
                        Over::without_a_model(line)
                    });
                    return;
                }
                aid => Said::kept(aid, &line),
            },
            Some(rules) => rules.speak_first(&line),
            None => Said::nothing(),
        };
        let twin = match role {
            Role::Only => Ok(None),
            Role::First | Role::Off => self.twin(&query.view, &line, &cancel).await,
        };
        let ending = match twin {
            Ok(Some(twin)) => {
                answers.spawn(answer(twin, aid::for_a_model(query), cancel, line));
                return;
            }
            Ok(None) => {
                if !rules.have_spoken().await && !line.say_kept() {
                    line.say(News::Words(aid::without_a_model(role)));
                }
                Ending::Answered
            }
            Err(ending) => {
                rules.have_spoken().await;
                ending
            }
        };
        line.hear(Event::Finished(ending));
        line.over(false);
    }

    /// The database with the recorded commands.
    fn history(&self) -> Option<PathBuf> {
        self.places.history.clone()
    }

    /// Someone to answer one question, heard over this line; nobody if there is no model.
    async fn twin(
        &mut self,
        view: &ShellView,
        line: &Line,
        cancel: &CancellationToken,
    ) -> Result<Option<Twin>, Ending> {
        let wish = self.wish.clone();
        // A server that does not answer is not waited for longer than the person likes.
        let resolved = match cancel.run_until_cancelled(self.resolve(&wish, view)).await {
            None => return Err(Ending::Interrupted),
            Some(Ok(Some(resolved))) => resolved,
            Some(Ok(None)) => return Ok(None),
            Some(Err(failure)) => return Err(Ending::Failed(failure)),
        };
        let gate = Gate::before(&resolved, self.places.servers.as_deref(), &self.declined);
        if gate.as_ref().is_some_and(Gate::is_shut) {
            return Ok(None);
        }
        self.connect(resolved, line);
        let front = Arc::new(line.clone());
        let voices = Voices { registry: self.registry(&front), approver: front.clone(), front };
        Ok(self.agent.as_ref().map(|agent| {
            self.places.hide_nonce(agent);
            Twin { agent: agent.fork(voices), gate }
        }))
    }

    fn take_back(&mut self, over: Over) {
        let Over { twin, line, was_asked, has_failed } = over;
        if has_failed {
            self.finder.forget();
            self.introduced = None;
        }
        if let (Some(agent), Some(twin)) = (&mut self.agent, twin) {
            agent.join(twin);
        }
        line.over(was_asked);
    }

    async fn obey(&mut self, command: AgentCommand, query: &Query, cancel: &CancellationToken) -> Ending {
        let line = self.line.clone();
        self.catch_up(&query.view, &line);
        match cancel.run_until_cancelled(self.command(command, query)).await {
            None => Ending::Interrupted,
            Some(words) => {
                self.line.say(News::Words(words));
                Ending::Answered
            }
        }
    }

    pub(super) fn begin(&self, resolved: Resolved) -> Agent {
        let line = Arc::new(self.line.clone());
        let agent = Agent::new(Setup {
            resolved,
            registry: self.registry(&line),
            front: line.clone(),
            approver: line,
            spill: self.places.workspace.clone(),
            history: self.places.history.clone(),
            private: self.places.private.clone(),
            masking: self.places.settings.masking.clone(),
            limits: self.places.settings.agent.limits(),
        });
        self.places.hide_nonce(&agent);
        agent
    }

    fn registry(&self, line: &Arc<Line>) -> Registry {
        let ports = Ports { shell: Some(line.clone()), asker: Some(line.clone()) };
        Registry::standard(ports, self.places.settings.agent.timeouts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::{Delta, Effort, Provider, ProviderError, Request};
    use futures_util::future::BoxFuture;
    use std::os::unix::net::UnixStream;
    use std::sync::mpsc::sync_channel;

    /// A model with a bug on our side of it.
    struct Broken;

    impl Provider for Broken {
        fn name(&self) -> &str {
            "broken"
        }

        fn stream<'a>(
            &'a self,
            _: &'a Request,
            _: &'a mut (dyn FnMut(Delta) + Send),
        ) -> BoxFuture<'a, Result<(), ProviderError>> {
            panic!("as the test wants it")
        }
    }

    #[test]
    fn a_panic_ends_one_request_and_is_told() {
        let (tell, news) = sync_channel(100);
        let (_wake, awaken) = UnixStream::pair().unwrap();
        let line = Line {
            number: 3,
            tell,
            awaken: Arc::new(awaken),
            place: Arc::default(),
            steering: Arc::default(),
            held: Arc::default(),
            reserve: Arc::default(),
        };
        let places = Places {
            workspace: Default::default(),
            history: None,
            private: Vec::new(),
            keys: None,
            servers: None,
            config: None,
            stamp: Default::default(),
            settings: Default::default(),
            nonce: Default::default(),
        };
        let mut mind = Mind::new(line.clone(), places);
        let resolved = Resolved {
            provider: Arc::new(Broken),
            model: "x".into(),
            effort: Effort::default(),
            context_window: None,
            vendor: "broken".into(),
            host: "localhost".into(),
            discovered: None,
        };
        let twin = Twin { agent: mind.begin(resolved), gate: None };
        let view = ShellView {
            cwd: "/".into(),
            environment: Vec::new(),
            shell: "bash".into(),
            host: "box".into(),
            user: "me".into(),
            happened: Vec::new(),
            last: None,
            screen: None,
        };
        let query = Query { text: "why".into(), view, attachments: Vec::new(), stdin: None };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let cancel = CancellationToken::new();
            mind.take_back(answer(twin, query, cancel, line).await);
        });
        let told: Vec<(u64, News)> = news.try_iter().collect();
        let is_crash = |news: &News| matches!(news, News::Event(Event::Finished(Ending::Failed(failure))) if failure.words == CRASHED);
        assert!(told.iter().any(|(number, news)| *number == 3 && is_crash(news)), "the person is told why");
        assert!(matches!(told.last(), Some((3, News::Over { .. }))), "and that it is over");
    }
}
