//! A single request beside the conversation, without tools.

use tokio_util::sync::CancellationToken;

use super::meter::Meter;
use super::stream::AnswerDraft;
use super::{Kit, failure};
use crate::chat::{Ending, Message};
use crate::provider::{CacheLifetime, ModelRequest, Resolved};

/// A model's answer to one message, with secrets masked, and how the request ended. The answer is `None` if the request fails, is
/// cancelled or says nothing.
pub(super) struct SingleAnswer<'a> {
    pub(super) text: Option<String>,
    pub(super) ending: Ending,
    /// The model that was asked last.
    pub(super) model: &'a Resolved,
}

/// Asks the model for requests beside the conversation, and then the conversation's own if that one does not answer.
pub(super) async fn ask<'a>(
    kit: &'a Kit,
    (system, message): (&str, Message),
    max_output: u32,
    meter: &mut Meter,
    cancel: &CancellationToken,
) -> SingleAnswer<'a> {
    if let Some(model) = &kit.fast {
        let (text, ending) = ask_model(kit, model, (system, message.clone()), max_output, meter, cancel).await;
        if text.is_some() || cancel.is_cancelled() {
            return SingleAnswer { text, ending, model };
        }
    }
    let (text, ending) = ask_model(kit, &kit.model, (system, message), max_output, meter, cancel).await;
    SingleAnswer { text, ending, model: &kit.model }
}

async fn ask_model(
    kit: &Kit,
    model: &Resolved,
    (system, message): (&str, Message),
    max_output: u32,
    meter: &mut Meter,
    cancel: &CancellationToken,
) -> (Option<String>, Ending) {
    let request = ModelRequest {
        model: model.model.clone(),
        system: system.to_owned(),
        messages: vec![message],
        tools: Vec::new(),
        effort: model.effort,
        max_output: model.traits.output.map_or(max_output, |most| most.min(max_output)),
        // No later request begins like this one.
        cache: CacheLifetime::Off,
        window: model.context_window,
    };
    let mut draft = AnswerDraft::default();
    let mut take = |delta| {
        draft.take(delta);
    };
    let streamed = cancel.run_until_cancelled(model.provider.stream(&request, &mut take)).await;
    meter.add(&draft);
    let text = match streamed {
        Some(Ok(())) => draft.finish().message.text(),
        Some(Err(error)) => {
            tracing::warn!(?error, "a request beside the conversation failed");
            return (None, Ending::Failed(failure::of(&error)));
        }
        None => return (None, Ending::Interrupted),
    };
    (Some(kit.redactor.mask(text.trim())).filter(|text| !text.is_empty()), Ending::Answered)
}
