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
        // Blanks align the columns of a row. Nothing is approved here, so long runs of them are not counted.
        for (at, word) in row.text.split(' ').enumerate() {
            line.push(look, if at > 0 { " " } else { "" });
            line.push_spelled(look, word, options);
        }
        put(line, false);
    }
    put(StyledLine::of(Look::MUTED, &format!("  {hint}")), false);
    // The end of the words is what is being typed.
    let skip = filter.chars().count().saturating_sub(room.saturating_sub(4));
    let shown: String = filter.chars().skip(skip).collect();
    put(StyledLine::of(Look::ACCENT, "? ").with(Look::PLAIN, &shown), true);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::tests::options;

    #[test]
    fn columns_stay_aligned_and_hidden_characters_are_spelled() {
        let text = format!("custom/small{}tools\u{200b}", " ".repeat(60));
        let rows = [PickRow { facts: "", text: &text, is_selected: false }];
        let shown = String::from_utf8(pick_list(&rows, "", "", &options(120))).unwrap();
        assert!(shown.contains(&format!("custom/small{}tools", " ".repeat(60))), "{shown:?}");
        assert!(shown.contains("200B"), "{shown:?}");
    }
}
