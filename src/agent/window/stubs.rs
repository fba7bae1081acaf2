//! Replaces tool results by one line each.

use std::collections::HashMap;

use super::budget::Budget;
use super::past::Transcript;
use super::scale::{Scale, part_bytes};
use crate::chat::{Call, Message, Outcome, Part, Role, ToolKind};
use crate::{text, tool};

/// Results up to this size stay: a stub would hardly be shorter.
const SHORT: usize = 400;
/// Bytes of a call's arguments that a stub repeats.
const ARGUMENTS: usize = 200;

/// Where a result is: the message, counted from the first, and the part of it.
type Spot = (usize, usize);

/// A call with its result.
struct Answered {
    call: Call,
    kind: ToolKind,
    spot: Spot,
    bytes: usize,
    text: String,
    has_failed: bool,
}

/// Results that nobody needs: a file that was read and then changed, and a result that a later call repeats. Returns the bytes saved.
pub(super) fn drop_stale(transcript: &mut Transcript, kind: &dyn Fn(&str) -> ToolKind) -> usize {
    let all = answered(transcript, kind);
    let mut later_edits: Vec<String> = Vec::new();
    let mut later_results: HashMap<(&str, &str), &str> = HashMap::new();
    let mut stubs: Vec<(Spot, String)> = Vec::new();
    for one in all.iter().rev() {
        let Answered { call, spot, text, .. } = one;
        let key = (call.name.as_str(), call.arguments.as_str());
        let path = path_of(call);
        if one.bytes > SHORT
            && one.kind == ToolKind::Read
            && path.as_ref().is_some_and(|path| later_edits.contains(path))
        {
            stubs.push((
                *spot,
                format!("[{}: the file was changed later; read it again if you need it]", in_short(call)),
            ));
        } else if one.bytes > SHORT && later_results.get(&key) == Some(&text.as_str()) {
            stubs.push((*spot, format!("[{}: the same call has the same result further down]", in_short(call))));
        }
        later_results.entry(key).or_insert(text.as_str());
        if one.kind == ToolKind::Edit && !one.has_failed {
            later_edits.extend(path);
        }
    }
    put(transcript, stubs)
}

/// The results beyond the newest ones. Results that the model has not seen yet always stay. Returns the bytes saved; nothing is
/// changed if that would be too few.
pub(super) fn drop_old(transcript: &mut Transcript, budget: Budget, kind: &dyn Fn(&str) -> ToolKind) -> usize {
    let scale: Scale = transcript.past.state.scale.clone();
    let is_answer = |message: &mut Message| message.role == Role::Assistant;
    let seen = messages(transcript).enumerate().filter_map(|(at, message)| is_answer(message).then_some(at)).last();
    let (mut kept, mut saved) = (0, 0);
    let mut stubs = Vec::new();
    for one in answered(transcript, kind).iter().rev() {
        kept += scale.of_bytes(one.bytes);
        if kept > budget.results_kept() && one.bytes > SHORT && seen.is_some_and(|seen| one.spot.0 < seen) {
            saved += one.bytes.saturating_sub(SHORT);
            stubs.push((one.spot, stub(one)));
        }
    }
    if scale.of_bytes(saved) < budget.worthwhile() { 0 } else { put(transcript, stubs) }
}

/// One line that says what the result was, and how to have it again.
fn stub(one: &Answered) -> String {
    let again = match (one.kind, tool::file_of_whole(&one.text)) {
        (_, Some(path)) => format!("the whole is in {path}"),
        (ToolKind::Read | ToolKind::Search | ToolKind::Fetch, None) => "make the call again if you need it".to_owned(),
        (_, None) => "recall finds it".to_owned(),
    };
    format!(
        "[{}: {} of result left out to save room; {again}]",
        in_short(&one.call),
        text::human::size(one.bytes as u64)
    )
}

fn in_short(call: &Call) -> String {
    let line: String = call.arguments.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{} {}", call.name, text::beginning(&line, ARGUMENTS))
}

/// The file that a call is about.
fn path_of(call: &Call) -> Option<String> {
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).ok()?;
    arguments.get("path")?.as_str().map(|path| path.trim_start_matches("./").to_owned())
}

/// All calls that have a result, in order.
fn answered(transcript: &mut Transcript, kind: &dyn Fn(&str) -> ToolKind) -> Vec<Answered> {
    let mut open: HashMap<String, Call> = HashMap::new();
    let mut all = Vec::new();
    for (at, message) in messages(transcript).enumerate() {
        open.extend(message.calls().map(|call| (call.id.clone(), call.clone())));
        for (index, part) in message.parts.iter().enumerate() {
            let Part::Result { id, outcome } = part else { continue };
            let Some(call) = open.remove(id) else { continue };
            let (kind, text) = (kind(&call.name), outcome.text().to_owned());
            let has_failed = outcome.is_failed();
            all.push(Answered { call, kind, spot: (at, index), bytes: part_bytes(part), text, has_failed });
        }
    }
    all
}

/// Puts stubs where the results are. Returns the bytes saved.
fn put(transcript: &mut Transcript, stubs: Vec<(Spot, String)>) -> usize {
    let stubs: HashMap<Spot, String> = stubs.into_iter().collect();
    let (mut saved, mut is_past_changed) = (0, false);
    let past = transcript.past.exchanges.iter().map(|one| one.messages.len()).sum::<usize>();
    for (at, message) in messages(transcript).enumerate() {
        for (index, part) in message.parts.iter_mut().enumerate() {
            let Some(words) = stubs.get(&(at, index)) else { continue };
            let before = part_bytes(part);
            if let Part::Result { outcome, .. } = part {
                *outcome = match outcome {
                    Outcome::Done { .. } => Outcome::done(words.clone()),
                    Outcome::Failed { .. } => Outcome::failed(words.clone()),
                };
            }
            saved += before.saturating_sub(part_bytes(part));
            is_past_changed |= at < past;
        }
    }
    transcript.is_compacted |= is_past_changed;
    saved
}

/// The messages of the exchanges, earlier ones first.
pub(super) fn messages(transcript: &mut Transcript) -> impl Iterator<Item = &mut Message> {
    let Transcript { past, now, .. } = transcript;
    past.exchanges.iter_mut().flat_map(|one| one.messages.iter_mut()).chain(now.iter_mut())
}
