//! `shellmate reflex`: the built-in rules for programs.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::harness::{Builder, Shell, Term};

fn start(builder: &Builder) -> Child {
    builder.command().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn each_line_is_answered_at_once() {
    let builder = Term::new(Shell::Bash).args(["reflex", "--json"]);
    let mut child = start(&builder);
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |line: String| -> Value {
        writeln!(input, "{line}").unwrap();
        serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap()
    };
    let up = "fatal: The current branch x has no upstream branch.\n\n    git push --set-upstream origin x\n";
    let found = ask(json!({"command": "git push -q", "output": up, "status": 128, "more": 1}).to_string());
    assert_eq!(found["proposals"][0]["command"], "git push --set-upstream origin x -q");
    assert!(ask("no json".into())["error"].is_string());
    let nothing =
        ask(json!({"command": "cat x", "output": "cat: x: No such file or directory", "cwd": "/no/such"}).to_string());
    assert_eq!(nothing["proposals"], json!([]));
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_text_form_has_explanation_and_command() {
    let builder = Term::new(Shell::Bash).args(["reflex", "--status", "1", "git merge x"]);
    let mut child = start(&builder);
    child.stdin.take().unwrap().write_all(b"fatal: refusing to merge unrelated histories\n").unwrap();
    let said = child.wait_with_output().unwrap();
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(
        text.contains("no commit in common") && text.contains("  git merge x --allow-unrelated-histories  #"),
        "{text}"
    );
    assert_eq!(said.status.code(), Some(0));
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let builder = Term::new(Shell::Bash).args(["reflex", "--json"]);
    let mut child = start(&builder);
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    // The program may close its stdin before everything is written.
    let _ = input.write_all("{\"command\":\"ls\",\"status\":1}\n".repeat(100).as_bytes());
    drop(input);
    let said = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stderr), "");
}
