//! JSON output that is also safe to read on a terminal.

use std::io::Write;

use serde::Serialize;

/// Writes one value on one line. Control characters are written as JSON escapes, so they cannot control a terminal.
pub(super) fn print(value: &impl Serialize, out: &mut impl Write) -> anyhow::Result<()> {
    Ok(writeln!(out, "{}", escaped(&serde_json::to_string(value)?))?)
}

/// Escapes control characters; in JSON they occur only inside strings.
fn escaped(json: &str) -> String {
    let mut line = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() && !c.is_ascii_control() || crate::text::sanitize(c.encode_utf8(&mut [0; 4])).starts_with(c) {
            line.push(c);
        } else {
            line.push_str(&format!("\\u{:04x}", u32::from(c)));
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_parse_to_the_same_value() {
        let text = "a\u{9b}2J\u{85}\u{202e}\u{2066}\u{200f}\u{7f}\x1b[0m é✳\n";
        let mut out = Vec::new();
        print(&serde_json::json!({ "answer": text, text: 1 }), &mut out).unwrap();
        let line = String::from_utf8(out).unwrap();
        assert_eq!(crate::text::sanitize(&line), line);
        let parsed: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(parsed["answer"], text);
        assert_eq!(parsed[text], 1);
    }
}
