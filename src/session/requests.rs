//! All requests of this session: in the foreground, in the background, and recently answered.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::chat::Event;
use crate::text::human;

use super::agent_link::{News, Ran};
use super::prompt::Asked;
use super::transcript::RequestTranscript;

/// The most requests that run in the background at the same time.
pub(super) const MOST_BEHIND: usize = 4;
/// How many answers are kept to be shown again.
const KEPT: usize = 50;
/// How many requests a list shows.
const LISTED: usize = 10;
/// The most bytes of all kept transcripts. The newest is kept whatever its size, which has its own limit.
const BYTES: usize = 4 * 1024 * 1024;

/// One query with its answer.
pub(super) struct Request {
    pub(super) number: u64,
    pub(super) query: String,
    pub(super) transcript: RequestTranscript,
    pub(super) state: RequestState,
    /// A command that was proposed while the request was in the background.
    pub(super) suggestion: Option<String>,
    /// Whether the person knows its state.
    pub(super) is_told: bool,
    started: Instant,
}

pub(super) enum RequestState {
    Running {
        cancel: CancellationToken,
        steer: UnboundedSender<String>,
        /// Its wishes, oldest first, until they are granted.
        wishes: VecDeque<Wish>,
    },
    Over,
}

/// Something that a request needs from the person or their shell.
pub(super) enum Wish {
    Answer(Asked),
    /// Run a command in the live shell.
    Run(String, oneshot::Sender<Ran>),
}

/// All requests that are kept, oldest first.
#[derive(Default)]
pub(super) struct Requests {
    entries: VecDeque<Request>,
    last: u64,
}

impl Wish {
    /// The wish in news of a request, if there is one.
    pub(super) fn of(news: News) -> Option<Wish> {
        match news {
            News::Approve(approval, reply) => Some(Wish::Answer(Asked::Approval(approval, reply))),
            News::Ask(question, reply) => Some(Wish::Answer(Asked::Question(question, reply))),
            News::Confirm(question, reply) => Some(Wish::Answer(Asked::Confirm(question, reply))),
            News::Pick(list, reply) => Some(Wish::Answer(Asked::Pick(list, reply))),
            News::Run(command, reply) => Some(Wish::Run(command, reply)),
            News::Event(_)
            | News::Words(_)
            | News::Diff(_)
            | News::Suggest(_)
            | News::AskAgain(_)
            | News::Copy(_)
            | News::Over { .. } => None,
        }
    }
}

impl Request {
    pub(super) fn is_running(&self) -> bool {
        matches!(self.state, RequestState::Running { .. })
    }

    pub(super) fn record(&mut self, event: Event) {
        self.transcript.push(event, Instant::now());
    }

    /// Keeps a wish until it can be granted.
    pub(super) fn wants(&mut self, wish: Wish) {
        if let RequestState::Running { wishes, .. } = &mut self.state {
            wishes.push_back(wish);
            self.is_told = false;
        }
    }

    /// Takes the oldest wish.
    pub(super) fn take_wish(&mut self) -> Option<Wish> {
        match &mut self.state {
            RequestState::Running { wishes, .. } => wishes.pop_front(),
            RequestState::Over => None,
        }
    }

    /// The oldest wish.
    pub(super) fn next_wish(&self) -> Option<&Wish> {
        match &self.state {
            RequestState::Running { wishes, .. } => wishes.front(),
            RequestState::Over => None,
        }
    }

    /// Cancels the request, while it runs.
    pub(super) fn cancel_token(&self) -> Option<CancellationToken> {
        match &self.state {
            RequestState::Running { cancel, .. } => Some(cancel.clone()),
            RequestState::Over => None,
        }
    }

    /// The request is over.
    pub(super) fn end(&mut self) {
        self.state = RequestState::Over;
        self.is_told = false;
    }

    pub(super) fn cancel(&self) {
        if let RequestState::Running { cancel, .. } = &self.state {
            cancel.cancel();
        }
    }

    /// One line for a list.
    pub(super) fn line(&self) -> String {
        let state = match (&self.state, self.next_wish()) {
            (RequestState::Running { .. }, Some(Wish::Answer(_))) => "has a question".to_owned(),
            (RequestState::Running { .. }, Some(Wish::Run(..))) => "waits for your shell".to_owned(),
            (RequestState::Running { .. }, None) => format!("is running, {}", human::duration(self.started.elapsed())),
            (RequestState::Over, _) => "has finished".to_owned(),
        };
        format!("{:>3}  {state:<20}  > {}", self.number, self.query.lines().next().unwrap_or_default())
    }
}

impl Requests {
    /// Adds a request and returns its number.
    pub(super) fn begin(&mut self, query: String, cancel: CancellationToken, steer: UnboundedSender<String>) -> u64 {
        self.last += 1;
        self.entries.push_back(Request {
            number: self.last,
            query,
            transcript: RequestTranscript::default(),
            state: RequestState::Running { cancel, steer, wishes: VecDeque::new() },
            suggestion: None,
            is_told: true,
            started: Instant::now(),
        });
        self.prune();
        self.last
    }

    pub(super) fn get(&mut self, number: u64) -> Option<&mut Request> {
        self.entries.iter_mut().find(|request| request.number == number)
    }

    fn find(&self, number: u64) -> Option<&Request> {
        self.entries.iter().find(|request| request.number == number)
    }

    /// Whether this request is being answered.
    pub(super) fn is_running(&self, number: u64) -> bool {
        self.find(number).is_some_and(Request::is_running)
    }

