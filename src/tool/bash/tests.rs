//! Tests with real commands.

use std::fs;
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Bash, Timeouts};
use crate::chat::Outcome;
use crate::guard::Intent;
use crate::tool::Preview;
use crate::tool::result::RESULT_CAP;
use crate::tool::tests::{Home, followed, runtime};

/// A timeout that is long enough for a busy machine. Only a failing test waits for it.
const PATIENCE: Duration = Duration::from_secs(30);

fn run(home: &Home, command: &str) -> Outcome {
    home.call(&Bash(Timeouts::default()), json!({"command": command}))
}

/// Receives the output of a running command up to its first complete line.
fn first_line(heard: &Receiver<String>) -> String {
    let mut text = String::new();
    while !text.contains('\n') {
        text.push_str(&heard.recv_timeout(PATIENCE).unwrap());
    }
    text.lines().next().unwrap().to_owned()
}

/// Waits until the process is gone or a zombie.
fn wait_until_gone(pid: &str) {
    let stat = Path::new("/proc").join(pid).join("stat");
    let began = Instant::now();
    while fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        assert!(began.elapsed() < PATIENCE, "process {pid} is still there");
        std::thread::yield_now();
    }
}

#[test]
fn a_command_is_described_before_it_runs() {
    let home = Home::new();
    let prepared =
        home.prepare(&Bash(Timeouts::default()), json!({"command": "touch a\ntouch b", "timeout": "5"})).unwrap();
    assert_eq!(prepared.title, "touch a …");
    let (command, cwd) = ("touch a\ntouch b".to_owned(), home.path("app"));
    assert_eq!(prepared.intent, Intent::Run { command: command.clone(), cwd: cwd.clone() });
    assert_eq!(prepared.preview, Some(Preview::Command { command, cwd }));
    assert!(!home.path("app/a").exists());
    assert_eq!(home.failed(&Bash(Timeouts::default()), json!({"command": " "})), "bad argument command: it is empty");
}

#[test]
fn status_and_both_streams_come_back_in_order() {
    let home = Home::new();
    assert_eq!(
        run(&home, "echo one; echo two >&2; pwd").text(),
        format!("exit code 0\none\ntwo\n{}", home.path("app").display())
    );
    assert_eq!(run(&home, "echo no >&2; exit 3"), Outcome::failed("exit code 3\nno"));
    assert_eq!(run(&home, "true"), Outcome::done("exit code 0, no output"));
    assert_eq!(run(&home, "kill -SEGV $$"), Outcome::failed("killed by SIGSEGV, no output"));
}

#[test]
fn a_command_has_no_terminal_and_no_input() {
    let home = Home::new();
    assert_eq!(run(&home, "cat; echo \"$PAGER $EDITOR $TERM\"").text(), "exit code 0\ncat false dumb");
    let terminal = run(&home, "(exec </dev/tty) 2>&1");
    assert!(terminal.is_failed(), "{}", terminal.text());
    assert!(terminal.text().contains("/dev/tty"));
}

#[test]
fn output_arrives_while_the_command_runs() {
    let home = Home::new();
    let prepared = home
        .prepare(&Bash(Timeouts::default()), json!({"command": "echo ready; read line < gate; echo got $line"}))
        .unwrap();
    nix::unistd::mkfifo(&home.path("app/gate"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let (context, heard, _) = followed();
    let runtime = runtime();
    let running = runtime.spawn((prepared.run)(context));
    assert_eq!(first_line(&heard), "ready");
    fs::write(home.path("app/gate"), "through\n").unwrap();
    assert_eq!(runtime.block_on(running).unwrap().text(), "exit code 0\nready\ngot through");
}

#[test]
fn a_long_output_is_cut_and_kept_in_a_file() {
    let home = Home::new();
    let outcome = run(&home, "seq 1 100000");
    let text = outcome.text();
    assert!(text.len() <= RESULT_CAP && text.starts_with("exit code 0\n1\n2\n") && text.ends_with("\n99999\n100000"));
    let path = text.split(" is in ").nth(1).unwrap().split(": read").next().unwrap();
    assert!(text.contains(" of 100000 left out;"));
    assert_eq!(fs::read_to_string(path).unwrap().lines().count(), 100_000);
}

#[test]
fn a_command_that_times_out_returns_its_output() {
    let home = Home::new();
    let outcome =
        home.call(&Bash(Timeouts::default()), json!({"command": "echo begun; exec sleep 1000", "timeout": 1}));
    assert_eq!(outcome, Outcome::failed("stopped after 1 s (ask for more with timeout)\nbegun"));
}

#[test]
fn a_cancelled_command_can_clean_up() {
    let home = Home::new();
    let (context, heard, cancel) = followed();
    let command = "trap 'echo cleaned; exit 1' INT; echo ready; while :; do sleep 0.01; done";
    let prepared = home.prepare(&Bash(Timeouts::default()), json!({"command": command})).unwrap();
    let runtime = runtime();
    let running = runtime.spawn((prepared.run)(context));
    assert_eq!(first_line(&heard), "ready");
    cancel.cancel();
    assert_eq!(runtime.block_on(running).unwrap(), Outcome::failed("stopped by the user\nready\ncleaned"));
}

#[test]
fn a_command_that_ignores_sigint_is_killed_with_its_children() {
    let home = Home::new();
    let (context, heard, cancel) = followed();
    let command = "trap '' INT TERM; bash -c 'sleep 1000 & echo $! $BASHPID $PPID; wait'; echo not reached";
    let prepared = home.prepare(&Bash(Timeouts::default()), json!({"command": command})).unwrap();
    let runtime = runtime();
    let running = runtime.spawn((prepared.run)(context));
    let pids = first_line(&heard);
    cancel.cancel();
    assert_eq!(runtime.block_on(running).unwrap(), Outcome::failed(format!("stopped by the user\n{pids}")));
    pids.split(' ').for_each(wait_until_gone);
}

#[test]
fn a_dropped_call_leaves_nothing_running() {
    let home = Home::new();
    let (context, heard, _) = followed();
    let prepared =
        home.prepare(&Bash(Timeouts::default()), json!({"command": "sleep 1000 & echo $! $$; wait"})).unwrap();
    let runtime = runtime();
    let running = runtime.spawn((prepared.run)(context));
    let pids = first_line(&heard);
    running.abort();
    pids.split(' ').for_each(wait_until_gone);
}

#[test]
fn background_processes_are_not_waited_for() {
    let home = Home::new();
    let outcome = run(&home, "sleep 1000 & echo $!");
    let text = outcome.text();
    assert!(text.starts_with("exit code 0; its background processes are still running"), "{text}");
    let pid = text.lines().last().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid.parse().unwrap()), nix::sys::signal::Signal::SIGKILL)
        .unwrap();
    wait_until_gone(pid);
}

#[test]
fn a_missing_working_directory_is_reported() {
    let home = Home::new();
    let prepared = home.prepare(&Bash(Timeouts::default()), json!({"command": "true"})).unwrap();
    fs::remove_dir(home.path("app")).unwrap();
    assert!(crate::tool::tests::finish(prepared).text().contains("no longer exists"));
}
