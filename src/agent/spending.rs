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

    /// Why no question may be asked now, if that is so. The recorded queries are read on another thread.
    pub(super) async fn over_recorded(self, database: Option<PathBuf>) -> Option<String> {
        if self.day == 0 && self.month == 0 {
            return None;
        }
        let database = database?;
        let read = move || spent(&database, &Zoned::now());
        match tokio::task::spawn_blocking(read).await {
            Ok(Ok(spent)) => self.over(spent),
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

    fn over(self, spent: Spent) -> Option<String> {
        let limits = [("day", "today", self.day, spent.day), ("month", "this month", self.month, spent.month)];
        let (key, when, limit, spent) =
            limits.into_iter().find(|(_, _, limit, spent)| *limit > 0 && *spent >= amount(*limit))?;
        Some(format!(
            "nothing was asked: {} has been spent {when} and the limit is {}; `shellmate config set limits.{key} {}` raises it",
            human::cost(Some(spent)),
            human::cost(Some(amount(limit))),
            doubled(limit)
        ))
    }
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

/// Adds up the recorded queries of the current month.
fn spent(database: &Path, now: &Zoned) -> Result<Spent, StoreError> {
    let beginning = |day: jiff::civil::Date| day.to_zoned(now.time_zone().clone()).ok().map(SystemTime::from);
    let (today, month) = (beginning(now.date()), beginning(now.date().first_of_month()));
    let mut spent = Spent::default();
    Conversations::open(database)?.for_each_query(month, |asked_at, query| {
        let cost = query.cost.unwrap_or(0.0);
        spent.month += cost;
        if today.is_some_and(|today| asked_at >= today) {
            spent.day += cost;
        }
    })?;
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
        assert_eq!(limits.over(Spent { day: 4.9, month: 49.0 }), None);
        let day = limits.over(Spent { day: 5.0, month: 49.0 }).unwrap();
        assert!(day.contains("today") && day.contains("limits.day 10"), "{day}");
        let month = limits.over(Spent { day: 0.0, month: 50.0 }).unwrap();
        assert!(month.contains("this month") && month.contains("limits.month 100"), "{month}");
        assert_eq!(CostLimits::default().over_query(Some(1e6)), None);
        assert_eq!(CostLimits::default().over(Spent { day: 1e6, month: 1e6 }), None);
    }
}
