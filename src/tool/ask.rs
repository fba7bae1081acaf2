//! `ask_user`: asks the person a question.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Context, Ports, Prepared, Tool, UserAnswer, UserQuestion, arguments, result};
use crate::chat::{Outcome, ToolKind, ToolSpec};
use crate::guard::Intent;
use crate::text::sanitize;

const MOST_CHOICES: usize = 9;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    question: String,
    /// Answers to pick from, at most 9; none for free text
    #[serde(default, alias = "options")]
    choices: Vec<String>,
}

pub(super) struct AskUser;

impl Tool for AskUser {
    fn spec(&self) -> ToolSpec {
        arguments::spec::<Arguments>(
            "ask_user",
            "Ask the user something you need to know and cannot find out. Not for permission: that is asked for you.",
        )
    }

    fn is_offered(&self, ports: &Ports) -> bool {
        ports.asker.is_some()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Ask
    }

    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String> {
        let Arguments { question, choices } = arguments::read(arguments)?;
        if question.trim().is_empty() {
            return Err("bad argument question: it is empty".to_owned());
        }
        if choices.len() > MOST_CHOICES {
            return Err(format!("bad argument choices: {} are too many, the most is {MOST_CHOICES}", choices.len()));
        }
        let asker = context.ports.asker.clone().ok_or("there is nobody here to ask")?;
        let context = context.clone();
        Ok(Prepared {
            title: sanitize(question.trim().lines().next().unwrap_or_default()),
            intent: Intent::Ask,
            preview: None,
            run: Box::new(move |_| {
                Box::pin(async move {
                    match asker.ask(UserQuestion { text: question, choices }).await {
                        UserAnswer::Said(words) => Outcome::done(result::capped(&words, "answer", &context)),
                        UserAnswer::Declined => Outcome::done("the user chose not to answer"),
                    }
                })
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Asker;
    use crate::tool::tests::Home;
    use futures_util::future::BoxFuture;
    use serde_json::json;

    /// Always picks the last choice.
    struct Last;

    impl Asker for Last {
        fn ask(&self, question: UserQuestion) -> BoxFuture<'static, UserAnswer> {
            let answer = question.choices.last().cloned().map_or(UserAnswer::Declined, UserAnswer::Said);
            Box::pin(std::future::ready(answer))
        }
    }

    #[test]
    fn the_answer_of_the_person_is_the_result() {
        let home = Home::new().with_asker(std::sync::Arc::new(Last));
        let tool = AskUser;
        let ask = |arguments| home.done(&tool, arguments);
        assert_eq!(ask(json!({"question": "Which?", "choices": ["a", "b"]})), "b");
        assert_eq!(ask(json!({"question": "Sure?", "choices": "yes"})), "yes");
        assert_eq!(ask(json!({"question": "Why?"})), "the user chose not to answer");
        assert!(home.failed(&tool, json!({"question": " "})).contains("empty"));
        let many: Vec<String> = (0..10).map(|n| n.to_string()).collect();
        assert!(home.failed(&tool, json!({"question": "?", "choices": many})).contains("too many"));
        assert_eq!(home.prepare(&tool, json!({"question": "Which\none?"})).unwrap().title, "Which");
    }
}
