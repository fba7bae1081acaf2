//! The kinds of entries.

use serde::{Deserialize, Serialize};

/// What an entry of a conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EntryKind {
    /// The first message of an exchange: the person's words and what was sent along.
    Question,
    /// A message of the model.
    Assistant,
    /// The results of calls.
    Tool,
    /// A message that the person sent while the answer was on its way.
    Steering,
    /// The end of an exchange.
    End,
    /// A shorter form of everything before it.
    Compaction,
    /// A title that the person gave.
    Name,
    /// The person went back to the entry that is its parent.
    Rewind,
    /// The conversation was left in order, was resumed, or its terminal has offered to continue it.
    Closed,
}

const NAMES: [(EntryKind, &str); 9] = [
    (EntryKind::Question, "question"),
    (EntryKind::Assistant, "assistant"),
    (EntryKind::Tool, "tool"),
    (EntryKind::Steering, "steering"),
    (EntryKind::End, "end"),
    (EntryKind::Compaction, "compaction"),
    (EntryKind::Name, "name"),
    (EntryKind::Rewind, "rewind"),
    (EntryKind::Closed, "closed"),
];

impl EntryKind {
    /// The name in the table.
    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// The kind with this name; `None` if only a newer version knows it.
    pub(super) fn named(name: &str) -> Option<EntryKind> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_one_name() {
        for (kind, name) in NAMES {
            assert_eq!((kind.name(), EntryKind::named(name)), (name, Some(kind)));
        }
        assert_eq!(EntryKind::named("from_the_future"), None);
    }
}
