//! The sandbox of the agent's commands, through the whole program.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::json;

use crate::harness::{Builder, Model, Reply, STRACE, Shell, Term, can_trace, in_every_shell, release};

fn asking(shell: Shell, model: &Model) -> Builder {
    Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted")
}

fn bash(arguments: serde_json::Value) -> Reply {
    Reply::calls(&[("bash", arguments)])
}

/// What the model was told after its first call.
fn told(model: &Model) -> String {
    model.request();
    model.request().body["messages"].to_string()
}

/// Asks in the project, approves the first card, and waits for the end of the answer.
fn approve_one(term: &mut Term) {
    term.wait_for_prompt();
    term.run("cd app");
    term.typed("> go\r");
    term.approve("? run");
    term.wait_for("all done");
    term.wait_for_prompt();
}

#[test]
fn a_command_writes_the_project_and_sees_no_credentials() {
    in_every_shell(|shell| {
        // The substitutions hide from the reader of commands what is read.
        let command = "echo in > made; k=$(printf ss) s=$(printf shellmate); cat ~/.${k}h/deploy ~/.config/$s/config.toml; \
             ls -A ~/.local/state/$s; echo out > ../outside";
        let model = Model::start([bash(json!({ "command": command })), Reply::text(["all done"])]);
        let builder = asking(shell, &model).file("app/src", "").file(".ssh/deploy", "KEY MATERIAL");
        let mut term = builder.config("hint = true\n").start();
        approve_one(&mut term);
        assert_eq!(term.read("app/made"), "in\n", "{}", term.screen());
        assert!(!term.home().join("outside").exists());
        let told = told(&model);
        assert!(
            !told.contains("KEY MATERIAL") && !told.contains("hint = true") && !told.contains("history.db"),
            "{told}"
        );
        assert!(told.contains("This ran confined"), "{told}");
    });
}

#[test]
fn a_request_to_leave_the_sandbox_shows_what_is_different_and_is_asked_each_time() {
    in_every_shell(|shell| {
        let leave = || {
            bash(
                json!({ "command": "echo out > ../outside", "write": "../outside", "justification": "the file belongs there" }),
            )
        };
        let model = Model::start([leave(), leave(), Reply::text(["all done"])]);
        let mut term = asking(shell, &model).file("app/src", "").size(24, 100).start();
        term.wait_for_prompt();
        term.run("cd app");
        term.typed("> go\r");
        for _ in 1..=2 {
            term.wait_for_question("may also write");
            let screen = term.screen();
            assert!(screen.contains("may also write") && screen.contains("the file belongs there"), "{screen}");
            term.approve("may also write");
        }
        term.wait_for("all done");
        term.wait_for_prompt();
        assert_eq!(term.read("outside"), "out\n");
    });
}

#[test]
fn commands_share_a_temporary_directory_that_ends_with_the_session() {
    let model = Model::start([
        bash(json!({ "command": "echo kept > /tmp/note; echo $TMPDIR" })),
        bash(json!({ "command": "cat /tmp/note" })),
        Reply::text(["all done"]),
    ]);
    let mut term = asking(Shell::Bash, &model).file("app/src", "").start();
    // The second command only looks, so it is not asked.
    approve_one(&mut term);
    (0..2).for_each(|_| drop(model.request()));
    let told = model.request().body["messages"].to_string();
    let at = told.find("/shellmate-run-").unwrap();
    // The path stands on a line of its own: `\n` stands before it in the JSON.
    let start = told[..at].rfind("\\n").unwrap() + "\\n".len();
    let end = at + told[at..].find("/tmp").unwrap();
    let directory = told[start..end].to_owned();
    assert!(fs::metadata(&directory).is_ok(), "{directory} {told}");
    assert!(told.contains("exit code 0\\nkept"), "{told}");
    term.exit();
    assert!(fs::metadata(&directory).is_err(), "{directory} is left");
}

#[test]
fn doctor_says_what_confines_commands() {
    let output = Term::new(Shell::Bash).args(["doctor"]).command().output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find(|line| line.contains(" sandbox ")).unwrap();
    assert!(line.contains("Landlock") || line.contains("confine"), "{line}");
}

/// The most system calls that confining adds to one command, those of bubblewrap and of our helper included. Measured: 2,149 to 2,186.
const MOST_ADDED: u64 = 2600;
/// Commands of one run.
const COMMANDS: usize = 10;

/// System calls for one command that the agent runs with this level of the sandbox, with its share of the answer.
fn calls_of_a_command(program: &Path, level: &str) -> u64 {
    let calls = vec![("bash", json!({ "command": "touch made" })); COMMANDS];
    let model = Model::start([Reply::calls(&calls), Reply::text(["done"])]);
    let builder = asking(Shell::Bash, &model).config(&format!("[sandbox]\nlevel = \"{level}\"\n"));
    let builder =
        (0..200).fold(builder, |builder, number| builder.file(&format!("app/src/{number}.rs"), "fn f() {}\n"));
    let (app, table) = (builder.home().join("app"), builder.place().join("calls"));
    let strace: [&OsStr; 5] = ["-f".as_ref(), "-c".as_ref(), "-o".as_ref(), table.as_ref(), program.as_ref()];
    let builder = builder.dir(app).program(STRACE).args(strace).args(["ask", "--yes", "go"]);
    let output = builder.command().stdin(Stdio::null()).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("done"), "{output:?}");
    let table = fs::read_to_string(table).unwrap();
    // `% time, seconds, usecs/call, calls`, and `errors` where there are some.
    let total = table.lines().find(|line| line.ends_with(" total")).and_then(|line| line.split_whitespace().nth(3));
    total.unwrap_or_else(|| panic!("{table}")).parse::<u64>().unwrap() / COMMANDS as u64
}

#[test]
fn the_sandbox_adds_little_to_a_command() {
    let Some(program) = release().filter(|_| can_trace()) else { return };
    let [off, on] = ["off", "workspace"].map(|level| calls_of_a_command(&program, level));
    eprintln!("{off} system calls unconfined, {on} confined");
    assert!(on <= off + MOST_ADDED, "confining adds {} system calls to a command", on - off);
}
