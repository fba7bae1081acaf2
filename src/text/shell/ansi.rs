//! The escapes of `$'…'`.

/// The text of `$'…'`.
pub(super) struct Decoded {
    pub(super) text: String,
    /// Whether every shell in every locale reads the same text.
    pub(super) is_certain: bool,
}

/// Decodes the text between the quotes of `$'…'`.
pub(super) fn decode(source: &str) -> Decoded {
    let mut bytes = Vec::new();
    let mut is_certain = true;
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c != '\\' {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let Some(escape) = rest.chars().next() else {
            bytes.push(b'\\');
            break;
        };
        let after = &rest[escape.len_utf8()..];
        let (radix, digits, most) = match escape {
            'x' => (16, after, 2),
            'u' => (16, after, 4),
            'U' => (16, after, 8),
            '0'..='7' => (8, rest, 3),
            _ => {
                match simple(escape) {
                    Some(byte) => bytes.push(byte),
                    None => {
                        // Control characters and unknown escapes, which shells read differently.
                        is_certain = false;
                        bytes.push(b'\\');
                        bytes.extend_from_slice(escape.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                }
                rest = after;
                continue;
            }
        };
        let length = digits.bytes().take(most).take_while(|byte| (*byte as char).is_digit(radix)).count();
        let value = u32::from_str_radix(&digits[..length], radix).ok().filter(|value| (1..=0x7f).contains(value));
        match value.and_then(|value| u8::try_from(value).ok()) {
            Some(byte) => bytes.push(byte),
            None => is_certain = false,
        }
        rest = &digits[length..];
    }
    Decoded { text: String::from_utf8_lossy(&bytes).into_owned(), is_certain }
}

fn simple(escape: char) -> Option<u8> {
    Some(match escape {
        'a' => 7,
        'b' => 8,
        'e' | 'E' => 27,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' => b'\\',
        '\'' => b'\'',
        '"' => b'"',
        '?' => b'?',
        _ => return None,
    })
}
