//! A query in the terminal: the answer, the tools, the questions, and the shell afterwards.

use serde_json::json;

use crate::harness::{Builder, Key, Model, Reply, Shell, Term, in_every_shell};

fn asking(shell: Shell, model: &Model) -> Builder {
    Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted")
}

#[test]
fn an_answer_streams_below_the_line_and_the_prompt_comes_back() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["It failed beca", "use **x** is unset."]).gated()]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.run("false");
        term.typed("> why did \"that fail\r");
        let asked = model.request();
        assert!(asked.said(0).ends_with("\n\nwhy did \"that fail"), "{}", asked.said(0));
        assert!(asked.said(0).contains("<command") && asked.said(0).contains("status=\"1\""), "{}", asked.said(0));
        model.release();
        term.wait_for("It failed beca");
        model.release();
        term.wait_for("It failed because x is unset.");
        model.release();
        term.wait_for_prompt();
        let screen = term.screen();
        assert!(
            screen.contains("> why did \"that fail\nIt failed because x is unset.\n"),
            "{}\n{screen}",
            shell.name()
        );
        term.run(&format!("echo status {}", shell.status()));
        assert!(term.screen().contains("\nstatus 1"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn a_second_query_carries_only_what_is_new() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["first"]), Reply::text(["second"])]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.run("echo before");
        term.run("> one");
        term.run("echo between");
        term.run("> two");
        let (one, two) = (model.request().said(0), model.request().said(0));
        assert!(one.contains("echo before") && !one.contains("echo between"), "{one}");
        assert!(two.contains("echo between") && !two.contains("echo before"), "{two}");
    });
}

#[test]
fn ctrl_c_stops_the_answer_and_keys_typed_ahead_are_kept() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["It is ", "never said."]).gated(), Reply::text(["again"])]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("> why\r");
        model.request();
        model.release();
        term.wait_for("It is");
        term.typed("echo ah''ead\r");
        term.key(Key::CtrlC);
        term.wait_for("\nahead\n[3]$");
        term.wait_for_prompt();
        term.run("> and now");
        assert!(term.screen().contains("again"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn a_command_is_asked_for_and_run_or_not() {
    in_every_shell(|shell| {
        let call = || Reply::calls(&[("bash", json!({ "command": "echo ran > ran.txt; echo tool says hi" }))]);
        let model = Model::start([call(), Reply::text(["refused"]), call(), Reply::text(["accepted"])]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("> do it\r");
        term.wait_for("echo ran > ran.txt");
        term.wait_for("Esc no");
        term.typed("n not now\r");
        term.wait_for("refused");
        term.wait_for_prompt();
        assert!(!term.home().join("ran.txt").exists());
        model.request();
        let told = model.request().body["messages"].to_string();
        assert!(told.contains("not now"), "{told}");
        term.typed("> do it\r");
        term.wait_until(|screen| screen.contents().matches("Esc no").count() == 2);
        term.typed("y");
        term.wait_for("accepted");
        term.wait_for_prompt();
        assert_eq!(term.read("ran.txt"), "ran\n", "{}", shell.name());
        assert!(term.screen().contains("tool says hi"), "{}", term.screen());
    });
}

#[test]
fn the_live_shell_runs_a_command_and_keeps_what_it_changed() {
    in_every_shell(|shell| {
        let command = if shell == Shell::Fish { "cd /; set -gx FOO bar" } else { "cd /; export FOO=bar" };
        let model = Model::start([
            Reply::calls(&[("run_in_shell", json!({ "command": format!("{command}; echo li''ve; false") }))]),
            Reply::calls(&[("bash", json!({ "command": "echo scratch $FOO in $PWD" }))]),
            Reply::text(["done with it"]),
        ]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("> go\r");
        term.wait_for("Esc no");
        term.typed("y");
        // What it changed holds for the agent's own commands too.
        term.wait_until(|screen| screen.contents().matches("Esc no").count() == 2);
        term.typed("y");
        term.wait_for("done with it");
        term.wait_for_prompt();
        model.request();
        let told = model.request().body["messages"].to_string();
        assert!(told.contains("exit code 1") && told.contains("live"), "{} {told}", shell.name());
        let told = model.request().body["messages"].to_string();
        assert!(told.contains("scratch bar in /"), "{} {told}", shell.name());
        term.run("echo \"$FOO $PWD\"");
        assert!(term.screen().contains("\nbar /\n"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn a_proposed_command_is_on_the_prompt_and_not_run() {
    in_every_shell(|shell| {
        let model = Model::start([
            Reply::calls(&[("suggest_command", json!({ "command": "echo 'a  b' fixed" }))]),
            Reply::text(["there it is"]),
        ]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("> fix it\r");
        term.wait_for("there it is");
        term.wait_for_prompt();
        term.wait_for("$ echo 'a  b' fixed");
        assert!(!term.screen().contains("\na  b fixed"), "{}", term.screen());
        term.key(Key::Enter);
        term.wait_for("\na  b fixed");
        term.wait_for_prompt();
    });
}

#[test]
fn without_a_model_the_way_to_one_is_shown() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("> hello");
        assert!(term.screen().contains("No model is connected yet"), "{}\n{}", shell.name(), term.screen());
        term.run("> /hlep");
        assert!(term.screen().contains("did you mean /help?"), "{}", term.screen());
        term.typed(">\r");
        term.wait_for("an empty line closes");
        term.run("");
        term.run("echo still a shell");
        assert!(term.screen().contains("\nstill a shell"), "{}", term.screen());
    });
}

#[test]
fn a_model_cannot_steer_the_terminal() {
    let model = Model::start([Reply::text(["safe \u{1b}]0;evil\u{7}\u{1b}[2J\u{9b}31m words"])]);
    let mut term = asking(Shell::Bash, &model).start();
    term.wait_for_prompt();
    term.run("> go");
    assert!(!term.raw().windows(7).any(|bytes| bytes == b"\x1b]0;evi"), "{}", term.describe());
    assert!(term.screen().contains("> go\nsafe"), "{}", term.screen());
}
