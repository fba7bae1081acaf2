//! The agent's thread for tests: a test gives it slash commands, and answers in place of the person.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use crate::agent::{Exchange, Places, Query};
use crate::chat::{Ending, Message, Part, Role, Timing, Usage};
use crate::config::{ConfigReader, Layer};
use crate::store::{
    ConversationLimits, ConversationLog, ConversationRecorder, ConversationSetup, EntryKind, QueryFigures, QueryId,
    Words,
};

use super::orders::AgentThread;
use super::slash::{Slash, parse};
use super::{AgentSetup, News, RequestLink};

/// The model that the shell's environment names.
pub(super) const MODEL: &str = "anthropic/claude-sonnet-4-5";

pub(super) struct Desk {
    pub(super) thread: AgentThread,
    pub(super) query: Query,
    news: Receiver<(u64, News)>,
    home: Arc<tempfile::TempDir>,
}

impl Desk {
    /// Records conversations in a temporary home.
    pub(super) fn new() -> Desk {
        Desk::at(Arc::new(tempfile::tempdir().unwrap()), true)
    }

    /// Records nothing.
    pub(super) fn unrecorded() -> Desk {
        Desk::at(Arc::new(tempfile::tempdir().unwrap()), false)
    }

    /// Another terminal of the same person.
    pub(super) fn beside(&self) -> Desk {
        Desk::at(Arc::clone(&self.home), true)
    }

    fn at(home: Arc<tempfile::TempDir>, records: bool) -> Desk {
        let database = home.path().join("history.db");
        let conversations = match records {
            true => ConversationRecorder::new(ConversationSetup {
                database: database.clone(),
                session: "test".into(),
                host: "box".into(),
                terminal: "tmux:%1".into(),
                limits: ConversationLimits { age: Duration::from_secs(3600), bytes: u64::MAX },
            }),
            false => ConversationRecorder::off(),
        };
        let memory = Some(home.path().join("memory"));
        let places = Arc::new(Places { history: Some(database), memory, ..Places::default() });
        let config = ConfigReader::new([(Layer::User, home.path().join("config.toml"))]);
        let (tell, news) = sync_channel(100);
        let setup = AgentSetup { places, conversations, config, ..AgentSetup::default() };
        let thread = AgentThread::new(RequestLink::scripted(tell), setup);
        let mut desk = Desk { thread, query: Query::scripted("/"), news, home };
        desk.query.view.cwd = desk.place("app");
        std::fs::create_dir_all(&desk.query.view.cwd).unwrap();
        let home = desk.home.path().to_str().unwrap().to_owned();
        desk.exports(&[("HOME", &home), ("ANTHROPIC_API_KEY", "no-key"), ("SHELLMATE_MODEL", MODEL)]);
        desk
    }

    pub(super) fn place(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Sets variables of the live shell.
    pub(super) fn exports(&mut self, variables: &[(&str, &str)]) {
        let environment = &mut self.query.view.environment;
        environment.retain(|(name, _)| variables.iter().all(|(new, _)| name != new));
        environment.extend(variables.iter().map(|(name, value)| (name.into(), value.into())));
    }

    /// Types a slash command. Returns the words for the person.
    pub(super) fn types(&mut self, line: &str) -> String {
        let Some(Ok(Slash::Agent(command))) = parse(line) else { panic!("{line} is no command for the agent") };
        runtime().block_on(self.thread.command(command, &self.query))
    }

    /// The model that answers, as `/model` shows it above its list.
    pub(super) fn model(&mut self) -> String {
        let Desk { thread, query, .. } = self;
        runtime().block_on(thread.current_model(&query.view))
    }

    /// Types a slash command that asks the person something, which `person` answers.
    pub(super) fn types_and(&mut self, line: &str, person: impl FnOnce(News) + Send) -> String {
        let Some(Ok(Slash::Agent(command))) = parse(line) else { panic!("{line} is no command for the agent") };
        let Desk { thread, query, news, .. } = self;
        std::thread::scope(|scope| {
            scope.spawn(move || person(news.recv_timeout(Duration::from_secs(60)).unwrap().1));
            runtime().block_on(thread.command(command, query))
        })
    }

    /// The next thing that the person is told, if there is one.
    pub(super) fn news(&self) -> Option<News> {
        self.news.try_recv().ok().map(|(_, news)| news)
    }

    /// A question is answered, in memory and in the recording.
    pub(super) fn exchange(&mut self, question: &str, answer: &str) {
        self.exchange_with(MODEL, question, answer);
    }

    pub(super) fn exchange_with(&mut self, model: &str, question: &str, answer: &str) {
        let (query, messages) = (QueryId::fresh(), vec![Message::user(question), says(answer)]);
        record(&self.thread.log, &self.query.view.cwd, model, (query, question), &messages);
        self.thread.conversation.append(Exchange {
            query,
            question: question.into(),
            messages,
            model: model.into(),
            usage: Usage { input: 1_000, output: 20, ..Usage::default() },
            timing: Timing::ZERO,
            ending: Ending::Answered,
            seen: Default::default(),
            window: Default::default(),
            compacted: None,
        });
    }

    /// The questions that would be sent to the model with the next one.
    pub(super) fn questions(&self) -> Vec<String> {
        self.thread.conversation.exchanges().map(|(question, _)| question.to_owned()).collect()
    }

    /// The number of the recorded conversation, once everything is written.
    pub(super) fn number(&self) -> Option<i64> {
        runtime().block_on(self.thread.setup.conversations.settled(Duration::from_secs(60)));
        self.thread.log.id()
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn says(text: &str) -> Message {
    Message { role: Role::Assistant, parts: vec![Part::Text(text.into())] }
}

/// Records an exchange as a turn does.
fn record(log: &ConversationLog, cwd: &Path, model: &str, (query, question): (QueryId, &str), messages: &[Message]) {
    let body = serde_json::json!({ "query": query, "question": question, "message": messages[0] });
    let exchange = log.ask(cwd.to_owned(), question.to_owned(), body.to_string());
    let words = Words { answer: messages[1].text(), work: String::new() };
    exchange.say(EntryKind::Assistant, words, serde_json::to_string(&messages[1]).unwrap());
    let end = serde_json::json!({ "model": model, "usage": Usage::default(), "ending": Ending::Answered });
    let figures =
        QueryFigures { model: model.into(), input: 1_000, ending: "answered".into(), ..QueryFigures::default() };
    exchange.end(figures, end.to_string());
}
