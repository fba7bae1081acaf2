//! What may follow the beginning of a token.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// Letters and digits.
    Plain,
    /// Small letters and digits.
    Small,
    /// Capitals and digits.
    Capitals,
    /// Capitals, digits and `-`.
    DashedCapitals,
    Hex,
    /// Hexadecimal digits and `-`.
    Uuid,
    /// Letters, digits, `_` and `-`.
    Dashed,
    /// Letters, digits and `_-:`.
    Joined,
    /// Letters, digits and `+/=_-`.
    Base64,
    /// Letters, digits and `_-./%+=:$`.
    Dotted,
    /// The alphabet of password hashes.
    Crypt,
    /// The rest of an address.
    Path,
}

use Body::{Base64, Capitals, Crypt, Dashed, DashedCapitals, Dotted, Hex, Joined, Path, Plain, Small, Uuid};

impl Body {
    pub(super) fn takes(self, byte: u8) -> bool {
        let is_letter_or_digit = byte.is_ascii_alphanumeric();
        match self {
            Plain => is_letter_or_digit,
            Small => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
            Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            DashedCapitals => byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-',
            Hex => byte.is_ascii_hexdigit(),
            Uuid => byte.is_ascii_hexdigit() || byte == b'-',
            Dashed => is_letter_or_digit || b"_-".contains(&byte),
            Joined => is_letter_or_digit || b"_-:".contains(&byte),
            Base64 => is_letter_or_digit || b"+/=_-".contains(&byte),
            Dotted => is_letter_or_digit || b"_-./%+=:$".contains(&byte),
            Crypt => is_letter_or_digit || b"./$=,+-_*:".contains(&byte),
            Path => !byte.is_ascii_whitespace() && !b"\"'`<>()[]{}|\\,;".contains(&byte),
        }
    }

    /// Whether a sentence or an address may go on right behind such a token with characters that belong to its alphabet.
    pub(super) fn has_punctuation(self) -> bool {
        matches!(self, Dotted | Path | Crypt | Joined)
    }

    /// Words joined by dashes are a name. What was drawn at random has digits, or capitals amid small letters, in one long run.
    pub(super) fn is_random(self, body: &[u8], is_telling: bool) -> bool {
        let runs = body.split(|byte| !byte.is_ascii_alphanumeric());
        let longest = runs.map(<[u8]>::len).max().unwrap_or_default();
        let count = |test: fn(&u8) -> bool| body.iter().filter(|byte| test(byte)).count();
        let (digits, capitals) = (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase));
        let is_mixed = digits >= 1 || capitals >= 1 && count(u8::is_ascii_lowercase) >= 1;
        match self {
            Capitals => digits >= 1 || is_telling && body.len() >= 16,
            DashedCapitals => digits >= 4,
            Hex | Small | Uuid => digits >= 2,
            Path => true,
            _ if is_telling => is_mixed && longest >= 5,
            _ => is_mixed && digits >= 1 && longest >= 10,
        }
    }
}
