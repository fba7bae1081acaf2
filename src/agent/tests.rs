//! Tests of turns with a scripted model, person and tools.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Barrier;
use tokio_util::sync::CancellationToken;

use super::Query;
use super::testing::{End, ScriptedTool, TestAgent, look, resolved, run, says, uses};
use super::{Conversation, Decision, context};
use crate::chat::{Ending, Event, Failure, FailureKind, Outcome, Shown, ToolKind, Usage};
use crate::guard::{GrantScope, GrantWidth};
use crate::provider::{Delta, ErrorKind, Stop};
use crate::tool::{Ports, Timeouts, Tool, Toolbox};

/// A tool that records its name.
fn noting(name: &'static str, intent: crate::guard::Intent, notes: &Arc<Mutex<Vec<&'static str>>>) -> Arc<dyn Tool> {
    let notes = Arc::clone(notes);
    ScriptedTool::tool(name, intent, move |_| {
        notes.lock().unwrap().push(name);
        async move { Outcome::done(name) }
    })
}

/// A yes to exactly this call, for the session.
const FOR_SESSION: Decision = Decision::Granted { width: GrantWidth::Exact, scope: GrantScope::Session };

fn failed(kind: FailureKind, words: &str) -> Ending {
    Ending::Failed(Failure::new(kind, words))
}

#[test]
fn an_answer_is_reported_and_becomes_part_of_the_conversation() {
    let usage = Usage { input: 5, output: 2, ..Usage::default() };
    let (mut deltas, end) = says("Hello.");
    deltas.push(Delta::Usage(usage));
    let mut room = TestAgent::new([(deltas, end), says("Again.")], vec![]);
    let preview = room.kit.preview(&room.conversation, &Ports::default(), &Query::scripted("hi")).words();
    assert_eq!(room.turn("hi"), Ending::Answered);
    assert_eq!(room.said(), [preview, "Hello.".into()]);
    assert_eq!(room.conversation.usage(), usage);
    let heard = room.ear.heard();
    let is_sent = matches!(&heard[1], Event::RequestSent { model, messages: 1, .. } if model == "script/one");
    assert!(is_sent && heard[0] == Event::StepStarted { step: 1 }, "{heard:?}");
    assert_eq!(heard[2], Event::Text("Hello.".into()));
    room.kit.model = resolved(room.model.clone(), "two");
    assert_eq!(room.turn("more"), Ending::Answered);
    let requests = room.model.requests.lock().unwrap();
    assert_eq!((requests[0].model.as_str(), requests[1].model.as_str()), ("one", "two"));
    assert_eq!(requests[1].messages[..1], requests[0].messages[..]);
    assert_eq!(requests[0].system, requests[1].system);
}

/// The exchange of one turn.
fn exchange(room: &TestAgent) -> super::Exchange {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(room.begin(CancellationToken::new()).run(Query::scripted("hi")))
}

#[test]
fn an_exchange_says_how_long_the_first_token_and_the_answer_took() {
    const WORK: Duration = Duration::from_millis(20);
    let slow = ScriptedTool::tool("slow", look(), |_| async {
        // The test is about measured time, so the tool has to take some.
        tokio::time::sleep(WORK).await;
        Outcome::done("done")
    });
    let room = TestAgent::new([uses(&[("slow", "{}")]), says("Done.")], vec![slow]);
    let timing = exchange(&room).timing;
    assert!(timing.first_token.unwrap() + WORK <= timing.took, "{timing:?}");
    assert!(timing.started.elapsed().unwrap() >= timing.took, "{timing:?}");

    let silent = TestAgent::new([(vec![Delta::Notice("one moment".into())], End::Error(ErrorKind::Quota))], vec![]);
    assert_eq!(exchange(&silent).timing.first_token, None);
}

#[test]
fn a_turn_may_run_on_any_thread() {
    fn assert_send(_: &impl Send) {}
    let room = TestAgent::new([], vec![]);
    assert_send(&room.begin(CancellationToken::new()).run(Query::scripted("hi")));
}

#[test]
fn a_new_conversation_is_empty() {
    let mut room = TestAgent::new([says("Hello."), says("Who?")], vec![]);
    room.turn("hi");
    assert_eq!(room.conversation.last_answer().as_deref(), Some("Hello."));
    room.conversation = Conversation::default();
    assert_eq!(room.conversation.last_answer(), None);
    room.turn("me");
    assert_eq!(room.model.requests.lock().unwrap()[1].messages.len(), 1);
}

