//! Amounts of money.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

const MICROS: f64 = 1e6;

/// An amount in US dollars, exact to a millionth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
#[schemars(with = "f64")]
pub(crate) struct Dollars(u64);

impl Dollars {
    pub(super) fn micros(self) -> u64 {
        self.0
    }

    pub(super) fn amount(self) -> f64 {
        self.0 as f64 / MICROS
    }

    /// An amount that is not negative and not absurd.
    fn new(amount: f64) -> Option<Dollars> {
        let is_sane = (0.0..=1e9).contains(&amount);
        is_sane.then(|| Dollars((amount * MICROS).round() as u64))
    }
}

impl Serialize for Dollars {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.amount())
    }
}

impl<'de> Deserialize<'de> for Dollars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Dollars, D::Error> {
        deserializer.deserialize_any(Amount)
    }
}

struct Amount;

impl Visitor<'_> for Amount {
    type Value = Dollars;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an amount in dollars, such as 0.5")
    }

    fn visit_f64<E: de::Error>(self, amount: f64) -> Result<Dollars, E> {
        Dollars::new(amount).ok_or_else(|| E::invalid_value(de::Unexpected::Float(amount), &self))
    }

    fn visit_i64<E: de::Error>(self, amount: i64) -> Result<Dollars, E> {
        Dollars::new(amount as f64).ok_or_else(|| E::invalid_value(de::Unexpected::Signed(amount), &self))
    }

    fn visit_u64<E: de::Error>(self, amount: u64) -> Result<Dollars, E> {
        Dollars::new(amount as f64).ok_or_else(|| E::invalid_value(de::Unexpected::Unsigned(amount), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_a_number_of_dollars() {
        let read = |text: &str| serde_json::from_str::<Dollars>(text).map_err(|error| error.to_string());
        assert!((read("0.5").unwrap().amount() - 0.5).abs() < 1e-9);
        assert_eq!(read("3").unwrap(), Dollars(3_000_000));
        assert_eq!(serde_json::to_string(&Dollars(2_800)).unwrap(), "0.0028");
        for wrong in ["-1", "1e12", "\"5\""] {
            assert!(read(wrong).unwrap_err().contains("expected an amount in dollars, such as 0.5"), "{wrong}");
        }
    }
}
