//! Typing is never an answer: a person types at the pace of people while a question appears or is open.
//!
//! These tests let real time pass between keys, because the time between keys is what they are about.

use std::num::NonZeroU16;
use std::time::{Duration, Instant};

use serde_json::json;
use vt100::{Parser, Screen};

use crate::harness::{Builder, Key, Model, Reply, Shell, Term, in_every_shell};

fn asking(shell: Shell, model: &Model) -> Builder {
    Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted").no_sandbox()
}

fn touch() -> Reply {
    Reply::calls(&[("bash", json!({ "command": "touch made" }))])
}

/// A call that needs no Enter: `/undo` can take it back.
fn write() -> Reply {
    Reply::calls(&[("write_file", json!({ "path": "made", "content": "made\n" }))])
}

/// A session in which the agent, with these replies, asks a question with these words.
fn asked(shell: Shell, replies: impl IntoIterator<Item = Reply>, words: &str) -> (Model, Term) {
    let model = Model::start(replies);
    let mut term = asking(shell, &model).start();
    term.wait_for_prompt();
    term.typed("> go\r");
    term.wait_for_question(words);
    (model, term)
}

/// Types key by key, with 60 to 150 ms before each.
fn type_slowly(term: &mut Term, keys: &str) {
    for (at, key) in (0..).zip(keys.chars()) {
        pause(60 + at * 37 % 91);
        term.typed(key.to_string());
    }
}

fn pause(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}

#[track_caller]
fn is_made(term: &Term, wanted: bool) {
    assert_eq!(term.home().join("made").exists(), wanted, "{}\n{}", term.shell().name(), term.screen());
}

/// Types a line while a question with these words is open. It answers nothing, and this is shown below the question.
#[track_caller]
fn a_line_answers_nothing(term: &mut Term, words: &str, shown: &str) {
    term.wait_for_question(words);
    type_slowly(term, "any y\r");
    term.wait_for(shown);
    let screen = term.screen();
    assert!(screen.rfind(words) < screen.find(shown), "it stands below the question\n{screen}");
    pause(1700);
    assert!(term.screen().contains(shown), "{}", term.screen());
    is_made(term, false);
}

#[test]
fn a_line_in_whose_middle_a_question_appears_runs_whole_at_the_prompt() {
    in_every_shell(|shell| {
        for (call, question) in [(touch(), "? run touch made"), (write(), "? write made")] {
            let model = Model::start([call.gated(), Reply::text(["done with it"])]);
            let mut term = asking(shell, &model).start();
            term.wait_for_prompt();
            term.typed("> go\r");
            model.request();
            type_slowly(&mut term, "echo ha''");
            model.release();
            model.release();
            type_slowly(&mut term, "ppy any -p y\r");
            term.wait_for(question);
            term.wait_for("waiting: echo ha''ppy any -p y⏎");
            term.wait_for("your command is kept for the prompt");
            term.wait_for("a question waits: Ctrl-\\ answers it");
            let screen = term.screen();
            assert!(screen.find(question) < screen.find("waiting: "), "{screen}");
            pause(1700);
            is_made(&term, false);
            term.key(Key::CtrlBackslash);
            term.approve(question);
            term.wait_for("done with it");
            term.wait_for("\nhappy any -p y\n");
            term.wait_for_prompt();
            is_made(&term, true);
        }
    });
}

#[test]
fn an_answer_at_the_end_of_a_line_is_a_part_of_the_line() {
    in_every_shell(|shell| {
        for (call, question) in [(touch(), "? run touch made"), (write(), "? write made")] {
            let (_model, mut term) = asked(shell, [call, Reply::text(["so be it"])], question);
            type_slowly(&mut term, "ls ");
            pause(700);
            term.typed("y");
            term.wait_for("waiting: ls y");
            pause(1700);
            is_made(&term, false);
            assert!(term.screen().contains("waiting: ls y"), "{}", term.screen());
            term.key(Key::CtrlBackslash);
            term.answer(question, 'n');
            term.wait_for("so be it");
            term.wait_for_prompt();
            term.wait_for("]$ ls y");
            is_made(&term, false);
        }
    });
}

#[test]
fn an_emptied_line_and_a_second_of_rest_give_the_keys_back() {
    in_every_shell(|shell| {
        let (_model, mut term) = asked(shell, [write(), Reply::text(["done with it"])], "? write made");
        type_slowly(&mut term, "ls");
        term.wait_for("waiting: ls");
        term.key(Key::Backspace);
        term.key(Key::Backspace);
        let emptied = Instant::now();
        term.key(Key::Ctrl('u'));
        term.wait_for_question("? write made");
        assert!(emptied.elapsed() >= Duration::from_millis(900), "{:?}", emptied.elapsed());
        term.approve("? write made");
        term.wait_for("done with it");
        term.wait_for_prompt();
        is_made(&term, true);
        assert!(term.screen().trim_end().ends_with("]$"), "nothing waits\n{}", term.screen());
    });
}

