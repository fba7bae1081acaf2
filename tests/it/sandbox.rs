//! The sandbox of the agent's commands, through the whole program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::json;

use crate::harness::{Builder, Model, Reply, Shell, Term, in_every_shell};

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
    term.wait_for("Esc no >");
    term.typed("y");
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
        for count in 1..=2 {
            term.wait_until(|screen| screen.contents().matches("Esc no >").count() == count);
            let screen = term.screen();
            assert!(screen.contains("may also write") && screen.contains("the file belongs there"), "{screen}");
            term.typed("y");
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

/// The most that confining adds to one command, in a release build, in seconds. The budget is for waiting, which a busy machine cannot
/// measure; CPU time of all processes is close to it on a quiet one.
const MOST_ADDED: f64 = 0.015;
/// On a slow or busy machine everything takes longer, so there the bound is relative to a command without the sandbox. Measured: 2.3
/// to 2.8 there.
const SLOWED: f64 = 3.5;
/// Commands of one measured run.
const COMMANDS: usize = 40;

/// CPU seconds of the children that have ended.
fn cpu_seconds_of_children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[13..=14].iter().map(|field| field.parse::<f64>().unwrap()).sum::<f64>() / 100.0
}

/// CPU seconds of one command that the agent runs with this level of the sandbox.
fn cost_of_a_command(program: &Path, level: &str) -> f64 {
    let calls = vec![("bash", json!({ "command": "touch made" })); COMMANDS];
    let model = Model::start([Reply::calls(&calls), Reply::text(["done"])]);
    let builder = asking(Shell::Bash, &model).config(&format!("[sandbox]\nlevel = \"{level}\"\n")).program(program);
    let builder =
        (0..200).fold(builder, |builder, number| builder.file(&format!("app/src/{number}.rs"), "fn f() {}\n"));
    let app = builder.home().join("app");
    let builder = builder.dir(app).args(["ask", "--yes", "go"]);
    let before = cpu_seconds_of_children();
    let output = builder.command().stdin(Stdio::null()).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("done"), "{output:?}");
    (cpu_seconds_of_children() - before) / COMMANDS as f64
}

#[test]
fn the_sandbox_adds_little_to_a_command() {
    let Some(program) = std::env::var_os("SHELLMATE_RELEASE").map(PathBuf::from) else {
        eprintln!("SKIPPED: no release build; `tests/run` makes one");
        return;
    };
    let mut costs: Vec<(f64, f64)> = Vec::new();
    for _ in 0..7 {
        costs.push((cost_of_a_command(&program, "off"), cost_of_a_command(&program, "workspace")));
        let median = |pick: fn(&(f64, f64)) -> f64| {
            let mut picked: Vec<f64> = costs.iter().map(pick).collect();
            picked.sort_by(f64::total_cmp);
            picked[picked.len() / 2]
        };
        let (off, on) = (median(|(off, _)| *off), median(|(_, on)| *on));
        eprintln!("unconfined {:.1} ms, confined {:.1} ms", off * 1e3, on * 1e3);
        if costs.len() >= 3 && (on <= off + MOST_ADDED || on <= off * SLOWED) {
            return;
        }
    }
    panic!("confining adds more than {MOST_ADDED} s to a command: {costs:?}");
}
