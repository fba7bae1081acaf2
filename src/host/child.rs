//! The shell's process.

use std::path::PathBuf;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// The field of proc_pid_stat(5); the name, which may hold anything, is the second.
const START_STACK: usize = 28;

/// The hosted shell; not killed when dropped, since closing its terminal is the proper way to end it.
#[derive(Debug)]
pub(crate) struct Child {
    pid: Pid,
}

/// What the shell did since it was last asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    None,
    /// It suspended itself (`suspend`).
    Stopped,
    Ended(Ending),
}

/// How the shell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Exited(i32),
    Killed(i32),
}

impl Ending {
    /// The status a shell would give this: 128 more than the signal's number.
    pub(crate) fn code(self) -> i32 {
        match self {
            Ending::Exited(code) => code,
            Ending::Killed(signal) => 128 + signal,
        }
    }
}

impl Child {
    pub(super) fn new(pid: Pid) -> Self {
        Child { pid }
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Where the shell is, as the kernel sees it.
    pub(crate) fn cwd(&self) -> Option<PathBuf> {
        std::fs::read_link(format!("/proc/{}/cwd", self.pid)).ok()
    }

    /// What it runs, which another program may have replaced.
    pub(crate) fn program(&self) -> Option<PathBuf> {
        std::fs::read_link(format!("/proc/{}/exe", self.pid)).ok()
    }

    /// Where its stack begins: the process stays the same when another program takes its place, this does not.
    pub(crate) fn image(&self) -> Option<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok()?;
        let (_, after_name) = stat.rsplit_once(')')?;
        after_name.split_ascii_whitespace().nth(START_STACK - 3)?.parse().ok().filter(|start| *start != 0)
    }

    /// Asks without waiting.
    pub(crate) fn check(&self) -> Change {
        loop {
            match waitpid(self.pid, Some(WaitPidFlag::WNOHANG | WaitPidFlag::WUNTRACED)) {
                Ok(WaitStatus::Exited(_, code)) => return Change::Ended(Ending::Exited(code)),
                Ok(WaitStatus::Signaled(_, signal, _)) => return Change::Ended(Ending::Killed(signal as i32)),
                Ok(WaitStatus::Stopped(..)) => return Change::Stopped,
                Ok(_) => return Change::None,
                Err(Errno::EINTR) => {}
                // Somebody else reaped it; its status is gone.
                Err(_) => return Change::Ended(Ending::Exited(0)),
            }
        }
    }

    /// Sends a signal to the shell alone.
    pub(crate) fn signal(&self, signal: Signal) {
        let _ = kill(self.pid, signal);
    }
}

/// The name of a process as the system has it: the first 15 bytes of its program's file name.
pub(crate) fn process_name(pid: Pid) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim_end_matches('\n').to_owned())
}
