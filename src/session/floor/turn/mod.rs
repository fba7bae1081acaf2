//! The agent works, or carries out a slash command: from the query to the end of the answer.

mod keys;
mod steering;

use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use crate::chat::Event;
use crate::input::{Hotkey, KeyMap};
use crate::render::{self, Painter, Theme, Unfolding};
use crate::session::agent_link::{self, AgentCommand, ITSELF, News, Ran, SessionCommand, Slash, SlashError};
use crate::session::key_list;
use crate::session::prompt::{CardContext, Prompt, Typing};
use crate::session::requests::{MOST_BEHIND, Wish};
use crate::session::transcript::RequestTranscript;

use super::{Back, Effect, Floor, FloorEvent, Lent, Loan, LoopEvent, TurnEvent, View, shell};
use steering::Steering;

/// The longest command for the live shell: the hook reports the command in one field of a mark, which is no longer than this.
const COMMAND_CAP: usize = 32 * 1024;

/// The key that gives a question the keys, if no hotkey is set.
const FOCUS_KEY: &str = "Ctrl-\\";

/// One answer in the terminal.
pub(in crate::session) struct TurnFloor {
    pub(super) back: Back,
    /// The request in the foreground, or `ITSELF` for a slash command.
    pub(in crate::session) request: u64,
    painter: Painter,
    cancel: CancellationToken,
    attention: Attention,
    /// Whether this is a slash command.
    is_obeyed: bool,
    /// The keys, which stay the same until the answer ends.
    keys: Arc<KeyMap>,
    /// When an ESC was read that may be the Esc key.
    esc: Option<Instant>,
}

/// Who paints at the lower edge of the screen, and who gets the keys that are not the turn's own.
enum Attention {
    /// The painter paints; keys are for the shell's next prompt.
    Painter,
    /// The agent asks the person.
    Question(Box<Prompt>),
    /// The person writes to the agent.
    Steering(Box<Steering>),
}

/// An earlier request, to be shown again.
pub(in crate::session) struct Recalled<'a> {
    pub(in crate::session) number: u64,
    pub(in crate::session) query: &'a str,
    pub(in crate::session) transcript: &'a RequestTranscript,
    /// Cancels the request, if it is still running.
    pub(in crate::session) cancel: Option<CancellationToken>,
}

impl TurnFloor {
    /// Carries out an accepted line.
    pub(super) fn begin(text: String, back: Back, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let mut turn = Box::new(TurnFloor {
            back,
            request: ITSELF,
            painter: Painter::new(view.options()),
            cancel: CancellationToken::new(),
            attention: Attention::Painter,
            is_obeyed: false,
            keys: Arc::clone(&view.profile.keys),
            esc: None,
        });
        match agent_link::parse(&text) {
            // The agent's thread knows the person's own commands, and says that there is none of this name.
            None | Some(Err(SlashError::Unknown { .. })) => {
                match text.strip_suffix('&').filter(|rest| rest.ends_with(char::is_whitespace)) {
                    Some(_) if is_full(ITSELF, view) => {
                        turn.end(Some(&format!("{}; this was not asked", full())), view, effects)
                    }
                    Some(rest) => {
                        turn.ask(rest.trim_end().to_owned(), effects);
                        effects.push(Effect::GoBehind);
                        Floor::Turn(turn)
                    }
                    None => {
                        turn.ask(text, effects);
                        Floor::Turn(turn)
                    }
                }
            }
            Some(Err(error)) => turn.end(Some(&error.to_string()), view, effects),
            Some(Ok(Slash::Session(command))) => turn.obey(command, text, view, effects),
            Some(Ok(Slash::Agent(command))) => turn.order(command, text, effects),
        }
    }

    /// Has the agent's thread carry out a command.
    fn order(mut self: Box<Self>, command: AgentCommand, text: String, effects: &mut Vec<Effect>) -> Floor {
        self.is_obeyed = true;
        let (cancel, screen) = (self.cancel.clone(), self.back.screen().and_then(|screen| screen.clone()));
        effects.push(Effect::Command { command, text, screen, cancel });
        Floor::Turn(self)
    }

