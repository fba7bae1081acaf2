//! A recording in the format asciicast v2: a line with the size, then a line for each change of the screen.

use std::num::NonZeroU16;

use serde_json::{Value, json};
use vt100::Color;

use super::grid::{CellStyle, Grid};

pub(super) struct Cast {
    header: String,
    /// Seconds since the start, and the screen from then on.
    frames: Vec<(f64, Grid)>,
}

impl Cast {
    pub(super) fn new(rows: u16, columns: u16, title: &str) -> Cast {
        let header = json!({
            "version": 2, "width": columns, "height": rows, "title": title,
            "env": { "SHELL": "/bin/bash", "TERM": "xterm-256color" }
        });
        Cast { header: header.to_string(), frames: Vec::new() }
    }

    /// Shows a screen so many seconds after the one before.
    pub(super) fn show(&mut self, after: f64, grid: Grid) {
        let time = self.frames.last().map_or(0.0, |(time, _)| *time) + after;
        self.frames.push((time, grid));
    }

    /// The last screen.
    pub(super) fn last(&self) -> &Grid {
        &self.frames.last().expect("a recording has screens").1
    }

    /// The screen of a terminal that has shown the whole file.
    pub(super) fn replayed(&self) -> Grid {
        let lines = self.lines();
        let mut lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let header = lines.next().expect("a header");
        let size = |name: &str| u16::try_from(header[name].as_u64()?).ok().and_then(NonZeroU16::new);
        let (rows, columns) = size("height").zip(size("width")).expect("a size");
        let mut parser = vt100::Parser::new(rows, columns, 0);
        lines.for_each(|event| parser.process(event[2].as_str().expect("output").as_bytes()));
        Grid::of(parser.screen())
    }

    /// The file.
    pub(super) fn lines(&self) -> String {
        let mut text = format!("{}\n", self.header);
        let mut before: Option<&Grid> = None;
        for (time, grid) in &self.frames {
            let data = changes(before, grid);
            text.push_str(&format!("[{time:.2}, \"o\", {}]\n", json!(data)));
            before = Some(grid);
        }
        text
    }
}

/// What draws the rows that differ.
fn changes(before: Option<&Grid>, grid: &Grid) -> String {
    let height = grid.height().max(before.map_or(0, Grid::height));
    let mut out = String::new();
    for row in (0..height).filter(|row| before.is_none_or(|before| before.runs(*row) != grid.runs(*row))) {
        out.push_str(&format!("\x1b[{};1H\x1b[0m\x1b[K", row + 1));
        for run in grid.runs(row) {
            out.push_str(&format!("\x1b[{}G\x1b[{}m{}", run.column + 1, codes(run.style), run.text));
        }
    }
    out.push_str("\x1b[0m");
    out.push_str(&match grid.cursor {
        Some((row, column)) => format!("\x1b[{};{}H\x1b[?25h", row + 1, column + 1),
        None => "\x1b[?25l".to_owned(),
    });
    out
}

/// The parameters of SGR that set a style.
fn codes(style: CellStyle) -> String {
    let mut codes = vec!["0".to_owned()];
    for (is_on, code) in [(style.bold, 1), (style.dim, 2), (style.italic, 3), (style.underline, 4), (style.inverse, 7)]
    {
        if is_on {
            codes.push(code.to_string());
        }
    }
    for (color, base) in [(style.ink, 30), (style.paper, 40)] {
        match color {
            Color::Default => {}
            Color::Idx(index @ 0..8) => codes.push((base + u16::from(index)).to_string()),
            Color::Idx(index) => codes.push(format!("{};5;{index}", base + 8)),
            Color::Rgb(red, green, blue) => codes.push(format!("{};2;{red};{green};{blue}", base + 8)),
        }
    }
    codes.join(";")
}
