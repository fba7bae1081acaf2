//! What the person's terminal shows beside the screen: its title and progress while a query runs, and a notification at the end.
//!
//! All of it follows the floor: after every event the session compares what should be shown with what is shown. So it is taken back
//! on every way out of a turn: the end of an answer, Ctrl-C, an error, a panic, the end of the session. Queries that take less than a
//! second change nothing.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use crate::config::{NotifyMode, TerminalSettings};
use crate::render::{self, TerminalMode};
use crate::text::human;

use super::Session;
use super::floor::Floor;
use super::outer_abilities::{NotifyForm, OuterAbilities, through_tmux};
use super::reports::{Reports, TerminalReport};

/// How long a query runs before the terminal shows that it does.
const SETTLED: Duration = Duration::from_secs(1);

/// The sequences that save the title, set ours, and restore the saved one.
const TITLE: &[u8] = b"\x1b[22;0t\x1b]2;shellmate is working\x1b\\";
const OLD_TITLE: &[u8] = b"\x1b[23;0t";

/// The progress that the terminal shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum WindowProgress {
    #[default]
    None,
    Running,
    /// The agent waits for the person.
    Waiting,
}

/// The state of the person's terminal, as far as shellmate has changed it.
pub(super) struct OuterTerminal {
    settings: TerminalSettings,
    abilities: OnceCell<OuterAbilities>,
    pub(super) reports: Reports,
    /// Whether the terminal has the focus. It is assumed until a report says otherwise.
    has_focus: bool,
    /// What is shown now.
    shown: WindowProgress,
    /// Whether the open question has rung because it waited for long.
    has_rung: bool,
}

impl OuterTerminal {
    pub(super) fn new(settings: TerminalSettings) -> OuterTerminal {
        OuterTerminal {
            settings,
            abilities: OnceCell::new(),
            reports: Reports::default(),
            has_focus: true,
            shown: WindowProgress::None,
            has_rung: false,
        }
    }

    /// Uses other settings from here on.
    pub(super) fn adopt(&mut self, settings: TerminalSettings) {
        self.settings = settings;
    }

    fn abilities(&self) -> OuterAbilities {
        *self.abilities.get_or_init(|| OuterAbilities::of(|name| std::env::var(name).unwrap_or_default()))
    }

    /// The bytes that show this progress. `may_watch` says whether reports of the focus may be switched on.
    fn show(&mut self, wanted: WindowProgress, may_watch: bool, now: Instant) -> Vec<u8> {
        let (before, abilities, settings) = (self.shown, self.abilities(), &self.settings);
        if before == wanted {
            return Vec::new();
        }
        self.shown = wanted;
        let mut out = Vec::new();
        if settings.progress && abilities.progress {
            out.extend_from_slice(wanted.sequence());
        }
        if settings.title && abilities.title {
            match (before, wanted) {
                (WindowProgress::None, _) => out.extend_from_slice(TITLE),
                (_, WindowProgress::None) => out.extend_from_slice(OLD_TITLE),
                (
                    WindowProgress::Running | WindowProgress::Waiting,
                    WindowProgress::Running | WindowProgress::Waiting,
                ) => {}
            }
        }
        let watches =
            wanted != WindowProgress::None && settings.notify != NotifyMode::Off && abilities.replies && may_watch;
        out.extend_from_slice(self.reports.watch_focus(watches, now));
        out
    }

    /// The bytes that notify the person, if these words are worth it.
    fn notification(&self, words: &str, took: Duration) -> Vec<u8> {
        let (settings, abilities) = (&self.settings, self.abilities());
        let form = match (settings.notify, abilities.notifies) {
            _ if took < settings.least_duration() => return Vec::new(),
            (NotifyMode::Off, _) => return Vec::new(),
            (NotifyMode::Bell, _) | (NotifyMode::Auto, None) => NotifyForm::Bell,
            (NotifyMode::Auto | NotifyMode::Osc, Some(form)) => form,
            (NotifyMode::Osc, None) => NotifyForm::Osc9,
        };
        let mut out = form.sequence(words);
        if form == NotifyForm::Bell {
            return out;
        }
        if abilities.is_tmux {
            out = through_tmux(&out);
        }
        // tmux passes it on only if `allow-passthrough` is on.
        if abilities.is_tmux || abilities.needs_bell {
            out.extend(NotifyForm::Bell.sequence(words));
        }
        out
    }
}

