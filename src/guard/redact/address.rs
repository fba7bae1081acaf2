//! Passwords in addresses: `scheme://user:password@host`.

use super::dictionary::Hits;
use super::found::Found;
use super::value;

/// Longer than any name and password.
const LONGEST: usize = 512;

pub(super) fn find(text: &str, hits: &Hits, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    for scheme in &hits.addresses {
        let start = scheme + 3;
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/?#\"'`<>\\".contains(byte);
        let most = &bytes[start..bytes.len().min(start + LONGEST)];
        let authority = &most[..most.iter().position(ends).unwrap_or(most.len())];
        let authority = if authority.contains(&b'@') { authority } else { with_slashes(most, authority.len()) };
        let Some(at) = authority.iter().rposition(|byte| *byte == b'@') else { continue };
        let range = match authority[..at].iter().position(|byte| *byte == b':') {
            Some(colon) => start + colon + 1..start + at,
            // A token may stand where the name of a user would.
            None if is_token(&authority[..at]) => start..start + at,
            None => continue,
        };
        let user = &text[start..range.start];
        // A colon with nothing behind it, or a word that says so: the token is the user.
        let is_user_secret = user.strip_suffix(':').is_some_and(|user| is_token(user.as_bytes()));
        let range = if is_user_secret { start..start + at } else { range };
        if text.get(range.clone()).is_some_and(|password| !password.is_empty() && !value::is_stand_in(password)) {
            found.push(Found::new(range, "URL password"));
        }
    }
}

/// Whether a user's name is hardly one: long, and letters amid digits.
fn is_token(user: &[u8]) -> bool {
    user.len() >= 20
        && user.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte))
        && user.iter().filter(|byte| byte.is_ascii_digit()).count() >= 3
        && user.iter().any(u8::is_ascii_alphabetic)
}

/// A password may have a slash in it, though it should be encoded; a port has only digits.
fn with_slashes(most: &[u8], authority: usize) -> &[u8] {
    let Some(colon) = most[..authority].iter().position(|byte| *byte == b':') else { return &most[..authority] };
    let is_port = most[colon + 1..authority].iter().all(u8::is_ascii_digit);
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"?#\"'`<>\\,;".contains(byte);
    let word = &most[..most.iter().position(ends).unwrap_or(most.len())];
    match word.iter().position(|byte| *byte == b'@') {
        Some(at) if !is_port => &word[..=at],
        Some(_) | None => &most[..authority],
    }
}
