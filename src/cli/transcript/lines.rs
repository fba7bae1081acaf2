//! The events of a transcript, for people and as JSON.

use std::collections::HashMap;
use std::io::Write;
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::chat::{Call, CallDecision, Decider, Ending, Event, Outcome, Shown};
use crate::store::TranscriptEvent;
use crate::text::{human, sanitize};

/// Lines of a result that are shown at each end.
const RESULT_LINES: usize = 6;

/// Writes an event as one line of JSON. The question comes before the first of its events, as an event of its own.
pub(super) fn print_json(session: &str, event: &TranscriptEvent, out: &mut impl Write) -> anyhow::Result<()> {
    let TranscriptEvent { id, question, conversation, at, body, asked } = event;
    let line = |id: Option<i64>, at: SystemTime, kind: &Value, data: &Value| {
        json!({
            "id": id, "session": session, "conversation": conversation, "question": question,
            "at": timestamp(at), "type": kind, "data": data,
        })
    };
    if let Some((at, words)) = asked {
        crate::cli::json::print(&line(None, *at, &"question".into(), &words.as_str().into()), out)?;
    }
    let body: Value = serde_json::from_str(body)?;
    crate::cli::json::print(&line(Some(*id), *at, &body["type"], &body["data"]), out)
}

/// Writes events for people. Remembers the calls, because later events name them by their id.
#[derive(Debug, Default)]
pub(super) struct EventLines {
    /// The tool of each call of a question.
    tools: HashMap<(i64, String), String>,
}

impl EventLines {
    pub(super) fn print(&mut self, event: &TranscriptEvent, out: &mut impl Write) -> anyhow::Result<()> {
        if let Some((at, words)) = &event.asked {
            writeln!(out, "\n{}  > {}", clock(*at), indented(words))?;
        }
        // A newer version may have written an event that this one does not know.
        let Ok(known) = serde_json::from_str::<Event>(&event.body) else { return Ok(()) };
        let Some((label, words)) = self.words(event.question, known) else { return Ok(()) };
        Ok(writeln!(out, "{}  {label:<8} {}", clock(event.at), indented(&words))?)
    }

    /// A word for the kind of event, and its line. `None` for events that say nothing to a person.
    fn words(&mut self, question: i64, event: Event) -> Option<(&'static str, String)> {
        Some(match event {
            Event::RequestSent { model, messages, bytes, tokens } => {
                let (bytes, tokens) = (human::size(bytes as u64), human::count(tokens));
                let plural = if messages == 1 { "" } else { "s" };
                ("request", format!("{model}: {messages} message{plural}, {bytes}, about {tokens} tokens"))
            }
            Event::CallStarted { call, title, .. } => {
                let words = format!("{}: {title}\n{}", call.name, arguments(&call, &title));
                self.tools.insert((question, call.id), call.name);
                ("call", words)
            }
            Event::CallDecided { id, decision } => {
                let CallDecision { allowed, by, reason } = decision;
                let reason = if reason.is_empty() { reason } else { format!(": {reason}") };
                let label = if allowed { "allowed" } else { "refused" };
                (label, format!("{} by {}{reason}", self.tool(question, &id), maker(by)))
            }
            Event::CallConfined { id, sandbox } => ("sandbox", format!("{}: {sandbox}", self.tool(question, &id))),
            Event::CallFinished { id, outcome, shown, took } => {
                let took = human::duration(took);
                ("result", format!("{} in {took}: {}", self.tool(question, &id), result(&outcome, &shown)))
            }
            Event::Retrying { attempt, why, .. } => ("retry", format!("attempt {attempt}: {why}")),
            Event::Usage(usage) => {
                let (input, output) = (human::count(usage.input), human::count(usage.output));
                let cost = usage.cost.map(|cost| format!(", {}", human::cost(Some(cost)))).unwrap_or_default();
                ("usage", format!("{input} tokens in, {output} out{cost}"))
            }
            Event::Compacted { before, after } => {
                ("compact", format!("from {} to {} tokens", human::count(before), human::count(after)))
            }
            Event::Mode(name) => ("mode", name),
            Event::Steered(words) => ("steered", words),
            Event::Notice(words) => ("notice", words),
            Event::Finished(ending) => ("end", end(&ending)),
            Event::StepStarted { .. } | Event::Model(_) | Event::Thinking(_) => return None,
            Event::Text(_) | Event::CallOutput { .. } => return None,
        })
    }

    fn tool(&self, question: i64, id: &str) -> &str {
        self.tools.get(&(question, id.to_owned())).map_or("call", String::as_str)
    }
}

/// Who or what made a decision, after "by".
fn maker(by: Decider) -> &'static str {
    match by {
        Decider::BuiltIn => "a built-in denial",
        Decider::Rule => "a rule",
        Decider::Grant => "an earlier approval",
        Decider::Mode => "the mode",
        Decider::Person => "you",
        Decider::Yes => "--yes",
        Decider::Hook => "a hook",
        Decider::Nobody => "nobody, because no one could be asked",
        Decider::Check => "a check of the call",
        Decider::Other => "a newer version of shellmate",
    }
}

/// The arguments of a call. A single one that is its title already is not repeated.
fn arguments(call: &Call, title: &str) -> String {
    let parsed: Result<serde_json::Map<String, Value>, _> = serde_json::from_str(&call.arguments);
    match parsed {
        Ok(fields) if fields.len() == 1 && fields.values().any(|value| value == title) => String::new(),
        Ok(fields) if fields.is_empty() => String::new(),
        Ok(_) | Err(_) => call.arguments.clone(),
    }
}

fn result(outcome: &Outcome, shown: &Shown) -> String {
    let text = match shown {
        Shown::Change { added, removed, diff } => format!("+{added} -{removed}\n{diff}"),
        Shown::Declined { .. } | Shown::Refused { .. } | Shown::Stopped => shown.trouble(outcome).unwrap_or_default(),
        Shown::Outcome if outcome.is_failed() => format!("failed\n{}", outcome.text()),
        Shown::Outcome => format!("done\n{}", outcome.text()),
    };
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= 2 * RESULT_LINES + 1 {
        return lines.join("\n");
    }
    let (first, last) = (&lines[..=RESULT_LINES], &lines[lines.len() - RESULT_LINES..]);
    let left_out = lines.len() - first.len() - last.len();
    format!("{}\n[{left_out} lines]\n{}", first.join("\n"), last.join("\n"))
}

fn end(ending: &Ending) -> String {
    match ending {
        Ending::Answered => "answered".to_owned(),
        Ending::Interrupted => "stopped by you".to_owned(),
        Ending::StepLimit => "stopped at the step limit".to_owned(),
        Ending::Failed(failure) => format!("failed: {}", failure.words),
    }
}

/// The text with its further lines below each other, and nothing in it that controls a terminal.
fn indented(text: &str) -> String {
    let lines: Vec<String> = text.trim_end().lines().map(sanitize_line).collect();
    lines.join("\n                              ")
}

fn sanitize_line(line: &str) -> String {
    sanitize(line).trim_end().to_owned()
}

/// The time of this computer's zone.
fn clock(at: SystemTime) -> String {
    let at = Timestamp::try_from(at).unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(TimeZone::system());
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

pub(super) fn timestamp(at: SystemTime) -> String {
    Timestamp::try_from(at).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}
