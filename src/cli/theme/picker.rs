//! The list of themes on the alternate screen, with a sample of the selected one.

use std::io::Write;

use anyhow::Result;
use nix::poll::PollTimeout;

use crate::input::{Code, Decoder, Input, Key};
use crate::render::{RenderOptions, Theme};
use crate::text::width;
use crate::tty::{Tty, WindowSize};

use super::{depth_note, options, sample};
use crate::cli::alternate_screen::AlternateScreen;

/// How long an ESC may be the beginning of another key, in milliseconds.
const ESC_PATIENCE: u16 = 50;
/// How often the size of the window is read, in milliseconds.
const SIZE_CHECK: u16 = 250;

/// The sample is beside the list from this width on, and below it in narrower windows.
const SIDE_BY_SIDE: u16 = 70;
/// Rows of the list above a sample.
const LIST_ABOVE: usize = 6;

/// A theme that can be picked.
pub(super) struct OfferedTheme {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) theme: Theme,
}

/// How the list was left.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PickedTheme {
    Use(String),
    Left,
}

/// Shows the list until the person picks a theme or leaves. The screen is restored in both cases.
pub(super) fn pick(themes: Vec<OfferedTheme>, begin: &str, out: &mut impl Write) -> Result<PickedTheme> {
    let tty = Tty::open()?;
    tty.enter_raw()?;
    let mut screen = AlternateScreen::enter(out)?;
    let mut list = ThemeList::new(themes, begin);
    let (mut decoder, mut keys) = (Decoder::default(), [0; 256]);
    loop {
        let size = tty.size();
        let (rows, is_synchronized) = list.frame(size);
        screen.draw(&rows, is_synchronized)?;
        let inputs = loop {
            let patience = if decoder.is_undecided() { ESC_PATIENCE } else { SIZE_CHECK };
            if tty.has_keys_within(PollTimeout::from(patience)) {
                break match tty.read(&mut keys)? {
                    0 => return Ok(PickedTheme::Left),
                    count => keys[..count].iter().filter_map(|byte| decoder.byte(*byte)).collect(),
                };
            }
            match decoder.settle() {
                Some(input) => break vec![input],
                None if tty.size() != size => break Vec::new(),
                None => {}
            }
        };
        if let Some(picked) = inputs.into_iter().find_map(|input| list.input(&input)) {
            return Ok(picked);
        }
    }
}

/// The themes and the selected one.
struct ThemeList {
    themes: Vec<OfferedTheme>,
    selected: usize,
}

impl ThemeList {
    fn new(themes: Vec<OfferedTheme>, begin: &str) -> ThemeList {
        let selected = themes.iter().position(|offered| offered.name == begin).unwrap_or_default();
        ThemeList { themes, selected }
    }

    /// Takes a key. Returns how the list was left, if it was.
    fn input(&mut self, input: &Input) -> Option<PickedTheme> {
        let Input::Key(key) = input else { return None };
        let last = self.themes.len().saturating_sub(1);
        match key.code {
            Code::Enter => return self.themes.get(self.selected).map(|picked| PickedTheme::Use(picked.name.clone())),
            Code::Esc => return Some(PickedTheme::Left),
            Code::Char('c' | 'd') if key.mods.ctrl => return Some(PickedTheme::Left),
            Code::Char('q') if key.is_typed() => return Some(PickedTheme::Left),
            Code::Up => self.selected = self.selected.saturating_sub(1),
            Code::Down | Code::Tab => self.selected = (self.selected + 1).min(last),
            Code::Char('p') if *key == Key::ctrl('p') => self.selected = self.selected.saturating_sub(1),
            Code::Char('n') if *key == Key::ctrl('n') => self.selected = (self.selected + 1).min(last),
            Code::Char('k') if key.is_typed() => self.selected = self.selected.saturating_sub(1),
            Code::Char('j') if key.is_typed() => self.selected = (self.selected + 1).min(last),
            Code::Home | Code::PageUp => self.selected = 0,
            Code::End | Code::PageDown => self.selected = last,
            Code::Char(_)
            | Code::Backspace
            | Code::Left
            | Code::Right
            | Code::Insert
            | Code::Delete
            | Code::Function(_) => {}
        }
        None
    }

    /// The rows of the whole screen, and whether the terminal supports synchronized output.
    fn frame(&self, size: WindowSize) -> (Vec<String>, bool) {
        let Some(offered) = self.themes.get(self.selected) else { return (Vec::new(), false) };
        let options = options(offered.theme, size);
        let (columns, rows) = (options.columns, usize::from(options.rows));
        let widest = self.themes.iter().map(|offered| width::cells(&offered.name)).max().unwrap_or_default() + 2;
        let mut screen: Vec<String> = vec![self.head(&options)];
        screen.push(width::fit(&offered.about, usize::from(columns)).to_owned());
        screen.push(width::fit(depth_note(&options).unwrap_or_default(), usize::from(columns)).to_owned());
        let room = rows.saturating_sub(screen.len());
        if columns >= SIDE_BY_SIDE {
            let left = u16::try_from(widest).unwrap_or_default() + 3;
            let sample = sample::rows(&options, columns - left);
            let list = self.rows(room, &options);
            for row in 0..room {
                let name = list.get(row).map_or("", String::as_str);
                let look = sample.get(row).map_or("", String::as_str);
                screen.push(format!("{name}\x1b[{}G{look}", left + 1));
            }
        } else {
            screen.extend(self.rows(room.min(LIST_ABOVE), &options));
            screen.push(String::new());
            screen.extend(sample::rows(&options, columns));
        }
        screen.truncate(rows);
        (screen, options.synchronized)
    }

    fn head(&self, options: &RenderOptions) -> String {
        let keys = if options.unicode { "↑ ↓ move" } else { "Up Down move" };
        let place = format!("{} of {}", self.selected + 1, self.themes.len());
        let words = format!("theme {place}; {keys}, Enter use, Esc leave");
        width::fit(&words, usize::from(options.columns)).to_owned()
    }

    /// The names around the selected one.
    fn rows(&self, room: usize, options: &RenderOptions) -> Vec<String> {
        let first = (self.selected + 1).saturating_sub(room);
        let sign = if options.unicode { "▸ " } else { "> " };
        let row = |(at, offered): (usize, &OfferedTheme)| match at == self.selected {
            true => format!("\x1b[1m{sign}{}\x1b[0m", offered.name),
            false => format!("  {}", offered.name),
        };
        self.themes.iter().enumerate().skip(first).take(room).map(row).collect()
    }
}
