//! What the helper reports: one line for each fact.

use super::{Applied, Backend};

/// How the command itself ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportedEnd {
    Exited(i32),
    Signalled(i32),
}

/// The facts of a report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HelperReport {
    /// The version of Landlock's interface and whether seccomp is in force, once the command was about to start.
    started: Option<(Option<u32>, bool)>,
    /// Why the command could not be started.
    pub failure: Option<String>,
    pub end: Option<ReportedEnd>,
    /// Whether processes that the command left behind were ended.
    pub ended_others: bool,
}

impl HelperReport {
    pub(super) fn started(landlock: Option<u32>, has_seccomp: bool) -> String {
        format!("started {} {}\n", landlock.unwrap_or_default(), u8::from(has_seccomp))
    }

    pub(super) fn failed(why: &str) -> String {
        format!("failed {}\n", why.replace('\n', " "))
    }

    pub(super) fn ended(end: ReportedEnd, ended_others: bool) -> String {
        let others = u8::from(ended_others);
        match end {
            ReportedEnd::Exited(code) => format!("exited {code} {others}\n"),
            ReportedEnd::Signalled(signal) => format!("signalled {signal} {others}\n"),
        }
    }

    pub(crate) fn read(text: &str) -> HelperReport {
        let mut report = HelperReport::default();
        for line in text.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let mut numbers = rest.split(' ').map_while(|number| number.parse::<i32>().ok());
            let (first, second) = (numbers.next(), numbers.next());
            match (word, first, second) {
                ("failed", ..) => report.failure = Some(rest.to_owned()),
                ("started", Some(version), Some(seccomp)) => {
                    report.started = Some((u32::try_from(version).ok().filter(|version| *version > 0), seccomp == 1));
                }
                ("exited", Some(code), Some(others)) => {
                    (report.end, report.ended_others) = (Some(ReportedEnd::Exited(code)), others == 1);
                }
                ("signalled", Some(signal), Some(others)) => {
                    (report.end, report.ended_others) = (Some(ReportedEnd::Signalled(signal)), others == 1);
                }
                _ => {}
            }
        }
        report
    }

    /// What confined the command. `None` if it was never started.
    pub(crate) fn applied(&self, backend: Backend) -> Option<Applied> {
        self.started.map(|(landlock, has_seccomp)| Applied { backend, landlock, has_seccomp })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_as_it_was_written() {
        let text = HelperReport::started(Some(7), true) + &HelperReport::ended(ReportedEnd::Signalled(11), true);
        let report = HelperReport::read(&text);
        let applied = Applied { backend: Backend::Bubblewrap, landlock: Some(7), has_seccomp: true };
        assert_eq!(report.applied(Backend::Bubblewrap), Some(applied));
        assert_eq!((report.end, report.ended_others), (Some(ReportedEnd::Signalled(11)), true));
        let report = HelperReport::read(&HelperReport::failed("no\nmount"));
        assert_eq!((report.failure.as_deref(), report.applied(Backend::None)), (Some("no mount"), None));
    }
}
