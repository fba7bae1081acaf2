//! Tests with real commands.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Bash, Timeouts};
use crate::chat::Outcome;
use crate::guard::{Intent, SandboxChange, SandboxException};
use crate::tool::result::RESULT_CAP;
use crate::tool::tests::{Home, followed, runtime};
use crate::tool::{Preview, Tool};

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

/// A number of seconds for `sleep` that no other test uses. Processes in a sandbox have other numbers inside than outside, so they are
/// found by their arguments.
fn unique_sleep() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("1{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Whether a process with this argument is running.
fn is_running(argument: &str) -> bool {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.into_iter().any(|line| line.split(|byte| *byte == 0).any(|word| word == argument.as_bytes()))
}

/// Waits until no process has this argument.
fn wait_until_gone(argument: &str) {
    let began = Instant::now();
    while is_running(argument) {
        assert!(began.elapsed() < PATIENCE, "sleep {argument} is still there");
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
    assert_eq!(prepared.intent, Intent::Run { command: command.clone(), cwd: cwd.clone(), exception: None });
    assert_eq!(prepared.preview, Some(Preview::Command { command, cwd }));
    assert!(!home.path("app/a").exists());
    assert_eq!(home.failed(&Bash(Timeouts::default()), json!({"command": " "})), "bad argument command: it is empty");
}

#[test]
fn a_request_to_leave_the_sandbox_is_part_of_the_intent() {
    let home = Home::new();
    let bash = Bash(Timeouts::default());
    let asked = |arguments| home.prepare(&bash, arguments).map(|prepared| prepared.intent.exception().cloned());
    let exception = |change| Some(SandboxException { change, justification: "the test needs it".to_owned() });
    let written = asked(json!({"command": "x", "write": "~/out", "justification": "the test needs it"}));
    assert_eq!(written, Ok(exception(SandboxChange::Write(home.path("out")))));
    let networked = asked(json!({"command": "x", "network": true, "justification": "the test needs it"}));
    assert_eq!(networked, Ok(exception(SandboxChange::Network)));
    let unconfined = asked(json!({"command": "x", "unconfined": true, "justification": "the test needs it"}));
    assert_eq!(unconfined, Ok(exception(SandboxChange::Unconfined)));
    assert_eq!(asked(json!({"command": "x", "network": false, "justification": "none"})), Ok(None));
    assert!(asked(json!({"command": "x", "network": true})).unwrap_err().contains("justification"));
    let both = asked(json!({"command": "x", "network": true, "unconfined": true, "justification": "both"}));
    assert!(both.unwrap_err().contains("only one"));
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
    let sleep = unique_sleep();
    let command = format!("trap '' INT TERM; bash -c 'sleep {sleep} & echo ready; wait'; echo not reached");
    let prepared = home.prepare(&Bash(Timeouts::default()), json!({"command": command})).unwrap();
    let runtime = runtime();
    let running = runtime.spawn((prepared.run)(context));
    assert_eq!(first_line(&heard), "ready");
    while !is_running(&sleep) {
        std::thread::yield_now();
    }
    cancel.cancel();
    assert_eq!(runtime.block_on(running).unwrap(), Outcome::failed("stopped by the user\nready"));
    wait_until_gone(&sleep);
}

#[test]
fn a_dropped_call_leaves_nothing_running() {
    let home = Home::new();
    let (context, heard, _) = followed();
    let sleep = unique_sleep();
    let command = format!("setsid sleep {sleep} & sleep {sleep} & echo ready; wait");
    let prepared = home.prepare(&Bash(Timeouts::default()), json!({"command": command})).unwrap();
    let runtime = runtime();
    let running = runtime.spawn((prepared.run)(context));
    assert_eq!(first_line(&heard), "ready");
    running.abort();
    wait_until_gone(&sleep);
}

#[test]
fn background_processes_end_with_a_confined_command() {
    let home = Home::new();
    let sleep = unique_sleep();
    let outcome = run(&home, &format!("sleep {sleep} & echo begun"));
    assert_eq!(outcome, Outcome::done("exit code 0; its background processes were ended\nbegun"));
    assert!(!is_running(&sleep));
}

#[test]
fn background_processes_of_an_unconfined_command_are_not_waited_for() {
    let home = Home::new();
    let outcome = home.call(
        &Bash(Timeouts::default()),
        json!({"command": "sleep 1000 & echo $!", "unconfined": true, "justification": "a server"}),
    );
    let text = outcome.text();
    assert!(text.starts_with("exit code 0; its background processes are still running"), "{text}");
    let pid = text.lines().last().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid.parse().unwrap()), nix::sys::signal::Signal::SIGKILL)
        .unwrap();
}

#[test]
fn a_denied_write_says_how_to_repeat_the_command() {
    let home = Home::new();
    let outcome = run(&home, "echo x > ../outside");
    let text = outcome.text();
    assert!(outcome.is_failed() && text.contains("Read-only file system"), "{text}");
    assert!(text.contains("[This ran confined: only ") && text.contains("justification and write"), "{text}");
    let repeated = home.call(
        &Bash(Timeouts::default()),
        json!({"command": "echo x > ../outside", "write": "../outside", "justification": "the user wants it there"}),
    );
    assert_eq!(repeated, Outcome::done("exit code 0, no output"));
    assert_eq!(home.read("outside"), "x\n");
    assert!(!run(&home, "echo no >&2; exit 3").text().contains("confined"), "a failure of another kind has no note");
}

#[test]
fn a_delicate_file_that_a_command_created_is_removed_and_said() {
    let home = Home::new();
    let outcome = run(&home, "echo evil > .envrc");
    assert!(outcome.text().contains("[removed ") && outcome.text().contains(".envrc"), "{}", outcome.text());
    assert!(!home.path("app/.envrc").exists());
}

#[test]
fn a_command_in_a_hidden_directory_is_not_run() {
    let home = Home::new();
    home.write(".ssh/config", "");
    let mut context = home.context();
    context.cwd = home.path(".ssh");
    let prepared = Bash(Timeouts::default()).prepare(&json!({"command": "ls"}), &context).unwrap();
    let outcome = crate::tool::tests::finish(prepared);
    assert!(outcome.text().starts_with("not run: "), "{}", outcome.text());
}

#[test]
fn functions_and_start_files_of_the_environment_do_not_count() {
    let home = Home::new();
    home.write("evil", "echo started");
    let mut context = home.context();
    context.environment.push(("BASH_ENV".into(), home.path("evil").into()));
    context.environment.push(("BASH_FUNC_ls%%".into(), "() { echo function; }".into()));
    let prepared = Bash(Timeouts::default()).prepare(&json!({"command": "ls"}), &context).unwrap();
    assert_eq!(crate::tool::tests::finish(prepared), Outcome::done("exit code 0, no output"));
}

#[test]
fn a_missing_working_directory_is_reported() {
    let home = Home::new();
    let prepared = home.prepare(&Bash(Timeouts::default()), json!({"command": "true"})).unwrap();
    fs::remove_dir(home.path("app")).unwrap();
    assert!(crate::tool::tests::finish(prepared).text().contains("no longer exists"));
}
