//! A command and everything it starts.
//!
//! The command leads a session of its own: it has no terminal on which it could write over the person's screen or wait for a
//! password, and one signal reaches all of its children.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, setsid};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Between SIGINT and SIGKILL: enough to remove a lock file, not enough to annoy.
const GRACE: Duration = Duration::from_millis(500);

/// After bash has ended, for what it did not wait for, such as `>(tee log)`.
const LINGER: Duration = Duration::from_millis(100);

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Exited(ExitStatus),
    TimedOut,
    Cancelled,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Finished {
    pub(super) ending: Ending,
    /// Whether something it started is still there.
    pub(super) left_running: bool,
}

/// A command that runs. Dropping it kills the whole group.
pub(super) struct Running {
    child: Child,
    output: Receiver,
    group: Group,
}

/// Starts it. Needs a running event loop.
#[allow(unsafe_code)]
pub(super) fn start(command: &str, cwd: &Path, environment: Vec<(OsString, OsString)>) -> io::Result<Running> {
    let (output, input) = io::pipe()?;
    let mut bash = Command::new("bash");
    bash.args(["-c", command]).current_dir(cwd).env_clear().envs(environment);
    bash.stdin(Stdio::null()).stdout(input.try_clone()?).stderr(input);
    // SAFETY: between fork and exec only setsid(2) is called, which is async-signal-safe; nothing is allocated.
    unsafe { bash.pre_exec(|| setsid().map(drop).map_err(io::Error::from)) };
    let child = bash.spawn()?;
    // Only the command may hold the writing end, or its end would go unnoticed.
    drop(bash);
    let leader = child.id().and_then(|id| i32::try_from(id).ok()).ok_or(io::ErrorKind::NotFound)?;
    let group = Group { leader: Pid::from_raw(leader), is_ours: true };
    Ok(Running { child, output: Receiver::from_owned_fd(OwnedFd::from(output))?, group })
}

impl Running {
    /// Follows the command to its end, or brings it about.
    pub(super) async fn finish(
        &mut self,
        patience: Duration,
        cancel: &CancellationToken,
        mut hear: impl FnMut(&[u8]),
    ) -> Finished {
        let ending = tokio::select! {
            exited = self.until_exit(&mut hear) => exited.map(Ending::Exited),
            () = cancel.cancelled() => Ok(Ending::Cancelled),
            () = tokio::time::sleep(patience) => Ok(Ending::TimedOut),
        };
        // A command that cannot be waited for is one to get rid of.
        let ending = ending.unwrap_or(Ending::Cancelled);
        if let Ending::Exited(_) = ending {
            let silent = timeout(LINGER, self.until_silent(&mut hear)).await.is_ok();
            let left_running = self.group.release();
            return Finished { ending, left_running: left_running || !silent };
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
        Finished { ending, left_running: false }
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

    /// Until nobody can write any more.
    async fn until_silent(&mut self, hear: &mut impl FnMut(&[u8])) {
        let mut buffer = [0; 16 * 1024];
        while let Ok(count @ 1..) = self.output.read(&mut buffer).await {
            hear(&buffer[..count]);
        }
    }
}

/// A process group we started.
struct Group {
    leader: Pid,
    /// Until it has ended: its number may then belong to somebody else.
    is_ours: bool,
}

impl Group {
    fn signal(&self, signal: Signal) {
        // It may just have ended by itself.
        let _ = killpg(self.leader, signal);
    }

    /// Lets go of it; whether anything is left of it.
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
