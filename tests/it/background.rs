//! Requests in the background.

use serde_json::json;

use crate::harness::{Builder, Key, Model, Reply, Shell, Term, in_every_shell, text_of};

fn asking(shell: Shell, model: &Model) -> Builder {
    Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted").no_sandbox()
}

fn told(model: &Model) -> String {
    model.request().body["messages"].to_string()
}

#[test]
fn ctrl_z_gives_the_prompt_back_and_the_answer_appears_above_a_later_one() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["It is ", "the **cache**."]).gated(), Reply::text(["Four."])]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("> why is it slow\r");
        model.request();
        model.release();
        term.wait_for("It is");
        term.key(Key::CtrlZ);
        term.wait_for("why is it slow\nshellmate: request 1 continues in the background; `> /show 1` brings it back");
        term.wait_for_prompt();
        term.run("echo wor''king on");
        assert!(term.screen().contains("\nworking on"), "{}", term.screen());
        // Another question is answered meanwhile, without the unfinished one in its context.
        term.run("> two and two");
        assert!(term.screen().contains("Four."), "{}", term.screen());
        let second = told(&model);
        assert!(second.contains("echo wor") && !second.contains("why is it slow"), "{second}");
        // The prompt is empty, so the answer is shown above it.
        model.release();
        model.release();
        term.wait_for("request 1 has finished (> why is it slow)\nIt is the cache.\n");
        term.wait_until(|screen| text_of(screen).trim_end().ends_with("]$"));
        assert_eq!(term.screen().matches("[4]$").count(), 1, "{}\n{}", shell.name(), term.screen());
        term.run("echo on''ward");
        assert!(term.screen().contains("[4]$ echo on''ward\nonward\n"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn a_line_that_is_being_edited_is_left_alone() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["It is ", "the cache."]).gated()]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.run("> why is it slow &");
        model.request();
        term.typed("test half -a li");
        term.wait_for("test half -a li");
        (0..3).for_each(|_| model.release());
        term.typed("ne\r");
        term.wait_for_prompt();
        // The command prints nothing, so there is no blank line.
        term.wait_for("]$ test half -a line\nshellmate: request 1 has finished (> why is it slow)\nIt is the cache.\n");
    });
}

