//! Conversations outlive the process that held them.

use std::path::Path;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::harness::{Builder, Model, Reply, Shell, Term, in_every_shell};

fn connected(model: &Model) -> Builder {
    connected_to(Shell::Bash, model)
}

fn connected_to(shell: Shell, model: &Model) -> Builder {
    Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted").size(40, 120)
}

/// Runs `shellmate conversations` and reads its lines.
fn conversations(term: &Term, args: &[&str]) -> Vec<Value> {
    let output = term.shellmate(&[&["conversations"], args, &["--json"]].concat());
    output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn kinds(term: &Term, id: &str) -> Vec<String> {
    let entries = conversations(term, &["show", id]);
    entries.iter().map(|entry| entry["kind"].as_str().unwrap().to_owned()).collect()
}

fn ask(term: &mut Term, question: &str, answer: &str) {
    term.typed(format!("> {question}\r"));
    term.wait_for(answer);
    term.wait_for_prompt();
}

#[test]
fn a_killed_process_loses_only_the_message_in_flight() {
    let model = Model::start([
        Reply::text(["Paris is the capital."]),
        Reply::calls(&[("ls", json!({ "path": "." }))]),
        Reply::text(["Half of an", " answer"]).gated(),
    ]);
    let mut term = connected(&model).file("notes-of-mine", "x").start();
    term.wait_for_prompt();
    ask(&mut term, "capital of France", "Paris is the capital.");
    term.typed("> what is here\r");
    model.release();
    term.wait_for("Half of an");
    let said = ["question", "assistant", "end", "question", "assistant", "tool"];
    term.wait_for_state(|| kinds(&term, "1"), &said[..]);
    term.signal(Signal::SIGKILL);
    term.wait_status();
    assert_eq!(kinds(&term, "1"), said);
    let shown = term.shellmate(&["conversations", "show", "1"]).stdout;
    assert!(shown.contains("notes-of-mine") && shown.contains("Paris is the capital."), "{shown}");
    let listed = conversations(&term, &["list"]);
    assert_eq!((&listed[0]["exchanges"], &listed[0]["live"]), (&json!(2), &json!(false)), "{listed:?}");
}

#[test]
fn two_terminals_record_conversations_of_their_own() {
    let model = Model::start(["One.", "Two.", "Three.", "Four."].map(|text| Reply::text([text])));
    let mut first = connected(&model).start();
    first.wait_for_prompt();
    let state = first.home().join(".local/state");
    let mut second = connected(&model).env("XDG_STATE_HOME", state).start();
    second.wait_for_prompt();
    for (term, question, answer) in [(0, "a1", "One."), (1, "b1", "Two."), (0, "a2", "Three."), (1, "b2", "Four.")] {
        ask(if term == 0 { &mut first } else { &mut second }, question, answer);
    }
    let words = |id: &str| -> Vec<String> {
        let entries = conversations(&first, &["show", id]);
        entries.iter().filter_map(|entry| entry["body"]["question"].as_str().map(str::to_owned)).collect()
    };
    first.wait_for_state(|| [words("1"), words("2")].concat(), &["a1", "a2", "b1", "b2"][..]);
    let live: Vec<bool> = conversations(&first, &[]).iter().map(|one| one["live"] == true).collect();
    assert_eq!(live, [true, true]);
    second.exit();
    assert_eq!(conversations(&first, &[])[0]["live"], false, "the newest one has ended");
}

#[test]
fn without_a_history_a_conversation_goes_on_in_memory() {
    let model = Model::start([Reply::text(["One."]), Reply::text(["Two."])]);
    let mut term = connected(&model).config("[history]\nenabled = false\n").start();
    term.wait_for_prompt();
    ask(&mut term, "first", "One.");
    ask(&mut term, "second", "Two.");
    model.request();
    assert!(model.request().body["messages"].to_string().contains("One."), "the second question knows the first");
    assert_eq!(term.screen().matches("this conversation is in memory only").count(), 1, "{}", term.describe());
    term.exit();
    assert!(!term.home().join(".local/state/shellmate/history.db").exists());
}

#[test]
fn conversations_are_turned_off_and_on_from_the_next_question() {
    let model = Model::start(["One.", "Two.", "Three.", "Four."].map(|text| Reply::text([text])));
    let mut term = connected(&model).start();
    term.wait_for_prompt();
    let config = term.home().join(".config/shellmate/config.toml");
    let base = std::fs::read_to_string(&config).unwrap_or_default();
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    let save = |value: bool| std::fs::write(&config, format!("{base}\n[conversations]\nenabled = {value}\n")).unwrap();
    ask(&mut term, "first", "One.");
    save(false);
    ask(&mut term, "second", "Two.");
    assert_eq!(term.screen().matches("this conversation is in memory only").count(), 1, "{}", term.describe());
    ask(&mut term, "third", "Three.");
    save(true);
    ask(&mut term, "fourth", "Four.");
    let bodies: Vec<Value> = (0..4).map(|_| model.request().body).collect();
    assert!(bodies[3]["messages"].to_string().contains("Two."), "the model still knows what was not recorded");
    term.exit();
    let entries = conversations(&term, &["show", "1"]);
    let questions: Vec<&str> = entries.iter().filter_map(|entry| entry["body"]["question"].as_str()).collect();
    assert_eq!(questions, ["first", "fourth"]);
}

#[test]
fn a_history_that_is_no_database_is_told_once_and_the_conversation_goes_on() {
    let model = Model::start([Reply::text(["One."]), Reply::text(["Two."])]);
    let broken = ".local/state/shellmate/history.db";
    let mut term = connected(&model).file(broken, "").start();
    std::fs::remove_file(term.home().join(broken)).unwrap();
    std::fs::create_dir(term.home().join(broken)).unwrap();
    term.wait_for_prompt();
    ask(&mut term, "first", "One.");
    ask(&mut term, "second", "Two.");
    model.request();
    assert!(model.request().body["messages"].to_string().contains("One."), "the second question knows the first");
    assert_eq!(term.screen().matches("conversations are not kept").count(), 1, "{}", term.describe());
}

#[test]
fn nothing_is_recorded_while_recording_is_paused() {
    let model = Model::start([Reply::text(["One."]), Reply::text(["Two."])]);
    let mut term = connected(&model).start();
    term.wait_for_prompt();
    term.run(&format!("{} history pause", crate::harness::PROGRAM));
    ask(&mut term, "first", "One.");
    term.run(&format!("{} history resume", crate::harness::PROGRAM));
    ask(&mut term, "second", "Two.");
    term.wait_for_state(|| conversations(&term, &[]).len(), &1);
    assert_eq!(conversations(&term, &[])[0]["title"], "second");
}

#[test]
fn questions_of_ask_are_recorded_too() {
    let model = Model::start([Reply::text(["Berlin."])]);
    let term = connected(&model).start();
    let asked = term.shellmate(&["ask", "capital", "of", "Germany"]);
    assert!(asked.status.success(), "{asked:?}");
    let found = conversations(&term, &["search", "berlin"]);
    assert_eq!(found[0]["question"], "capital of Germany");
}

#[test]
fn a_conversation_is_continued_after_the_process_was_killed() {
    let model = Model::start([
        Reply::text(["Paris is the capital."]),
        Reply::calls(&[("ls", json!({ "path": "." }))]),
        Reply::text(["Half of an", " answer"]).gated(),
        Reply::text(["It goes on."]),
    ]);
    let mut term = connected(&model).start();
    term.wait_for_prompt();
    ask(&mut term, "capital of France", "Paris is the capital.");
    term.typed("> what is here\r");
    model.release();
    term.wait_for("Half of an");
    term.wait_for_state(|| kinds(&term, "1").len(), &6);
    term.signal(Signal::SIGKILL);
    term.wait_status();
    let state = term.home().join(".local/state");
    let mut again = connected(&model).env("XDG_STATE_HOME", state).start();
    again.wait_for_prompt();
    again.typed("> /resume\r");
    again.wait_for("home: capital of France");
    again.typed("\x1b");
    again.wait_for("the conversation was not changed");
    again.wait_for_prompt();
    again.typed("> /resume france\r");
    again.wait_for("conversation 1 goes on: capital of France");
    again.wait_for("your last question was: what is here");
    again.wait_for_prompt();
    ask(&mut again, "and now", "It goes on.");
    let sent: Vec<Value> = (0..4).map(|_| model.request().body["messages"].clone()).collect();
    let sent = sent[3].as_array().unwrap();
    let roles: Vec<&str> = sent.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "tool", "assistant", "user"]);
    assert!(sent[6]["content"].to_string().contains("interrupted"), "{sent:?}");
    let wanted =
        ["question", "assistant", "end", "question", "assistant", "tool", "end", "question", "assistant", "end"];
    again.wait_for_state(|| kinds(&again, "1"), &wanted[..]);
}

