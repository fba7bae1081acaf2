//! The shell's process.

use std::path::PathBuf;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// The number of the field `startstack` in proc_pid_stat(5).
const START_STACK: usize = 28;

/// The process of the hosted shell. It is not killed on drop: closing its terminal ends it with SIGHUP.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Child {
    pid: Pid,
}

/// What happened to the shell since the last check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShellChange {
    None,
    /// The shell suspended itself (`suspend`).
    Stopped,
    Ended(ShellEnding),
}

/// How the shell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShellEnding {
    Exited(i32),
    Killed(i32),
}

impl ShellEnding {
    /// The exit status as shells report it: 128 plus the signal's number for a killed process.
    pub(crate) fn code(self) -> i32 {
        match self {
            ShellEnding::Exited(code) => code,
            ShellEnding::Killed(signal) => 128 + signal,
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

    /// The shell's working directory, as the kernel reports it.
    pub(crate) fn cwd(&self) -> Option<PathBuf> {
        std::fs::read_link(format!("/proc/{}/cwd", self.pid)).ok()
    }

    /// The path of the program that the process runs. `exec` in the shell replaces it.
    pub(crate) fn program(&self) -> Option<PathBuf> {
        std::fs::read_link(format!("/proc/{}/exe", self.pid)).ok()
    }

    /// The start address of the stack, which changes when the process runs `exec`.
    pub(crate) fn image(&self) -> Option<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok()?;
        let (_, after_name) = stat.rsplit_once(')')?;
        after_name.split_ascii_whitespace().nth(START_STACK - 3)?.parse().ok().filter(|start| *start != 0)
    }

    /// Checks the process without waiting.
    pub(crate) fn check(&self) -> ShellChange {
        loop {
            match waitpid(self.pid, Some(WaitPidFlag::WNOHANG | WaitPidFlag::WUNTRACED)) {
                Ok(WaitStatus::Exited(_, code)) => return ShellChange::Ended(ShellEnding::Exited(code)),
                Ok(WaitStatus::Signaled(_, signal, _)) => {
                    return ShellChange::Ended(ShellEnding::Killed(signal as i32));
                }
                Ok(WaitStatus::Stopped(..)) => return ShellChange::Stopped,
                Ok(_) => return ShellChange::None,
                Err(Errno::EINTR) => {}
                // The process was reaped elsewhere, so its status is lost.
                Err(_) => return ShellChange::Ended(ShellEnding::Exited(0)),
            }
        }
    }

    /// Sends a signal to the shell only, not to its jobs.
    pub(crate) fn signal(&self, signal: Signal) {
        let _ = kill(self.pid, signal);
    }
}

/// The name of a process as the kernel stores it: the first 15 bytes of its program's file name.
pub(crate) fn process_name(pid: Pid) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim_end_matches('\n').to_owned())
}
