//! One query in the terminal: from the waiting hook to `done`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::agent::{Place, Query, ShellView};
use crate::capture::{Capture, Size};
use crate::chat::{Ending, Event};
use crate::host::Kind;
use crate::render::{Colour, Mode, Options, Painter};
use crate::text;
use crate::tool::ShellResult;

use super::companion::{Companion, News, Order, Ran};
use super::line::Host;
use super::prompt::Prompt;
use super::{Session, tty};

/// How often the status line moves while a turn runs; at no other time does anything tick.
pub(super) const TICK: Duration = Duration::from_millis(80);

/// A query being answered.
pub(super) struct Turn {
    /// The counter the hook waits with; none if there is no hook.
    number: Option<u64>,
    painter: Painter,
    cancel: CancellationToken,
    /// A question the person is to answer.
    prompt: Option<Prompt>,
    /// A command in the live shell, and who waits for it.
    running: Option<oneshot::Sender<Ran>>,
}

impl Session {
    /// The hook waits: asks the agent what the line says.
    pub(super) fn begin_turn(&mut self, number: u64, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let text = text.strip_prefix('>').unwrap_or(&text).trim().to_owned();
        if text.is_empty() {
            return self.open_talk(Host::Hook(number));
        }
        self.ask(Some(number), text);
    }

    /// Asks the agent.
    pub(super) fn ask(&mut self, number: Option<u64>, text: String) {
        let painter = Painter::new(self.options());
        let cancel = CancellationToken::new();
        self.turn = Some(Turn { number, painter, cancel: cancel.clone(), prompt: None, running: None });
        let is_query = !text.starts_with('/') || text == "/retry";
        let happened = if is_query { self.recent.take() } else { self.recent.peek() };
        let view = ShellView {
            cwd: self.stage.cwd().unwrap_or_default(),
            environment: self.environment(),
            shell: self.kind.name().to_owned(),
            host: self.host.clone(),
            user: self.user.clone(),
            happened,
            last: self.recent.last(),
            screen: self.take_screen(),
        };
        let query = Box::new(Query { text, view, attachments: Vec::new(), stdin: None });
        if self.companion.is_none() {
            match Companion::start(self.places.clone()) {
                Ok(companion) => self.companion = Some(companion),
                Err(error) => return self.end_turn(Some(&format!("the agent cannot be started: {error}"))),
            }
        }
        if !self.companion.as_ref().is_some_and(|companion| companion.order(Order::Turn(query, cancel))) {
            self.companion = None;
            self.end_turn(Some("the agent is gone; the next query starts it again"));
        }
    }

    /// Hears what the agent has to say.
    pub(super) fn hear(&mut self) {
        let news = self.companion.as_ref().map(Companion::news).unwrap_or_default();
        for news in news {
            let Some(turn) = &mut self.turn else { continue };
            let mut out = Vec::new();
            match news {
                News::Event(event) => turn.painter.event(&event, Instant::now(), &mut out),
                News::Words(words) => {
                    turn.painter.suspend(&mut out);
                    for line in words.lines() {
                        out.extend_from_slice(text::sanitize(line).as_bytes());
                        out.extend_from_slice(b"\r\n");
                    }
                    turn.painter.resume(Instant::now(), &mut out);
                }
                News::Approve(approval, reply) => {
                    turn.painter.suspend(&mut out);
                    let options = options(self.tty.size().cols);
                    let prompt = Prompt::approval(*approval, reply, &self.user, &self.host, &options, &mut out);
                    turn.prompt = Some(prompt);
                }
                News::Ask(question, reply) => {
                    turn.painter.suspend(&mut out);
                    turn.prompt = Some(Prompt::question(question, reply, &mut out));
                }
                News::Run(command, reply) => {
                    turn.painter.suspend(&mut out);
                    self.stage.show(&out);
                    self.run_in_shell(&command, reply);
                    continue;
                }
                News::Suggest(command) => self.suggestion = Some(command),
                News::Copy(answer) => {
                    use base64::Engine;
                    let encoded = base64::engine::general_purpose::STANDARD.encode(answer);
                    out.extend_from_slice(format!("\x1b]52;c;{encoded}\x1b\\").as_bytes());
                }
                News::Over(ending) => {
                    // The painter has shown how an agent's turn ended; what failed before there was one it has not.
                    if let Ending::Failed(_) = &ending {
                        turn.painter.event(&Event::Finished(ending), Instant::now(), &mut out);
                    }
                    self.stage.show(&out);
                    self.end_turn(None);
                    continue;
                }
            }
            self.stage.show(&out);
        }
        if self.companion.as_ref().is_some_and(Companion::is_gone) {
            self.companion = None;
        }
        self.show();
    }

    /// Moves the status line.
    pub(super) fn tick(&mut self) {
        self.paint(|painter, out| painter.tick(Instant::now(), out));
    }

    pub(super) fn repaint(&mut self, columns: u16) {
        self.paint(|painter, out| painter.resize(columns, out));
    }

    /// Shows what a background job printed while the agent has the floor.
    pub(super) fn show_aside(&mut self) {
        let aside = self.stage.take_aside();
        if !aside.is_empty() && self.line_is_open() {
            self.show_above_line(&aside);
        } else if !aside.is_empty() {
            self.paint(|painter, out| {
                painter.suspend(out);
                out.extend_from_slice(&aside);
                if !aside.ends_with(b"\n") {
                    out.extend_from_slice(b"\r\n");
                }
                painter.resume(Instant::now(), out);
            });
        }
    }

