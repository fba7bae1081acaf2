//! Chooses the context window of a request.

use super::super::ModelRequest;
use crate::chat::{Message, Outcome, Part};

/// The smallest window that is asked for. Larger ones are its doubles.
const SMALLEST: u32 = 4_096;
/// Tokens for the answer beside the request.
const ANSWER: u32 = 4_096;
/// Bytes of a request that make one token, at least: most text has more.
const BYTES: usize = 3;
/// The tokens of a picture, as Ollama counts them.
const PICTURE: usize = 768;

/// The window to ask for: the smallest step that holds the request and an answer. A window that differs from the loaded one makes the
/// server load the model again, so it never becomes smaller than `floor`. `None` if the model's window is not known.
pub(super) fn tokens(request: &ModelRequest, floor: u32) -> Option<u32> {
    let most = request.window?;
    let needed = size(request).saturating_add(ANSWER).max(floor);
    let steps = std::iter::successors(Some(SMALLEST), |step| step.checked_mul(2));
    let step = steps.take_while(|step| *step < most).find(|step| *step >= needed).unwrap_or(most);
    // The server may have loaded the model with a window between two steps.
    Some(if floor >= needed.min(most) { floor.min(most) } else { step })
}

/// Tokens that the request has at most, for most texts.
pub(super) fn size(request: &ModelRequest) -> u32 {
    let tool = |tool: &crate::chat::ToolSpec| tool.name.len() + tool.description.len() + tool.schema.to_string().len();
    let tools: usize = request.tools.iter().map(tool).sum();
    let parts = |message: &Message| message.parts.iter().map(part_tokens).sum::<usize>();
    let said: usize = request.messages.iter().map(parts).sum();
    u32::try_from((request.system.len() + tools) / BYTES + said).unwrap_or(u32::MAX)
}

fn part_tokens(part: &Part) -> usize {
    match part {
        Part::Text(text) => text.len() / BYTES,
        Part::Thinking(thinking) => thinking.text.len() / BYTES,
        Part::Image(_) => PICTURE,
        Part::Call(call) => (call.name.len() + call.arguments.len()) / BYTES,
        Part::Result { outcome: Outcome::Done { text, images }, .. } => text.len() / BYTES + images.len() * PICTURE,
        Part::Result { outcome: Outcome::Failed { message }, .. } => message.len() / BYTES,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::Effort;
    use super::super::super::testing::request;
    use super::*;

    fn asking(bytes: usize, window: Option<u32>) -> ModelRequest {
        ModelRequest { window, messages: vec![Message::user("x".repeat(bytes))], ..request("m", Effort::Off) }
    }

    #[test]
    fn the_window_grows_in_steps_up_to_the_models() {
        let tokens = |bytes, floor| super::tokens(&asking(bytes, Some(40_960)), floor);
        assert_eq!(tokens(100, 0), Some(8_192));
        assert_eq!(tokens(12_000, 0), Some(8_192));
        assert_eq!(tokens(15_000, 0), Some(16_384));
        assert_eq!(tokens(60_000, 0), Some(32_768));
        assert_eq!(tokens(100_000, 0), Some(40_960), "not more than the model has");
        assert_eq!(tokens(10_000_000, 0), Some(40_960));
    }

    #[test]
    fn a_loaded_model_is_not_loaded_again_for_a_smaller_window() {
        let tokens = |bytes, floor| super::tokens(&asking(bytes, Some(32_768)), floor);
        assert_eq!(tokens(100, 16_384), Some(16_384));
        assert_eq!(tokens(100, 10_000), Some(10_000), "as the server has loaded it");
        assert_eq!(tokens(60_000, 10_000), Some(32_768));
        assert_eq!(super::tokens(&asking(100, Some(4_096)), 0), Some(4_096));
        assert_eq!(super::tokens(&asking(100, None), 8_192), None);
    }

    proptest! {
        #[test]
        fn a_window_holds_the_request_or_is_the_largest(bytes in 0usize..200_000, floor in 0u32..70_000, most in 1u32..200_000) {
            let request = asking(bytes, Some(most));
            let window = tokens(&request, floor).unwrap();
            prop_assert!(window <= most);
            prop_assert!(window == most || window >= size(&request) + ANSWER);
            prop_assert!(window >= floor.min(most));
        }
    }
}
