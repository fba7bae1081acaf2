//! Whatever is wrong with the disk, the user gets one line and keeps the shell.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rusqlite::Connection;

use super::*;
use crate::capture::SpillUse;

/// Everything in the directory whose name says it was put aside.
fn kept_aside(home: &Home) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(home.directory.path())
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.to_string_lossy().contains(".damaged-") && !path.to_string_lossy().contains("db-"))
        .collect();
    paths.sort();
    paths
}

#[test]
fn a_file_that_is_not_a_database_is_renamed() {
    let home = Home::new();
    let garbage = "this is not a database ".repeat(100);
    fs::write(home.path(), &garbage).unwrap();
    let trouble = home.keep([record("true")]).unwrap();
    let aside = kept_aside(&home);
    assert_eq!(aside.len(), 1);
    assert_eq!(fs::read_to_string(&aside[0]).unwrap(), garbage);
    assert!(trouble.starts_with("history is off: "), "{trouble}");
    assert!(trouble.contains(&*aside[0].file_name().unwrap().to_string_lossy()), "{trouble}");
    assert!(!trouble.contains('\n'));

    // The command itself waited in the journal.
    assert_eq!(home.keep([record("next shell")]), None);
    copy_leftovers(&home.path()).unwrap();
    let mut commands = texts(&home.history().list(&Filter::default()).unwrap());
    commands.sort();
    assert_eq!(commands, ["next shell", "true"]);
}

#[test]
fn a_database_found_damaged_while_writing_is_renamed() {
    let home = Home::new();
    home.keep([record("true")]);
    let mut bytes = fs::read(home.path()).unwrap();
    for byte in bytes.iter_mut().skip(4096) {
        *byte = 0x5A;
    }
    fs::write(home.path(), &bytes).unwrap();
    let trouble = home.keep([record("true")]).unwrap();
    assert!(trouble.contains("is damaged; kept as history.db.damaged-"), "{trouble}");
    assert_eq!(fs::read(&kept_aside(&home)[0]).unwrap(), bytes);
}

#[test]
fn a_failure_is_reported_once_and_later_records_are_dropped() {
    let home = Home::new();
    fs::write(home.directory.path().join("file"), "").unwrap();
    let store = Store::open(home.directory.path().join("file/history.db"), HistoryLimits::default(), session("a"));
    store.close(PATIENCE);
    let trouble = store.trouble().unwrap();
    assert!(trouble.starts_with("history is off: cannot create "), "{trouble}");
    assert!(!trouble.contains("os error"), "{trouble}");
    assert_eq!(store.trouble(), None);
    assert_eq!(store.record(record("true")).id(), None);
    assert_eq!(store.trouble(), None);
}

#[test]
fn a_directory_in_place_of_the_database_is_trouble() {
    let home = Home::new();
    fs::create_dir(home.path()).unwrap();
    let trouble = home.keep([record("true")]).unwrap();
    assert!(trouble.starts_with("history is off: "), "{trouble}");
}

#[test]
fn a_file_that_can_only_be_read_is_trouble_and_can_be_read() {
    let home = Home::new();
    home.keep([record("true")]);
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o400)).unwrap();
    if fs::OpenOptions::new().append(true).open(home.path()).is_ok() {
        return; // For root nothing is read-only.
    }
    let trouble = home.keep([record("more")]).unwrap();
    assert!(trouble.contains("can only be read"), "{trouble}");
    assert_eq!(texts(&home.history().list(&Filter::default()).unwrap()), ["true"]);
}

#[test]
fn a_spill_file_is_kept_if_the_history_cannot_be_read() {
    let home = Home::new();
    let mut spilled = record("seq 200000");
    spilled.output.spill = Some("/run/shellmate/a/1.out".into());
    home.keep([spilled]);
    copy_leftovers(&home.path()).unwrap();
    let use_of = |name: &str| Spills::new(home.path()).use_of(std::path::Path::new(name));
    let (named, other) = ("/run/shellmate/a/1.out", "/run/shellmate/a/2.out");
    assert_eq!((use_of(named), use_of(other)), (SpillUse::Named, SpillUse::Unnamed));

    let connection = Connection::open(home.path()).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    assert_eq!(use_of(other), SpillUse::Unknown, "the format is newer");
    connection.pragma_update(None, "user_version", super::super::schema::known()).unwrap();
    assert_eq!(use_of(other), SpillUse::Unnamed);

    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    home.keep([record("true")]);
    assert_eq!(use_of(other), SpillUse::Unknown, "the session's journal was not copied yet");
    assert_eq!(use_of("/run/shellmate/b/1.out"), SpillUse::Unnamed, "another session has nothing to copy");
    connection.execute_batch("COMMIT").unwrap();
    drop(connection);
    fs::write(home.path(), "this is not a database ".repeat(100)).unwrap();
    assert_eq!(use_of(other), SpillUse::Unknown, "the header is damaged");
}

#[test]
fn a_newer_format_asks_for_an_upgrade_even_while_running() {
    let home = Home::new();
    let store = home.store();
    settled(&store.record(record("true")));
    let connection = Connection::open(home.path()).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    store.record(record("more"));
    store.close(PATIENCE);
    let running = store.trouble().unwrap();
    let starting = home.keep([record("more")]).unwrap();
    assert_eq!(running, starting);
    assert!(running.ends_with("was written by a newer shellmate; upgrade this one"), "{running}");
    assert!(matches!(History::open(&home.path()), Err(StoreError::Newer { found: 99, .. })));
    assert_eq!(kept_aside(&home), Vec::<PathBuf>::new());
}

#[test]
fn a_removed_database_is_created_again() {
    let home = Home::new();
    let store = home.store();
    settled(&store.record(record("lost with the file")));
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(home.path().with_file_name(format!("history.db{suffix}")));
    }
    store.record(record("kept"));
    store.close(PATIENCE);
    assert_eq!(store.trouble(), None);
    assert_eq!(texts(&home.history().list(&Filter::default()).unwrap()), ["kept"]);
}

#[test]
fn a_locked_database_neither_delays_the_session_nor_loses_records() {
    let home = Home::new();
    home.keep([]);
    let lock = Connection::open(home.path()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let store = home.store();
    // If each of them waited for the lock, the test would take too long.
    let tickets: Vec<_> = (0..1_000).map(|_| store.record(record("patient"))).collect();
    let ticket = tickets.last().unwrap();
    assert_eq!(store.trouble(), None);
    assert_eq!(ticket.id(), None);
    lock.execute_batch("COMMIT").unwrap();
    settled(ticket);
    store.close(PATIENCE);
}

#[test]
fn closing_ends_though_the_database_is_locked() {
    let home = Home::new();
    home.keep([]);
    let lock = Connection::open(home.path()).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let store = home.store();
    store.record(record("too late"));
    store.close(FOREVER);
}
