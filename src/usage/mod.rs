//! What questions cost: recorded queries by day and model, and their chart.
//!
//! [`UsageReport`] adds up the figures that `store` keeps of each query. `chart` draws a report for a terminal. Touches store and text.

mod chart;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan, Zoned};

pub(crate) use chart::chart;

use crate::store::{Conversations, QueryFigures, StoreError};

/// The days that a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Period {
    Today,
    /// The last 7 days, with today.
    Week,
    /// The last 30 days, with today.
    Month,
    All,
}

/// A word that is not the name of a period.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no period {0}; there are today, week, month and all")]
pub(crate) struct UnknownPeriod(String);

impl Period {
    pub(crate) const NAMES: [&str; 4] = ["today", "week", "month", "all"];

    /// The first of its days, in the time zone of `now`. `None` if it has no beginning.
    fn first_day(self, now: &Zoned) -> Option<Date> {
        let days = match self {
            Period::Today => 0,
            Period::Week => 6,
            Period::Month => 29,
            Period::All => return None,
        };
        now.date().checked_sub(days.days()).ok()
    }

    /// Its name in a sentence.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Period::Today => "today",
            Period::Week => "in the last 7 days",
            Period::Month => "in the last 30 days",
            Period::All => "so far",
        }
    }
}

impl FromStr for Period {
    type Err = UnknownPeriod;

    fn from_str(word: &str) -> Result<Period, UnknownPeriod> {
        match word {
            "today" => Ok(Period::Today),
            "week" => Ok(Period::Week),
            "month" => Ok(Period::Month),
            "all" => Ok(Period::All),
            _ => Err(UnknownPeriod(word.to_owned())),
        }
    }
}

/// The figures of several queries.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct UsageSum {
    pub queries: u64,
    /// Queries that failed or were stopped.
    pub unanswered: u64,
    pub input: u64,
    pub output: u64,
    pub cached: u64,
    pub cache_written: u64,
    /// In US dollars, of the queries whose price is known. `None` if no price is.
    pub cost: Option<f64>,
    pub duration: Duration,
    /// The times to the first token.
    first_tokens: Vec<Duration>,
}

/// Queries by local day and model, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct UsageReport {
    /// By day and full name of the model.
    pub days: BTreeMap<(Date, String), UsageSum>,
}

impl UsageReport {
    /// Adds up the recorded queries of a period. Days are those of the time zone of `now`.
    pub(crate) fn read(stored: &Conversations, period: Period, now: &Zoned) -> Result<UsageReport, StoreError> {
        let first = period.first_day(now);
        let since = first.and_then(|day| day.to_zoned(now.time_zone().clone()).ok()).map(SystemTime::from);
        let mut report = UsageReport::default();
        stored.for_each_query(since, |asked_at, query| report.add(asked_at, &query, now))?;
        Ok(report)
    }

    fn add(&mut self, asked_at: SystemTime, query: &QueryFigures, now: &Zoned) {
        // A time that no calendar has does not occur.
        let Ok(asked_at) = Timestamp::try_from(asked_at) else { return };
        let day = asked_at.to_zoned(now.time_zone().clone()).date();
        let model = format!("{}/{}", query.provider, query.model);
        self.days.entry((day, model)).or_default().add(query);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.days.is_empty()
    }

    /// The sums of each day.
    pub(crate) fn by_day(&self) -> BTreeMap<Date, UsageSum> {
        self.grouped(|day, _| day)
    }

    /// The sums of each month, under its first day.
    fn by_month(&self) -> BTreeMap<Date, UsageSum> {
        self.grouped(|day, _| day.first_of_month())
    }

    /// The sums of each model, the most used first.
    pub(crate) fn by_model(&self) -> Vec<(String, UsageSum)> {
        let mut models: Vec<_> = self.grouped(|_, model| model.to_owned()).into_iter().collect();
        models.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.tokens()));
        models
    }

    pub(crate) fn total(&self) -> UsageSum {
        self.grouped(|_, _| ()).remove(&()).unwrap_or_default()
    }

    fn grouped<K: Ord>(&self, key: impl Fn(Date, &str) -> K) -> BTreeMap<K, UsageSum> {
        let mut groups: BTreeMap<K, UsageSum> = BTreeMap::new();
        for ((day, model), sum) in &self.days {
            groups.entry(key(*day, model)).or_default().join(sum);
        }
        groups
    }
}

impl UsageSum {
    /// All tokens, in and out.
    pub(crate) fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// The median time to the first token.
    pub(crate) fn first_token(&self) -> Option<Duration> {
        let mut times = self.first_tokens.clone();
        times.sort_unstable();
        times.get(times.len().checked_sub(1)? / 2).copied()
    }

    fn add(&mut self, query: &QueryFigures) {
        self.join(&UsageSum {
            queries: 1,
            unanswered: u64::from(query.ending != "answered"),
            input: query.input,
            output: query.output,
            cached: query.cached,
            cache_written: query.cache_written,
            cost: query.cost,
            duration: query.duration,
            first_tokens: query.first_token.into_iter().collect(),
        });
    }

    fn join(&mut self, other: &UsageSum) {
        self.queries += other.queries;
        self.unanswered += other.unanswered;
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
        self.cache_written = self.cache_written.saturating_add(other.cache_written);
        self.cost = match (self.cost, other.cost) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        self.duration = self.duration.saturating_add(other.duration);
        self.first_tokens.extend(&other.first_tokens);
    }
}
