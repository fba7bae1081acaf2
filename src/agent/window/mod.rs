//! Keeps every request within the model's context window.
//!
//! [`Past`] is the part of a request that comes from earlier exchanges. [`Scale`] estimates how many tokens a request has, and learns
//! from the provider's own counts. [`Budget`] decides when a request is too long. The rungs make it shorter: `stubs` replaces tool
//! results by one line each, `summary` replaces old exchanges, `clip` cuts the newest results. `compact` climbs them, only as far
//! as needed.

mod budget;
mod clip;
pub(super) mod compact;
mod past;
mod scale;
mod stubs;
mod summary;

#[cfg(test)]
mod tests;

pub(super) use budget::Budget;
pub(super) use past::Transcript;
pub(crate) use past::{Past, Rewound, WindowState};
pub(crate) use scale::Scale;
pub(super) use scale::request_bytes;

/// A past in which a summary stands for all but the last exchange.
#[cfg(test)]
pub(super) fn summarised(past: &Past) -> Past {
    let mut past = past.clone();
    let count = past.exchanges.len().saturating_sub(1);
    summary::replace(&mut past, count, None, Budget::new(None, u32::MAX));
    past
}
