//! Removes control characters from text that is quoted on the screen.

/// Replaces the characters that control a terminal with U+FFFD: C0 (except tab and newline), DEL, C1 and the bidirectional controls.
pub(crate) fn sanitize(text: &str) -> String {
    text.chars().map(|c| if steers(c) { '\u{FFFD}' } else { c }).collect()
}

/// Removes the characters that `sanitize` would replace, for text that is put on a prompt.
pub(crate) fn without_controls(text: &str) -> String {
    text.chars().filter(|c| !steers(*c) && *c != '\u{FFFD}').collect()
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
    fn control_and_bidirectional_characters_are_replaced() {
        assert_eq!(
            sanitize("a\x1b[31mb\tc\nd\r\u{9b}2J\u{202e}é✳"),
            "a\u{FFFD}[31mb\tc\nd\u{FFFD}\u{FFFD}2J\u{FFFD}é✳"
        );
    }
}
