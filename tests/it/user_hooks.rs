//! Hooks of the person, and of projects before and after they are trusted.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Builder, Model, Reply, Shell, Term, patience};

const HOOKS: &str = ".config/shellmate/hooks.json";

fn hook(event: &str, matcher: &str, command: &str) -> Value {
    json!({ "hooks": { event: [{ "matcher": matcher, "hooks": [{ "type": "command", "command": command }] }] } })
}

fn term(model: &Model) -> Builder {
    Term::new(Shell::Bash).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted").size(40, 140)
}

/// A directory with a `.shellmate` that has this hook.
fn project(root: &Path, hooks: &Value) {
    fs::create_dir_all(root.join(".shellmate")).unwrap();
    fs::write(root.join(".shellmate/hooks.json"), hooks.to_string()).unwrap();
}

/// Waits for a file that a process without a terminal writes.
fn wait_for_file(path: &Path) -> String {
    let end = std::time::Instant::now() + patience();
    loop {
        match fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text,
            _ if std::time::Instant::now() > end => panic!("{} was not written", path.display()),
            _ => std::thread::yield_now(),
        }
    }
}

#[test]
fn a_hook_blocks_a_call_before_anybody_is_asked() {
    let model = Model::start([Reply::calls(&[("bash", json!({ "command": "touch made" }))]), Reply::text(["I see."])]);
    let check = "grep -q '\"tool_name\":\"Bash\"' && echo nothing is made here >&2 && exit 2; exit 0";
    let mut term = term(&model).file(HOOKS, hook("PreToolUse", "Bash", check).to_string()).start();
    term.wait_for_prompt();
    term.typed("> make it\r");
    term.wait_for("nothing is made here");
    term.wait_for("I see.");
    term.wait_for_prompt();
    assert!(!term.home().join("made").exists());
    model.request();
    let said = model.request().said(0);
    assert!(said.contains("a hook of the user blocked this call: nothing is made here"), "{said}");
}

#[test]
fn a_hook_adds_context_to_a_question_and_can_refuse_it() {
    let model = Model::start([Reply::text(["Fine."])]);
    let script = "grep -q password && { echo no passwords >&2; exit 2; }; echo The deploy key is rotated on Mondays.";
    let mut term = term(&model).file(HOOKS, hook("UserPromptSubmit", "", script).to_string()).start();
    term.wait_for_prompt();
    term.typed("> my password is x\r");
    term.wait_for("a hook refused the question: no passwords");
    term.wait_for_prompt();
    term.typed("> hello\r");
    term.wait_for("Fine.");
    term.wait_for_prompt();
    let said = model.request().said(0);
    assert!(said.contains("<hook_context>\nThe deploy key is rotated on Mondays.\n</hook_context>"), "{said}");
    assert!(said.ends_with("hello") && !said.contains("password"), "{said}");
}

#[test]
fn a_session_starts_with_the_first_question_and_its_end_delays_nothing() {
    let model = Model::start([Reply::text(["Fine."])]);
    let hooks = json!({ "hooks": {
        "SessionStart": [{ "hooks": [{ "type": "command", "command": "echo started >> ~/log" }] }],
        "SessionEnd": [{ "hooks": [{ "type": "command", "command": "cat > ~/end; echo >> ~/end; sleep 1; echo late > ~/late" }] }],
    } });
    let mut term = term(&model).file(HOOKS, hooks.to_string()).start();
    let home = term.home();
    term.wait_for_prompt();
    assert!(!home.join("log").exists(), "nothing runs before the first question");
    term.typed("> hello\r");
    term.wait_for("Fine.");
    term.wait_for_prompt();
    assert_eq!(fs::read_to_string(home.join("log")).unwrap(), "started\n");
    term.typed("exit\r");
    term.wait_exit();
    assert!(!home.join("late").exists(), "the exit did not wait for the hook");
    let end = wait_for_file(&home.join("end"));
    assert!(end.contains("\"reason\":\"prompt_input_exit\""), "{end}");
    wait_for_file(&home.join("late"));
}

