//! Many terminals at once, and terminals that are killed.

use std::collections::HashSet;
use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, Command as Process, Stdio};
use std::thread;

use rusqlite::Connection;

use super::*;

/// In a child's environment: the database to write to, and how many records.
const DATABASE: &str = "STORE_TEST_DATABASE";
const RECORDS: &str = "STORE_TEST_RECORDS";

/// What a child does: writes records, and says the number of each once it is in the journal. In an ordinary run, nothing.
#[test]
fn child() {
    let (Ok(path), Ok(records)) = (env::var(DATABASE), env::var(RECORDS)) else { return };
    let id = std::process::id();
    let store = Store::open(path.into(), HistoryLimits::default(), session(&id.to_string()));
    let mut out = io::stdout();
    for n in 0..records.parse::<u64>().unwrap() {
        // Mixed output: none, a line, and about 250 bytes, 2 KB and 20 KB.
        let lines = [0, 1, 20, 200, 1_500][n as usize % 5];
        store.record(printed(&format!("command {id} {n}"), &"output of it\n".repeat(lines)));
        store.wait_until_appended();
        writeln!(out, "kept {id} {n}").unwrap();
    }
    store.close(PATIENCE);
    assert_eq!(store.trouble(), None);
}

/// Kills a child after that many of its records and returns all that it said it had kept.
fn kill_after(mut child: Child, records: usize) -> Vec<String> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut kept = lines.filter_map(|line| Some(line[line.find("kept ")? + 5..].to_owned()));
    let mut said: Vec<String> = kept.by_ref().take(records).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    said.extend(kept);
    said
}

/// Every record that was said to be kept is in the database once, and at most one more per child, the one in flight.
fn assert_kept(home: &Home, said: &[Vec<String>]) {
    copy_leftovers(&home.path()).unwrap();
    let commands = texts(&home.history().list(&Filter::default()).unwrap());
    let recorded: HashSet<&str> = commands.iter().filter_map(|text| text.strip_prefix("command ")).collect();
    assert_eq!(recorded.len(), commands.len(), "some are doubled");
    let said: Vec<&String> = said.iter().flatten().collect();
    let lost: Vec<_> = said.iter().filter(|kept| !recorded.contains(kept.as_str())).collect();
    assert!(lost.is_empty(), "lost {lost:?}");
    assert_eq!(check(home), commands.len() as u64);
    assert!(!journal::has_leftovers(&home.path()));
}

/// How many sessions there are at once, and how many commands each runs. The long version is 50 and 200.
fn crowd() -> (usize, usize) {
    let number = |name: &str, default| env::var(name).map_or(default, |value| value.parse().unwrap());
    (number("TEST_SESSIONS", 6), number("TEST_COMMANDS", 20))
}

#[test]
fn sessions_killed_at_random_lose_nothing_they_had_kept() {
    let home = Home::new();
    let (sessions, commands) = crowd();
    let children: Vec<Child> = (0..sessions).map(|_| start_child(&home, u64::MAX)).collect();
    let killers: Vec<_> = children
        .into_iter()
        .enumerate()
        .map(|(n, child)| thread::spawn(move || kill_after(child, 1 + (n * 7919) % commands)))
        .collect();
    let said: Vec<Vec<String>> = killers.into_iter().map(|killer| killer.join().unwrap()).collect();
    assert_kept(&home, &said);
}