#[test]
fn a_paste_during_a_question_arrives_whole_at_the_prompt() {
    in_every_shell(|shell| {
        let (_model, mut term) = asked(shell, [write(), Reply::text(["so be it"])], "? write made");
        term.paste("echo pas''ted y\necho sec''ond n");
        term.wait_for("waiting: echo pas''ted y⏎echo sec''ond n");
        pause(1700);
        is_made(&term, false);
        term.key(Key::CtrlBackslash);
        term.answer("? write made", 'n');
        term.wait_for("so be it");
        term.wait_for("\npasted y\n");
        term.wait_for("]$ echo sec''ond n");
        term.typed("o\r");
        term.wait_for("\nsecond no\n");
        is_made(&term, false);
    });
}

#[test]
fn a_paste_of_a_single_letter_answers_nothing() {
    in_every_shell(|shell| {
        for (pasted, shown) in [("y", "waiting: y"), ("y\n", "waiting: y⏎")] {
            let (_model, mut term) = asked(shell, [write(), Reply::text(["so be it"])], "? write made");
            term.paste(pasted);
            term.wait_for(shown);
            pause(1700);
            is_made(&term, false);
            term.key(Key::Esc);
            term.wait_for("so be it");
            is_made(&term, false);
        }
    });
}

#[test]
fn over_a_running_program_a_line_answers_nothing() {
    in_every_shell(|shell| {
        let model = Model::start([touch(), Reply::text(["so be it"]), Reply::text(["the next answer"])]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("sh -c 'echo re''ady; exec sleep 1000'\r");
        term.wait_for("\nready\n");
        term.key(Key::CtrlBackslash);
        term.wait_for("an empty line closes");
        term.typed("go\r");
        a_line_answers_nothing(&mut term, "run touch made", "waiting: any y⏎");
        term.key(Key::CtrlBackslash);
        term.answer("run touch made", 'n');
        // The line is the next one of the conversation.
        term.wait_for("so be it");
        term.wait_for("the next answer");
        (0..2).for_each(|_| drop(model.request()));
        assert!(model.request().said(0).ends_with("any y"));
        is_made(&term, false);
    });
}

#[test]
fn in_a_conversation_a_line_answers_nothing() {
    in_every_shell(|shell| {
        let model = Model::start([touch(), Reply::text(["done with it"]), Reply::text(["the next answer"])]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed(">\r");
        term.wait_for("an empty line closes");
        term.typed("go\r");
        a_line_answers_nothing(&mut term, "run touch made", "waiting: any y⏎");
        term.key(Key::CtrlBackslash);
        term.approve("run touch made");
        term.wait_for("done with it");
        term.wait_for("the next answer");
        (0..2).for_each(|_| drop(model.request()));
        assert!(model.request().said(0).ends_with("any y"));
        is_made(&term, true);
    });
}

#[test]
fn a_line_does_not_answer_a_question_from_the_background() {
    in_every_shell(|shell| {
        let model = Model::start([touch().gated(), Reply::text(["done with it"])]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.run("> go &");
        model.request();
        model.release();
        model.release();
        term.wait_for("request 1 has a question: `> /show 1`");
        term.typed("> /show 1\r");
        a_line_answers_nothing(&mut term, "run touch made", "waiting: any y⏎");
        term.key(Key::CtrlBackslash);
        term.approve("run touch made");
        term.wait_for("done with it");
        term.wait_for("]$ any y\n");
        is_made(&term, true);
    });
}

#[test]
fn in_a_narrow_window_a_line_answers_nothing() {
    in_every_shell(|shell| {
        let model = Model::start([touch(), Reply::text(["done with it"])]);
        let mut term = asking(shell, &model).size(24, 20).start();
        term.wait_for_prompt();
        term.typed("> go\r");
        a_line_answers_nothing(&mut term, "run touch made", "waiting: any y⏎");
        assert!(term.words().contains("a question waits: Ctrl-\\ answers it"), "{}", term.screen());
        term.key(Key::CtrlBackslash);
        term.approve("run touch made");
        term.wait_for("done with it");
        term.wait_for("]$ any y\n");
        is_made(&term, true);
    });
}

#[test]
fn read_aloud_a_line_answers_nothing() {
    in_every_shell(|shell| {
        let model = Model::start([touch(), Reply::text(["done with it"])]);
        let mut term = asking(shell, &model).env("ACCESSIBLE", "1").start();
        term.wait_for_prompt();
        term.typed("> go\r");
        a_line_answers_nothing(&mut term, "run touch made", "your command is kept for the prompt");
        term.key(Key::CtrlBackslash);
        term.approve("run touch made");
        term.wait_for("done with it");
        term.wait_for("]$ any y\n");
        is_made(&term, true);
    });
}

#[test]
fn a_line_does_not_answer_a_question_of_the_model() {
    in_every_shell(|shell| {
        for choices in [json!(["one", "two"]), json!([])] {
            let question = json!({ "question": "which one?", "choices": choices });
            let (_model, mut term) =
                asked(shell, [Reply::calls(&[("ask_user", question)]), Reply::text(["as you say"])], "which one?");
            type_slowly(&mut term, "1 any\r");
            term.wait_for("waiting: 1 any⏎");
            pause(1700);
            assert!(!term.screen().contains("as you say"), "{}\n{}", shell.name(), term.screen());
            term.key(Key::Esc);
            term.wait_for("which one? no");
            term.wait_for("as you say");
        }
    });
}

/// All that a terminal of this size shows, and what has left it at the top.
fn with_scrollback(raw: &[u8], rows: u16, columns: u16) -> String {
    let cells = |count: u16| NonZeroU16::new(count).unwrap();
    let mut parser = Parser::new(cells(rows), cells(columns), 10_000);
    parser.process(raw);
    let screen = parser.screen_mut();
    screen.set_scrollback(usize::MAX);
    let mut text = String::new();
    for above in (1..=screen.scrollback()).rev() {
        screen.set_scrollback(above);
        text += &screen.rows(0, columns).next().unwrap_or_default();
        text.push('\n');
    }
    screen.set_scrollback(0);
    text + &screen.contents()
}

#[test]
fn nothing_of_an_answered_question_stays_in_the_scrollback() {
    in_every_shell(|shell| {
        let command = "touch made; : one\n: two\n: three\n: four\n: five";
        let model = Model::start([
            Reply::calls(&[("bash", json!({ "command": command }))]),
            Reply::calls(&[("write_file", json!({ "path": "other", "content": "x\n".repeat(40) }))]),
            touch(),
            Reply::text(["done with it"]),
        ]);
        let mut term = asking(shell, &model).size(12, 80).start();
        term.wait_for_prompt();
        term.run("seq 100 130");
        term.typed("> go\r");
        term.wait_for_question("touch made; : one");
        term.typed("?");
        term.wait_for("? these words");
        type_slowly(&mut term, "echo ah''ead\r");
        term.wait_for("waiting: echo ah''ead⏎");
        term.key(Key::CtrlBackslash);
        term.approve("touch made; : one");
        // More than the window has rows for.
        term.wait_for("? write other");
        term.wait_for("a question waits");
        term.wait_for("; ? shows the next");
        term.key(Key::CtrlBackslash);
        term.wait_for_question("rows 1–");
        term.typed("?");
        term.wait_for("? these words");
        term.answer("+x", 'n');
        term.wait_for("? run touch made");
        term.wait_for("a question waits");
        term.key(Key::CtrlBackslash);
        term.answer("? run touch made", 'a');
        term.wait_for("done with it");
        term.wait_for("\nahead\n");
        term.wait_for_prompt();
        let text = with_scrollback(&term.raw(), 12, 80);
        assert!(text.contains("\n101\n") && text.contains("$ touch made"), "{}\n{text}", shell.name());
        // The grant leaves one line.
        assert_eq!(text.matches("? run").count(), 1, "{}\n{text}", shell.name());
        assert!(text.contains("? run touch made: yes, and exactly this command, this session\n"), "{text}");
        for left in
            ["? write", "no  ", "Enter confirms", "question waits", "waiting:", "these words", "shows the next", "+x"]
        {
            assert!(!text.contains(left), "{}: {left:?} is left\n{text}", shell.name());
        }
    });
}

/// Whether a question is drawn whole: no word is broken, and nothing stands twice.
fn is_whole(screen: &Screen, words: &[&str]) -> bool {
    let rows: Vec<String> = screen.rows(0, screen.size().1.get()).collect();
    let count = |word: &str| -> usize { rows.iter().map(|row| row.matches(word).count()).sum() };
    words.iter().all(|word| count(word) == 1) && count("? run") == 1 && count("a⏎") == 1
}

#[test]
fn a_resize_draws_an_open_question_again() {
    in_every_shell(|shell| {
        let words = ["alpha", "bravo", "charlie", "delta", "echoes", "foxtrot", "golf", "hotel", "india", "juliett"];
        let command = format!("touch made; : {}", words.join(" "));
        let model = Model::start([Reply::calls(&[("bash", json!({ "command": command }))]), Reply::text(["so be it"])]);
        let mut term = asking(shell, &model).size(24, 100).start();
        term.wait_for_prompt();
        term.typed("> go\r");
        term.wait_for_question("? run touch made");
        for (rows, columns) in [(24, 60), (24, 30), (24, 20), (10, 20), (24, 100), (30, 40)] {
            term.resize(rows, columns);
            term.wait_until(|screen| is_whole(screen, &words));
            term.wait_for_question("? run touch made");
        }
        // Also while a line waits.
        type_slowly(&mut term, "any y");
        term.wait_for("waiting: any y");
        term.resize(24, 30);
        let rows = |screen: &Screen| screen.rows(0, 30).collect::<Vec<_>>().join("\n");
        term.wait_until(|screen| rows(screen).contains("answers it, or Ctrl-U and a"));
        term.wait_until(|screen| rows(screen).matches("waiting: any y").count() == 1);
        is_made(&term, false);
        term.key(Key::CtrlBackslash);
        term.answer("? run touch made", 'n');
        term.wait_for("so be it");
        is_made(&term, false);
    });
}
