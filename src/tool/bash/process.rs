//! Runs a command and its child processes.
//!
//! The command leads a new session. It has no terminal, so it can neither write over the person's screen nor wait for a password. One
//! signal reaches all of its children.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{SigHandler, Signal, killpg, signal};
use nix::unistd::{Pid, setsid};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::guard::{ConfinedCommand, HelperReport, ReportedEnd, inherit};

/// The time between SIGINT and SIGKILL. It is enough to remove a lock file.
const GRACE: Duration = Duration::from_millis(500);

/// How long output is read after bash has exited, for processes that it did not wait for, such as `>(tee log)`.
const LINGER: Duration = Duration::from_millis(100);

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProcessEnding {
    Exited(ExitStatus),
    TimedOut,
    Cancelled,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FinishedCommand {
    pub(super) ending: ProcessEnding,
    /// Whether processes that it started are still running.
    pub(super) left_running: bool,
    /// What the helper reported. `None` without a helper.
    pub(super) report: Option<HelperReport>,
}

/// A running command. Dropping it kills its process group.
pub(super) struct RunningCommand {
    child: Child,
    output: Receiver,
    /// The report of the helper.
    report: Option<Receiver>,
    group: Group,
}

/// Starts a command. Must be called in an async runtime.
#[allow(unsafe_code)]
pub(super) fn start(
    command: ConfinedCommand,
    cwd: &Path,
    environment: Vec<(OsString, OsString)>,
) -> io::Result<RunningCommand> {
    let (output, input) = io::pipe()?;
    let ConfinedCommand { program, arguments, variables, inherited, report, .. } = command;
    let mut bash = Command::new(program);
    bash.args(arguments).current_dir(cwd).env_clear().envs(environment).envs(variables);
    bash.stdin(Stdio::null()).stdout(input.try_clone()?).stderr(input);
    let has_helper = report.is_some();
    let prepare = move || {
        setsid()?;
        if has_helper {
            ignore_interrupt();
        }
        inherited.iter().try_for_each(inherit)
    };
    // SAFETY: between fork and exec only setsid(2), sigaction(2) and fcntl(2) are called. They are async-signal-safe, and nothing is
    // allocated.
    unsafe { bash.pre_exec(prepare) };
    let child = bash.spawn()?;
    // `bash` holds the writing ends of the pipes. While they are open, their ends cannot be read.
    drop(bash);
    let leader = child.id().and_then(|id| i32::try_from(id).ok()).ok_or(io::ErrorKind::NotFound)?;
    let group = Group { leader: Pid::from_raw(leader), is_ours: true };
    let report = report.map(|report| Receiver::from_owned_fd(OwnedFd::from(report))).transpose()?;
    Ok(RunningCommand { child, output: Receiver::from_owned_fd(OwnedFd::from(output))?, report, group })
}

/// Lets the helper survive SIGINT, which it passes on to the command. The helper restores the default for the command.
#[allow(unsafe_code)]
fn ignore_interrupt() {
    // SAFETY: ignoring a signal runs no code of ours.
    let _ = unsafe { signal(Signal::SIGINT, SigHandler::SigIgn) };
}

impl RunningCommand {
    /// Reads the output until the command exits, times out or is cancelled.
    pub(super) async fn finish(
        &mut self,
        patience: Duration,
        cancel: &CancellationToken,
        mut hear: impl FnMut(&[u8]),
    ) -> FinishedCommand {
        let ending = tokio::select! {
            exited = self.until_exit(&mut hear) => exited.map(ProcessEnding::Exited),
            () = cancel.cancelled() => Ok(ProcessEnding::Cancelled),
            () = tokio::time::sleep(patience) => Ok(ProcessEnding::TimedOut),
        };
        // A command that cannot be waited for is killed.
        let ending = ending.unwrap_or(ProcessEnding::Cancelled);
        if let ProcessEnding::Exited(_) = ending {
            let silent = timeout(LINGER, self.until_silent(&mut hear)).await.is_ok();
            let left_running = self.group.release();
            let report = self.read_report().await;
            let reported = report.as_ref().and_then(|report| report.end).map(exit_status);
            let ending = reported.map_or(ending, ProcessEnding::Exited);
            return FinishedCommand { ending, left_running: left_running || !silent, report };
        }
        self.group.signal(Signal::SIGINT);
        let _ = timeout(GRACE, async {
            let _ = self.until_exit(&mut hear).await;
            self.until_silent(&mut hear).await;
        })
        .await;
        self.group.signal(Signal::SIGKILL);
        let _ = self.child.wait().await;
        let _ = timeout(LINGER, self.until_silent(&mut hear)).await;
        self.group.release();
        FinishedCommand { ending, left_running: false, report: self.read_report().await }
    }

    /// Reads the helper's report, which is whole once the helper has ended.
    async fn read_report(&mut self) -> Option<HelperReport> {
        let mut text = String::new();
        let _ = timeout(LINGER, self.report.as_mut()?.read_to_string(&mut text)).await;
        Some(HelperReport::read(&text))
    }

    async fn until_exit(&mut self, hear: &mut impl FnMut(&[u8])) -> io::Result<ExitStatus> {
        let mut buffer = [0; 16 * 1024];
        let mut is_open = true;
        loop {
            tokio::select! {
                status = self.child.wait() => return status,
                read = self.output.read(&mut buffer), if is_open => match read {
                    Ok(0) | Err(_) => is_open = false,
                    Ok(count) => hear(&buffer[..count]),
                },
            }
        }
    }

    /// Reads until all writers have closed the pipe.
    async fn until_silent(&mut self, hear: &mut impl FnMut(&[u8])) {
        let mut buffer = [0; 16 * 1024];
        while let Ok(count @ 1..) = self.output.read(&mut buffer).await {
            hear(&buffer[..count]);
        }
    }
}

/// The process group of the command.
struct Group {
    leader: Pid,
    /// Whether the group may be signalled. After its end the number may belong to another group.
    is_ours: bool,
}

impl Group {
    fn signal(&self, signal: Signal) {
        // An error means that the group has already ended.
        let _ = killpg(self.leader, signal);
    }

    /// Leaves the group alone from now on. Returns whether it still has processes.
    fn release(&mut self) -> bool {
        self.is_ours = false;
        killpg(self.leader, None).is_ok()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.is_ours {
            self.signal(Signal::SIGKILL);
        }
    }
}

/// The status that the command would have had without a helper.
fn exit_status(end: ReportedEnd) -> ExitStatus {
    match end {
        ReportedEnd::Exited(code) => ExitStatus::from_raw(code << 8),
        ReportedEnd::Signalled(signal) => ExitStatus::from_raw(signal),
    }
}

/// `exit code 1`, `killed by SIGSEGV`.
pub(super) fn status(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => match Signal::try_from(signal) {
            Ok(signal) => format!("killed by {signal}"),
            Err(_) => format!("killed by signal {signal}"),
        },
        (None, None) => "ended".to_owned(),
    }
}
