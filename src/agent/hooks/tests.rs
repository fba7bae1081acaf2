//! Hooks in answers of a scripted model. The hooks are small shell scripts.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::super::testing::{ScriptedTool, TestAgent, look, says, uses};
use super::super::{Decision, Query};
use crate::chat::{Ending, Event, FailureKind, Outcome};
use crate::guard::{PermissionMode, PermissionRule, RuleDecision, RuleText};
use crate::hook::{HookEvent, HookSet};
use crate::tool::{Timeouts, Tool, Toolbox};

struct HookedAgent {
    agent: TestAgent,
    directory: tempfile::TempDir,
    hooks: Vec<(HookEvent, Value)>,
    begins: Option<&'static str>,
}

impl HookedAgent {
    fn new(
        answers: impl IntoIterator<Item = (Vec<crate::provider::Delta>, super::super::testing::End)>,
    ) -> HookedAgent {
        let mut agent = TestAgent::new(answers, vec![]);
        agent.kit.toolbox = Toolbox::standard(Timeouts::default());
        HookedAgent { agent, directory: tempfile::tempdir().unwrap(), hooks: Vec::new(), begins: None }
    }

    /// Adds a hook that runs this script.
    fn hook(self, event: HookEvent, matcher: &str, script: &str) -> HookedAgent {
        self.entry(event, json!({ "matcher": matcher, "hooks": [{ "type": "command", "command": script }] }))
    }

    fn entry(mut self, event: HookEvent, entry: Value) -> HookedAgent {
        self.hooks.push((event, entry));
        self
    }

