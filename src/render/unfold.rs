//! How the person gets to see what is folded.

use super::Options;

/// What unfolds the output and the thoughts of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Unfolding {
    /// Keys, while the answer is in front.
    #[default]
    Keys,
    /// Keys while the answer is in front, and `/show` with the number of its request from then on.
    KeysOrShow(u64),
    /// `/show` alone: the answer is over.
    Show(u64),
}

impl Unfolding {
    /// What a line says that stands for folded output.
    pub(super) fn of_output(self) -> String {
        match self {
            Unfolding::Keys => "Ctrl-O".to_owned(),
            Unfolding::KeysOrShow(number) => format!("Ctrl-O or > /show {number}"),
            Unfolding::Show(number) => format!("> /show {number}"),
        }
    }

    /// What the line of a folded thought ends with.
    pub(super) fn of_thought(self, options: &Options) -> String {
        let gap = if options.unicode { " · " } else { ", " };
        match self {
            Unfolding::Keys | Unfolding::KeysOrShow(_) => format!("{gap}Ctrl-T"),
            Unfolding::Show(number) => format!("{gap}> /show {number}"),
        }
    }
}
