//! What stands in a secret's place.

use std::ops::Range;

use memchr::memmem;

use super::name;

const OPEN: &str = "[masked: ";
/// Longer than any kind, variables included.
const LONGEST: usize = 96;

/// Such as `[masked: GitHub token #1]`, or `[masked: $DB_PASSWORD #1]` for the value of a variable.
pub(super) fn write(kind: &str, number: Option<usize>) -> String {
    match number {
        Some(number) => format!("{OPEN}{kind} #{number}]"),
        None => format!("{OPEN}{kind}]"),
    }
}

/// What the secret behind a placeholder is called: the name of its variable, or its kind with the number.
pub(super) fn name(placeholder: &str) -> &str {
    let inner = placeholder.strip_prefix(OPEN).unwrap_or(placeholder).trim_end_matches(']');
    match inner.strip_prefix('$') {
        Some(variable) => variable.split(' ').next().unwrap_or(variable),
        None => inner,
    }
}

/// Where placeholders stand in a text, in order.
pub(super) fn spans(text: &str) -> Vec<Range<usize>> {
    let starts = memmem::find_iter(text.as_bytes(), OPEN);
    starts.filter_map(|start| Some(start..start + length(&text.as_bytes()[start..])?)).collect()
}

/// The length of the placeholder this begins with. A secret can't pass for one: its kind has to be one we write.
fn length(text: &[u8]) -> Option<usize> {
    let inner = &text[OPEN.len()..text.len().min(OPEN.len() + LONGEST)];
    let end = memchr::memchr(b']', inner)?;
    let inner = std::str::from_utf8(&inner[..end]).ok()?;
    let (kind, number) = inner.rsplit_once(" #").unwrap_or((inner, "1"));
    let is_number = !number.is_empty() && number.len() <= 5 && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_kind = match kind.strip_prefix('$') {
        Some(variable) => name::is_secret_variable(variable),
        // Kinds are words.
        None => !kind.is_empty() && kind.split(' ').all(|word| word.len() <= 16 && word.bytes().all(is_of_word)),
    };
    (is_number && is_kind).then_some(OPEN.len() + end + 1)
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'.'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_we_write_is_a_placeholder() {
        for ours in [write("GitHub token", Some(12)), write("$DB_PASSWORD", Some(1)), write("Cargo token", None)] {
            let text = format!("a {ours} b");
            let found: Vec<&str> = spans(&text).into_iter().map(|span| &text[span]).collect();
            assert_eq!(found, [ours.as_str()]);
        }
        assert_eq!(name("[masked: $DB_PASSWORD #1]"), "DB_PASSWORD");
        assert_eq!(name("[masked: GitHub token #12]"), "GitHub token #12");
        for other in ["[masked: ]", "[masked: ghp_abc123 #1]", "[masked: $PATH #1]", "[masked: a #x]", "[masked: a"] {
            assert!(spans(other).is_empty(), "{other}");
        }
    }
}
