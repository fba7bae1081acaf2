//! `shellmate theme`: lists themes and prints samples.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;

use crate::chat::{Call, Event, Outcome, Shown, ToolKind};
use crate::config::{self, Config, Paths};
use crate::render::{self, Painter, RenderOptions, ScreenSize, TerminalMode, Wrapping};
use crate::{text, tty};

use super::args::ThemeAction;

/// Markdown with one example of each element.
const SAMPLE: &str = "\
# Title

Words with **weight**, `code`, and [a link](https://example.org).

> A quote.

- [x] done
- [ ] to do

```rust
/// Adds one.
fn next(n: u32) -> u32 { n + 1 } // \"as it is\"
```

| role | look |
|---|--:|
| good | 1 |
";

pub(super) fn run(action: Option<ThemeAction>, paths: &Paths, out: &mut impl Write) -> Result<ExitCode> {
    match action.unwrap_or(ThemeAction::List) {
        ThemeAction::List => list(paths, out)?,
        ThemeAction::Show { name } => show(name, paths, out)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn list(paths: &Paths, out: &mut impl Write) -> Result<()> {
    let current = Config::load(paths.config_file().as_deref()).config.theme;
    let names = config::theme_names(paths);
    let widest = names.iter().map(|name| text::width::cells(name)).max().unwrap_or_default();
    for name in names {
        let mark = if name == current { '*' } else { ' ' };
        let about = match config::theme_text(&name, paths) {
            Ok((text, _)) => render::about_theme(&text).unwrap_or_default(),
            Err(problem) => problem.to_string(),
        };
        let blanks = " ".repeat(widest - text::width::cells(&name));
        writeln!(
            out,
            "{}",
            format!("{mark} {name}{blanks}  {}", text::sanitize(&about).replace('\n', " ")).trim_end()
        )?;
    }
    Ok(())
}

/// Prints a sample. Unlike in a session, a theme that cannot be read is an error.
fn show(name: Option<String>, paths: &Paths, out: &mut impl Write) -> Result<()> {
    let name = name.unwrap_or_else(|| Config::load(paths.config_file().as_deref()).config.theme);
    let bad = |problem: config::Problem| anyhow::anyhow!("{problem}");
    let (text, file) = config::theme_text(&name, paths).map_err(bad)?;
    let theme = config::parsed_theme(&text, file.as_deref()).map_err(bad)?;
    let tty::WindowSize { rows, cols: columns, .. } = tty::size_of_stdout();
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let mut options = RenderOptions::of_terminal(ScreenSize { columns, rows }, theme, Wrapping::default(), variable);
    if !io::stdout().is_terminal() {
        options.mode = TerminalMode::Dumb;
    }
    out.write_all(&render::cooked(&sample(&options)))?;
    Ok(())
}

fn sample(options: &RenderOptions) -> Vec<u8> {
    render::warm("rust");
    let (mut painter, mut bytes, now) = (Painter::new(options.clone()), Vec::new(), Instant::now());
    let call = |id: &str, title: &str| Event::CallStarted {
        call: Call { id: id.to_owned(), name: "bash".to_owned(), arguments: String::new() },
        kind: ToolKind::Run,
        title: title.to_owned(),
    };
    let ended = |id: &str, outcome| Event::CallFinished {
        id: id.to_owned(),
        outcome,
        shown: Shown::Outcome,
        took: Default::default(),
    };
    let events = [
        Event::Text(SAMPLE.to_owned()),
        call("1", "cargo test"),
        ended("1", Outcome::done("")),
        call("2", "cargo tset"),
        ended("2", Outcome::failed("exit code 101")),
        Event::Notice("a notice".to_owned()),
    ];
    for event in &events {
        painter.event(event, now, &mut bytes);
    }
    painter.finish(&mut bytes);
    let diff =
        render::diff("let port = 80;\nserve(port);\n", "let port = 8080;\nserve(port);\n", "src/main.rs", options);
    bytes.extend_from_slice(diff.as_bytes());
    bytes
}
