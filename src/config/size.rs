//! Sizes in bytes with units.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A size in bytes: a number, or a number with a unit such as `"64 KiB"` or `"500 MB"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ByteSize(u64);

const UNITS: [(&str, u64); 5] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

impl ByteSize {
    pub(crate) const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    pub(crate) const fn kib(count: u64) -> Self {
        Self(count << 10)
    }

    pub(crate) const fn mib(count: u64) -> Self {
        Self(count << 20)
    }

    pub(crate) const fn gib(count: u64) -> Self {
        Self(count << 30)
    }

    pub(crate) const fn bytes(self) -> u64 {
        self.0
    }

    /// Parses `64 KiB`, `1GiB`, `500 MB`, `1.5 MiB`, `4096`. A bare `K`, `M` or `G` is a multiple of 1024, as in `dd` and `ulimit`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(unit_at);
        let factor: u64 = match unit.to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "k" | "kib" => 1 << 10,
            "m" | "mib" => 1 << 20,
            "g" | "gib" => 1 << 30,
            "t" | "tib" => 1 << 40,
            "kb" => 1_000,
            "mb" => 1_000_000,
            "gb" => 1_000_000_000,
            "tb" => 1_000_000_000_000,
            _ => return None,
        };
        let (whole, fraction) = number.trim_end().split_once('.').unwrap_or((number.trim_end(), "0"));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || fraction.is_empty() || fraction.len() > 6 {
            return None;
        }
        let scale = 10_u64.pow(u32::try_from(fraction.len()).ok()?);
        let part =
            u64::try_from(u128::from(fraction.parse::<u64>().ok()?) * u128::from(factor) / u128::from(scale)).ok()?;
        whole.parse::<u64>().ok()?.checked_mul(factor)?.checked_add(part).map(Self)
    }
}

impl fmt::Display for ByteSize {
    /// Writes the size in the largest unit that is exact.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, factor) = UNITS
            .into_iter()
            .find(|(_, factor)| self.0 >= *factor && self.0.is_multiple_of(*factor))
            .unwrap_or(("B", 1));
        write!(f, "{} {unit}", self.0 / factor)
    }
}

impl Serialize for ByteSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SizeVisitor)
    }
}

struct SizeVisitor;

impl Visitor<'_> for SizeVisitor {
    type Value = ByteSize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a size such as 65536 or \"64 KiB\"")
    }

    fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<ByteSize, E> {
        Ok(ByteSize(bytes))
    }

    fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<ByteSize, E> {
        u64::try_from(bytes).map(ByteSize).map_err(|_| E::invalid_value(de::Unexpected::Signed(bytes), &self))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<ByteSize, E> {
        ByteSize::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}

impl schemars::JsonSchema for ByteSize {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": ["integer", "string"],
            "minimum": 0,
            "pattern": r"^\s*[0-9]+(\.[0-9]{1,6})?\s*([KMGTkmgt]?[Bb]?|[KMGTkmgt][Ii][Bb])\s*$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed_with_their_units() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4096),
            ("64 KiB", 65_536),
            ("1GiB", 1 << 30),
            ("500 MB", 500_000_000),
            (" 2 k ", 2048),
            ("1.5 MiB", 1_572_864),
            ("12 b", 12),
        ] {
            assert_eq!(ByteSize::parse(text), Some(ByteSize(bytes)), "{text}");
        }
    }

    #[test]
    fn invalid_sizes_are_refused() {
        for text in ["", "KiB", "-1", "1 KiB x", "1 PiB", "1.", "1.1.1", "99999999999 GiB", "1e3", "١"] {
            assert_eq!(ByteSize::parse(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_written_size_parses_to_the_same_value(bytes: u64) {
            proptest::prop_assert_eq!(ByteSize::parse(&ByteSize(bytes).to_string()), Some(ByteSize(bytes)));
        }

        #[test]
        fn any_text_is_parsed_without_a_panic(text: String) {
            let _ = ByteSize::parse(&text);
        }
    }
}
