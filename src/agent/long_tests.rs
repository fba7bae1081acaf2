//! A long conversation that is recorded, resumed and disturbed: 500 questions, two megabytes of results, a window of 32k tokens.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::testing::{Ear, ScriptedTool, TestAgent, assert_sendable, look};
use super::{Conversation, Places, Query, Unfinished};
use crate::chat::{Ending, Event, Outcome, Role, Usage};
use crate::provider::{Delta, ErrorKind, ModelRequest, Provider, ProviderError, Stop, assert_accepted};
use crate::store::{ConversationLimits, ConversationRecorder, ConversationSetup};
use crate::tool::{Tool, Toolbox};

const WINDOW: u32 = 32_768;
/// Bytes of one result.
const RESULT: usize = 4_200;
const PATIENCE: Duration = Duration::from_secs(60);
/// The question at the end, which only `recall` can answer.
const RECALLING: &str = "which staging port did I name?";

/// What happens to a request instead of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// The connection breaks before the first word.
    BreaksAtOnce,
    /// It breaks in the middle of the text.
    BreaksInText,
    /// It breaks in the middle of a call.
    BreaksInCall,
    /// The process is killed while it waits for the answer.
    Kill,
    /// The process is killed while a call runs.
    KillInCall,
    /// The server refuses the request as too long and names this window.
    TooLong(Option<u32>),
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// When faults happen.
enum Plan {
    Never,
    /// Now and then.
    Dice(Dice),
    /// At the next request that answers a call's result.
    AfterResult(Fault),
}

impl Plan {
    fn next(&mut self, request: &ModelRequest, bytes: usize) -> Option<Fault> {
        let is_result = request.messages.last().is_some_and(|last| last.role == Role::Tool);
        match self {
            Plan::Never => None,
            Plan::Dice(dice) => match dice.below(60) {
                0 => Some(Fault::BreaksAtOnce),
                1 => Some(Fault::BreaksInText),
                2 => Some(Fault::BreaksInCall),
                3 => Some(Fault::Kill),
                4 => Some(Fault::KillInCall),
                5..=9 if tokens(bytes) > WINDOW / 2 => Some(Fault::TooLong((dice.below(2) == 0).then_some(WINDOW))),
                _ => None,
            },
            Plan::AfterResult(fault) if is_result && !request.tools.is_empty() => {
                let fault = *fault;
                *self = Plan::Never;
                Some(fault)
            }
            Plan::AfterResult(_) => None,
        }
    }
}

fn tokens(bytes: usize) -> u32 {
    (bytes as f64 / 3.6) as u32
}

/// A model that reads once for every question and then answers. It checks every request.
struct CheckingModel {
    plan: Mutex<Plan>,
    /// The faults of the current turn.
    faults: Mutex<Vec<Fault>>,
    killed: Arc<Notify>,
    /// Whether the process is killed in the next call.
    kills_in_call: Arc<Mutex<bool>>,
    requests: AtomicU32,
    longest: AtomicU32,
}

impl CheckingModel {
    fn new(plan: Plan) -> CheckingModel {
        CheckingModel {
            plan: Mutex::new(plan),
            faults: Mutex::default(),
            killed: Arc::default(),
            kills_in_call: Arc::default(),
            requests: AtomicU32::new(0),
            longest: AtomicU32::new(0),
        }
    }

    /// Checks a request and returns its bytes.
    fn check(&self, request: &ModelRequest) -> usize {
        assert_sendable(&request.messages);
        let bytes = assert_accepted(request);
        assert!(tokens(bytes) < WINDOW, "{} tokens", tokens(bytes));
        self.longest.fetch_max(tokens(bytes), Ordering::Relaxed);
        bytes
    }

    async fn answer(&self, request: &ModelRequest, deltas: &mut (dyn FnMut(Delta) + Send)) -> Result<(), ErrorKind> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let bytes = self.check(request);
        let fault = self.plan.lock().unwrap().next(request, bytes);
        self.faults.lock().unwrap().extend(fault);
        let answer = said(request, number);
        match fault {
            None => {}
            Some(Fault::BreaksAtOnce) => return Err(ErrorKind::BrokenOff),
            Some(Fault::BreaksInText) => {
                deltas(Delta::Text("It s".into()));
                return Err(ErrorKind::BrokenOff);
            }
            Some(Fault::BreaksInCall) => {
                deltas(Delta::CallBegan { index: 0, id: format!("broken-{number}"), name: "read".into() });
                deltas(Delta::CallArguments { index: 0, json: "{\"pa".into() });
                return Err(ErrorKind::BrokenOff);
            }
            Some(Fault::Kill) => {
                self.killed.notify_one();
                std::future::pending().await
            }
            Some(Fault::KillInCall) => {
                *self.kills_in_call.lock().unwrap() =
                    answer.iter().any(|delta| matches!(delta, Delta::CallBegan { .. }));
            }
            Some(Fault::TooLong(window)) => return Err(ErrorKind::ContextTooLong { window }),
        }
        deltas(Delta::Usage(Usage { input: tokens(bytes).into(), output: 1, ..Usage::default() }));
        answer.into_iter().for_each(deltas);
        Ok(())
    }
}

