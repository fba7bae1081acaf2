//! Many terminals at once, and terminals that are killed.

use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, Command as Process, Stdio};
use std::thread;

use rusqlite::Connection;

use super::*;

/// In a child's environment: the database to write to, and how many records.
const DATABASE: &str = "STORE_TEST_DATABASE";
const RECORDS: &str = "STORE_TEST_RECORDS";

/// What a child does: writes records, and says the id of each once it is stored. In an ordinary run, nothing.
#[test]
fn child() {
    let (Ok(path), Ok(records)) = (env::var(DATABASE), env::var(RECORDS)) else { return };
    let store = Store::open(path.into(), Options::default(), session(&std::process::id().to_string()));
    let mut out = io::stdout();
    for n in 0..records.parse::<u64>().unwrap() {
        let ticket = store.record(printed(&format!("command {n}"), &"output of it\n".repeat(200)));
        writeln!(out, "stored {}", settled(&ticket)).unwrap();
    }
    store.close(PATIENCE);
    assert_eq!(store.trouble(), None);
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
                let store = Store::open(path, Options::default(), session(&n.to_string()));
                let tickets: Vec<Ticket> = (0..20).map(|_| store.record(printed("command", "output\n"))).collect();
                store.close(PATIENCE);
                assert_eq!(store.trouble(), None);
                tickets.iter().filter_map(Ticket::id).count()
            })
        })
        .collect();
    let stored: usize = sessions.into_iter().map(|session| session.join().unwrap()).sum();
    assert_eq!(stored, 1000);
    assert_eq!(check(&home), 1000);
}

#[test]
fn several_processes_lose_nothing() {
    let home = Home::new();
    let children: Vec<Child> = (0..8).map(|_| start_child(&home, 25)).collect();
    for child in children {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    assert_eq!(check(&home), 200);
}

#[test]
fn a_killed_writer_leaves_all_it_had_stored() {
    let home = Home::new();
    let mut stored = 0;
    for round in 0..8 {
        let mut child = start_child(&home, u64::MAX);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Each round dies at another moment: after so many records, and somewhere in the next.
        let said =
            lines.by_ref().map_while(Result::ok).filter(|line| line.contains("stored ")).take(1 + round * 5).count();
        thread::sleep(Duration::from_micros(round as u64 * 137));
        child.kill().unwrap();
        child.wait().unwrap();
        let more = lines.map_while(Result::ok).filter(|line| line.contains("stored ")).count();
        stored += (said + more) as u64;

        let known = check(&home);
        assert!(known >= stored, "{known} of {stored}");
        assert_eq!(home.history().list(&Filter::default()).unwrap().len() as u64, known);
        // What was stored but not said in time.
        stored = known;
    }
}