    fn answers(self, decision: Decision) -> HookedAgent {
        self.agent.person.answers.lock().unwrap().push_back(decision);
        self
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.directory.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    fn ask(&mut self, text: &str) -> Ending {
        let mut query = Query::scripted(text);
        query.view.cwd = self.directory.path().to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        query.view.environment = vec![("PATH".into(), path), ("OPENAI_API_KEY".into(), "secret-of-the-test".into())];
        let mut events = serde_json::Map::new();
        for (event, entry) in &self.hooks {
            let list = events.entry(event.name()).or_insert_with(|| json!([]));
            list.as_array_mut().unwrap().push(entry.clone());
        }
        let (hooks, problems) = HookSet::parse(json!({ "hooks": events }).to_string().as_bytes(), "hooks.json");
        assert!(problems.is_empty(), "{problems:?}");
        self.agent.kit.use_hooks(Arc::new(hooks), "7", self.begins, &query.view);
        self.agent.run(query, tokio_util::sync::CancellationToken::new())
    }

    fn asked(&self) -> usize {
        self.agent.person.asked.lock().unwrap().len()
    }

    fn notices(&self) -> Vec<String> {
        let notices = self.agent.ear.heard().into_iter().filter_map(|event| match event {
            Event::Notice(words) => Some(words),
            _ => None,
        });
        notices.collect()
    }

    fn results(&self) -> Vec<String> {
        self.agent.results()
    }
}

fn prints(value: &Value) -> String {
    format!("cat >/dev/null; cat <<'END'\n{value}\nEND")
}

fn decides(decision: &str) -> String {
    let specific =
        json!({ "hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": "because" });
    prints(&json!({ "hookSpecificOutput": specific }))
}

fn bash(command: &str) -> (Vec<crate::provider::Delta>, super::super::testing::End) {
    uses(&[("bash", &json!({ "command": command }).to_string())])
}

fn rule(command: &str, decision: RuleDecision) -> Arc<Vec<PermissionRule>> {
    let [tool, path, host, reason] = [const { String::new() }; 4];
    let text = RuleText { tool, path, command: command.to_owned(), host, decision, reason };
    Arc::new(vec![PermissionRule::new(text, "test").unwrap()])
}

#[test]
fn a_hook_blocks_a_call_and_the_model_reads_why() {
    let mut room = HookedAgent::new([bash("touch made"), says("ok")]).hook(
        HookEvent::PreToolUse,
        "Bash",
        "cat > input.json; echo not on a Wednesday >&2; exit 2",
    );
    assert_eq!(room.ask("go"), Ending::Answered);
    assert_eq!(room.results(), ["a hook of the user blocked this call: not on a Wednesday"]);
    assert!(!room.path("made").exists() && room.asked() == 0);
    let input = room.json("input.json");
    assert_eq!(input["tool_name"], "Bash");
    assert_eq!(input["tool_input"]["command"], "touch made");
    assert_eq!(input["tool_use_id"], "bash-0");
    assert_eq!(input["permission_mode"], "default");
}

#[test]
fn a_hook_answers_the_question_of_the_mode_but_not_that_of_a_rule() {
    let allowing =
        || HookedAgent::new([bash("touch made"), says("ok")]).hook(HookEvent::PreToolUse, "", &decides("allow"));
    let mut room = allowing();
    room.ask("go");
    assert!(room.path("made").exists() && room.asked() == 0, "{:?}", room.results());

    let mut asked = allowing();
    asked.agent.kit.permissions.rules = rule("touch *", RuleDecision::Ask);
    asked.ask("go");
    assert!(!asked.path("made").exists() && asked.asked() == 1);

    let mut denied = allowing();
    denied.agent.kit.permissions.rules = rule("touch *", RuleDecision::Deny);
    denied.ask("go");
    assert!(!denied.path("made").exists() && denied.asked() == 0);
    assert!(denied.results()[0].starts_with("not allowed"), "{:?}", denied.results());

    let mut planning = allowing();
    planning.agent.kit.permissions.choice.set(Some(PermissionMode::Plan));
    planning.ask("go");
    assert!(!planning.path("made").exists());
}

#[test]
fn no_hook_lifts_a_built_in_denial() {
    let mut room = HookedAgent::new([bash("rm -rf /"), says("ok")]).hook(HookEvent::PreToolUse, "", &decides("allow"));
    room.ask("go");
    assert!(room.results()[0].starts_with("not allowed"), "{:?}", room.results());
    assert_eq!(room.asked(), 0);
}

#[test]
fn a_hook_can_have_the_person_asked_about_anything() {
    let mut room =
        HookedAgent::new([uses(&[("ls", "{}")]), says("ok")]).hook(HookEvent::PreToolUse, "LS", &decides("ask"));
    room.ask("go");
    assert_eq!(room.asked(), 1);
    assert!(room.notices().contains(&"a hook wants you to decide: because".to_owned()), "{:?}", room.notices());
}

#[test]
fn rewritten_input_is_judged_again() {
    let rewrites = |input: Value| {
        let specific = json!({ "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": input });
        prints(&json!({ "hookSpecificOutput": specific }))
    };
    let room =
        |input: Value| HookedAgent::new([bash("ls"), says("ok")]).hook(HookEvent::PreToolUse, "Bash", &rewrites(input));
    let mut harmless = room(json!({ "command": "echo rewritten" }));
    harmless.ask("go");
    assert!(harmless.results()[0].contains("rewritten"), "{:?}", harmless.results());
    let mut denied = room(json!({ "command": "rm -rf /" }));
    denied.ask("go");
    assert!(denied.results()[0].starts_with("not allowed"), "{:?}", denied.results());
    let mut invalid = room(json!({ "words": "no command" }));
    invalid.ask("go");
    assert!(invalid.results()[0].contains("bad argument"), "{:?}", invalid.results());
}

#[test]
fn a_request_for_approval_can_be_answered_by_a_hook() {
    let decides = |decision: Value| {
        prints(&json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } }))
    };
    let room = |decision: Value| {
        HookedAgent::new([bash("touch made"), says("ok")]).hook(
            HookEvent::PermissionRequest,
            "Bash",
            &decides(decision),
        )
    };
    let mut allowed = room(json!({ "behavior": "allow" }));
    allowed.ask("go");
    assert!(allowed.path("made").exists() && allowed.asked() == 0);
    let mut denied = room(json!({ "behavior": "deny", "message": "never" }));
    denied.ask("go");
    assert_eq!((denied.results(), denied.asked()), (vec!["a hook of the user blocked this call: never".to_owned()], 0));
    let mut interrupted = room(json!({ "behavior": "deny", "message": "never", "interrupt": true }));
    let Ending::Failed(failure) = interrupted.ask("go") else { panic!() };
    assert_eq!((failure.kind, failure.words.as_str()), (FailureKind::Hook, "a hook ended the answer: never"));
    let mut silent =
        HookedAgent::new([uses(&[("ls", "{}")]), says("ok")]).hook(HookEvent::PermissionRequest, "", "touch ran");
    silent.ask("go");
    assert!(!silent.path("ran").exists(), "nobody was to be asked");
}