#[test]
fn a_conversation_that_is_in_use_is_forked() {
    let model = Model::start(["One.", "Two.", "Three."].map(|text| Reply::text([text])));
    let mut first = connected(&model).start();
    first.wait_for_prompt();
    ask(&mut first, "a1", "One.");
    first.wait_for_state(|| kinds(&first, "1"), &["question", "assistant", "end"][..]);
    let state = first.home().join(".local/state");
    let mut second = connected(&model).env("XDG_STATE_HOME", state).start();
    second.wait_for_prompt();
    second.typed("> /resume 1\r");
    second.wait_for("conversation 1 is in use in another terminal; this is a fork of it: a1");
    second.wait_for_prompt();
    ask(&mut second, "b1", "Two.");
    ask(&mut first, "a2", "Three.");
    let words = |id: &str| -> Vec<String> {
        let entries = conversations(&first, &["show", id]);
        entries.iter().filter_map(|entry| entry["body"]["question"].as_str().map(str::to_owned)).collect()
    };
    first.wait_for_state(|| [words("1"), words("2")].concat(), &["a1", "a2", "a1", "b1"][..]);
}

#[test]
fn a_question_that_was_taken_back_comes_to_the_prompt() {
    let model = Model::start(["One.", "Two.", "Three."].map(|text| Reply::text([text])));
    let mut term = connected(&model).start();
    term.wait_for_prompt();
    ask(&mut term, "first question", "One.");
    ask(&mut term, "second question", "Two.");
    term.typed("> /rewind\r");
    term.wait_for("took the last question back");
    term.wait_until(|screen| crate::harness::text_of(screen).trim_end().ends_with("> second question"));
    term.typed(" indeed\r");
    term.wait_for("Three.");
    term.wait_for_prompt();
    let sent: Vec<String> = (0..3).map(|_| model.request().body["messages"].to_string()).collect();
    let sent = &sent[2];
    assert!(sent.contains("One.") && !sent.contains("Two.") && sent.contains("second question indeed"), "{sent}");
    let shown = |term: &Term| term.shellmate(&["conversations", "show", "1"]).stdout;
    term.wait_for_state(|| (shown(&term).contains("Two."), shown(&term).contains("Three.")), &(false, true));
    let found = conversations(&term, &["search", "two"]);
    assert_eq!(found[0]["question"], "second question", "what came after stays in the tree");
    term.typed("> /rewind 9\r");
    term.wait_for("only 2 questions have been asked");
}