#[test]
fn a_project_can_do_nothing_until_it_is_trusted() {
    let replies = (0..4).map(|number| Reply::text([format!("answer {number}")]));
    let model = Model::start(replies);
    let mut term = term(&model).start();
    let root = term.home().join("app");
    project(&root, &hook("UserPromptSubmit", "", "echo ran >> ~/ran; echo Words of the project."));
    let ran = term.home().join("ran");
    term.wait_for_prompt();
    term.run("cd app");
    term.typed("> one\r");
    term.wait_for("UserPromptSubmit: echo ran >> ~/ran; echo Words of the project.");
    term.answer("Trust it?", 'n');
    term.wait_for("answer 0");
    term.wait_for_prompt();
    term.typed("> two\r");
    term.wait_for("answer 1");
    term.wait_for_prompt();
    assert!(!ran.exists(), "a no lasts for the session");

    let trusted = term.shellmate(&["trust", "--yes", root.to_str().unwrap()]).stdout;
    assert!(trusted.contains("is trusted until its `.shellmate` changes"), "{trusted}");
    term.typed("> three\r");
    term.wait_for("answer 2");
    term.wait_for_prompt();
    assert_eq!(fs::read_to_string(&ran).unwrap(), "ran\n");

    project(&root, &hook("UserPromptSubmit", "", "echo other >> ~/ran"));
    term.typed("> four\r");
    term.wait_for("has changed since you trusted it");
    term.answer("Trust it?", 'n');
    term.wait_for("answer 3");
    term.wait_for_prompt();
    assert_eq!(fs::read_to_string(&ran).unwrap(), "ran\n");
    let said: Vec<String> = (0..4).map(|_| model.request().said(0)).collect();
    let has_words: Vec<bool> = said.iter().map(|said| said.contains("Words of the project")).collect();
    assert_eq!(has_words, [false, false, true, false]);
    let listed = term.shellmate(&["trust", "list"]).stdout;
    assert!(listed.contains("app  (trusted") && listed.contains("has changed"), "{listed}");
}

#[test]
fn an_untrusted_project_can_forbid_but_not_allow() {
    let call = || Reply::calls(&[("bash", json!({ "command": "touch made" }))]);
    let model = Model::start([call(), Reply::text(["I see."])]);
    let mut term = term(&model).start();
    let root = term.home().join("app");
    fs::create_dir_all(root.join(".shellmate")).unwrap();
    let rules = "mode = \"auto\"\n[[rules]]\ncommand = \"touch *\"\ndecision = \"deny\"\nreason = \"no files here\"\n";
    fs::write(root.join(".shellmate/config.toml"), rules).unwrap();
    term.wait_for_prompt();
    term.run("cd app");
    term.typed("> make it\r");
    term.answer("Trust it?", 'n');
    term.wait_for("no files here");
    term.wait_for("I see.");
    term.wait_for_prompt();
    assert!(!root.join("made").exists());
}

#[test]
fn a_strange_directory_is_reported_and_never_waited_for() {
    let model = Model::start([Reply::text(["Fine."]), Reply::text(["Good."])]);
    let mut term = term(&model).start();
    let home = term.home();
    fs::create_dir_all(home.join("link")).unwrap();
    std::os::unix::fs::symlink(home.join("other/.shellmate"), home.join("link/.shellmate")).unwrap();
    project(&home.join("other"), &hook("UserPromptSubmit", "", "echo ran >> ~/ran"));
    term.wait_for_prompt();
    assert!(term.shellmate(&["trust", "--yes", home.join("other").to_str().unwrap()]).stdout.contains("is trusted"));
    term.run("cd link");
    term.typed("> hello\r");
    term.wait_for("is a symbolic link");
    term.wait_for("Fine.");
    term.wait_for_prompt();
    fs::create_dir_all(home.join("fifo/.shellmate")).unwrap();
    let fifo = home.join("fifo/.shellmate/hooks.json");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
    term.run("cd ~/fifo");
    term.typed("> hello\r");
    term.wait_for("is not a regular file");
    term.wait_for("Good.");
    assert!(!home.join("ran").exists());
}

