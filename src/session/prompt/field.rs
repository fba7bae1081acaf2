//! Text that is being typed on one line.

/// The most bytes of an answer; nobody types more.
const CAP: usize = 4096;

#[derive(Default)]
pub(super) struct Field {
    text: String,
}

impl Field {
    /// The text without blanks around it.
    pub(super) fn text(&self) -> String {
        self.text.trim().to_owned()
    }

    /// The text as it was typed.
    pub(super) fn whole(&self) -> &str {
        &self.text
    }

    /// Adds text. It stays on one line.
    pub(super) fn insert(&mut self, text: &str) {
        for letter in text.chars() {
            let letter = if letter.is_whitespace() { ' ' } else { letter };
            if self.text.len() + letter.len_utf8() <= CAP && !letter.is_control() {
                self.text.push(letter);
            }
        }
    }

    /// Removes the text.
    pub(super) fn clear(&mut self) {
        self.text.clear();
    }

    /// Removes the last character.
    pub(super) fn erase(&mut self) {
        self.text.pop();
    }
}
