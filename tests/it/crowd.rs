//! Several terminals at once, with commands typed without a pause, then killed: the history has every command that the screen showed.

use std::collections::HashMap;
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use rusqlite::Connection;

use crate::harness::{Shell, Term, shells};

/// A number from the environment: the long run of docs/BENCHMARKS.md has more sessions and commands.
fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

/// A killed session: its name in the commands, and its last command that was followed by a prompt on the screen.
struct Killed {
    name: usize,
    shown: usize,
}

/// Types commands without waiting for any of them, and kills the program when the output of number `last` is on the screen.
fn type_and_kill(shell: Shell, state: &Path, name: usize, last: usize) -> Killed {
    let mut term = Term::new(shell).env("XDG_STATE_HOME", state).start();
    term.wait_for_prompt();
    // Every tenth command prints some KiB. The echo contains quotes, so only the output matches.
    let command = |n: usize| match n % 10 {
        0 => format!("echo k''ept-{name}-{n}.; seq 2000\r"),
        _ => format!("echo k''ept-{name}-{n}.\r"),
    };
    let keys: String = (1..=last + 20).map(command).collect();
    // The program ends before it has read them all.
    let typing: JoinHandle<_> = term.typed_meanwhile(keys.into_bytes());
    term.wait_for_raw(format!("kept-{name}-{last}.").as_bytes());
    term.signal(Signal::SIGKILL);
    term.wait_status();
    term.wait_for_end_of_output();
    let _ = typing.join();
    // The prompt [n + 1] is drawn when command n has ended.
    let raw = String::from_utf8_lossy(&term.raw()).into_owned();
    let prompts = raw.match_indices("]$ ").filter_map(|(end, _)| raw[..end].rsplit_once('[')?.1.parse::<usize>().ok());
    Killed { name, shown: prompts.max().unwrap_or(1) - 1 }
}

/// How often the history has each command of the test.
fn kept(any: &Term) -> HashMap<String, usize> {
    let mut kept = HashMap::new();
    for record in any.history(&[]) {
        if let Some(name) = record.command.strip_prefix("echo k''ept-").and_then(|rest| rest.split('.').next()) {
            *kept.entry(name.to_owned()).or_default() += 1;
        }
    }
    kept
}

/// Runs and kills `sessions` terminals at once; `meanwhile` gets the database.
fn crowd(sessions: usize, commands: usize, meanwhile: impl FnOnce(&Path) -> Option<Connection>) {
    let mut first = Term::new(Shell::Bash).start();
    first.wait_for_prompt();
    first.run("true");
    first.finish();
    let state = first.home().join(".local/state");
    let lock = meanwhile(&state.join("shellmate/history.db"));
    let shells = shells();
    let running: Vec<JoinHandle<Killed>> = (0..sessions)
        .map(|name| {
            let (shell, state) = (shells[name % shells.len()], state.clone());
            let last = 1 + (name * 7919 + 13) % commands;
            thread::spawn(move || type_and_kill(shell, &state, name, last))
        })
        .collect();
    let killed: Vec<Killed> = running.into_iter().map(|session| session.join().expect("a session")).collect();
    drop(lock);
    let kept = kept(&first);
    assert!(kept.values().all(|&times| times == 1), "some are doubled: {kept:?}");
    let mut lost = Vec::new();
    for Killed { name, shown } in killed {
        let commands = (1..=shown).map(|n| format!("{name}-{n}"));
        lost.extend(commands.filter(|command| !kept.contains_key(command)));
    }
    eprintln!("{sessions} sessions, {} commands kept, {} lost", kept.len(), lost.len());
    assert!(lost.is_empty(), "the screen has shown them to be over: {lost:?}");
}

/// Runs commands one after another until a moment, then exits. Returns how many there were.
fn run_and_exit(shell: Shell, state: &Path, name: usize, until: Instant) -> usize {
    let mut term = Term::new(shell).env("XDG_STATE_HOME", state).start();
    term.wait_for_prompt();
    let mut commands = 0;
    while commands < 10 || Instant::now() < until {
        commands += 1;
        term.run(&format!("echo k''ept-{name}-{commands}."));
    }
    term.exit();
    commands
}

#[test]
fn terminals_run_and_exit_while_the_history_is_locked_and_the_next_one_saves_their_commands() {
    let mut first = Term::new(Shell::Bash).start();
    first.wait_for_prompt();
    first.run("true");
    first.finish();
    let state = first.home().join(".local/state");
    let lock = Connection::open(state.join("shellmate/history.db")).expect("a database");
    lock.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    // The long run of docs/BENCHMARKS.md is a minute.
    let until = Instant::now() + Duration::from_secs(number("CROWD_LOCK_SECONDS", 2) as u64);
    let running: Vec<JoinHandle<usize>> = shells()
        .into_iter()
        .enumerate()
        .map(|(name, shell)| {
            let state = state.clone();
            thread::spawn(move || run_and_exit(shell, &state, name, until))
        })
        .collect();
    // All of them have exited although the lock is still held.
    let commands: Vec<usize> = running.into_iter().map(|session| session.join().expect("a session")).collect();
    let recorded = || {
        let count = "SELECT count(*), count(DISTINCT text) FROM commands WHERE text LIKE 'echo k_''ept-%'";
        lock.query_row(count, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))).expect("a row")
    };
    assert_eq!(recorded(), (0, 0), "nobody could write");
    lock.execute_batch("COMMIT").expect("an end of the lock");
    let all = commands.iter().sum::<usize>() as i64;
    let mut next = Term::new(Shell::Bash).env("XDG_STATE_HOME", &state).start();
    next.wait_for_prompt();
    next.wait_for_state(recorded, &(all, all));
    next.exit();
    eprintln!("{commands:?} commands were run while the history was locked; all of them are in it, once");
}

#[test]
fn killed_terminals_lose_no_command_that_the_screen_has_shown() {
    crowd(number("CROWD_SESSIONS", 6), number("CROWD_COMMANDS", 40), |_| None);
}

#[test]
fn terminals_killed_while_the_history_is_locked_lose_no_command_either() {
    crowd(number("CROWD_SESSIONS", 4), number("CROWD_COMMANDS", 40), |database| {
        let lock = Connection::open(database).expect("a database");
        lock.execute_batch("BEGIN IMMEDIATE").expect("a lock");
        Some(lock)
    });
}
