//! A screen as a picture.

use std::fmt::Write;

use vt100::Color;

use super::grid::{CellStyle, Grid};

/// The colours of a terminal.
pub(super) struct Palette {
    paper: &'static str,
    ink: &'static str,
    /// Black, red, green, yellow, blue, magenta, cyan, white, and their bright forms.
    colours: [&'static str; 16],
}

pub(super) const DARK: Palette = Palette {
    paper: "#1c2128",
    ink: "#cdd9e5",
    colours: [
        "#545d68", "#f47067", "#57ab5a", "#c69026", "#539bf5", "#b083f0", "#39c5cf", "#909dab", "#636e7b", "#ff938a",
        "#6bc46d", "#daaa3f", "#6cb6ff", "#dcbdfb", "#56d4dd", "#cdd9e5",
    ],
};

pub(super) const LIGHT: Palette = Palette {
    paper: "#f6f8fa",
    ink: "#1f2328",
    colours: [
        "#24292f", "#b3261e", "#116329", "#7d4e00", "#0550ae", "#8250df", "#1b6c78", "#6e7781", "#57606a", "#a40e26",
        "#1a7f37", "#633c01", "#0969da", "#6639ba", "#3192aa", "#8c959f",
    ],
};

/// Size of a cell and of the border around the screen.
const WIDTH: f64 = 8.4;
const HEIGHT: usize = 19;
const BORDER: usize = 16;
/// From the top of a row to the line that its letters stand on.
const BASELINE: usize = 14;

pub(super) fn draw(grid: &Grid, palette: &Palette, title: &str) -> String {
    let width = (WIDTH * grid.width() as f64).ceil() as usize + 2 * BORDER;
    let height = HEIGHT * grid.height() + 2 * BORDER;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\" \
         style=\"white-space:pre\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>",
        escape(title),
        palette.paper
    );
    for row in 0..grid.height() {
        for run in grid.runs(row) {
            let (ink, paper) = palette.of(run.style);
            let (x, columns) = (left(run.column), run.columns() as f64 * WIDTH);
            if let Some(paper) = paper {
                let _ = writeln!(
                    out,
                    "<rect x=\"{x:.1}\" y=\"{}\" width=\"{columns:.1}\" height=\"{HEIGHT}\" fill=\"{paper}\"/>",
                    top(row)
                );
            }
            let y = top(row) + BASELINE;
            let text = escape(&run.text);
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y}\" textLength=\"{columns:.1}\" fill=\"{ink}\"{}>{text}</text>",
                looks(run.style)
            );
        }
    }
    if let Some((row, column)) = grid.cursor {
        let _ = writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{}\"/>",
            left(column),
            top(row),
            palette.ink
        );
    }
    out.push_str("</svg>\n");
    out
}

fn left(column: usize) -> f64 {
    BORDER as f64 + column as f64 * WIDTH
}

fn top(row: usize) -> usize {
    BORDER + row * HEIGHT
}

/// The attributes of a style other than its colours.
fn looks(style: CellStyle) -> String {
    let looks = [
        (style.bold, " font-weight=\"bold\""),
        (style.dim, " opacity=\"0.65\""),
        (style.italic, " font-style=\"italic\""),
        (style.underline, " text-decoration=\"underline\""),
    ];
    looks.into_iter().filter(|(is_on, _)| *is_on).map(|(_, attribute)| attribute).collect()
}

impl Palette {
    /// The colour of the letters, and that behind them if it is not the terminal's own.
    fn of(&self, style: CellStyle) -> (String, Option<String>) {
        let (ink, paper) = (self.colour(style.ink), self.colour(style.paper));
        if style.inverse {
            return (paper.unwrap_or_else(|| self.paper.to_owned()), Some(ink.unwrap_or_else(|| self.ink.to_owned())));
        }
        (ink.unwrap_or_else(|| self.ink.to_owned()), paper)
    }

    /// `None` is the terminal's own colour.
    fn colour(&self, colour: Color) -> Option<String> {
        match colour {
            Color::Default => None,
            Color::Idx(index @ 0..16) => Some(self.colours[usize::from(index)].to_owned()),
            Color::Idx(index @ 232..) => Some(format!("#{0:02x}{0:02x}{0:02x}", 8 + 10 * (index - 232))),
            Color::Idx(index) => {
                let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
                let cube = index - 16;
                Some(format!("#{:02x}{:02x}{:02x}", level(cube / 36), level(cube / 6 % 6), level(cube % 6)))
            }
            Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
