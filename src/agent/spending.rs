//! What questions may cost, and what they have cost so far.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Zoned;

use crate::store::{Conversations, StoreError};
use crate::text::human;

const MICROS: f64 = 1e6;

/// Limits in millionths of a US dollar. 0 is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CostLimits {
    pub query: u64,
    pub day: u64,
    pub month: u64,
}

impl CostLimits {
    /// Whether there is any limit.
    pub(crate) fn is_set(self) -> bool {
        self != CostLimits::default()
    }

    /// Why a question that has cost this much goes no further, if that is so.
    pub(super) fn over_query(self, cost: Option<f64>) -> Option<String> {
        let cost = cost.filter(|cost| self.query > 0 && *cost >= amount(self.query))?;
        let (spent, limit) = (human::cost(Some(cost)), human::cost(Some(amount(self.query))));
        Some(format!(
            "stopped: this question has cost {spent} and the limit is {limit}; `shellmate config set limits.query {}` \
             raises it",
            doubled(self.query)
        ))
    }

    /// Why a question may go no further, if that is so: with what it has cost so far, the recorded questions have cost as much as the
    /// day or the month may. They are read on another thread, because other terminals record theirs too.
    pub(super) async fn over_recorded(self, database: Option<PathBuf>, running: RunningCost) -> Option<String> {
        if self.day == 0 && self.month == 0 {
            return None;
        }
        let database = database?;
        let read = move || spent(&database, running, &Zoned::now());
        match tokio::task::spawn_blocking(read).await {
            Ok(Ok(spent)) => self.over(spent, running),
            Ok(Err(error)) => {
                tracing::warn!(%error, "the recorded costs cannot be read");
                None
            }
            Err(error) => {
                tracing::warn!(%error, "the recorded costs cannot be added up");
                None
            }
        }
    }

    fn over(self, spent: Spent, running: RunningCost) -> Option<String> {
        let limits = [("day", "today", self.day, spent.day), ("month", "this month", self.month, spent.month)];
        let (key, when, limit, spent) =
            limits.into_iter().find(|(_, _, limit, spent)| *limit > 0 && *spent >= amount(*limit))?;
        let beginning = if running.has_asked { "stopped" } else { "nothing was asked" };
        Some(format!(
            "{beginning}: {} has been spent {when} and the limit is {}; `shellmate config set limits.{key} {}` raises it",
            human::cost(Some(spent)),
            human::cost(Some(amount(limit))),
            doubled(limit)
        ))
    }
}

/// The cost of a question that is not recorded yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunningCost {
    pub(super) started: SystemTime,
    pub(super) cost: f64,
    /// Whether the model was asked already.
    pub(super) has_asked: bool,
}

/// Says that a model's price is unknown.
pub(crate) fn unpriced(model: &str) -> String {
    format!(
        "the price of {model} is unknown, so it does not count towards your limits; `price` in \
         [[providers.NAME.models]] sets it"
    )
}

fn amount(micros: u64) -> f64 {
    micros as f64 / MICROS
}

/// Twice the limit, for a command that raises it.
fn doubled(micros: u64) -> f64 {
    amount(micros.saturating_mul(2))
}

/// Dollars of the current day and month.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Spent {
    day: f64,
    month: f64,
}

/// Adds up the recorded queries of the current month, and the running one.
fn spent(database: &Path, running: RunningCost, now: &Zoned) -> Result<Spent, StoreError> {
    let beginning = |day: jiff::civil::Date| day.to_zoned(now.time_zone().clone()).ok().map(SystemTime::from);
    let (today, month) = (beginning(now.date()), beginning(now.date().first_of_month()));
    let mut spent = Spent::default();
    // A question counts for the day on which it was asked.
    let mut add = |asked_at: SystemTime, cost: f64| {
        let counts_since = |since: Option<SystemTime>| since.is_some_and(|since| asked_at >= since);
        spent.month += if counts_since(month) { cost } else { 0.0 };
        spent.day += if counts_since(today) { cost } else { 0.0 };
    };
    add(running.started, running.cost);
    Conversations::open(database)?.for_each_query(month, |asked_at, query| add(asked_at, query.cost.unwrap_or(0.0)))?;
    Ok(spent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_reached_when_it_is_spent() {
        let limits = CostLimits { query: 500_000, day: 5_000_000, month: 50_000_000 };
        assert_eq!(limits.over_query(None), None);
        assert_eq!(limits.over_query(Some(0.49)), None);
        let stopped = limits.over_query(Some(0.5)).unwrap();
        assert!(stopped.contains("$0.50") && stopped.contains("config set limits.query 1`"), "{stopped}");
        let started = SystemTime::now();
        let before = RunningCost { started, cost: 0.0, has_asked: false };
        assert_eq!(limits.over(Spent { day: 4.9, month: 49.0 }, before), None);
        let day = limits.over(Spent { day: 5.0, month: 49.0 }, before).unwrap();
        assert!(day.starts_with("nothing was asked: $5.00 has been spent today"), "{day}");
        assert!(day.contains("limits.day 10"), "{day}");
        let during = RunningCost { has_asked: true, ..before };
        let month = limits.over(Spent { day: 0.0, month: 50.0 }, during).unwrap();
        assert!(month.starts_with("stopped: $50.00 has been spent this month"), "{month}");
        assert!(month.contains("limits.month 100"), "{month}");
        assert_eq!(CostLimits::default().over_query(Some(1e6)), None);
        assert_eq!(CostLimits::default().over(Spent { day: 1e6, month: 1e6 }, before), None);
    }

    #[test]
    fn a_running_question_counts_for_the_day_on_which_it_was_asked() {
        let place = tempfile::tempdir().unwrap();
        let now: Zoned = "2026-11-01T00:30:00+01:00[Europe/Berlin]".parse().unwrap();
        let asked = |at: &str, cost| {
            let started = SystemTime::from(at.parse::<jiff::Timestamp>().unwrap());
            spent(&place.path().join("none.db"), RunningCost { started, cost, has_asked: true }, &now).unwrap()
        };
        assert_eq!(asked("2026-10-31T23:10:00Z", 2.0), Spent { day: 2.0, month: 2.0 });
        assert_eq!(asked("2026-10-31T22:50:00Z", 2.0), Spent { day: 0.0, month: 0.0 });
    }
}
