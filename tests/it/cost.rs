//! What a wrapper costs, in CPU time rather than seconds, beside `script` in the same run: the hot path may not rot.
//!
//! Measured on the release build that `tests/run` names in `SHELLMATE_RELEASE`.

use std::path::PathBuf;

use crate::harness::{Shell, Term, available};

/// Bytes of the flood; enough for a few dozen clock ticks.
const FLOOD: u64 = 60_000_000;
/// How much more CPU time than `script` a flood may take. What is above 1 is the spill file, and noise.
const FACTOR: f64 = 2.0;
/// What a tab may hold before its first query.
const MEMORY_KIB: u64 = 12 * 1024;

fn release() -> Option<PathBuf> {
    let path = std::env::var_os("SHELLMATE_RELEASE").map(PathBuf::from);
    if path.is_none() {
        eprintln!("SKIPPED: no release build; `tests/run` makes one");
    }
    path
}

fn ours(program: PathBuf) -> Term {
    Term::new(Shell::Bash).program(program).args(["--shell", "/bin/bash"]).start()
}

/// CPU seconds of one process, its children apart.
fn cpu_seconds(pid: i32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields[11..=12].iter().map(|field| field.parse::<f64>().unwrap()).sum();
    ticks / 100.0
}

fn resident_kib(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// CPU seconds for a flood of log lines.
fn flood(term: &mut Term) -> f64 {
    term.wait_for_prompt();
    let before = cpu_seconds(term.pid());
    term.count_only(true);
    let start = term.total();
    term.typed(format!(
        "stty -opost; yes '2026-11-16 INFO worker request took 12 ms status=200' | head -c {FLOOD}; stty opost\r"
    ));
    term.wait_for_total(start + FLOOD);
    cpu_seconds(term.pid()) - before
}

#[test]
fn a_flood_costs_little_more_than_copying_it() {
    let Some(program) = release() else { return };
    if !available("script") || !Shell::Bash.available() {
        eprintln!("SKIPPED: no script or no bash to compare with");
        return;
    }
    let mut script =
        Term::new(Shell::Bash).program("/usr/bin/script").args(["-q", "-c", "/bin/bash", "/dev/null"]).start();
    let theirs = flood(&mut script);
    let mut term = ours(program);
    let ours = flood(&mut term);
    assert!(ours <= theirs * FACTOR, "{ours:.2} s for {FLOOD} bytes, script takes {theirs:.2} s");
}

#[test]
fn a_tab_is_small() {
    let Some(program) = release() else { return };
    let mut term = ours(program);
    term.wait_for_prompt();
    for _ in 0..20 {
        term.run("echo hello");
    }
    let resident = resident_kib(term.pid());
    assert!(resident <= MEMORY_KIB, "{resident} KiB");
}
