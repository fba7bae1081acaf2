//! The module as others use it: entries in, conversations out.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::read::ListScope;
use super::*;

/// Long enough for a busy machine; nothing waits for all of it unless something is wrong.
const PATIENCE: Duration = Duration::from_secs(60);

struct Home(tempfile::TempDir, ConversationLimits);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap(), ConversationLimits { age: PATIENCE * 60, bytes: u64::MAX })
    }

    fn database(&self) -> PathBuf {
        self.0.path().join("history.db")
    }

    fn recorder(&self, session: &str) -> ConversationRecorder {
        let setup = ConversationSetup {
            database: self.database(),
            session: session.into(),
            host: "box".into(),
            terminal: "tmux:%1".into(),
            limits: self.1,
        };
        ConversationRecorder::new(setup)
    }

    fn read(&self) -> Conversations {
        Conversations::open(&self.database()).unwrap()
    }
}

fn question(words: &str) -> String {
    serde_json::json!({ "question": words, "message": {} }).to_string()
}

fn ask(log: &ConversationLog, words: &str) -> ExchangeLog {
    log.ask(PathBuf::from("/home/me/app"), words.into(), question(words))
}

fn figures() -> QueryFigures {
    QueryFigures {
        provider: "p".into(),
        model: "m".into(),
        input: 7,
        ending: "answered".into(),
        ..QueryFigures::default()
    }
}

fn exchange(log: &ConversationLog, words: &str, answer: &str) {
    let exchange = ask(log, words);
    let words = Words { answer: answer.into(), work: String::new() };
    exchange.say(EntryKind::Assistant, words, serde_json::json!({ "text": answer }).to_string());
    exchange.end(figures(), r#"{"model":"p/m"}"#.into());
}

fn openings(conversations: &Conversations) -> Vec<String> {
    let listed = conversations.newest(ListScope::All, 100).unwrap();
    listed.into_iter().map(|one| one.opening.unwrap_or_default()).collect()
}

fn settle(recorder: &ConversationRecorder) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(recorder.settled(PATIENCE));
}

/// Waits for a value. The recorder's thread reports nothing here that could be waited for, so the state is read again and again.
fn wait_until<T>(what: &str, state: impl Fn() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(value) = state() {
            return value;
        }
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_exchange_is_listed_found_and_read_back() {
    let home = Home::new();
    let recorder = home.recorder("a");
    let log = recorder.begin();
    exchange(&log, "why does the build fail", "A semicolon is missing.");
    settle(&recorder);
    let read = home.read();
    let listed = read.newest(ListScope::Here("/home/me/app".as_ref()), 10).unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].opening.as_deref(), Some("why does the build fail"));
    assert_eq!((listed[0].model.as_deref(), listed[0].exchanges), (Some("p/m"), 1));
    assert!(read.newest(ListScope::Here("/".as_ref()), 10).unwrap().is_empty());
    for words in [["semicolon", "build"], ["BUILD", "miss"]] {
        let found = read.search(&words, 5).unwrap();
        assert_eq!(found.len(), 1, "{words:?}: words of the question and of the answer are found together");
        assert_eq!(found[0].title, "why does the build fail");
    }
    assert!(read.search(&["nowhere"], 5).unwrap().is_empty());
    let newest = read.newest_exchanges(None, 5).unwrap();
    let exchange = read.exchange(newest[0].id).unwrap().unwrap();
    let kinds: Vec<EntryKind> = exchange.entries.iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [EntryKind::Question, EntryKind::Assistant, EntryKind::End]);
    assert_eq!(read.newest_exchanges(Some(newest[0].id), 5).unwrap(), []);
    recorder.close(true, PATIENCE);
    assert_eq!(recorder.trouble(), None);
}

