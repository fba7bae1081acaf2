//! Makes the process's own working directory follow the shell's.
//!
//! Terminals and tmux read it from /proc to open a new tab or pane in the same place. A process that stays where it was started
//! would also keep that file system from being unmounted. Entering a directory may wait for a dead network mount, so a thread
//! does it; the working directory belongs to the whole process, whichever thread changes it.

use std::env::set_current_dir;
use std::path::{Path, PathBuf};

use nix::unistd::Pid;

use super::worker::{Tasks, Worker};

/// Changes the process's working directory to the shell's. The default follows no shell.
#[derive(Default)]
pub(super) struct Follower {
    shell: Option<Pid>,
    /// The directory that the shell has reported last.
    last: Option<PathBuf>,
    /// The thread starts with the first change; many tabs never need it.
    thread: Option<Worker<Move>>,
}

/// The thread's next directory.
#[derive(Debug, PartialEq, Eq)]
enum Move {
    /// The shell's directory, with its path as the shell reports it.
    Shell(PathBuf),
    /// The root directory, which is never unmounted.
    Root,
}

/// Commands that fail while a process is in the file system. For `cd / && umount /mnt` there is no prompt in between.
const UNMOUNTING: [&[u8]; 4] = [b"umount", b"fusermount", b"udisksctl", b"eject"];

impl Follower {
    pub(super) fn new(shell: Pid) -> Follower {
        Follower { shell: Some(shell), last: std::env::current_dir().ok(), thread: None }
    }

    /// The shell is in `cwd`. Does nothing if that is no change.
    pub(super) fn follow(&mut self, cwd: &Path) {
        if self.last.as_deref() != Some(cwd) {
            self.last = Some(cwd.to_owned());
            self.go(Move::Shell(cwd.to_owned()));
        }
    }

    /// The shell starts `command`. Leaves the directory if the command may unmount it; the next prompt leads back.
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

/// Changes the directory. If several changes are waiting, only the last one is made.
fn run(shell: Pid, moves: &Tasks<Move>) {
    while let Some(first) = moves.next() {
        enter(shell, moves.newest().unwrap_or(first));
    }
}

/// The link in /proc leads to a deleted or renamed directory too. If a directory cannot be entered, the old one is left as well.
fn enter(shell: Pid, next: Move) {
    let entered = match next {
        Move::Shell(path) => set_current_dir(format!("/proc/{shell}/cwd")).or_else(|_| set_current_dir(path)).is_ok(),
        Move::Root => false,
    };
    if !entered && let Err(error) = set_current_dir("/") {
        tracing::warn!(%error, "cannot enter the root directory");
    }
}
