//! The transcript of a session: what the agent did, who allowed it and what came of it.

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::harness::{Builder, Model, PROGRAM, Reply, Shell, Term};

fn connected(model: &Model) -> Builder {
    Term::new(Shell::Bash).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted").size(40, 120)
}

fn lines(term: &Term, args: &[&str]) -> Vec<Value> {
    let output = term.shellmate(&[&["transcript"], args, &["--json"]].concat());
    output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The ids of the sessions that have a transcript.
fn sessions(term: &Term) -> Vec<String> {
    lines(term, &[]).iter().map(|line| line["session"].as_str().unwrap().to_owned()).collect()
}

/// The events of the only transcript.
fn events(term: &Term) -> Vec<Value> {
    sessions(term).first().map(|session| lines(term, &["show", session])).unwrap_or_default()
}

fn types(events: &[Value]) -> Vec<String> {
    events.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

fn ask(term: &mut Term, question: &str, answer: &str) {
    term.typed(format!("> {question}\r"));
    term.wait_for(answer);
    term.wait_for_prompt();
}

#[test]
fn requests_calls_decisions_and_results_are_in_the_transcript_of_the_terminal() {
    let model = Model::start([
        Reply::calls(&[("bash", json!({ "command": "touch made; echo the-output" }))]),
        Reply::text(["All done."]),
    ]);
    let mut term = connected(&model).start();
    term.wait_for_prompt();
    term.typed("> make it\r");
    term.approve("touch made");
    term.wait_for("All done.");
    term.wait_for_prompt();
    term.wait_for_state(|| types(&events(&term)).last().cloned(), &Some("finished".to_owned()));
    let events = events(&term);
    let kept: Vec<String> =
        types(&events).into_iter().filter(|kind| !["usage", "notice", "call_confined"].contains(&&**kind)).collect();
    let expected =
        ["question", "request_sent", "call_started", "call_decided", "call_finished", "request_sent", "finished"];
    assert_eq!(kept, expected);
    let of = |kind: &str| &events.iter().find(|event| event["type"] == kind).unwrap()["data"];
    assert_eq!(of("question"), "make it");
    assert!(of("request_sent")["tokens"].as_u64() > Some(100) && of("request_sent")["messages"] == 1);
    assert_eq!(of("call_decided")["decision"], json!({ "allowed": true, "by": "person" }));
    assert!(of("call_finished").to_string().contains("the-output"));
    term.run(&format!("clear; {PROGRAM} transcript show"));
    term.wait_for("allowed  bash by you");
    term.wait_for("result   bash in ");
    term.wait_for("end      answered");
}

#[test]
fn a_killed_process_leaves_the_decision_about_the_call_that_ran() {
    let model = Model::start([Reply::calls(&[("bash", json!({ "command": "touch begun; cat gate" }))])]);
    let mut term = connected(&model).fifo("gate").start();
    term.wait_for_prompt();
    term.typed("> go\r");
    term.approve("touch begun");
    term.wait_for_state(|| types(&events(&term)).last().cloned(), &Some("call_decided".to_owned()));
    term.signal(Signal::SIGKILL);
    term.wait_status();
    let kept = types(&events(&term));
    assert!(kept.ends_with(&["call_started".to_owned(), "call_decided".to_owned()]), "{kept:?}");
}

#[test]
fn two_terminals_have_a_transcript_each() {
    let model = Model::start(["One.", "Two.", "Three."].map(|text| Reply::text([text])));
    let mut first = connected(&model).start();
    first.wait_for_prompt();
    let state = first.home().join(".local/state");
    let mut second = connected(&model).env("XDG_STATE_HOME", state).start();
    second.wait_for_prompt();
    ask(&mut first, "a1", "One.");
    ask(&mut second, "b1", "Two.");
    ask(&mut first, "a2", "Three.");
    let questions = || {
        let mut listed: Vec<(u64, String)> = lines(&first, &[])
            .iter()
            .map(|one| (one["questions"].as_u64().unwrap(), one["opening"].as_str().unwrap().to_owned()))
            .collect();
        listed.sort();
        listed
    };
    first.wait_for_state(questions, &[(1, "b1".to_owned()), (2, "a1".to_owned())][..]);
}

#[test]
fn a_secret_in_an_argument_or_a_result_is_masked_in_the_transcript() {
    let secret = "Zq7vN2xLw9Tf4Rb8Kc3M";
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let model = Model::start([
        Reply::calls(&[
            ("bash", json!({ "command": format!("echo {token}; cat notes; touch x") })),
            ("ls", json!({ "path": secret })),
        ]),
        Reply::text(["All done."]),
    ]);
    let mut term =
        connected(&model).env("DEPLOY_TOKEN", secret).file("work/notes", format!("{secret}\n{token}\n")).start();
    term.wait_for_prompt();
    term.run("cd work");
    term.typed(format!("> what is {secret}\r"));
    term.approve("? run");
    term.wait_for("All done.");
    term.wait_for_prompt();
    term.wait_for_state(|| types(&events(&term)).last().cloned(), &Some("finished".to_owned()));
    let shown = term.shellmate(&["transcript", "show", &sessions(&term)[0]]).stdout;
    for text in [shown, json!(events(&term)).to_string()] {
        assert!(!text.contains(secret) && !text.contains(token), "{text}");
        assert!(text.contains("[masked: $DEPLOY_TOKEN #1]") && text.contains("[masked: GitHub token #1]"), "{text}");
    }
}

#[test]
fn nothing_is_recorded_while_the_history_is_off_or_paused() {
    let model = Model::start([Reply::text(["One."])]);
    let mut term = connected(&model).config("[history]\nenabled = false\n").start();
    term.wait_for_prompt();
    ask(&mut term, "first", "One.");
    let listed = term.shellmate(&["transcript"]);
    assert!(listed.status.success() && listed.stdout.is_empty(), "{listed:?}");
    assert!(listed.stderr.contains("no question has been recorded yet"), "{listed:?}");

    let model = Model::start([Reply::text(["One."]), Reply::text(["Two."])]);
    let mut term = connected(&model).start();
    term.wait_for_prompt();
    term.run(&format!("{PROGRAM} history pause"));
    ask(&mut term, "first", "One.");
    term.run(&format!("{PROGRAM} history resume"));
    ask(&mut term, "second", "Two.");
    term.wait_for_state(|| types(&events(&term)).last().cloned(), &Some("finished".to_owned()));
    assert_eq!(events(&term)[0]["data"], "second");
}

#[test]
fn a_forgotten_conversation_is_not_in_the_transcript() {
    let model = Model::start([Reply::text(["One."])]);
    let mut term = connected(&model).start();
    term.wait_for_prompt();
    ask(&mut term, "first", "One.");
    term.wait_for_state(|| types(&events(&term)).last().cloned(), &Some("finished".to_owned()));
    assert!(term.shellmate(&["conversations", "forget", "1"]).status.success());
    assert!(sessions(&term).is_empty());
}

#[test]
fn what_ask_did_is_in_a_transcript_too() {
    let model = Model::start([
        Reply::calls(&[("bash", json!({ "command": "touch a" })), ("bash", json!({ "command": "touch b" }))]),
        Reply::text(["Done."]),
        Reply::calls(&[("bash", json!({ "command": "touch c" }))]),
        Reply::text(["Done."]),
    ]);
    let term = connected(&model).start();
    let deciders = |args: &[&str]| -> Vec<Value> {
        assert!(term.shellmate(&[&["ask"], args].concat()).status.success());
        let events = events(&term);
        let decided = events.iter().filter(|event| event["type"] == "call_decided");
        decided.map(|event| json!([event["data"]["decision"]["allowed"], event["data"]["decision"]["by"]])).collect()
    };
    assert_eq!(deciders(&["go", "--yes"]), [json!([true, "yes"]), json!([true, "yes"])]);
    assert_eq!(deciders(&["go"]), [json!([false, "nobody"])]);
    assert!(sessions(&term).iter().all(|session| session.starts_with("ask-")));
}

/// A model that writes a file with the placeholder of a secret.
fn writing_a_secret() -> [Reply; 2] {
    let content = "token = [masked: $DEPLOY_TOKEN #1]\n";
    [Reply::calls(&[("write_file", json!({ "path": "conf", "content": content }))]), Reply::text(["All done."])]
}

#[test]
fn a_secret_is_put_back_into_a_file_only_after_a_yes_on_the_card() {
    let secret = "Zq7vN2xLw9Tf4Rb8Kc3M";
    let model = Model::start(writing_a_secret());
    let mut term = connected(&model).env("DEPLOY_TOKEN", secret).start();
    term.wait_for_prompt();
    term.typed(format!("> write {secret} to conf\r"));
    term.wait_for("puts back: DEPLOY_TOKEN");
    term.wait_for("token = [masked: $DEPLOY_TOKEN #1]");
    term.wait_for_question("write conf");
    assert!(!term.screen().contains("this session") && !term.screen().contains("all edits"), "{}", term.screen());
    term.approve("write conf");
    term.wait_for("All done.");
    term.wait_for_prompt();
    assert_eq!(term.read("conf"), format!("token = {secret}\n"));
    term.wait_for_state(|| types(&events(&term)).last().cloned(), &Some("finished".to_owned()));
    let kept = json!(events(&term)).to_string();
    assert!(!kept.contains(secret) && kept.contains("token = [masked: $DEPLOY_TOKEN #1]"), "{kept}");
    model.request();
    let sent = model.request().body.to_string();
    assert!(!sent.contains(secret) && sent.contains("token = [masked: $DEPLOY_TOKEN #1]"), "{sent}");
}

#[test]
fn the_option_yes_does_not_put_a_secret_into_a_file() {
    let secret = "Zq7vN2xLw9Tf4Rb8Kc3M";
    let model = Model::start(writing_a_secret());
    let term = connected(&model).env("DEPLOY_TOKEN", secret).start();
    let asked = term.shellmate(&["ask", "--yes", &format!("write {secret} to conf")]);
    assert!(asked.stdout.contains("All done."), "{asked:?}");
    assert!(!term.home().join("conf").exists());
    model.request();
    assert!(model.request().said(0).contains("only after a yes of the user"));
}