#[test]
fn a_message_is_kept_before_its_exchange_ends() {
    let home = Home::new();
    let recorder = home.recorder("a");
    let log = recorder.begin();
    let running = ask(&log, "what is this");
    settle(&recorder);
    assert_eq!(openings(&home.read()), ["what is this"]);
    running.say(EntryKind::Assistant, Words::default(), r#"{"text":"A half"}"#.to_owned());
    settle(&recorder);
    let read = home.read();
    let id = read.newest_exchanges(None, 1).unwrap()[0].id;
    assert_eq!(read.entries_of(id).unwrap().len(), 2);
    assert!(read.is_live(log.id().unwrap()));
    drop((running, log));
    recorder.close(true, PATIENCE);
    assert!(!read.is_live(1));
}

#[test]
fn two_terminals_do_not_mix() {
    let home = Home::new();
    let (one, other) = (home.recorder("a"), home.recorder("b"));
    let (first, second) = (one.begin(), other.begin());
    for number in 0..50 {
        exchange(&first, &format!("first {number}"), "yes");
        exchange(&second, &format!("second {number}"), "no");
    }
    settle(&one);
    settle(&other);
    one.close(true, PATIENCE);
    other.close(true, PATIENCE);
    let read = home.read();
    let found = read.newest_exchanges(None, 1_000).unwrap();
    assert_eq!(found.len(), 100);
    for one in found {
        let own = if one.question.starts_with("first") { first.id() } else { second.id() };
        assert_eq!(Some(one.conversation), own, "{}", one.question);
        assert_eq!(read.entries_of(one.id).unwrap().len(), 3);
    }
}

#[test]
fn a_locked_database_is_waited_for_and_told_about_once() {
    let home = Home::new();
    let recorder = home.recorder("a");
    exchange(&recorder.begin(), "before", "yes");
    settle(&recorder);
    let read = home.read();
    let blocker = rusqlite::Connection::open(home.database()).unwrap();
    blocker.busy_timeout(PATIENCE).unwrap();
    blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
    exchange(&recorder.begin(), "while locked", "yes");
    let trouble = wait_until("the recorder reports the lock", || recorder.trouble());
    assert!(trouble.contains("locked by another program"), "{trouble}");
    blocker.execute_batch("ROLLBACK").unwrap();
    settle(&recorder);
    assert_eq!(recorder.trouble(), None);
    assert_eq!(openings(&read)[0], "while locked");
}

#[test]
fn what_is_said_while_the_database_is_locked_is_not_lost_when_the_session_ends() {
    let home = Home::new();
    let recorder = home.recorder("a");
    let log = recorder.begin();
    exchange(&log, "before", "yes");
    settle(&recorder);
    let blocker = rusqlite::Connection::open(home.database()).unwrap();
    blocker.busy_timeout(PATIENCE).unwrap();
    blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
    exchange(&log, "while locked", "later");
    let other = recorder.begin();
    exchange(&other, "another", "too");
    let picture = EntryText { body: question("look"), pictures: vec![KeptPicture::new(b"one".to_vec())] };
    other.ask(PathBuf::from("/home/me/app"), "look".into(), picture).end(figures(), r#"{"model":"m"}"#.to_owned());
    // Waiting for the lock would last as long as this.
    recorder.close(true, Duration::from_secs(24 * 3600));
    let waiting = || std::fs::read_dir(home.0.path().join("unwritten")).unwrap().count();
    assert_eq!(waiting(), 1);
    blocker.execute_batch("ROLLBACK").unwrap();
    let read = home.read();
    assert_eq!(openings(&read), ["another", "before"]);
    let first = read.newest(ListScope::All, 2).unwrap().pop().unwrap();
    let kinds: Vec<EntryKind> = read.branch(first.id).unwrap().iter().map(|entry| entry.kind).collect();
    let one = [EntryKind::Question, EntryKind::Assistant, EntryKind::End];
    assert_eq!(kinds, [one, one].concat(), "the second exchange continues the first");
    assert_eq!(read.search(&["later"], 5).unwrap().len(), 1);
    assert!(read.pictures().read(KeptPicture::new(b"one".to_vec()).hash()).is_ok());
    let mut counted = 0;
    read.for_each_query(None, |_, _| counted += 1).unwrap();
    assert_eq!(counted, 4);
    assert_eq!(home.read().count().unwrap(), 2, "it is written once");
    assert_eq!(waiting(), 0);
}

#[test]
fn a_file_that_is_no_database_is_told_about_once() {
    let home = Home::new();
    std::fs::write(home.database(), "x".repeat(10_000)).unwrap();
    let recorder = home.recorder("a");
    let log = recorder.begin();
    exchange(&log, "lost", "yes");
    recorder.close(true, PATIENCE);
    let trouble = recorder.trouble().unwrap();
    assert!(trouble.starts_with("conversations are not kept: "), "{trouble}");
    exchange(&log, "lost too", "yes");
    assert_eq!(recorder.trouble(), None);
}

#[test]
fn figures_stay_in_columns_of_their_own() {
    let home = Home::new();
    let recorder = home.recorder("a");
    exchange(&recorder.begin(), "one", "yes");
    recorder.close(true, PATIENCE);
    let connection = rusqlite::Connection::open(home.database()).unwrap();
    let row: (String, i64, i64, Option<f64>, String) = connection
        .query_row("SELECT model, input, duration >= 0, cost, ending FROM queries", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })
        .unwrap();
    assert_eq!(row, ("m".into(), 7, 1, None, "answered".into()));
}

#[test]
fn a_request_beside_the_exchanges_has_figures_of_its_own() {
    let home = Home::new();
    let recorder = home.recorder("a");
    let log = recorder.begin();
    for number in 0..3 {
        log.count(figures());
        exchange(&log, &format!("question {number}"), "yes");
        log.count(figures());
    }
    recorder.close(true, PATIENCE);
    let mut counted = 0;
    home.read().for_each_query(None, |_, _| counted += 1).unwrap();
    assert_eq!(counted, 9);
}

/// Records an exchange whose question has this picture, and waits until it is written. Returns its conversation.
fn exchange_with_picture(recorder: &ConversationRecorder, bytes: &[u8]) -> i64 {
    let log = recorder.begin();
    let text = EntryText { body: question("look"), pictures: vec![KeptPicture::new(bytes.to_vec())] };
    log.ask(PathBuf::from("/home/me/app"), "look".into(), text).end(figures(), r#"{"model":"m"}"#.to_owned());
    settle(recorder);
    log.id().unwrap()
}

fn pictures(home: &Home) -> usize {
    std::fs::read_dir(home.0.path().join("pictures")).map_or(0, |files| files.count())
}

#[test]
fn a_picture_is_kept_once_until_nothing_refers_to_it() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let recorder = home.recorder("a");
    let ids = [b"one", b"one", b"two"].map(|bytes| exchange_with_picture(&recorder, bytes));
    recorder.close(true, PATIENCE);
    assert_eq!(pictures(&home), 2);
    let mut read = home.read();
    let one = KeptPicture::new(b"one".to_vec());
    assert_eq!(read.pictures().read(one.hash()).unwrap(), b"one");
    assert!(read.pictures().read("../history.db").is_err());
    let mode = |path: &str| std::fs::metadata(home.0.path().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("pictures"), mode(&format!("pictures/{}", one.hash()))), (0o700, 0o600));
    read.forget(&ForgetConversations::Ids(vec![ids[0]])).unwrap();
    assert_eq!((pictures(&home), read.pictures().read(one.hash()).unwrap()), (2, b"one".to_vec()));
    read.forget(&ForgetConversations::Ids(vec![ids[1]])).unwrap();
    assert_eq!(pictures(&home), 1);
    std::fs::write(home.0.path().join("pictures/left-by-a-killed-process"), "x").unwrap();
    read.forget(&ForgetConversations::All).unwrap();
    assert_eq!(pictures(&home), 0);
}

