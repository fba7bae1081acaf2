//! Addresses of hyperlinks.

use crate::text::percent_encode;

/// The longest address that is made a hyperlink. Terminals limit the length.
const LONGEST: usize = 2000;

/// Returns the address encoded for OSC 8, if its scheme is harmless.
pub(super) fn safe_url(url: &str) -> Option<String> {
    let scheme = url.split(':').next()?.to_ascii_lowercase();
    if !["http", "https", "mailto", "ftp"].contains(&scheme.as_str())
        || url.len() > LONGEST
        || scheme.len() == url.len()
    {
        return None;
    }
    // Existing escapes are kept: encoding their percent signs would change the address.
    let parts: Vec<String> =
        url.split('%').map(|part| percent_encode(part.as_bytes(), |b| b.is_ascii_graphic())).collect();
    Some(parts.join("%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_with_harmless_schemes_are_linked() {
        assert_eq!(safe_url("https://a.b/c%20d?e=é").as_deref(), Some("https://a.b/c%20d?e=%C3%A9"));
        assert_eq!(safe_url("http://a/\x1b]0;x\x07").as_deref(), Some("http://a/%1B]0;x%07"));
        for refused in ["javascript:alert(1)", "file:///etc/passwd", "../x", "https"] {
            assert_eq!(safe_url(refused), None, "{refused}");
        }
    }
}
