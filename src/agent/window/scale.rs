//! Estimates the tokens of a request from its bytes.

use serde::{Deserialize, Serialize};

use crate::chat::{Image, Message, Outcome, Part};
use crate::provider::ModelRequest;

/// Bytes of text that make one token, on average.
const BYTES: f64 = 3.6;
/// Bytes of text that cost as much as one picture, whatever its size in bytes.
const PICTURE: usize = 5_760;
/// Bytes that a provider adds around each message or part.
const FRAME: usize = 16;
/// The range in which a provider's count is believed to be a count of the same text.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 0.5..=4.0;
/// Estimates below this say too little about a server that reads only part of a request.
const TELLING: u32 = 3_000;

/// What a model's own counts have taught about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scale {
    /// The model that counted.
    model: String,
    /// Its tokens for each token of the plain estimate.
    ratio: f64,
    /// The window that an error or a suspiciously low count has shown.
    window: Option<u32>,
}

impl Default for Scale {
    fn default() -> Scale {
        Scale { model: String::new(), ratio: 1.0, window: None }
    }
}

impl Scale {
    /// What is known for this model; nothing, if another one counted before.
    pub(in crate::agent) fn of(&self, model: &str) -> Scale {
        if self.model == model { self.clone() } else { Scale { model: model.to_owned(), ..Scale::default() } }
    }

    /// The window, where the model has shown one that is smaller than what is said of it.
    pub(in crate::agent) fn window(&self, said: Option<u32>) -> Option<u32> {
        match (self.window, said) {
            (Some(shown), Some(said)) => Some(shown.min(said)),
            (shown, said) => shown.or(said),
        }
    }

    /// The tokens of a request.
    pub(in crate::agent) fn tokens(&self, request: &ModelRequest) -> u32 {
        self.of_bytes(request_bytes(request))
    }

    /// The tokens of messages.
    pub(in crate::agent) fn of_messages<'a>(&self, messages: impl IntoIterator<Item = &'a Message>) -> u32 {
        self.of_bytes(messages.into_iter().map(message_bytes).sum())
    }

    /// The tokens of this many bytes.
    pub(crate) fn of_bytes(&self, bytes: usize) -> u32 {
        // A saturating cast: no request has that many tokens.
        (bytes as f64 / BYTES * self.ratio).ceil() as u32
    }

    /// The bytes that this many tokens have.
    pub(super) fn bytes_of(&self, tokens: u32) -> usize {
        (f64::from(tokens) * BYTES / self.ratio) as usize
    }

    /// Learns from the provider's count of a request. Returns whether the count is so low that the server must have cut the
    /// request: the count is then taken for its window.
    pub(in crate::agent) fn learn(&mut self, request: &ModelRequest, counted: u64) -> bool {
        let counted = u32::try_from(counted).unwrap_or(u32::MAX);
        let estimate = self.of_bytes(request_bytes(request));
        let plain = request_bytes(request) as f64 / BYTES;
        let ratio = f64::from(counted) / plain;
        if PLAUSIBLE.contains(&ratio) {
            self.ratio = ratio;
            return false;
        }
        let is_cut = counted > 0 && ratio < *PLAUSIBLE.start() && estimate > TELLING;
        if is_cut {
            self.window = Some(counted.saturating_add(SPARE));
        }
        is_cut
    }

    /// Learns from an error that says that the request does not fit. `said` is the window that the error names. A request that seemed to
    /// fit into it has more tokens than estimated; where no window is named, it is smaller than the request.
    pub(in crate::agent) fn overflowed(&mut self, request: &ModelRequest, said: Option<u32>) {
        let estimate = self.tokens(request);
        let below = estimate / 10 * 9;
        let known = self.window.unwrap_or(u32::MAX);
        let named = known.min(said.filter(|said| *said > 0).unwrap_or(below));
        let ratio = self.ratio * (f64::from(named) / f64::from(estimate)).max(1.0);
        if PLAUSIBLE.contains(&ratio) {
            (self.ratio, self.window) = (ratio, Some(named));
        } else {
            self.window = Some(known.min(below));
        }
    }
}

