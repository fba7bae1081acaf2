//! `shellmate ask`: one question without a session.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::harness::{Builder, Key, Model, PROGRAM, Reply, Shell, Term};

/// The result of a run.
#[derive(Debug)]
struct Said {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// A home directory with this model and nothing else.
fn home(model: &Model) -> Builder {
    Term::new(Shell::Bash).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted")
}

fn command(builder: Builder, args: &[&str]) -> (Builder, Command) {
    let builder = builder.args([&["ask"], args].concat());
    let mut command = builder.command();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    (builder, command)
}

/// Runs the program to its end. Returns the builder, which owns the home directory.
fn ask_in(builder: Builder, args: &[&str]) -> (Builder, Said) {
    let (builder, mut command) = command(builder, args);
    let said = finish(command.spawn().unwrap());
    (builder, said)
}

fn ask(model: &Model, args: &[&str]) -> Said {
    ask_in(home(model), args).1
}

fn finish(child: Child) -> Said {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn only_the_answer_is_on_stdout() {
    let model = Model::start([Reply::text(["It is ", "**unset**."])]);
    let said = ask(&model, &["why", "did", "that", "fail"]);
    assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (Some(0), "It is **unset**.\n", ""));
    let asked = model.request();
    assert!(asked.said(0).ends_with("\n\nwhy did that fail"), "{}", asked.said(0));
    assert!(asked.said(0).starts_with("<cwd>/"), "{}", asked.said(0));
    assert_eq!(asked.body["model"], "scripted");
    assert_eq!(asked.body["tools"].as_array().unwrap().len(), 10);
}

#[test]
fn the_answer_is_printed_as_it_arrives() {
    let model = Model::start([Reply::text(["one", " two"]).gated()]);
    let (_home, mut command) = command(home(&model), &["go"]);
    let mut child = command.spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut bytes = [0; 64];
    model.release();
    let read = out.read(&mut bytes).unwrap();
    assert_eq!(&bytes[..read], b"one");
    model.release();
    let read = out.read(&mut bytes).unwrap();
    assert_eq!(&bytes[..read], b" two");
    model.release();
    assert_eq!(finish(child).code, Some(0));
}

#[test]
fn the_anthropic_protocol_works() {
    let calls = Reply::text(["Let me see."]).and_calls(&[("read_file", json!({"path": "notes"}))]);
    let model = Model::start([calls, Reply::text(["It says hello."])]);
    let builder = Term::new(Shell::Bash)
        .env("ANTHROPIC_BASE_URL", model.root())
        .env("ANTHROPIC_API_KEY", "k")
        .file("notes", "hello\n");
    let (_home, said) = ask_in(builder, &["what is in notes"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "Let me see.\n\nIt says hello.\n"), "{said:?}");
    model.request();
    let result = &model.request().body["messages"][2]["content"][0];
    assert_eq!(result["tool_use_id"], "call_0");
    assert!(result["content"][0]["text"].as_str().unwrap().contains("hello"), "{result}");
}

#[test]
fn a_file_is_read_and_the_model_continues() {
    let model = Model::start([
        Reply::calls(&[("read_file", json!({"path": "notes"})), ("nonsense", json!({})), ("ls", json!("{broken"))]),
        Reply::text(["It says hello."]),
    ]);
    let (_home, said) = ask_in(home(&model).file("notes", "hello\n"), &["what is in notes"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "It says hello.\n"), "{said:?}");
    assert!(said.stderr.starts_with("· read_file notes\n"), "{}", said.stderr);
    assert!(!said.stderr.contains('\x1b'));
    model.request();
    let asked = model.request();
    assert!(asked.said(2).contains("hello"), "{}", asked.said(2));
    assert!(asked.said(1).starts_with("error: there is no tool named nonsense"), "{}", asked.said(1));
    assert!(asked.said(0).starts_with("error: the arguments of ls are not valid JSON"), "{}", asked.said(0));
}

fn write() -> [Reply; 2] {
    [Reply::calls(&[("write_file", json!({"path": "new", "content": "made\n"}))]), Reply::text(["So be it."])]
}

#[test]
fn without_approval_nothing_is_changed() {
    let model = Model::start(write());
    let (home, said) = ask_in(home(&model), &["make new"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "So be it.\n"), "{said:?}");
    assert!(!home.home().join("new").exists());
    let refused = "shellmate: refused 1 tool call (nobody here to approve it); rerun with --yes\n";
    assert!(said.stderr.ends_with(refused), "{}", said.stderr);
    model.request();
    assert!(model.request().said(0).contains("without --yes"));
}

#[test]
fn with_yes_calls_run() {
    let model = Model::start(write());
    let (home, said) = ask_in(home(&model), &["make new", "--yes"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(std::fs::read_to_string(home.home().join("new")).unwrap(), "made\n");
    assert!(!said.stderr.contains("refused"), "{}", said.stderr);
}

#[test]
fn yes_does_not_open_our_own_state_directory() {
    let path = ".local/state/shellmate/keys.json";
    let model = Model::start([
        Reply::calls(&[("write_file", json!({"path": path, "content": "x"}))]),
        Reply::text(["I may not."]),
    ]);
    let (home, said) = ask_in(home(&model), &["--yes", "break it"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!home.home().join(path).exists());
}

#[test]
fn json_output_is_one_object() {
    let model = Model::start([
        Reply::text(["Looking."]).and_calls(&[("ls", json!({})), ("bash", json!({"command": "touch x"}))]),
        Reply::text(["Nothing", " there."]),
    ]);
    let said = ask(&model, &["--json", "what is here"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(said.stdout.lines().count(), 1);
    let object: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(object["answer"], "Nothing there.");
    assert_eq!(object["status"], "answered");
    assert!(object["model"].as_str().unwrap().ends_with("/scripted"), "{object}");
    assert_eq!((&object["usage"]["input"], &object["usage"]["output"]), (&json!(22), &json!(14)));
    let calls = object["calls"].as_array().unwrap();
    assert_eq!((&calls[0]["tool"], &calls[0]["status"]), (&json!("ls"), &json!("done")));
    assert_eq!((&calls[1]["tool"], &calls[1]["status"]), (&json!("bash"), &json!("failed")));
    assert_eq!(calls[1]["arguments"], json!({"command": "touch x"}));
}

#[test]
fn stdin_is_attached_or_is_the_question() {
    let model = Model::start([Reply::text(["a"]), Reply::text(["b"])]);
    for args in [&["sum it up"][..], &[]] {
        let (_home, mut command) = command(home(&model), args);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"piped words\n").unwrap();
        assert_eq!(finish(child).code, Some(0));
    }
    let both = model.request().said(0);
    assert!(both.contains("<stdin>\npiped words\n</stdin>") && both.ends_with("sum it up"), "{both}");
    let alone = model.request().said(0);
    assert!(!alone.contains("<stdin>") && alone.ends_with("\n\npiped words"), "{alone}");
}

#[test]
fn long_stdin_is_cut_and_kept_in_a_temporary_file() {
    let model = Model::start([Reply::calls(&[("grep", json!({"pattern": "needle"}))]), Reply::text(["a"])]);
    let (home, mut command) = command(home(&model), &["what is wrong"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let hay = "hay\n".repeat(20_000);
    child.stdin.take().unwrap().write_all(format!("{hay}error: needle\n{hay}").as_bytes()).unwrap();
    assert_eq!(finish(child).code, Some(0));
    let said = model.request().said(0);
    assert!(said.len() < 40_000 && said.contains("error: needle\n"), "{} bytes", said.len());
    assert!(said.contains("what is wrong\n\n(All of stdin is in /"), "{}", &said[said.len() - 200..]);
    let left = std::fs::read_dir(home.place().join("run/shellmate")).unwrap().count();
    assert_eq!(left, 0, "nothing stays behind");
}

#[test]
fn a_picture_is_sent_to_the_model() {
    let model = Model::start([Reply::text(["A dot."])]);
    let builder = home(&model).file("a.png", b"\x89PNG\r\n\x1a\nrest");
    assert_eq!(ask_in(builder, &["what is it", "--image", "a.png"]).1.code, Some(0));
    let body = model.request().body.to_string();
    assert!(body.contains("data:image/png;base64,iVBORw0K"), "{body}");
    let said = ask(&model, &["what is it", "--image", "none.png"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""));
    assert!(said.stderr.starts_with("error: cannot read none.png: no such file"), "{}", said.stderr);
}

#[test]
fn a_failing_server_is_retried() {
    let model = Model::start([
        Reply::error(429, "slow down").header("Retry-After", "0"),
        Reply::error(500, "oops").header("Retry-After", "0"),
        Reply::text(["Here I am."]),
    ]);
    let said = ask(&model, &["hello"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "Here I am.\n"), "{said:?}");
    assert_eq!(said.stderr.matches("retrying in ").count(), 2, "{}", said.stderr);
    assert!(said.stderr.contains("slow down"), "{}", said.stderr);
    assert_eq!(model.others().len(), 3);
}

#[test]
fn a_connection_that_breaks_is_reported() {
    let model = Model::start([Reply::text(["Half an ans"]).broken_off(), Reply::text(["whole"])]);
    let said = ask(&model, &["hello"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), "Half an ans\n"));
    assert!(said.stderr.contains("was lost before the answer was complete; ask again"), "{}", said.stderr);
    assert_eq!(model.others().len(), 1);
}

#[test]
fn a_bad_key_is_reported() {
    let model = Model::start([Reply::error(401, "no such key")]);
    let builder = home(&model).env("MY_KEY", "secret-word");
    let (_home, said) = ask_in(builder, &["hello", "--api-key-env", "MY_KEY"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""));
    assert!(said.stderr.contains("does not accept the key in MY_KEY"), "{}", said.stderr);
    assert!(!said.stderr.contains("secret-word"));
    assert!(model.request().head.contains("authorization: bearer secret-word"));
}

#[test]
fn without_a_model_three_ways_to_connect_one_are_shown() {
    let nowhere = || Term::new(Shell::Bash).env("OLLAMA_HOST", "127.0.0.1:9");
    let (_home, said) = ask_in(nowhere(), &["hello"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""));
    assert!(said.stderr.starts_with("No model is connected yet"), "{}", said.stderr);
    assert!(["1.", "2.", "3."].iter().all(|way| said.stderr.contains(way)), "{}", said.stderr);
    let (_home, said) = ask_in(nowhere(), &["hello", "--json", "--model", "openai/gpt-5"]);
    let object: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!((said.code, &object["status"], &object["model"]), (Some(1), &json!("failed"), &Value::Null));
    assert!(object["error"].as_str().unwrap().contains("OPENAI_API_KEY"), "{object}");
}

#[test]
fn an_empty_question_is_an_error() {
    let model = Model::start([]);
    let said = ask(&model, &[]);
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.starts_with("error: no question was given"), "{}", said.stderr);
}

#[test]
fn an_interrupt_stops_a_stream_at_once() {
    let model = Model::start([Reply::text(["one", "two"]).gated()]);
    let (_home, mut command) = command(home(&model), &["go"]);
    let mut child = command.spawn().unwrap();
    model.release();
    let mut bytes = [0; 64];
    let mut out = child.stdout.take().unwrap();
    let read = out.read(&mut bytes).unwrap();
    assert_eq!(&bytes[..read], b"one");
    assert_eq!(interrupted(child), Some(130));
}

#[test]
fn an_interrupt_stops_a_command_at_once() {
    let model = Model::start([Reply::calls(&[("bash", json!({"command": "echo $$ > pid; exec sleep 1000"}))])]);
    let (home, mut command) = command(home(&model).no_sandbox().fifo("pid"), &["go", "--yes"]);
    let child = command.spawn().unwrap();
    let pid: i32 = std::fs::read_to_string(home.home().join("pid")).unwrap().trim().parse().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    assert_eq!(interrupted(child), Some(130));
    let is_gone = || kill(Pid::from_raw(pid), None).is_err();
    while !is_gone() {
        assert!(Instant::now() < deadline, "the command goes on");
        std::thread::yield_now();
    }
}

/// Sends SIGINT and returns the exit code. A program that goes on never ends.
fn interrupted(child: Child) -> Option<i32> {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
    finish(child).code
}

#[test]
fn inside_a_session_the_model_sees_the_commands() {
    let model = Model::start([Reply::text(["Because."])]);
    let mut term = home(&model).start();
    term.wait_for_prompt();
    term.run("ls /does/not/exist");
    term.run(&format!("{PROGRAM} ask why"));
    let said = model.request().said(0);
    assert!(said.contains("ls /does/not/exist\n<output lines=\"1\">"), "{said}");
    assert!(said.contains("No such file or directory"), "{said}");
    assert!(said.contains("status=\"2\""), "{said}");
    term.exit();
}

#[test]
fn stdin_is_masked_and_placeholders_are_not_written_to_files() {
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d");
    let write = json!({ "path": "out.txt", "content": "token: [masked: GitHub token #1]" });
    let model = Model::start([
        Reply::calls(&[("bash", json!({ "command": "cat settings; echo $MY_SECRET" }))]),
        Reply::calls(&[("write_file", write)]),
        Reply::text(["done"]),
    ]);
    let builder = home(&model).env("MY_SECRET", "correct-horse-1").file("settings", "DB_PASSWORD=pw-93-kx\nPORT=80\n");
    let (builder, mut command) = command(builder, &["--yes", "look"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "login with {token}").unwrap();
    assert_eq!(finish(child).stdout, "done\n");
    let asked = [model.request(), model.request(), model.request()].map(|asked| asked.body.to_string());
    for secret in [token.as_str(), "correct-horse-1", "pw-93-kx"] {
        assert!(!asked[2].contains(secret), "{}", asked[2]);
    }
    assert!(asked[0].contains("login with [masked: GitHub token #1]"), "{}", asked[0]);
    assert!(asked[1].contains("DB_PASSWORD=[masked: password #1]") && asked[1].contains("PORT=80"), "{}", asked[1]);
    assert!(asked[1].contains("[masked: $MY_SECRET #1]"), "{}", asked[1]);
    assert!(asked[2].contains("only after a yes of the user"), "{}", asked[2]);
    assert!(!builder.home().join("out.txt").exists());
}

/// A plain shell with this model, as `shellmate ask` finds it at a terminal.
fn terminal(model: &Model) -> Term {
    let mut term = home(model).bare().start();
    term.wait_for_prompt();
    // The settings of the terminal show whether it was restored.
    term.typed("stty -g|tee before\r");
    term.wait_for_prompt();
    term
}

/// Runs `shellmate ask` on a terminal up to its open question.
fn question(term: &mut Term, words: &str) {
    term.typed(format!("{PROGRAM} ask make new; echo stat''us $?; stty -g|tee after\r"));
    term.wait_for_question(words);
}

#[track_caller]
fn ends(term: &mut Term, status: i32) {
    term.wait_for(&format!("\nstatus {status}"));
    term.wait_for_prompt();
    assert_eq!(term.read("before"), term.read("after"), "the terminal is as it was");
}

#[test]
fn on_a_terminal_a_call_needs_approval() {
    for (key, is_made) in [('y', true), ('a', true), ('n', false), ('\x1b', false)] {
        let model = Model::start(write());
        let mut term = terminal(&model);
        question(&mut term, "? write new");
        term.answer("? write new", key);
        ends(&mut term, 0);
        assert!(term.screen().contains("So be it."), "{}", term.screen());
        assert_eq!(term.home().join("new").exists(), is_made, "{key:?}\n{}", term.screen());
    }
}

#[test]
fn on_a_terminal_the_model_may_ask_questions() {
    let asks = json!({"question": "which one?", "choices": ["left", "right"]});
    let model = Model::start([Reply::calls(&[("ask_user", asks)]), Reply::text(["So be it."])]);
    let mut term = terminal(&model);
    question(&mut term, "which one?");
    term.answer("which one?", '2');
    ends(&mut term, 0);
    model.request();
    assert!(model.request().said(0).contains("right"));
}

#[test]
fn keys_typed_before_the_question_do_not_answer_it() {
    let model = Model::start(write().map(Reply::gated));
    let mut term = terminal(&model);
    term.typed(format!("{PROGRAM} ask make new; echo stat''us $?; stty -g|tee after\r"));
    model.request();
    term.typed("y");
    (0..4).for_each(|_| model.release());
    term.wait_for("a question waits: Ctrl-\\ answers it");
    term.wait_for("waiting: y");
    assert!(!term.home().join("new").exists());
    term.key(Key::CtrlBackslash);
    term.answer("? write new", 'n');
    (0..8).for_each(|_| model.release());
    ends(&mut term, 0);
    assert!(!term.home().join("new").exists());
}

#[test]
fn ctrl_c_and_signals_end_a_question_and_restore_the_terminal() {
    let model = Model::start(write());
    let mut term = terminal(&model);
    question(&mut term, "? write new");
    term.typed("\x03");
    ends(&mut term, 130);
    for signal in ["TERM", "HUP", "INT"] {
        let model = Model::start(write());
        let mut term = terminal(&model);
        term.typed(format!(
            "(sleep 0; while ! test -e go; do sleep 0.05; done; pkill -{signal} -P $$ -x shellmate) &\r"
        ));
        term.wait_for_prompt();
        question(&mut term, "? write new");
        std::fs::write(term.home().join("go"), "").unwrap();
        ends(&mut term, 130);
        assert!(!term.home().join("new").exists());
        let screen = term.screen();
        assert!(
            !screen.contains("? write new") && !screen.contains("n no"),
            "nothing of the question is left\n{screen}"
        );
        assert!(screen.lines().any(|row| row.starts_with("  not done: ")), "the call's end has its own row\n{screen}");
    }
}

#[test]
fn a_background_process_does_not_ask() {
    let model = Model::start(write());
    let mut term = terminal(&model);
    term.typed(format!("{PROGRAM} ask make new & wait; echo stat''us $?\r"));
    term.wait_for("refused 1 tool call (nobody here to approve it); rerun with --yes");
    term.wait_for("\nstatus 0");
    assert!(!term.home().join("new").exists());
}
