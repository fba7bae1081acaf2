//! One query in the terminal: from the waiting hook to `done`.

mod keys;

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::agent::{Happened, Place, Query, ShellView};
use crate::capture::Size;
use crate::chat::{Ending, Event, Failure, FailureKind};
use crate::input::Hotkey;
use crate::render::{self, Options, Painter, Theme, Unfolding};
use crate::text;
use crate::tool::ShellResult;

use super::agent_link::{self, AgentLink, CRASHED, ITSELF, News, Order, Question, Ran, SessionCommand, Slash};
use super::line::Host;
use super::prompt::{Around, Asked, Prompt};
use super::requests::Wish;
use super::stage::Ended;
use super::steering::Steering;
use super::{Session, tty};

/// How often the status line moves while a turn runs; at no other time does anything tick.
pub(super) const TICK: Duration = Duration::from_millis(80);

/// The longest command for the live shell: the hook says in a mark what it has read, and a field of a mark holds no more.
const COMMAND_CAP: usize = 32 * 1024;

/// What has the floor in place of the shell, while its hook waits.
pub(super) struct Turn {
    /// The counter the hook waits with; none if there is no hook.
    hook: Option<u64>,
    /// The request in front, or `ITSELF` where words to the agent are obeyed.
    pub(super) request: u64,
    pub(super) painter: Painter,
    pub(super) cancel: CancellationToken,
    /// A question the person is to answer.
    pub(super) prompt: Option<Prompt>,
    /// A line the person writes to it.
    pub(super) steering: Option<Steering>,
    /// A command in the live shell, and who waits for it.
    pub(super) running: Option<oneshot::Sender<Ran>>,
    /// Whether words to the agent itself are being obeyed.
    is_obeyed: bool,
}

impl Session {
    /// The hook waits: does what the line says.
    pub(super) fn begin_turn(&mut self, hook: u64, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let text = text.strip_prefix('>').unwrap_or(&text).trim().to_owned();
        if text.is_empty() {
            return self.open_talk(Host::Hook(hook));
        }
        self.take_floor(Some(hook), text);
    }

    /// Does what the person says, in place of the shell.
    pub(super) fn take_floor(&mut self, hook: Option<u64>, text: String) {
        let painter = Painter::new(self.options());
        let cancel = CancellationToken::new();
        self.turn = Some(Turn {
            hook,
            request: ITSELF,
            painter,
            cancel,
            prompt: None,
            steering: None,
            running: None,
            is_obeyed: false,
        });
        match agent_link::parse(&text) {
            None => match text.strip_suffix('&').filter(|rest| rest.ends_with(char::is_whitespace)) {
                Some(rest) => self.ask_behind(rest.trim_end().to_owned()),
                None => self.ask(text),
            },
            Some(Err(words)) => self.end_turn(Some(&words)),
            Some(Ok(Slash::Session(command))) => self.carry_out(command),
            Some(Ok(Slash::Agent(command))) => {
                let (happened, screen) = (self.recent.peek(), self.covered_screen());
                let query = Box::new(self.query(text, happened, screen));
                if let Some(turn) = &mut self.turn {
                    turn.is_obeyed = true;
                    let order = Order::Command(command, query, turn.cancel.clone());
                    self.order(order);
                }
            }
        }
    }

    fn carry_out(&mut self, command: SessionCommand) {
        match command {
            SessionCommand::Help => {
                let hotkey = self.wishes.hotkey.as_ref().map(Hotkey::label);
                self.print(&agent_link::help(hotkey.as_deref()));
            }
            SessionCommand::Fix => self.ask("fix".to_owned()),
            SessionCommand::Show(number) => self.show_request(number),
            SessionCommand::Retry => match self.requests.last().map(|last| last.query.clone()) {
                Some(query) => self.ask(query),
                None => self.end_turn(Some("there is nothing to ask again yet")),
            },
        }
    }

