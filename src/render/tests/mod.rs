//! Tests of rendered screens.

mod answers;
mod calls;
mod forms;
mod laws;
mod widgets;

use std::num::NonZero;
use std::time::{Duration, Instant};

use super::*;
use crate::chat::{Call, Event, Outcome, Shown, ToolKind};

pub(super) fn options(columns: u16) -> RenderOptions {
    RenderOptions {
        columns,
        rows: 60,
        wrap: Wrapping::Words,
        colour: Depth::Ansi16,
        theme: Theme::default(),
        code: CodeColours::default(),
        unicode: true,
        synchronized: true,
        hyperlinks: true,
        mode: TerminalMode::Terminal,
        keys: Default::default(),
    }
}

fn size(cells: u16) -> NonZero<u16> {
    NonZero::new(cells).unwrap()
}

pub(super) fn terminal(rows: u16, columns: u16) -> vt100::Parser {
    vt100::Parser::new(size(rows), size(columns), 10_000)
}

/// How the terminal handles U+FE0F, which turns a character of one cell into an emoji of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Widening {
    /// The character takes a second cell. vt100 loses a row when that happens at the right margin of its last row, so the screen
    /// must be tall enough not to scroll.
    Widens,
    Ignores,
}

/// A terminal with a painter and a clock.
pub(super) struct Scene {
    pub(super) painter: Painter,
    terminal: vt100::Parser,
    widening: Widening,
    start: Instant,
    elapsed: Duration,
    pub(super) bytes: Vec<u8>,
}

impl Scene {
    pub(super) fn new(columns: u16) -> Scene {
        Scene::with(options(columns))
    }

    pub(super) fn with(options: RenderOptions) -> Scene {
        options.code.load();
        let terminal = terminal(options.rows, options.columns);
        let (elapsed, widening) = (Duration::ZERO, Widening::Widens);
        Scene { painter: Painter::new(options), terminal, widening, start: Instant::now(), elapsed, bytes: Vec::new() }
    }

    /// Chooses the kind of terminal.
    pub(super) fn on(mut self, widening: Widening) -> Scene {
        self.widening = widening;
        self
    }

    pub(super) fn now(&self) -> Instant {
        self.start + self.elapsed
    }

    /// Calls the painter and feeds its bytes to the terminal.
    pub(super) fn act(mut self, act: impl FnOnce(&mut Painter, Instant, &mut Vec<u8>)) -> Scene {
        let mut out = Vec::new();
        let now = self.now();
        act(&mut self.painter, now, &mut out);
        match self.widening {
            Widening::Widens => self.terminal.process(&out),
            Widening::Ignores => {
                self.terminal.process(String::from_utf8_lossy(&out).replace('\u{fe0f}', "").as_bytes())
            }
        }
        self.bytes.extend_from_slice(&out);
        self
    }

    pub(super) fn event(self, event: Event) -> Scene {
        self.act(|painter, now, out| painter.event(&event, now, out))
    }

    pub(super) fn text(self, text: &str) -> Scene {
        self.event(Event::Text(text.to_owned()))
    }

    pub(super) fn pieces(mut self, text: &str, size: usize) -> Scene {
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(size) {
            self = self.text(&piece.iter().collect::<String>());
        }
        self
    }

    pub(super) fn wait(mut self, millis: u64) -> Scene {
        self.elapsed += Duration::from_millis(millis);
        self.act(|painter, now, out| painter.tick(now, out))
    }

    pub(super) fn resize(mut self, columns: u16) -> Scene {
        self.terminal.screen_mut().set_size(size(60), size(columns));
        self.act(|painter, _, out| painter.resize(ScreenSize { columns, rows: 60 }, out))
    }

    pub(super) fn finish(self) -> Scene {
        self.act(|painter, _, out| painter.finish(out))
    }

    pub(super) fn start(self, id: &str, name: &str, title: &str) -> Scene {
        let call = Call { id: id.to_owned(), name: name.to_owned(), arguments: "{}".to_owned() };
        let kind = match name {
            "bash" => ToolKind::Run,
            "read_file" | "ls" => ToolKind::Read,
            "grep" | "glob" => ToolKind::Search,
            "edit_file" | "write_file" => ToolKind::Edit,
            "run_in_shell" => ToolKind::Shell,
            "suggest_command" => ToolKind::Suggest,
            "ask_user" => ToolKind::Ask,
            _ => ToolKind::Other,
        };
        self.event(Event::CallStarted { call, kind, title: title.to_owned() })
    }

    pub(super) fn output(self, id: &str, text: &str) -> Scene {
        self.event(Event::CallOutput { id: id.to_owned(), text: text.to_owned() })
    }

    pub(super) fn done(self, id: &str, outcome: Outcome) -> Scene {
        self.done_as(id, outcome, Shown::Outcome)
    }

    pub(super) fn done_as(self, id: &str, outcome: Outcome, shown: Shown) -> Scene {
        let took = Duration::from_millis(1_250);
        self.event(Event::CallFinished { id: id.to_owned(), outcome, shown, took })
    }

    /// The rows of the screen down to the cursor, which is shown as `█`.
    pub(super) fn screen(&self) -> String {
        let screen = self.terminal.screen();
        let (row, column) = screen.cursor_position();
        let mut rows: Vec<String> = screen.rows(0, screen.size().1.get()).collect();
        rows.truncate(usize::from(row) + 1);
        let before: String = screen.rows(0, column).nth(usize::from(row)).unwrap_or_default();
        let cells = crate::text::width::cells(&before);
        rows[usize::from(row)] = format!("{before}{}█", " ".repeat(usize::from(column).saturating_sub(cells)));
        rows.join("\n")
    }

    /// The scrollback, and the rows of the screen down to the cursor.
    pub(super) fn history(&mut self) -> String {
        let screen = self.terminal.screen_mut();
        screen.set_scrollback(usize::MAX);
        let mut rows = Vec::new();
        let columns = screen.size().1.get();
        for offset in (1..=screen.scrollback()).rev() {
            screen.set_scrollback(offset);
            rows.extend(screen.rows(0, columns).next());
        }
        screen.set_scrollback(0);
        rows.push(self.screen());
        rows.join("\n")
    }

    /// The text that copying gives: rows that the terminal wrapped are one line.
    pub(super) fn copied(&self) -> String {
        self.terminal.screen().contents()
    }

    /// The screen with its attributes, as SGR sequences.
    pub(super) fn looks(&self) -> String {
        self.terminal.screen().contents_formatted()
    }

    /// The written bytes, with escapes made visible.
    pub(super) fn escapes(&self) -> String {
        String::from_utf8_lossy(&self.bytes).replace('\x1b', "␛").replace('\r', "␍").replace('\n', "␊\n")
    }
}