#[test]
fn a_question_and_its_answer_join_the_conversation_as_a_whole() {
    let model = Model::start([
        Reply::text(["slow ", "answer"]).gated(),
        Reply::text(["quick answer"]),
        Reply::text(["third answer"]),
    ]);
    let mut term = asking(Shell::Bash, &model).start();
    term.wait_for_prompt();
    term.run("> alpha &");
    model.request();
    term.run("> beta");
    assert!(!told(&model).contains("alpha"));
    model.release();
    model.release();
    model.release();
    // `/show` brings it to the foreground and waits.
    term.typed("> /show 1\r");
    term.wait_for("slow answer");
    term.wait_for_prompt();
    term.run("> gamma");
    let said: Vec<String> = {
        let asked = model.request();
        let messages = asked.body["messages"].as_array().unwrap().clone();
        messages.iter().map(|message| message["content"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let order: Vec<usize> = ["beta", "quick answer", "alpha", "slow answer", "gamma"]
        .iter()
        .map(|words| said.iter().position(|text| text.ends_with(words)).unwrap_or_else(|| panic!("{words}: {said:#?}")))
        .collect();
    assert!(order.is_sorted(), "{order:?} {said:#?}");
    assert_eq!(said.len(), 6, "{said:#?}");
}

#[test]
fn approvals_of_a_background_request_wait() {
    in_every_shell(|shell| {
        let model = Model::start([
            Reply::calls(&[("bash", json!({ "command": "echo ran > ran.txt" }))]).gated(),
            Reply::calls(&[("run_in_shell", json!({ "command": "cd / && echo mo''ved" }))]),
            Reply::text(["all done"]),
        ]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.run("> do it &");
        model.request();
        model.release();
        model.release();
        term.wait_for("request 1 has a question: `> /show 1`");
        assert!(!term.home().join("ran.txt").exists());
        term.typed("> /show 1\r");
        term.wait_for_question("echo ran > ran.txt");
        // A question can be postponed any number of times.
        term.key(Key::CtrlZ);
        term.wait_for_prompt();
        term.typed("> /show 1\r");
        term.approve("echo ran > ran.txt");
        term.approve("cd / && echo mo");
        term.wait_for("\nmoved");
        term.wait_for("all done");
        term.wait_for_prompt();
        assert_eq!(term.read("ran.txt"), "ran\n");
        term.run("pwd");
        assert!(term.screen().contains("\n/\n"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn ctrl_z_just_when_a_question_appears_does_not_refuse_it() {
    let model = Model::start([
        Reply::calls(&[("bash", json!({ "command": "echo ran > ran.txt" }))]).gated(),
        Reply::text(["all done"]),
    ]);
    let mut term = asking(Shell::Bash, &model).start();
    term.wait_for_prompt();
    term.typed("> do it\r");
    model.request();
    model.release();
    model.release();
    // Ctrl-Z may come before or after the question is drawn. In both cases the question waits.
    term.key(Key::CtrlZ);
    term.wait_for("in the background");
    term.wait_for_prompt();
    term.wait_until(|screen| {
        let screen = screen.contents();
        screen.contains("has a question") || screen.contains("waits with its question")
    });
    term.typed("> /show 1\r");
    term.approve("echo ran > ran.txt");
    term.wait_for("all done");
    term.wait_for_prompt();
    assert_eq!(term.read("ran.txt"), "ran\n");
}

#[test]
fn the_number_of_background_requests_is_limited() {
    let replies = (0..5).map(|_| Reply::text(["never"]).gated());
    let model = Model::start(replies);
    let mut term = asking(Shell::Bash, &model).start();
    term.wait_for_prompt();
    for number in 1..=4 {
        term.run(&format!("> question {number} &"));
        model.request();
    }
    term.run("> question 5 &");
    assert!(term.screen().contains("4 requests are already running in the background"), "{}", term.screen());
    term.run("> /show");
    let screen = term.screen();
    assert!((1..=4).all(|number| screen.contains(&format!("  > question {number}"))), "{screen}");
    // One more can be asked in the foreground, but it cannot go to the background.
    term.typed("> question 5\r");
    model.request();
    term.key(Key::CtrlZ);
    term.wait_until(|screen| screen.contents().matches("requests are already running in the background").count() == 2);
    term.key(Key::CtrlC);
    term.wait_for_prompt();
    assert_eq!(model.others().len(), 0);
}

#[test]
fn background_requests_end_with_the_shell() {
    let model = Model::start([Reply::calls(&[("bash", json!({ "command": "echo $$ > pid; exec sleep 1000" }))])]);
    let mut term = asking(Shell::Bash, &model).fifo("pid").start();
    term.wait_for_prompt();
    term.typed("> wait\r");
    term.approve("echo $$ > pid");
    term.wait_for("$ echo $$ > pid");
    term.key(Key::CtrlZ);
    term.wait_for_prompt();
    let pid: i32 = term.read("pid").trim().parse().unwrap();
    term.exit();
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(status.is_empty() || status.contains(") Z "), "{status}");
}

#[test]
fn an_answer_is_shown_again_with_all_that_its_calls_printed() {
    let model = Model::start([
        Reply::calls(&[
            ("bash", json!({ "command": "touch x; seq 101 140" })),
            ("read_file", json!({ "path": "notes" })),
        ]),
        Reply::text(["counted"]),
        Reply::text(["other"]),
    ]);
    let mut term = asking(Shell::Bash, &model).file("notes", "a secret word\n").start();
    term.wait_for_prompt();
    term.typed("> count\r");
    term.approve("seq 101 140");
    term.wait_for("counted");
    term.wait_for_prompt();
    let screen = term.screen();
    assert!(screen.contains("… 37 more lines (Ctrl-O or > /show 1)"), "{screen}");
    assert!(!screen.contains("  123\n") && !screen.contains("secret word"), "{screen}");
    term.run("> something else");
    term.run("> /show 1");
    let screen = term.screen();
    assert!(screen.contains("  123\n") && screen.contains("secret word"), "{screen}");
    term.run("clear");
    term.run("> /show");
    assert!(term.screen().contains("> something else\nother\n"), "{}", term.screen());
    term.run("> /show 9");
    assert!(term.screen().contains("there is no request 9; the last is 2"), "{}", term.screen());
}

#[test]
fn a_line_typed_during_an_answer_steers_it() {
    in_every_shell(|shell| {
        let model = Model::start([
            Reply::text(["Looking."]).and_calls(&[("ls", json!({}))]).gated(),
            Reply::text(["In French: ", "bonjour"]),
        ]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("> say hello\r");
        model.request();
        model.release();
        term.wait_for("Looking.");
        // Esc closes the line. The bytes of an arrow key are not Esc.
        term.typed(">never mind");
        term.wait_for("\n> never mind");
        term.key(Key::Left);
        term.typed("!");
        term.wait_for("\n> never min!d");
        term.key(Key::Esc);
        term.wait_until(|screen| !screen.contents().contains("never min"));
        term.typed(">in frenhc\x7f\x7fch\r");
        term.wait_for("\n> in french\n");
        model.release();
        model.release();
        term.wait_for("bonjour");
        term.wait_for_prompt();
        let asked = model.request();
        let messages = asked.body["messages"].as_array().unwrap();
        let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "tool", "user"], "{}", shell.name());
        assert_eq!(asked.said(0), "in french");
        term.run("echo al''so");
        assert!(term.screen().contains("\nalso\n"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn a_steering_line_that_arrives_last_is_answered_too() {
    let model = Model::start([Reply::text(["Hello."]).gated(), Reply::text(["Bonjour."])]);
    let mut term = asking(Shell::Bash, &model).start();
    term.wait_for_prompt();
    term.typed("> say hello\r");
    model.request();
    model.release();
    term.wait_for("Hello.");
    term.typed(">in french\r");
    term.wait_for("\n> in french\n");
    model.release();
    term.wait_for("Bonjour.");
    term.wait_for_prompt();
    assert!(term.screen().contains("Hello.\n\nBonjour.\n"), "{}", term.screen());
    assert_eq!(model.request().said(0), "in french");
}

#[test]
fn the_end_of_the_shell_says_which_request_it_stopped() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["never said"]).gated()]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("> take your time &\r");
        term.wait_for("continues in the background");
        term.wait_for_prompt();
        assert!(term.exit().success(), "{}", shell.name());
        term.wait_for("stopped request 1, which was still running (> take your time)");
    });
}
