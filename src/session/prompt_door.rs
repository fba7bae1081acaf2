//! The door through which `shellmate history search`, run in this session, hands the chosen command to the prompt.
//!
//! The door is a socket in the private directory of the session. It exists only while a command runs whose line the person typed and
//! which calls the finder, and takes one text. Another program of the same user could connect to it. So a text counts only if it comes
//! from a process of the foreground job of the shell's terminal that runs this very program file. The text is pasted at the next prompt
//! like a proposed command, and never run.
//!
//! The socket gets its name only when it listens. A finder that is quicker than the thread that listens tries again.

use std::fs;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{Pid, getpgid};

use crate::text;

use super::Session;
use super::errands::{Done, Errands};
use super::system::peer;

/// The name of the socket.
const NAME: &str = "prompt";
/// Its name until it listens.
const NEW_NAME: &str = "prompt.new";
/// The longest command that is taken.
const LONGEST: u64 = 64 * text::KIB as u64;
/// How long either side waits for the other.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long a finder waits before it looks for the socket again.
const PAUSE: Duration = Duration::from_millis(5);
/// The reply to a text that was taken.
const TAKEN: &[u8] = b"y";

/// A command that a process wants on the prompt.
pub(super) struct OfferedCommand {
    text: String,
    sender: Pid,
    reply: UnixStream,
}

/// The door of a session, closed at first. Dropping it closes it.
#[derive(Default)]
pub(super) struct PromptDoor {
    /// While the door is open. The thread that listens ends when this is dropped.
    open: Option<UnixStream>,
    /// Disconnected when the last thread has removed its socket.
    last: Option<Receiver<()>>,
}

impl PromptDoor {
    /// Opens the door if a typed command line calls the finder, and closes it if not.
    pub(super) fn open_for(&mut self, line: &[u8], directory: &Path, errands: &Errands) {
        self.close();
        if calls_finder(&String::from_utf8_lossy(line))
            && let Ok((open, closed)) = UnixStream::pair()
        {
            let directory = directory.to_owned();
            let (removed, last) = channel();
            let before = self.last.replace(last);
            let work = move || {
                // The thread of an earlier door removes the socket by its name, so it must be done.
                let _ = before.map(|before| before.recv());
                let offered = listen(&directory, &closed);
                let _ = fs::remove_file(directory.join(NAME));
                drop(removed);
                let offered =
                    offered.inspect_err(|error| tracing::debug!(%error, "the finder cannot reach the prompt"));
                offered.ok().flatten().map(Done::Offered)
            };
            self.open = errands.run("prompt door", work).then_some(open);
        }
    }

