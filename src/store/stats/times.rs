//! Commands by hour, weekday and day, in the person's time zone.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};

/// How many days are counted one by one, with today.
const DAYS: usize = 30;
const DAY: i64 = 86_400;
/// Time zones change their offset at a multiple of this many seconds.
const SPAN: i64 = 900;

/// How many commands were started at which time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BusyTimes {
    pub hours: [u64; 24],
    /// From Monday on.
    pub weekdays: [u64; 7],
    /// The last days, the oldest first. The last is today.
    pub days: Vec<(Date, u64)>,
}

/// Adds up commands by the time of their start.
pub(super) struct TimeCounts {
    zone: TimeZone,
    /// The last span of time for which the offset was looked up, and that offset in seconds.
    offset: (i64, i64),
    /// The number of today, counted from 1970-01-01.
    today: i64,
    date: Date,
    hours: [u64; 24],
    weekdays: [u64; 7],
    /// From today back.
    days: [u64; DAYS],
}

impl TimeCounts {
    pub(super) fn new(now: &Zoned) -> TimeCounts {
        let mut counts = TimeCounts {
            zone: now.time_zone().clone(),
            offset: (i64::MIN, 0),
            today: 0,
            date: now.date(),
            hours: [0; 24],
            weekdays: [0; 7],
            days: [0; DAYS],
        };
        counts.today = counts.local(now.timestamp().as_second()).div_euclid(DAY);
        counts
    }

    /// Counts a command that was started this many microseconds after 1970.
    pub(super) fn add(&mut self, started_at: i64) {
        let local = self.local(started_at.div_euclid(1_000_000));
        let day = local.div_euclid(DAY);
        let hour = local.rem_euclid(DAY) / 3_600;
        // The first day of 1970 was a Thursday.
        let weekday = (day + 3).rem_euclid(7);
        let places =
            [(&mut self.hours[..], hour), (&mut self.weekdays[..], weekday), (&mut self.days[..], self.today - day)];
        for (counts, at) in places {
            if let Some(count) = usize::try_from(at).ok().and_then(|at| counts.get_mut(at)) {
                *count += 1;
            }
        }
    }

    /// Seconds since 1970 on a clock in the person's time zone.
    fn local(&mut self, seconds: i64) -> i64 {
        let span = seconds.div_euclid(SPAN);
        if self.offset.0 != span {
            let offset = Timestamp::from_second(seconds).map(|time| self.zone.to_offset(time).seconds());
            self.offset = (span, offset.map_or(0, i64::from));
        }
        seconds.saturating_add(self.offset.1)
    }

    pub(super) fn finish(self) -> BusyTimes {
        let date = |ago: usize| self.date.checked_sub((ago as i64).days()).unwrap_or(self.date);
        let days = self.days.iter().enumerate().rev().map(|(ago, count)| (date(ago), *count)).collect();
        BusyTimes { hours: self.hours, weekdays: self.weekdays, days }
    }
}

impl BusyTimes {
    /// The weekdays in the order of `weekdays`.
    pub(crate) const WEEKDAYS: [Weekday; 7] = [
        Weekday::Monday,
        Weekday::Tuesday,
        Weekday::Wednesday,
        Weekday::Thursday,
        Weekday::Friday,
        Weekday::Saturday,
        Weekday::Sunday,
    ];
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_773_140_400;

    fn now(zone: &str) -> Zoned {
        Timestamp::from_second(NOW).unwrap().in_tz(zone).unwrap()
    }

    proptest! {
        #[test]
        fn a_command_counts_where_the_calendar_puts_it(
            before in 0i64..2_000_000_000,
            zone in proptest::sample::select(vec!["Europe/Vienna", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia", "UTC"]),
        ) {
            let now = now(zone);
            let mut counts = TimeCounts::new(&now);
            let started_at = NOW - before;
            counts.add(started_at * 1_000_000 + 7);
            let times = counts.finish();
            let local = Timestamp::from_second(started_at).unwrap().in_tz(zone).unwrap();
            prop_assert_eq!(times.hours[local.hour() as usize], 1);
            let weekday = local.weekday().to_monday_zero_offset() as usize;
            prop_assert_eq!((times.weekdays[weekday], BusyTimes::WEEKDAYS[weekday]), (1, local.weekday()));
            let counted: Vec<Date> = times.days.iter().filter(|(_, count)| *count > 0).map(|(date, _)| *date).collect();
            let is_recent = times.days.iter().any(|(date, _)| *date == local.date());
            prop_assert_eq!(counted, if is_recent { vec![local.date()] } else { Vec::new() });
        }
    }

    #[test]
    fn times_far_from_now_are_harmless() {
        let mut counts = TimeCounts::new(&now("Europe/Vienna"));
        for time in [i64::MIN, i64::MAX, -1, 0, (NOW + 3 * DAY) * 1_000_000] {
            counts.add(time);
        }
        let times = counts.finish();
        assert_eq!(times.hours.iter().sum::<u64>(), 5);
        assert_eq!(times.days.len(), DAYS);
        assert_eq!(times.days.iter().map(|(_, count)| count).sum::<u64>(), 0, "none is of the last days");
        assert_eq!(times.days[DAYS - 1].0, now("Europe/Vienna").date());
    }
}