#[test]
fn reads_run_concurrently_and_other_calls_in_order() {
    let both = Arc::new(Barrier::new(2));
    let notes = Arc::new(Mutex::new(Vec::new()));
    let meeting = {
        let notes = Arc::clone(&notes);
        // It returns only if two of them run at the same time.
        ScriptedTool::tool("meet", look(), move |_| {
            let (both, notes) = (Arc::clone(&both), Arc::clone(&notes));
            async move {
                both.wait().await;
                notes.lock().unwrap().push("meet");
                Outcome::done("met")
            }
        })
    };
    let tools = vec![meeting, noting("act", run(), &notes), noting("read", look(), &notes)];
    let calls = [("meet", ""), ("meet", ""), ("act", ""), ("read", ""), ("act", "{}")];
    let mut room = TestAgent::new([uses(&calls), says("Done.")], tools);
    *room.person.answers.lock().unwrap() = [FOR_SESSION].into();
    assert_eq!(room.turn("go"), Ending::Answered);
    assert_eq!(*notes.lock().unwrap(), ["meet", "meet", "act", "read", "act"]);
    assert_eq!(room.results(), ["met", "met", "act", "read", "act"]);
    // The approval of the first call covers the second.
    assert_eq!(room.person.asked.lock().unwrap().len(), 1);
    assert_eq!(room.ear.count(|event| matches!(event, Event::CallStarted { .. })), 5);
    assert_eq!(room.ear.count(|event| matches!(event, Event::CallFinished { .. })), 5);
}

#[test]
fn concurrent_answers_share_grants_and_are_appended_whole() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let answers = [uses(&[("act", "")]), uses(&[("act", "")]), says("Done."), says("Done too.")];
    let mut room = TestAgent::new(answers, vec![noting("act", run(), &notes)]);
    *room.person.answers.lock().unwrap() = [FOR_SESSION].into();
    let turns = [room.begin(CancellationToken::new()), room.begin(CancellationToken::new())];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let exchanges = runtime.block_on(futures_util::future::join_all(turns.map(|turn| turn.run(Query::scripted("go")))));
    assert_eq!(*notes.lock().unwrap(), ["act", "act"]);
    assert_eq!(room.person.asked.lock().unwrap().len(), 1, "a yes to one answer counts for the other");
    exchanges.into_iter().for_each(|exchange| room.conversation.append(exchange));
    let window = room.conversation.window();
    super::testing::assert_sendable(&window);
    assert_eq!(window.len(), 8);
}

#[test]
fn calls_beyond_the_limit_of_a_message_are_not_run() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let calls = vec![("read", ""); 20_000];
    let mut room = TestAgent::new([uses(&calls), says("I see.")], vec![noting("read", look(), &notes)]);
    assert_eq!(room.turn("go"), Ending::Answered);
    assert_eq!(notes.lock().unwrap().len(), 64);
    assert_eq!(room.ear.count(|event| matches!(event, Event::CallStarted { .. })), 64);
    let results = room.results();
    assert_eq!(results.len(), 20_000, "every call has a result");
    assert_eq!(results[63], "read");
    assert_eq!(results[64], "not made: one message may hold at most 64 calls");
    let notice = "left out 19936 calls: one message may hold at most 64";
    assert_eq!(room.ear.count(|event| *event == Event::Notice(notice.into())), 1);
}

#[test]
fn a_change_is_shown_afterwards_with_and_without_a_question() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().canonicalize().unwrap().join("a");
    let write = |content: &str| serde_json::json!({"path": path, "content": content}).to_string();
    let (one, two) = (write("one\n"), write("two\n"));
    let mut room = TestAgent::new([uses(&[("write_file", &one), ("write_file", &two)]), says("Done.")], vec![]);
    room.kit.toolbox = Toolbox::standard(Timeouts::default());
    *room.person.answers.lock().unwrap() = [FOR_SESSION].into();
    assert_eq!(room.turn("go"), Ending::Answered);
    assert!(room.person.asked.lock().unwrap()[0].preview.is_some());
    let diff = "@@ -1 +1 @@\n-one\n+two\n".to_owned();
    let first = Shown::Change { added: 1, removed: 0, diff: "@@ -0,0 +1 @@\n+one\n".to_owned() };
    assert_eq!(room.shown(), [first, Shown::Change { added: 1, removed: 1, diff }], "{:?}", room.results());
}

