//! Directives for the waiting hook, and reminders until it acts on them.
//!
//! The hook reads a FIFO, which any program of the same user can read and write too. Its marks are private: only shellmate reads the
//! other side of the terminal. So the hook sends a token in a mark, and only that token ends its wait. Before it runs a command, it
//! sends the command that it has read with a second token, which runs exactly this command. A program that steals a token cannot make
//! the hook do anything else. A stolen line is sent again, through a new FIFO, until the hook acts on it.

use std::time::{Duration, Instant};

/// The time until the first reminder. It doubles with each further reminder.
const PATIENCE: Duration = Duration::from_millis(250);

/// How often the time between reminders doubles. The reminders up to then take about eight seconds.
const REMINDERS: u32 = 4;

/// The line that makes the hook read the command's file. It is not secret, because the hook only answers with a mark.
const LOOK: &str = "look";

/// The line that makes the hook send its end token once more. A terminal discards unread output when Ctrl-C is typed, and with it marks.
const AGAIN: &str = "again";

/// The directive that the hook should carry out.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Aim {
    /// Continue to the prompt.
    Done,
    /// Run this command.
    Run(String),
}

/// What to do about a hook that has not acted on its directive.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reminder {
    /// Nothing, or not yet.
    None,
    Send(String),
    /// Send the line and interrupt the shell, because several reminders had no effect.
    Insist(String),
}

/// The directives of one hook that waits.
#[derive(Debug, Default)]
pub(super) struct Directives {
    /// The token that ends the wait, once the hook has sent it.
    end: Option<String>,
    aim: Option<Aim>,
    /// The line that was sent last and not acted on, with the time for a reminder.
    sent: Option<(String, Instant)>,
    reminders: u32,
}

impl Directives {
    /// The hook reads directives now. Returns the line to send, if there is a directive for it.
    pub(super) fn listens(&mut self, token: String, now: Instant) -> Option<String> {
        self.end = Some(token);
        self.sent = None;
        match self.aim.clone()? {
            Aim::Done => self.finish(now),
            Aim::Run(command) => self.run(command, now),
        }
    }

    /// Ends the hook's wait, at once or as soon as it reads directives.
    pub(super) fn finish(&mut self, now: Instant) -> Option<String> {
        self.aim = Some(Aim::Done);
        let Some(line) = self.end.clone() else {
            self.send(AGAIN.to_owned(), now);
            return None;
        };
        Some(self.send(line, now))
    }

    /// Makes the hook run the command in its file.
    pub(super) fn run(&mut self, command: String, now: Instant) -> Option<String> {
        self.aim = Some(Aim::Run(command));
        self.end.is_some().then(|| self.send(LOOK.to_owned(), now))
    }

    /// The hook has read a command. Returns the line that runs it, if it is the wanted command.
    pub(super) fn has_read(&mut self, token: String, command: &[u8], now: Instant) -> Option<String> {
        let is_meant = matches!(&self.aim, Some(Aim::Run(wanted)) if is_same(wanted.as_bytes(), command));
        is_meant.then(|| self.send(token, now))
    }

    /// The hook runs the command.
    pub(super) fn runs(&mut self) {
        self.settle();
    }

    /// The shell continues to its prompt, so no hook waits.
    pub(super) fn prompts(&mut self) {
        self.end = None;
        self.settle();
    }

    /// When the hook is to be reminded.
    pub(super) fn due(&self) -> Option<Instant> {
        self.sent.as_ref().map(|(_, due)| *due)
    }

    pub(super) fn remind(&mut self, now: Instant) -> Reminder {
        let Some((line, due)) = self.sent.take() else { return Reminder::None };
        if now < due {
            self.sent = Some((line, due));
            return Reminder::None;
        }
        self.reminders += 1;
        self.send(line.clone(), now);
        if self.reminders == REMINDERS { Reminder::Insist(line) } else { Reminder::Send(line) }
    }

    fn send(&mut self, line: String, now: Instant) -> String {
        self.sent = Some((line.clone(), now + PATIENCE * 2u32.pow(self.reminders.min(REMINDERS))));
        line
    }

    fn settle(&mut self) {
        self.aim = None;
        self.sent = None;
        self.reminders = 0;
    }
}

/// Whether two texts are equal except for newlines at their ends, which not every shell keeps.
fn is_same(wanted: &[u8], read: &[u8]) -> bool {
    fn trimmed(text: &[u8]) -> &[u8] {
        let end = text.iter().rposition(|byte| *byte != b'\n').map_or(0, |last| last + 1);
        &text[..end]
    }
    trimmed(wanted) == trimmed(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(name: &str) -> String {
        name.to_owned()
    }

    #[test]
    fn a_hook_whose_token_was_lost_is_asked_for_it_again() {
        let mut now = Instant::now();
        let mut directives = Directives::default();
        assert_eq!(directives.finish(now), None);
        now += PATIENCE;
        assert_eq!(directives.remind(now), Reminder::Send(token("again")));
        assert_eq!(directives.listens(token("end"), now), Some(token("end")));
    }

    #[test]
    fn only_the_token_that_the_hook_sent_ends_its_wait() {
        let now = Instant::now();
        let mut directives = Directives::default();
        assert_eq!(directives.finish(now), None);
        assert_eq!(directives.listens(token("end"), now), Some(token("end")));
        directives.prompts();
        assert_eq!(directives.due(), None);
    }

    #[test]
    fn only_the_wanted_command_is_run() {
        let now = Instant::now();
        let mut directives = Directives::default();
        directives.listens(token("end"), now);
        assert_eq!(directives.has_read(token("early"), b"cd /", now), None);
        assert_eq!(directives.run("cd /".to_owned(), now), Some(LOOK.to_owned()));
        assert_eq!(directives.has_read(token("swapped"), b"rm -rf /", now), None);
        assert_eq!(directives.has_read(token("go"), b"cd /\n", now), Some(token("go")));
        directives.runs();
        assert_eq!(directives.has_read(token("again"), b"cd /", now), None);
    }

    #[test]
    fn a_stolen_line_is_sent_again_until_the_hook_acts() {
        let mut now = Instant::now();
        let mut directives = Directives::default();
        directives.listens(token("end"), now);
        directives.finish(now);
        assert_eq!(directives.remind(now), Reminder::None);
        for _ in 1..REMINDERS {
            now = directives.due().unwrap();
            assert_eq!(directives.remind(now), Reminder::Send(token("end")));
        }
        now = directives.due().unwrap();
        assert_eq!(directives.remind(now), Reminder::Insist(token("end")));
        now = directives.due().unwrap();
        assert_eq!(directives.remind(now), Reminder::Send(token("end")));
        directives.prompts();
        assert_eq!(directives.due(), None);
    }
}
