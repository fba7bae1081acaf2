//! shellmate knows its own documentation: by the built-in rules without a model, and through `read_file` with one.

use serde_json::json;

use crate::harness::{Model, Reply, Shell, Term, in_every_shell};

#[test]
fn questions_about_shellmate_are_answered_without_a_model() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).size(40, 120).start();
        term.wait_for_prompt();
        term.typed("> how do I change the hotkey?\r");
        term.wait_for("shellmate config set hotkey");
        term.wait_for_prompt();
        let screen = term.screen();
        assert!(screen.contains("in ~/.config/shellmate/config.toml"), "{screen}");
        assert!(!screen.contains("No model is connected"), "{screen}");
        term.typed("> how do I change the branch?\r");
        term.wait_for("No model is connected yet.");
        term.wait_for_prompt();
    });
}

#[test]
fn a_model_is_asked_first_and_reads_the_manual_without_a_question() {
    let model = Model::start([
        Reply::calls(&[("read_file", json!({"path": "shellmate://docs/CONFIG.md", "offset": 1, "limit": 1}))]),
        Reply::text(["It is in the configuration."]),
    ]);
    let mut term = Term::new(Shell::Bash)
        .env("OPENAI_BASE_URL", model.url())
        .env("SHELLMATE_MODEL", "scripted")
        .size(40, 120)
        .start();
    term.wait_for_prompt();
    term.typed("> how do I change the hotkey?\r");
    term.wait_for("It is in the configuration.");
    term.wait_for_prompt();
    let screen = term.screen();
    assert!(screen.contains("shellmate://docs/CONFIG.md") && !screen.contains("config set hotkey"), "{screen}");
    let first = model.request();
    assert!(first.body["tools"].as_array().unwrap().len() >= 12, "{}", first.body["tools"]);
    assert!(model.request().body.to_string().contains("# Configuration"));
}