#[test]
fn a_lock_held_by_another_program_loses_nothing() {
    let home = Home::new();
    home.keep([]);
    let (sessions, commands) = crowd();
    let lock = Connection::open(home.path()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let children: Vec<Child> = (0..sessions).map(|_| start_child(&home, u64::MAX)).collect();
    let said: Vec<Vec<String>> = children.into_iter().map(|child| kill_after(child, commands)).collect();
    assert!(said.iter().all(|said| said.len() >= commands), "the lock holds up a session");
    lock.execute_batch("COMMIT").unwrap();
    assert_kept(&home, &said);
}

#[test]
fn a_session_that_ends_while_the_database_is_locked_leaves_its_records_to_the_next() {
    let home = Home::new();
    home.keep([]);
    let lock = Connection::open(home.path()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(home.keep([record("command one"), record("command two")]), None);
    lock.execute_batch("COMMIT").unwrap();
    let next = home.store();
    settled(&next.record(record("command three")));
    next.close(PATIENCE);
    copy_leftovers(&home.path()).unwrap();
    let mut commands = texts(&home.history().list(&Filter::default()).unwrap());
    commands.sort();
    assert_eq!(commands, ["command one", "command three", "command two"]);
    assert_eq!(check(&home), 3);
}

#[test]
fn a_journal_that_was_copied_but_not_removed_is_not_copied_again() {
    let home = Home::new();
    home.keep([]);
    let directory = journal::directory(&home.path());
    let lock = Connection::open(home.path()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    home.keep([record("command one")]);
    lock.execute_batch("COMMIT").unwrap();
    let left = std::fs::read_dir(&directory).unwrap().flatten().next().unwrap().path();
    let bytes = std::fs::read(&left).unwrap();
    copy_leftovers(&home.path()).unwrap();
    assert!(!left.exists());
    // As after a power cut between the two.
    std::fs::write(&left, bytes).unwrap();
    copy_leftovers(&home.path()).unwrap();
    assert_eq!(check(&home), 1);
    assert!(!left.exists());
}

/// A program may have looked at shared memory just before a session was killed, and at its journal just after.
#[test]
fn a_command_that_is_in_shared_memory_and_in_the_journal_is_copied_once() {
    let home = Home::new();
    home.keep([]);
    let mut hand_over = journal::HandOver::new(&home.path(), &session("killed"));
    let Some(place) = hand_over.place() else { return };
    let journal = journal::Journal::create(&home.path(), session("killed"), Some(&place.id)).unwrap();
    hand_over.keep(&record("command one"), 0);
    journal.append(1, &journal::encode_command(&record("command one"))).unwrap();
    hand_over.keep(&record("command two"), 0);
    drop((hand_over, journal));
    let mut connection = file::connect(&home.path(), PATIENCE).unwrap();
    let claimed = journal::claim_next(&home.path(), None).unwrap();
    let mut at = claimed.source.start();
    while let Some(copied) = drain::copy(&mut connection, &claimed.source, at, claimed.end).unwrap() {
        at = copied.at;
    }
    claimed.remove();
    drain::forget_journals(&mut connection, &home.path()).unwrap();
    copy_leftovers(&home.path()).unwrap();
    assert_eq!(texts(&home.history().list(&Filter::default()).unwrap()), ["command one", "command two"]);
}

fn start_child(home: &Home, records: u64) -> Child {
    Process::new(env::current_exe().unwrap())
        .args(["--exact", "store::tests::crowd::child", "--nocapture", "--test-threads=1"])
        .env(DATABASE, home.path())
        .env(RECORDS, records.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn check(home: &Home) -> u64 {
    let connection = Connection::open(home.path()).unwrap();
    let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
    connection.execute("INSERT INTO words (words) VALUES ('integrity-check')", []).unwrap();
    let (commands, outputs, total, words): (i64, i64, i64, i64) = connection
        .query_row(
            "SELECT (SELECT count(*) FROM commands), (SELECT count(*) FROM outputs), (SELECT commands FROM totals),
                    (SELECT count(*) FROM words WHERE words MATCH 'command')",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )
        .unwrap();
    assert_eq!([outputs, total, words], [commands; 3]);
    commands as u64
}

#[test]
fn fifty_sessions_lose_nothing() {
    let home = Home::new();
    let sessions: Vec<_> = (0..50)
        .map(|n| {
            let path = home.path();
            thread::spawn(move || {
                let store = Store::open(path, HistoryLimits::default(), session(&n.to_string()));
                (0..20).for_each(|_| drop(store.record(printed("command", "output\n"))));
                store.close(PATIENCE);
                assert_eq!(store.trouble(), None);
            })
        })
        .collect();
    sessions.into_iter().for_each(|session| session.join().unwrap());
    copy_leftovers(&home.path()).unwrap();
    assert_eq!(check(&home), 1000);
    assert!(!journal::has_leftovers(&home.path()));
}

#[test]
fn several_processes_lose_nothing() {
    let home = Home::new();
    let children: Vec<Child> = (0..8).map(|_| start_child(&home, 25)).collect();
    for child in children {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    copy_leftovers(&home.path()).unwrap();
    assert_eq!(check(&home), 200);
}

#[test]
fn commands_that_keep_coming_do_not_put_pruning_off() {
    let home = Home::new();
    home.keep((0..1_000).map(|n| record(&format!("old {n}"))));
    let limits = HistoryLimits { commands: 100, ..HistoryLimits::default() };
    let store = Store::open(home.path(), limits, session("b"));
    let begun = std::time::Instant::now();
    let count = || home.history().list(&Filter { limit: Some(1_000), ..Filter::default() }).unwrap().len();
    for n in 0.. {
        store.record(record(&format!("new {n}")));
        if n % 50 == 0 && count() <= 150 {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{} are left", count());
        // Shorter than the pause between two slices of pruning.
        thread::sleep(Duration::from_millis(2));
    }
    store.close(PATIENCE);
}