impl WindowProgress {
    fn sequence(self) -> &'static [u8] {
        match self {
            WindowProgress::None => b"\x1b]9;4;0;\x1b\\",
            WindowProgress::Running => b"\x1b]9;4;3;\x1b\\",
            WindowProgress::Waiting => b"\x1b]9;4;4;100\x1b\\",
        }
    }
}

impl Session {
    /// Shows on the terminal around the screen whether a query is running.
    pub(super) fn follow_turn(&mut self) {
        let wanted = match &self.floor {
            Floor::Turn(turn) if self.requests.has_run_for(turn.request, SETTLED) => {
                if turn.has_question() {
                    WindowProgress::Waiting
                } else {
                    WindowProgress::Running
                }
            }
            Floor::Turn(_) | Floor::Shell | Floor::Accepted(_) | Floor::Lent(_) | Floor::Talk(_) | Floor::Returning => {
                WindowProgress::None
            }
        };
        let rings = matches!(&self.floor, Floor::Turn(turn) if turn.question_rings(Instant::now()));
        if rings && !std::mem::replace(&mut self.outer.has_rung, rings) {
            self.notify("a question waits for you", Duration::MAX);
        }
        self.outer.has_rung &= rings;
        if wanted == self.outer.shown {
            return;
        }
        let asks_now = wanted == WindowProgress::Waiting;
        // A program that has switched the reports on wants to read them.
        let may_watch = !self.books.modes.is_on(1004);
        let bytes = self.outer.show(wanted, may_watch, Instant::now());
        self.wires.to_screen.push(&bytes);
        if asks_now && !self.outer.has_focus {
            self.notify("a question waits for you", Duration::MAX);
        }
        if wanted == WindowProgress::None {
            self.outer.has_focus = true;
        }
    }

    /// Takes back what the terminal shows, because the session stops or ends.
    pub(super) fn rest_outer_terminal(&mut self) {
        let bytes = self.outer.show(WindowProgress::None, false, Instant::now());
        self.wires.to_screen.push(&bytes);
    }

    /// Notifies the person that a request in the foreground is over, if they look elsewhere.
    pub(super) fn notify_over(&mut self, number: u64) {
        if !self.outer.has_focus {
            self.notify_ready(number);
        }
    }

    /// Notifies the person that a request is over.
    pub(super) fn notify_ready(&mut self, number: u64) {
        if let Some(took) = self.requests.duration(number) {
            self.notify(&format!("answer ready after {}", human::duration(took)), took);
        }
    }

    fn notify(&mut self, words: &str, took: Duration) {
        if self.profile.options(render::ScreenSize { columns: 0, rows: 0 }).mode == TerminalMode::Terminal {
            let bytes = self.outer.notification(words, took);
            self.wires.to_screen.push(&bytes);
        }
    }

    /// Asks for the background colour, if the themes follow it.
    pub(super) fn ask_background(&mut self) {
        if self.profile.follows_background() && self.outer.abilities().replies {
            let bytes = self.outer.reports.ask_background(Instant::now());
            self.wires.to_screen.push(bytes);
        }
    }