    /// Prints words of our own and gives the floor back.
    pub(super) fn print(&mut self, words: &str) {
        let mut out = Vec::new();
        if let Some(turn) = &mut self.turn {
            write_words(&mut turn.painter, words, &mut out);
        }
        self.stage.show(&out);
        self.end_turn(None);
    }

    /// Asks the agent; the answer has the floor.
    pub(super) fn ask(&mut self, text: String) {
        let (steer, steering) = unbounded_channel();
        let cancel = CancellationToken::new();
        let number = self.requests.begin(text.clone(), cancel.clone(), steer);
        let (happened, screen) = (self.recent.take(number), self.take_screen());
        let query = self.query(text, happened, screen);
        if let Some(turn) = &mut self.turn {
            turn.request = number;
            turn.painter.set_unfolding(Unfolding::KeysOrShow(number));
            turn.cancel = cancel.clone();
        }
        self.order(Order::Answer(Box::new(Question { number, query, cancel, steering })));
        self.grammars.expect();
    }

    fn query(&mut self, text: String, happened: Vec<Happened>, screen: Option<String>) -> Query {
        let view = ShellView {
            cwd: self.stage.cwd().unwrap_or_default(),
            environment: self.environment(),
            shell: self.kind.name().to_owned(),
            host: self.host.clone(),
            user: self.user.clone(),
            happened,
            last: self.recent.last(),
            screen,
        };
        Query { text, view, attachments: Vec::new(), stdin: None }
    }

    fn order(&mut self, order: Order) {
        if self.agent.is_none() {
            match AgentLink::start(self.setup.clone()) {
                Ok(agent) => self.agent = Some(agent),
                Err(error) => return self.lose_agent(&format!("the agent cannot be started: {error}")),
            }
        }
        if !self.agent.as_ref().is_some_and(|agent| agent.order(order)) {
            self.lose_agent(CRASHED);
        }
    }

    /// Nobody answers any more: neither in front nor behind.
    fn lose_agent(&mut self, why: &str) {
        self.agent = None;
        self.abandoned = 0;
        let ending = Ending::Failed(Failure::new(FailureKind::Crash, why));
        let running: Vec<u64> =
            self.requests.iter().filter(|request| request.is_running()).map(|request| request.number).collect();
        for number in running.into_iter().chain([ITSELF]) {
            self.take_news(number, News::Event(Event::Finished(ending.clone())));
            self.take_news(number, News::Over { was_asked: true, unheard: Vec::new() });
        }
    }

    /// Hears what the agent has to say.
    pub(super) fn hear(&mut self) {
        let news = self.agent.as_ref().map(AgentLink::news).unwrap_or_default();
        for (number, news) in news {
            self.take_news(number, news);
        }
        if self.agent.as_ref().is_some_and(AgentLink::is_gone) {
            self.lose_agent(CRASHED);
        }
        self.show();
    }

    fn take_news(&mut self, number: u64, news: News) {
        if number == ITSELF && self.abandoned > 0 {
            // Orders of this kind are carried out one after the other.
            self.abandoned -= usize::from(matches!(news, News::Over { .. }));
            return;
        }
        if let News::Over { was_asked, .. } = &news {
            self.recent.settle(number, *was_asked);
        }
        match self.turn.as_ref().is_some_and(|turn| turn.request == number) {
            true => self.hear_in_front(number, news),
            false => self.hear_behind(number, news),
        }
    }