    fn paint(&mut self, draw: impl FnOnce(&mut Painter, &mut Vec<u8>)) {
        // While a question stands or the shell runs something, the painter is suspended.
        if let Some(turn) = self.turn.as_mut().filter(|turn| turn.prompt.is_none() && turn.running.is_none()) {
            let mut out = Vec::new();
            draw(&mut turn.painter, &mut out);
            self.stage.show(&out);
            self.show();
        }
    }

    /// Keys while the agent has the floor: its own few, an answer to its question, or type-ahead for the shell.
    pub(super) fn on_turn_keys(&mut self, keys: &[u8]) {
        let mut ahead = Vec::new();
        for &key in keys {
            let Some(turn) = &mut self.turn else {
                ahead.push(key);
                continue;
            };
            let mut out = Vec::new();
            if key == 0x03 {
                turn.prompt = None;
                turn.cancel.cancel();
            } else if let Some(prompt) = turn.prompt.take() {
                turn.prompt = prompt.key(key, &mut out);
                if turn.prompt.is_none() {
                    turn.painter.resume(Instant::now(), &mut out);
                }
            } else if key == 0x0F {
                turn.painter.toggle_output(&mut out);
            } else if key == 0x14 {
                turn.painter.toggle_thinking(&mut out);
            } else {
                ahead.push(key);
            }
            self.stage.show(&out);
        }
        self.held.push(&ahead);
        self.show();
    }

    /// Has the waiting hook run a command in the live shell, where it can be seen and interrupted and where it lasts.
    fn run_in_shell(&mut self, command: &str, reply: oneshot::Sender<Ran>) {
        let Some(turn) = &mut self.turn else { return };
        let Some(number) = turn.number else {
            let result = Err("the shell is busy: the person asks from within another program".to_owned());
            let _ = reply.send(Ran { result, place: None });
            return self.tick();
        };
        match self.workspace.write_run(command, &self.nonce, self.kind == Kind::Fish) {
            Ok(path) => {
                turn.running = Some(reply);
                self.stage.lend_floor();
                self.workspace.direct(&format!("{number} run {}", path.display()));
            }
            Err(error) => {
                let result = Err(format!("the command could not be handed to the shell: {error}"));
                let _ = reply.send(Ran { result, place: None });
                self.tick();
            }
        }
        self.show();
    }

    /// The command in the live shell is over.
    pub(super) fn on_ran(&mut self, status: i32, capture: Capture) {
        let tty::Size { rows, cols, .. } = self.tty.size();
        let cwd = self.child.cwd().or_else(|| self.stage.cwd()).unwrap_or_default();
        let place = Some(Place { cwd, environment: self.environment() });
        let Some(turn) = &mut self.turn else { return };
        if let Some(reply) = turn.running.take() {
            let output = capture.finish().text(Size::new(rows, cols));
            let _ = reply.send(Ran { result: Ok(ShellResult { status, output, id: None }), place });
        }
        let mut out = Vec::new();
        turn.painter.resume(Instant::now(), &mut out);
        self.stage.show(&out);
        self.show();
    }

    /// Gives the floor back to the shell, after a line of ours if there is one.
    pub(super) fn end_turn(&mut self, words: Option<&str>) {
        let Some(mut turn) = self.turn.take() else { return };
        let mut out = Vec::new();
        turn.painter.finish(&mut out);
        self.stage.show(&out);
        if let Some(words) = words {
            self.stage.say(words);
        }
        if self.go_on_talking() {
            return;
        }
        if let Some(number) = turn.number {
            self.stage.return_floor();
            self.workspace.direct(&format!("{number} done"));
        }
        self.show();
    }

    /// Lets the agent's work go: the shell is back at its prompt already.
    pub(super) fn abandon_turn(&mut self) {
        if let Some(turn) = self.turn.take() {
            turn.cancel.cancel();
        }
    }

    /// Puts a proposed command on the prompt, as a paste that is not run.
    pub(super) fn place_suggestion(&mut self) {
        if let Some(command) = self.suggestion.take() {
            let clean: String = command.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
            self.send(format!("\x1b[200~{clean}\x1b[201~").as_bytes());
        }
    }

    /// The shell's exported variables, as the hook has written them down last; ours if it could not.
    pub(super) fn environment(&mut self) -> Vec<(OsString, OsString)> {
        let Some(bytes) = self.workspace.environment() else {
            return self.exported.clone().unwrap_or_else(|| std::env::vars_os().collect());
        };
        let pairs = bytes.split(|&byte| byte == 0).filter_map(|entry| {
            let equals = entry.iter().position(|&byte| byte == b'=')?;
            Some((OsString::from_vec(entry[..equals].to_vec()), OsString::from_vec(entry[equals + 1..].to_vec())))
        });
        let exported: Vec<_> = pairs.collect();
        self.exported = Some(exported.clone());
        exported
    }

    pub(super) fn options(&self) -> Options {
        options(self.tty.size().cols)
    }
}

/// What the terminal can do, from what the environment says of it.
fn options(columns: u16) -> Options {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let term = variable("TERM");
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(variable).into_iter().find(|value| !value.is_empty());
    let is_plain = term.is_empty() || term == "dumb";
    let is_console = term == "linux";
    Options {
        columns: if columns == 0 { 80 } else { columns },
        colour: if variable("NO_COLOR").is_empty() { Colour::Ansi16 } else { Colour::None },
        unicode: locale.is_some_and(|locale| locale.to_uppercase().replace('-', "").contains("UTF8")),
        synchronized: !is_console,
        hyperlinks: !is_console,
        mode: if is_plain { Mode::Dumb } else { Mode::Terminal },
    }
}