#[test]
fn pictures_count_for_the_limit_and_go_with_their_conversation() {
    let mut home = Home::new();
    home.1.bytes = 100_000;
    let recorder = home.recorder("a");
    let first = exchange_with_picture(&recorder, &[1; 60_000]);
    exchange_with_picture(&recorder, &[1; 60_000]);
    assert!(home.read().get(first).unwrap().is_some(), "the same picture counts once");
    exchange_with_picture(&recorder, &[2; 60_000]);
    wait_until("the old picture is removed", || (pictures(&home) <= 1).then_some(()));
    assert_eq!((pictures(&home), home.read().get(first).unwrap()), (1, None));
    recorder.close(true, PATIENCE);
}

#[test]
fn a_damaged_picture_is_not_read() {
    let home = Home::new();
    let recorder = home.recorder("a");
    exchange_with_picture(&recorder, b"one");
    recorder.close(true, PATIENCE);
    let picture = KeptPicture::new(b"one".to_vec());
    std::fs::write(home.0.path().join("pictures").join(picture.hash()), "two").unwrap();
    assert!(home.read().pictures().read(picture.hash()).is_err());
}

#[test]
fn a_forgotten_conversation_leaves_no_trace() {
    let home = Home::new();
    let recorder = home.recorder("a");
    let (kept, log) = (recorder.begin(), recorder.begin());
    exchange(&kept, "an ordinary question", "an ordinary answer");
    for number in 0..300 {
        exchange(&log, &format!("xyzzysecret {number}"), "plughsecret");
    }
    settle(&recorder);
    let id = log.id().unwrap();
    drop(log);
    recorder.close(true, PATIENCE);
    let mut read = home.read();
    assert_eq!(read.forget(&ForgetConversations::Ids(vec![id, 99])).unwrap(), [id]);
    assert_eq!(openings(&read), ["an ordinary question"]);
    assert!(read.search(&["plughsecret"], 5).unwrap().is_empty());
    assert_eq!(read.search(&["ordinary"], 5).unwrap().len(), 1);
    drop(read);
    for suffix in ["", "-wal"] {
        let bytes = std::fs::read(format!("{}{suffix}", home.database().display())).unwrap_or_default();
        assert!(memchr::memmem::find(&bytes, b"xyzzysecret").is_none(), "{suffix}");
        assert!(memchr::memmem::find(&bytes, b"plughsecret").is_none(), "{suffix}");
    }
    let mut read = home.read();
    assert_eq!(read.forget(&ForgetConversations::All).unwrap().len(), 1);
    assert_eq!(read.count().unwrap(), 0);
}

