//! When to send a failed request again.
//!
//! The policy is data and a pure function. The caller waits and sends.

use std::time::{Duration, SystemTime};

use jiff::fmt::rfc2822;

use super::error::ProviderError;

/// The longest wait that a vendor may ask for. A longer one is an error at once, and its message says how long.
pub(super) const LONGEST: Duration = Duration::from_secs(30);

/// Whether the same request can succeed later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retry {
    /// After the time that the vendor named.
    After(Duration),
    /// Perhaps; wait longer each time.
    Backoff,
    /// No: it would fail in the same way.
    Never,
}

/// How often to send a request, and how long to wait in between.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Policy {
    /// Requests in all, the first included.
    pub tries: u32,
    /// The wait after the first failure; it doubles each time.
    pub first: Duration,
    /// The share of a wait that chance may add or remove, so that clients that failed together do not return together.
    pub jitter: f64,
    /// The longest wait that a vendor may ask for.
    pub longest: Duration,
}

/// What to do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextTry {
    /// Ask again after this long.
    Again(Duration),
    GiveUp,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { tries: 4, first: Duration::from_secs(1), jitter: 0.25, longest: LONGEST }
    }
}

impl Policy {
    /// Decides what to do after the request number `attempt` (from 1) has failed. `chance` is random in 0..1.
    pub(crate) fn decide(&self, attempt: u32, error: &ProviderError, chance: f64) -> NextTry {
        if attempt >= self.tries {
            return NextTry::GiveUp;
        }
        match error.retry() {
            Retry::Never => NextTry::GiveUp,
            Retry::After(wait) if wait > self.longest => NextTry::GiveUp,
            // Later than the vendor asked for is allowed, sooner is not.
            Retry::After(wait) => NextTry::Again(wait + self.first.mul_f64(self.jitter * chance.clamp(0.0, 1.0))),
            Retry::Backoff => NextTry::Again(self.backoff(attempt, chance)),
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
    if let Ok(seconds) = header.trim().parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    Some(date(header)?.duration_since(now).unwrap_or_default())
}

/// Reads a `retry-after-ms`, with or without a fraction.
pub(super) fn after_millis(header: &str) -> Option<Duration> {
    let millis: f64 = header.trim().parse().ok()?;
    Duration::try_from_secs_f64(millis / 1_000.0).ok()
}

/// Reads an HTTP date.
pub(super) fn date(header: &str) -> Option<SystemTime> {
    rfc2822::DateTimeParser::new().parse_timestamp(header.trim()).ok().map(SystemTime::from)
}

#[cfg(test)]
mod tests {
    use super::super::ErrorKind;
    use super::*;

    fn decide(attempt: u32, kind: ErrorKind, wait: Option<u64>, chance: f64) -> NextTry {
        let error = ProviderError::new("v", kind).after(wait.map(Duration::from_secs));
        Policy::default().decide(attempt, &error, chance)
    }

    #[test]
    fn waits_double_and_four_tries_are_enough() {
        let waits: Vec<NextTry> = (1..=4).map(|attempt| decide(attempt, ErrorKind::Overloaded, None, 0.5)).collect();
        let again = |seconds| NextTry::Again(Duration::from_secs(seconds));
        assert_eq!(waits, [again(1), again(2), again(4), NextTry::GiveUp]);
    }

    #[test]
    fn chance_spreads_a_wait_by_a_quarter() {
        let wait = |chance| decide(2, ErrorKind::BrokenOff, None, chance);
        assert_eq!(wait(0.0), NextTry::Again(Duration::from_millis(1_500)));
        assert_eq!(wait(1.0), NextTry::Again(Duration::from_millis(2_500)));
        assert_eq!(wait(f64::MAX), wait(1.0));
    }

    #[test]
    fn a_vendor_is_waited_for_half_a_minute_at_most() {
        let at_once = NextTry::Again(Duration::from_secs(30));
        assert_eq!(decide(1, ErrorKind::RateLimited, Some(30), 0.0), at_once);
        assert_eq!(decide(1, ErrorKind::RateLimited, Some(31), 0.0), NextTry::GiveUp);
        assert_eq!(decide(1, ErrorKind::ContextTooLong { window: None }, Some(1), 0.0), NextTry::GiveUp);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(after("120", now), Some(Duration::from_secs(120)));
        assert_eq!(after(" 0.5 ", now), Some(Duration::from_millis(500)));
        assert_eq!(after("Sun, 06 Nov 1994 08:49:47 GMT", now), Some(Duration::from_secs(10)));
        assert_eq!(after("Sun, 06 Nov 1994 08:49:00 GMT", now), Some(Duration::ZERO));
        assert_eq!(after("soon", now), None);
        for nonsense in ["-1", "inf", "NaN", "1e99", ""] {
            assert_eq!(after(nonsense, now), None, "{nonsense}");
        }
        assert_eq!(after_millis("1250.5"), Some(Duration::from_micros(1_250_500)));
        assert_eq!(after_millis("soon"), None);
    }

    #[test]
    fn a_wait_that_is_too_long_is_in_the_message() {
        let error = |wait| ProviderError::new("v", ErrorKind::RateLimited).after(Some(Duration::from_secs(wait)));
        assert_eq!(
            error(30).to_string(),
            "you have reached the rate limit of v; ask again later, or choose another model with /model"
        );
        assert_eq!(error(95).to_string(), "you have reached the rate limit of v; ask again in 1m35s");
    }
}