    fn hear_in_front(&mut self, number: u64, news: News) {
        let Some(turn) = &mut self.turn else { return };
        let mut out = Vec::new();
        match news {
            News::Event(event) => {
                self.grammars.hear(&event);
                turn.painter.event(&event, Instant::now(), &mut out);
                if let Some(request) = self.requests.get(number) {
                    request.record(event);
                }
            }
            News::Words(words) => write_words(&mut turn.painter, &words, &mut out),
            News::Approve(approval, reply) => return self.grant(Wish::Answer(Asked::Approval(approval, reply))),
            News::Ask(question, reply) => return self.grant(Wish::Answer(Asked::Question(question, reply))),
            News::Run(command, reply) => return self.grant(Wish::Run(command, reply)),
            News::Suggest(command) => self.suggestion = Some(command),
            News::Copy(answer) => {
                use base64::Engine;
                let encoded = base64::engine::general_purpose::STANDARD.encode(answer);
                out.extend_from_slice(format!("\x1b]52;c;{encoded}\x1b\\").as_bytes());
            }
            News::Over { unheard, .. } => {
                self.abandon_steering();
                if let Some(request) = self.requests.get(number) {
                    request.end();
                    request.is_told = true;
                }
                self.give_back(unheard);
                return self.end_turn(None);
            }
        }
        self.stage.show(&out);
    }

    /// Gives what is in front what it wants of the person or their shell.
    pub(super) fn grant(&mut self, wish: Wish) {
        let options = self.options();
        let Some(turn) = &mut self.turn else { return };
        if let (Some(_), Some(request)) = (&turn.steering, self.requests.get(turn.request)) {
            return request.wants(wish);
        }
        let mut out = Vec::new();
        turn.painter.make_way(Instant::now(), &mut out);
        match wish {
            Wish::Answer(asked) => {
                let mut prompt = Prompt::new(asked, self.reads);
                let cwd = turn.hook.and(self.stage.cwd());
                let rows = self.tty.size().rows;
                let around = Around { user: &self.user, host: &self.host, cwd: cwd.as_deref(), rows };
                prompt.write(&around, &options, &mut out);
                turn.prompt = Some(prompt);
                self.stage.show(&out);
            }
            Wish::Run(command, reply) => {
                self.stage.show(&out);
                self.run_in_shell(&command, reply);
            }
        }
        self.show();
    }

    /// Moves the status line.
    pub(super) fn tick(&mut self) {
        self.settle_steering();
        self.settle_prompt();
        self.paint(|painter, out| painter.tick(Instant::now(), out));
    }

    pub(super) fn repaint(&mut self, size: render::Size) {
        if let Some(turn) = &mut self.turn {
            let mut out = Vec::new();
            turn.painter.resize(size, &mut out);
            self.stage.show(&out);
            self.resize_steering();
            self.show();
        }
    }

    /// Shows whole lines that a background job printed while the agent has the floor.
    pub(super) fn show_aside(&mut self) {
        let is_open = self.line_is_open();
        if (is_open || self.is_painting())
            && let Some(aside) = self.stage.take_aside()
        {
            if is_open {
                return self.show_above_line(&aside);
            }
            self.paint(|painter, out| {
                painter.suspend(out);
                out.extend_from_slice(&aside);
                painter.resume(Instant::now(), out);
            });
        }
    }

    /// Whether the painter paints. While a question stands, a line is open or the shell runs something, it is suspended.
    fn is_painting(&self) -> bool {
        let is_free = |turn: &Turn| turn.prompt.is_none() && turn.steering.is_none() && turn.running.is_none();
        self.turn.as_ref().is_some_and(is_free)
    }

    fn paint(&mut self, draw: impl FnOnce(&mut Painter, &mut Vec<u8>)) {
        let is_painting = self.is_painting();
        if let Some(turn) = self.turn.as_mut().filter(|_| is_painting) {
            let mut out = Vec::new();
            draw(&mut turn.painter, &mut out);
            self.stage.show(&out);
            self.show();
        }
    }

