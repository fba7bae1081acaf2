//! Requests that go on without the floor, and showing again what was answered.
//!
//! Whatever becomes of a request behind is said above a prompt, one at which nothing was typed yet or one that is about to be drawn:
//! never into the output of a command, never into a line that is being edited. What it wants of the person waits until they bring it to the front.

use std::time::Instant;

use crate::capture::Size;
use crate::chat::Event;
use crate::render::{Painter, Unfolding};
use crate::text::width;

use super::Session;
use super::agent_link::{ITSELF, News};
use super::prompt::Asked;
use super::requests::{MOST_BEHIND, Request, State, Wish};
use super::tty;
use super::turn::write_words;

impl Session {
    /// Asks the agent and gives the prompt back at once.
    pub(super) fn ask_behind(&mut self, text: String) {
        if self.requests.running_beside(ITSELF) >= MOST_BEHIND {
            return self.end_turn(Some(&format!("{}, so this was not asked", full())));
        }
        self.ask(text);
        self.send_behind();
    }

    /// Lets what is in front go on without the floor.
    pub(super) fn send_behind(&mut self) {
        let Some(mut turn) = self.turn.take() else { return };
        let number = turn.request;
        let is_full = self.requests.running_beside(number) >= MOST_BEHIND;
        let (brackets, mut out) = (self.paste_brackets(false), Vec::new());
        match self.requests.get(number).filter(|request| request.is_running()) {
            Some(_) if is_full => {
                if turn.prompt.is_none() {
                    turn.painter.event(&Event::Notice(full()), Instant::now(), &mut out);
                }
                self.turn = Some(turn);
                self.stage.show(&out);
            }
            Some(request) => {
                if let Some(prompt) = turn.prompt.take() {
                    request.wants(Wish::Answer(prompt.close(&mut out)));
                    out.extend_from_slice(brackets);
                    // They have seen it: it need not be announced again.
                    request.is_told = true;
                }
                turn.painter.suspend(&mut out);
                self.stage.show(&out);
                let words = format!("request {number} goes on in the background; `> /show {number}` brings it back");
                self.give_floor_back(turn, Some(&words));
            }
            // Words to the agent itself are soon obeyed.
            None => self.turn = Some(turn),
        }
    }

    /// Hears a request that has not the floor.
    pub(super) fn hear_behind(&mut self, number: u64, news: News) {
        let Some(request) = self.requests.get(number) else { return };
        match news {
            News::Event(event) => return request.record(event),
            News::Words(words) => return request.record(Event::Notice(words)),
            News::Approve(approval, reply) => request.wants(Wish::Answer(Asked::Approval(approval, reply))),
            News::Ask(question, reply) => request.wants(Wish::Answer(Asked::Question(question, reply))),
            News::Run(command, reply) => request.wants(Wish::Run(command, reply)),
            News::Suggest(command) => request.suggestion = Some(command),
            News::Copy(_) => {}
            News::Over { .. } => request.end(),
        }
        self.announce();
    }

    /// Says what the person does not know yet above their prompt, or keeps it for the next.
    pub(super) fn announce(&mut self) {
        let options = self.options();
        let columns = usize::from(options.columns);
        let mut lines = Vec::new();
        let front = self.turn.as_ref().map_or(ITSELF, |turn| turn.request);
        for request in self.requests.iter().filter(|request| !request.is_told && request.number != front) {
            let line = width::fit(&news_of(request), columns.saturating_sub(1)).to_owned();
            lines.extend_from_slice(self.stage.aside(&line).as_bytes());
            if !request.is_running() {
                let mut painter = Painter::new(options.clone());
                painter.set_unfolding(Unfolding::Show(request.number));
                request.transcript.replay(&mut painter, &mut lines);
                painter.finish(&mut lines);
            }
        }
        self.stage.announce(lines);
        self.announce_here();
    }

    /// Says it at this prompt, if that is drawn and nothing was typed; else it waits for the next output to be asked again.
    pub(super) fn announce_here(&mut self) {
        if self.stage.can_announce_here() && self.pty.foreground() == Some(self.child.pid()) {
            let tty::Size { rows, cols, .. } = self.tty.size();
            self.stage.announce_here(Size::new(rows, cols));
            self.on_announced();
        }
    }

    /// What was to be announced has been.
    pub(super) fn on_announced(&mut self) {
        self.requests.iter_mut().for_each(|request| request.is_told = true);
    }

    /// Shows one request again: what is over, unfolded; what is not comes to the front. Without a number, the last, or a list of
    /// all while one is being answered.
    pub(super) fn show_request(&mut self, number: Option<u64>) {
        let last = self.requests.last().map(|request| request.number);
        let is_list = number.is_none() && self.requests.running_beside(ITSELF) > 0;
        let Some(number) = number.or(last).filter(|_| !is_list) else { return self.list_requests() };
        let options = self.options();
        let Some(request) = self.requests.get(number) else {
            let words = match last {
                None => "nothing was asked yet".to_owned(),
                Some(last) if number == 0 || number > last => {
                    format!("there is no request {number}; the last is {last}")
                }
                Some(_) => format!("request {number} is no longer kept"),
            };
            return self.end_turn(Some(&words));
        };
        request.is_told = true;
        let (wish, suggestion, is_running) = (request.take_wish(), request.suggestion.take(), request.is_running());
        let Some(turn) = &mut self.turn else { return };
        turn.painter = Painter::new(options);
        turn.painter.set_unfolding(Unfolding::KeysOrShow(number));
        let mut out = Vec::new();
        let words = format!("> {}", request.query);
        write_words(&mut turn.painter, &words, &mut out);
        if !is_running {
            turn.painter.show_all();
        }
        request.transcript.replay(&mut turn.painter, &mut out);
        self.suggestion = suggestion.or(self.suggestion.take());
        if let State::Running { cancel, .. } = &request.state {
            turn.request = number;
            turn.cancel = cancel.clone();
            turn.painter.resume(Instant::now(), &mut out);
        }
        self.stage.show(&out);
        self.announce();
        match (is_running, wish) {
            (false, _) => self.end_turn(None),
            (true, Some(wish)) => self.grant(wish),
            (true, None) => self.show(),
        }
    }

    fn list_requests(&mut self) {
        let mut lines: Vec<String> = self.requests.newest().into_iter().map(Request::line).collect();
        let older = self.requests.iter().count().saturating_sub(lines.len());
        if older > 0 {
            lines.push(format!("     {older} older; `> /show N` shows one"));
        }
        let words = if lines.is_empty() { "nothing was asked yet".to_owned() } else { lines.join("\n") };
        self.print(&words);
    }
}

fn full() -> String {
    format!("{MOST_BEHIND} requests are in the background already (`> /show` lists them)")
}

/// What a person is told of a request behind, on one line.
fn news_of(request: &Request) -> String {
    let Request { number, query, .. } = request;
    let asked = query.lines().next().unwrap_or_default();
    match &request.state {
        State::Running { wish: Some(Wish::Answer(_)), .. } => {
            format!("shellmate: request {number} has a question: `> /show {number}` (> {asked})")
        }
        State::Running { wish: Some(Wish::Run(..)), .. } => {
            format!("shellmate: request {number} waits for your shell: `> /show {number}` (> {asked})")
        }
        State::Running { wish: None, .. } => format!("shellmate: request {number} is still running (> {asked})"),
        State::Over if request.suggestion.is_some() => {
            format!(
                "shellmate: request {number} is over; `> /show {number}` puts its command on your prompt (> {asked})"
            )
        }
        State::Over => format!("shellmate: request {number} is over (> {asked})"),
    }
}