impl Provider for CheckingModel {
    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<(), ProviderError>> {
        Box::pin(async move { self.answer(request, deltas).await.map_err(|kind| ProviderError::new("script", kind)) })
    }
}

/// The answer to a request.
fn said(request: &ModelRequest, number: u32) -> Vec<Delta> {
    let last = request.messages.last().expect("a message");
    let call = |name: &str, json: String| {
        let began = Delta::CallBegan { index: 0, id: format!("call-{number}"), name: name.into() };
        vec![began, Delta::CallArguments { index: 0, json }, Delta::Stopped(Stop::ToolUse)]
    };
    let says = |text: &str| vec![Delta::Text(text.into()), Delta::Stopped(Stop::End)];
    match last.role {
        _ if request.tools.is_empty() => says("Goal: answer the questions."),
        Role::User if last.text().contains(RECALLING) => {
            let words = serde_json::to_string(&request.messages).unwrap();
            assert!(!words.contains("47113"), "the model would not have to recall it");
            call("recall", r#"{"search": "staging port"}"#.into())
        }
        Role::User => call("read", format!(r#"{{"path": "file-{number}"}}"#)),
        Role::Assistant | Role::Tool => {
            let results = serde_json::to_string(&last.parts).unwrap();
            says(if results.contains("47113") { "You named port 47113." } else { "It says lorem." })
        }
    }
}

/// A tool with a new result each time. Some results are hard to cut or grow in JSON.
fn reading(model: &CheckingModel) -> Arc<dyn Tool> {
    let count = AtomicU32::new(0);
    let (killed, kills) = (Arc::clone(&model.killed), Arc::clone(&model.kills_in_call));
    ScriptedTool::tool("read", look(), move |_| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        let is_killed = std::mem::take(&mut *kills.lock().unwrap());
        let words = ["lorem ipsum ", "\"quoted\"\n\tline\n", "Größe 漢字 🦜 "][number as usize % 3];
        let text = format!("{number} {}", words.repeat(RESULT / words.len() + 1));
        let killed = Arc::clone(&killed);
        async move {
            if is_killed {
                killed.notify_one();
                std::future::pending::<()>().await;
            }
            Outcome::done(text)
        }
    })
}

/// A conversation with its record, which outlives the process.
struct LongConversation {
    agent: TestAgent,
    model: Arc<CheckingModel>,
    recorder: ConversationRecorder,
    runtime: Runtime,
    home: TempDir,
}

impl LongConversation {
    fn new(plan: Plan) -> LongConversation {
        let home = tempfile::tempdir().unwrap();
        let model = Arc::new(CheckingModel::new(plan));
        let mut agent = TestAgent::new([], vec![]);
        agent.kit.toolbox = Toolbox::with_recall(reading(&model));
        agent.kit.model.provider = model.clone();
        agent.kit.model.context_window = Some(WINDOW);
        agent.kit.places = Arc::new(Places { history: Some(home.path().join("history.db")), ..Places::default() });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let recorder = recorder(&home);
        agent.log = recorder.begin();
        LongConversation { agent, model, recorder, runtime, home }
    }

    /// Asks a question. `None` if the process was killed; the conversation is then resumed by another one.
    fn ask(&mut self, text: &str) -> Option<Ending> {
        self.agent.ear = Arc::new(Ear::default());
        self.model.faults.lock().unwrap().clear();
        let turn = self.agent.begin(CancellationToken::new()).run(Query::scripted(text));
        let killed = Arc::clone(&self.model.killed);
        let exchange = self.runtime.block_on(async {
            tokio::select! {
                biased;
                exchange = turn => Some(exchange),
                () = killed.notified() => None,
            }
        });
        let Some(exchange) = exchange else {
            self.resume();
            return None;
        };
        let ending = exchange.ending.clone();
        self.agent.conversation.append(exchange);
        assert_sendable(&self.agent.conversation.window());
        Some(ending)
    }

    /// Continues the conversation from its record, as a new process does.
    fn resume(&mut self) {
        self.runtime.block_on(self.recorder.settled(PATIENCE));
        let id = self.agent.log.id().expect("a recorded question");
        self.agent.log = ConversationRecorder::off().begin();
        self.recorder.close(false, PATIENCE);
        assert_eq!(self.recorder.trouble(), None);
        self.recorder = recorder(&self.home);
        let resumed = self.recorder.resume(id).unwrap().expect("the conversation");
        assert!(!resumed.is_fork);
        let restored = Conversation::restore(&resumed.entries, &resumed.pictures, Unfinished::Interrupted);
        assert_eq!(restored.damaged, 0);
        restored.end_unfinished(&resumed.log);
        (self.agent.log, self.agent.conversation) = (resumed.log, restored.conversation);
        assert_sendable(&self.agent.conversation.window());
    }

    /// Waits until everything is written.
    fn settle(&self) {
        self.runtime.block_on(self.recorder.settled(PATIENCE));
    }

    /// The lines that the person sees beside the answer and its calls.
    fn remarks(&self) -> Vec<Event> {
        let is_remark = |event: &Event| {
            matches!(event, Event::Notice(_) | Event::Compacted { .. } | Event::Retrying { .. } | Event::Steered(_))
        };
        self.agent.ear.heard().into_iter().filter(is_remark).collect()
    }

    fn recalls_turn_three(&mut self) {
        self.settle();
        *self.model.plan.lock().unwrap() = Plan::Never;
        assert_eq!(self.ask(RECALLING), Some(Ending::Answered));
        assert_eq!(self.agent.conversation.last_answer().as_deref(), Some("You named port 47113."));
    }
}

fn recorder(home: &TempDir) -> ConversationRecorder {
    ConversationRecorder::new(ConversationSetup {
        database: home.path().join("history.db"),
        session: "s".into(),
        host: "box".into(),
        terminal: String::new(),
        limits: ConversationLimits { age: PATIENCE * 60, bytes: u64::MAX },
    })
}

/// Questions that are too long for a summary to repeat all of them.
fn question(number: u32) -> String {
    match number {
        3 => "remember that the staging port is 47113".to_owned(),
        _ => format!("question {number}: {}?", "what does the file say about the last release ".repeat(5)),
    }
}

#[test]
fn five_hundred_recorded_questions_fit_and_the_third_is_recalled() {
    let mut long = LongConversation::new(Plan::Never);
    for number in 1..=500 {
        assert_eq!(long.ask(&question(number)), Some(Ending::Answered), "question {number}");
        if number % 100 == 0 {
            long.resume();
        }
    }
    assert!(long.model.longest.load(Ordering::Relaxed) > WINDOW / 2, "the window is used");
    long.recalls_turn_three();
}

#[test]
fn a_long_conversation_survives_cuts_kills_and_overflows() {
    let mut met: Vec<Fault> = Vec::new();
    for seed in [1, 2, 3] {
        let mut long = LongConversation::new(Plan::Dice(Dice(seed)));
        for number in 1..=120 {
            let ending = long.ask(&question(number));
            let faults = long.model.faults.lock().unwrap().clone();
            assert_explained(ending, &faults);
            met.extend(faults);
        }
        long.recalls_turn_three();
    }
    for fault in [Fault::BreaksAtOnce, Fault::BreaksInText, Fault::BreaksInCall, Fault::Kill, Fault::KillInCall] {
        assert!(met.contains(&fault), "{fault:?} never happened");
    }
    assert!(met.contains(&Fault::TooLong(None)) && met.contains(&Fault::TooLong(Some(WINDOW))), "{met:?}");
}

/// Asserts that a question was answered, unless its process was killed or its connection broke too often.
fn assert_explained(ending: Option<Ending>, faults: &[Fault]) {
    let count = |kinds: &[Fault]| faults.iter().filter(|fault| kinds.contains(fault)).count();
    match ending {
        Some(Ending::Answered) => {}
        None => assert!(count(&[Fault::Kill, Fault::KillInCall]) > 0, "{faults:?}"),
        // An answer whose text was shown twice is not asked for again.
        Some(Ending::Failed(_)) if count(&[Fault::BreaksInText]) > 1 => {}
        Some(other) => panic!("{other:?} after {faults:?}"),
    }
}

#[test]
fn an_overflow_in_a_tool_loop_is_one_line_for_the_person() {
    for window in [None, Some(WINDOW), Some(WINDOW / 2)] {
        let mut long = LongConversation::new(Plan::Never);
        for number in 1..=12 {
            assert_eq!(long.ask(&question(number)), Some(Ending::Answered));
        }
        *long.model.plan.lock().unwrap() = Plan::AfterResult(Fault::TooLong(window));
        assert_eq!(long.ask("go on"), Some(Ending::Answered), "{window:?}");
        assert_eq!(*long.model.faults.lock().unwrap(), [Fault::TooLong(window)]);
        assert!(matches!(long.remarks()[..], [Event::Compacted { .. }]), "{window:?}: {:?}", long.remarks());
        assert_eq!(long.ask("and now?"), Some(Ending::Answered));
    }
}
