//! Transcripts as others use them: events in through the recorder, transcripts out.

use std::path::PathBuf;
use std::time::Duration;

use super::*;
use crate::store::{
    ConversationLimits, ConversationLog, ConversationRecorder, ConversationSetup, Conversations, ExchangeLog,
    ForgetConversations, QueryFigures, file,
};

/// Long enough for a busy machine; nothing waits for all of it unless something is wrong.
const PATIENCE: Duration = Duration::from_secs(60);

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    fn database(&self) -> PathBuf {
        self.0.path().join("history.db")
    }

    fn recorder(&self, session: &str) -> ConversationRecorder {
        ConversationRecorder::new(ConversationSetup {
            database: self.database(),
            session: session.into(),
            host: "box".into(),
            terminal: String::new(),
            limits: ConversationLimits::default(),
        })
    }

    fn read(&self) -> Transcripts {
        Transcripts::open(&self.database()).unwrap()
    }

    /// The bodies of a session's events, each question with its first event.
    fn events(&self, session: &str) -> Vec<String> {
        let mut events = Vec::new();
        let visit = |event: TranscriptEvent| {
            events.extend(event.asked.map(|(_, words)| words));
            events.push(event.body);
            Ok::<(), StoreError>(())
        };
        self.read().for_each_event(session, visit).unwrap();
        events
    }

    fn number(&self, sql: &str) -> i64 {
        let connection = file::connect(&self.database(), file::READER).unwrap();
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

fn ask(log: &ConversationLog, words: &str) -> ExchangeLog {
    let body = serde_json::json!({ "question": words, "message": {} }).to_string();
    log.ask(PathBuf::from("/"), words.into(), body)
}

fn call(number: usize) -> String {
    serde_json::json!({ "type": "call_started", "data": number }).to_string()
}

const END: &str = r#"{"type":"finished","data":{"type":"answered"}}"#;

/// Records a question with this many calls.
fn exchange(log: &ConversationLog, words: &str, calls: usize) {
    let exchange = ask(log, words);
    (0..calls).for_each(|number| exchange.note(call(number)));
    exchange.note(END.into());
    exchange.end(QueryFigures::default(), r#"{"model":"m"}"#.into());
}

#[test]
fn each_session_has_a_transcript_of_its_own() {
    let home = Home::new();
    let (first, second) = (home.recorder("aa-1"), home.recorder("ab-2"));
    let (one, other) = (first.begin(), second.begin());
    for number in 0..3 {
        exchange(&one, &format!("one {number}"), 2);
        exchange(&other, &format!("other {number}"), 1);
    }
    first.close(true, PATIENCE);
    second.close(true, PATIENCE);
    let events = home.events("aa-1");
    assert_eq!(events[..4], ["one 0".to_owned(), call(0), call(1), END.to_owned()]);
    assert_eq!((events.len(), home.events("ab-2").len()), (12, 9));
    let mut listed = home.read().newest(9).unwrap();
    listed.sort_by(|a, b| a.session.cmp(&b.session));
    let figures = |one: &ListedTranscript| (one.session.clone(), one.questions, one.calls, one.opening.clone());
    let expected = [("aa-1".into(), 3, 6, "one 0".into()), ("ab-2".into(), 3, 3, "other 0".into())];
    assert_eq!(listed.iter().map(figures).collect::<Vec<_>>(), expected);
    let named = |id: &str| home.read().session(id).unwrap();
    assert_eq!(
        (named("aa"), named("ab-2"), named("a"), named("x")),
        (Some("aa-1".into()), Some("ab-2".into()), None, None)
    );
}

#[test]
fn an_answer_outside_of_a_session_has_a_transcript_of_its_own() {
    let home = Home::new();
    for _ in 0..2 {
        let recorder = home.recorder("");
        exchange(&recorder.begin(), "why", 1);
        recorder.close(true, PATIENCE);
    }
    let listed = home.read().newest(9).unwrap();
    assert_eq!(listed.len(), 2);
    assert!(listed.iter().all(|one| one.session.starts_with("ask-") && one.questions == 1), "{listed:?}");
}

#[test]
fn a_forgotten_conversation_takes_its_part_of_the_transcript_along() {
    let home = Home::new();
    let recorder = home.recorder("a");
    exchange(&recorder.begin(), "secret plan", 300);
    exchange(&recorder.begin(), "weather", 1);
    recorder.close(true, PATIENCE);
    Conversations::open(&home.database()).unwrap().forget(&ForgetConversations::Ids(vec![1])).unwrap();
    assert_eq!(home.events("a"), ["weather".to_owned(), call(0), END.to_owned()]);
    let listed = &home.read().newest(9).unwrap()[0];
    assert_eq!((listed.questions, listed.calls, listed.opening.as_str()), (1, 1, "weather"));
    Conversations::open(&home.database()).unwrap().forget(&ForgetConversations::All).unwrap();
    assert_eq!(home.read().newest(9).unwrap(), []);
    assert_eq!(home.number("SELECT bytes FROM transcript_totals"), 0);
    assert_eq!(home.number("SELECT count(*) FROM transcript"), 0);
}

#[test]
fn an_event_of_a_question_that_was_forgotten_is_not_written() {
    let home = Home::new();
    let recorder = home.recorder("a");
    let exchange = ask(&recorder.begin(), "secret plan");
    let settle = |recorder: &ConversationRecorder| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(recorder.settled(PATIENCE));
    };
    settle(&recorder);
    Conversations::open(&home.database()).unwrap().forget(&ForgetConversations::All).unwrap();
    exchange.note(call(1));
    settle(&recorder);
    assert_eq!(recorder.trouble(), None);
    assert_eq!(home.number("SELECT count(*) FROM transcript"), 0);
}

#[test]
fn the_oldest_events_are_removed_beyond_the_limits() {
    let home = Home::new();
    for session in ["a", "b"] {
        let recorder = home.recorder(session);
        exchange(&recorder.begin(), "long", 1_000);
        recorder.close(true, PATIENCE);
    }
    let mut connection = file::connect(&home.database(), file::READER).unwrap();
    let size = home.number("SELECT bytes FROM transcript_list WHERE session = 'a'") as u64;
    while prune_beyond(&mut connection, size / 2, u64::MAX).unwrap() {}
    for session in ["a", "b"] {
        let events = home.events(session);
        assert!((300..=501).contains(&events.len()), "{}", events.len());
        assert_eq!(events[0], "long", "the question is still named");
        assert_eq!(events.last().unwrap(), END, "the newest events stay");
    }
    let all = home.number("SELECT bytes FROM transcript_totals") as u64;
    while prune_beyond(&mut connection, u64::MAX, all / 2).unwrap() {}
    assert!(home.events("a").is_empty(), "the older session goes first");
    assert!(!home.events("b").is_empty());
    assert_eq!(
        home.number("SELECT sum(bytes) FROM transcript_list"),
        home.number("SELECT bytes FROM transcript_totals")
    );
}

#[test]
fn limits_are_checked_without_reading_events() {
    let home = Home::new();
    let recorder = home.recorder("a");
    exchange(&recorder.begin(), "why", 1);
    recorder.close(true, PATIENCE);
    let connection = file::connect(&home.database(), file::READER).unwrap();
    for (sql, index) in [
        ("SELECT session FROM transcript_list WHERE bytes > 1 LIMIT 1", "transcripts_by_size"),
        ("SELECT id FROM transcript WHERE session = 'a' ORDER BY id LIMIT 9", "transcript_of_session"),
    ] {
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let lines: Vec<String> = plan.query_map([], |row| row.get(3)).unwrap().map(Result::unwrap).collect();
        assert!(lines.len() == 1 && lines[0].contains(index), "{lines:?}");
    }
}
