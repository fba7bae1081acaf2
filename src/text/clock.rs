//! Dates and times as a model reads them.

use std::time::SystemTime;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// A moment in the person's time zone, from which other times are told.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    now: Zoned,
}

impl Clock {
    /// A clock that shows this time.
    pub(crate) fn new(now: SystemTime, zone: TimeZone) -> Clock {
        Clock { now: zoned(now, zone) }
    }

    /// The date, the time and its distance from UTC: `Wed 2026-11-18 07:40 +01:00`.
    pub(crate) fn today(&self) -> String {
        self.now.strftime("%a %Y-%m-%d %H:%M %:z").to_string()
    }

    /// A point in time: `07:31:05` today, `2026-11-17 22:10` on any other day.
    pub(crate) fn time(&self, time: SystemTime) -> String {
        let time = zoned(time, self.now.time_zone().clone());
        let format = if time.date() == self.now.date() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M" };
        time.strftime(format).to_string()
    }

    pub(crate) fn now(&self) -> &Zoned {
        &self.now
    }
}

/// Times that no calendar has become the beginning of 1970.
fn zoned(time: SystemTime, zone: TimeZone) -> Zoned {
    Timestamp::try_from(time).unwrap_or_default().to_zoned(zone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_of_another_day_have_their_date() {
        let now: Zoned = "2026-03-10T12:00:00+01:00[Europe/Vienna]".parse().unwrap();
        let clock = Clock { now: now.clone() };
        let ago = |hours: u64| clock.time(SystemTime::from(now.timestamp()) - Duration::from_secs(hours * 3_600));
        assert_eq!(clock.today(), "Tue 2026-03-10 12:00 +01:00");
        assert_eq!(ago(12), "00:00:00");
        assert_eq!(ago(13), "2026-03-09 23:00");
        let never = Clock::new(SystemTime::UNIX_EPOCH, TimeZone::UTC);
        assert_eq!(never.today(), "Thu 1970-01-01 00:00 +00:00");
    }
}
