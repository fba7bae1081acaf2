//! The only file of the tests with `unsafe`: starts a program as the leader of a pseudo-terminal, and sets its size.

#![allow(unsafe_code)]

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use nix::fcntl::OFlag;
use nix::libc;
use nix::pty::{Winsize, grantpt, posix_openpt, ptsname_r, unlockpt};
use nix::sys::termios::{InputFlags, SetArg, Termios, tcgetattr, tcsetattr};

/// Pixels of one cell. A size in pixels lets tests check that it is passed on.
const CELL: (u16, u16) = (16, 8);

/// Starts `command` with a new pseudo-terminal as its standard streams and controlling terminal, and returns our
/// end, the program, and the modes the terminal had before it.
///
/// Every descriptor is opened close-on-exec: tests run in parallel threads, and a master end that leaked into another test's
/// shell would keep this terminal from ever hanging up.
pub(super) fn spawn(mut command: Command, rows: u16, cols: u16) -> io::Result<(OwnedFd, Child, Termios)> {
    let master = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let slave = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NOCTTY).open(ptsname_r(&master)?)?;
    let master = master.as_fd().try_clone_to_owned()?;
    set_size(&master, rows, cols)?;
    let mut modes = tcgetattr(&slave)?;
    modes.input_flags |= InputFlags::IUTF8;
    tcsetattr(&slave, SetArg::TCSANOW, &modes)?;
    let modes = tcgetattr(&slave)?;

    command.stdin(Stdio::from(slave.try_clone()?));
    command.stdout(Stdio::from(slave.try_clone()?));
    command.stderr(Stdio::from(slave));
    // SAFETY: setsid, ioctl, sigemptyset, sigprocmask and signal are async-signal-safe, nothing is allocated, and standard
    // input is the slave end by the time the closure runs. Signal state is reset because a test runner may block some.
    unsafe {
        command.pre_exec(|| {
            if libc::setsid() == -1 || libc::ioctl(libc::STDIN_FILENO, libc::TIOCSCTTY as _, 0) == -1 {
                return Err(io::Error::last_os_error());
            }
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
            for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGPIPE, libc::SIGTSTP] {
                libc::signal(signal, libc::SIG_DFL);
            }
            Ok(())
        });
    }
    let child = command.spawn()?;
    Ok((master, child, modes))
}

/// Sets the size of the terminal; the kernel tells its foreground processes with SIGWINCH.
pub(super) fn set_size(master: &OwnedFd, rows: u16, cols: u16) -> io::Result<()> {
    let size = Winsize { ws_row: rows, ws_col: cols, ws_xpixel: cols * CELL.1, ws_ypixel: rows * CELL.0 };
    // SAFETY: the descriptor is open for the length of the call and `size` is the struct TIOCSWINSZ reads.
    let done = unsafe { libc::ioctl(master.as_raw_fd(), libc::TIOCSWINSZ, &size) };
    if done == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
