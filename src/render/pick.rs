//! A list of which the person picks one entry.

use super::RenderOptions;
use super::line::StyledLine;
use super::look::Look;
use super::options::NEWLINE;
use crate::text::width;

/// One row of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PickRow<'a> {
    /// Facts about the entry, such as its age.
    pub facts: &'a str,
    pub text: &'a str,
    /// Facts in columns behind the text.
    pub behind: &'a str,
    pub is_selected: bool,
}

/// Cells around the columns of a row: its sign, and two blanks before the text and behind it.
const AROUND: usize = 6;

/// Renders the rows, a hint, and the line with the words that filter the list, where the cursor stays. Nothing is wrapped, so the
/// number of screen rows is that of `rows` and two. The texts before columns get `widest` cells, or as many as there are.
pub(crate) fn pick_list(
    rows: &[PickRow<'_>],
    widest: usize,
    hint: &str,
    filter: &str,
    options: &RenderOptions,
) -> Vec<u8> {
    let sign = if options.unicode { "▸ " } else { "> " };
    let room = usize::from(options.columns.max(2)) - 1;
    let mut out = Vec::new();
    let mut put = |line: StyledLine, is_last: bool| {
        line.clipped(room, options).write(options, &mut out);
        if !is_last {
            out.extend_from_slice(NEWLINE);
        }
    };
    let behind = rows.iter().map(|row| width::cells(row.behind)).max().unwrap_or(0);
    // In a narrow window the names get more than half, and the last columns are cut.
    let names = widest.min(room.saturating_sub(AROUND + behind).max(room * 3 / 5));
    for row in rows {
        let (sign, look) = if row.is_selected { (sign, Look::BOLD) } else { ("  ", Look::PLAIN) };
        let mut line = StyledLine::of(Look::ACCENT, sign).with(Look::MUTED, row.facts).with(look, "  ");
        let mut text = StyledLine::new();
        // Long runs of blanks are not counted, because nothing is approved here.
        for (at, word) in row.text.split(' ').enumerate() {
            text.push(look, if at > 0 { " " } else { "" });
            text.push_spelled(look, word, options);
        }
        if row.behind.is_empty() {
            line.append(&text);
        } else {
            let text = text.clipped(names, options);
            line.append(&text);
            let gap = names.saturating_sub(text.cells()) + 2;
            line.push(Look::MUTED, &format!("{}{}", " ".repeat(gap), row.behind));
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
        let row =
            |text: &'static str| PickRow { facts: "", text, behind: " 1.0M  $2/$10  pictures", is_selected: false };
        let rows = [row("custom/small"), row("custom/with-a-very-long-name"), row("x\u{200b}")];
        let lines = |columns| -> Vec<String> {
            let mut terminal = vt100::Parser::new(10.try_into().unwrap(), columns, 0);
            terminal.process(&pick_list(&rows, 26, "", "", &options(columns.get())));
            terminal.screen().contents().lines().map(str::to_owned).collect()
        };
        let wide = lines(80.try_into().unwrap());
        assert_eq!(wide[0], format!("    custom/small{}1.0M  $2/$10  pictures", " ".repeat(17)));
        assert_eq!(wide[1], "    custom/with-a-very-long-n…   1.0M  $2/$10  pictures");
        assert!(wide[2].contains("200B"), "{wide:?}");
        let narrow = lines(40.try_into().unwrap());
        assert!(narrow[0].contains("1.0M"), "{narrow:?}");
        assert!(narrow.iter().all(|line| line.chars().count() < 40), "{narrow:?}");
    }
}