#[test]
fn declined_and_invalid_calls_are_reported_to_the_model() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let calls = [("none", "{}"), ("act", "{\"a"), ("act", ""), ("act", ""), ("act", "")];
    let mut room = TestAgent::new([uses(&calls), says("I see.")], vec![noting("act", run(), &notes)]);
    *room.person.answers.lock().unwrap() = [Decision::No { why: Some("use make".into()) }].into();
    assert_eq!(room.turn("go"), Ending::Answered);
    assert!(notes.lock().unwrap().is_empty());
    let results = room.results();
    assert!(results[0].starts_with("there is no tool named none"), "{results:?}");
    assert!(results[1].starts_with("the arguments of act are not valid JSON"), "{results:?}");
    assert_eq!(results[2], "the user said no: use make");
    let unmade = "not made: the user said no to an earlier call of the same message";
    assert_eq!(results[3..], [unmade, unmade], "the others are not asked about one by one");
    assert_eq!(room.shown(), [Shown::Outcome, Shown::Outcome, Shown::Declined { why: Some("use make".into()) }]);
    assert!(room.notices().iter().any(|notice| notice.starts_with("the 2 calls after it were not made")));
}

#[test]
fn the_reason_for_a_refused_call_is_worded_for_the_person() {
    let with_secret = r#"{"a": "[masked: GitHub token #1]"}"#;
    let calls = uses(&[("act", ""), ("act", with_secret)]);
    let mut room = TestAgent::new([calls, says("I see.")], vec![noting("act", run(), &Arc::default())]);
    *room.person.answers.lock().unwrap() = [Decision::Unasked { why: "this runs without --yes".into() }].into();
    assert_eq!(room.turn(&format!("put {TOKEN} there")), Ending::Answered);
    assert_eq!(room.results()[0], "not allowed: this runs without --yes");
    let refused = |why: &str| Shown::Refused { why: why.into() };
    assert_eq!(room.shown(), [refused("nobody here to approve it"), refused("it contains a masked secret")]);
}

#[test]
fn a_cancelled_answer_is_kept_and_the_conversation_continues() {
    let cancel = CancellationToken::new();
    let deltas = vec![Delta::Thinking("hm".into()), Delta::Text("Half".into())];
    let half = (deltas, End::Interrupt(cancel.clone()));
    let mut room = TestAgent::new([half, says("Fine.")], vec![]);
    assert_eq!(room.turn_until("go", cancel), Ending::Interrupted);
    assert_eq!(room.said()[1], "Half\n\n[interrupted by the user]");
    assert_eq!(room.turn("go on"), Ending::Answered);
}

#[test]
fn a_cancelled_call_is_stopped_and_later_calls_do_not_run() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let hang = ScriptedTool::tool("hang", look(), |_| std::future::pending());
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    let polite = ScriptedTool::tool("polite", look(), move |context| {
        let token = token.clone();
        async move {
            token.cancel();
            tokio::task::yield_now().await;
            context.cancel.cancelled().await;
            Outcome::done("what it had printed")
        }
    });
    let tools = vec![hang, polite, noting("act", run(), &notes)];
    let mut room = TestAgent::new([uses(&[("hang", ""), ("polite", ""), ("act", "")]), says("Fine.")], tools);
    assert_eq!(room.turn_until("go", cancel), Ending::Interrupted);
    let interrupted = "interrupted by the user";
    let polite = format!("{interrupted}\nwhat it had printed");
    assert_eq!(room.results(), [interrupted, polite.as_str(), interrupted]);
    assert!(notes.lock().unwrap().is_empty() && room.person.asked.lock().unwrap().is_empty());
    assert_eq!(room.shown(), [Shown::Stopped, Shown::Stopped]);
    assert_eq!(room.turn("go on"), Ending::Answered);
}

#[test]
fn at_the_step_limit_the_person_is_asked_to_continue() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let steps = || std::iter::repeat_with(|| uses(&[("read", "")])).take(7);
    let mut room = TestAgent::new(steps(), vec![noting("read", look(), &notes)]);
    *room.person.answers.lock().unwrap() = [Decision::Once].into();
    assert_eq!(room.turn("go"), Ending::StepLimit);
    assert_eq!(notes.lock().unwrap().len(), 6);
    let asked = room.person.asked.lock().unwrap();
    assert_eq!(asked[0].title, "3 steps so far. Continue?");
    assert_eq!(asked.len(), 2);
}