/// Asks three questions, has them summarised, types `lines` and takes two questions back. Returns what the next question sends.
fn rewound_past_a_summary(lines: &[&str]) -> String {
    let model = Model::start(["One.", "Two.", "Three.", "NOTES", "Four."].map(|text| Reply::text([text])));
    let mut term = connected(&model).start();
    term.wait_for_prompt();
    for (question, answer) in [("first", "One."), ("second", "Two."), ("third", "Three.")] {
        ask(&mut term, question, answer);
    }
    term.typed("> /compact\r");
    term.wait_for("the next question sends the summary");
    term.wait_for_prompt();
    lines.iter().for_each(|line| term.run(line));
    term.typed("> /rewind 2\r");
    term.wait_for("took the last 2 questions back");
    term.wait_until(|screen| crate::harness::text_of(screen).trim_end().ends_with("> second"));
    term.typed(" again\r");
    term.wait_for("Four.");
    term.wait_for_prompt();
    let shown = |term: &Term| term.shellmate(&["conversations", "show", "--json", "1"]).stdout;
    term.wait_for_state(|| shown(&term).contains("second again"), &lines.is_empty());
    (0..4).for_each(|_| drop(model.request()));
    model.request().body["messages"].to_string()
}

#[test]
fn questions_that_a_summary_replaced_can_be_taken_back() {
    for lines in [&[][..], &["> /fork"][..]] {
        let sent = rewound_past_a_summary(lines);
        assert!(sent.contains("One.") && sent.contains("second again"), "{lines:?}: {sent}");
        assert!(["NOTES", "Two.", "third", "Three."].iter().all(|gone| !sent.contains(gone)), "{lines:?}: {sent}");
    }
}