    /// Whether the agent waits for an answer of the person.
    pub(in crate::session) fn has_question(&self) -> bool {
        matches!(self.attention, Attention::Question(_))
    }

    /// Whether a question has waited for so long without the keys that the terminal should ring.
    pub(in crate::session) fn question_rings(&self, now: Instant) -> bool {
        matches!(&self.attention, Attention::Question(prompt) if prompt.rings(now))
    }

    /// Uses another theme from here on.
    pub(in crate::session) fn set_theme(&mut self, theme: Theme) {
        self.painter.set_theme(theme);
    }

    fn ask(&mut self, text: String, effects: &mut Vec<Effect>) {
        let screen = self.back.screen().and_then(Option::take);
        effects.push(Effect::Ask { text, screen, cancel: self.cancel.clone() });
    }

    fn obey(
        mut self: Box<Self>,
        command: SessionCommand,
        text: String,
        view: &View<'_>,
        effects: &mut Vec<Effect>,
    ) -> Floor {
        match command {
            SessionCommand::Help => {
                let hotkey = view.keyboard.hotkey.as_ref().map(Hotkey::label);
                let help = agent_link::help(&self.keys, hotkey.as_deref());
                return self.order(AgentCommand::Help(help), text, effects);
            }
            SessionCommand::Keys => {
                let list = key_list::keys(&self.keys, view.keyboard.hotkey.as_ref());
                return self.print(&list, view, effects);
            }
            SessionCommand::Fix => self.ask("fix".to_owned(), effects),
            SessionCommand::Show(number) => effects.push(Effect::Recall(number)),
            SessionCommand::Retry => match view.requests.last().map(|last| last.query.clone()) {
                Some(query) => self.ask(query, effects),
                None => return self.end(Some("there is nothing to ask again yet"), view, effects),
            },
        }
        Floor::Turn(self)
    }

    pub(super) fn handle(
        mut self: Box<Self>,
        event: FloorEvent<'_>,
        view: &View<'_>,
        effects: &mut Vec<Effect>,
    ) -> Floor {
        match event {
            FloorEvent::Keys(keys) => return self.keys(keys, view, effects),
            FloorEvent::Mark(mark) if shell::leaves(mark, view) => {
                self.abandon(view, effects);
                return shell::on_mark(mark, Floor::Returning, view, effects);
            }
            FloorEvent::Mark(mark) => return shell::on_mark(mark, Floor::Turn(self), view, effects),
            FloorEvent::Turn(event) => return self.on_turn_event(event, view, effects),
            FloorEvent::Loop(LoopEvent::OutputEnded) => self.show_jobs(view, effects),
            FloorEvent::Loop(LoopEvent::Tick) => return self.tick(view, effects),
            FloorEvent::Loop(LoopEvent::KeysRead) => return self.follow_question(view, effects),
            FloorEvent::Hotkey(_) => return self.focus_question(view, effects),
            FloorEvent::Resized => self.resize(view, effects),
            FloorEvent::Interrupt if self.back.is_covered() => {
                effects.push(Effect::Signal(nix::sys::signal::Signal::SIGINT));
            }
            FloorEvent::Abandon => return self.abandon(view, effects),
            FloorEvent::Line(_) | FloorEvent::Loop(LoopEvent::Settle) | FloorEvent::Interrupt => {}
        }
        Floor::Turn(self)
    }

