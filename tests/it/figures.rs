//! Measurements of the history and of the sandbox for docs/BENCHMARKS.md. They take minutes, so they run only on demand:
//! `SHELLMATE_RELEASE=target/release/shellmate cargo nextest run --run-ignored only --no-capture --test it figures::`

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::json;

use crate::harness::{Builder, Model, Reply, Shell, Term};

/// A session of the release build, if one is named.
fn measured() -> Builder {
    let builder = Term::new(Shell::Bash);
    match std::env::var_os("SHELLMATE_RELEASE") {
        Some(program) => builder.program(PathBuf::from(program)).args(["--shell", "/bin/bash"]),
        None => builder,
    }
}

/// Starts and ends a session, which creates the database.
fn database() -> (Term, PathBuf) {
    let mut term = measured().start();
    term.wait_for_prompt();
    term.run("true");
    term.exit();
    let path = term.home().join(".local/state/shellmate/history.db");
    (term, path)
}

/// Adds commands. The first `spills` of them have a spill file below `spilled`.
fn fill(database: &Path, commands: usize, spilled: &Path, spills: usize) {
    let connection = Connection::open(database).expect("a database");
    let numbers = format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {commands})");
    let sql = format!(
        "BEGIN;
         INSERT INTO commands (session, host, shell, cwd, text, status, started_at, duration, seen, missing, truncated, full_screen,
                               spill, bytes)
         {numbers} SELECT 'old', 'box', 'bash', '/home/me', 'cargo test --package part' || (i % 100), 0, 1700000000000000 + i, 1000, 9, 0,
                          0, 0, iif(i <= {spills}, '{}/' || i || '.out', NULL), 40 FROM n;
         INSERT INTO outputs SELECT id, 24, 80, CAST('some text' AS BLOB), x'' FROM commands WHERE session = 'old';
         INSERT INTO words (rowid, command, output) SELECT id, text, 'some text' FROM commands WHERE session = 'old';
         COMMIT; PRAGMA wal_checkpoint(TRUNCATE);",
        spilled.display()
    );
    connection.execute_batch(&sql).expect("rows");
}