    /// Has the waiting hook run a command in the live shell, where it can be seen and interrupted and where it lasts.
    fn run_in_shell(&mut self, command: &str, reply: oneshot::Sender<Ran>) {
        let Some(turn) = &mut self.turn else { return };
        if turn.hook.is_none() {
            let result = Err("the shell is busy: the person asks from within another program".to_owned());
            let _ = reply.send(Ran { result, place: None });
            let mut out = Vec::new();
            turn.painter.resume(Instant::now(), &mut out);
            return self.stage.show(&out);
        }
        if command.len() > COMMAND_CAP {
            let _ = reply.send(Ran { result: Err("the command is too long for the shell".to_owned()), place: None });
            return self.tick();
        }
        turn.running = Some(reply);
        match self.hand_command(command) {
            Ok(()) => self.stage.lend_floor(),
            Err(error) => {
                let Some(reply) = self.turn.as_mut().and_then(|turn| turn.running.take()) else { return };
                let result = Err(format!("the command could not be handed to the shell: {error}"));
                let _ = reply.send(Ran { result, place: None });
                self.tick();
            }
        }
        self.show();
    }

    /// The command in the live shell is over.
    pub(super) fn on_ran(&mut self, Ended { status, capture, hook_waits }: Ended) {
        self.reclaim_terminal();
        self.workspace.remove_command();
        let tty::Size { rows, cols, .. } = self.tty.size();
        let cwd = self.child.cwd().or_else(|| self.stage.cwd()).unwrap_or_default();
        let place = Some(Place { cwd, environment: self.environment() });
        let Some(turn) = &mut self.turn else { return };
        if let Some(reply) = turn.running.take() {
            let output = capture.finish().text(Size::new(rows, cols));
            let _ = reply.send(Ran { result: Ok(ShellResult { status, output }), place });
        }
        if !hook_waits {
            // The shell is at its prompt already; the answer comes above a later one.
            self.turn = None;
            return;
        }
        let mut out = Vec::new();
        turn.painter.resume(Instant::now(), &mut out);
        self.stage.show(&out);
        self.show();
    }

    /// Gives the floor back to the shell, after a line of ours if there is one.
    pub(super) fn end_turn(&mut self, words: Option<&str>) {
        self.forget_prompt();
        let Some(mut turn) = self.turn.take() else { return };
        let mut out = Vec::new();
        turn.painter.finish(&mut out);
        self.stage.show(&out);
        self.give_floor_back(turn, words);
    }

    /// The painter has left the cursor at the start of a line.
    pub(super) fn give_floor_back(&mut self, turn: Turn, words: Option<&str>) {
        if let Some(words) = words {
            self.stage.say_here(words);
        }
        if self.go_on_talking() {
            return;
        }
        if turn.hook.is_some() {
            self.stage.return_floor();
            self.end_wait();
        }
        self.show();
    }

    /// What was said too late for an answer is put on the prompt, to be asked next.
    pub(super) fn give_back(&mut self, unheard: Vec<String>) {
        if !unheard.is_empty() {
            self.suggestion = Some(format!("> {}", unheard.join(" ")));
        }
    }

    /// Lets the agent's work go: the shell is back at its prompt already.
    pub(super) fn abandon_turn(&mut self) {
        self.forget_prompt();
        if let Some(turn) = self.turn.take() {
            turn.cancel.cancel();
            self.abandoned += usize::from(turn.is_obeyed);
        }
    }

    /// Puts a proposed command on the prompt, as a paste that is not run.
    pub(super) fn place_suggestion(&mut self) {
        if let Some(command) = self.suggestion.take() {
            let clean: String = text::sanitize(&command).chars().filter(|c| *c != '\u{FFFD}').collect();
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
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let theme = *self.theme.get_or_init(Theme::default);
        let tty::Size { rows, cols: columns, .. } = self.tty.size();
        Options::of_terminal(render::Size { columns, rows }, theme, self.wrap, variable)
    }
}

/// Says words of our own, line by line.
pub(super) fn write_words(painter: &mut Painter, words: &str, out: &mut Vec<u8>) {
    painter.suspend(out);
    for row in render::wrapped(words, painter.options()) {
        out.extend_from_slice(row.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    painter.resume(Instant::now(), out);
}