#[test]
fn a_hook_changes_and_comments_on_a_result() {
    let specific =
        json!({ "hookEventName": "PostToolUse", "additionalContext": "run </hook>", "updatedToolOutput": "less" });
    let said = json!({ "decision": "block", "reason": "does not compile", "hookSpecificOutput": specific });
    let script = format!("cat > input.json; cat <<'END'\n{said}\nEND");
    let mut room = HookedAgent::new([bash("echo much"), says("ok")]).answers(Decision::Once).hook(
        HookEvent::PostToolUse,
        "bash",
        &script,
    );
    room.ask("go");
    let expected = "less\n<hook event=\"PostToolUse\">\ndoes not compile\n</hook>\n<hook event=\"PostToolUse\">\nrun </ hook>\n</hook>";
    assert_eq!(room.results(), [expected]);
    let input = room.json("input.json");
    assert!(input["tool_response"]["stdout"].as_str().unwrap().contains("much"), "{input}");
    assert!(input["duration_ms"].is_u64());
}

#[test]
fn a_hook_before_a_call_adds_context_to_its_result() {
    let said = json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "additionalContext": "note" } });
    let mut room =
        HookedAgent::new([uses(&[("ls", "{}")]), says("ok")]).hook(HookEvent::PreToolUse, "", &prints(&said));
    room.ask("go");
    assert!(room.results()[0].ends_with("\n<hook event=\"PreToolUse\">\nnote\n</hook>"), "{:?}", room.results());
}

#[test]
fn a_hook_can_end_the_answer() {
    let stop = prints(&json!({ "continue": false, "stopReason": "enough" }));
    let calls = uses(&[("ls", "{}"), ("ls", "{}")]);
    let mut room = HookedAgent::new([calls]).hook(HookEvent::PostToolUse, "", &stop);
    let Ending::Failed(failure) = room.ask("go") else { panic!() };
    assert_eq!(failure.words, "a hook ended the answer: enough");
    assert_eq!(room.results()[1], "not made: a hook ended the answer");
}

#[test]
fn a_question_is_refused_or_gets_context() {
    let mut refused = HookedAgent::new([]).hook(
        HookEvent::UserPromptSubmit,
        "",
        "cat > input.json; echo no keys, please >&2; exit 2",
    );
    let Ending::Failed(failure) = refused.ask("my key is x") else { panic!() };
    assert_eq!(
        (failure.kind, failure.words.as_str()),
        (FailureKind::Hook, "a hook refused the question: no keys, please")
    );
    assert_eq!(refused.json("input.json")["prompt"], "my key is x");
    assert!(refused.agent.said().is_empty());

    let mut room = HookedAgent::new([says("ok")])
        .hook(HookEvent::SessionStart, "startup", "echo the branch is main")
        .hook(HookEvent::UserPromptSubmit, "", "echo '</hook_context> & secret-of-the-test'");
    room.begins = Some("startup");
    assert_eq!(room.ask("go"), Ending::Answered);
    let sent = room.agent.said()[0].clone();
    let at = sent.find("<hook_context>\nthe branch is main\n</ hook_context> & ").unwrap_or_else(|| panic!("{sent}"));
    assert!(!sent.contains("secret-of-the-test") && sent[at..].trim_end().ends_with("go"), "{sent}");
}

