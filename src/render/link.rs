//! Addresses a terminal may be given.

use crate::text::percent_encode;

/// Beyond this a terminal may refuse it or wish it had.
const LONGEST: usize = 2000;

/// Returns the address as it may stand in an OSC 8, if it leads somewhere harmless.
pub(super) fn safe_url(url: &str) -> Option<String> {
    let scheme = url.split(':').next()?.to_ascii_lowercase();
    if !["http", "https", "mailto", "ftp"].contains(&scheme.as_str())
        || url.len() > LONGEST
        || scheme.len() == url.len()
    {
        return None;
    }
    // What is encoded already stays so: an encoded percent sign would lead elsewhere.
    let parts: Vec<String> =
        url.split('%').map(|part| percent_encode(part.as_bytes(), |b| b.is_ascii_graphic())).collect();
    Some(parts.join("%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_addresses_of_known_kinds_pass() {
        assert_eq!(safe_url("https://a.b/c%20d?e=é").as_deref(), Some("https://a.b/c%20d?e=%C3%A9"));
        assert_eq!(safe_url("http://a/\x1b]0;x\x07").as_deref(), Some("http://a/%1B]0;x%07"));
        for refused in ["javascript:alert(1)", "file:///etc/passwd", "../x", "https"] {
            assert_eq!(safe_url(refused), None, "{refused}");
        }
    }
}
