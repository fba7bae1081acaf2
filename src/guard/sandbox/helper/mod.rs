//! The helper process: enters namespaces, confines itself, starts the command and reaps its processes.
//!
//! It is this binary started again, so it has a single thread and may allocate memory after a fork. Nothing here runs in the session.

mod filter;
mod mounts;
mod namespaces;
mod reaper;
mod rules;

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use super::orders::Orders;
use super::report::HelperReport;

/// The exit code if the command could not be started.
const FAILED: u8 = 125;

/// Why the helper could not start a command.
#[derive(Debug, thiserror::Error)]
enum HelperError {
    #[error("cannot read the orders: {0}")]
    Orders(#[source] io::Error),
    #[error("cannot {what}: {error}")]
    Call { what: String, error: io::Error },
}

/// Adds to an error what could not be done.
trait ErrorContext<T> {
    fn doing(self, what: impl Into<String>) -> Result<T, HelperError>;
}

impl<T, E: Into<io::Error>> ErrorContext<T> for Result<T, E> {
    fn doing(self, what: impl Into<String>) -> Result<T, HelperError> {
        self.map_err(|error| HelperError::Call { what: what.into(), error: error.into() })
    }
}

/// The end of the pipe that the report is written to.
struct ReportPipe(File);

impl ReportPipe {
    fn say(&mut self, line: &str) {
        // Nobody reads a report whose session has ended.
        let _ = self.0.write_all(line.as_bytes());
    }
}

/// Carries out the orders in the given descriptor. Returns the exit code of the command.
pub(crate) fn run(orders: RawFd) -> u8 {
    let orders = match read(orders) {
        Ok(orders) => orders,
        // Nobody is known to report to.
        Err(_) => return FAILED,
    };
    let mut report = ReportPipe(File::from(owned(orders.report)));
    match carry_out(&orders, &mut report) {
        Ok(code) => code,
        Err(error) => {
            report.say(&HelperReport::failed(&error.to_string()));
            FAILED
        }
    }
}

fn carry_out(orders: &Orders, report: &mut ReportPipe) -> Result<u8, HelperError> {
    if let Some(namespaces) = &orders.namespaces
        && let namespaces::Side::Outside(code) = namespaces::enter(namespaces)?
    {
        return Ok(code);
    }
    nix::unistd::chdir(orders.cwd.as_path()).doing(format!("enter {}", orders.cwd.as_path().display()))?;
    reaper::run(orders, report)
}

fn read(descriptor: RawFd) -> Result<Orders, HelperError> {
    let mut file = File::from(owned(descriptor));
    let mut text = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut text)).map_err(HelperError::Orders)?;
    serde_json::from_slice(&text).map_err(|error| HelperError::Orders(error.into()))
}

#[allow(unsafe_code)]
fn owned(descriptor: RawFd) -> OwnedFd {
    // SAFETY: the descriptor was passed to this process for this purpose, and nothing else here uses it.
    unsafe { OwnedFd::from_raw_fd(descriptor) }
}

/// The result of a system call that nix does not wrap.
fn checked(result: nix::libc::c_long) -> io::Result<i32> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(i32::try_from(result).unwrap_or(i32::MAX)) }
}

/// Closes everything but the standard descriptors at the next `exec`.
#[allow(unsafe_code)]
fn close_others_on_exec() -> io::Result<()> {
    const CLOEXEC: nix::libc::c_uint = 4;
    // SAFETY: close_range(2) takes three integers.
    let done = checked(unsafe { nix::libc::syscall(nix::libc::SYS_close_range, 3, u32::MAX, CLOEXEC) });
    if done.is_ok() {
        return Ok(());
    }
    for entry in std::fs::read_dir("/proc/self/fd")?.flatten() {
        let number = entry.file_name().to_str().and_then(|name| name.parse::<RawFd>().ok());
        if let Some(number) = number.filter(|number| *number > 2) {
            // SAFETY: fcntl(2) with F_SETFD changes a flag. A descriptor that is closed meanwhile is an error without effect.
            unsafe { nix::libc::fcntl(number, nix::libc::F_SETFD, nix::libc::FD_CLOEXEC) };
        }
    }
    Ok(())
}

/// Gives up all capabilities, also those that a program of root would get back.
#[allow(unsafe_code)]
fn drop_capabilities() {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    #[repr(C)]
    #[derive(Clone, Copy, Default)]
    struct Sets {
        effective: u32,
        permitted: u32,
        inheritable: u32,
    }
    let header = Header { version: 0x2008_0522, pid: 0 };
    let sets = [Sets::default(); 2];
    // SAFETY: prctl(2) takes integers here, and capset(2) reads the two structures, which have the layout of version 3. Errors mean that
    // there was no capability to give up.
    unsafe {
        for capability in 0..64 {
            nix::libc::prctl(nix::libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
        nix::libc::prctl(nix::libc::PR_CAP_AMBIENT, nix::libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        nix::libc::syscall(nix::libc::SYS_capset, &raw const header, sets.as_ptr());
    }
}
