//! Starting a shell on a new pseudo-terminal.
//!
//! The pair is opened by portable-pty; the process is started here, because a login shell needs a name of our choosing
//! (`-bash`), which its command builder cannot give.

#![allow(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::termios::{SetArg, Termios, tcsetattr};
use nix::unistd::{Pid, setsid};
use portable_pty::native_pty_system;

use super::HostError;
use super::child::Child;
use super::launch::Launch;
use super::pty::{Pty, Size};

nix::ioctl_none_bad!(tiocsctty, nix::libc::TIOCSCTTY);

/// Opens a pty of the given size and settings and starts the shell on it, as leader of a session of its own.
pub fn spawn(launch: &Launch, size: Size, settings: &Termios) -> Result<(Pty, Child), HostError> {
    let pair = native_pty_system().openpty(size).map_err(|error| HostError::OpenPty(error.to_string()))?;
    let master = pair.master;
    let other_side = master.tty_name().ok_or_else(|| HostError::OpenPty("its other side has no name".into()))?;
    let terminal = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags((OFlag::O_NOCTTY | OFlag::O_CLOEXEC).bits())
        .open(&other_side)
        .map_err(HostError::Pty)?;
    tcsetattr(&terminal, SetArg::TCSANOW, settings).map_err(|errno| HostError::Pty(errno.into()))?;

    let stdio = || terminal.try_clone().map(Stdio::from).map_err(HostError::Pty);
    let mut command = Command::new(&launch.program);
    command.arg0(&launch.arg0).args(&launch.args).stdin(stdio()?).stdout(stdio()?).stderr(stdio()?);
    for (name, value) in &launch.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    // What comes with the environment is exported for good, and would take what our hooks keep under that name along.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"__shellmate_")) {
        command.env_remove(name);
    }
    // SAFETY: between fork and exec only setsid(2) and ioctl(2) are called, both async-signal-safe; nothing is allocated.
    unsafe { command.pre_exec(own_session) };
    let child = command.spawn().map_err(|source| HostError::NotExecutable { path: launch.program.clone(), source })?;
    // Only the shell may hold its side, or its end would go unnoticed.
    drop((command, terminal, pair.slave));

    let raw = master.as_raw_fd().ok_or_else(|| HostError::OpenPty("it has no descriptor".into()))?;
    // SAFETY: `raw` stays open as long as `master`, which outlives this borrow.
    let borrowed = unsafe { BorrowedFd::borrow_raw(raw) };
    let file = File::from(borrowed.try_clone_to_owned().map_err(HostError::Pty)?);
    let unblocked = fcntl(&file, FcntlArg::F_GETFL)
        .and_then(|flags| fcntl(&file, FcntlArg::F_SETFL(OFlag::from_bits_retain(flags) | OFlag::O_NONBLOCK)));
    unblocked.map_err(|errno| HostError::Pty(errno.into()))?;
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX));
    Ok((Pty::new(master, file), Child::new(pid)))
}

/// Leaves our session and takes standard input as the controlling terminal of the new one.
fn own_session() -> io::Result<()> {
    setsid()?;
    // SAFETY: TIOCSCTTY takes no pointer; descriptor 0 is the pty's other side here.
    unsafe { tiocsctty(0) }?;
    Ok(())
}
