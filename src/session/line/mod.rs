//! A conversation: the line that stays open for follow-ups.
//!
//! The keyboard is lent to the line key by key. What it does not take, because a key closed it or a turn began, goes on in order: to
//! the turn, to the next line, or to the shell.

mod editor;
mod offers;

use std::path::Path;
use std::time::Duration;

use crate::config;
use crate::host::Kind;
use crate::input::{Decoder, Editing, EditorScreen, History, Hotkey, Input, LineEditor, Offers, Outcome};
use crate::render::{Depth, Mode, Options};

use super::Session;
use super::agent_link::{self, AgentCommand, Slash};
use super::hotkey::Cover;

/// How long an ESC may be the beginning of something longer.
pub(super) const ESC_PATIENCE: Duration = Duration::from_millis(50);

/// What the person wants of the line.
#[derive(Debug, Clone, Default)]
pub(super) struct Wishes {
    pub(super) editing: Editing,
    pub(super) hotkey: Option<Hotkey>,
    /// Where queries are kept.
    pub(super) history: Option<std::path::PathBuf>,
}

/// An open conversation.
pub(super) struct Talk {
    pub(super) host: Host,
    decoder: Decoder,
    /// None while a turn runs.
    line: Option<LineEditor>,
    history: History,
    offers: Offers,
}

/// What the conversation interrupts.
pub(super) enum Host {
    /// The hook waits with this number.
    Hook(u64),
    /// Whatever was on the screen when the hotkey was pressed.
    Screen(Box<Cover>),
}

impl Session {
    /// Opens the line below what is on the screen.
    pub(super) fn open_talk(&mut self, host: Host) {
        // The history of commands makes the same directory, but perhaps later.
        if let Some(Err(error)) = self.wishes.history.as_deref().and_then(Path::parent).map(config::private_dir) {
            tracing::warn!(%error, "queries are not kept");
        }
        if matches!(host, Host::Hook(_)) {
            self.take_back();
        }
        let history = History::open(self.wishes.history.clone());
        let offers = self.offers();
        self.talk = Some(Talk { host, decoder: Decoder::default(), line: None, history, offers });
        self.open_line();
        self.take_ahead();
    }

    /// The keys behind the Enter that opened the line may have come with it, and the shell has not read them.
    fn take_back(&mut self) {
        let mut keys = self.pty.take_back().unwrap_or_else(|error| {
            tracing::debug!(%error, "what the shell has not read stays its own");
            Vec::new()
        });
        if self.kind == Kind::Zsh {
            // It has its terminal exchange them while it edits a line.
            keys.iter_mut().for_each(|key| match *key {
                b'\n' => *key = b'\r',
                b'\r' => *key = b'\n',
                _ => {}
            });
        }
        for later in [std::mem::take(&mut self.to_shell), std::mem::take(&mut self.held)] {
            keys.extend_from_slice(later.front());
        }
        self.held.push(&keys);
    }

    /// What was typed before the line opened was typed for it.
    fn take_ahead(&mut self) {
        let ahead = std::mem::take(&mut self.held);
        self.on_line_keys(ahead.front());
    }

    /// Whether a line is open and has the keyboard.
    pub(super) fn line_is_open(&self) -> bool {
        self.talk.as_ref().is_some_and(|talk| talk.line.is_some())
    }

    /// Whether the last key may be the beginning of a longer one.
    pub(super) fn line_is_undecided(&self) -> bool {
        self.talk.as_ref().is_some_and(|talk| talk.line.is_some() && talk.decoder.is_undecided())
    }

    /// A turn of the conversation is over: the line opens again, with what was typed meanwhile. False if there is no conversation.
    pub(super) fn go_on_talking(&mut self) -> bool {
        if self.talk.is_none() {
            return false;
        }
        let offers = self.offers();
        if let Some(talk) = &mut self.talk {
            talk.offers = offers;
        }
        self.open_line();
        self.take_ahead();
        true
    }

    fn open_line(&mut self) {
        let Some(talk) = &mut self.talk else { return };
        let mut line = LineEditor::new(self.wishes.editing);
        line.welcome(&talk.history, &talk.offers);
        talk.line = Some(line);
        self.switch_on();
        self.paint_line();
    }

    /// Keys while the line is open.
    pub(super) fn on_line_keys(&mut self, keys: &[u8]) {
        let is_fresh = matches!(&self.talk, Some(Talk { line: Some(line), decoder, .. }) if line.is_empty() && !decoder.is_undecided());
        if is_fresh && self.take_hotkey_back(keys) {
            return;
        }
        for (at, &key) in keys.iter().enumerate() {
            let Some(talk) = &mut self.talk else { return self.route(&keys[at..]) };
            if let Some(input) = talk.decoder.byte(key)
                && !self.on_line_input(input)
            {
                // Not ours any more; whose they are, the rest of the session knows.
                return self.route(&keys[at + 1..]);
            }
        }
        self.paint_line();
    }