    /// Takes note of what the terminal has said.
    pub(super) fn heed_reports(&mut self, heard: &[TerminalReport]) {
        for report in heard {
            match report {
                TerminalReport::Focus(has_focus) => self.outer.has_focus = *has_focus,
                TerminalReport::Background(background) => {
                    self.profile.background = Some(*background);
                    let theme = self.profile.theme();
                    if let Floor::Turn(turn) = &mut self.floor {
                        turn.set_theme(theme);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn abilities(pairs: &[(&str, &str)]) -> OuterAbilities {
        OuterAbilities::of(|name| pairs.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value).to_owned())
    }

    fn terminal(settings: TerminalSettings, pairs: &[(&str, &str)]) -> OuterTerminal {
        OuterTerminal { abilities: OnceCell::from(abilities(pairs)), ..OuterTerminal::new(settings) }
    }

    fn notified(notify: NotifyMode, pairs: &[(&str, &str)]) -> String {
        let settings = TerminalSettings { notify, ..TerminalSettings::default() };
        String::from_utf8(terminal(settings, pairs).notification("answer ready", Duration::from_secs(10))).unwrap()
    }

    #[test]
    fn each_terminal_gets_the_notification_that_it_shows() {
        for (pairs, expected) in [
            (&[("TERM", "xterm-256color")][..], "\x07"),
            (&[("TERM", "xterm-kitty")], "\x1b]99;;shellmate: answer ready\x1b\\"),
            (&[("TERM", "foot")], "\x1b]777;notify;shellmate;answer ready\x1b\\"),
            (&[("TERM", "rxvt-unicode-256color")], "\x1b]777;notify;shellmate;answer ready\x1b\\\x07"),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")], "\x1b]9;shellmate: answer ready\x1b\\"),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WarpTerminal")], "\x1b]9;shellmate: answer ready\x1b\\"),
            (&[("TERM", "xterm-256color"), ("WT_SESSION", "x")], "\x1b]777;notify;shellmate;answer ready\x1b\\\x07"),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "vscode")], "\x1b]99;;shellmate: answer ready\x1b\\\x07"),
            (&[("TERM", "xterm-256color"), ("VTE_VERSION", "7800")], "\x07"),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "Apple_Terminal")], "\x07"),
            (&[("TERM", "alacritty")], "\x07"),
            (&[("TERM", "xterm-256color"), ("STY", "1.pts"), ("KITTY_WINDOW_ID", "1")], "\x07"),
            (&[("TERM", "linux"), ("WT_SESSION", "x")], "\x07"),
            (&[("TERM", "screen-256color"), ("KITTY_WINDOW_ID", "1")], "\x07"),
            (
                &[("TERM", "tmux-256color"), ("TMUX", "/x"), ("WEZTERM_PANE", "1")],
                "\x1bPtmux;\x1b\x1b]9;shellmate: answer ready\x1b\x1b\\\x1b\\\x07",
            ),
        ] {
            assert_eq!(notified(NotifyMode::Auto, pairs), expected, "{pairs:?}");
            assert_eq!(notified(NotifyMode::Bell, pairs), "\x07");
            assert_eq!(notified(NotifyMode::Off, pairs), "");
        }
        assert_eq!(notified(NotifyMode::Osc, &[("TERM", "xterm")]), "\x1b]9;shellmate: answer ready\x1b\\");
        let quick = terminal(TerminalSettings::default(), &[("TERM", "xterm")]);
        assert_eq!(quick.notification("answer ready", Duration::from_millis(9_999)), b"");
    }

    #[test]
    fn title_and_progress_are_taken_back() {
        let iterm =
            [("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app"), ("TERM_FEATURES", "T3LrMSc7UUw9Ts3BFP")];
        let mut outer = terminal(TerminalSettings::default(), &iterm);
        let now = Instant::now();
        let shown = String::from_utf8(outer.show(WindowProgress::Running, true, now)).unwrap();
        assert_eq!(shown, "\x1b]9;4;3;\x1b\\\x1b[22;0t\x1b]2;shellmate is working\x1b\\\x1b[?1004h");
        assert_eq!(outer.show(WindowProgress::Running, true, now), b"");
        assert_eq!(outer.show(WindowProgress::Waiting, true, now), b"\x1b]9;4;4;100\x1b\\");
        let gone = String::from_utf8(outer.show(WindowProgress::None, true, now)).unwrap();
        assert_eq!(gone, "\x1b]9;4;0;\x1b\\\x1b[23;0t\x1b[?1004l\x1b[5n");
    }

    #[test]
    fn nothing_is_written_that_the_terminal_may_not_know_or_the_person_does_not_want() {
        let now = Instant::now();
        for term in ["dumb", "linux", "screen", ""] {
            let mut outer = terminal(TerminalSettings::default(), &[("TERM", term), ("WT_SESSION", "x")]);
            assert_eq!(outer.show(WindowProgress::Running, true, now), b"", "{term}");
        }
        let settings = TerminalSettings { notify: NotifyMode::Off, notify_after: 0, title: false, progress: false };
        let mut outer = terminal(settings, &[("TERM", "xterm-ghostty")]);
        assert_eq!(outer.show(WindowProgress::Running, true, now), b"");
        let mut watched = terminal(TerminalSettings::default(), &[("TERM", "xterm")]);
        assert_eq!(watched.show(WindowProgress::Running, false, now), b"", "a program has the reports");
    }
}
