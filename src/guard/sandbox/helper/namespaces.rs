//! New namespaces for users, mounts, processes, System V objects and, without network, interfaces.

use std::fs;
use std::io;

use nix::libc;
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork, getgid, getuid};

use super::super::Network;
use super::super::orders::NamespaceOrders;
use super::{ErrorContext, HelperError, mounts};

/// On which side of the namespaces this process goes on.
pub(super) enum Side {
    /// It has waited for the other side to end.
    Outside(u8),
    /// It is process 1.
    Inside,
}

/// Enters new namespaces. Returns in both processes.
#[allow(unsafe_code)]
pub(super) fn enter(orders: &NamespaceOrders) -> Result<Side, HelperError> {
    set_pdeathsig(Signal::SIGKILL).doing("end with the session")?;
    let (user, group) = (getuid(), getgid());
    let mut flags =
        CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWIPC;
    if orders.network == Network::Off {
        flags |= CloneFlags::CLONE_NEWNET;
    }
    unshare(flags).doing("create namespaces")?;
    // Without this, a group that denies access could be dropped.
    fs::write("/proc/self/setgroups", "deny").doing("deny setgroups")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1")).doing("map the user")?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1")).doing("map the group")?;
    // SAFETY: this process has a single thread.
    match unsafe { fork() }.doing("start process 1")? {
        ForkResult::Parent { child } => Ok(Side::Outside(code(waitpid(child, None)))),
        ForkResult::Child => {
            set_pdeathsig(Signal::SIGKILL).doing("end with the helper")?;
            if orders.network == Network::Off {
                raise_loopback().doing("start the loopback interface")?;
            }
            mounts::make(&orders.binds)?;
            Ok(Side::Inside)
        }
    }
}

fn code(status: nix::Result<WaitStatus>) -> u8 {
    let code = match status {
        Ok(WaitStatus::Exited(_, code)) => u8::try_from(code).ok(),
        Ok(WaitStatus::Signaled(_, signal, _)) => u8::try_from(128 + signal as i32).ok(),
        Ok(_) | Err(_) => None,
    };
    code.unwrap_or(super::FAILED)
}

/// Programs talk to themselves over the loopback interface, which is down in a new namespace.
#[allow(unsafe_code)]
fn raise_loopback() -> io::Result<()> {
    // SAFETY: an all-zero ifreq is valid. The kernel reads the name and the flags of it, and the socket is closed before it is dropped.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket < 0 {
            return Err(io::Error::last_os_error());
        }
        let mut request: libc::ifreq = std::mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
            *to = *from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let done = libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw const request);
        let error = io::Error::last_os_error();
        libc::close(socket);
        if done < 0 { Err(error) } else { Ok(()) }
    }
}
