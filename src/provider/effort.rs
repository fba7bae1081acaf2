//! Levels of thinking.

use std::fmt;
use std::str::FromStr;

/// How hard a model should think, from not at all to as hard as it can. Each wire maps this to the levels of its models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Effort {
    Off,
    Minimal,
    Low,
    #[default]
    Medium,
    High,
    XHigh,
}

/// A word that is not the name of a level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no thinking level {0}; the levels are off, minimal, low, medium, high and xhigh")]
pub(crate) struct UnknownEffort(String);

impl Effort {
    pub(crate) const ALL: [Effort; 6] =
        [Effort::Off, Effort::Minimal, Effort::Low, Effort::Medium, Effort::High, Effort::XHigh];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Effort::Off => "off",
            Effort::Minimal => "minimal",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
            Effort::XHigh => "xhigh",
        }
    }

    /// The name in the requests of most vendors.
    pub(super) fn api_name(self) -> &'static str {
        match self {
            Effort::Off => "none",
            Effort::Minimal | Effort::Low | Effort::Medium | Effort::High | Effort::XHigh => self.name(),
        }
    }

    /// The most tokens that this level takes, for wires whose limit of an answer includes thinking and for those that want a budget.
    pub(super) fn headroom(self) -> u32 {
        match self {
            Effort::Off => 0,
            Effort::Minimal => 1_024,
            Effort::Low => 4_096,
            Effort::Medium => 10_240,
            Effort::High => 20_480,
            Effort::XHigh => 32_768,
        }
    }

    /// The nearest of a model's levels; the lower of two equally near.
    pub(super) fn nearest(self, known: &[Effort]) -> Option<Effort> {
        known.iter().copied().min_by_key(|effort| ((*effort as i8).abs_diff(self as i8), *effort))
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Effort {
    type Err = UnknownEffort;

    fn from_str(word: &str) -> Result<Effort, UnknownEffort> {
        let found = Effort::ALL.into_iter().find(|effort| effort.name().eq_ignore_ascii_case(word));
        found.ok_or_else(|| UnknownEffort(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for effort in Effort::ALL {
            assert_eq!(effort.to_string().parse(), Ok(effort));
        }
        assert_eq!("High".parse(), Ok(Effort::High));
        assert!("free".parse::<Effort>().is_err());
    }

    #[test]
    fn the_nearest_level_is_the_lower_of_two() {
        let known = [Effort::Low, Effort::High];
        assert_eq!(Effort::XHigh.nearest(&known), Some(Effort::High));
        assert_eq!(Effort::Medium.nearest(&known), Some(Effort::Low));
        assert_eq!(Effort::Off.nearest(&known), Some(Effort::Low));
        assert_eq!(Effort::Off.nearest(&[]), None);
    }
}
