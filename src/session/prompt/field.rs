//! Words being typed on one line.

/// What an answer may hold; nobody types more.
const CAP: usize = 4096;

#[derive(Default)]
pub(super) struct Field {
    text: String,
}

impl Field {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn text(&self) -> String {
        self.text.trim().to_owned()
    }

    /// Adds text, on this one line, and shows it.
    pub(super) fn insert(&mut self, text: &str, out: &mut Vec<u8>) {
        for letter in text.chars() {
            let letter = if letter.is_whitespace() { ' ' } else { letter };
            if self.text.len() + letter.len_utf8() <= CAP && !letter.is_control() {
                self.text.push(letter);
                out.extend_from_slice(crate::text::sanitize(letter.encode_utf8(&mut [0; 4])).as_bytes());
            }
        }
    }

    /// Removes everything, from the screen too.
    pub(super) fn clear(&mut self, out: &mut Vec<u8>) {
        while !self.is_empty() {
            self.erase(out);
        }
    }

    /// Removes the last character, and from the screen too.
    pub(super) fn erase(&mut self, out: &mut Vec<u8>) {
        if let Some(last) = self.text.pop() {
            let columns = unicode_width::UnicodeWidthChar::width(last).unwrap_or(1);
            out.extend_from_slice("\x08 \x08".repeat(columns).as_bytes());
        }
    }
}
