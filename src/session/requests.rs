//! Everything that was asked in this session: what is being answered, in front or behind, and what was answered lately.

use std::collections::VecDeque;
use std::time::Instant;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::chat::Event;
use crate::text::human;

use super::agent_link::Ran;
use super::prompt::Asked;
use super::transcript::Transcript;

/// Requests that may be answered at the same time without having the floor.
pub(super) const MOST_BEHIND: usize = 4;
/// Answers that are kept to be shown again.
const KEPT: usize = 50;
/// Requests that are listed at once.
const LISTED: usize = 10;
/// Bytes of all of them; the last is kept whatever its size, which is bounded itself.
const BYTES: usize = 4 * 1024 * 1024;

/// One thing that was asked.
pub(super) struct Request {
    pub(super) number: u64,
    pub(super) query: String,
    pub(super) transcript: Transcript,
    pub(super) state: State,
    /// A command for the prompt, while the prompt was not ours to write on.
    pub(super) suggestion: Option<String>,
    /// Whether the person knows how it stands.
    pub(super) is_told: bool,
    started: Instant,
}

pub(super) enum State {
    Running {
        cancel: CancellationToken,
        steer: UnboundedSender<String>,
        /// What it waits for, while it has not the floor.
        wish: Option<Wish>,
    },
    Over,
}

/// What a request wants of the person or of their shell.
pub(super) enum Wish {
    Answer(Asked),
    /// A command to be run in the live shell.
    Run(String, oneshot::Sender<Ran>),
}

/// All of them, oldest first.
#[derive(Default)]
pub(super) struct Requests {
    entries: VecDeque<Request>,
    last: u64,
}

impl Request {
    pub(super) fn is_running(&self) -> bool {
        matches!(self.state, State::Running { .. })
    }

    pub(super) fn record(&mut self, event: Event) {
        self.transcript.push(event, Instant::now());
    }

    /// Keeps what it wants until it has the floor.
    pub(super) fn wants(&mut self, wanted: Wish) {
        if let State::Running { wish, .. } = &mut self.state {
            *wish = Some(wanted);
            self.is_told = false;
        }
    }

    /// What it wants, now that it has the floor.
    pub(super) fn take_wish(&mut self) -> Option<Wish> {
        match &mut self.state {
            State::Running { wish, .. } => wish.take(),
            State::Over => None,
        }
    }

    /// Ends it.
    pub(super) fn end(&mut self) {
        self.state = State::Over;
        self.is_told = false;
    }

    pub(super) fn cancel(&self) {
        if let State::Running { cancel, .. } = &self.state {
            cancel.cancel();
        }
    }

    /// One line for a list.
    pub(super) fn line(&self) -> String {
        let state = match &self.state {
            State::Running { wish: Some(Wish::Answer(_)), .. } => "has a question".to_owned(),
            State::Running { wish: Some(Wish::Run(..)), .. } => "waits for your shell".to_owned(),
            State::Running { wish: None, .. } => format!("is running, {}", human::duration(self.started.elapsed())),
            State::Over => "is over".to_owned(),
        };
        format!("{:>3}  {state:<20}  > {}", self.number, self.query.lines().next().unwrap_or_default())
    }
}

impl Requests {
    /// Takes note of a new one and numbers it.
    pub(super) fn begin(&mut self, query: String, cancel: CancellationToken, steer: UnboundedSender<String>) -> u64 {
        self.last += 1;
        self.entries.push_back(Request {
            number: self.last,
            query,
            transcript: Transcript::default(),
            state: State::Running { cancel, steer, wish: None },
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

    /// Those that are being answered, but for this one.
    pub(super) fn running_beside(&self, number: u64) -> usize {
        self.entries.iter().filter(|request| request.is_running() && request.number != number).count()
    }

    /// The oldest of those that are over go first.
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
    fn the_list_has_the_newest_ten_and_what_runs_first() {
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

    #[test]
    fn the_oldest_answers_go_and_what_runs_stays() {
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
