//! The subcommand with a database in a temporary directory.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use super::*;
use crate::chat::{Call, CallDecision, Decider, Ending, Event, Failure, FailureKind, Outcome, Shown, ToolKind, Usage};
use crate::store::{ConversationLimits, ConversationRecorder, ConversationSetup, QueryFigures};

fn events() -> Vec<Event> {
    let call = |id: &str, name: &str, arguments: &str, title: &str| Event::CallStarted {
        call: Call { id: id.into(), name: name.into(), arguments: arguments.into() },
        kind: ToolKind::Run,
        title: title.into(),
    };
    let finished = |id: &str, outcome, shown| Event::CallFinished {
        id: id.into(),
        outcome,
        shown,
        took: Duration::from_millis(1_200),
    };
    let decided = |id: &str, decision| Event::CallDecided { id: id.into(), decision };
    let long: String = (1..=40).map(|number| format!("line {number}\n")).collect();
    vec![
        Event::RequestSent { model: "p/m".into(), messages: 2, bytes: 3_000, tokens: 834 },
        call("c1", "bash", r#"{"command":"make"}"#, "make"),
        decided("c1", CallDecision { allowed: true, by: Decider::Person, reason: "".into() }),
        Event::CallConfined { id: "c1".into(), sandbox: "workspace, no network".into() },
        finished("c1", Outcome::done(long), Shown::Outcome),
        call("c2", "write_file", "{\"path\":\"a\",\"content\":\"b\\u001b[2J\"}", "a\u{1b}[2J"),
        decided("c2", CallDecision { allowed: false, by: Decider::Rule, reason: "deny path \"a\"".into() }),
        finished("c2", Outcome::failed("not allowed"), Shown::Outcome),
        Event::Steered("faster".into()),
        Event::Usage(Usage { input: 900, output: 12, cost: Some(0.02), ..Usage::default() }),
        Event::Finished(Ending::Failed(Failure::new(FailureKind::Server, "the server is down"))),
    ]
}

fn database() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let limits = ConversationLimits { age: Duration::from_secs(3600), bytes: u64::MAX };
    let (session, host) = ("51-7".to_owned(), "box".to_owned());
    let database = home.path().join("history.db");
    let recorder =
        ConversationRecorder::new(ConversationSetup { database, session, host, terminal: String::new(), limits });
    let asked = json!({ "question": "why \u{1b}[2J", "message": {} });
    let exchange = recorder.begin().ask("/".into(), "why".into(), asked.to_string());
    for event in events() {
        exchange.note(serde_json::to_string(&event).unwrap());
    }
    exchange.note(r#"{"type":"from_the_future","data":{}}"#.into());
    exchange.end(QueryFigures::default(), json!({ "model": "p/m" }).to_string());
    recorder.close(true, Duration::from_secs(60));
    home
}

fn try_run(home: &tempfile::TempDir, words: &[&str], session: Option<&str>) -> anyhow::Result<String> {
    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }
    let line = <Line as clap::Parser>::try_parse_from([&["x"], words].concat()).unwrap();
    let context = TranscriptContext {
        database: &home.path().join("history.db"),
        session: session.map(str::to_owned),
        display: Display { terminal: false, width: 80, colour: false },
    };
    let mut out = Vec::new();
    run(line.args, &context, &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn transcripts_are_listed() {
    let home = database();
    for words in [&[][..], &["list"], &["-n", "3"]] {
        let out = try_run(&home, words, None).unwrap();
        let fields: Vec<&str> = out.trim_end().split('\t').collect();
        assert_eq!((fields[0], fields[2], fields[3]), ("51-7", "1", "2"), "{out}");
        assert!(fields[4].starts_with("why") && !out.contains('\u{1b}'), "{out}");
    }
    assert!(try_run(&home, &["--json"], None).unwrap().contains(r#""questions":1"#));
}

#[test]
fn a_transcript_is_shown_line_by_line() {
    let home = database();
    let out = try_run(&home, &["show", "51"], None).unwrap();
    // Times depend on the clock and the zone.
    let lines = out.lines().map(|line| match line.starts_with("20") {
        true => line.get(21..).unwrap_or_default(),
        false => line,
    });
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
    assert_eq!(try_run(&home, &["show"], Some("51-7")).unwrap(), out, "this terminal's session is the default");
}

#[test]
fn json_has_one_event_per_line() {
    let home = database();
    let out = try_run(&home, &["show", "51-7", "--json"], None).unwrap();
    assert_eq!(try_run(&home, &["export", "51-7", "--json"], None).unwrap(), out);
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["type"], &lines[0]["data"]), (&json!("question"), &json!("why \u{1b}[2J")));
    assert_eq!(lines[3]["data"]["decision"], json!({ "allowed": true, "by": "person" }));
    assert!(lines.iter().all(|line| line["session"] == "51-7" && line["question"] == 1), "{out}");
    assert_eq!(lines.len(), events().len() + 2, "events of a newer version are printed too");
    assert!(!out.contains('\u{1b}'));
}

#[test]
fn an_export_is_a_new_file_for_its_owner_only() {
    let home = database();
    let path = home.path().join("out");
    let words = ["export", "51-7", "-o", path.to_str().unwrap()];
    assert_eq!(try_run(&home, &words, None).unwrap(), "");
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written, try_run(&home, &["show", "51-7"], None).unwrap());
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(try_run(&home, &words, None).is_err(), "a file is not replaced");
}

#[test]
fn an_unknown_session_and_a_missing_one_are_told_apart() {
    let home = database();
    let error = |words: &[&str]| try_run(&home, words, None).unwrap_err().to_string();
    assert!(error(&["show"]).contains("not a terminal with shellmate"));
    assert!(error(&["show", "nope"]).contains("there is no transcript nope"));
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(try_run(&empty, &[], None).unwrap(), "");
}
