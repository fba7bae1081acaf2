//! Long conversations with small windows.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::super::Query;
use super::super::testing::{ScriptedTool, TestAgent, assert_sendable, look};
use super::super::{Conversation, Exchange, Past};
use crate::chat::{Ending, Event, Message, Outcome, Role, Timing, Usage};
use crate::provider::{Delta, ErrorKind, ModelRequest, Provider, ProviderError, Stop};
use crate::tool::Tool;

/// A model that reads a file for every question and then answers. Its window is real: longer requests are refused.
struct Small {
    /// Tokens of the window, of 3 bytes each.
    window: usize,
    /// Whether it counts tokens.
    counts: bool,
    /// Whether it can summarise.
    summarises: bool,
    refused: AtomicU32,
    longest: Mutex<usize>,
    summaries: Mutex<Vec<ModelRequest>>,
}

impl Small {
    fn new(window: usize) -> Small {
        Small {
            window,
            counts: true,
            summarises: true,
            refused: AtomicU32::new(0),
            longest: Mutex::default(),
            summaries: Mutex::default(),
        }
    }

    fn tokens(request: &ModelRequest) -> usize {
        (request.system.len() + serde_json::to_string(&request.messages).unwrap().len()) / 3
    }

    fn answer(&self, request: &ModelRequest) -> Result<Vec<Delta>, ErrorKind> {
        let tokens = Small::tokens(request);
        assert_sendable(&request.messages);
        assert_eq!(request.messages[0].role, Role::User);
        if tokens + request.max_output as usize / 4 > self.window {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return Err(ErrorKind::ContextTooLong { window: None });
        }
        let mut longest = self.longest.lock().unwrap();
        *longest = tokens.max(*longest);
        let usage = Usage { input: if self.counts { tokens as u64 } else { 0 }, output: 1, ..Usage::default() };
        if request.tools.is_empty() {
            self.summaries.lock().unwrap().push(request.clone());
            if !self.summarises {
                return Err(ErrorKind::Quota);
            }
            let notes = Delta::Text("Goal: keep the word heron.".into());
            return Ok(vec![Delta::Usage(usage), notes, Delta::Stopped(Stop::End)]);
        }
        let asked = request.messages.last().is_some_and(|last| last.role == Role::User);
        let mut deltas = vec![Delta::Usage(usage)];
        if asked {
            deltas.push(Delta::CallBegan { index: 0, id: format!("c{}", request.messages.len()), name: "read".into() });
            let json = format!(r#"{{"path": "{}"}}"#, request.messages.len());
            deltas.push(Delta::CallArguments { index: 0, json });
            deltas.push(Delta::Stopped(Stop::ToolUse));
        } else {
            deltas.push(Delta::Text("It says lorem.".into()));
            deltas.push(Delta::Stopped(Stop::End));
        }
        Ok(deltas)
    }
}

impl Provider for Small {
    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<(), ProviderError>> {
        Box::pin(async move {
            let answer = self.answer(request).map_err(|kind| ProviderError::new("small", kind))?;
            answer.into_iter().for_each(deltas);
            Ok(())
        })
    }
}

/// A tool whose result has this many bytes, different each time.
fn reading(bytes: usize) -> Arc<dyn Tool> {
    let count = Arc::new(AtomicU32::new(0));
    ScriptedTool::tool("read", look(), move |_| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        async move { Outcome::done(format!("{number} {}", "lorem ipsum ".repeat(bytes / 12))) }
    })
}

fn room(model: &Arc<Small>, told_window: Option<u32>, result: usize) -> TestAgent {
    let mut room = TestAgent::new([], vec![reading(result)]);
    room.kit.model.provider = model.clone();
    room.kit.model.context_window = told_window;
    room
}

fn first_words(room: &TestAgent) -> String {
    room.conversation.window().first().map(Message::text).unwrap_or_default()
}

#[test]
fn five_hundred_questions_with_two_megabytes_of_results_stay_within_the_window() {
    let model = Arc::new(Small::new(32_768));
    let mut room = room(&model, Some(32_768), 4_096);
    for number in 1..=500 {
        assert_eq!(room.turn(&format!("question {number}")), Ending::Answered);
    }
    assert_eq!(model.refused.load(Ordering::Relaxed), 0, "every request fitted");
    assert!(*model.longest.lock().unwrap() < 32_768);
    let words = first_words(&room);
    assert!(words.contains("- question 1\n"), "the first question stays: {words}");
    assert!(words.contains("heron"), "the notes are there");
    assert!(room.conversation.window().iter().any(|message| message.text().contains("question 500")));
    let summaries = model.summaries.lock().unwrap();
    assert!(summaries.len() < 60, "compaction is rare: {}", summaries.len());
    assert!(summaries[1..].iter().all(|request| request.messages[0].text().contains("<notes>\nGoal: keep the word")));
    let requests = 1_000 + summaries.len() as u64;
    drop(summaries);
    assert!(room.ear.count(|event| matches!(event, Event::Compacted { before, after } if after < before)) > 0);
    assert_eq!(room.conversation.usage().output, requests, "the tokens of every request are counted");
    assert_eq!(room.conversation.last_answer().as_deref(), Some("It says lorem."));
}

#[test]
fn a_window_that_nobody_knew_is_found_by_an_error_without_a_word_of_failure() {
    for counts in [true, false] {
        let model = Arc::new(Small { counts, ..Small::new(6_000) });
        let mut room = room(&model, None, 6_000);
        for number in 1..=40 {
            assert_eq!(room.turn(&format!("question {number}")), Ending::Answered, "question {number}");
        }
        assert!(model.refused.load(Ordering::Relaxed) > 0);
        assert!(model.refused.load(Ordering::Relaxed) < 20, "the window is remembered");
    }
}