    /// Closes the door. Returns whether it was open.
    pub(super) fn close(&mut self) -> bool {
        self.open.take().is_some()
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
fn listen(directory: &Path, closed: &UnixStream) -> io::Result<Option<OfferedCommand>> {
    let new = directory.join(NEW_NAME);
    let _ = fs::remove_file(&new);
    let listener = UnixListener::bind(&new)?;
    // A socket refuses connections between its creation and `listen`. Under its final name it never does.
    fs::rename(&new, directory.join(NAME))?;
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
        if self.hook.door.close() && is_in_front && !self.wires.shell.is_in_front() {
            self.suggestion = Some(text);
            // The finder prints the command if it gets no reply.
            let _ = reply.write(TAKEN);
        }
    }
}

/// Hands a command to the session with this private directory. Returns whether it will be on the prompt.
///
/// `started` is when this program started: the session opens the door at about that time.
pub(crate) fn hand_to_prompt(directory: &Path, command: &str, started: Instant) -> bool {
    let connect = || {
        loop {
            match UnixStream::connect(directory.join(NAME)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && started.elapsed() < PATIENCE => {
                    thread::sleep(PAUSE);
                }
                connected => return connected,
            }
        }
    };
    let hand = || -> io::Result<bool> {
        let mut door = connect()?;
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

    /// Takes the next text that was offered.
    fn offered(errands: &Errands) -> (String, Pid) {
        let mut waited = [PollFd::new(errands.as_fd(), PollFlags::POLLIN)];
        assert_eq!(poll(&mut waited, 30_000_u16), Ok(1));
        match errands.take().pop() {
            Some(Done::Offered(offered)) => (offered.text, offered.sender),
            _ => panic!("nothing was offered"),
        }
    }

    fn finder_runs(door: &mut PromptDoor, directory: &Path, errands: &Errands) {
        door.open_for(b"shellmate history search", directory, errands);
    }

    /// Connects without waiting for anything but the name of the socket.
    fn knock(directory: &Path) -> io::Result<UnixStream> {
        while !directory.join(NAME).exists() {
            thread::yield_now();
        }
        UnixStream::connect(directory.join(NAME))
    }

    #[test]
    fn a_text_of_this_program_is_taken() {
        let (directory, errands) = (tempfile::tempdir().unwrap(), Errands::new().unwrap());
        let mut door = PromptDoor::default();
        finder_runs(&mut door, directory.path(), &errands);
        let mut sender = knock(directory.path()).unwrap();
        sender.write_all(b"git log\n-p").unwrap();
        sender.shutdown(Shutdown::Write).unwrap();
        assert_eq!(offered(&errands), ("git log\n-p".to_owned(), nix::unistd::getpid()));
    }

    /// Nobody answers here: the loop would. So the command counts as not handed over, though it has arrived.
    #[test]
    fn a_finder_that_is_quicker_than_the_door_waits_for_it() {
        let (directory, errands) = (tempfile::tempdir().unwrap(), Errands::new().unwrap());
        let mut door = PromptDoor::default();
        let place = directory.path().to_owned();
        let (knocks, knocking) = channel();
        let finder = thread::spawn(move || {
            knocks.send(()).unwrap();
            hand_to_prompt(&place, "ls", Instant::now())
        });
        knocking.recv().unwrap();
        finder_runs(&mut door, directory.path(), &errands);
        assert_eq!(offered(&errands).0, "ls");
        assert!(!finder.join().unwrap(), "the reply was dropped");
    }

    #[test]
    fn a_closed_door_takes_nothing() {
        let (directory, errands) = (tempfile::tempdir().unwrap(), Errands::new().unwrap());
        let mut door = PromptDoor::default();
        finder_runs(&mut door, directory.path(), &errands);
        drop(knock(directory.path()).unwrap());
        assert!(door.close());
        assert!(!door.close());
        while directory.path().join(NAME).exists() {
            thread::yield_now();
        }
        let long_ago = Instant::now().checked_sub(PATIENCE).unwrap();
        assert!(!hand_to_prompt(directory.path(), "x", long_ago));
    }

    /// Doors follow each other quickly when a line is repeated. None removes the socket of the next.
    #[test]
    fn each_of_many_doors_can_be_reached() {
        let (directory, errands) = (tempfile::tempdir().unwrap(), Errands::new().unwrap());
        let mut door = PromptDoor::default();
        for number in 0..100 {
            finder_runs(&mut door, directory.path(), &errands);
            finder_runs(&mut door, directory.path(), &errands);
            let text = number.to_string();
            // The first socket may be that of the door that was closed, which hangs up.
            let is_taken = || {
                let Ok(mut sender) = knock(directory.path()) else { return false };
                let sent = sender.write_all(text.as_bytes()).and_then(|()| sender.shutdown(Shutdown::Write));
                let mut waited = [sender.as_fd(), errands.as_fd()].map(|fd| PollFd::new(fd, PollFlags::POLLIN));
                sent.is_ok() && poll(&mut waited, 30_000_u16).is_ok() && waited[1].any() == Some(true)
            };
            while !is_taken() {}
            assert_eq!(offered(&errands).0, text);
        }
    }
}
