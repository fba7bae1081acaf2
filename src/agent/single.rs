//! A single request beside the conversation, without tools.

use tokio_util::sync::CancellationToken;

use super::Kit;
use super::meter::Meter;
use super::stream::AnswerDraft;
use crate::chat::Message;
use crate::provider::{CacheLifetime, ModelRequest};

/// The model's answer to one message, with secrets masked. `None` if it fails, is cancelled or says nothing.
pub(super) async fn ask(
    kit: &Kit,
    (system, message): (&str, Message),
    max_output: u32,
    meter: &mut Meter,
    cancel: &CancellationToken,
) -> Option<String> {
    let request = ModelRequest {
        model: kit.model.model.clone(),
        system: system.to_owned(),
        messages: vec![message],
        tools: Vec::new(),
        effort: kit.model.effort,
        max_output,
        // No later request begins like this one.
        cache: CacheLifetime::Off,
        window: kit.model.context_window,
    };
    let mut draft = AnswerDraft::default();
    let mut take = |delta| {
        draft.take(delta);
    };
    let streamed = cancel.run_until_cancelled(kit.model.provider.stream(&request, &mut take)).await;
    meter.add(&draft);
    let text = match streamed {
        Some(Ok(())) => draft.finish().message.text(),
        Some(Err(error)) => {
            tracing::warn!(?error, "a request beside the conversation failed");
            return None;
        }
        None => return None,
    };
    Some(kit.redactor.mask(text.trim())).filter(|text| !text.is_empty())
}