/// Tokens of a server's window beside the part of a cut request that it read: it keeps some for the answer.
const SPARE: u32 = 1_024;

pub(in crate::agent) fn request_bytes(request: &ModelRequest) -> usize {
    let tools = request.tools.iter().map(|tool| {
        let schema = serde_json::to_string(&tool.schema).map_or(0, |schema| schema.len());
        tool.name.len() + tool.description.len() + schema + FRAME
    });
    request.system.len() + tools.sum::<usize>() + request.messages.iter().map(message_bytes).sum::<usize>()
}

pub(super) fn message_bytes(message: &Message) -> usize {
    FRAME + message.parts.iter().map(part_bytes).sum::<usize>()
}

pub(super) fn part_bytes(part: &Part) -> usize {
    let pictures = |images: &[Image]| images.len() * PICTURE;
    match part {
        Part::Text(text) => text.len(),
        Part::Thinking(thinking) => {
            thinking.text.len() + thinking.redacted.as_ref().or(thinking.signature.as_ref()).map_or(0, String::len)
        }
        Part::Image(_) => PICTURE,
        Part::Call(call) => call.name.len() + call.arguments.len() + FRAME,
        Part::Result { outcome: Outcome::Done { text, images }, .. } => text.len() + pictures(images) + FRAME,
        Part::Result { outcome: Outcome::Failed { message }, .. } => message.len() + FRAME,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Effort;

    fn request(bytes: usize) -> ModelRequest {
        ModelRequest {
            model: "m".into(),
            system: String::new(),
            messages: vec![Message::user("x".repeat(bytes - FRAME))],
            tools: Vec::new(),
            effort: Effort::default(),
            max_output: 1,
            cache: Default::default(),
            window: None,
        }
    }

    #[test]
    fn the_estimate_follows_the_providers_count() {
        let mut scale = Scale::default().of("m");
        assert_eq!(scale.tokens(&request(36_000)), 10_000);
        assert!(!scale.learn(&request(36_000), 12_000));
        assert_eq!(scale.tokens(&request(36_000)), 12_000);
        assert_eq!(scale.tokens(&request(39_600)), 13_200, "what was added since is estimated alike");
        assert_eq!(scale.bytes_of(12_000), 36_000);
        assert_eq!(scale.of("other").tokens(&request(36_000)), 10_000, "another model counts otherwise");
        assert!(!scale.learn(&request(36_000), 0), "a server that does not count teaches nothing");
        assert_eq!(scale.tokens(&request(36_000)), 12_000);
    }

    #[test]
    fn a_count_far_below_the_estimate_shows_the_servers_window() {
        let mut scale = Scale::default().of("m");
        assert!(scale.learn(&request(72_000), 4_096));
        assert_eq!(scale.window(Some(131_072)), Some(5_120));
        assert!(!Scale::default().learn(&request(3_600), 100), "a short request tells nothing");
    }

    #[test]
    fn an_overflow_lowers_the_window() {
        let mut scale = Scale::default().of("m");
        assert_eq!(scale.window(Some(8_192)), Some(8_192));
        scale.overflowed(&request(36_000), None);
        assert_eq!(scale.window(None), Some(9_000));
        scale.overflowed(&request(36_000), Some(4_096));
        assert_eq!(scale.window(Some(8_192)), Some(4_096));
    }

    #[test]
    fn a_request_that_does_not_fit_into_the_window_that_the_error_names_has_more_tokens_than_estimated() {
        let mut scale = Scale::default().of("m");
        scale.overflowed(&request(36_000), Some(16_384));
        assert_eq!(scale.window(None), Some(16_384));
        assert!((16_384..16_386).contains(&scale.tokens(&request(36_000))), "{scale:?}");
        let mut scale = Scale::default().of("m");
        scale.overflowed(&request(36_000), Some(1_000_000));
        assert_eq!(scale.window(None), Some(9_000), "no text has that many tokens");
        assert_eq!(scale.tokens(&request(36_000)), 10_000);
    }
}
