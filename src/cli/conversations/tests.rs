//! The subcommand with a database in a temporary directory.

use std::path::PathBuf;
use std::time::Duration;

use super::*;
use crate::store::{ConversationLimits, ConversationRecorder, ConversationSetup, EntryKind, QueryFigures, Words};
use serde_json::json;

const DISPLAY: Display = Display { terminal: false, width: 80, colour: false };

fn database() -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let database = home.path().join("history.db");
    let limits = ConversationLimits { age: Duration::from_secs(3600), bytes: u64::MAX };
    let (session, host) = ("s".to_owned(), "box".to_owned());
    let setup = ConversationSetup { database: database.clone(), session, host, terminal: String::new(), limits };
    let recorder = ConversationRecorder::new(setup);
    let text = |role: &str, text: &str| json!({ "role": role, "parts": [{ "text": text }] });
    let asked = json!({ "question": "why \u{1b}[2J", "message": text("user", "<cwd>/</cwd>\nwhy") });
    let exchange = recorder.begin().ask("/".into(), "why".into(), asked.to_string());
    let answer = Words { answer: "Because.".into(), work: String::new() };
    exchange.say(EntryKind::Assistant, answer, text("assistant", "Because.").to_string());
    exchange.end(
        QueryFigures { ending: "answered".into(), ..QueryFigures::default() },
        json!({
            "model": "p/m", "usage": { "input": 1, "output": 1, "cached": 0, "cache_written": 0, "cost": null },
            "ending": { "type": "answered" },
        })
        .to_string(),
    );
    recorder.close(true, Duration::from_secs(60));
    (home, database)
}

fn run_with(words: &[&str]) -> String {
    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }
    let (_home, database) = database();
    let line = <Line as clap::Parser>::try_parse_from([&["x"], words].concat()).unwrap();
    let mut out = Vec::new();
    run(line.args, (&database, &database.with_file_name("undo")), Path::new("/"), DISPLAY, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn conversations_are_listed_found_and_shown() {
    for words in [&[][..], &["list"], &["--here"], &["search", "because"]] {
        let out = run_with(words);
        assert!(out.starts_with("1\t") && out.contains("why"), "{words:?}: {out}");
        assert!(!out.contains('\u{1b}'), "a question cannot control the terminal");
    }
    let shown = run_with(&["show", "1"]);
    assert!(
        shown.starts_with("# why") && shown.contains("Because.") && shown.contains("p/m") && !shown.contains('\u{1b}'),
        "{shown}"
    );
    assert_eq!(run_with(&["search", "nowhere"]), "");
}

#[test]
fn json_has_one_object_per_line() {
    let line = |words: &[&str]| -> Vec<serde_json::Value> {
        run_with(words).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let listed = line(&["--json"]);
    assert_eq!((&listed[0]["id"], &listed[0]["model"], &listed[0]["live"]), (&json!(1), &json!("p/m"), &json!(false)));
    assert_eq!(line(&["search", "why", "--json"])[0]["conversation"], 1);
    let shown = line(&["show", "1", "--json"]);
    let kinds: Vec<&str> = shown.iter().filter_map(|entry| entry["kind"].as_str()).collect();
    assert_eq!(kinds, ["question", "assistant", "end"]);
}
