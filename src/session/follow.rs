//! Our own working directory, which follows the shell's.
//!
//! Terminals and tmux read it from /proc to open a new tab or pane "here", and a process that stays where it was started keeps that
//! file system from being unmounted. Entering a directory can wait for a dead network mount, so a thread does it: a working directory
//! belongs to the whole process, whichever thread changes it.

use std::env::set_current_dir;
use std::path::{Path, PathBuf};

use nix::unistd::Pid;

use super::worker::{Tasks, Worker};

/// Changes our working directory after the shell's. The default follows no shell and stays where it is.
#[derive(Default)]
pub(super) struct Follower {
    shell: Option<Pid>,
    /// The directory the shell reported last.
    last: Option<PathBuf>,
    /// Starts with the first change; most tabs of a multiplexer never need it.
    thread: Option<Worker<Move>>,
}

/// Where the thread goes next.
#[derive(Debug, PartialEq, Eq)]
enum Move {
    /// To the shell's directory; the path is what the shell calls it.
    Shell(PathBuf),
    /// To the root directory, which is never unmounted.
    Root,
}

/// Commands that fail on a file system somebody is in. `cd / && umount /mnt` leaves no prompt in between at which to follow.
const UNMOUNTING: [&[u8]; 4] = [b"umount", b"fusermount", b"udisksctl", b"eject"];

impl Follower {
    pub(super) fn new(shell: Pid) -> Follower {
        Follower { shell: Some(shell), last: std::env::current_dir().ok(), thread: None }
    }

    /// The shell is in `cwd`. Does nothing unless that is a change.
    pub(super) fn follow(&mut self, cwd: &Path) {
        if self.last.as_deref() != Some(cwd) {
            self.last = Some(cwd.to_owned());
            self.go(Move::Shell(cwd.to_owned()));
        }
    }

    /// The shell starts `command`. Leaves the directory if the command may unmount it; the next prompt brings us back.
    pub(super) fn make_way(&mut self, command: &[u8]) {
        if UNMOUNTING.iter().any(|name| memchr::memmem::find(command, name).is_some()) {
            self.last = None;
            self.go(Move::Root);
        }
    }

    fn go(&mut self, next: Move) {
        let Some(shell) = self.shell else { return };
        if self.thread.is_none() {
            match Worker::start("cwd", move |moves| run(shell, &moves)) {
                Ok(thread) => self.thread = Some(thread),
                Err(error) => tracing::warn!(%error, "the working directory is not followed"),
            }
        }
        if let Some(thread) = &self.thread {
            thread.give(next);
        }
    }
}

/// Makes the moves as they come; of those that came while one was made, only the last counts.
fn run(shell: Pid, moves: &Tasks<Move>) {
    while let Some(first) = moves.next() {
        enter(shell, moves.newest().unwrap_or(first));
    }
}

/// The kernel's link leads into a deleted or renamed directory too. A directory that cannot be entered is not held on to either.
fn enter(shell: Pid, next: Move) {
    let entered = match next {
        Move::Shell(path) => set_current_dir(format!("/proc/{shell}/cwd")).or_else(|_| set_current_dir(path)).is_ok(),
        Move::Root => false,
    };
    if !entered && let Err(error) = set_current_dir("/") {
        tracing::warn!(%error, "cannot enter the root directory");
    }
}
