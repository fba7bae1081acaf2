//! What the agent's thread does all day.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, Front, Query, Setup, Voices};
use crate::chat::{Ending, Event};
use crate::provider::{self, Http, Keys, Resolved, Wish};
use crate::reflex::Role;
use crate::tool::{Ports, Registry};

use super::aid::{self, Help};
use super::slash::AgentCommand;
use super::{Line, News, Order, Places, Question};

/// Takes orders until the session is gone; what is being answered then is dropped, processes included.
pub(super) async fn obey(mut orders: UnboundedReceiver<Order>, line: Line, places: Places) {
    let http = Http::new(places.wishes.patience());
    let mut mind = Mind { line, places, http, wish: Wish::default(), agent: None };
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
}

/// Answers on a task of its own. If that panics, nothing else does.
async fn answer(mut twin: Agent, query: Query, cancel: CancellationToken, line: Line) -> Over {
    match AssertUnwindSafe(twin.turn(query, cancel)).catch_unwind().await {
        Ok(_) => Over { twin: Some(twin), line, was_asked: true },
        Err(_) => {
            line.hear(Event::Finished(Ending::Failed(CRASHED.into())));
            Over { twin: None, line, was_asked: true }
        }
    }
}

/// What a person is told whose request met a bug of ours.
pub(in crate::session) const CRASHED: &str =
    "the agent has crashed (the log says where); your shell goes on, and so does the next `> `";

impl Line {
    fn over(&self, was_asked: bool) {
        let unheard = self.close();
        self.say(News::Over { was_asked, unheard });
    }
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// One conversation, and what it needs to begin.
pub(super) struct Mind {
    pub(super) line: Line,
    places: Places,
    pub(super) http: Http,
    pub(super) wish: Wish,
    pub(super) agent: Option<Agent>,
}

impl Mind {
    /// Sees to it that a question is answered: by the rules, by a model, or by both.
    async fn see_to(&mut self, question: Question, answers: &mut JoinSet<Over>) {
        let Question { number, query, cancel, steering } = question;
        let line = self.line.of(number, steering);
        let role = self.places.reflex;
        let mut help = (role != Role::Off).then(|| Help::seek(&query, self)).flatten();
        let mut known = None;
        if let Some(fix) = help.take_if(|help| help.is_fix()) {
            known = fix.aid().await;
        }
        if let Some(aid) = known.take_if(|aid| !aid.proposals.is_empty()) {
            answers.spawn(async move {
                aid::offer(aid, &line).await;
                Over { twin: None, line, was_asked: false }
            });
            return;
        }
        let twin = if role == Role::Only { Ok(None) } else { self.twin(&line, &cancel).await };
        let ending = match twin {
            Ok(Some(twin)) => {
                if let Some(help) = help {
                    help.speak_first(&line);
                }
                answers.spawn(answer(twin, aid::for_a_model(query), cancel, line));
                return;
            }
            Ok(None) => {
                let aid = match help {
                    Some(help) => help.aid().await,
                    None => known,
                };
                line.say(News::Words(aid::alone(aid, role != Role::Only)));
                Ending::Answered
            }
            Err(ending) => ending,
        };
        line.hear(Event::Finished(ending));
        line.over(false);
    }

    /// The database with the recorded commands.
    pub(super) fn history(&self) -> Option<PathBuf> {
        self.places.history.clone()
    }

    /// Someone to answer one question, heard over this line; nobody if there is no model.
    async fn twin(&mut self, line: &Line, cancel: &CancellationToken) -> Result<Option<Agent>, Ending> {
        if self.agent.is_none() {
            // A server that does not answer is not waited for longer than the person likes.
            match cancel.run_until_cancelled(self.resolve(&self.wish)).await {
                None => return Err(Ending::Interrupted),
                Some(Ok(Some(resolved))) => self.agent = Some(self.begin(resolved)),
                Some(Ok(None)) => return Ok(None),
                Some(Err(words)) => return Err(Ending::Failed(words)),
            }
        }
        let front = Arc::new(line.clone());
        let voices = Voices { registry: self.registry(&front), approver: front.clone(), front };
        Ok(self.agent.as_ref().map(|agent| agent.fork(voices)))
    }

    fn take_back(&mut self, over: Over) {
        let Over { twin, line, was_asked } = over;
        if let (Some(agent), Some(twin)) = (&mut self.agent, twin) {
            agent.join(twin);
        }
        line.over(was_asked);
    }

    async fn obey(&mut self, command: AgentCommand, query: &Query, cancel: &CancellationToken) -> Ending {
        match cancel.run_until_cancelled(self.command(command, query)).await {
            None => Ending::Interrupted,
            Some(words) => {
                self.line.say(News::Words(words));
                Ending::Answered
            }
        }
    }

    /// Finds a model for a wish.
    pub(super) async fn resolve(&self, wish: &Wish) -> Result<Option<Resolved>, String> {
        let keys = self.keys()?;
        let env = |name: &str| keys.read(&environment, name);
        let wish = wish.clone().or(&self.places.wish, &env);
        provider::resolve(&wish, &env, &self.http).await.map_err(|error| error.to_string())
    }

    /// The models of everyone who can be asked.
    pub(super) async fn list(&self) -> Result<Vec<provider::Listing>, String> {
        let keys = self.keys()?;
        Ok(provider::list_models(&self.places.wish, &|name| keys.read(&environment, name), &self.http).await)
    }

    /// Read each time: a person may log in while we run.
    fn keys(&self) -> Result<Keys, String> {
        let loaded = self.places.keys.as_deref().map_or_else(|| Ok(Keys::default()), Keys::load);
        loaded.map_err(|error| error.to_string())
    }

    pub(super) fn begin(&self, resolved: Resolved) -> Agent {
        let line = Arc::new(self.line.clone());
        Agent::new(Setup {
            resolved,
            registry: self.registry(&line),
            front: line.clone(),
            approver: line,
            spill: self.places.workspace.clone(),
            history: self.places.history.clone(),
            private: self.places.private.clone(),
            masking: self.places.masking.clone(),
            limits: self.places.wishes.limits(),
        })
    }

    fn registry(&self, line: &Arc<Line>) -> Registry {
        let ports = Ports { shell: Some(line.clone()), asker: Some(line.clone()) };
        Registry::standard(ports, self.places.wishes.timeouts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::ShellView;
    use crate::config;
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
        };
        let places = Places {
            workspace: Default::default(),
            history: None,
            private: Vec::new(),
            keys: None,
            wish: Wish::default(),
            masking: Default::default(),
            reflex: Role::default(),
            wishes: config::Agent::default(),
        };
        let mut mind = Mind { line: line.clone(), places, http: Http::default(), wish: Wish::default(), agent: None };
        let resolved = Resolved {
            provider: Arc::new(Broken),
            model: "x".into(),
            effort: Effort::default(),
            context_window: None,
            price: None,
            vendor: "broken".into(),
        };
        mind.agent = Some(mind.begin(resolved));
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
            let twin = mind.twin(&line, &cancel).await.unwrap();
            mind.take_back(answer(twin.unwrap(), query, cancel, line).await);
        });
        let told: Vec<(u64, News)> = news.try_iter().collect();
        let is_crash =
            |news: &News| matches!(news, News::Event(Event::Finished(Ending::Failed(why))) if why == CRASHED);
        assert!(told.iter().any(|(number, news)| *number == 3 && is_crash(news)), "the person is told why");
        assert!(matches!(told.last(), Some((3, News::Over { .. }))), "and that it is over");
        assert!(mind.agent.is_some(), "the conversation goes on");
    }
}
