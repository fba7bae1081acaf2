//! Requests in the background, and requests that are shown again.
//!
//! News of a request in the background is shown above a prompt: above one at which nothing was typed yet, or one that is about to
//! be drawn. It is never put into the output of a command or a line that is being edited. Questions of the request wait until the
//! person brings it to the foreground.

use crate::capture::Size;
use crate::chat::Event;
use crate::render::{self, Painter, Unfolding};
use crate::text::width;

use super::Session;
use super::agent_link::{ITSELF, News};
use super::floor::{Effect, Recalled, TurnEvent};
use super::requests::{Request, RequestState, Wish};

impl Session {
    /// Handles news of a request in the background.
    pub(super) fn hear_behind(&mut self, number: u64, news: News) {
        let Some(request) = self.requests.get(number) else { return };
        match news {
            News::Event(event) => return request.record(event),
            News::Words(words) => return request.record(Event::Notice(words)),
            News::Approve(..) | News::Ask(..) | News::Confirm(..) | News::Pick(..) | News::Run(..) => {
                Wish::of(news).into_iter().for_each(|wish| request.wants(wish));
            }
            News::Suggest(command) => request.suggestion = Some(command),
            News::AskAgain(_) | News::Copy(_) | News::Diff(_) => {}
            News::Over { .. } => {
                request.end();
                self.notify_ready(number);
            }
        }
        self.announce();
    }

    /// Shows news above the prompt, or keeps it for the next prompt.
    pub(super) fn announce(&mut self) {
        let size = self.wires.terminal.size();
        let options = self.profile.options(render::ScreenSize { columns: size.cols, rows: size.rows });
        let columns = usize::from(options.columns);
        let mut lines = Vec::new();
        let hint = self.books.next_prompt.hint.as_ref().map(|words| format!("shellmate: {words}"));
        for line in self.books.next_prompt.offer.iter().chain(&hint) {
            lines.extend(self.books.dim(width::fit(line, columns.saturating_sub(1))));
        }
        let front = self.floor.request().unwrap_or(ITSELF);
        for request in self.requests.iter().filter(|request| !request.is_told && request.number != front) {
            lines.extend(self.books.dim(width::fit(&news_of(request), columns.saturating_sub(1))));
            if !request.is_running() {
                let mut painter = Painter::new(options.clone());
                painter.set_unfolding(Unfolding::Show(request.number));
                request.transcript.replay(&mut painter, &mut lines);
                painter.finish(&mut lines);
            }
        }
        self.books.next_prompt.announcement = lines;
        self.announce_here();
    }

    /// Shows news at this prompt if it is drawn and nothing was typed. Otherwise the next output triggers another try.
    pub(super) fn announce_here(&mut self) {
        if self.floor.is_shell() && self.books.can_announce_here() && self.wires.shell.is_in_front() {
            let size = self.wires.terminal.size();
            self.books.announce_here(Size::new(size.rows, size.cols), &mut self.wires.to_screen);
            self.note_announced();
        }
    }

    /// Notes that the person has seen the news of these requests.
    pub(super) fn note_announced(&mut self) {
        if self.books.next_prompt.take_announced() {
            (self.books.next_prompt.offer, self.books.next_prompt.hint) = (None, None);
            self.requests.iter_mut().for_each(|request| request.is_told = true);
        }
    }

    /// Shows one request again. Without a number: the last one, or a list of all while one is being answered.
    pub(super) fn recall(&mut self, number: Option<u64>) -> Vec<Effect> {
        let last = self.requests.last().map(|request| request.number);
        let is_list = number.is_none() && self.requests.running_beside(ITSELF) > 0;
        let Some(number) = number.or(last).filter(|_| !is_list) else {
            let list = self.list_requests();
            return self.tell_floor(TurnEvent::Words(list));
        };
        let Some(request) = self.requests.get(number) else {
            let words = match last {
                None => "nothing has been asked yet".to_owned(),
                Some(last) if number == 0 || number > last => {
                    format!("there is no request {number}; the last is {last}")
                }
                Some(_) => format!("request {number} is no longer kept"),
            };
            return self.tell_floor(TurnEvent::Notice(words));
        };
        request.is_told = true;
        self.suggestion = request.suggestion.take().or(self.suggestion.take());
        let (query, transcript) = (request.query.clone(), std::mem::take(&mut request.transcript));
        let recalled = Recalled { number, query: &query, transcript: &transcript, cancel: request.cancel_token() };
        let effects = self.tell_floor(TurnEvent::Recalled(recalled));
        if let Some(request) = self.requests.get(number) {
            request.transcript = transcript;
        }
        self.announce();
        effects
    }

    fn list_requests(&self) -> String {
        let mut lines: Vec<String> = self.requests.newest().into_iter().map(Request::line).collect();
        let older = self.requests.iter().count().saturating_sub(lines.len());
        if older > 0 {
            lines.push(format!("     {older} older; `> /show N` shows one"));
        }
        if lines.is_empty() { "nothing has been asked yet".to_owned() } else { lines.join("\n") }
    }
}

/// The news of a background request, on one line.
fn news_of(request: &Request) -> String {
    let Request { number, query, .. } = request;
    let asked = query.lines().next().unwrap_or_default();
    match (&request.state, request.next_wish()) {
        (RequestState::Running { .. }, Some(Wish::Answer(_))) => {
            format!("shellmate: request {number} has a question: `> /show {number}` (> {asked})")
        }
        (RequestState::Running { .. }, Some(Wish::Run(..))) => {
            format!("shellmate: request {number} waits for your shell: `> /show {number}` (> {asked})")
        }
        (RequestState::Running { .. }, None) => format!("shellmate: request {number} is still running (> {asked})"),
        (RequestState::Over, _) if request.suggestion.is_some() => {
            format!(
                "shellmate: request {number} has finished; `> /show {number}` puts its command on your prompt (> {asked})"
            )
        }
        (RequestState::Over, _) => format!("shellmate: request {number} has finished (> {asked})"),
    }
}