#[test]
fn the_oldest_conversations_go_when_there_are_too_many_bytes() {
    let mut home = Home::new();
    home.1.bytes = 20_000;
    let recorder = home.recorder("a");
    for number in 0..20 {
        exchange(&recorder.begin(), &format!("question {number}"), &"long ".repeat(1_000));
    }
    settle(&recorder);
    let left = wait_until("at most four conversations are left", || {
        Some(openings(&home.read())).filter(|left| left.len() <= 4)
    });
    assert_eq!(left[0], "question 19", "the newest stay");
}

#[test]
fn conversations_go_when_they_are_too_old() {
    let mut home = Home::new();
    let recorder = home.recorder("a");
    exchange(&recorder.begin(), "old", "yes");
    recorder.close(true, PATIENCE);
    home.1.age = Duration::ZERO;
    let recorder = home.recorder("b");
    let log = recorder.begin();
    exchange(&log, "in use", "yes");
    wait_until("only the conversation in use is left", || (openings(&home.read()) == ["in use"]).then_some(()));
}

#[test]
fn of_10_000_interleaved_exchanges_of_two_terminals_none_is_lost_or_mixed() {
    const EACH: usize = 5_000;
    let home = Home::new();
    let write = |name: &'static str| {
        let recorder = home.recorder(name);
        move || {
            let log = recorder.begin();
            for number in 0..EACH {
                exchange(&log, &format!("{name} {number}"), "yes");
                if number % 100 == 0 {
                    settle(&recorder);
                }
            }
            settle(&recorder);
            assert_eq!(recorder.trouble(), None);
            log.id().unwrap()
        }
    };
    let [one, other] = ["one", "other"].map(|name| std::thread::spawn(write(name)));
    let ids = [("one", one.join().unwrap()), ("other", other.join().unwrap())];
    let read = home.read();
    for (name, id) in ids {
        let entries = read.branch(id).unwrap();
        assert_eq!(entries.len(), 3 * EACH);
        let asked = entries.iter().filter(|entry| entry.kind == EntryKind::Question);
        for (number, entry) in asked.enumerate() {
            assert_eq!(entry.body, question(&format!("{name} {number}")));
        }
    }
}

/// Prints how long a list and a search take: `cargo nextest run --run-ignored only --no-capture large_store`.
#[test]
#[ignore = "a measurement, which takes a while"]
#[allow(clippy::print_stderr)]
fn a_large_store_is_listed_and_searched_at_once() {
    const MANY: i64 = 100_000;
    let home = Home::new();
    exchange(&home.recorder("a").begin(), "first", "yes");
    let deadline = std::time::Instant::now() + PATIENCE;
    while home.read().count().unwrap_or(0) == 0 {
        assert!(std::time::Instant::now() < deadline);
    }
    let connection = rusqlite::Connection::open(home.database()).unwrap();
    connection.busy_timeout(PATIENCE).unwrap();
    connection.execute_batch("BEGIN").unwrap();
    for number in 0..MANY {
        let asked = format!("why does step {number} of the build fail");
        let sql = "INSERT INTO conversations (session, host, terminal, cwd, repository, started_at)
                   VALUES ('s', 'box', '', '/r', '/r' || (?1 % 100), ?1)";
        connection.prepare_cached(sql).unwrap().execute([number]).unwrap();
        let id = connection.last_insert_rowid();
        let sql = "INSERT INTO entries (conversation, kind, at, body) VALUES (?, 'question', ?, ?)";
        connection.prepare_cached(sql).unwrap().execute((id, number, question(&asked))).unwrap();
        let sql = "INSERT INTO said (rowid, question, answer, work) VALUES (?, ?, ?, '')";
        let answer =
            format!("The linker misses lib{}; install it and run make again. {}", number % 500, "word ".repeat(40));
        connection.prepare_cached(sql).unwrap().execute((connection.last_insert_rowid(), &asked, answer)).unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
    let read = home.read();
    let timed = |what: &str, work: &dyn Fn() -> usize| {
        work();
        let begun = std::time::Instant::now();
        let found = work();
        eprintln!("{what}: {found} rows in {:?}", begun.elapsed());
    };
    timed("list of all", &|| read.newest(ListScope::All, 50).unwrap().len());
    timed("list of a repository", &|| read.newest(ListScope::Here("/r7".as_ref()), 50).unwrap().len());
    timed("title", &|| usize::from(read.titled("step 77").unwrap().is_some()));
    timed("search, rare words", &|| read.search(&["lib123", "step"], 20).unwrap().len());
    timed("search, a word of every answer", &|| read.search(&["linker"], 20).unwrap().len());
}
