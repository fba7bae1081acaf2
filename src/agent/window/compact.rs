//! Makes a request shorter, in rungs, and only as far as needed.

use super::super::single::{self, SingleAnswer};
use super::super::{Kit, Turn, record};
use super::past::Transcript;
use super::{Budget, clip, stubs, summary};
use crate::chat::Event;
use crate::provider::ModelRequest;
use crate::tool::Ports;

/// Sizes, in bytes, to which results are cut when nothing else helps, one after the other.
const CLIPS: [usize; 3] = [8 * 1024, 2 * 1024, 400];
/// Tokens of a summary.
const NOTES: u32 = 2_048;

/// How far to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::agent) enum Reach<'a> {
    /// Until the request is short enough.
    Needed,
    /// Everything but the last exchange becomes a summary, as the person asked for; this is what matters to them.
    ByHand(&'a str),
}

/// The next request of a turn, short enough for the model.
pub(in crate::agent) async fn fitting_request(turn: &Turn, transcript: &mut Transcript) -> ModelRequest {
    let Turn { kit, ports, .. } = turn;
    let mut request = kit.request(transcript.messages(), ports);
    let budget = kit.budget(&transcript.past);
    if transcript.scale().tokens(&request) > budget.trigger() {
        shorten(turn, transcript, Reach::Needed).await;
        request = kit.request(transcript.messages(), ports);
    }
    request.max_output = kit.budget(&transcript.past).output(request.max_output, transcript.scale().tokens(&request));
    request
}

/// Shortens a transcript whose request the provider did not accept. Returns whether it is shorter now, and worth another try.
pub(in crate::agent) async fn after_overflow(
    turn: &Turn,
    transcript: &mut Transcript,
    request: &ModelRequest,
    window: Option<u32>,
) -> bool {
    transcript.scale_mut().overflowed(request, window);
    let before = transcript.scale().of_messages(&request.messages);
    shorten(turn, transcript, Reach::Needed).await;
    transcript.scale().of_messages(&transcript.messages()) < before / 20 * 19
}

/// Climbs the rungs as far as needed, and tells the person how far it came.
pub(in crate::agent) async fn shorten(turn: &Turn, transcript: &mut Transcript, reach: Reach<'_>) {
    let Turn { kit, ports, front, seen, .. } = turn;
    let budget = kit.budget(&transcript.past);
    let before = length(kit, ports, transcript);
    let kind = |name: &str| kit.toolbox.kind(name);
    let is_short = |transcript: &Transcript| length(kit, ports, transcript) <= budget.goal();
    stubs::drop_stale(transcript, &kind);
    if !is_short(transcript) && stubs::drop_old(transcript, budget, &kind) > 0 {
        seen.forget_lines();
    }
    if (!is_short(transcript) || reach != Reach::Needed) && turn.hooks_allow_summary(reach, transcript).await {
        summarise(turn, transcript, budget, reach).await;
        seen.forget_lines();
    }
    for cap in CLIPS {
        if length(kit, ports, transcript) > budget.trigger() && clip::clip_results(transcript, cap) {
            seen.forget_lines();
        }
    }
    let after = length(kit, ports, transcript);
    if after < before {
        front.hear(Event::Compacted { before: before.into(), after: after.into() });
    }
}

/// The tokens of the request that the transcript makes.
fn length(kit: &Kit, ports: &Ports, transcript: &Transcript) -> u32 {
    let request = kit.request(transcript.messages(), ports);
    transcript.scale().tokens(&request)
}

/// Replaces all but the newest exchanges by a summary.
async fn summarise(turn: &Turn, transcript: &mut Transcript, budget: Budget, reach: Reach<'_>) {
    let Turn { kit, cancel, log, .. } = turn;
    let (count, focus) = match reach {
        Reach::Needed => (summary::replaceable(&transcript.past, budget), None),
        Reach::ByHand(focus) => (transcript.past.exchanges.len().saturating_sub(1), Some(focus.trim())),
    };
    let focus = focus.filter(|focus| !focus.is_empty());
    if count == 0 {
        return;
    }
    let other = kit.fast.as_ref().and_then(|fast| fast.context_window);
    let window = other.map_or(budget.window, |other| other.min(budget.window));
    let room = transcript.past.state.scale.bytes_of(window / 2);
    let record = summary::record(&transcript.past, count, focus, room);
    let output = NOTES.min(budget.window / 4);
    let SingleAnswer { text: notes, ending, model } =
        single::ask(kit, (summary::INSTRUCTIONS, record), output, &mut transcript.meter, cancel).await;
    // Within an exchange, the figures of the exchange include those of the summary.
    if reach != Reach::Needed {
        record::count_request(log, model, &transcript.meter, &ending);
    }
    summary::replace(&mut transcript.past, count, notes, budget);
    transcript.is_compacted = true;
}
