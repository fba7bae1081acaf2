//! Words to the agent itself: `> /help` and its kin.

use crate::agent::Query;
use crate::provider;
use crate::text;

use super::News;
use super::orders::Mind;

/// What can be said, with what it does.
const COMMANDS: [(&str, &str); 10] = [
    ("/help", "this list"),
    ("/model [NAME]", "which model is asked, or another from here on (provider/model[:effort])"),
    ("/models", "the models that can be asked"),
    ("/thinking LEVEL", "off, minimal, low, medium, high or xhigh"),
    ("/context", "exactly what the next question would send along"),
    ("/new", "begin a new conversation"),
    ("/usage", "tokens and cost so far"),
    ("/copy", "put the last answer on the clipboard"),
    ("/retry", "ask the last question again"),
    ("/quit", "end the conversation"),
];

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Slash {
    Help,
    Model(Option<String>),
    Models,
    Thinking(String),
    Context,
    New,
    Usage,
    Copy,
    Retry,
    Quit,
}

/// What can be said, with what it does.
pub(in crate::session) fn commands() -> impl Iterator<Item = (&'static str, &'static str)> {
    COMMANDS.into_iter()
}

/// Reads a line that begins with `/`; the error is for the person.
pub(super) fn parse(line: &str) -> Result<Slash, String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let argument = (!rest.is_empty()).then(|| rest.to_owned());
    Ok(match word {
        "/help" => Slash::Help,
        "/model" => Slash::Model(argument),
        "/models" => Slash::Models,
        "/thinking" => Slash::Thinking(argument.ok_or("which level? off, minimal, low, medium, high or xhigh")?),
        "/context" => Slash::Context,
        "/new" => Slash::New,
        "/usage" => Slash::Usage,
        "/copy" => Slash::Copy,
        "/retry" => Slash::Retry,
        "/quit" => Slash::Quit,
        unknown => return Err(format!("there is no {unknown}{}; /help lists what there is", nearest(unknown))),
    })
}

fn nearest(unknown: &str) -> String {
    let names = COMMANDS.iter().filter_map(|(usage, _)| usage.split(' ').next());
    text::nearest(unknown, names).map(|name| format!(" (did you mean {name}?)")).unwrap_or_default()
}

impl Mind {
    /// Does it, and says so.
    pub(super) async fn command(&mut self, command: Slash, query: &Query) -> String {
        match command {
            Slash::Help => COMMANDS.map(|(usage, what)| format!("{usage:<16} {what}")).join("\n"),
            Slash::Model(None) => match self.resolve().await {
                Ok(Some(resolved)) => format!("{}/{}", resolved.vendor, resolved.model),
                Ok(None) => "no model is connected".into(),
                Err(words) => words,
            },
            Slash::Model(name) => {
                self.wish.model = name;
                self.switch().await
            }
            Slash::Thinking(level) => match level.parse::<provider::Effort>() {
                Err(error) => error.to_string(),
                Ok(effort) => match self.resolve().await {
                    Ok(Some(resolved)) => {
                        self.wish.model = Some(format!("{}/{}:{effort}", resolved.vendor, resolved.model));
                        self.switch().await
                    }
                    Ok(None) => "no model is connected".into(),
                    Err(words) => words,
                },
            },
            Slash::Models => {
                let env = |name: &str| std::env::var(name).ok();
                let lists = provider::list_models(&env, &self.http).await;
                let names = lists.iter().flat_map(|list| match &list.models {
                    Ok(models) => models.iter().map(|model| format!("{}/{}", list.vendor, model.model)).collect(),
                    Err(error) => vec![format!("{}: {error}", list.vendor)],
                });
                let names: Vec<String> = names.collect();
                if names.is_empty() { "no provider is connected".into() } else { names.join("\n") }
            }
            Slash::Context => {
                let words = match &self.agent {
                    Some(agent) => agent.preview(query),
                    None => match self.resolve().await {
                        Ok(Some(resolved)) => self.begin(resolved).preview(query),
                        Ok(None) => return "no model is connected, so nothing would be sent".into(),
                        Err(words) => return words,
                    },
                };
                format!("{words}\n({} bytes, beside the instructions and the tools)", words.len())
            }
            Slash::New => {
                self.forget();
                "a new conversation begins".into()
            }
            Slash::Quit => {
                self.forget();
                "the conversation is over; the next question begins a new one".into()
            }
            Slash::Usage => {
                let usage = self.agent.as_ref().map(|agent| agent.usage()).unwrap_or_default();
                let cost = usage.cost.map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
                format!("{} tokens in ({} cached), {} out{cost}", usage.input, usage.cached, usage.output)
            }
            Slash::Copy => match self.agent.as_ref().and_then(|agent| agent.last_answer()) {
                Some(answer) => {
                    self.line.say(News::Copy(answer));
                    "copied".into()
                }
                None => "there is no answer to copy yet".into(),
            },
            Slash::Retry => String::new(),
        }
    }

    fn forget(&mut self) {
        if let Some(agent) = &mut self.agent {
            agent.new_conversation();
        }
    }

    async fn switch(&mut self) -> String {
        match self.resolve().await {
            Ok(Some(resolved)) => {
                let words = format!("from here on: {}/{} ({})", resolved.vendor, resolved.model, resolved.effort);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_and_mistakes_named() {
        assert_eq!(parse("/model openai/x"), Ok(Slash::Model(Some("openai/x".into()))));
        assert_eq!(parse("/new"), Ok(Slash::New));
        assert_eq!(
            parse("/contxt").unwrap_err(),
            "there is no /contxt (did you mean /context?); /help lists what there is"
        );
        assert!(parse("/zzzzzz").unwrap_err().starts_with("there is no /zzzzzz;"));
        assert!(parse("/thinking").is_err());
    }
}
