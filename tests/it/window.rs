//! Conversations that outgrow the model's context window.

use crate::harness::{Model, Reply, Shell, Term};

const TOO_LONG: &str =
    "This model's maximum context length is 3000 tokens. However, your messages resulted in 9000 tokens.";

fn connected(model: &Model) -> Term {
    Term::new(Shell::Bash).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted").size(40, 120).start()
}

#[test]
fn an_overflow_is_survived_with_no_more_than_a_line() {
    let story = "word ".repeat(3_000);
    let model = Model::start([
        Reply::text([story.as_str(), "The end."]),
        Reply::error(400, TOO_LONG),
        Reply::text(["Goal: a story was told."]),
        Reply::text(["Its end was sad."]),
    ]);
    let mut term = connected(&model);
    term.wait_for_prompt();
    term.typed("> tell me a story\r");
    term.wait_for("The end.");
    term.wait_for_prompt();
    term.typed("> how did it end\r");
    term.wait_for("Its end was sad.");
    term.wait_for_prompt();
    let screen = term.screen();
    assert!(screen.contains("older parts of the conversation are now summarised"), "{screen}");
    assert!(!screen.contains("too long"), "{screen}");
    let requests: Vec<_> = (0..4).map(|_| model.request()).collect();
    assert!(requests[1].said(0).ends_with("how did it end"));
    assert!(requests[2].body["tools"].as_array().is_none_or(Vec::is_empty), "the request for a summary has no tools");
    assert!(requests[3].said(2).contains("- tell me a story"), "the question stays word for word");
    assert!(requests[3].said(2).contains("Goal: a story was told."));
    assert!(requests[3].said(0).ends_with("how did it end"), "the question was kept");
    assert!(!requests[3].body.to_string().contains("word word"), "the old answer is gone");
}

#[test]
fn a_conversation_is_summarised_by_hand() {
    let model = Model::start([
        Reply::text(["Paris, which has long streets and many bridges over the river, and a tower of iron."]),
        Reply::text(["About two million people live there, more than ten million with all its suburbs."]),
        Reply::text(["Goal: know Paris."]),
        Reply::text(["Still Paris."]),
    ]);
    let mut term = connected(&model);
    term.wait_for_prompt();
    for (question, answer) in [("capital of France", "tower of iron"), ("how many live there", "suburbs")] {
        term.typed(format!("> {question}\r"));
        term.wait_for(answer);
        term.wait_for_prompt();
    }
    term.typed("> /compact the numbers\r");
    term.wait_for("the next question sends the summary");
    term.wait_for_prompt();
    term.typed("> and now\r");
    term.wait_for("Still Paris.");
    let requests: Vec<_> = (0..4).map(|_| model.request()).collect();
    assert!(requests[2].said(0).contains("this matters most: the numbers"));
    let messages = requests[3].body["messages"].to_string();
    assert!(messages.contains("Goal: know Paris.") && messages.contains("capital of France"), "{messages}");
    assert!(!messages.contains("tower of iron") && messages.contains("suburbs"), "the last exchange stays: {messages}");
}