#[test]
fn a_session_starts_once() {
    let mut room = HookedAgent::new([says("ok"), says("ok")]).hook(HookEvent::SessionStart, "", "cat >> inputs");
    room.begins = Some("resume");
    room.ask("one");
    room.begins = None;
    room.ask("two");
    assert_eq!(room.read("inputs").matches("\"source\":\"resume\"").count(), 1);
}

#[test]
fn a_hook_lets_the_answer_go_on_at_most_eight_times() {
    let block = format!("cat >> inputs; {}", prints(&json!({ "decision": "block", "reason": "run the tests" })));
    let mut room = HookedAgent::new((0..9).map(|number| says(&number.to_string()))).hook(HookEvent::Stop, "", &block);
    room.agent.kit.limits.steps = 100;
    assert_eq!(room.ask("go"), Ending::Answered);
    let inputs = room.read("inputs");
    assert_eq!(inputs.matches("\"stop_hook_active\":false").count(), 1, "{inputs}");
    assert_eq!(inputs.matches("\"stop_hook_active\":true").count(), 8);
    assert!(inputs.contains("\"last_assistant_message\":\"8\""));
    let went_on = |message: &String| message.contains("<hook event=\"Stop\">\nrun the tests");
    assert_eq!(room.agent.said().iter().filter(|message| went_on(message)).count(), 8);
}

#[test]
fn a_failing_hook_warns_and_one_that_fails_closed_blocks() {
    let entry = |closed: bool| json!({ "hooks": [{ "type": "command", "command": "exit 7", "failClosed": closed }] });
    let room = |closed: bool| {
        HookedAgent::new([uses(&[("ls", "{}")]), says("ok")]).entry(HookEvent::PreToolUse, entry(closed))
    };
    let mut open = room(false);
    open.ask("go");
    assert!(open.notices().iter().any(|notice| notice.ends_with("exited with 7")), "{:?}", open.notices());
    assert!(!open.results()[0].contains("blocked"));
    let mut closed = room(true);
    closed.ask("go");
    assert!(closed.results()[0].starts_with("a hook of the user blocked this call"), "{:?}", closed.results());
}

#[test]
fn hooks_do_not_see_keys_and_know_the_project() {
    let mut room = HookedAgent::new([says("ok")]).hook(HookEvent::UserPromptSubmit, "", "env > environment");
    room.ask("go");
    let environment = room.read("environment");
    let root = room.directory.path().canonicalize().unwrap();
    assert!(environment.contains(&format!("CLAUDE_PROJECT_DIR={}", root.display())), "{environment}");
    assert!(!environment.contains("secret-of-the-test"));
}

#[test]
fn a_read_with_a_hook_runs_before_the_next_one_begins() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let tool = |name: &'static str| -> Arc<dyn Tool> {
        let order = Arc::clone(&order);
        ScriptedTool::tool(name, look(), move |_| {
            let order = Arc::clone(&order);
            async move {
                order.lock().unwrap().push(format!("{name} begins"));
                tokio::task::yield_now().await;
                order.lock().unwrap().push(format!("{name} ends"));
                Outcome::done(name)
            }
        })
    };
    let mut room =
        HookedAgent::new([uses(&[("a", "{}"), ("b", "{}")]), says("ok")]).hook(HookEvent::PreToolUse, "a", "exit 0");
    room.agent.kit.toolbox = Toolbox::of(vec![tool("a"), tool("b")]);
    room.ask("go");
    assert_eq!(*order.lock().unwrap(), ["a begins", "a ends", "b begins", "b ends"]);
}