#[test]
fn a_picture_is_kept_beside_the_conversation_and_missed_when_it_is_gone() {
    let model = Model::start([Reply::text(["One."])]);
    let png = b"\x89PNG\r\n\x1a\nof a cat";
    let mut term = connected(&model).start();
    std::fs::write(term.home().join("cat.png"), png).unwrap();
    term.wait_for_prompt();
    ask(&mut term, "what is this @cat.png", "One.");
    term.exit();
    let state = term.home().join(".local/state");
    let kept = || std::fs::read_dir(state.join("shellmate/pictures")).unwrap().map(|file| file.unwrap().path());
    let file = kept().next().unwrap();
    assert_eq!((kept().count(), std::fs::read(&file).unwrap()), (1, png.to_vec()));
    let base64 = "iVBORw0KGgpvZiBhIGNhdA==";
    assert!(!term.shellmate(&["conversations", "show", "1", "--json"]).stdout.contains(base64));
    let exported = || term.shellmate(&["conversations", "export", "1", "--format", "html"]).stdout;
    assert!(exported().contains(base64), "{}", exported());
    std::fs::remove_file(file).unwrap();
    assert!(exported().contains("[a picture that is no longer kept]"), "{}", exported());
    let mut again = connected(&model).env("XDG_STATE_HOME", &state).start();
    again.wait_for_prompt();
    again.typed("> /resume 1\r");
    again.wait_for("a picture of it is no longer kept; the model is told so");
}

/// Asks a question in the conversation line.
fn ask_in_line(term: &mut Term, question: &str, answer: &str) {
    term.typed(">\r");
    term.wait_for("ask, or /help");
    term.typed(format!("{question}\r"));
    term.wait_for(answer);
    term.typed("\x04");
    term.wait_for_prompt();
}

#[test]
fn questions_that_the_line_remembers_are_forgotten_with_their_conversation() {
    let model = Model::start(["One.", "Two.", "Three."].map(|text| Reply::text([text])));
    let mut term = connected(&model).start();
    term.wait_for_prompt();
    ask_in_line(&mut term, "first question", "One.");
    term.run("> /new");
    ask_in_line(&mut term, "second question", "Two.");
    term.run(&format!("{} history pause", crate::harness::PROGRAM));
    ask_in_line(&mut term, "third question", "Three.");
    term.exit();
    let remembered = || std::fs::read_to_string(term.home().join(".local/state/shellmate/queries")).unwrap();
    assert_eq!(remembered(), "\"first question\"\n\"second question\"\n");
    assert!(term.shellmate(&["conversations", "forget", "1"]).status.success());
    assert_eq!(remembered(), "\"second question\"\n");
    assert!(term.shellmate(&["conversations", "forget", "--all", "--yes"]).status.success());
    assert_eq!(remembered(), "");
}

#[test]
fn a_call_that_was_not_finished_is_closed_when_its_conversation_goes_on() {
    let asks = Reply::calls(&[("ask_user", json!({ "question": "which one?", "choices": ["a", "b"] }))]);
    let model = Model::start([asks, Reply::text(["It goes on."])]);
    let mut term = connected(&model).start();
    term.wait_for_prompt();
    term.typed("> choose\r");
    term.wait_for("which one?");
    term.wait_for_state(|| kinds(&term, "1"), &["question", "assistant"][..]);
    term.signal(Signal::SIGKILL);
    term.wait_status();
    let state = term.home().join(".local/state");
    let mut again = connected(&model).env("XDG_STATE_HOME", state).start();
    again.wait_for_prompt();
    again.typed("> /resume 1\r");
    again.wait_for("conversation 1 goes on: choose");
    again.wait_for_prompt();
    ask(&mut again, "and now", "It goes on.");
    let sent: Vec<Value> = (0..2).map(|_| model.request().body["messages"].clone()).collect();
    let sent = sent[1].as_array().unwrap();
    let roles: Vec<&str> = sent.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "assistant", "user"]);
    assert_eq!(sent[3]["tool_call_id"], sent[2]["tool_calls"][0]["id"]);
    assert!(sent[3]["content"].to_string().contains("not made"), "{sent:?}");
}