#[test]
fn a_request_is_sent_again_until_text_was_shown_twice() {
    let trouble = || (vec![], End::Error(ErrorKind::Overloaded));
    let half = || (vec![Delta::Text("Half".into())], End::Error(ErrorKind::BrokenOff));
    let is_retry = |event: &Event| matches!(event, Event::Retrying { .. });

    let mut room = TestAgent::new([trouble(), half(), says("Whole.")], vec![]);
    assert_eq!(room.turn("go"), Ending::Answered);
    assert_eq!(room.said()[1], "Whole.");
    assert_eq!(room.ear.count(is_retry), 2);

    let mut room = TestAgent::new([half(), half(), says("Whole.")], vec![]);
    assert_eq!(
        room.turn("go"),
        failed(
            FailureKind::DamagedStream,
            "the connection to script was lost before the answer was complete; ask again"
        )
    );
    assert_eq!(room.said()[1], "Half\n\n[the answer broke off here]");
    assert_eq!(room.ear.count(is_retry), 1);

    let mut room = TestAgent::new([trouble(), trouble(), trouble(), trouble(), says("Whole.")], vec![]);
    assert_eq!(
        room.turn("go"),
        failed(FailureKind::Overloaded, "script is overloaded; ask again later, or choose another model with /model")
    );
    assert_eq!(room.ear.count(is_retry), 3);
}

#[test]
fn the_kind_of_an_error_reaches_the_end_of_the_turn() {
    for (error, kind) in [
        (ErrorKind::ContextTooLong { window: None }, FailureKind::ContextOverflow),
        (ErrorKind::Key { variable: None }, FailureKind::Auth),
        (ErrorKind::Quota, FailureKind::Quota),
        (ErrorKind::Damaged, FailureKind::DamagedStream),
    ] {
        let mut room = TestAgent::new(std::iter::repeat_with(|| (vec![], End::Error(error.clone()))).take(9), vec![]);
        let Ending::Failed(failure) = room.turn("go") else { panic!("{error:?}") };
        assert_eq!(failure.kind, kind);
    }
}

