//! The list of themes on the alternate screen, with a sample of the selected one.

use std::io::Write;

use anyhow::Result;
use nix::poll::PollTimeout;

use crate::input::{Code, Decoder, Input, Key, KeyAction, KeyContext, KeyMap};
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
pub(super) fn pick(themes: Vec<OfferedTheme>, begin: &str, keys: KeyMap, out: &mut impl Write) -> Result<PickedTheme> {
    let tty = Tty::open()?;
    tty.enter_raw()?;
    let mut screen = AlternateScreen::enter(out)?;
    let mut list = ThemeList::new(themes, begin, keys);
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
    keys: KeyMap,
    selected: usize,
}

impl ThemeList {
    fn new(themes: Vec<OfferedTheme>, begin: &str, keys: KeyMap) -> ThemeList {
        let selected = themes.iter().position(|offered| offered.name == begin).unwrap_or_default();
        ThemeList { themes, keys, selected }
    }

    /// Takes a key. Returns how the list was left, if it was.
    fn input(&mut self, input: &Input) -> Option<PickedTheme> {
        let Input::Key(key) = input else { return None };
        let last = self.themes.len().saturating_sub(1);
        // Ctrl-C leaves, whatever the configuration says.
        let letter = key.is_typed().then_some(key.code);
        let action = match (letter, *key == Key::ctrl('c')) {
            (_, true) | (Some(Code::Char('q')), _) => Some(KeyAction::ListLeave),
            (Some(Code::Char('k')), _) => Some(KeyAction::ListUp),
            (Some(Code::Char('j')), _) => Some(KeyAction::ListDown),
            _ => self.keys.action(KeyContext::List, *key),
        };
        match action {
            Some(KeyAction::ListPick) => {
                return self.themes.get(self.selected).map(|picked| PickedTheme::Use(picked.name.clone()));
            }
            Some(KeyAction::ListLeave) => return Some(PickedTheme::Left),
            Some(KeyAction::ListUp) => self.selected = self.selected.saturating_sub(1),
            Some(KeyAction::ListDown) => self.selected = (self.selected + 1).min(last),
            Some(KeyAction::ListFirst | KeyAction::ListPageUp) => self.selected = 0,
            Some(KeyAction::ListLast | KeyAction::ListPageDown) => self.selected = last,
            _ => {}
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
        let place = format!("theme {} of {}", self.selected + 1, self.themes.len());
        let words = match self.keys.list_hints("use", options.unicode).join(", ") {
            hints if hints.is_empty() => place,
            hints => format!("{place}; {hints}"),
        };
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
