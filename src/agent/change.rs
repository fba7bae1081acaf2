//! The change of an edit, for display.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::chat::Shown;
use crate::text::KIB;
use crate::tool::Preview;

/// How many unchanged lines are shown around a change.
const AROUND: usize = 2;
/// The most bytes of one change.
const CAP: usize = 64 * KIB;
/// The time limit for a comparison. After it the diff is coarser, which happens for large files with little in common.
const PATIENCE: Duration = Duration::from_millis(50);

/// The removed and the added lines of an edit.
pub(super) fn of(preview: &Preview) -> Option<Shown> {
    let (before, after) = match preview {
        Preview::Edit { before, after, .. } => (before, after),
        Preview::Command { .. } => return None,
    };
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(before.as_str(), after.as_str());
    let text = diff.unified_diff().context_radius(AROUND).to_string();
    let end = (0..=CAP.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    let (added, removed) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
    (end > 0).then(|| Shown::Change { added, removed, diff: text[..end].to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_shown_as_a_diff() {
        let edit =
            |before: &str, after: &str| Preview::Edit { path: "/a".into(), before: before.into(), after: after.into() };
        let diff = "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+B\n c\n".to_owned();
        assert_eq!(of(&edit("a\nb\nc\n", "a\nB\nB\nc\n")), Some(Shown::Change { added: 2, removed: 1, diff }));
        assert_eq!(of(&edit("a\n", "a\n")), None);
        assert_eq!(of(&Preview::Command { command: "ls".into(), cwd: "/".into() }), None);
        let Some(Shown::Change { added: 100_000, removed: 0, diff }) = of(&edit("", &"é\n".repeat(100_000))) else {
            panic!("the counts are those of the whole change");
        };
        assert!(diff.len() <= CAP);
    }
}
