//! What changed in a file.

use similar::{ChangeTag, TextDiff};

use crate::text::style::{Ansi, Style};

use super::Options;
use super::line::Line;

/// Renders the difference: unified, or side by side from 140 columns on. Empty if there is none.
pub fn diff(old: &str, new: &str, path: &str, options: &Options) -> String {
    let diff = TextDiff::from_lines(old, new);
    let mut lines = vec![Line::of(Style::BOLD, path)];
    for change in diff.iter_all_changes() {
        let (sign, style) = match change.tag() {
            ChangeTag::Delete => ("-", Style::colour(Ansi::Red)),
            ChangeTag::Insert => ("+", Style::colour(Ansi::Green)),
            ChangeTag::Equal => (" ", Style::PLAIN),
        };
        lines.push(Line::of(style, sign).with(style, change.value().trim_end_matches('\n')));
    }
    let mut out = Vec::new();
    for line in &lines {
        line.write(options, &mut out);
        out.extend_from_slice(options.newline());
    }
    String::from_utf8_lossy(&out).into_owned()
}
