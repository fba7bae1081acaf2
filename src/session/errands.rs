//! Work that may wait for a disk or a program. Threads do it, and their results wake the loop.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::input::FoundReferences;

use super::live::LiveSettings;
use super::prompt_door::OfferedCommand;

/// The result of a thread.
pub(super) enum Done {
    /// A notice to show above the next prompt.
    Notice(String),
    /// A command could not be written to the hook's file.
    NotHanded(io::Error),
    /// The corrected form of a command that has failed, as a sentence.
    Hint(String),
    /// A line for a person who has not asked anything yet: how to continue a conversation that was cut off, or how to ask.
    Offer(String),
    /// The person has closed their own editor.
    Edited(io::Result<String>),
    /// The completions of `typed`.
    Files { typed: String, found: FoundReferences },
    /// The queries of earlier conversations.
    Queries(Vec<String>),
    /// A process wants a command on the prompt.
    Offered(OfferedCommand),
    /// The configuration was saved.
    Settings(Box<LiveSettings>),
}

/// The loop's end: its descriptor is readable when there is a result.
pub(super) struct Errands {
    done: Receiver<Done>,
    wake: UnixStream,
    reporter: Reporter,
}

/// A thread's end.
#[derive(Clone)]
pub(super) struct Reporter {
    done: Sender<Done>,
    wake: Arc<UnixStream>,
}

impl Errands {
    pub(super) fn new() -> io::Result<Errands> {
        let (wake, awaken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        awaken.set_nonblocking(true)?;
        let (sender, done) = channel();
        Ok(Errands { done, wake, reporter: Reporter { done: sender, wake: Arc::new(awaken) } })
    }

    pub(super) fn reporter(&self) -> Reporter {
        self.reporter.clone()
    }

    /// Runs `work` on a thread of its own. If no thread can be started, the work is not done, and the log says so.
    pub(super) fn run(&self, name: &str, work: impl FnOnce() -> Option<Done> + Send + 'static) -> bool {
        let reporter = self.reporter();
        let work = move || work().into_iter().for_each(|done| reporter.report(done));
        let started = thread::Builder::new().name(name.to_owned()).spawn(work);
        started.inspect_err(|error| tracing::warn!(%error, name, "no thread can be started")).is_ok()
    }

    /// Takes the results so far. Never waits.
    pub(super) fn take(&self) -> Vec<Done> {
        let mut bytes = [0; 64];
        while (&self.wake).read(&mut bytes).is_ok_and(|count| count == bytes.len()) {}
        self.done.try_iter().collect()
    }
}

impl AsFd for Errands {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}

impl Reporter {
    pub(super) fn report(&self, done: Done) {
        // The session may have ended, and takes no results then.
        let _ = self.done.send(done);
        // If the socket is full, the loop is about to wake up anyway.
        let _ = (&*self.wake).write(&[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::poll::{PollFd, PollFlags, poll};

    #[test]
    fn a_result_wakes_the_loop() {
        let errands = Errands::new().unwrap();
        assert!(errands.take().is_empty());
        assert!(errands.run("test", || Some(Done::Notice("done".into()))));
        let mut waited = [PollFd::new(errands.as_fd(), PollFlags::POLLIN)];
        assert_eq!(poll(&mut waited, 30_000_u16), Ok(1));
        assert!(matches!(&errands.take()[..], [Done::Notice(words)] if words == "done"));
        assert_eq!(poll(&mut [PollFd::new(errands.as_fd(), PollFlags::POLLIN)], 0_u16), Ok(0));
    }
}
