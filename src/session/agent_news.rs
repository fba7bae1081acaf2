//! Orders to the agent and news from it, for the request in the foreground and those in the background.

use std::io;

use crate::chat::{Ending, Event, Failure, FailureKind};

use super::Session;
use super::agent_link::{AgentLink, AgentSetup, CRASHED, ITSELF, News, Order};
use super::floor::{Effect, TurnEvent};
use super::grammars::Grammars;
use super::welcome::Welcome;

/// The agent's thread cannot take an order.
#[derive(Debug, thiserror::Error)]
enum AgentGone {
    #[error("the agent cannot be started: {0}")]
    NotStarted(io::Error),
    #[error("{CRASHED}")]
    Crashed,
}

/// The session's side of the agent.
pub(super) struct AgentHandle {
    /// The agent's thread; it starts with the first query.
    pub(super) link: Option<AgentLink>,
    pub(super) setup: AgentSetup,
    /// How many slash commands are still running whose news is to be ignored.
    pub(super) disowned: usize,
    pub(super) grammars: Grammars,
    /// Whether a conversation that was cut off in this terminal was looked for, or need not be.
    pub(super) has_looked_back: bool,
    /// Counts the first starts.
    pub(super) welcome: Welcome,
}

impl AgentHandle {
    pub(super) fn new(setup: AgentSetup, welcome: Welcome) -> AgentHandle {
        let has_looked_back = !setup.conversations.is_on() && !welcome.is_wanted();
        AgentHandle { link: None, setup, disowned: 0, grammars: Grammars::default(), has_looked_back, welcome }
    }

    /// Gives an order, and starts the agent's thread for the first one.
    fn order(&mut self, order: Order) -> Result<(), AgentGone> {
        if self.link.is_none() {
            let link = AgentLink::start(self.setup.clone());
            self.link = Some(link.map_err(AgentGone::NotStarted)?);
        }
        match self.link.as_ref().is_some_and(|agent| agent.order(order)) {
            true => Ok(()),
            false => Err(AgentGone::Crashed),
        }
    }

    /// Marks have another nonce from here on, which no model may see.
    pub(super) fn renew_nonce(&mut self, nonce: String) {
        if let Some(agent) = &self.link {
            agent.keep_secret(nonce.clone());
        }
        self.setup.nonce = nonce;
    }
}

impl Session {
    pub(super) fn order(&mut self, order: Order) -> Vec<Effect> {
        self.withdraw_offer();
        match self.agent.order(order) {
            Ok(()) => Vec::new(),
            Err(error) => self.lose_agent(&error.to_string()),
        }
    }

    /// The agent's thread has ended: all requests, in the foreground and in the background, are over.
    fn lose_agent(&mut self, why: &str) -> Vec<Effect> {
        self.agent.link = None;
        self.agent.disowned = 0;
        let ending = Ending::Failed(Failure::new(FailureKind::Crash, why));
        let mut effects = Vec::new();
        for number in self.requests.running().into_iter().chain([ITSELF]) {
            effects.extend(self.take_news(number, News::Event(Event::Finished(ending.clone()))));
            effects.extend(self.take_news(number, News::Over { was_asked: true, unheard: Vec::new() }));
        }
        effects
    }

    /// Handles the news that has arrived.
    pub(super) fn hear(&mut self) {
        let news = self.agent.link.as_ref().map(AgentLink::news).unwrap_or_default();
        for (number, news) in news {
            let effects = self.take_news(number, news);
            self.carry_out(effects);
        }
        if self.agent.link.as_ref().is_some_and(AgentLink::is_gone) {
            let effects = self.lose_agent(CRASHED);
            self.carry_out(effects);
        }
    }

    fn take_news(&mut self, number: u64, news: News) -> Vec<Effect> {
        let is_over = matches!(news, News::Over { .. });
        if number == ITSELF && self.agent.disowned > 0 {
            // Slash commands are carried out one after the other.
            self.agent.disowned -= usize::from(is_over);
            return Vec::new();
        }
        if let News::Over { was_asked, .. } = &news {
            self.books.recent.settle(number, *was_asked);
        }
        if self.floor.request() != Some(number) {
            self.hear_behind(number, news);
            return Vec::new();
        }
        if let News::Event(event) = &news {
            self.agent.grammars.hear(event, &self.profile.code);
        }
        if let Some(request) = self.requests.get(number).filter(|_| is_over) {
            request.end();
            request.is_told = true;
            self.notify_over(number);
        }
        self.tell_floor(TurnEvent::News(news))
    }
}
