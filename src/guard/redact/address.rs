//! Passwords in addresses: `scheme://user:password@host`.

use memchr::memmem;

use super::found::Found;
use super::value;

/// Longer than any name and password.
const LONGEST: usize = 512;

pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    for scheme in memmem::find_iter(bytes, "://") {
        let start = scheme + 3;
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/?#\"'`<>\\".contains(byte);
        let most = &bytes[start..bytes.len().min(start + LONGEST)];
        let authority = &most[..most.iter().position(ends).unwrap_or(most.len())];
        let Some(at) = authority.iter().rposition(|byte| *byte == b'@') else { continue };
        let Some(colon) = authority[..at].iter().position(|byte| *byte == b':') else { continue };
        let range = start + colon + 1..start + at;
        if text.get(range.clone()).is_some_and(|password| !password.is_empty() && !value::is_stand_in(password)) {
            found.push(Found::new(range, "URL password"));
        }
    }
}