#[test]
fn a_model_that_is_gone_is_replaced_when_its_conversation_goes_on() {
    let model = Model::start(["One.", "Two."].map(|text| Reply::text([text])));
    let gone = [("ANTHROPIC_BASE_URL", model.root()), ("ANTHROPIC_API_KEY", "k".into())];
    let first = Term::new(Shell::Bash).env("SHELLMATE_MODEL", "anthropic/claude-old").size(40, 120);
    let mut term = gone.into_iter().fold(first, |term, (name, value)| term.env(name, value)).start();
    term.wait_for_prompt();
    ask(&mut term, "first", "One.");
    term.exit();
    let mut again = connected(&model).env("XDG_STATE_HOME", term.home().join(".local/state")).start();
    again.wait_for_prompt();
    again.typed("> /resume 1\r");
    again.wait_for("anthropic/claude-old is not available any more; custom/scripted answers");
    again.wait_for_prompt();
    ask(&mut again, "second", "Two.");
    model.request();
    assert!(model.request().body["messages"].to_string().contains("One."));
}

#[test]
fn a_question_that_was_taken_back_in_a_conversation_comes_to_its_line() {
    let model = Model::start(["One.", "Two."].map(|text| Reply::text([text])));
    let mut term = connected(&model).start();
    term.wait_for_prompt();
    term.typed(">\r");
    term.wait_for("ask, or /help");
    term.typed("first question\r");
    term.wait_for("One.");
    term.wait_for("ask, or /help");
    term.typed("/rewind\r");
    term.wait_for("took the last question back");
    term.wait_until(|screen| crate::harness::text_of(screen).trim_end().ends_with("first question"));
    term.typed(" indeed\r");
    term.wait_for("Two.");
    let sent: Vec<String> = (0..2).map(|_| model.request().body["messages"].to_string()).collect();
    assert!(sent[1].contains("first question indeed") && !sent[1].contains("One."), "{}", sent[1]);
    term.typed("\x04");
    term.wait_for_prompt();
    term.run("echo the prompt was empty");
}

#[test]
fn a_conversation_has_a_name_and_a_fork_of_its_own() {
    let model = Model::start(["One.", "Two."].map(|text| Reply::text([text])));
    let mut term = connected(&model).start();
    term.wait_for_prompt();
    term.typed("> /name too early\r");
    term.wait_for("nothing has been asked yet");
    term.wait_for_prompt();
    ask(&mut term, "first question", "One.");
    term.typed("> /name the long hunt\r");
    term.wait_for("conversation 1 is called: the long hunt");
    term.wait_for_prompt();
    term.typed("> /fork\r");
    term.wait_for("`> /resume 1` goes back to where it began");
    term.wait_for_prompt();
    ask(&mut term, "another way", "Two.");
    term.wait_for_state(|| conversations(&term, &[]).len(), &2);
    let titles: Vec<Value> = conversations(&term, &[]).iter().map(|one| one["title"].clone()).collect();
    assert_eq!(titles, ["the long hunt", "the long hunt"]);
    let shown = term.shellmate(&["conversations", "show", "2"]).stdout;
    assert!(shown.contains("One.") && shown.contains("Two."), "{shown}");
    assert!(!term.shellmate(&["conversations", "show", "1"]).stdout.contains("Two."));
}

#[test]
fn ask_continues_a_conversation() {
    let model = Model::start(["Paris.", "Two million.", "Still Paris.", "New."].map(|text| Reply::text([text])));
    let term = connected(&model).start();
    let asked = |args: &[&str]| {
        let output = term.shellmate(&[&["ask"], args].concat());
        assert!(output.status.success(), "{output:?}");
        model.request().body["messages"].to_string()
    };
    assert!(!term.shellmate(&["ask", "--continue", "x"]).status.success(), "there is none yet");
    asked(&["capital of France"]);
    assert!(asked(&["--continue", "how many live there"]).contains("Paris."));
    assert!(asked(&["--resume", "1", "and now"]).contains("Two million."));
    assert!(!asked(&["something else"]).contains("Paris."));
    assert_eq!(conversations(&term, &[]).len(), 2);
    let page = term.shellmate(&["conversations", "export", "1", "--format", "html"]).stdout;
    assert!(page.starts_with("<!") && page.contains("Two million."), "{page}");
    let forgotten = term.shellmate(&["conversations", "forget", "1"]);
    assert_eq!(forgotten.stdout, "Forgot 1 conversation.\n");
    assert!(!term.shellmate(&["conversations", "show", "1"]).status.success());
    let refused = term.shellmate(&["conversations", "forget", "--all"]);
    assert!(refused.stderr.contains("this would forget 1 conversation"), "{refused:?}");
}

