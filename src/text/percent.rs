//! Percent-encoding of arbitrary bytes.

/// Decodes `%XX`. A `%` that is not followed by two hex digits is kept as it is.
pub(crate) fn decode(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'%'
            && let [high, low, after @ ..] = tail
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            out.push(high << 4 | low);
            rest = after;
        } else {
            out.push(byte);
            rest = tail;
        }
    }
    out
}

/// Encodes every byte that `keep` rejects as `%XX`. Non-ASCII bytes and `%` itself are always encoded.
pub(crate) fn encode(bytes: &[u8], keep: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        if byte != b'%' && byte.is_ascii() && keep(byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 0xF)]));
        }
    }
    out
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_valid_escapes_are_decoded() {
        assert_eq!(decode(b"/tmp/100%25 sure%0A"), b"/tmp/100% sure\n");
        assert_eq!(decode(b"100% %g1 %4"), b"100% %g1 %4");
        assert_eq!(decode(b"%"), b"%");
    }

    proptest::proptest! {
        #[test]
        fn encoding_round_trips(bytes: Vec<u8>) {
            proptest::prop_assert_eq!(decode(encode(&bytes, |b| b.is_ascii_graphic()).as_bytes()), bytes);
        }
    }
}
