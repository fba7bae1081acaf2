//! What an edit changed, for a person to unfold.

use std::time::Duration;

use similar::TextDiff;

use crate::text::KIB;
use crate::tool::Preview;

/// Unchanged lines around a change.
const AROUND: usize = 2;
/// Bytes of one change.
const CAP: usize = 64 * KIB;
/// Two large files that have nothing in common are not compared for longer; the difference is then coarser.
const PATIENCE: Duration = Duration::from_millis(50);

/// The lines an edit takes and those it brings.
pub(super) fn of(preview: &Preview) -> Option<String> {
    let (before, after) = match preview {
        Preview::Edit { before, after, .. } => (before, after),
        Preview::Command { .. } => return None,
    };
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(before.as_str(), after.as_str());
    let text = diff.unified_diff().context_radius(AROUND).to_string();
    let end = (0..=CAP.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    Some(text[..end].to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_the_lines_it_changes() {
        let edit =
            |before: &str, after: &str| Preview::Edit { path: "/a".into(), before: before.into(), after: after.into() };
        assert_eq!(of(&edit("a\nb\nc\n", "a\nB\nc\n")).unwrap(), "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        assert_eq!(of(&edit("a\n", "a\n")), None);
        assert_eq!(of(&Preview::Command { command: "ls".into(), cwd: "/".into() }), None);
        assert!(of(&edit("", &"é\n".repeat(100_000))).unwrap().len() <= CAP);
    }
}
