//! Text that is being typed on one line.

/// The most bytes of an answer; nobody types more.
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

    /// Adds text and shows it. It stays on one line.
    pub(super) fn insert(&mut self, text: &str, out: &mut Vec<u8>) {
        for letter in text.chars() {
            let letter = if letter.is_whitespace() { ' ' } else { letter };
            if self.text.len() + letter.len_utf8() <= CAP && !letter.is_control() {
                self.text.push(letter);
                out.extend_from_slice(crate::text::sanitize(letter.encode_utf8(&mut [0; 4])).as_bytes());
            }
        }
    }

    /// Removes the text, also from the screen.
    pub(super) fn clear(&mut self, out: &mut Vec<u8>) {
        while !self.is_empty() {
            self.erase(out);
        }
    }

    /// Removes the last character, also from the screen.
    pub(super) fn erase(&mut self, out: &mut Vec<u8>) {
        if let Some(last) = self.text.pop() {
            let columns = unicode_width::UnicodeWidthChar::width(last).unwrap_or(1);
            out.extend_from_slice("\x08 \x08".repeat(columns).as_bytes());
        }
    }
}
