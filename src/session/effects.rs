//! Carries out the effects that floors return: in order, one at a time, from one queue.
//!
//! An effect may cause an event for the floor. The effects of that event are carried out next, before the ones that were waiting.
//! No handler of a floor ever runs inside another.

use std::collections::VecDeque;
use std::time::{Instant, SystemTime};

use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use crate::agent::{Happened, Query, ShellView};
use crate::chat::Event;
use crate::host::ShellKind;

use super::Session;
use super::agent_link::{AgentCommand, Order, Question, Ran, ShellPlace};
use super::errands::Done;
use super::floor::{Effect, Floor, FloorEvent, LineEvent, Loan, RunResult, TurnEvent, View};
use super::line::Editor;
use super::requests::{RequestState, Wish};

impl Session {
    /// Passes an event to the floor. Returns the floor's effects.
    pub(super) fn tell_floor<'a>(&mut self, event: impl Into<FloorEvent<'a>>) -> Vec<Effect> {
        let floor = std::mem::take(&mut self.floor);
        let (now, was_returning) = (Instant::now(), matches!(floor, Floor::Returning));
        let view = View {
            now,
            wires: &self.wires,
            books: &self.books,
            keyboard: &self.keyboard,
            requests: &self.requests,
            profile: &self.profile,
        };
        let mut effects = Vec::new();
        self.floor = floor.handle(event.into(), &view, &mut effects);
        if was_returning && self.floor.is_shell() {
            self.forget_wait();
        } else if !was_returning {
            self.keyboard.returning_at = matches!(self.floor, Floor::Returning).then_some(now);
        }
        effects
    }

    /// Passes an event to the floor and carries out the floor's effects.
    pub(super) fn on<'a>(&mut self, event: impl Into<FloorEvent<'a>>) {
        let effects = self.tell_floor(event);
        self.carry_out(effects);
    }

    /// Carries out effects, and the effects that they cause.
    pub(super) fn carry_out(&mut self, effects: Vec<Effect>) {
        let mut queue = VecDeque::from(effects);
        while let Some(effect) = queue.pop_front() {
            for further in self.perform(effect).into_iter().rev() {
                queue.push_front(further);
            }
        }
        self.follow_turn();
    }

    /// Carries out one effect. Returns the effects that it causes.
    fn perform(&mut self, effect: Effect) -> Vec<Effect> {
        let out = &mut self.wires.to_screen;
        match effect {
            Effect::Show(bytes) => self.books.show(&bytes, out),
            Effect::Draw(bytes) => self.books.draw(&bytes, out),
            Effect::Overlay(bytes) => out.push(&bytes),
            Effect::ShowRedraw => self.books.show_redraw(out),
            Effect::Repaint(line) => self.books.repaint(&line, out),
            Effect::AnswerBegins => self.books.answer(out),
            Effect::PromptAgain(prompt) => self.books.prompt_again(&prompt, out),
            Effect::Send(keys) => self.send(&keys),
            Effect::Hold(keys) => self.keyboard.hold(&keys, Instant::now()),
            Effect::DropHeld => drop(self.keyboard.take_held()),
            Effect::Route(keys) => return self.tell_floor(FloorEvent::Keys(&keys)),
            Effect::RouteHeld => return self.route_held(),
            Effect::SendHeld => self.send_held(),
            Effect::TakeBack => self.take_back_keys(),
            Effect::EndWait => self.hook.end_wait(),
            Effect::MendWorkspace => self.hook.workspace.mend(),
            Effect::Run { command, loan } => return self.run(command, loan),
            Effect::Ran(result) => self.command_ran(result),
            Effect::Signal(signal) => self.wires.shell.signal(signal),
            Effect::Redraw => self.wires.shell.signal_foreground(nix::sys::signal::Signal::SIGWINCH),
            Effect::Ask { text, screen, cancel } => return self.ask(text, screen, cancel),
            Effect::Command { command, text, screen, cancel } => return self.command(command, text, screen, cancel),
            Effect::Cancel(token) => token.cancel(),
            Effect::Unask(question) => drop(question),
            Effect::Disown => self.agent.disowned += 1,
            Effect::Record(number, event) => self.record(number, event),
            Effect::Want { request, wish, is_told } => self.want(request, wish, is_told),
            Effect::NextWish(number) => return self.next_wish(number),
            Effect::Steer(number, words) => return self.steer(number, words),
            Effect::GoBehind => return self.tell_floor(TurnEvent::GoBehind),
            Effect::Recall(number) => return self.recall(number),
            Effect::PutOnPrompt(line) => self.books.next_prompt.text = Some(line),
            Effect::Suggest(text) => self.suggestion = Some(text),
            Effect::OpenLine => return self.open_line(),
            Effect::LoadQueries => self.hook.workspace.load_queries(),
            Effect::KeepQuery(query) if self.agent.setup.conversations.is_on() => self.hook.workspace.keep_query(query),
            // Nothing is recorded.
            Effect::KeepQuery(_) => {}
            Effect::Find(typed) => return self.find_files(typed),
            Effect::Edit(text) => self.edit(text),
        }
        Vec::new()
    }

    /// Gives the held keys to the floor.
    fn route_held(&mut self) -> Vec<Effect> {
        let held = self.keyboard.take_held();
        self.tell_floor(FloorEvent::Keys(&held))
    }

    fn send_held(&mut self) {
        let held = self.keyboard.take_held();
        self.send(&held);
    }

    /// Lets the live shell run a command of the agent.
    fn run(&mut self, command: String, loan: Loan) -> Vec<Effect> {
        self.hook.hand_command(command);
        self.tell_floor(TurnEvent::Runs(loan))
    }

    /// Opens the conversation line.
    fn open_line(&mut self) -> Vec<Effect> {
        let offers = self.offers();
        self.tell_floor(LineEvent::Opened(offers))
    }

    /// Opens the person's own editor with a text.
    fn edit(&mut self, text: String) {
        self.editor = Some(Editor::Wanted(text));
        self.start_editor();
    }

    /// Keeps a wish of a request until it can be granted.
    fn want(&mut self, request: u64, wish: Wish, is_told: bool) {
        if let Some(request) = self.requests.get(request) {
            request.wants(wish);
            request.is_told = is_told;
        }
    }

    /// Passes the next wish of a request to the floor.
    fn next_wish(&mut self, number: u64) -> Vec<Effect> {
        let wish = self.requests.get(number).and_then(|request| request.take_wish());
        wish.map(|wish| self.tell_floor(TurnEvent::Wish(wish))).unwrap_or_default()
    }

    /// Handles the results of other threads.
    pub(super) fn take_errands(&mut self) {
        for done in self.errands.take() {
            match done {
                Done::Notice(words) => self.books.notice(words),
                Done::NotHanded(error) => {
                    self.hook.forget_command();
                    self.on(TurnEvent::NotHanded(error));
                }
                Done::Hint(words) => {
                    self.books.next_prompt.hint = Some(words);
                    self.announce();
                }
                Done::Offer(line) => self.offer(line),
                Done::Edited(edited) => self.end_editor(edited),
                Done::Files { typed, found } => self.on(LineEvent::Found { typed, found }),
                Done::Queries(queries) => self.on(LineEvent::Queries(queries)),
                Done::Offered(offered) => self.take_offered(offered),
                Done::Settings(settings) => self.adopt(*settings),
            }
        }
        self.wires.show();
    }

    /// Holds the keys that came with the Enter that opened a line and that the shell has not read.
    fn take_back_keys(&mut self) {
        let mut keys = self.wires.shell.take_back().unwrap_or_else(|error| {
            tracing::debug!(%error, "keys that the shell has not read stay with it");
            Vec::new()
        });
        if self.profile.shell == ShellKind::Zsh {
            // While zsh edits a line, its terminal swaps these two.
            keys.iter_mut().for_each(|key| match *key {
                b'\n' => *key = b'\r',
                b'\r' => *key = b'\n',
                _ => {}
            });
        }
        for later in [std::mem::take(&mut self.wires.to_shell), std::mem::take(&mut self.keyboard.held)] {
            keys.extend_from_slice(later.front());
        }
        self.keyboard.held.push(&keys);
    }

    /// Asks a model. The answer gets the floor.
    fn ask(&mut self, text: String, screen: Option<String>, cancel: CancellationToken) -> Vec<Effect> {
        self.ask_background();
        let (steer, steering) = unbounded_channel();
        let number = self.requests.begin(text.clone(), cancel.clone(), steer);
        let mut effects = self.tell_floor(TurnEvent::Numbered(number));
        let happened = self.books.recent.take(number);
        let query = self.query(text, happened, screen);
        let exported = self.hook.workspace.environment();
        effects.extend(self.order(Order::Answer(Box::new(Question { number, query, exported, cancel, steering }))));
        self.agent.grammars.expect(&self.profile.code);
        effects
    }

    /// Lets the agent's thread carry out a slash command.
    fn command(
        &mut self,
        command: AgentCommand,
        text: String,
        screen: Option<String>,
        cancel: CancellationToken,
    ) -> Vec<Effect> {
        let happened = self.books.recent.peek();
        let query = Box::new(self.query(text, happened, screen));
        let exported = self.hook.workspace.environment();
        self.order(Order::Command(command, query, exported, cancel))
    }

    /// A query with the state of the live shell. The agent's thread adds everything that has to be read from files.
    fn query(&mut self, text: String, happened: Vec<Happened>, screen: Option<String>) -> Query {
        let view = ShellView {
            at: SystemTime::now(),
            cwd: self.books.cwd().map(ToOwned::to_owned).unwrap_or_default(),
            environment: Vec::new(),
            shell: self.profile.shell.name().to_owned(),
            host: self.profile.host.clone(),
            user: self.profile.user().to_owned(),
            happened,
            last: self.books.recent.last(),
            screen,
            columns: Some(self.wires.terminal.size().cols.into()).filter(|columns| *columns > 0),
        };
        Query { text, view, attachments: Vec::new(), stdin: None }
    }

    /// Sends the result of a command in the live shell, and the shell's place, to the agent.
    fn command_ran(&mut self, RunResult { reply, result }: RunResult) {
        self.wires.shell.reclaim_terminal();
        self.hook.workspace.remove_command();
        let reported = self.books.cwd().map(ToOwned::to_owned).unwrap_or_default();
        let exported = self.hook.workspace.environment();
        let place = Some(ShellPlace { shell: self.wires.shell.child(), reported, exported });
        let _ = reply.send(Ran { result: Ok(result), place });
    }

    fn record(&mut self, number: u64, event: Event) {
        if let Some(request) = self.requests.get(number) {
            request.record(event);
        }
    }

    /// Sends a message of the person to the model. A message that comes too late is returned to the person.
    fn steer(&mut self, number: u64, words: String) -> Vec<Effect> {
        let Some(request) = self.requests.get(number) else { return Vec::new() };
        let is_heard = match &request.state {
            RequestState::Running { steer, .. } => steer.send(words.clone()).is_ok(),
            RequestState::Over => false,
        };
        match is_heard {
            true => request.record(Event::Steered(words)),
            false => return self.tell_floor(TurnEvent::Unheard(words)),
        }
        Vec::new()
    }

    /// Passes bytes of the shell on to the floor.
    pub(super) fn on_bytes(&mut self, bytes: &[u8]) {
        if !self.floor.takes(bytes) {
            return;
        }
        let shown = self.books.pass(bytes, self.floor.is_shell(), &mut self.wires.to_screen);
        if let Floor::Lent(lent) = &mut self.floor {
            lent.printed(&self.books.recorder.nonce.mask(shown));
        }
    }
}
