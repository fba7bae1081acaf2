//! Carries out the slash commands that concern the conversation.

use crate::agent::Query;
use crate::chat::Usage;
use crate::provider::Wish;
use crate::text::human;

use super::News;
use super::orders::Mind;
use super::sending;
use super::slash::{AgentCommand, Part};

const NO_MODEL: &str = "no model is connected";

impl Mind {
    /// Carries out a command and returns the words for the person.
    pub(super) async fn command(&mut self, command: AgentCommand, query: &Query) -> String {
        match command {
            AgentCommand::Model(None) => match self.resolve(&self.wish).await {
                Ok(Some(resolved)) => format!("{}/{} ({})", resolved.vendor, resolved.model, resolved.effort),
                Ok(None) => NO_MODEL.into(),
                Err(words) => words,
            },
            AgentCommand::Model(name) => self.switch(Wish { model: name, ..self.wish.clone() }).await,
            AgentCommand::Thinking(effort) => match self.resolve(&self.wish).await {
                Ok(Some(resolved)) => {
                    let model = Some(format!("{}/{}:{effort}", resolved.vendor, resolved.model));
                    self.switch(Wish { model, ..self.wish.clone() }).await
                }
                Ok(None) => NO_MODEL.into(),
                Err(words) => words,
            },
            AgentCommand::Models => self.models().await,
            AgentCommand::Context(part) => {
                query.view.settled().await;
                self.context(part, query).await
            }
            AgentCommand::New => {
                if let Some(agent) = &mut self.agent {
                    agent.new_conversation();
                }
                "a new conversation begins".into()
            }
            AgentCommand::Quit => {
                if let Some(agent) = &mut self.agent {
                    agent.new_conversation();
                }
                "the conversation is over; the next question begins another".into()
            }
            AgentCommand::Usage => usage_words(self.agent.as_ref().map(|agent| agent.usage()).unwrap_or_default()),
            AgentCommand::Copy => match self.agent.as_ref().and_then(|agent| agent.last_answer()) {
                Some(answer) => {
                    let size = human::size(answer.len() as u64);
                    self.line.say(News::Copy(answer));
                    format!("copied ({size}), if your terminal allows it")
                }
                None => "there is no answer to copy yet".into(),
            },
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

/// Tokens and cost, in the units of the line below an answer.
fn usage_words(usage: Usage) -> String {
    if usage == Usage::default() {
        return "nothing was asked yet, so nothing was used".to_owned();
    }
    let Usage { input, output, cached, .. } = usage;
    let cached = if cached > 0 { format!(" ({} cached)", human::count(cached)) } else { String::new() };
    format!("{} tokens in{cached}, {} out, {}", human::count(input), human::count(output), human::cost(usage.cost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_in_the_units_of_the_footer() {
        let usage = Usage { input: 12_345, output: 350, cached: 8_000, cache_written: 0, cost: Some(0.0042) };
        assert_eq!(usage_words(usage), "12k tokens in (8.0k cached), 350 out, $0.0042");
        let local = Usage { input: 999, output: 1_000_000, ..Usage::default() };
        assert_eq!(usage_words(local), "999 tokens in, 1.0M out, local");
        assert_eq!(usage_words(Usage::default()), "nothing was asked yet, so nothing was used");
    }
}
