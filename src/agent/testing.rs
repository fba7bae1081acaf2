//! Helpers for the tests of this room: a scripted model, person, tools and front.

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, ready};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Approval, Approver, Conversation, Decision, Front, Kit, Language, Query, ShellView, Turn, TurnLimits};
use crate::chat::{Ending, Event, Message, Outcome, Part, Role, Shown, ToolKind, ToolSpec};
use crate::guard::{Intent, Permissions, Redactor};
use crate::provider::{
    CacheLifetime, Delta, Effort, ErrorKind, ModelRequest, ModelTraits, Policy, Provider, ProviderError, Resolved,
    Stop, WindowSource,
};
use crate::store::{ConversationLog, ConversationRecorder};
use crate::tool::{Context, Ports, Prepared, RunContext, Tool, Toolbox};

/// A front that records its events.
#[derive(Default)]
pub(super) struct Ear(Mutex<Vec<Event>>);

impl Ear {
    pub(super) fn heard(&self) -> Vec<Event> {
        self.0.lock().unwrap().clone()
    }

    pub(super) fn count(&self, is_wanted: impl Fn(&Event) -> bool) -> usize {
        self.heard().iter().filter(|event| is_wanted(event)).count()
    }
}

impl Front for Ear {
    fn hear(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

/// A person with prepared answers, who declines when they are used up.
#[derive(Default)]
pub(super) struct ScriptedPerson {
    pub(super) answers: Mutex<VecDeque<Decision>>,
    pub(super) asked: Mutex<Vec<Approval>>,
}

impl Approver for ScriptedPerson {
    fn approve(&self, request: Approval) -> BoxFuture<'static, Decision> {
        self.asked.lock().unwrap().push(request);
        let answer = self.answers.lock().unwrap().pop_front();
        Box::pin(ready(answer.unwrap_or(Decision::No { why: None })))
    }
}

/// How an answer of the model ends.
#[derive(Debug, Clone)]
pub(super) enum End {
    Stop(Stop),
    Error(ErrorKind),
    /// It does not end by itself: the person stops it.
    Interrupt(CancellationToken),
}

/// A model with prepared answers.
#[derive(Default)]
pub(super) struct ScriptedModel {
    answers: Mutex<VecDeque<(Vec<Delta>, End)>>,
    pub(super) requests: Mutex<Vec<ModelRequest>>,
}

impl ScriptedModel {
    /// Prepares further answers.
    pub(super) fn answer_with(&self, answers: impl IntoIterator<Item = (Vec<Delta>, End)>) {
        self.answers.lock().unwrap().extend(answers);
    }
}

impl Provider for ScriptedModel {
    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<(), ProviderError>> {
        self.requests.lock().unwrap().push(request.clone());
        let (answer, end) = self.answers.lock().unwrap().pop_front().expect("another answer");
        Box::pin(async move {
            answer.into_iter().for_each(&mut *deltas);
            match end {
                End::Stop(stop) => deltas(Delta::Stopped(stop)),
                End::Error(kind) => return Err(ProviderError::new("script", kind)),
                End::Interrupt(cancel) => {
                    cancel.cancel();
                    std::future::pending().await
                }
            }
            Ok(())
        })
    }
}

/// An answer with this text.
pub(super) fn says(text: &str) -> (Vec<Delta>, End) {
    (vec![Delta::Text(text.into())], End::Stop(Stop::End))
}

/// An answer that calls these tools.
pub(super) fn uses(calls: &[(&str, &str)]) -> (Vec<Delta>, End) {
    let deltas = calls.iter().enumerate().flat_map(|(index, (name, arguments))| {
        [
            Delta::CallBegan { index, id: format!("{name}-{index}"), name: (*name).into() },
            Delta::CallArguments { index, json: (*arguments).into() },
        ]
    });
    (deltas.collect(), End::Stop(Stop::ToolUse))
}

type Deed = Arc<dyn Fn(RunContext) -> BoxFuture<'static, Outcome> + Send + Sync>;

/// A tool whose calls run a closure of the test.
pub(super) struct ScriptedTool {
    name: &'static str,
    intent: Intent,
    deed: Deed,
}

impl ScriptedTool {
    pub(super) fn tool<F>(
        name: &'static str,
        intent: Intent,
        deed: impl Fn(RunContext) -> F + Send + Sync + 'static,
    ) -> Arc<dyn Tool>
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        Arc::new(ScriptedTool { name, intent, deed: Arc::new(move |context| Box::pin(deed(context))) })
    }
}

impl Tool for ScriptedTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: self.name.into(), description: String::new(), schema: json!({ "type": "object" }) }
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Other
    }

    fn prepare(&self, _: &Value, _: &Context) -> Result<Prepared, String> {
        let deed = Arc::clone(&self.deed);
        let run = Box::new(move |context| deed(context));
        Ok(Prepared { title: self.name.into(), intent: self.intent.clone(), preview: None, run })
    }
}

pub(super) fn look() -> Intent {
    Intent::Read { paths: Vec::new() }
}

pub(super) fn run() -> Intent {
    Intent::Run { command: "make".into(), cwd: "/".into(), exception: None }
}

/// A conversation with its kit, front and approver.
pub(super) struct TestAgent {
    pub(super) kit: Kit,
    pub(super) conversation: Conversation,
    pub(super) model: Arc<ScriptedModel>,
    pub(super) person: Arc<ScriptedPerson>,
    pub(super) ear: Arc<Ear>,
    pub(super) log: ConversationLog,
}

