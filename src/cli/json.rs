//! JSON output that is also safe to read on a terminal.

use std::io::{self, Write};

use serde::Serialize;

/// Writes one value on one line. Control characters are written as JSON escapes, so they cannot control a terminal.
pub(super) fn print(value: &impl Serialize, out: &mut impl Write) -> anyhow::Result<()> {
    Ok(writeln!(out, "{}", escaped(&serde_json::to_string(value)?))?)
}

/// Takes a long text piece by piece.
pub(super) type TextWriter<'a> = dyn FnMut(&str) -> io::Result<()> + 'a;

/// Writes an object on one line with one more field at its end, whose text may be longer than memory has room for.
pub(super) fn print_with(
    object: &impl Serialize,
    name: &str,
    text: impl FnOnce(&mut TextWriter<'_>) -> io::Result<()>,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let object = escaped(&serde_json::to_string(object)?);
    write!(out, "{},\"{name}\":\"", object.strip_suffix('}').unwrap_or(&object))?;
    text(&mut |piece| {
        let quoted = escaped(&serde_json::to_string(piece)?);
        out.write_all(&quoted.as_bytes()[1..quoted.len() - 1])
    })?;
    Ok(writeln!(out, "\"}}")?)
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

    #[test]
    fn a_long_text_is_a_field_like_any_other() {
        let mut out = Vec::new();
        let pieces =
            |write: &mut TextWriter<'_>| ["\"a}\n", "", "\x1b[0m✳\""].iter().try_for_each(|piece| write(piece));
        print_with(&serde_json::json!({ "id": 7, "in": {} }), "output", pieces, &mut out).unwrap();
        let parsed: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(parsed, serde_json::json!({ "id": 7, "in": {}, "output": "\"a}\n\x1b[0m✳\"" }));
        assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 1);
    }
}
