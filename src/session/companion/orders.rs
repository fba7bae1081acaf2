//! What the agent's thread does all day.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, NO_MODEL, Query, Setup, Voices};
use crate::chat::Ending;
use crate::provider::{self, Http, Resolved, Wish};
use crate::tool::{Ports, Registry};

use super::{Line, News, Order, Places, Question, Slash};

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
                Some(Order::Answer(question)) => {
                    let Question { number, query, cancel, steering } = *question;
                    let line = mind.line.of(number, steering);
                    match mind.twin(&line, &cancel).await {
                        Ok(twin) => drop(answers.spawn(answer(twin, query, cancel, line))),
                        Err(ending) => line.over(ending, false),
                    }
                }
                Some(Order::Command(slash, query, cancel)) => {
                    let ending = mind.obey(slash, &query, &cancel).await;
                    mind.line.over(ending, false);
                }
            },
        }
    }
}

/// An answer that is over: the agent that gave it, unless it broke, and whom to tell.
struct Over {
    twin: Option<Agent>,
    ending: Ending,
    line: Line,
}

/// Answers on a task of its own. If that panics, nothing else does.
async fn answer(mut twin: Agent, query: Query, cancel: CancellationToken, line: Line) -> Over {
    match AssertUnwindSafe(twin.turn(query, cancel)).catch_unwind().await {
        Ok(ending) => Over { twin: Some(twin), ending, line },
        Err(_) => Over { twin: None, ending: Ending::Failed(CRASHED.into()), line },
    }
}

/// What a person is told whose request met a bug of ours.
pub(in crate::session) const CRASHED: &str =
    "the agent has crashed (the log says where); your shell goes on, and so does the next `> `";

impl Line {
    fn over(&self, ending: Ending, was_asked: bool) {
        let unheard = self.close();
        self.say(News::Over { ending, was_asked, unheard });
    }
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
    /// Someone to answer one question, heard over this line.
    async fn twin(&mut self, line: &Line, cancel: &CancellationToken) -> Result<Agent, Ending> {
        if self.agent.is_none() {
            // A server that does not answer is not waited for longer than the person likes.
            match cancel.run_until_cancelled(self.resolve(&self.wish)).await {
                None => return Err(Ending::Interrupted),
                Some(Ok(Some(resolved))) => self.agent = Some(self.begin(resolved)),
                Some(Ok(None)) => {
                    line.say(News::Words(NO_MODEL.trim_end().to_owned()));
                    return Err(Ending::Answered);
                }
                Some(Err(words)) => return Err(Ending::Failed(words)),
            }
        }
        let agent = self.agent.as_ref().ok_or_else(|| Ending::Failed("there is no model to ask".into()))?;
        let front = Arc::new(line.clone());
        Ok(agent.fork(Voices { registry: self.registry(&front), approver: front.clone(), front }))
    }

    fn take_back(&mut self, over: Over) {
        let Over { twin, ending, line } = over;
        if let (Some(agent), Some(twin)) = (&mut self.agent, twin) {
            agent.join(twin);
        }
        line.over(ending, true);
    }

    async fn obey(&mut self, slash: Slash, query: &Query, cancel: &CancellationToken) -> Ending {
        match cancel.run_until_cancelled(self.command(slash, query)).await {
            None => Ending::Interrupted,
            Some(words) => {
                self.line.say(News::Words(words));
                Ending::Answered
            }
        }
    }

    /// Finds a model for a wish.
    pub(super) async fn resolve(&self, wish: &Wish) -> Result<Option<Resolved>, String> {
        let env = |name: &str| std::env::var(name).ok();
        provider::resolve(wish, &env, &self.http).await.map_err(|error| error.to_string())
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
            limits: self.places.wishes.limits(),
        })
    }

    fn registry(&self, line: &Arc<Line>) -> Registry {
        let ports = Ports { shell: Some(line.clone()), asker: Some(line.clone()) };
        Registry::standard(ports, self.places.wishes.timeouts())
    }
}
