//! Signed thinking that a server does not accept any more: of another account, of a proxy that has changed its upstream, or damaged.
//! Without this, one such signature would make every later question of a conversation fail.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;

use super::super::ModelRequest;
use crate::chat::{Part, Thinking};

/// Hashes of the thinking that was refused.
#[derive(Debug, Default)]
pub(super) struct RefusedThinking(Mutex<HashSet<u64>>);

impl RefusedThinking {
    /// Remembers the signed thinking of a refused request. Returns whether there is any that was not refused before.
    pub(super) fn refuse(&self, request: &ModelRequest) -> bool {
        let Ok(mut refused) = self.0.lock() else { return false };
        let before = refused.len();
        let parts = request.messages.iter().flat_map(|message| &message.parts);
        refused.extend(parts.filter_map(signed));
        refused.len() > before
    }

    /// The request without refused thinking. `None` if it has none.
    pub(super) fn without(&self, request: &ModelRequest) -> Option<ModelRequest> {
        let refused = self.0.lock().ok().filter(|refused| !refused.is_empty())?;
        let is_refused = |part: &Part| signed(part).is_some_and(|hash| refused.contains(&hash));
        if !request.messages.iter().flat_map(|message| &message.parts).any(is_refused) {
            return None;
        }
        let mut request = request.clone();
        request.messages.iter_mut().for_each(|message| message.parts.retain(|part| !is_refused(part)));
        Some(request)
    }
}

/// The hash of a part that is signed thinking.
fn signed(part: &Part) -> Option<u64> {
    let Part::Thinking(Thinking { text, signature, redacted }) = part else { return None };
    if signature.is_none() && redacted.is_none() {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    (text, signature, redacted).hash(&mut hasher);
    Some(hasher.finish())
}