#[test]
fn a_call_is_started_with_the_kind_of_its_tool() {
    let mut room = TestAgent::new([uses(&[("ls", "{}"), ("nothing", "{}")]), says("Done.")], vec![]);
    room.kit.toolbox = Toolbox::standard(Timeouts::default());
    room.turn("go");
    let heard = room.ear.heard();
    let kinds: Vec<ToolKind> = heard
        .iter()
        .filter_map(|event| match event {
            Event::CallStarted { kind, .. } => Some(*kind),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, [ToolKind::Read, ToolKind::Other]);
}

#[test]
fn an_empty_or_refused_answer_is_a_failure() {
    let empty = (vec![Delta::Thinking("hm".into())], End::Stop(Stop::End));
    let refused = (vec![], End::Stop(Stop::Refused("no".into())));
    let mut room = TestAgent::new([empty, refused, says("Yes.")], vec![]);
    assert_eq!(
        room.turn("go"),
        failed(FailureKind::NoAnswer, "the model gave an empty answer; ask again, or choose another model with /model")
    );
    assert_eq!(room.turn("go"), failed(FailureKind::Refused, "the model refused to answer: no"));
    assert_eq!(room.turn("go"), Ending::Answered);
}

/// Sent with every request, so its size matters. The budget of 3,500 tokens is more than 7,700 bytes of English and JSON. The tools that
/// need a terminal are counted in another test.
#[test]
fn system_prompt_and_tools_are_small_and_stable() {
    let tools = || serde_json::to_string(&Toolbox::standard(Timeouts::default()).specs(&Ports::default())).unwrap();
    assert_eq!(tools(), tools());
    let bytes = context::SYSTEM.len() + tools().len();
    assert!(context::SYSTEM.len() <= 2_400 && bytes <= 7_000, "{} of {bytes} bytes", context::SYSTEM.len());
}

/// Everything that was sent to the model.
fn sent(room: &TestAgent) -> String {
    let requests = room.model.requests.lock().unwrap();
    requests.iter().map(|request| format!("{}{:?}", request.system, request.messages)).collect()
}

const TOKEN: &str = "ghp_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d";

#[test]
fn a_secret_never_reaches_the_model() {
    let look =
        ScriptedTool::tool("look", look(), |_| async { Outcome::done(format!("TOKEN={TOKEN}\ncorrect-horse-1")) });
    let fail = ScriptedTool::tool("fail", self::look(), |_| async { Outcome::failed(format!("bad {TOKEN}")) });
    let mut room = TestAgent::new([uses(&[("look", "{}"), ("fail", "{}")]), says("ok")], vec![look, fail]);
    let mut asked = Query::scripted(&format!("is {TOKEN} right?"));
    asked.view.environment = vec![("DB_PASSWORD".into(), "correct-horse-1".into())];
    asked.stdin = Some(format!("password=correct-horse-1\n{TOKEN}"));
    assert!(!room.kit.preview(&room.conversation, &Ports::default(), &asked).words().contains(TOKEN));
    room.run(asked, CancellationToken::new());
    let sent = sent(&room);
    assert!(!sent.contains(TOKEN) && !sent.contains("correct-horse-1"), "{sent}");
    assert!(
        sent.contains("is [masked: GitHub token #1] right?") && sent.contains("bad [masked: GitHub token #1]"),
        "{sent}"
    );
    assert!(sent.contains("[masked: $DB_PASSWORD #1]"), "{sent}");
}

#[test]
fn a_call_with_a_placeholder_is_refused_and_does_not_run() {
    let write = ScriptedTool::tool("write", run(), |_| async { Outcome::done("written") });
    let answers = [
        uses(&[("write", r#"{"text": "token = [masked: GitHub token #1]"}"#)]),
        uses(&[("write", r#"{"text": "token = [masked: GitHub token #9]"}"#)]),
        says("ok"),
    ];
    let mut room = TestAgent::new(answers, vec![write]);
    room.person.answers.lock().unwrap().push_back(Decision::Once);
    room.turn(&format!("put {TOKEN} there"));
    // A placeholder that was never issued is ordinary text.
    assert_eq!(room.results(), ["written"]);
    assert_eq!(room.person.asked.lock().unwrap().len(), 1);
    let sent = sent(&room);
    assert!(sent.contains("stands for a secret that you are not shown"), "{sent}");
}

#[test]
fn conventions_are_sent_once_and_again_when_they_change() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    let write = |name: &str, text: &str| std::fs::write(home.join(name), text).unwrap();
    write("AGENTS.md", "Use make.");
    std::fs::create_dir(home.join("elsewhere")).unwrap();
    let mut room = TestAgent::new([says("1"), says("2"), says("3"), says("4"), says("5")], vec![]);
    let ask = |cwd: &std::path::Path, room: &mut TestAgent| {
        let mut asked = Query::scripted("hi");
        asked.view.cwd = cwd.to_owned();
        room.run(asked, CancellationToken::new());
        let requests = room.model.requests.lock().unwrap();
        requests.last().unwrap().messages.last().unwrap().text().contains("<conventions")
    };
    assert!(ask(&home, &mut room), "the first question brings them");
    assert!(!ask(&home, &mut room), "the second does not");
    assert!(!ask(&home.join("elsewhere"), &mut room), "no repository, and nothing here");
    write("AGENTS.md", "Use just.");
    assert!(ask(&home, &mut room), "the file has changed");
    room.kit.limits.conventions = false;
    write("AGENTS.md", "Use ninja.");
    assert!(!ask(&home, &mut room));
}

#[test]
fn a_model_with_a_small_window_gets_fewer_tools_and_is_told_about() {
    let mut room = TestAgent::new([says("1"), says("2")], vec![]);
    room.kit.toolbox = Toolbox::standard(Timeouts::default());
    room.kit.model.context_window = Some(4_096);
    room.turn("hi");
    room.turn("again");
    let names: Vec<String> =
        room.model.requests.lock().unwrap()[0].tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(names, ["bash", "diagnose", "ls", "read_file", "shell_output"]);
    assert_eq!(room.ear.count(|event| matches!(event, Event::Notice(words) if words.contains("window is small"))), 1);
}

/// A home with the skill `pdf`, whose instructions are this text.
fn home_with_a_skill(text: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join(".agents/skills/pdf");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("SKILL.md"), format!("---\nname: pdf\ndescription: Reads PDFs\n---\n{text}\n"))
        .unwrap();
    home
}

/// Asks from a directory, and returns the text of the question as the model reads it.
fn asked_in(home: &std::path::Path, text: &str, room: &mut TestAgent) -> (Ending, String) {
    let mut asked = Query::scripted(text);
    asked.view.cwd = home.to_owned();
    asked.view.environment = vec![("HOME".into(), home.into())];
    let ending = room.run(asked, CancellationToken::new());
    let requests = room.model.requests.lock().unwrap();
    (ending, requests.last().map(|request| request.messages.last().unwrap().text()).unwrap_or_default())
}

#[test]
fn a_called_skill_is_sent_once_and_again_after_a_summary() {
    let home = home_with_a_skill("Use pdftotext.");
    let mut room = TestAgent::new([says("1"), says("2"), says("3"), says("4")], vec![]);
    let (_, first) = asked_in(home.path(), "hello", &mut room);
    assert!(first.contains("\n- pdf: Reads PDFs (~/.agents/skills/pdf/SKILL.md)\n"), "{first}");
    assert!(!first.contains("pdftotext"), "{first}");
    let (_, called) = asked_in(home.path(), "/skill:pdf read a.pdf", &mut room);
    assert!(called.contains("Use pdftotext.") && called.ends_with("\nUse the skill `pdf`: read a.pdf"), "{called}");
    assert!(!called.contains("<skills>"), "the list is sent once: {called}");
    let (_, again) = asked_in(home.path(), "/skill:pdf read b.pdf", &mut room);
    assert!(!again.contains("pdftotext") && again.ends_with("Use the skill `pdf`: read b.pdf"), "{again}");
    let mut compacted = room.conversation.past().clone();
    compacted.state.standing.forget();
    room.conversation.compact(compacted);
    let (_, after) = asked_in(home.path(), "and c.pdf", &mut room);
    assert!(after.contains("Use pdftotext.") && after.contains("- pdf: Reads PDFs"), "{after}");
}

#[test]
fn a_call_of_a_missing_skill_asks_no_model() {
    let home = home_with_a_skill("x");
    let mut room = TestAgent::new([says("1")], vec![]);
    let (ending, sent) = asked_in(home.path(), "/skill:dpf go", &mut room);
    let why = "there is no skill `dpf` (did you mean `pdf`?); `/skills` lists the skills of this directory";
    assert_eq!((ending, sent.as_str()), (failed(FailureKind::Setup, why), ""));
    room.kit.skills = std::sync::Arc::new(crate::agent::SkillSettings { is_on: false, paths: Vec::new() });
    let (_, sent) = asked_in(home.path(), "hello", &mut room);
    assert!(!sent.contains("skill"), "{sent}");
}

#[test]
fn an_endless_answer_is_cut_off_and_not_asked_for_again() {
    let piece = "a".repeat(1024 * 1024);
    for endless in [Delta::Text(piece.clone()), Delta::CallArguments { index: 0, json: piece }] {
        let began = Delta::CallBegan { index: 0, id: "c".into(), name: "ls".into() };
        let deltas: Vec<Delta> = [began].into_iter().chain(std::iter::repeat_n(endless, 6)).collect();
        let mut room = TestAgent::new([(deltas, End::Interrupt(CancellationToken::new()))], vec![]);
        let ending = room.turn("go on for ever");
        assert_eq!(ending, failed(FailureKind::DamagedStream, "the answer is longer than 4.0 MiB, so it was cut off"),);
        assert_eq!(room.model.requests.lock().unwrap().len(), 1);
        assert!(room.ear.count(|event| matches!(event, Event::Text(_))) <= 4);
    }
}

#[test]
fn a_paused_answer_goes_on_by_itself_as_one_message() {
    let paused = |text: &str| (vec![Delta::Text(text.into())], End::Stop(Stop::Paused));
    let mut room = TestAgent::new([paused("One, "), paused("two, "), says("three.")], vec![]);
    assert_eq!(room.turn("count"), Ending::Answered);
    assert_eq!(room.said()[1], "One, two, three.");
    let requests = room.model.requests.lock().unwrap();
    assert_eq!(requests.iter().map(|request| request.messages.len()).collect::<Vec<_>>(), [1, 2, 2]);
    assert_eq!(requests[2].messages[1].text(), "One, two, ");
}

#[test]
fn a_model_that_only_pauses_is_stopped() {
    let paused = || (vec![Delta::Text("x".into())], End::Stop(Stop::Paused));
    let mut room = TestAgent::new((0..20).map(|_| paused()), vec![]);
    assert_eq!(room.turn("count"), Ending::Answered);
    assert_eq!(room.model.requests.lock().unwrap().len(), 9);
}
