//! The status line of a running turn, and the footer with its usage.

use std::time::{Duration, Instant};

use super::look::Look;
use crate::chat::{Ending, Usage};
use crate::text::human::{self, count};

use super::RenderOptions;
use super::line::StyledLine;

const FRAME: Duration = Duration::from_millis(80);

/// What the turn is doing.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Doing {
    Waiting,
    Thinking,
    Writing,
    Working,
    Retrying { attempt: u32, until: Instant, why: String },
}

pub(super) struct Status {
    started: Instant,
    pub(super) doing: Doing,
    pub(super) usage: Usage,
    /// The model, if the footer is to name it.
    pub(super) model: Option<String>,
    /// The mode, if it is not the usual one.
    pub(super) mode: Option<String>,
    /// Bytes of text and thinking in this step, until its token count is known.
    pub(super) streamed: usize,
}

impl Status {
    pub(super) fn new(started: Instant) -> Status {
        Status { started, doing: Doing::Waiting, usage: Usage::default(), model: None, mode: None, streamed: 0 }
    }

    /// The status line, cut to one row.
    pub(super) fn line(&self, now: Instant, options: &RenderOptions) -> StyledLine {
        let elapsed = now.saturating_duration_since(self.started);
        let dot = separator(options);
        let mut words = format!(" {}{dot}{}", self.doing_words(now), whole_seconds(elapsed));
        // A token is about four bytes of text.
        let output = self.usage.output + (self.streamed / 4) as u64;
        if self.usage.input > 0 {
            words += &format!("{dot}{} in, {} out", count(self.usage.input), count(output));
        } else if output > 0 {
            words += &format!("{dot}{} out", count(output));
        }
        if let Some(mode) = &self.mode {
            words += &format!("{dot}{mode} mode");
        }
        let line = StyledLine::of(Look::ACCENT, spinner(elapsed, options)).with(Look::MUTED, &words);
        let hinted = line.clone().with(Look::MUTED, &format!("{dot}{} stops", options.keys.stop));
        let room = usize::from(options.columns).saturating_sub(1);
        if hinted.cells() <= room { hinted } else { line.clipped(room, options) }
    }

    fn doing_words(&self, now: Instant) -> String {
        match &self.doing {
            Doing::Waiting => "waiting".to_owned(),
            Doing::Thinking => "thinking".to_owned(),
            Doing::Writing => "writing".to_owned(),
            Doing::Working => "working".to_owned(),
            Doing::Retrying { attempt, until, why } => {
                let left = until.saturating_duration_since(now);
                format!("try {attempt} in {}: {why}", whole_seconds(left + Duration::from_millis(999)))
            }
        }
    }

    /// Whether a footer is shown at the end.
    pub(super) fn has_footer(&self, ending: &Ending) -> bool {
        self.usage != Usage::default() || self.model.is_some() && *ending == Ending::Answered
    }

    /// The footer: duration, tokens and cost of the turn.
    pub(super) fn footer(&self, now: Instant, options: &RenderOptions) -> StyledLine {
        let dot = separator(options);
        let Usage { input, output, cached, cost, .. } = self.usage;
        let cached = if cached > 0 { format!(" ({} cached)", count(cached)) } else { String::new() };
        let cost = human::cost(cost);
        let took = human::duration(now.saturating_duration_since(self.started));
        let tokens = format!("{} in{cached}, {} out{dot}{cost}", count(input), count(output));
        let tokens = (self.usage != Usage::default()).then_some(tokens);
        let words: Vec<String> = self.model.clone().into_iter().chain(tokens).chain([took]).collect();
        StyledLine::of(Look::MUTED, &words.join(dot))
    }
}

pub(super) fn spinner(elapsed: Duration, options: &RenderOptions) -> &'static str {
    const BRAILLE: &[&str] = &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
    const ASCII: &[&str] = &["|", "/", "-", "\\"];
    let frames = if options.unicode { BRAILLE } else { ASCII };
    let frame = elapsed.as_millis() / FRAME.as_millis();
    frames[(frame % frames.len() as u128) as usize]
}

fn separator(options: &RenderOptions) -> &'static str {
    if options.has_signs() { " · " } else { ", " }
}

pub(super) fn whole_seconds(duration: Duration) -> String {
    if duration.as_secs() < 60 { format!("{}s", duration.as_secs()) } else { human::duration(duration) }
}