    fn on_turn_event(mut self: Box<Self>, event: TurnEvent<'_>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        match event {
            TurnEvent::News(news) => self.hear(news, view, effects),
            TurnEvent::Numbered(number) => {
                self.request = number;
                self.painter.set_unfolding(Unfolding::KeysOrShow(number));
                Floor::Turn(self)
            }
            TurnEvent::Wish(wish) => self.grant(wish, view, effects),
            TurnEvent::Runs(loan) => {
                let rest = self.back.jobs().map(|jobs| jobs.take_all()).unwrap_or_default();
                self.back.show(rest, effects);
                Floor::Lent(Box::new(Lent::new(self, loan, view.books.recorder.new_capture())))
            }
            TurnEvent::Recalled(recalled) => self.recall(recalled, view, effects),
            TurnEvent::Unheard(words) => {
                self.back.ask_again(words, effects);
                Floor::Turn(self)
            }
            TurnEvent::Words(words) => self.print(&words, view, effects),
            TurnEvent::Notice(words) => self.end(Some(&words), view, effects),
            TurnEvent::GoBehind => self.go_behind(view, effects),
            // A command is handed over only while the shell is lent.
            TurnEvent::NotHanded(_) => Floor::Turn(self),
        }
    }

    /// Handles news of the request in the foreground.
    pub(super) fn hear(mut self: Box<Self>, news: News, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let mut out = Vec::new();
        match news {
            News::Event(event) => {
                self.painter.event(&event, view.now, &mut out);
                effects.push(Effect::Record(self.request, event));
            }
            News::Words(words) => write_words(&mut self.painter, &words, view.now, &mut out),
            News::Diff(diffs) => {
                self.painter.suspend(&mut out);
                out.extend(render::unified_diffs(&diffs, self.painter.options()).into_bytes());
                self.painter.resume(view.now, &mut out);
            }
            News::Suggest(command) => effects.push(Effect::Suggest(command)),
            News::AskAgain(question) => self.back.ask_again(question, effects),
            News::Copy(answer) => {
                use base64::Engine;
                let encoded = base64::engine::general_purpose::STANDARD.encode(answer);
                out.extend_from_slice(format!("\x1b]52;c;{encoded}\x1b\\").as_bytes());
            }
            News::Over { unheard, .. } => {
                self.abandon_steering(view, effects);
                if !unheard.is_empty() {
                    self.back.ask_again(unheard.join(" "), effects);
                }
                return self.end(None, view, effects);
            }
            News::Approve(..) | News::Ask(..) | News::Confirm(..) | News::Pick(..) | News::Run(..) => {
                return match Wish::of(news) {
                    Some(wish) => self.grant(wish, view, effects),
                    None => Floor::Turn(self),
                };
            }
        }
        self.back.show(out, effects);
        Floor::Turn(self)
    }

    /// Keeps a wish of this request until it can be granted.
    pub(super) fn want(&self, wish: Wish) -> Effect {
        Effect::Want { request: self.request, wish, is_told: false }
    }

    /// Grants a wish of the request in the foreground: asks the person, or runs a command in their shell.
    fn grant(mut self: Box<Self>, wish: Wish, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        if !matches!(self.attention, Attention::Painter) {
            effects.push(self.want(wish));
            return Floor::Turn(self);
        }
        let mut out = Vec::new();
        self.painter.make_way(view.now, &mut out);
        match wish {
            Wish::Answer(asked) => {
                let hotkey = view.keyboard.hotkey.as_ref().map(|hotkey| hotkey.label().to_owned());
                let hotkey = hotkey.unwrap_or_else(|| FOCUS_KEY.to_owned());
                let mut prompt = Prompt::new(asked, Typing::Kept, hotkey, view.keyboard.reads, view.now);
                let cwd = if self.back.is_covered() { None } else { view.books.cwd() };
                let (user, host) = (view.profile.user(), &*view.profile.host);
                let around = CardContext { user, host, cwd, keys: &self.keys };
                prompt.write(&around, &view.options(), view.keyboard.held.front(), &mut out);
                if !view.wires.terminal.has_more() {
                    prompt = prompt.drawn_in_silence();
                }
                self.attention = Attention::Question(Box::new(prompt));
                self.back.show(out, effects);
                Floor::Turn(self)
            }
            Wish::Run(command, loan) => {
                self.back.show(out, effects);
                self.run(command, loan, view, effects)
            }
        }
    }

    /// Lets the waiting hook run a command in the live shell, where the person can see and interrupt it and where its effects
    /// last.
    fn run(self: Box<Self>, command: String, loan: Loan, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let refusal = match () {
            () if self.back.is_covered() => "the shell is busy: the person asks from within another program",
            () if command.len() > COMMAND_CAP => "the command is too long for the shell",
            () => {
                effects.push(Effect::Run { command, loan });
                return Floor::Turn(self);
            }
        };
        refuse(loan, refusal.to_owned());
        self.go_on(view, effects)
    }

    /// Lets the painter paint again, or grants the next wish of this request.
    pub(super) fn go_on(mut self: Box<Self>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        self.attention = Attention::Painter;
        if view.requests.has_wish(self.request) {
            effects.push(Effect::NextWish(self.request));
        } else {
            let mut out = Vec::new();
            self.painter.resume(view.now, &mut out);
            self.back.show(out, effects);
            self.show_jobs(view, effects);
        }
        Floor::Turn(self)
    }

    /// Moves the status line, and decides what an ESC was.
    fn tick(mut self: Box<Self>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        match self.attention {
            Attention::Painter if self.is_esc(view.now) => self.press_esc(view, effects),
            Attention::Painter => {
                let mut out = Vec::new();
                self.painter.tick(view.now, &mut out);
                self.back.show(out, effects);
                Floor::Turn(self)
            }
            Attention::Question(_) if self.is_esc(view.now) => self.press_esc(view, effects),
            Attention::Question(_) => {
                let mut ahead = Vec::new();
                let floor = self.answer(|prompt, out| prompt.settle(view.now, out), &mut ahead, view, effects);
                effects.extend((!ahead.is_empty()).then_some(Effect::Hold(ahead)));
                floor
            }
            Attention::Steering(_) => self.settle_steering(view, effects),
        }
    }

    /// The terminal has another size.
    pub(super) fn resize(&mut self, view: &View<'_>, effects: &mut Vec<Effect>) {
        let (size, mut out) = (view.size(), Vec::new());
        self.painter.resize(render::ScreenSize { columns: size.cols, rows: size.rows }, &mut out);
        match &mut self.attention {
            Attention::Painter => {}
            Attention::Steering(steering) => steering.resize(view, &mut out),
            Attention::Question(prompt) => {
                let size = render::ScreenSize { columns: size.cols, rows: size.rows };
                prompt.resize(size, view.line_screen().reflows, &mut out);
            }
        }
        self.back.show(out, effects);
    }

    /// Shows whole lines of output of background jobs, unless a question or a line is open at the lower edge.
    fn show_jobs(&mut self, view: &View<'_>, effects: &mut Vec<Effect>) {
        if !matches!(self.attention, Attention::Painter) {
            return;
        }
        let Some(lines) = self.back.jobs().and_then(|jobs| jobs.take_lines()) else { return };
        let mut out = Vec::new();
        self.painter.suspend(&mut out);
        out.extend(lines);
        self.painter.resume(view.now, &mut out);
        self.back.show(out, effects);
    }

    /// Shows an earlier request again. A finished one is shown unfolded; a running one comes to the foreground.
    fn recall(mut self: Box<Self>, recalled: Recalled<'_>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let Recalled { number, query, transcript, cancel } = recalled;
        self.painter = Painter::new(view.options());
        self.painter.set_unfolding(Unfolding::KeysOrShow(number));
        let mut out = Vec::new();
        write_words(&mut self.painter, &format!("> {query}"), view.now, &mut out);
        if cancel.is_none() {
            self.painter.show_all();
        }
        transcript.replay(&mut self.painter, &mut out);
        let Some(cancel) = cancel else {
            self.back.show(out, effects);
            return self.end(None, view, effects);
        };
        self.request = number;
        self.cancel = cancel;
        self.painter.resume(view.now, &mut out);
        self.back.show(out, effects);
        effects.push(Effect::NextWish(number));
        Floor::Turn(self)
    }

    /// Prints text of shellmate itself and gives the floor back.
    fn print(mut self: Box<Self>, words: &str, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let mut out = Vec::new();
        write_words(&mut self.painter, words, view.now, &mut out);
        self.back.show(out, effects);
        self.end(None, view, effects)
    }

    /// Gives the floor back, after a notice if there is one.
    fn end(mut self: Box<Self>, words: Option<&str>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        self.forget_question(view, effects);
        let mut out = Vec::new();
        self.painter.finish(&mut out);
        self.leave(out, words, view, effects)
    }

    /// Shows the last bytes of the turn, which leave the cursor at the start of a row, and gives the floor back.
    fn leave(self, mut out: Vec<u8>, words: Option<&str>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        out.extend(words.map(|words| view.books.words(words)).unwrap_or_default());
        self.back.show(out, effects);
        self.back.give_back(effects)
    }

    /// Moves the request in the foreground to the background.
    fn go_behind(mut self: Box<Self>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let number = self.request;
        if !view.requests.is_running(number) {
            // A slash command ends soon.
            return Floor::Turn(self);
        }
        let mut out = Vec::new();
        if is_full(number, view) {
            if !matches!(self.attention, Attention::Question(_)) {
                self.painter.event(&Event::Notice(full()), view.now, &mut out);
            }
            self.back.show(out, effects);
            return Floor::Turn(self);
        }
        let mut state = "continues";
        if let Attention::Question(prompt) = std::mem::replace(&mut self.attention, Attention::Painter) {
            state = "waits with its question";
            // The person has seen the question, so it is not announced again.
            let wish = Wish::Answer(prompt.close(&mut out));
            effects.push(Effect::Want { request: number, wish, is_told: true });
            out.extend_from_slice(view.paste_brackets(false));
        }
        self.painter.suspend(&mut out);
        let words = format!("request {number} {state} in the background; `> /show {number}` brings it back");
        self.leave(out, Some(&words), view, effects)
    }

    /// The shell is at its prompt, or has to be: cancels the answer.
    pub(super) fn abandon(mut self: Box<Self>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        effects.push(Effect::Cancel(self.cancel.clone()));
        self.forget_question(view, effects);
        let rest = self.back.jobs().map(|jobs| jobs.take_all()).unwrap_or_default();
        self.back.show(rest, effects);
        if self.is_obeyed {
            effects.push(Effect::Disown);
        }
        Floor::Shell
    }

    /// Withdraws the question. The asker is told that nobody answered.
    fn forget_question(&mut self, view: &View<'_>, effects: &mut Vec<Effect>) {
        if matches!(self.attention, Attention::Question(_))
            && let Attention::Question(mut prompt) = std::mem::replace(&mut self.attention, Attention::Painter)
        {
            let mut out = Vec::new();
            prompt.clear(&mut out);
            self.back.show(out, effects);
            self.back.draw(view.paste_brackets(false).to_vec(), effects);
            effects.push(Effect::Unask(prompt));
        }
    }
}

pub(super) fn refuse(loan: Loan, why: String) {
    let _ = loan.send(Ran { result: Err(why), place: None });
}

fn is_full(number: u64, view: &View<'_>) -> bool {
    view.requests.running_beside(number) >= MOST_BEHIND
}

fn full() -> String {
    format!("{MOST_BEHIND} requests are already running in the background (`> /show` lists them)")
}

/// Writes text of shellmate itself, line by line.
fn write_words(painter: &mut Painter, words: &str, now: Instant, out: &mut Vec<u8>) {
    painter.suspend(out);
    for row in render::wrapped(words, painter.options()) {
        out.extend_from_slice(row.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    painter.resume(now, out);
}
