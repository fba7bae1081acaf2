//! Help without a model: the built-in rules behind `> why did that fail` and `> fix`, and plain questions about the history.

use serde_json::json;

use crate::harness::{Builder, Model, Reply, Shell, Term, in_every_shell};

/// A shell without a model.
fn alone(shell: Shell) -> Builder {
    Term::new(shell).config("reflex = \"only\"\n").size(40, 120)
}

#[test]
fn a_typo_is_corrected_on_the_prompt_and_not_run() {
    in_every_shell(|shell| {
        let mut term = alone(shell).start();
        term.wait_for_prompt();
        term.run("gti --version");
        term.typed("> fix\r");
        term.wait_for("git --version");
        let before = term.screen();
        assert!(!before.contains("git version"), "{}\n{before}", shell.name());
        term.typed("\r");
        term.wait_for("git version");
        term.wait_for_prompt();
    });
}

#[test]
fn a_correction_of_several_lines_with_quotes_arrives_as_it_is() {
    in_every_shell(|shell| {
        let mut term = alone(shell).start();
        term.wait_for_prompt();
        term.run("gti --no-such 'a  b' \"c'd\"");
        term.typed("> /fix\r");
        term.wait_for("git --no-such 'a  b' \"c'd\"");
    });
}

#[test]
fn a_failure_is_explained_without_a_model() {
    in_every_shell(|shell| {
        let mut term = alone(shell).start();
        term.wait_for_prompt();
        term.run("printf 'src/main.c:3:5: error: expected expression\\n'; sh -c 'exit 1'");
        term.typed("> why did that fail\r");
        term.wait_for("ended with status 1 (built-in rules)");
        term.wait_for("src/main.c:3:5");
        term.wait_for_prompt();
    });
}

#[test]
fn an_unknown_failure_is_reported_as_unknown() {
    let mut term = alone(Shell::Bash).start();
    term.wait_for_prompt();
    term.typed("> write me a poem\r");
    term.wait_for("the built-in rules cannot answer that");
    term.wait_for_prompt();
}

#[test]
fn the_history_answers_plain_questions() {
    in_every_shell(|shell| {
        let mut term = alone(shell).start();
        term.wait_for_prompt();
        term.run("cd /usr");
        term.run("echo one two three");
        term.typed("> what did that print\r");
        term.wait_for("(from the history) one two three");
        term.wait_for_prompt();
        term.typed("> where was I when I ran echo\r");
        term.wait_for("`echo one two three` was run in /usr");
        term.wait_for_prompt();
        term.typed("> which command changed directory to /usr\r");
        term.wait_for("`cd /usr`");
        term.wait_for_prompt();
    });
}

#[test]
fn with_a_model_the_rules_answer_first_and_the_model_is_asked_too() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["You mistyped git."])]);
        let builder = Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted");
        let mut term = builder.size(40, 120).start();
        term.wait_for_prompt();
        term.run("gti --version");
        term.typed("> why did that fail\r");
        term.wait_for("You mistyped git.");
        term.wait_for_prompt();
        let screen = term.screen();
        let (rules, answer) = (screen.find("(built-in rules)"), screen.find("You mistyped git."));
        assert!(rules.is_some() && rules < answer, "{}\n{screen}", shell.name());
        assert!(model.request().said(0).ends_with("why did that fail"));
    });
}

#[test]
fn without_a_known_correction_the_model_is_asked() {
    let model = Model::start([
        Reply::calls(&[("suggest_command", json!({ "command": "echo better" }))]),
        Reply::text(["There it is."]),
    ]);
    let mut term =
        Term::new(Shell::Bash).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted").start();
    term.wait_for_prompt();
    term.run("sh -c 'exit 3'");
    term.typed("> fix\r");
    term.wait_for("$ echo better");
    assert!(model.request().said(0).contains("suggest_command"));
}

#[test]
fn the_hint_setting_shows_a_correction_after_a_failure() {
    in_every_shell(|shell| {
        let mut term = alone(shell).config("reflex = \"only\"\nhint = true\n").start();
        term.wait_for_prompt();
        term.run("gti --version");
        term.wait_for("perhaps `git --version`");
        term.run("true");
        assert_eq!(term.screen().matches("perhaps").count(), 1, "{}", term.screen());
    });
}

#[test]
fn a_key_binding_of_the_shell_can_ask_for_a_correction() {
    in_every_shell(|shell| {
        let rc = match shell {
            Shell::Bash => r#"bind '"\C-xf": "\C-a\C-k> fix\C-m"'"#,
            Shell::Zsh => "bindkey -s '^Xf' '^U> fix^M'",
            Shell::Fish => r#"bind \cxf 'commandline "> fix"; commandline -f execute'"#,
        };
        let mut term = alone(shell).rc(rc).start();
        term.wait_for_prompt();
        term.run("gti --version");
        term.typed("\u{18}f");
        term.wait_for("git --version");
    });
}
