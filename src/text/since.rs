//! Points in time as people write them: `2h`, `yesterday`, `2026-03-01`.

use std::str::FromStr;
use std::time::SystemTime;

use jiff::civil::{DateTime, Time};
use jiff::{Span, Timestamp, ToSpan, Zoned};

/// A point in time, relative to now or absolute.
#[derive(Debug, Clone)]
pub(crate) enum Since {
    /// This long ago.
    Ago(Span),
    /// The start of the day this many days ago.
    Day(i64),
    /// A time of today.
    Today(Time),
    /// A date, with or without a time, in the local time zone.
    Local(DateTime),
    Exact(Timestamp),
}

/// A text that is not a point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected how long ago (30m, 2h, 2d, 1w), today, yesterday, a time (14:30), a date (2026-03-01) \
     or a timestamp (2026-03-01T14:30:00Z)"
)]
pub(crate) struct SinceError;

impl FromStr for Since {
    type Err = SinceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        match text {
            "today" => return Ok(Since::Day(0)),
            "yesterday" => return Ok(Since::Day(1)),
            _ => {}
        }
        // `Span` also parses signs and `ago`, which could mean the future.
        if text.starts_with(|c: char| c.is_ascii_digit())
            && !text.contains("ago")
            && let Ok(span) = text.parse::<Span>()
        {
            return Ok(Since::Ago(span));
        }
        let exact = text.parse().map(Since::Exact);
        let local = || text.parse().map(Since::Local);
        let today = || text.parse().map(Since::Today);
        exact.or_else(|_| local()).or_else(|_| today()).map_err(|_| SinceError)
    }
}

impl Since {
    /// The point in time, seen from `now`. Fails if it is beyond the calendar.
    pub(crate) fn before(&self, now: &Zoned) -> Result<SystemTime, jiff::Error> {
        let zone = now.time_zone().clone();
        let point = match self {
            Since::Ago(span) => now.checked_sub(*span)?.timestamp(),
            Since::Day(days) => now.checked_sub(days.days())?.start_of_day()?.timestamp(),
            Since::Today(time) => now.date().to_datetime(*time).to_zoned(zone)?.timestamp(),
            Since::Local(time) => time.to_zoned(zone)?.timestamp(),
            Since::Exact(point) => *point,
        };
        Ok(point.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str) -> String {
        let now: Zoned = "2026-03-10T12:00:00+01:00[Europe/Vienna]".parse().unwrap();
        let since = text.parse::<Since>().unwrap().before(&now).unwrap();
        Timestamp::try_from(since).unwrap().to_string()
    }

    #[test]
    fn every_form_is_parsed() {
        for (text, point) in [
            ("45s", "2026-03-10T10:59:15Z"),
            ("30m", "2026-03-10T10:30:00Z"),
            ("2h", "2026-03-10T09:00:00Z"),
            ("1h30m", "2026-03-10T09:30:00Z"),
            ("2d", "2026-03-08T11:00:00Z"),
            ("1w", "2026-03-03T11:00:00Z"),
            ("2 days", "2026-03-08T11:00:00Z"),
            ("today", "2026-03-09T23:00:00Z"),
            ("yesterday", "2026-03-08T23:00:00Z"),
            ("08:30", "2026-03-10T07:30:00Z"),
            ("2026-03-01", "2026-02-28T23:00:00Z"),
            ("2026-03-01 14:30", "2026-03-01T13:30:00Z"),
            ("2026-03-01T14:30:00Z", "2026-03-01T14:30:00Z"),
            ("2026-03-01T14:30:00+05:30", "2026-03-01T09:00:00Z"),
        ] {
            assert_eq!(resolved(text), point, "{text}");
        }
    }

    #[test]
    fn the_error_lists_the_accepted_forms() {
        for text in ["", "soon", "-2d", "2", "2x", "2026-13-01", "99:99"] {
            let error = text.parse::<Since>().expect_err(text);
            assert!(error.to_string().contains("30m, 2h, 2d, 1w"), "{error}");
        }
    }
}
