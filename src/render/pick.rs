//! A list of which the person picks one entry.

use super::RenderOptions;
use super::line::StyledLine;
use super::look::Look;
use super::options::NEWLINE;

/// One row of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PickRow<'a> {
    /// Facts about the entry, such as its age.
    pub facts: &'a str,
    pub text: &'a str,
    pub is_selected: bool,
}

/// Renders the rows, a hint, and the line with the words that filter the list, where the cursor stays. Nothing is wrapped, so the
/// number of screen rows is that of `rows` and two.
pub(crate) fn pick_list(rows: &[PickRow<'_>], hint: &str, filter: &str, options: &RenderOptions) -> Vec<u8> {
    let sign = if options.unicode { "▸ " } else { "> " };
    let room = usize::from(options.columns.max(2)) - 1;
    let mut out = Vec::new();
    let mut put = |line: StyledLine, is_last: bool| {
        line.clipped(room, options).write(options, &mut out);
        if !is_last {
            out.extend_from_slice(NEWLINE);
        }
    };
    for row in rows {
        let (sign, look) = if row.is_selected { (sign, Look::BOLD) } else { ("  ", Look::PLAIN) };
        let mut line = StyledLine::of(Look::ACCENT, sign).with(Look::MUTED, row.facts).with(look, "  ");
        line.push_spelled(look, row.text, options);
        put(line, false);
    }
    put(StyledLine::of(Look::MUTED, &format!("  {hint}")), false);
    // The end of the words is what is being typed.
    let skip = filter.chars().count().saturating_sub(room.saturating_sub(4));
    let shown: String = filter.chars().skip(skip).collect();
    put(StyledLine::of(Look::ACCENT, "? ").with(Look::PLAIN, &shown), true);
    out
}