#[test]
fn ask_runs_hooks_and_leaves_an_untrusted_project_alone() {
    let model = Model::start([Reply::text(["Fine."])]);
    let builder = term(&model).file(HOOKS, hook("UserPromptSubmit", "", "echo Own words.").to_string());
    let root = builder.home().join("app");
    project(&root, &hook("UserPromptSubmit", "", "echo Words of the project."));
    let mut command = builder.command();
    command.args(["ask", "hello"]).current_dir(&root).stdin(std::process::Stdio::null());
    let done = command.output().unwrap();
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && errors.contains("app/.shellmate is not trusted"), "{errors}");
    let said = model.request().said(0);
    assert!(said.contains("Own words.") && !said.contains("Words of the project."), "{said}");
}

#[test]
fn a_hook_reads_the_conversation_from_the_transcript_file() {
    let model = Model::start([
        Reply::text(["I list."]).and_calls(&[("ls", json!({}))]),
        Reply::text(["It is empty."]),
        Reply::text(["Again."]),
    ]);
    // How existing hooks read it: one object a line, the texts of a type in `message.content`.
    let script = r#"#!/usr/bin/env python3
import json, os, sys
told = json.load(sys.stdin)
path = told["transcript_path"]
lines = [json.loads(line) for line in open(path)] if path else []
parts = [(line["type"], part) for line in lines for part in line["message"]["content"]]
texts = [part["text"].strip() for kind, part in parts if kind == "assistant" and part["type"] == "text"]
tools = [part["name"] for kind, part in parts if part["type"] == "tool_use"]
results = sum(part["type"] == "tool_result" for kind, part in parts)
mode = oct(os.stat(path).st_mode & 0o777) if path else "-"
with open(os.path.expanduser("~/seen"), "a") as seen:
    print(told["hook_event_name"], texts, tools, results, mode, file=seen)
"#;
    let command = json!([{ "hooks": [{ "type": "command", "command": "python3 ~/look.py" }] }]);
    let events = ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"];
    let hooks: serde_json::Map<String, Value> =
        events.into_iter().map(|event| (event.to_owned(), command.clone())).collect();
    let hooks = json!({ "hooks": hooks }).to_string();
    let mut term = term(&model).file(HOOKS, hooks).file("look.py", script).start();
    let home = term.home();
    term.wait_for_prompt();
    term.typed("> what is here\r");
    term.wait_for("It is empty.");
    term.wait_for_prompt();
    term.typed("> and now\r");
    term.wait_for("Again.");
    term.wait_for_prompt();
    term.typed("exit\r");
    term.wait_exit();
    let end = std::time::Instant::now() + patience();
    let seen = loop {
        let seen = fs::read_to_string(home.join("seen")).unwrap_or_default();
        if seen.contains("SessionEnd") || std::time::Instant::now() > end {
            break seen;
        }
        std::thread::yield_now();
    };
    let first = "['I list.'] ['LS'] 0 0o600";
    let second = "['I list.', 'It is empty.'] ['LS'] 1 0o600";
    let third = "['I list.', 'It is empty.', 'Again.'] ['LS'] 1 0o600";
    let expected = format!(
        "SessionStart [] [] 0 0o600\nUserPromptSubmit [] [] 0 0o600\nPostToolUse {first}\nStop {second}\n\
         UserPromptSubmit {second}\nStop {third}\nSessionEnd {third}\n"
    );
    assert_eq!(seen, expected);
}

#[test]
fn a_steering_line_passes_the_hooks_of_a_question() {
    let model =
        Model::start([Reply::text(["Looking."]).and_calls(&[("ls", json!({}))]).gated(), Reply::text(["Bonjour."])]);
    let script = "grep -q '\"prompt\":\"[^\"]*password' && { echo no passwords >&2; exit 2; }; echo It is Monday.";
    let mut term = term(&model).file(HOOKS, hook("UserPromptSubmit", "", script).to_string()).start();
    term.wait_for_prompt();
    term.typed("> say hello\r");
    model.request();
    model.release();
    term.wait_for("Looking.");
    term.typed(">my password is x\r");
    term.wait_for("\n> my password is x\n");
    term.typed(">in french\r");
    term.wait_for("\n> in french\n");
    model.release();
    model.release();
    term.wait_for("a hook refused the message: no passwords");
    term.wait_for("Bonjour.");
    term.wait_for_prompt();
    let body = model.request().body;
    let last = body["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(last.contains("in french") && last.contains("It is Monday.") && !last.contains("password"), "{last}");
}
