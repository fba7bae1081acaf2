//! Starts the command, passes signals on to it, and ends what it leaves behind.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl::{set_child_subreaper, set_dumpable, set_no_new_privs, set_pdeathsig};
use nix::sys::signal::{SigHandler, SigSet, Signal, kill, signal};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, execv, fork, getpid, setsid};

use super::super::orders::{Orders, ProcessScope};
use super::super::report::{HelperReport, ReportedEnd};
use super::{ErrorContext, HelperError, ReportPipe, close_others_on_exec, drop_capabilities, filter, rules};

/// How long processes that the command did not wait for may go on, such as `>(tee log)`.
const LINGER: Duration = Duration::from_millis(100);

/// Starts the command and waits for it.
#[allow(unsafe_code)]
pub(super) fn run(orders: &Orders, report: &mut ReportPipe) -> Result<u8, HelperError> {
    // The command must not read the report's descriptor in /proc.
    set_dumpable(false).doing("protect the helper")?;
    match orders.processes {
        ProcessScope::Namespace => {}
        ProcessScope::Descendants => {
            set_pdeathsig(Signal::SIGKILL).doing("end with the session")?;
            set_child_subreaper(true).doing("adopt processes")?;
        }
    }
    let heard: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGCHLD].into_iter().collect();
    heard.thread_block().doing("block signals")?;
    // SAFETY: this process has a single thread.
    match unsafe { fork() }.doing("start the command")? {
        ForkResult::Child => match become_command(orders, report) {
            Ok(never) => match never {},
            Err(error) => Err(error),
        },
        ForkResult::Parent { child } => {
            drop_capabilities();
            let reaper = Reaper { command: child, scope: orders.processes };
            let end = reaper.wait(&heard);
            let ended_others = reaper.end_others(&heard);
            report.say(&HelperReport::ended(end, ended_others));
            let code = match end {
                ReportedEnd::Exited(code) => code,
                ReportedEnd::Signalled(signal) => 128 + signal,
            };
            Ok(u8::try_from(code).unwrap_or(super::FAILED))
        }
    }
}

/// Confines this process and replaces it by the command.
fn become_command(orders: &Orders, report: &mut ReportPipe) -> Result<std::convert::Infallible, HelperError> {
    if orders.processes == ProcessScope::Namespace {
        // A script that signals its own process group must not reach the helper.
        setsid().doing("start a session")?;
    }
    for number in Signal::iterator().filter(|signal| !matches!(signal, Signal::SIGKILL | Signal::SIGSTOP)) {
        reset(number);
    }
    SigSet::empty().thread_set_mask().doing("unblock signals")?;
    drop_capabilities();
    set_no_new_privs().doing("give up privileges")?;
    let landlock = rules::restrict(&orders.landlock)?;
    filter::install(orders.sockets).doing("put seccomp in force")?;
    close_others_on_exec().doing("close descriptors")?;
    let arguments: Result<Vec<CString>, _> = orders.command.iter().map(|word| CString::new(word.as_bytes())).collect();
    let arguments = arguments.map_err(io::Error::from).doing("pass the arguments")?;
    let program = arguments.first().ok_or(Errno::EINVAL).doing("find the program")?;
    report.say(&HelperReport::started(landlock, true));
    execv(program, &arguments).doing(format!("run {}", program.to_string_lossy()))
}

#[allow(unsafe_code)]
fn reset(number: Signal) {
    // SAFETY: the default action runs no code of ours.
    let _ = unsafe { signal(number, SigHandler::SigDfl) };
}

struct Reaper {
    command: Pid,
    scope: ProcessScope,
}

impl Reaper {
    /// Waits until the command ends. In a namespace of its own the command does not get the signals of the helper's process group, so
    /// they are passed on.
    fn wait(&self, heard: &SigSet) -> ReportedEnd {
        loop {
            match heard.wait() {
                Ok(Signal::SIGCHLD) => {
                    if let Some(end) = self.reap() {
                        return end;
                    }
                }
                Ok(other) if self.scope == ProcessScope::Namespace => {
                    let _ = kill(Pid::from_raw(-self.command.as_raw()), other);
                }
                Ok(_) | Err(_) => {}
            }
        }
    }

    /// Collects ended processes. Returns how the command ended, if it is among them.
    fn reap(&self) -> Option<ReportedEnd> {
        let mut end = None;
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) if pid == self.command => end = Some(ReportedEnd::Exited(code)),
                Ok(WaitStatus::Signaled(pid, signal, _)) if pid == self.command => {
                    end = Some(ReportedEnd::Signalled(signal as i32));
                }
                Ok(WaitStatus::StillAlive) | Err(_) => return end,
                Ok(_) => {}
            }
        }
    }

    /// Waits a moment for the remaining processes, then kills them. Returns whether there were any to kill.
    fn end_others(&self, heard: &SigSet) -> bool {
        let deadline = Instant::now() + LINGER;
        loop {
            self.reap();
            if waitpid(None, Some(WaitPidFlag::WNOHANG)) == Err(Errno::ECHILD) {
                return false;
            }
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { break };
            wait_for(heard, left);
        }
        match self.scope {
            // The kernel kills the rest with process 1.
            ProcessScope::Namespace => {
                let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
            }
            ProcessScope::Descendants => kill_descendants(heard),
        }
        true
    }
}

/// Waits for a signal, at most as long as given.
#[allow(unsafe_code)]
fn wait_for(heard: &SigSet, left: Duration) {
    let left = libc::timespec { tv_sec: 0, tv_nsec: libc::c_long::from(left.subsec_nanos()) };
    // SAFETY: both structures are valid, and a null pointer means that no details are wanted.
    unsafe { libc::sigtimedwait(heard.as_ref(), std::ptr::null_mut(), &raw const left) };
}

/// Kills the children until there are none. Those that they leave become children of this process, which adopts them.
fn kill_descendants(heard: &SigSet) {
    let deadline = Instant::now() + Duration::from_secs(1);
    while waitpid(None, Some(WaitPidFlag::WNOHANG)) != Err(Errno::ECHILD) && Instant::now() < deadline {
        for child in children() {
            let _ = kill(child, Signal::SIGKILL);
        }
        wait_for(heard, Duration::from_millis(10));
    }
}

fn children() -> Vec<Pid> {
    let this = getpid().to_string();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_child = |pid: &i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after = stat.rsplit_once(") ").map(|(_, after)| after.to_owned()).unwrap_or_default();
        after.split(' ').nth(1) == Some(&*this)
    };
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(is_child).map(Pid::from_raw).collect()
}
