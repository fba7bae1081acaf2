//! Control characters out of anything we quote.

/// Replaces what could steer a terminal: C0 (but tab and newline), DEL, C1 and the bidirectional overrides.
pub(crate) fn sanitize(text: &str) -> String {
    text.chars().map(|c| if steers(c) { '\u{FFFD}' } else { c }).collect()
}

pub(super) fn steers(c: char) -> bool {
    matches!(c,
        '\0'..='\u{08}' | '\u{0B}'..='\u{1F}' | '\u{7F}'..='\u{9F}'
        | '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_moves_a_cursor_survives() {
        assert_eq!(
            sanitize("a\x1b[31mb\tc\nd\r\u{9b}2J\u{202e}é✳"),
            "a\u{FFFD}[31mb\tc\nd\u{FFFD}\u{FFFD}2J\u{FFFD}é✳"
        );
    }
}
