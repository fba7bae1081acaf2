//! The contract of hooks as a table, with hooks that are small shell scripts.

use std::sync::{Arc, Mutex};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Map, Value, json};

use super::commands::HookRun;
use super::{HookAnswer, HookDecision, HookEvent, HookSet};

struct HookBed {
    directory: tempfile::TempDir,
    slow: Mutex<Vec<String>>,
}

impl HookBed {
    fn new() -> HookBed {
        HookBed { directory: tempfile::tempdir().unwrap(), slow: Mutex::default() }
    }

    fn place(&self) -> HookRun {
        let path = std::env::var_os("PATH").unwrap_or_default();
        HookRun {
            session: "7".into(),
            cwd: self.directory.path().to_owned(),
            project: "/project".into(),
            permission_mode: "default",
            environment: Arc::new(vec![("PATH".into(), path), ("GREETING".into(), "hello".into())]),
            conversation: None,
        }
    }

    fn run(&self, event: HookEvent, hooks: Value) -> HookAnswer {
        let file = json!({ "hooks": { event.name(): [{ "hooks": hooks }] } }).to_string();
        let (hooks, problems) = HookSet::parse(file.as_bytes(), "hooks.json");
        assert_eq!(problems, []);
        let fields = Map::from_iter([("tool_name".to_owned(), json!("Bash"))]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime
            .block_on(hooks.run(event, &["Bash"], &self.place(), fields, &|line| self.slow.lock().unwrap().push(line)))
    }

    /// Runs one script.
    fn script(&self, event: HookEvent, script: &str) -> HookAnswer {
        self.run(event, json!([{ "type": "command", "command": script, "timeout": 20 }]))
    }

    fn closed(&self, event: HookEvent, script: &str) -> HookAnswer {
        self.run(event, json!([{ "type": "command", "command": script, "timeout": 20, "failClosed": true }]))
    }
}

/// A script that prints this JSON.
fn prints(value: &Value) -> String {
    format!("cat >/dev/null; cat <<'END'\n{value}\nEND")
}

fn block(reason: &str) -> Option<HookDecision> {
    Some(HookDecision::Block(reason.to_owned()))
}

fn decided(decision: HookDecision) -> HookAnswer {
    HookAnswer { decision: Some(decision), ..HookAnswer::default() }
}

#[test]
fn exit_codes_mean_the_same_in_every_event() {
    let bed = HookBed::new();
    for event in HookEvent::ALL {
        let silent = bed.script(event, "exit 0");
        assert_eq!(silent, HookAnswer::default(), "{event:?}");
        let blocked = bed.script(event, "echo '{not json'; echo no way >&2; exit 2");
        match event.can_block() {
            true => assert_eq!(blocked, decided(HookDecision::Block("no way".into())), "{event:?}"),
            false => assert_eq!(blocked, HookAnswer { lines: vec!["no way".into()], ..HookAnswer::default() }),
        }
        let failed = bed.script(event, "echo oh dear >&2; exit 1");
        let words = format!("the {} hook `echo oh dear >&2; exit 1` exited with 1: oh dear", event.name());
        assert_eq!(failed, HookAnswer { lines: vec![words.clone()], ..HookAnswer::default() }, "{event:?}");
        let closed = bed.closed(event, "echo oh dear >&2; exit 1");
        assert_eq!(closed.decision, event.can_block().then_some(HookDecision::Block(words)), "{event:?}");
    }
}

#[test]
fn plain_text_is_context_where_a_question_is_asked() {
    let bed = HookBed::new();
    for event in HookEvent::ALL {
        let answer = bed.script(event, "echo The build is broken.");
        let expected = if event.takes_plain_text() { "The build is broken." } else { "" };
        assert_eq!(answer, HookAnswer { context: expected.into(), ..HookAnswer::default() }, "{event:?}");
    }
}

#[test]
fn invalid_json_is_reported_and_blocks_only_if_it_fails_closed() {
    let bed = HookBed::new();
    let script = "echo '{\"decision\": '";
    let answer = bed.script(HookEvent::PreToolUse, script);
    assert_eq!(answer.decision, None);
    assert!(answer.lines[0].contains("printed invalid JSON"), "{answer:?}");
    let closed = bed.closed(HookEvent::PreToolUse, script);
    assert!(matches!(closed.decision, Some(HookDecision::Block(_))), "{closed:?}");
    let question = bed.script(HookEvent::UserPromptSubmit, "echo '{curly} words'");
    assert_eq!(question.context, "{curly} words");
}

#[test]
fn the_decision_of_a_call_is_read() {
    let bed = HookBed::new();
    let said = |specific: Value| bed.script(HookEvent::PreToolUse, &prints(&json!({ "hookSpecificOutput": specific })));
    let decision = |decision: &str| {
        said(
            json!({ "hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": "why" }),
        )
    };
    assert_eq!(decision("allow"), decided(HookDecision::Allow));
    assert_eq!(decision("ask"), decided(HookDecision::Ask("why".into())));
    assert_eq!(decision("deny"), decided(HookDecision::Block("why".into())));
    assert_eq!(decision("defer"), HookAnswer::default());
    assert!(decision("maybe").lines[0].contains("decided \"maybe\""), "{:?}", decision("maybe"));
    let rewritten =
        said(json!({ "hookEventName": "PreToolUse", "updatedInput": { "command": "ls" }, "additionalContext": "x" }));
    let expected = HookAnswer {
        input: Some(Map::from_iter([("command".to_owned(), json!("ls"))])),
        context: "x".into(),
        ..HookAnswer::default()
    };
    assert_eq!(rewritten, expected);
    let old =
        |decision: &str| bed.script(HookEvent::PreToolUse, &prints(&json!({ "decision": decision, "reason": "r" })));
    assert_eq!((old("approve").decision, old("block").decision), (Some(HookDecision::Allow), block("r")));
}

#[test]
fn an_answer_for_another_event_is_left_out() {
    let bed = HookBed::new();
    let said = json!({
        "systemMessage": "still said",
        "hookSpecificOutput": { "hookEventName": "PostToolUse", "permissionDecision": "allow" },
    });
    let answer = bed.script(HookEvent::PreToolUse, &prints(&said));
    assert_eq!(answer.decision, None);
    assert_eq!(answer.lines[0], "still said");
    assert!(answer.lines[1].contains("answered for PostToolUse"), "{answer:?}");
    let closed = bed.closed(HookEvent::PreToolUse, &prints(&said));
    assert!(matches!(closed.decision, Some(HookDecision::Block(_))), "{closed:?}");
}

#[test]
fn the_decision_of_a_request_is_read() {
    let bed = HookBed::new();
    let said = |decision: Value| {
        let specific = json!({ "hookEventName": "PermissionRequest", "decision": decision });
        bed.script(HookEvent::PermissionRequest, &prints(&json!({ "hookSpecificOutput": specific })))
    };
    assert_eq!(said(json!({ "behavior": "allow" })), decided(HookDecision::Allow));
    assert!(said(json!({ "behavior": "allow", "updatedInput": { "command": "ls" } })).input.is_some());
    assert_eq!(said(json!({ "behavior": "deny", "message": "m" })), decided(HookDecision::Block("m".into())));
    let interrupted = said(json!({ "behavior": "deny", "message": "m", "interrupt": true }));
    assert_eq!((interrupted.decision, interrupted.stop), (block("m"), Some("m".into())));
    assert!(said(json!({ "behavior": "dunno" })).lines[0].contains("neither allow nor deny"));
}

#[test]
fn results_questions_and_ends_are_answered() {
    let bed = HookBed::new();
    let result = json!({
        "decision": "block", "reason": "does not compile",
        "hookSpecificOutput": { "hookEventName": "PostToolUse", "additionalContext": "c", "updatedToolOutput": { "a": 1 } },
    });
    let answer = bed.script(HookEvent::PostToolUse, &prints(&result));
    assert_eq!(
        (answer.decision, answer.context, answer.output),
        (block("does not compile"), "c".into(), Some("{\"a\":1}".into()))
    );
    let stop = bed.script(HookEvent::Stop, &prints(&json!({ "decision": "block", "reason": "run the tests" })));
    assert_eq!(stop, decided(HookDecision::Block("run the tests".into())));
    let start = json!({ "hookSpecificOutput": { "hookEventName": "SessionStart", "additionalContext": "c" } });
    assert_eq!(bed.script(HookEvent::SessionStart, &prints(&start)).context, "c");
    let ended = bed.script(HookEvent::PostToolUse, &prints(&json!({ "continue": false, "stopReason": "enough" })));
    assert_eq!(ended.stop, Some("enough".into()));
    assert!(bed.script(HookEvent::PreCompact, &prints(&json!({ "decision": "block" }))).decision.is_some());
}

#[test]
fn the_strongest_decision_counts_whatever_its_place() {
    let bed = HookBed::new();
    let decision = |decision: &str| {
        let specific = json!({ "hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": decision });
        json!({ "type": "command", "command": prints(&json!({ "hookSpecificOutput": specific })) })
    };
    let said = |decisions: &[&str]| {
        let hooks: Vec<Value> = decisions.iter().map(|name| decision(name)).collect();
        bed.run(HookEvent::PreToolUse, hooks.into()).decision
    };
    assert_eq!(said(&["allow", "deny", "ask"]), block("deny"));
    assert_eq!(said(&["deny", "allow"]), block("deny"));
    assert_eq!(said(&["ask", "allow"]), Some(HookDecision::Ask("ask".into())));
    assert_eq!(said(&["allow"]), Some(HookDecision::Allow));
}

#[test]
fn a_hook_reads_the_event_and_runs_in_the_project() {
    let bed = HookBed::new();
    let script = "cat > input.json; echo \"$CLAUDE_PROJECT_DIR $GREETING\" > environment; (exec < /dev/tty) 2>/dev/null && echo tty > tty; ls /proc/self/fd > fds; true";
    assert_eq!(bed.script(HookEvent::PreToolUse, script), HookAnswer::default());
    let read = |name: &str| std::fs::read_to_string(bed.directory.path().join(name));
    let input: Value = serde_json::from_str(&read("input.json").unwrap()).unwrap();
    let cwd = bed.directory.path().to_str().unwrap();
    let expected = json!({
        "session_id": "7", "transcript_path": "", "cwd": cwd, "hook_event_name": "PreToolUse",
        "permission_mode": "default", "tool_name": "Bash",
    });
    assert_eq!(input, expected);
    assert_eq!(read("environment").unwrap(), "/project hello\n");
    assert!(read("tty").is_err(), "a hook has no terminal");
    // 3 is the directory that ls itself reads.
    assert_eq!(read("fds").unwrap().split_whitespace().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
}

#[test]
fn arguments_are_passed_without_a_shell() {
    let bed = HookBed::new();
    let hook = json!([{ "type": "command", "command": "printf", "args": ["%s", "$HOME; exit 2"] }]);
    assert_eq!(bed.run(HookEvent::UserPromptSubmit, hook).context, "$HOME; exit 2");
    let missing = json!([{ "type": "command", "command": "/no/such/program", "args": [], "failClosed": true }]);
    let answer = bed.run(HookEvent::PreToolUse, missing);
    assert!(answer.lines[0].contains("could not be started"), "{answer:?}");
    assert!(matches!(answer.decision, Some(HookDecision::Block(_))));
}

#[test]
fn a_slow_hook_is_ended_with_its_children() {
    let bed = HookBed::new();
    let script = "(sleep 1000; echo late > late) & echo $! > child; sleep 1000";
    let answer = bed.run(HookEvent::PreToolUse, json!([{ "type": "command", "command": script, "timeout": 0.3 }]));
    assert_eq!(answer.decision, None);
    assert!(answer.lines[0].ends_with("took longer than 0.3 s and was ended"), "{answer:?}");
    let child = std::fs::read_to_string(bed.directory.path().join("child")).unwrap();
    let child = Pid::from_raw(child.trim().parse().unwrap());
    let is_gone = || {
        let status = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        status.is_empty() || status.contains(") Z")
    };
    while !is_gone() {
        std::thread::yield_now();
    }
}

#[test]
fn a_process_that_a_hook_leaves_behind_is_not_waited_for() {
    let bed = HookBed::new();
    // A hook that is waited for has no context: its limit is shorter than this sleep.
    let answer = bed.script(HookEvent::UserPromptSubmit, "echo words; sleep 1000 & echo $! > child");
    let child = std::fs::read_to_string(bed.directory.path().join("child")).unwrap();
    kill(Pid::from_raw(child.trim().parse().unwrap()), Signal::SIGKILL).unwrap();
    assert_eq!(answer.context, "words");
}

#[test]
fn huge_output_is_cut_and_never_read_as_a_decision() {
    let bed = HookBed::new();
    let answer = bed.script(HookEvent::UserPromptSubmit, "head -c 3000000 /dev/zero | tr '\\0' x");
    assert!(answer.context.len() < 11_000 && answer.context.contains("[cut:"), "{}", answer.context.len());
    let json = "printf '{\"decision\":\"approve\",\"x\":\"'; head -c 3000000 /dev/zero | tr '\\0' x; printf '\"}'";
    let answer = bed.script(HookEvent::PreToolUse, json);
    assert_eq!(answer.decision, None);
    assert!(answer.lines[0].ends_with("printed more than is read"), "{answer:?}");
    let errors = bed.script(HookEvent::PreToolUse, "head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 2");
    let Some(HookDecision::Block(reason)) = errors.decision else { panic!("{errors:?}") };
    assert!(reason.len() < 4_200);
}

#[test]
fn a_large_input_is_written_whole_and_may_be_ignored() {
    let bed = HookBed::new();
    let fields = Map::from_iter([("content".to_owned(), Value::from("x".repeat(2_000_000)))]);
    let run = |script: &str| {
        let file = json!({ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": script }] }] } });
        let (hooks, _) = HookSet::parse(file.to_string().as_bytes(), "hooks.json");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(hooks.run(HookEvent::PreToolUse, &["Bash"], &bed.place(), fields.clone(), &|_| {}))
    };
    assert_eq!(run("exit 0"), HookAnswer::default());
    assert_eq!(run("wc -c > size"), HookAnswer::default());
    let size = std::fs::read_to_string(bed.directory.path().join("size")).unwrap();
    assert!(size.trim().parse::<usize>().unwrap() > 2_000_000);
}

#[test]
fn words_for_the_person_are_one_clean_line() {
    let bed = HookBed::new();
    let message = json!({ "systemMessage": format!("\u{1b}]0;x\u{7}two\nlines {}", "x".repeat(900)) });
    let answer = bed.script(HookEvent::Stop, &prints(&message));
    assert!(answer.lines[0].starts_with("\u{FFFD}]0;x\u{FFFD}two lines"), "{answer:?}");
    assert!(answer.lines[0].chars().count() <= 401);
}

#[test]
fn a_hook_that_is_named_twice_runs_once() {
    let bed = HookBed::new();
    let hook = json!({ "type": "command", "command": "echo x >> count" });
    bed.run(HookEvent::Stop, json!([hook, hook]));
    assert_eq!(std::fs::read_to_string(bed.directory.path().join("count")).unwrap(), "x\n");
}

#[test]
fn a_slow_hook_is_mentioned_while_it_runs_and_a_quick_one_is_not() {
    let bed = HookBed::new();
    bed.run(
        HookEvent::Stop,
        json!([
            { "type": "command", "command": "true", "timeout": 20 },
            { "type": "command", "command": "sleep 1.3", "timeout": 20 },
        ]),
    );
    assert_eq!(*bed.slow.lock().unwrap(), ["running the Stop hook `sleep 1.3`…"]);
}
