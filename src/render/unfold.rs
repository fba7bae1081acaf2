//! How the person unfolds folded output.

use super::RenderOptions;

/// How the output and the thoughts of an answer are unfolded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Unfolding {
    /// With keys, while the answer is in the foreground.
    #[default]
    Keys,
    /// With keys while the answer is in the foreground, and with `/show` and the number of its request afterwards.
    KeysOrShow(u64),
    /// With `/show` only, because the answer is over.
    Show(u64),
}

impl Unfolding {
    /// The instruction at the end of the line for folded output.
    pub(super) fn of_output(self, options: &RenderOptions) -> String {
        match (self, &options.keys.unfold) {
            (Unfolding::Keys, None) => String::new(),
            (Unfolding::Keys, Some(key)) => format!(" ({key})"),
            (Unfolding::KeysOrShow(number), Some(key)) => format!(" ({key} or > /show {number})"),
            (Unfolding::KeysOrShow(number), None) | (Unfolding::Show(number), _) => format!(" (> /show {number})"),
        }
    }

    /// The instruction at the end of the line for a folded thought.
    pub(super) fn of_thought(self, options: &RenderOptions) -> String {
        let gap = if options.unicode { " · " } else { ", " };
        match (self, &options.keys.thinking) {
            (Unfolding::Keys | Unfolding::KeysOrShow(_), Some(key)) => format!("{gap}{key}"),
            (Unfolding::KeysOrShow(number), None) | (Unfolding::Show(number), _) => format!("{gap}> /show {number}"),
            (Unfolding::Keys, None) => String::new(),
        }
    }
}
