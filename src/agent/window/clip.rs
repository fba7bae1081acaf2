//! Cuts tool results, the newest included: the last means against a request that is too long.

use super::past::Transcript;
use super::stubs::messages;
use crate::chat::{Outcome, Part};
use crate::text;

/// Cuts every result to this many bytes, pictures included. Returns whether anything became shorter.
pub(super) fn clip_results(transcript: &mut Transcript, cap: usize) -> bool {
    let mut is_shorter = false;
    for part in messages(transcript).flat_map(|message| message.parts.iter_mut()) {
        let Part::Result { outcome, .. } = part else { continue };
        let (Outcome::Done { text: words, .. } | Outcome::Failed { message: words }) = &mut *outcome;
        if words.len() > cap + MARK.len() {
            *words = format!("{}{MARK}", text::beginning(words, cap));
            is_shorter = true;
        }
        if let Outcome::Done { images, .. } = outcome
            && !images.is_empty()
        {
            images.clear();
            is_shorter = true;
        }
    }
    transcript.is_compacted |= is_shorter;
    is_shorter
}

/// Ends a result that was cut.
const MARK: &str = "\n[the rest was left out: the model's window is full]";
