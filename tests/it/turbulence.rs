//! Interruptions of an answer: Ctrl-C, resizes, small terminals, background jobs, the end of the shell.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use crate::harness::{Builder, Key, Model, Reply, Shell, Term, in_every_shell};

fn asking(shell: Shell, model: &Model) -> Builder {
    Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted").no_sandbox()
}

fn bash(command: &str) -> Reply {
    Reply::calls(&[("bash", json!({ "command": command }))])
}

#[test]
fn ctrl_c_before_the_first_byte_and_between_retries() {
    in_every_shell(|shell| {
        let model = Model::start([
            Reply::text(["never"]).gated(),
            Reply::error(429, "slow down").header("retry-after", "25"),
            Reply::text(["and on"]),
        ]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("> one\r");
        model.request();
        term.key(Key::CtrlC);
        term.wait_for("interrupted");
        term.wait_for_prompt();
        term.typed("> two\r");
        model.request();
        term.wait_for("try 2 in");
        term.key(Key::CtrlC);
        term.wait_for_prompt();
        term.run("> three");
        assert!(term.screen().contains("and on"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn ctrl_c_ends_a_tool_and_a_question() {
    in_every_shell(|shell| {
        let model = Model::start([bash("echo $$ > pid; sleep 1000"), bash("touch x"), Reply::text(["and on"])]);
        let mut term = asking(shell, &model).fifo("pid").start();
        term.wait_for_prompt();
        term.typed("> one\r");
        term.approve("sleep 1000");
        term.wait_for("sleep 1000  ");
        let pid = Pid::from_raw(term.read("pid").trim().parse().unwrap());
        term.key(Key::CtrlC);
        term.wait_for("interrupted");
        term.wait_for_prompt();
        assert!(kill(pid, None).is_err(), "{}: {pid} is left", shell.name());
        term.typed("> two\r");
        term.wait_for_question("touch x");
        term.key(Key::CtrlC);
        term.wait_for_prompt();
        term.run("> three");
        assert!(term.screen().contains("and on"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn ctrl_c_in_the_live_shell_ends_the_command_and_not_the_answer() {
    in_every_shell(|shell| {
        let command = "sh -c 'echo be\"\"gun; exec sleep 1000'; echo ne''ver";
        let model = Model::start([
            Reply::calls(&[("run_in_shell", json!({ "command": command }))]),
            Reply::text(["you stopped it"]),
            Reply::text(["and on"]),
        ]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("> go\r");
        term.approve("exec sleep 1000");
        term.wait_for("\nbegun");
        term.key(Key::CtrlC);
        term.wait_for("you stopped it");
        term.wait_for_prompt();
        assert!(!term.screen().contains("\nnever"), "{}", term.screen());
        model.request();
        let told = model.request().body["messages"].to_string();
        assert!(told.contains("exit code 130"), "{} {told}", shell.name());
        term.run("> again");
        assert!(term.screen().contains("and on"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn a_terminal_may_change_its_size_in_the_middle() {
    in_every_shell(|shell| {
        let words = "one two three four five six seven eight nine ten eleven twelve";
        let model = Model::start([
            Reply::text([format!("First {words}.\n\nThen "), format!("{words}.\n\n"), "the end".into()])
                .and_calls(&[("bash", json!({ "command": "touch x; echo resized" }))])
                .gated(),
            Reply::text([format!("Again {words}.")]),
        ]);
        let mut term = asking(shell, &model).size(24, 80).start();
        term.wait_for_prompt();
        term.typed("> count\r");
        model.request();
        model.release();
        term.wait_for("twelve.");
        term.resize(24, 40);
        model.release();
        term.wait_for("eleven twelve.");
        term.resize(12, 100);
        (0..3).for_each(|_| model.release());
        term.wait_for_question("echo resized");
        term.resize(24, 30);
        term.approve("touch x");
        term.wait_for("Again one two three four");
        term.wait_for_prompt();
        term.run("echo s''ane");
        assert!(term.screen().contains("\nsane\n"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn a_terminal_may_be_tiny() {
    in_every_shell(|shell| {
        let model = Model::start([
            Reply::text(["A **short** answer that takes several rows of such a terminal."])
                .and_calls(&[("bash", json!({ "command": "touch x; seq 30" })), ("ls", json!({ "path": "." }))]),
            Reply::text(["| a | b |\n|---|---|\n| 1 | 2 |\n\nDone here."]),
        ]);
        let mut term = asking(shell, &model).size(3, 20).start();
        term.wait_for_prompt();
        term.typed("> go\r");
        // The rows that fit show the question.
        term.approve("touch x");
        term.wait_for_raw(b"Done here.");
        term.wait_for_prompt();
        term.run("> /show");
        term.run("echo s''ane");
        assert!(term.screen().contains("sane\n"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn output_of_background_jobs_is_shown_in_whole_lines() {
    let model = Model::start([bash("touch x"), Reply::text(["done"])]);
    let mut term = asking(Shell::Bash, &model).fifo("gate").fifo("told").start();
    term.wait_for_prompt();
    term.run("(read x < gate; printf 'half a '; echo line; printf 'no end' ; echo > told) &");
    term.typed("> go\r");
    term.wait_for_question("touch x");
    // The job prints while the question is open. Nothing may appear between the question and its answer.
    std::fs::write(term.home().join("gate"), "x\n").unwrap();
    term.read("told");
    term.approve("touch x");
    term.wait_for("done");
    term.wait_for_prompt();
    let screen = term.screen();
    assert!(screen.contains("\nhalf a line\n") && screen.contains("no end"), "{screen}");
}

#[test]
fn a_huge_command_is_shown_in_full_for_approval() {
    let command = format!("echo begin; : {}; echo finis", "x".repeat(100_000));
    let model = Model::start([bash(&command), Reply::text(["done"])]);
    let mut term = asking(Shell::Bash, &model).start();
    term.wait_for_prompt();
    term.typed("> go\r");
    term.wait_for_question("echo begin");
    assert!(term.screen().contains("; ? shows the next"), "{}", term.screen());
    let (mut shown, mut first) = (0, 1);
    loop {
        term.wait_for(&format!("rows {first}–"));
        let screen = term.screen();
        shown += screen.split(|letter| letter != 'x').map(str::len).filter(|length| *length > 1).sum::<usize>();
        if screen.contains("; echo finis") {
            break;
        }
        first += 19;
        term.typed("?");
    }
    assert_eq!(shown, 100_000, "{}", term.screen());
    term.answer("echo finis", 'n');
    term.wait_for("done");
    term.wait_for_prompt();
}

#[test]
fn the_shell_may_die_in_the_middle() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["It is ", "over"]).gated()]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        let pid = if shell == Shell::Fish { "$fish_pid" } else { "$$" };
        term.run(&format!("echo {pid} > pid"));
        term.typed("> why\r");
        model.request();
        model.release();
        term.wait_for("It is");
        let pid: i32 = term.read("pid").trim().parse().unwrap();
        kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
        assert_eq!(term.wait_status().code(), Some(137), "{}\n{}", shell.name(), term.describe());
    });
}

#[test]
fn a_command_may_exit_the_live_shell() {
    in_every_shell(|shell| {
        // In fish `exit` in a sourced file ends only the file.
        if shell == Shell::Fish {
            return;
        }
        let model = Model::start([Reply::calls(&[("run_in_shell", json!({ "command": "exit 3" }))])]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("> leave\r");
        term.approve("exit 3");
        assert_eq!(term.wait_exit().code(), Some(3), "{}\n{}", shell.name(), term.describe());
    });
}