/// The most memory in KiB that `shellmate` with these arguments takes, for the history of this terminal.
pub(crate) fn peak_kib(term: &Term, args: &[&str]) -> u64 {
    let builder =
        Term::new(Shell::Bash).env("XDG_STATE_HOME", term.home().join(".local/state")).args(args.iter().copied());
    let mut child = builder.command().stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("the program");
    let mut peak = 0;
    loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        peak = now.unwrap_or(peak);
        if let Some(status) = child.try_wait().expect("a child") {
            assert!(status.success(), "{args:?}: {status}");
            return peak;
        }
        // The peak is gone from `/proc` once the process has ended, so it is read all the time.
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
#[ignore = "takes minutes and prints figures"]
fn memory_of_a_million_commands() {
    let (term, path) = database();
    fill(&path, 1_000_000, Path::new("/nowhere"), 0);
    for args in [&["history", "--json"][..], &["history", "stats"], &["history", "forget", "--all", "--yes", "--json"]]
    {
        let begun = Instant::now();
        let peak = peak_kib(&term, args);
        eprintln!("{args:?} with 1,000,000 commands: peak {peak} KiB, {:?}", begun.elapsed());
    }
}

#[test]
#[ignore = "takes minutes and prints figures"]
fn memory_of_showing_a_gigabyte() {
    let (term, path) = database();
    let spilled = term.place().join("spilled");
    fs::create_dir_all(&spilled).expect("a directory");
    let line =
        "2026-11-18T04:00:00Z a line of a log, as long as such lines are, with some \x1b[32mgreen\x1b[0m in it\r\n";
    let text = line.repeat((1 << 20) / line.len());
    let mut file = fs::File::create(spilled.join("1.out")).expect("a file");
    (0..1024).for_each(|_| file.write_all(text.as_bytes()).expect("room on the disk"));
    fill(&path, 1, &spilled, 1);
    let id = term.history(&["--session", "old"])[0].id();
    for args in [&["history", "show", &id][..], &["history", "show", &id, "--json"], &["history", "show", &id, "--raw"]]
    {
        let begun = Instant::now();
        let peak = peak_kib(&term, args);
        eprintln!("{args:?} of 1 GB: peak {peak} KiB, {:?}", begun.elapsed());
    }
}

#[test]
#[ignore = "takes minutes and prints figures"]
fn longest_lock_while_a_million_commands_are_pruned() {
    let (term, path) = database();
    fill(&path, 1_000_000, Path::new("/nowhere"), 0);
    let mut tab = measured().env("XDG_STATE_HOME", term.home().join(".local/state")).start();
    tab.wait_for_prompt();
    tab.run("true");
    let probe = Connection::open(&path).expect("a database");
    probe.busy_timeout(Duration::ZERO).expect("a database");
    let begun = Instant::now();
    let (mut longest, mut refused) = (Duration::ZERO, None::<Instant>);
    let mut typed = 0;
    loop {
        if begun.elapsed() > Duration::from_millis(100) * typed {
            typed += 1;
            tab.typed(format!("echo m''eanwhile-{typed}.\r"));
        }
        if probe.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_ok() {
            longest = longest.max(refused.take().map_or(Duration::ZERO, |since| since.elapsed()));
            let left: i64 = probe.query_row("SELECT commands FROM totals", [], |row| row.get(0)).expect("a row");
            if left <= 100_000 {
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(1800), "{left} are left");
        } else {
            refused.get_or_insert_with(Instant::now);
        }
        // A probe that holds the lock makes the pruning wait, so probes are rare.
        thread::sleep(Duration::from_millis(2));
    }
    let took = begun.elapsed();
    tab.wait_for_raw(format!("meanwhile-{typed}.").as_bytes());
    tab.wait_for_prompt();
    tab.exit();
    let kept = term.history(&[]).iter().filter(|record| record.command.starts_with("echo m''eanwhile-")).count();
    eprintln!(
        "pruning 1,000,000 to 100,000: {took:?}, longest lock {longest:?}; {typed} commands run meanwhile, {kept} kept"
    );
    assert_eq!(kept, typed as usize);
}

#[test]
#[ignore = "takes minutes and prints figures"]
fn start_with_a_long_history_and_many_spill_files() {
    let median = |term: &Term| {
        let place = |name: &str| term.place().join(name);
        let mut times: Vec<Duration> = (0..15)
            .map(|_| {
                let builder = measured()
                    .env("XDG_STATE_HOME", term.home().join(".local/state"))
                    .env("XDG_RUNTIME_DIR", place("run"));
                let begun = Instant::now();
                let mut tab = builder.start();
                tab.wait_for_prompt();
                let time = begun.elapsed();
                tab.exit();
                time
            })
            .collect();
        times.sort();
        times[times.len() / 2]
    };
    let (empty, _) = database();
    let (full, path) = database();
    let spilled = full.place().join("run/shellmate/0123456789abcdef");
    fs::create_dir_all(&spilled).expect("a directory");
    (1..=2_000).for_each(|n| fs::write(spilled.join(format!("{n}.out")), "x").expect("a file"));
    fill(&path, 100_000, &spilled, 2_000);
    let (none, many) = (median(&empty), median(&full));
    eprintln!("first prompt: {none:?} with nothing kept, {many:?} with 100,000 commands and 2,000 spill files");
    assert_eq!(fs::read_dir(&spilled).expect("a directory").count(), 2_000, "a spill file that is named was removed");
}

/// The time of `shellmate ask` while a model makes calls of `bash` one after the other.
fn time_of_calls(level: &str, command: &str, calls: usize) -> Duration {
    let call = |_| Reply::calls(&[("bash", json!({ "command": command }))]);
    let model = Model::start((0..calls).map(call).chain([Reply::text(["done"])]));
    let builder = (0..50).fold(Term::new(Shell::Bash), |builder, n| builder.file(&format!("app/{n}.txt"), "text\n"));
    let app = builder.home().join("app");
    let builder = builder.config(&format!("[sandbox]\nlevel = \"{level}\"\n")).dir(app).args(["ask", "--yes", "go"]);
    let builder = builder.env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted");
    let builder = match std::env::var_os("SHELLMATE_RELEASE") {
        Some(program) => builder.program(PathBuf::from(program)),
        None => builder,
    };
    let begun = Instant::now();
    let output = builder.command().stdin(Stdio::null()).output().expect("the program");
    let took = begun.elapsed();
    assert!(String::from_utf8_lossy(&output.stdout).contains("done"), "{output:?}");
    let last = model.others().pop().map(|request| request.body["messages"].to_string()).unwrap_or_default();
    assert_eq!(last.matches("exit code 0").count(), calls, "{last}");
    took
}

#[test]
#[ignore = "takes minutes and prints figures"]
fn wall_time_of_confined_commands() {
    let (calls, rounds) = (30, 11);
    for command in ["touch made", "ls"] {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..rounds {
            for (level, times) in ["off", "workspace"].into_iter().zip(&mut times) {
                times.push(time_of_calls(level, command, calls));
            }
        }
        let [off, confined] = times.map(|mut times| {
            times.sort();
            [times[0], times[rounds / 2], times[rounds - 1]].map(|time| time.as_secs_f64() * 1000.0 / calls as f64)
        });
        eprintln!("`{command}`, ms per call (least, median, most): unconfined {off:.2?}, confined {confined:.2?}");
    }
}