#[test]
fn a_conversation_is_picked_from_a_list() {
    in_every_shell(|shell| {
        let model = Model::start(["One.", "Two.", "Three."].map(|text| Reply::text([text])));
        let mut term = connected_to(shell, &model).start();
        term.wait_for_prompt();
        ask(&mut term, "about rivers", "One.");
        term.typed("> /new\r");
        term.wait_for("started a new conversation");
        term.wait_for_prompt();
        ask(&mut term, "about mountains", "Two.");
        term.typed("> /new\r");
        term.wait_for_prompt();
        term.typed("> /resume\r");
        term.wait_for("1 of 2; type to filter");
        term.typed("riv");
        term.wait_for("1 of 1; type to filter");
        assert!(!term.screen().contains("▸    2"), "{}", term.describe());
        term.typed("\r");
        term.wait_for("conversation 1 goes on: about rivers");
        term.wait_for_prompt();
        assert!(!term.screen().contains("type to filter"), "the list is gone\n{}", term.describe());
        ask(&mut term, "and now", "Three.");
        let [_, _, sent] = [(); 3].map(|()| model.request().body["messages"].to_string());
        assert!(sent.contains("about rivers") && !sent.contains("about mountains"), "{sent}");
        term.typed("> /resume\r");
        term.wait_for("1 of 1; type to filter");
        term.typed("\x03");
        term.wait_for_prompt();
        assert!(!term.screen().contains("type to filter"), "Ctrl-C removes the list\n{}", term.describe());
        term.run("echo the shell lives");
    });
}

/// A session in the pane `%1` of tmux, with the conversations of `home`.
fn in_pane(model: &Model, home: &Path) -> Builder {
    let state = home.join(".local/state");
    let pane = connected(model).env("TMUX", "/tmp/tmux-1/default,42,0").env("TMUX_PANE", "%1");
    pane.env("XDG_STATE_HOME", state).env("SHELLMATE_LOG", "shellmate=debug").dir(home)
}

/// Starts a session and waits until it has looked for a conversation that was cut off, for the `count`th time in all.
fn has_looked(builder: Builder, home: &Path, count: usize) -> Term {
    let mut term = builder.start();
    term.wait_for_prompt();
    let log = home.join(".local/state/shellmate/log/shellmate.log");
    let looked = || std::fs::read_to_string(&log).unwrap_or_default().matches("looked for a conversation").count();
    term.wait_for_state(looked, &count);
    term.run("true");
    term
}

#[test]
fn a_terminal_offers_to_continue_what_was_cut_off_in_it() {
    let model = Model::start([Reply::text(["Paris is the capital."]), Reply::text(["It goes on."])]);
    let place = tempfile::tempdir().unwrap();
    let home = place.path().canonicalize().unwrap();
    let mut killed = has_looked(in_pane(&model, &home), &home, 1);
    ask(&mut killed, "capital of France", "Paris is the capital.");
    killed.wait_for_state(|| kinds(&killed, "1").len(), &3);
    killed.signal(Signal::SIGKILL);
    killed.wait_status();

    let mut elsewhere = has_looked(in_pane(&model, &home).dir("/"), &home, 2);
    assert!(!elsewhere.screen().contains("was cut off"), "{}", elsewhere.describe());
    elsewhere.exit();

    let mut again = in_pane(&model, &home).start();
    again.wait_for_prompt();
    again.wait_for("shellmate: a conversation here was cut off; `> /resume 1` continues it: capital of France");
    again.typed("> /resume 1\r");
    again.wait_for("conversation 1 goes on: capital of France");
    again.wait_for_prompt();
    ask(&mut again, "and now", "It goes on.");
    assert_eq!(again.screen().matches("was cut off").count(), 1, "{}", again.describe());
    again.exit();

    let clean = has_looked(in_pane(&model, &home), &home, 4);
    assert!(!clean.screen().contains("was cut off"), "the session before has ended in order: {}", clean.describe());
}
