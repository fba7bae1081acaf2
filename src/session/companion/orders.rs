//! What the agent's thread does all day.

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedReceiver;

use crate::agent::{Agent, Limits, NO_MODEL, Query, Setup};
use crate::chat::Ending;
use crate::provider::{self, Http, Resolved, Wish};
use crate::tool::{Ports, Registry};

use super::slash::{self, Slash};
use super::{Line, News, Order, Places};

/// Takes orders until the session is gone.
pub(super) async fn obey(mut orders: UnboundedReceiver<Order>, line: Line, places: Places) {
    let mut mind = Mind { line, places, http: Http::default(), wish: Wish::default(), agent: None, last: None };
    while let Some(Order::Turn(query, cancel)) = orders.recv().await {
        let ending = tokio::select! {
            ending = mind.turn(*query, cancel.clone()) => ending,
            // The agent notices by itself once it runs; what comes before it (a server that does not answer) does not.
            () = stopped_before_it_began(&cancel) => Ending::Interrupted,
        };
        mind.line.say(News::Over(ending));
    }
}

/// Gives a running turn the time to end properly.
async fn stopped_before_it_began(cancel: &tokio_util::sync::CancellationToken) {
    cancel.cancelled().await;
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
}

/// One conversation, and what it needs to begin.
pub(super) struct Mind {
    pub(super) line: Line,
    places: Places,
    pub(super) http: Http,
    pub(super) wish: Wish,
    pub(super) agent: Option<Agent>,
    /// The last question, for `/retry`.
    last: Option<String>,
}

impl Mind {
    async fn turn(&mut self, mut query: Query, cancel: tokio_util::sync::CancellationToken) -> Ending {
        if query.text.starts_with('/') {
            match slash::parse(&query.text) {
                Ok(Slash::Retry) => match self.last.clone() {
                    Some(text) => query.text = text,
                    None => return self.words("there is nothing to ask again yet"),
                },
                Ok(command) => {
                    let words = self.command(command, &query).await;
                    return self.words(&words);
                }
                Err(words) => return self.words(&words),
            }
        }
        self.last = Some(query.text.clone());
        self.line.forget_place();
        if self.agent.is_none() {
            match self.resolve().await {
                Ok(Some(resolved)) => self.agent = Some(self.begin(resolved)),
                Ok(None) => return self.words(NO_MODEL.trim_end()),
                Err(words) => return Ending::Failed(words),
            }
        }
        match &mut self.agent {
            Some(agent) => agent.turn(query, cancel).await,
            None => Ending::Failed("there is no model to ask".into()),
        }
    }

    /// Finds a model for the present wish.
    pub(super) async fn resolve(&self) -> Result<Option<Resolved>, String> {
        let env = |name: &str| std::env::var(name).ok();
        provider::resolve(&self.wish, &env, &self.http).await.map_err(|error| error.to_string())
    }

    pub(super) fn begin(&self, resolved: Resolved) -> Agent {
        let line = Arc::new(self.line.clone());
        Agent::new(Setup {
            resolved,
            registry: Registry::standard(Ports { shell: Some(line.clone()), asker: Some(line.clone()) }),
            front: line.clone(),
            approver: line,
            spill: self.places.workspace.clone(),
            history: self.places.history.clone(),
            private: self.places.private.clone(),
            masking: self.places.masking.clone(),
            limits: Limits::default(),
        })
    }

    fn words(&self, words: &str) -> Ending {
        self.line.say(News::Words(words.to_owned()));
        Ending::Answered
    }
}
