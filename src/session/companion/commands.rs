//! What is done about words to the agent itself.

use crate::agent::Query;
use crate::provider::{self, Wish};

use super::News;
use super::orders::Mind;
use super::sending;
use super::slash::{self, Part, Slash};

const NO_MODEL: &str = "no model is connected";

impl Mind {
    /// Does it, and says so.
    pub(super) async fn command(&mut self, command: Slash, query: &Query) -> String {
        match command {
            Slash::Help => slash::help(),
            Slash::Model(None) => match self.resolve(&self.wish).await {
                Ok(Some(resolved)) => format!("{}/{} ({})", resolved.vendor, resolved.model, resolved.effort),
                Ok(None) => NO_MODEL.into(),
                Err(words) => words,
            },
            Slash::Model(name) => self.switch(Wish { model: name, ..self.wish.clone() }).await,
            Slash::Thinking(level) => match (level.parse::<provider::Effort>(), self.resolve(&self.wish).await) {
                (Err(error), _) => error.to_string(),
                (Ok(effort), Ok(Some(resolved))) => {
                    let model = Some(format!("{}/{}:{effort}", resolved.vendor, resolved.model));
                    self.switch(Wish { model, ..self.wish.clone() }).await
                }
                (Ok(_), Ok(None)) => NO_MODEL.into(),
                (Ok(_), Err(words)) => words,
            },
            Slash::Models => self.models().await,
            Slash::Context(part) => {
                query.view.settled().await;
                self.context(part, query).await
            }
            Slash::New => {
                if let Some(agent) = &mut self.agent {
                    agent.new_conversation();
                }
                "a new conversation begins".into()
            }
            Slash::Quit => {
                if let Some(agent) = &mut self.agent {
                    agent.new_conversation();
                }
                "the conversation is over; the next question begins another".into()
            }
            Slash::Usage => {
                let usage = self.agent.as_ref().map(|agent| agent.usage()).unwrap_or_default();
                let cost = usage.cost.map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
                format!("{} tokens in ({} cached), {} out{cost}", usage.input, usage.cached, usage.output)
            }
            Slash::Copy => match self.agent.as_ref().and_then(|agent| agent.last_answer()) {
                Some(answer) => {
                    let size = crate::text::human::size(answer.len() as u64);
                    self.line.say(News::Copy(answer));
                    format!("copied ({size}), if your terminal allows it")
                }
                None => "there is no answer to copy yet".into(),
            },
            Slash::Fix | Slash::Show(_) | Slash::Retry => unreachable!("the session does these itself"),
        }
    }

    async fn models(&self) -> String {
        let lists = match self.list().await {
            Ok(lists) => lists,
            Err(words) => return words,
        };
        let names = lists.iter().flat_map(|list| match &list.models {
            Ok(models) => models.iter().map(|model| format!("{}/{}", list.vendor, model.model)).collect(),
            Err(error) => vec![format!("{}: {error}", list.vendor)],
        });
        let names: Vec<String> = names.collect();
        if names.is_empty() { "no provider is connected".into() } else { names.join("\n") }
    }

    async fn context(&self, part: Part, query: &Query) -> String {
        let query = Query { text: sending::PLACEHOLDER.to_owned(), ..query.clone() };
        query.view.settled().await;
        match &self.agent {
            Some(agent) => sending::words(&agent.preview(&query), part),
            None => match self.resolve(&self.wish).await {
                Ok(Some(resolved)) => sending::words(&self.begin(resolved).preview(&query), part),
                Ok(None) => format!("{NO_MODEL}, so nothing would be sent"),
                Err(words) => words,
            },
        }
    }

    /// Goes on with another model, if there is one.
    async fn switch(&mut self, wish: Wish) -> String {
        match self.resolve(&wish).await {
            Ok(Some(resolved)) => {
                let words = format!("from here on: {}/{} ({})", resolved.vendor, resolved.model, resolved.effort);
                self.wish = wish;
                match &mut self.agent {
                    Some(agent) => agent.switch(resolved),
                    None => self.agent = Some(self.begin(resolved)),
                }
                words
            }
            Ok(None) => "there is no such model".into(),
            Err(words) => words,
        }
    }
}
