//! The door through which `shellmate history search`, run in this session, hands the chosen command to the prompt.
//!
//! The door is a socket in the private directory of the session. It exists only while a command runs whose line the person typed and
//! which calls the finder, and takes one text. Another program of the same user could connect to it. So a text counts only if it comes
//! from a process of the foreground job of the shell's terminal that runs this very program file. The text is pasted at the next prompt
//! like a proposed command, and never run.

use std::fs;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{Pid, getpgid};

use crate::text;

use super::Session;
use super::errands::{Done, Errands};
use super::system::peer;

/// The name of the socket.
const NAME: &str = "prompt";
/// The longest command that is taken.
const LONGEST: u64 = 64 * text::KIB as u64;
/// How long either side waits for the other.
const PATIENCE: Duration = Duration::from_secs(1);
/// The reply to a text that was taken.
const TAKEN: &[u8] = b"y";

/// A command that a process wants on the prompt.
pub(super) struct OfferedCommand {
    text: String,
    sender: Pid,
    reply: UnixStream,
}

/// An open door. Dropping it ends the thread that listens.
pub(super) struct PromptDoor {
    _open: UnixStream,
}

impl PromptDoor {
    /// Opens the door if a typed command line calls the finder.
    pub(super) fn open(line: &[u8], directory: &Path, errands: &Errands) -> Option<PromptDoor> {
        if !calls_finder(&String::from_utf8_lossy(line)) {
            return None;
        }
        let (open, closed) = UnixStream::pair().ok()?;
        let path = directory.join(NAME);
        let work = move || {
            let offered = listen(&path, &closed);
            let _ = fs::remove_file(&path);
            let offered = offered.inspect_err(|error| tracing::debug!(%error, "the finder cannot reach the prompt"));
            offered.ok().flatten().map(Done::Offered)
        };
        errands.run("prompt door", work).then_some(PromptDoor { _open: open })
    }
}

/// Whether a command line contains `shellmate history search`, with any path.
fn calls_finder(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_ours = |word: &str| word.rsplit('/').next() == Some("shellmate");
    let calls = |part: &[&str]| is_ours(part[0]) && part[1..] == ["history", "search"];
    words.windows(3).any(calls)
}

/// Waits for a text from a process that runs this program. Ends when the other end of `closed` is dropped.
fn listen(path: &Path, closed: &UnixStream) -> io::Result<Option<OfferedCommand>> {
    let _ = fs::remove_file(path);
    let listener = UnixListener::bind(path)?;
    loop {
        let mut waited = [closed.as_fd(), listener.as_fd()].map(|fd| PollFd::new(fd, PollFlags::POLLIN));
        match poll(&mut waited, PollTimeout::NONE) {
            Err(nix::errno::Errno::EINTR) => continue,
            done => done?,
        };
        if waited[0].any() == Some(true) {
            return Ok(None);
        }
        let (connection, _) = listener.accept()?;
        match receive(connection) {
            Ok(Some(offered)) => return Ok(Some(offered)),
            Ok(None) => tracing::warn!("another program offered a command for the prompt; it was refused"),
            Err(error) => tracing::debug!(%error, "a connection for the prompt broke off"),
        }
    }
}

/// Reads a text, if the sender runs this program.
fn receive(connection: UnixStream) -> io::Result<Option<OfferedCommand>> {
    connection.set_read_timeout(Some(PATIENCE))?;
    let Some(sender) = peer(&connection)?.filter(|peer| runs_this_program(*peer)) else { return Ok(None) };
    let mut bytes = Vec::new();
    (&connection).take(LONGEST).read_to_end(&mut bytes)?;
    connection.set_nonblocking(true)?;
    Ok(Some(OfferedCommand { text: String::from_utf8_lossy(&bytes).into_owned(), sender, reply: connection }))
}

/// Whether a process runs the same program file as this one, even if that was replaced since.
fn runs_this_program(process: Pid) -> bool {
    use std::os::unix::fs::MetadataExt;
    let file = |name: &str| fs::metadata(format!("/proc/{name}/exe")).map(|file| (file.dev(), file.ino()));
    matches!((file("self"), file(&process.to_string())), (Ok(ours), Ok(theirs)) if ours == theirs)
}

impl Session {
    /// Takes a command that a process wants on the prompt, if the process belongs to the job in the foreground of the shell.
    pub(super) fn take_offered(&mut self, offered: OfferedCommand) {
        let OfferedCommand { text, sender, mut reply } = offered;
        let group = getpgid(Some(sender)).ok();
        let is_in_front = group.is_some() && group == self.wires.shell.foreground();
        if self.hook.door.take().is_some() && is_in_front && !self.wires.shell.is_in_front() {
            self.suggestion = Some(text);
            // The finder prints the command if it gets no reply.
            let _ = reply.write(TAKEN);
        }
    }
}

/// Hands a command to the session with this private directory. Returns whether it will be on the prompt.
pub(crate) fn hand_to_prompt(directory: &Path, command: &str) -> bool {
    let hand = || -> io::Result<bool> {
        let mut door = UnixStream::connect(directory.join(NAME))?;
        door.set_read_timeout(Some(PATIENCE))?;
        door.set_write_timeout(Some(PATIENCE))?;
        door.write_all(command.as_bytes())?;
        door.shutdown(Shutdown::Write)?;
        let mut reply = [0];
        Ok(door.read(&mut reply)? == 1 && reply == TAKEN)
    };
    hand().inspect_err(|error| tracing::debug!(%error, "the prompt cannot be reached")).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_call_the_finder_open_the_door() {
        for line in
            ["shellmate history search", "cd /x && ~/bin/shellmate history search git", "X=1 shellmate history search"]
        {
            assert!(calls_finder(line), "{line}");
        }
        for line in
            ["shellmate history", "echo history search", "shellmatex history search", "shellmate history show 1"]
        {
            assert!(!calls_finder(line), "{line}");
        }
    }

    #[test]
    fn a_text_of_this_program_is_taken_and_a_closed_door_ends_the_thread() {
        let directory = tempfile::tempdir().unwrap();
        let errands = Errands::new().unwrap();
        let door = PromptDoor::open(b"shellmate history search", directory.path(), &errands).unwrap();
        let path = directory.path().join(NAME);
        while !path.exists() {
            std::thread::yield_now();
        }
        let mut sender = UnixStream::connect(&path).unwrap();
        sender.write_all(b"git log\n-p").unwrap();
        sender.shutdown(Shutdown::Write).unwrap();
        let mut waited = [PollFd::new(errands.as_fd(), PollFlags::POLLIN)];
        assert_eq!(poll(&mut waited, 30_000_u16), Ok(1));
        let done = errands.take();
        let [Done::Offered(offered)] = &done[..] else { panic!("nothing was offered") };
        assert_eq!((offered.text.as_str(), offered.sender), ("git log\n-p", nix::unistd::getpid()));
        drop(door);

        let door = PromptDoor::open(b"shellmate history search", directory.path(), &errands).unwrap();
        while !path.exists() {
            std::thread::yield_now();
        }
        drop(door);
        while path.exists() {
            std::thread::yield_now();
        }
        assert!(!hand_to_prompt(directory.path(), "x"), "the door is closed");
    }
}
