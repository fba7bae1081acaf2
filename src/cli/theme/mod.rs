//! `shellmate theme`: lists themes, prints samples, and lets the person try and choose one.

mod picker;
mod sample;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::config::{self, Config, Paths};
use crate::input::KeyMap;
use crate::render::{self, Background, Depth, RenderOptions, ScreenSize, TerminalMode, Theme, Wrapping};
use crate::{text, tty};

use super::args::ThemeAction;
use super::report;
use picker::{OfferedTheme, PickedTheme};
use sample::SampleSize;

/// The setting that follows the background of the terminal.
const AUTO: &str = "auto";

pub(super) fn run(action: Option<ThemeAction>, paths: &Paths, out: &mut impl Write) -> Result<ExitCode> {
    let config = Config::load(paths).config;
    let (chosen, keys) = (&config.theme, config.key_map().0);
    let current = || chosen.name(background()).to_owned();
    match action.unwrap_or(ThemeAction::List) {
        ThemeAction::List => list(&current(), paths, out)?,
        ThemeAction::Show { name } => show(&name.unwrap_or_else(current), paths, out)?,
        ThemeAction::Preview { name } => preview(&name.unwrap_or_else(current), keys, paths, out)?,
        ThemeAction::Set { name: Some(name) } => set(&name, paths, out)?,
        ThemeAction::Set { name: None } => preview(&current(), keys, paths, out)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The background of the terminal, if it says so.
pub(super) fn background() -> Option<Background> {
    std::env::var("COLORFGBG").ok().as_deref().and_then(Background::of_variable)
}

fn list(current: &str, paths: &Paths, out: &mut impl Write) -> Result<()> {
    let names = config::theme_names(paths);
    let widest = names.iter().map(|name| text::width::cells(name)).max().unwrap_or_default();
    for name in names {
        let mark = if name == current { '*' } else { ' ' };
        let blanks = " ".repeat(widest - text::width::cells(&name));
        writeln!(out, "{}", format!("{mark} {name}{blanks}  {}", about(&name, paths)).trim_end())?;
    }
    Ok(())
}

/// What a theme says about itself, in one line, or why it cannot be used.
fn about(name: &str, paths: &Paths) -> String {
    let read = config::theme_text(name, paths)
        .and_then(|(text, file)| config::parsed_theme(&text, file.as_deref()).map(|_| render::about_theme(&text)));
    let about = read.map_or_else(|problem| format!("cannot be used: {problem}"), Option::unwrap_or_default);
    text::sanitize(&about).replace('\n', " ")
}

/// Prints a sample. Unlike in a session, a theme that cannot be read is an error.
fn show(name: &str, paths: &Paths, out: &mut impl Write) -> Result<()> {
    let options = options(load(name, paths)?, tty::size_of_stdout());
    out.write_all(&render::cooked(&sample::paint(&options, SampleSize::Full)))?;
    Ok(())
}

fn load(name: &str, paths: &Paths) -> Result<Theme> {
    let bad = |problem: config::Problem| anyhow::anyhow!("{problem}");
    let (text, file) = config::theme_text(name, paths).map_err(bad)?;
    config::parsed_theme(&text, file.as_deref()).map_err(bad)
}

/// How standard output shows this theme.
fn options(theme: Theme, size: tty::WindowSize) -> RenderOptions {
    let size = ScreenSize { columns: size.cols, rows: size.rows };
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let mut options = RenderOptions::of_terminal(size, theme, Wrapping::default(), variable);
    if !io::stdout().is_terminal() && !report::forces_colour(variable) {
        options.mode = TerminalMode::Dumb;
    }
    options
}

fn set(name: &str, paths: &Paths, out: &mut impl Write) -> Result<()> {
    let file = paths.config_file().context("no directory for a configuration; `shellmate doctor` says why")?;
    config::set_in_file(&file, "theme", name, paths)?;
    let made_for = config::theme_text(name, paths).ok().and_then(|(text, _)| render::theme_background(&text));
    if let (Some(made_for), Some(here)) = (made_for.map(Background::of_colour), background())
        && made_for != here
    {
        let (made_for, here) = (made_for.name(), here.name());
        report::notices([format!(
            "{name} is made for a {made_for} background; this terminal says that its own is {here}"
        )]);
    }
    writeln!(out, "theme = {name:?} in {}", text::sanitize(&file.to_string_lossy()))?;
    Ok(())
}

/// Opens the list of themes with a sample. The theme that the person picks is used from now on.
fn preview(name: &str, keys: KeyMap, paths: &Paths, out: &mut impl Write) -> Result<()> {
    let mut themes = Vec::new();
    for name in config::theme_names(paths) {
        // A theme that cannot be read cannot be tried. `theme show NAME` says why.
        if let Ok(theme) = load(&name, paths) {
            themes.push(OfferedTheme { about: about(&name, paths), theme, name });
        }
    }
    if name != AUTO {
        load(name, paths)?;
    }
    let can_preview = io::stdout().is_terminal()
        && tty::is_interactive()
        && options(Theme::default(), tty::size_of_stdout()).mode == TerminalMode::Terminal;
    if !can_preview || !tty::is_in_foreground() {
        bail!(
            "the list needs a terminal; `shellmate theme list` and `theme show NAME` print, `theme set NAME` chooses"
        );
    }
    match picker::pick(themes, name, keys, out)? {
        PickedTheme::Use(picked) => set(&picked, paths, out),
        PickedTheme::Left => Ok(()),
    }
}

/// The colours of the terminal in words, for a person who wonders why a theme has none.
fn depth_note(options: &RenderOptions) -> Option<&'static str> {
    match options.colour {
        Depth::None => Some("NO_COLOR is set, so no theme has colours"),
        Depth::Ansi16 => Some("this terminal has 16 colours, so themes are approximated"),
        Depth::Indexed | Depth::True => None,
    }
}
