//! What is kept for the next prompt: lines to show above it, and text to put on it.

/// What the next prompt shows.
#[derive(Debug, Default)]
pub(in crate::session) struct NextPrompt {
    /// One line each.
    pub(in crate::session) notices: Vec<String>,
    /// The correction of a command that has failed.
    pub(in crate::session) hint: Option<String>,
    /// The hint, and what became of requests in the background, as whole lines for the screen.
    pub(in crate::session) announcement: Vec<u8>,
    /// Whether an announcement was shown and nobody has asked yet.
    was_announced: bool,
    /// Text to put on the prompt, once it is drawn.
    pub(in crate::session) text: Option<Vec<u8>>,
}

impl NextPrompt {
    /// Takes the announcement to show it.
    pub(super) fn take_announcement(&mut self) -> Vec<u8> {
        self.was_announced |= !self.announcement.is_empty();
        std::mem::take(&mut self.announcement)
    }

    /// Whether the announcement was shown since this was last asked.
    pub(in crate::session) fn take_announced(&mut self) -> bool {
        std::mem::take(&mut self.was_announced)
    }
}
