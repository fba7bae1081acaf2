//! When to ask again.
//!
//! The policy is data and a pure function; whoever runs the turn sleeps and asks again.

use std::time::{Duration, SystemTime};

use jiff::fmt::rfc2822;

use super::error::ProviderError;

/// What an error allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// The vendor said when.
    After(Duration),
    /// It may pass; wait longer each time.
    Backoff,
    /// The same request would fail the same way.
    Never,
}

/// How often and how patiently to ask again.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// Requests in all, the first included.
    pub tries: u32,
    /// The wait after the first failure; it doubles each time.
    pub first: Duration,
    /// How much of a wait may be left out or added, as a share of it. Many clients that failed together must not return together.
    pub jitter: f64,
    /// The longest wait a vendor may ask for; one that asks for more is an error at once.
    pub longest: Duration,
}

/// What to do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Ask again after this long.
    Again(Duration),
    GiveUp,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { tries: 4, first: Duration::from_secs(1), jitter: 0.25, longest: Duration::from_secs(30) }
    }
}

impl Policy {
    /// Says what to do after the request number `attempt` (from 1) has failed. `chance` is random in 0..1.
    pub fn decide(&self, attempt: u32, error: &ProviderError, chance: f64) -> Decision {
        if attempt >= self.tries {
            return Decision::GiveUp;
        }
        match error.retry() {
            Retry::Never => Decision::GiveUp,
            Retry::After(wait) if wait > self.longest => Decision::GiveUp,
            // Later than asked is polite, sooner is not.
            Retry::After(wait) => Decision::Again(wait + self.first.mul_f64(self.jitter * chance.clamp(0.0, 1.0))),
            Retry::Backoff => Decision::Again(self.backoff(attempt, chance)),
        }
    }

    fn backoff(&self, attempt: u32, chance: f64) -> Duration {
        let doubled = self.first.saturating_mul(1 << attempt.saturating_sub(1).min(16));
        let spread = 1.0 + self.jitter * (2.0 * chance.clamp(0.0, 1.0) - 1.0);
        doubled.mul_f64(spread).min(self.longest)
    }
}

/// Reads a `Retry-After`: seconds, with or without a fraction, or an HTTP date.
pub(super) fn after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = rfc2822::DateTimeParser::new().parse_timestamp(header).ok()?;
    Some(SystemTime::from(date).duration_since(now).unwrap_or_default())
}
