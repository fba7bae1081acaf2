//! Runs a program of the person to its end: a hook, or a program that prints a value of the configuration.
//!
//! The program leads a new session: it has no terminal, and one signal ends it with all of its children. It inherits only its three
//! pipes. Its time is limited, and so is what is kept of its output.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, setsid};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// The most bytes of standard error that are kept.
const ERROR_CAP: usize = 16 * 1024;
/// How long output is read after a program has exited, because a process that it left behind may hold the pipes.
const LINGER: Duration = Duration::from_millis(100);

/// A program to run.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    /// A command line for `sh`, or the program if there are `arguments`.
    pub(crate) command: &'a str,
    pub(crate) arguments: Option<&'a [String]>,
    pub(crate) directory: &'a Path,
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// What it reads from its standard input.
    pub(crate) input: &'a str,
    /// After this time it is ended.
    pub(crate) patience: Duration,
    /// The most bytes of standard output that are kept.
    pub(crate) output_cap: usize,
}

/// How a program ended.
#[derive(Debug)]
pub(crate) enum ProgramEnd {
    /// It exited with this code. A program that was killed by a signal has none.
    Exited(Option<i32>),
    TimedOut,
    NotStarted(io::Error),
}

/// A program that has ended, and what it said.
#[derive(Debug)]
pub(crate) struct FinishedProgram {
    pub(crate) end: ProgramEnd,
    pub(crate) output: String,
    /// Whether the output was longer than what is kept of it.
    pub(crate) is_cut: bool,
    pub(crate) errors: String,
}

impl Program<'_> {
    /// Runs the program to its end. Must be called in an async runtime. Dropping the future ends the program.
    pub(crate) async fn run(self) -> FinishedProgram {
        let mut output = ProgramStream::new(self.output_cap);
        let mut errors = ProgramStream::new(ERROR_CAP);
        let end = match self.start() {
            Err(error) => ProgramEnd::NotStarted(error),
            Ok((child, group)) => finish(child, group, self.input, self.patience, (&mut output, &mut errors)).await,
        };
        FinishedProgram { end, is_cut: output.is_cut, output: output.text(), errors: errors.text() }
    }

    #[allow(unsafe_code)]
    fn start(&self) -> io::Result<(Child, ProgramGroupGuard)> {
        let mut command = match self.arguments {
            None => {
                let mut shell = Command::new("/bin/sh");
                shell.args(["-c", self.command]);
                shell
            }
            Some(arguments) => {
                let mut program = Command::new(self.command);
                program.args(arguments);
                program
            }
        };
        command.current_dir(self.directory).env_clear().envs(self.environment.iter().cloned());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // SAFETY: between fork and exec only setsid(2) and close_range(2) are called. Both are async-signal-safe, and nothing is allocated.
        unsafe { command.pre_exec(|| setsid().map(drop).map_err(io::Error::from).and_then(|()| close_on_exec())) };
        let child = command.spawn()?;
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).ok_or(io::ErrorKind::NotFound)?;
        Ok((child, ProgramGroupGuard { leader: Pid::from_raw(leader), is_over: false }))
    }
}

/// Marks every descriptor but the standard three as closed on exec, those included that a library has opened without that mark.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn close_on_exec() -> io::Result<()> {
    // SAFETY: close_range(2) with CLOSE_RANGE_CLOEXEC changes only flags of this process's descriptors. A kernel without it reports an
    // error, which is ignored: our own descriptors carry the mark anyway.
    unsafe { nix::libc::syscall(nix::libc::SYS_close_range, 3_u32, u32::MAX, nix::libc::CLOSE_RANGE_CLOEXEC) };
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn close_on_exec() -> io::Result<()> {
    Ok(())
}

async fn finish(
    mut child: Child,
    mut group: ProgramGroupGuard,
    input: &str,
    patience: Duration,
    (output, errors): (&mut ProgramStream, &mut ProgramStream),
) -> ProgramEnd {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let write = async {
        if let Some(mut stdin) = stdin {
            // A program may exit without reading its input.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let mut pipes = Box::pin(async { tokio::join!(write, output.fill(stdout), errors.fill(stderr)) });
    let mut is_silent = false;
    let exited = timeout(patience, async {
        loop {
            tokio::select! {
                status = child.wait() => return status,
                _ = &mut pipes, if !is_silent => is_silent = true,
            }
        }
    })
    .await;
    match exited {
        Ok(status) => {
            if !is_silent {
                let _ = timeout(LINGER, pipes).await;
            }
            group.is_over = true;
            match status {
                Ok(status) => ProgramEnd::Exited(status.code()),
                Err(error) => ProgramEnd::NotStarted(error),
            }
        }
        Err(_) => {
            drop(group);
            let _ = child.wait().await;
            ProgramEnd::TimedOut
        }
    }
}

/// Ends the process group of a program when it is dropped, unless the program has exited by itself.
struct ProgramGroupGuard {
    leader: Pid,
    is_over: bool,
}

impl Drop for ProgramGroupGuard {
    fn drop(&mut self) {
        if !self.is_over {
            // An error means that the group has already ended.
            let _ = killpg(self.leader, Signal::SIGKILL);
        }
    }
}

/// The beginning of a stream.
struct ProgramStream {
    bytes: Vec<u8>,
    cap: usize,
    is_cut: bool,
}

impl ProgramStream {
    fn new(cap: usize) -> ProgramStream {
        ProgramStream { bytes: Vec::new(), cap, is_cut: false }
    }

    /// Reads a stream to its end and keeps as much as the cap allows.
    async fn fill(&mut self, stream: Option<impl AsyncRead + Unpin>) {
        let Some(mut stream) = stream else { return };
        let mut buffer = [0; 8 * 1024];
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            let room = count.min(self.cap - self.bytes.len());
            self.bytes.extend_from_slice(&buffer[..room]);
            self.is_cut |= room < count;
        }
    }

    fn text(self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}
