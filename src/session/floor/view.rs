//! A read-only view of the session for floors.

use std::time::Instant;

use crate::input::EditorScreen;
use crate::render::{self, Depth, RenderOptions, TerminalMode};
use crate::session::books::Books;
use crate::session::keyboard::Keyboard;
use crate::session::profile::Profile;
use crate::session::requests::Requests;
use crate::session::wires::Wires;
use crate::tty;

/// Everything except the floor itself.
pub(in crate::session) struct View<'a> {
    pub(in crate::session) now: Instant,
    pub(in crate::session) wires: &'a Wires,
    pub(in crate::session) books: &'a Books,
    pub(in crate::session) keyboard: &'a Keyboard,
    pub(in crate::session) requests: &'a Requests,
    pub(in crate::session) profile: &'a Profile,
}

impl View<'_> {
    pub(in crate::session) fn size(&self) -> tty::WindowSize {
        self.wires.terminal.size()
    }

    /// Options for painting on this terminal.
    pub(in crate::session) fn options(&self) -> RenderOptions {
        let tty::WindowSize { rows, cols: columns, .. } = self.size();
        self.profile.options(render::ScreenSize { columns, rows })
    }

    /// The screen of a line editor.
    pub(super) fn line_screen(&self) -> EditorScreen {
        let RenderOptions { colour, unicode, mode, columns, .. } = self.options();
        let rows = self.size().rows;
        EditorScreen {
            rows: if rows == 0 { 24 } else { rows },
            columns,
            prompt: if unicode { "› " } else { "> " },
            colour: colour != Depth::None,
            is_plain: mode != TerminalMode::Terminal,
            reflows: reflows(),
        }
    }

    /// Turns bracketed paste on, or back to the setting of the program in the foreground.
    pub(super) fn paste_brackets(&self, on: bool) -> &'static [u8] {
        match (self.options().mode, on) {
            (TerminalMode::Terminal, true) => b"\x1b[?2004h",
            (TerminalMode::Terminal, false) if !self.books.modes.is_on(2004) => b"\x1b[?2004l",
            _ => b"",
        }
    }
}

/// Whether the terminal wraps its rows again when it gets narrower. Most terminals that identify themselves do.
fn reflows() -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let term = variable("TERM");
    let known = ["tmux", "kitty", "alacritty", "foot", "ghostty", "wezterm"];
    let says_so = ["TMUX", "VTE_VERSION", "TERM_PROGRAM", "WT_SESSION", "KONSOLE_VERSION"];
    known.iter().any(|name| term.contains(name)) || says_so.iter().any(|name| !variable(name).is_empty())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::session::scripted_tests;

    /// Calls `see` with the view of a session whose terminal has this many rows.
    fn look<T>(rows: u16, see: impl FnOnce(&View<'_>) -> T) -> T {
        let (wires, person, _script) = scripted_tests::wires();
        person.resizes(rows, 80);
        let (books, keyboard, requests) = (scripted_tests::books("n"), Keyboard::default(), Requests::default());
        let profile = scripted_tests::profile();
        let (wires, books, keyboard) = (&wires, &books, &keyboard);
        see(&View { now: Instant::now(), wires, books, keyboard, requests: &requests, profile: &profile })
    }

    #[test]
    fn a_terminal_without_a_size_has_24_rows() {
        assert_eq!(look(0, |view| view.line_screen().rows), 24);
        assert_eq!(look(50, |view| view.line_screen().rows), 50);
    }

    #[test]
    fn paste_brackets_are_left_to_a_program_that_has_them() {
        let (on, off) = look(24, |view| (view.paste_brackets(true), view.paste_brackets(false)));
        // On a terminal without escape sequences there are none.
        assert!(on == b"\x1b[?2004h" && off == b"\x1b[?2004l" || on.is_empty() && off.is_empty());
    }
}
