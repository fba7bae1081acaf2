//! Starts a shell on a new pseudo-terminal.
//!
//! portable-pty opens the pair. The process is started here, because portable-pty's command builder cannot set `argv[0]`, which
//! begins with `-` for a login shell (`-bash`).

#![allow(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::termios::{SetArg, Termios, tcsetattr};
use portable_pty::native_pty_system;

use super::HostError;
use super::child::Child;
use super::launch::Launch;
use super::pty::{Pty, PtySize};
use super::shell::HostedShell;
use super::start::start;

/// Explains why no pty could be opened. portable-pty's own message contains debug output.
fn no_pty(error: io::Error) -> HostError {
    HostError::OpenPty(match error.raw_os_error() {
        // Linux returns these when the limit is reached.
        Some(nix::libc::ENOSPC | nix::libc::EAGAIN) => {
            "all pseudo-terminals are in use (close a terminal, or raise kernel.pty.max)".to_owned()
        }
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or(&text).to_lowercase()
        }
    })
}

/// Opens a pty of the given size and settings and starts the shell on it as the leader of a new session.
pub(crate) fn spawn(launch: &Launch, size: PtySize, settings: &Termios) -> Result<HostedShell, HostError> {
    let pair = native_pty_system().openpty(size).map_err(|_| no_pty(io::Error::last_os_error()))?;
    let master = pair.master;
    let other_side = master.tty_name().ok_or_else(|| HostError::OpenPty("its other side has no name".into()))?;
    let terminal = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags((OFlag::O_NOCTTY | OFlag::O_CLOEXEC).bits())
        .open(&other_side)
        .map_err(HostError::Pty)?;
    tcsetattr(&terminal, SetArg::TCSANOW, settings).map_err(|errno| HostError::Pty(errno.into()))?;

    let pid = start(launch, terminal.as_fd())
        .map_err(|source| HostError::NotExecutable { path: launch.program.clone(), source })?;
    // If this process kept the shell's side open, reading the master would not return the end of the shell.
    drop((terminal, pair.slave));

    let raw = master.as_raw_fd().ok_or_else(|| HostError::OpenPty("it has no descriptor".into()))?;
    // SAFETY: `raw` stays open as long as `master`, which outlives this borrow.
    let borrowed = unsafe { BorrowedFd::borrow_raw(raw) };
    let file = File::from(borrowed.try_clone_to_owned().map_err(HostError::Pty)?);
    let unblocked = fcntl(&file, FcntlArg::F_GETFL)
        .and_then(|flags| fcntl(&file, FcntlArg::F_SETFL(OFlag::from_bits_retain(flags) | OFlag::O_NONBLOCK)));
    unblocked.map_err(|errno| HostError::Pty(errno.into()))?;
    Ok(HostedShell::new(Pty::new(master, file), Child::new(pid), settings.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_pty_is_explained_without_debug_text() {
        let words = |code| no_pty(io::Error::from_raw_os_error(code)).to_string();
        assert_eq!(
            words(nix::libc::ENOSPC),
            "cannot open a pseudo-terminal: all pseudo-terminals are in use (close a terminal, or raise kernel.pty.max)"
        );
        assert_eq!(words(nix::libc::EMFILE), "cannot open a pseudo-terminal: too many open files");
    }
}