    /// The key that was undecided was an ESC.
    pub(super) fn settle_line(&mut self) {
        if let Some(input) = self.talk.as_mut().and_then(|talk| talk.decoder.settle())
            && self.on_line_input(input)
        {
            self.paint_line();
        }
    }

    /// Gives the line a key; whether it still has the keyboard afterwards.
    fn on_line_input(&mut self, input: Input) -> bool {
        let screen = self.line_screen();
        let Some(talk) = &mut self.talk else { return false };
        let Some(line) = &mut talk.line else { return false };
        match line.input(input, &talk.history, &talk.offers) {
            Outcome::Open => true,
            Outcome::Submitted(text) => {
                let mut out = Vec::new();
                line.leave(&screen, &mut out);
                self.stage.draw(&out);
                let text = text.trim().to_owned();
                talk.history.add(&text);
                talk.line = None;
                self.switch_off();
                match agent_link::parse(&text) {
                    Some(Ok(Slash::Agent(AgentCommand::Quit))) => self.close_talk(),
                    _ => self.ask_in_talk(text),
                }
                self.show();
                self.line_is_open()
            }
            Outcome::Closed => {
                self.close_talk();
                false
            }
            Outcome::Edit(text) => {
                self.edit_elsewhere(&text);
                true
            }
        }
    }

    fn ask_in_talk(&mut self, text: String) {
        let number = self.talk.as_ref().and_then(|talk| match talk.host {
            Host::Hook(number) => Some(number),
            Host::Screen(_) => None,
        });
        self.take_floor(number, text);
    }

    /// Takes the line away and gives the floor back to whoever had it.
    pub(super) fn close_talk(&mut self) {
        let Some(mut talk) = self.talk.take() else { return };
        if let Some(mut line) = talk.line.take() {
            let mut out = Vec::new();
            line.lift(&mut out);
            self.stage.draw(&out);
            self.switch_off();
        }
        match talk.host {
            Host::Hook(_) => {
                self.stage.return_floor();
                self.end_wait();
            }
            Host::Screen(cover) => self.uncover(*cover),
        }
        self.show();
    }

    /// The shell went on without being told: there is nobody to return to.
    pub(super) fn abandon_talk(&mut self) {
        if let Some(Talk { line: Some(mut line), .. }) = self.talk.take() {
            let mut out = Vec::new();
            line.lift(&mut out);
            self.stage.draw(&out);
            self.switch_off();
            self.show();
        }
    }

    pub(super) fn paint_line(&mut self) {
        let screen = self.line_screen();
        if let Some(Talk { line: Some(line), history, .. }) = &mut self.talk {
            let mut out = Vec::new();
            line.paint(&screen, history, &mut out);
            self.stage.draw(&out);
            self.show();
        }
    }

    /// Shows what a background job printed above the line.
    pub(super) fn show_above_line(&mut self, bytes: &[u8]) {
        if let Some(Talk { line: Some(line), .. }) = &mut self.talk {
            let mut out = Vec::new();
            line.lift(&mut out);
            out.extend_from_slice(bytes);
            if !bytes.ends_with(b"\n") {
                out.extend_from_slice(b"\r\n");
            }
            self.stage.draw(&out);
        }
        self.paint_line();
    }

    pub(super) fn resize_line(&mut self) {
        let screen = self.line_screen();
        if let Some(Talk { line: Some(line), .. }) = &mut self.talk {
            let mut out = Vec::new();
            line.resized(&screen, &mut out);
            self.stage.draw(&out);
        }
        self.paint_line();
    }

    pub(super) fn line_screen(&self) -> EditorScreen {
        let Options { colour, unicode, mode, columns, .. } = self.options();
        let rows = self.tty.size().rows;
        EditorScreen {
            rows: if rows == 0 { 24 } else { rows },
            columns,
            prompt: if unicode { "› " } else { "> " },
            colour: colour != Depth::None,
            is_plain: mode == Mode::Dumb,
            reflows: reflows(),
        }
    }

    /// What a line wants of its terminal: pastes in brackets, and keys that can be told apart.
    fn switch_on(&mut self) {
        if self.options().mode == Mode::Terminal {
            self.stage.draw(self.paste_brackets(true));
            self.stage.draw(if speaks_kitty() { b"\x1b[>1u" } else { b"" });
        }
    }

    /// Back to what the program in front had.
    fn switch_off(&mut self) {
        if self.options().mode == Mode::Terminal {
            self.stage.draw(if speaks_kitty() { b"\x1b[<u" } else { b"" });
            self.stage.draw(self.paste_brackets(false));
        }
    }
}

/// The Linux console takes the sequence for another one.
fn speaks_kitty() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term != "linux")
}

/// Whether the terminal wraps its rows anew when it gets narrower; most that say who they are do.
fn reflows() -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let term = variable("TERM");
    let known = ["tmux", "kitty", "alacritty", "foot", "ghostty", "wezterm"];
    let says_so = ["TMUX", "VTE_VERSION", "TERM_PROGRAM", "WT_SESSION", "KONSOLE_VERSION"];
    known.iter().any(|name| term.contains(name)) || says_so.iter().any(|name| !variable(name).is_empty())
}
