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
    /// The instruction in the line for folded output.
    pub(super) fn of_output(self) -> String {
        match self {
            Unfolding::Keys => "Ctrl-O".to_owned(),
            Unfolding::KeysOrShow(number) => format!("Ctrl-O or > /show {number}"),
            Unfolding::Show(number) => format!("> /show {number}"),
        }
    }

    /// The instruction at the end of the line for a folded thought.
    pub(super) fn of_thought(self, options: &RenderOptions) -> String {
        let gap = if options.unicode { " · " } else { ", " };
        match self {
            Unfolding::Keys | Unfolding::KeysOrShow(_) => format!("{gap}Ctrl-T"),
            Unfolding::Show(number) => format!("{gap}> /show {number}"),
        }
    }
}
