//! What questions cost: `shellmate usage` and `> /usage`.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::{Builder, Model, Reply, Shell, Term};

/// Runs a subcommand. Returns the exit code, stdout and stderr.
fn run(builder: &Builder, args: &[&str]) -> (Option<i32>, String, String) {
    let output = builder.command().args(args).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn home(model: &Model) -> Builder {
    Term::new(Shell::Bash).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted")
}

#[test]
fn questions_are_counted_by_day_and_model() {
    let calls = Reply::calls(&[("ls", json!({ "path": "." }))]);
    let model = Model::start([calls, Reply::text(["Done."]), Reply::text(["Again."])]);
    let home = home(&model);
    let (code, out, err) = run(&home, &["usage"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("no questions were recorded in the last 7 days"), "{err}");
    for question in ["one", "two"] {
        assert_eq!(run(&home, &["ask", question]).0, Some(0));
    }
    let (code, out, err) = run(&home, &["usage", "all"]);
    let fields: Vec<&str> = out.trim_end().split('\t').collect();
    assert_eq!((code, fields.len()), (Some(0), 9), "{out}{err}");
    assert_eq!(fields[1..7], ["custom/scripted", "2", "33", "21", "0", ""], "three requests of 11 tokens in and 7 out");
    let (_, out, _) = run(&home, &["usage", "--json", "today"]);
    let line: Value = serde_json::from_str(out.trim()).unwrap();
    assert_eq!((&line["queries"], &line["input"], &line["cost"]), (&json!(2), &json!(33), &Value::Null));
    assert!(line["first_token_ms"].is_u64() && line["duration_ms"].is_u64(), "{line}");
    let (code, _, err) = run(&home, &["usage", "year"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("[possible values: today, week, month, all]"), "{err}");
}

#[test]
fn a_session_shows_its_own_tokens_first_and_then_a_chart() {
    let model = Model::start([Reply::text(["One."]), Reply::text(["Two."])]);
    let home = home(&model).size(40, 70);
    assert_eq!(run(&home, &["ask", "before"]).0, Some(0));
    let mut term = home.start();
    term.wait_for_prompt();
    term.typed("> hello\r");
    term.wait_for("Two.");
    term.wait_for_prompt();
    term.typed("> /usage\r");
    term.wait_for("11 tokens in, 7 out, local");
    term.wait_for("in the last 7 days:");
    term.wait_until(|screen| screen.contents().matches("  2 queries\n").count() == 2);
    term.wait_for("█");
    term.wait_for_prompt();
    term.typed("> /usage month\r");
    term.wait_for("total: 22 tokens in, 14 out");
    term.wait_for_prompt();
    term.typed("> /usage year\r");
    term.wait_for_state(
        || term.words().contains("there is no period year; there are today, week, month and all"),
        &true,
    );
}

#[test]
fn a_summary_by_hand_is_counted_like_a_question() {
    let model = Model::start(["One.", "Two.", "NOTES"].map(|text| Reply::text([text])));
    let mut term = home(&model).start();
    term.wait_for_prompt();
    for (question, answer) in [("> first\r", "One."), ("> second\r", "Two.")] {
        term.typed(question);
        term.wait_for(answer);
        term.wait_for_prompt();
    }
    term.typed("> /compact\r");
    term.wait_for("the next question sends the summary");
    let figures = |term: &Term| {
        let line = term.shellmate(&["usage", "--json", "today"]).stdout;
        let line: Value = serde_json::from_str(line.trim()).unwrap_or_default();
        (line["queries"].clone(), line["input"].clone())
    };
    term.wait_for_state(|| figures(&term), &(json!(3), json!(33)));
}

#[test]
fn without_a_record_only_the_session_is_counted() {
    let model = Model::start([Reply::text(["One."])]);
    let mut term = home(&model).config("[history]\nenabled = false\n").start();
    term.wait_for_prompt();
    term.typed("> hello\r");
    term.wait_for("One.");
    term.wait_for_prompt();
    term.typed("> /usage week\r");
    term.wait_for("11 tokens in, 7 out, local");
    term.wait_for("recording is off, so only this session is counted");
}

#[test]
fn a_terminal_gets_a_chart_in_its_charset() {
    let model = Model::start([Reply::text(["One."])]);
    let home = home(&model).size(40, 70);
    assert_eq!(run(&home, &["ask", "before"]).0, Some(0));
    let mut term = home.start();
    term.wait_for_prompt();
    term.typed(format!("LC_ALL=C {} usage\r", crate::harness::PROGRAM));
    term.wait_for("####");
    term.wait_for("total: 11 tokens in, 7 out");
    term.wait_for_prompt();
    term.typed(format!("LC_ALL=C.UTF-8 {} usage\r", crate::harness::PROGRAM));
    term.wait_for("████");
}

#[test]
fn a_session_without_utf8_gets_its_charts_in_ascii() {
    let model = Model::start([Reply::text(["One."])]);
    let mut term = home(&model).env("LC_ALL", "C").size(40, 70).start();
    term.wait_for_prompt();
    term.typed("> hello\r");
    term.wait_for("One.");
    term.wait_for_prompt();
    term.typed("> /usage\r");
    term.wait_for("  ####");
}