    /// Whether this request has been running for this long.
    pub(super) fn has_run_for(&self, number: u64, least: Duration) -> bool {
        self.find(number).is_some_and(|request| request.is_running() && request.started.elapsed() >= least)
    }

    /// How long ago this request was asked.
    pub(super) fn duration(&self, number: u64) -> Option<Duration> {
        self.find(number).map(|request| request.started.elapsed())
    }

    /// Whether this request has a wish.
    pub(super) fn has_wish(&self, number: u64) -> bool {
        self.find(number).is_some_and(|request| request.next_wish().is_some())
    }

    /// The numbers of the requests that are being answered.
    pub(super) fn running(&self) -> Vec<u64> {
        self.entries.iter().filter(|request| request.is_running()).map(|request| request.number).collect()
    }

    pub(super) fn last(&self) -> Option<&Request> {
        self.entries.back()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Request> {
        self.entries.iter()
    }

    /// The newest requests for a list: those that are being answered first.
    pub(super) fn newest(&self) -> Vec<&Request> {
        let mut newest: Vec<&Request> = self.entries.iter().rev().collect();
        newest.sort_by_key(|request| !request.is_running());
        newest.truncate(LISTED);
        newest
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Request> {
        self.entries.iter_mut()
    }

    /// How many requests are being answered, not counting this one.
    pub(super) fn running_beside(&self, number: u64) -> usize {
        self.entries.iter().filter(|request| request.is_running() && request.number != number).count()
    }

    /// Drops the oldest requests that are over, until the limits hold.
    fn prune(&mut self) {
        loop {
            let over = |request: &&Request| !request.is_running() && request.is_told;
            let bytes: usize = self.entries.iter().map(|request| request.transcript.bytes()).sum();
            let is_fine = self.entries.len() <= KEPT && bytes <= BYTES;
            let Some(oldest) = self.entries.iter().position(|request| over(&request)).filter(|_| !is_fine) else {
                return;
            };
            self.entries.remove(oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc::unbounded_channel;

    fn ask(requests: &mut Requests, size: usize) -> u64 {
        let number = requests.begin("q".into(), CancellationToken::new(), unbounded_channel().0);
        let request = requests.get(number).unwrap();
        request.record(Event::Text("x".repeat(size)));
        number
    }

    #[test]
    fn the_list_has_ten_requests_and_the_running_ones_first() {
        let mut requests = Requests::default();
        for _ in 0..15 {
            ask(&mut requests, 1);
        }
        for number in (1..=15).filter(|number| ![2, 12].contains(number)) {
            requests.get(number).unwrap().end();
        }
        let listed: Vec<u64> = requests.newest().iter().map(|request| request.number).collect();
        assert_eq!(listed, [12, 2, 15, 14, 13, 11, 10, 9, 8, 7]);
    }

    fn run(command: &str) -> Wish {
        Wish::Run(command.to_owned(), oneshot::channel().0)
    }

    #[test]
    fn wishes_are_kept_in_order_and_none_is_lost() {
        let mut requests = Requests::default();
        let number = ask(&mut requests, 1);
        let request = requests.get(number).unwrap();
        assert!(request.take_wish().is_none());
        request.wants(run("one"));
        request.wants(run("two"));
        assert!(!request.is_told, "the person does not know about them");
        assert!(requests.has_wish(number));
        let request = requests.get(number).unwrap();
        for expected in ["one", "two"] {
            assert!(matches!(request.take_wish(), Some(Wish::Run(command, _)) if command == expected));
        }
        assert!(!requests.has_wish(number));
    }

    #[test]
    fn a_finished_request_has_no_wishes() {
        let mut requests = Requests::default();
        let number = ask(&mut requests, 1);
        assert!(requests.is_running(number) && requests.running() == [number]);
        let request = requests.get(number).unwrap();
        request.end();
        request.wants(run("ls"));
        assert!(request.take_wish().is_none() && request.cancel_token().is_none());
        assert!(!requests.is_running(number) && requests.running().is_empty());
        assert!(!requests.is_running(99) && !requests.has_wish(99));
    }

    #[test]
    fn a_list_shows_the_state_of_each_request() {
        let mut requests = Requests::default();
        let number = ask(&mut requests, 1);
        let request = requests.get(number).unwrap();
        assert!(request.line().contains("is running, "));
        request.wants(run("ls"));
        assert!(request.line().contains("waits for your shell"));
        request.end();
        assert!(request.line().contains("has finished") && request.line().ends_with("> q"));
    }

    #[test]
    fn a_running_request_can_be_cancelled() {
        let (mut requests, cancel) = (Requests::default(), CancellationToken::new());
        let number = requests.begin("q".into(), cancel.clone(), unbounded_channel().0);
        requests.get(number).unwrap().cancel();
        assert!(cancel.is_cancelled());
    }

    #[test]
    fn the_oldest_answers_are_dropped_and_running_requests_stay() {
        let mut requests = Requests::default();
        let running = ask(&mut requests, 10);
        for _ in 0..KEPT * 2 {
            let number = ask(&mut requests, 1_000_000);
            let request = requests.get(number).unwrap();
            request.end();
            request.is_told = true;
        }
        assert!(requests.get(running).is_some());
        assert!(requests.get(running + 1).is_none());
        let bytes: usize = requests.iter().map(|request| request.transcript.bytes()).sum();
        assert!(bytes <= BYTES + 1_100_000, "{bytes}");
        assert_eq!(requests.running_beside(0), 1);
        assert_eq!(requests.running_beside(running), 0);
    }
}
