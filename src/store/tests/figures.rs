//! Times of searches in a long history, for docs/BENCHMARKS.md. They take minutes, so they run only on demand:
//! `cargo nextest run --release --run-ignored only --no-capture --lib store::tests::figures`

#![allow(clippy::print_stderr)]

use std::time::Instant;

use rusqlite::Connection;

use super::*;

/// Numbers from 1 to this many, for the rows of a table.
fn numbers(count: usize) -> String {
    format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})")
}

/// Adds commands. All have some words in common, half of them one word and half another; each has some that few others have.
fn fill_commands(connection: &Connection, count: usize) {
    let numbers = numbers(count);
    let sql = format!(
        "PRAGMA foreign_keys = false; BEGIN;
         INSERT INTO commands (id, session, host, shell, cwd, text, status, started_at, duration, seen, missing, truncated, full_screen,
                               spill, bytes)
         {numbers} SELECT i, 'old', 'box', 'bash', '/home/me/p' || (i % 50), 'cargo test --package part' || (i % 100), i % 10 = 0,
                          1700000000000000 + i * 1000000, 1000, 40, 0, 0, 0, NULL, 80 FROM n;
         INSERT INTO outputs SELECT id, 24, 80, CAST('error: line' || id AS BLOB), x'' FROM commands;
         INSERT INTO words (rowid, command, output)
         SELECT id, text, iif(id % 2, 'even ', 'odd ') || 'error: line' || id || ' w' || (id * 7919 % 50000) || ' v' || (id * 31 % 997)
         FROM commands;
         COMMIT;"
    );
    connection.execute_batch(&sql).unwrap();
}

/// Makes some of the commands imported ones: `nth` is a condition.
fn import_some(connection: &Connection, nth: &str) {
    let sql = format!(
        "BEGIN;
         INSERT INTO commands (id, session, host, shell, cwd, text, status, started_at, duration, seen, missing, truncated, full_screen,
                               spill, bytes, origin, place)
         SELECT -id, session, host, '', cwd, text, status, started_at + 1, duration, 0, 0, 0, 0, NULL, bytes, 'bash',
                (started_at + 1) * 1024 - 4611686018427387904 FROM commands WHERE {nth};
         INSERT INTO words (rowid, command, output) SELECT place, text, '' FROM commands WHERE id < 0;
         COMMIT;"
    );
    connection.execute_batch(&sql).unwrap();
}

/// Adds exchanges, twenty in each conversation.
fn fill_exchanges(connection: &Connection, count: usize) {
    let (conversations, numbers) = (numbers(count / 20), numbers(count));
    let sql = format!(
        "BEGIN;
         INSERT INTO conversations (id, session, host, terminal, cwd, repository, forked_from, started_at)
         {conversations} SELECT i, 'old', 'box', 'tty', '/home/me', '/home/me', NULL, 1700000000000000 + i FROM n;
         INSERT INTO entries (id, conversation, parent, exchange, kind, at, body)
         {numbers} SELECT i, (i - 1) / 20 + 1, NULL, NULL, 'question', 1700000000000000 + i,
                          '{{\"question\":\"why does part' || (i % 100) || ' fail\"}}' FROM n;
         INSERT INTO said (rowid, question, answer, work)
         SELECT id, 'why does part' || (id % 100) || ' fail', 'because of w' || (id * 7919 % 50000), 'error: line' || id FROM entries;
         COMMIT;"
    );
    connection.execute_batch(&sql).unwrap();
}

fn report<T>(name: &str, mut search: impl FnMut() -> Vec<T>) {
    let times = (0..5).map(|_| {
        let begun = Instant::now();
        let found = search().len();
        (begun.elapsed(), found)
    });
    let (best, found) = times.min_by_key(|(time, _)| *time).unwrap();
    eprintln!("{name:<44} {:>7.2} ms, {found} found", best.as_secs_f64() * 1e3);
}

#[test]
#[ignore = "takes minutes and prints figures"]
fn searches_in_a_long_history() {
    let commands = std::env::var("TEST_COMMANDS").ok().and_then(|count| count.parse().ok()).unwrap_or(1_000_000);
    let home = Home::new();
    home.keep([]);
    home.keep([record("true")]);
    let connection = Connection::open(home.path()).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = false; DELETE FROM commands; DELETE FROM outputs").unwrap();
    let begun = Instant::now();
    fill_commands(&connection, commands);
    if let Ok(nth) = std::env::var("TEST_IMPORTED") {
        import_some(&connection, &nth);
    }
    fill_exchanges(&connection, commands / 10);
    eprintln!("{commands} commands and {} exchanges, written in {:?}", commands / 10, begun.elapsed());
    let history = home.history();
    let newest = |words: &str, filter: Filter| {
        let filter = Filter { limit: Some(20), ..filter };
        history.newest(&crate::store::words(words), &filter).unwrap().entries
    };
    for words in ["cargo", "cargo error", "w4711", "\"cargo test\" v5", "even odd", "zebra"] {
        report(&format!("commands with {words}"), || newest(words, Filter::default()));
    }
    let nowhere = || Filter { cwd: Some("/nowhere".into()), ..Filter::default() };
    report("commands with cargo, in a directory of none", || newest("cargo", nowhere()));
    report("commands with cargo that failed", || newest("cargo", Filter { failed: true, ..Filter::default() }));
    report("commands in a directory of none", || newest("", nowhere()));
    report("@\"cargo part7\"", || history.meant("cargo part7", 1).unwrap());
    for words in ["cargo par", "cargo lin", "even odd par", "cargo zebr"] {
        report(&format!("@\"{words}\", an unfinished word"), || history.meant(words, 1).unwrap());
    }
    let listed = |limit: Option<usize>, filter: Filter| {
        let mut ids = Vec::new();
        let visit = |entry: HistoryEntry| -> Result<(), StoreError> {
            ids.push(entry.id);
            Ok(())
        };
        history.for_each(&Filter { limit, ..filter }, visit).unwrap();
        ids
    };
    report("the newest 50 commands", || listed(Some(50), Filter::default()));
    report("the newest 50 that failed", || listed(Some(50), Filter { failed: true, ..Filter::default() }));
    report("all commands", || listed(None, Filter::default()));
    report("the first slice of the finder", || {
        let mut ids = Vec::new();
        history.visit_before(HistoryPosition::END, &Filter::default(), |line| ids.push(line.id)).unwrap();
        ids
    });
    let conversations = Conversations::open(&home.path()).unwrap();
    for words in ["fail", "error part7", "w4711", "zebra", "par"] {
        report(&format!("exchanges with {words}"), || conversations.search(&crate::store::words(words), 10).unwrap());
    }
    report("the newest exchanges", || conversations.newest_exchanges(None, 10).unwrap());
}