#[test]
fn without_the_models_summary_each_exchange_is_one_line() {
    let model = Arc::new(Small { summarises: false, ..Small::new(8_192) });
    let mut room = room(&model, Some(8_192), 3_000);
    for number in 1..=120 {
        assert_eq!(room.turn(&format!("question {number}")), Ending::Answered);
    }
    let words = first_words(&room);
    assert!(words.contains("- asked: question 3 (calls: read); answered: It says lorem."), "{words}");
}

#[test]
fn one_result_larger_than_the_window_is_cut() {
    let model = Arc::new(Small::new(8_192));
    let mut room = room(&model, Some(8_192), 120_000);
    assert_eq!(room.turn("read it"), Ending::Answered);
    assert!(room.results()[0].ends_with("[the rest was left out: the model's window is full]"));
}

#[test]
fn a_question_that_cannot_fit_fails_once_and_the_conversation_goes_on() {
    let model = Arc::new(Small::new(4_096));
    let mut room = room(&model, Some(4_096), 100);
    let Ending::Failed(failure) = room.turn(&"x".repeat(40_000)) else { panic!("it does not fit") };
    assert!(failure.words.contains("too long for the model"), "{}", failure.words);
    assert_eq!(model.refused.load(Ordering::Relaxed), 1);
    room.conversation = Conversation::default();
    assert_eq!(room.turn("hi"), Ending::Answered);
}

#[test]
fn an_interrupted_summary_loses_nothing_but_the_models_words() {
    let model = Arc::new(Small::new(8_192));
    let mut room = room(&model, Some(8_192), 3_000);
    while room.ear.count(|event| matches!(event, Event::Compacted { .. })) == 0 {
        room.turn("again");
    }
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert_eq!(room.turn_until("stop", cancel), Ending::Interrupted);
    assert_eq!(room.turn("go on"), Ending::Answered);
}

#[test]
fn answers_that_ran_beside_a_compaction_stay_whole() {
    let mut conversation = Conversation::default();
    let exchange = |question: &str, compacted| Exchange {
        query: Default::default(),
        question: question.into(),
        messages: vec![Message::user(question), answer(question)],
        model: "m".into(),
        usage: Usage::default(),
        timing: Timing::ZERO,
        ending: Ending::Answered,
        seen: Default::default(),
        window: Default::default(),
        compacted,
    };
    for question in ["one", "two", "three"] {
        conversation.append(exchange(question, None));
    }
    let mut snapshot = conversation.past().clone();
    let budget = super::Budget::new(Some(4_096), 200_000);
    super::summary::replace(&mut snapshot, 2, Some("notes".into()), budget);
    conversation.append(exchange("beside", None));
    conversation.append(exchange("compacting", Some(snapshot)));
    let said: Vec<String> = conversation.window().iter().map(Message::text).collect();
    assert!(said[0].contains("- one\n- two") && said[0].contains("notes"), "{}", said[0]);
    assert_eq!(said[2..], ["three", "to three", "beside", "to beside", "compacting", "to compacting"]);
}

fn answer(question: &str) -> Message {
    let mut message = Message::user(format!("to {question}"));
    message.role = Role::Assistant;
    message
}

#[test]
fn a_file_that_was_changed_after_it_was_read_is_not_sent_again() {
    use super::past::Transcript;
    use super::stubs::drop_stale;
    use crate::chat::{Call, Part, ToolKind};
    let call = |id: &str, name: &str, path: &str| {
        Part::Call(Call { id: id.into(), name: name.into(), arguments: format!(r#"{{"path":"{path}"}}"#) })
    };
    let result = |id: &str, text: String| Part::Result { id: id.into(), outcome: Outcome::done(text) };
    let said = |role, parts| Message { role, parts };
    let long = "lorem ".repeat(200);
    let mut transcript = Transcript::new(Past::default());
    transcript.past.push(
        Default::default(),
        "q".into(),
        vec![
            Message::user("q"),
            said(
                Role::Assistant,
                vec![call("1", "read", "a.rs"), call("2", "read", "b.rs"), call("3", "read", "c.rs")],
            ),
            said(Role::Tool, vec![result("1", long.clone()), result("2", long.clone()), result("3", long.clone())]),
            said(
                Role::Assistant,
                vec![call("4", "edit", "./a.rs"), call("5", "read", "b.rs"), call("6", "read", "c.rs")],
            ),
            said(Role::Tool, vec![result("4", "done".into()), result("5", long.clone()), result("6", "other".into())]),
            answer("q"),
        ],
    );
    let kind = |name: &str| if name == "edit" { ToolKind::Edit } else { ToolKind::Read };
    assert!(drop_stale(&mut transcript, &kind) > 2_000);
    let results: Vec<String> = transcript.messages()[2]
        .parts
        .iter()
        .map(|part| match part {
            Part::Result { outcome, .. } => outcome.text().to_owned(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(results[0].contains("the file was changed later"), "{}", results[0]);
    assert!(results[1].contains("the same call has the same result further down"), "{}", results[1]);
    assert_eq!(results[2], long, "a different result stays");
    assert_eq!(drop_stale(&mut transcript, &kind), 0, "once is enough");
}

#[test]
fn a_preview_shows_what_is_sent_after_a_compaction() {
    let model = Arc::new(Small::new(8_192));
    let mut room = room(&model, Some(8_192), 3_000);
    (0..120).for_each(|_| assert_eq!(room.turn("again"), Ending::Answered));
    let preview = room.kit.preview(&room.conversation, &Default::default(), &Query::scripted("now"));
    assert!(preview.conversation[0].text().contains("<summary>"));
}