impl TestAgent {
    pub(super) fn new(answers: impl IntoIterator<Item = (Vec<Delta>, End)>, tools: Vec<Arc<dyn Tool>>) -> TestAgent {
        let model =
            Arc::new(ScriptedModel { answers: Mutex::new(answers.into_iter().collect()), ..ScriptedModel::default() });
        let kit = Kit {
            model: resolved(model.clone(), "one"),
            fast: None,
            toolbox: Toolbox::of(tools),
            permissions: Permissions::default(),
            redactor: Redactor::default(),
            hooks: Default::default(),
            skills: Default::default(),
            language: Language::default(),
            limits: TurnLimits { steps: 3, ..TurnLimits::default() },
            places: Arc::default(),
            sandbox: Default::default(),
            policy: Policy { first: std::time::Duration::ZERO, ..Policy::default() },
        };
        let (person, ear) = (Arc::new(ScriptedPerson::default()), Arc::new(Ear::default()));
        let log = ConversationRecorder::off().begin();
        TestAgent { kit, conversation: Conversation::default(), model, person, ear, log }
    }

    /// A turn that continues the conversation.
    pub(super) fn begin(&self, cancel: CancellationToken) -> Turn {
        Turn {
            query: crate::store::QueryId::fresh(),
            kit: Arc::new(self.kit.clone()),
            said: self.conversation.past().clone(),
            seen: self.conversation.seen(),
            front: self.ear.clone(),
            approver: self.person.clone(),
            ports: Ports::default(),
            cancel,
            log: self.log.clone(),
        }
    }

    /// Runs a turn on a new runtime. Afterwards it must be possible to send the conversation.
    pub(super) fn turn(&mut self, text: &str) -> Ending {
        self.turn_until(text, CancellationToken::new())
    }

    pub(super) fn turn_until(&mut self, text: &str, cancel: CancellationToken) -> Ending {
        self.run(Query::scripted(text), cancel)
    }

    pub(super) fn run(&mut self, query: Query, cancel: CancellationToken) -> Ending {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let exchange = runtime.block_on(self.begin(cancel).run(query));
        runtime.shutdown_background();
        let ending = exchange.ending.clone();
        assert_eq!(self.ear.heard().last(), Some(&Event::Finished(ending.clone())));
        assert_sendable(&exchange.messages);
        self.conversation.append(exchange);
        assert_sendable(&self.conversation.window());
        ending
    }

    /// The texts of the messages.
    pub(super) fn said(&self) -> Vec<String> {
        self.conversation.window().iter().map(Message::text).collect()
    }

    /// The results of the last calls.
    pub(super) fn results(&self) -> Vec<String> {
        let messages = self.conversation.window();
        let last = messages.iter().rev().find(|message| message.role == Role::Tool).unwrap();
        let texts = last.parts.iter().map(|part| match part {
            Part::Result { outcome, .. } => outcome.text().to_owned(),
            other => panic!("{other:?}"),
        });
        texts.collect()
    }

    /// How each finished call was displayed.
    pub(super) fn shown(&self) -> Vec<Shown> {
        let shown = self.ear.heard().into_iter().filter_map(|event| match event {
            Event::CallFinished { shown, .. } => Some(shown),
            _ => None,
        });
        shown.collect()
    }

    /// The notices to the person.
    pub(super) fn notices(&self) -> Vec<String> {
        let notices = self.ear.heard().into_iter().filter_map(|event| match event {
            Event::Notice(words) => Some(words),
            _ => None,
        });
        notices.collect()
    }
}

pub(super) fn resolved(provider: Arc<ScriptedModel>, model: &str) -> Resolved {
    let effort = Effort::default();
    Resolved {
        provider,
        model: model.into(),
        effort,
        context_window: None,
        cache: CacheLifetime::Short,
        vendor: "script".into(),
        host: "localhost".into(),
        listener: None,
        window_source: WindowSource::Assumed,
        facts: None,
        traits: ModelTraits::default(),
    }
}

impl Query {
    /// A question from a shell in `/` that has run nothing yet.
    pub(crate) fn scripted(text: &str) -> Query {
        let view = ShellView {
            at: std::time::SystemTime::UNIX_EPOCH,
            cwd: "/".into(),
            environment: Vec::new(),
            shell: "zsh".into(),
            host: "box".into(),
            user: "me".into(),
            happened: Vec::new(),
            last: None,
            screen: None,
            columns: None,
        };
        Query { text: text.into(), view, attachments: Vec::new(), stdin: None }
    }
}

/// Asserts that every call is directly followed by its result, in order, and that no message is empty.
pub(super) fn assert_sendable(messages: &[Message]) {
    for (index, message) in messages.iter().enumerate() {
        assert!(!message.parts.is_empty(), "an empty message");
        let calls: Vec<&str> = message.calls().map(|call| call.id.as_str()).collect();
        let next = messages.get(index + 1).filter(|next| next.role == Role::Tool);
        let results: Vec<&str> = next
            .iter()
            .flat_map(|next| &next.parts)
            .map(|part| match part {
                Part::Result { id, .. } => id.as_str(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(calls, results);
    }
}

/// A home directory with the repository `app` in it.
pub(super) struct ProjectHome(tempfile::TempDir);

impl ProjectHome {
    pub(super) fn new() -> ProjectHome {
        let home = ProjectHome(tempfile::tempdir().unwrap());
        for directory in ["app/.git", "app/src/deep"] {
            fs::create_dir_all(home.path(directory)).unwrap();
        }
        home
    }

    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(below)
    }

    /// Writes a file and creates its directories.
    pub(super) fn write(&self, below: &str, text: impl AsRef<[u8]>) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}
