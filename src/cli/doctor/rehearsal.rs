//! One start of a shell with the hooks, in a terminal that nobody sees.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use memchr::memmem::find;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::openpty;
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::sys::termios::tcgetattr;

use crate::config::{Paths, private_dir};
use crate::host::{self, Integration, PtySize, Shell, ShellChange, ShellKind, StartOptions};
use crate::track::{HookProblem, Mark, Piece, Scanner};

/// How long the shell may take in all.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Queries for the primary device attributes, which fish 4.1 and later wait for, and the reply of a terminal like xterm.
const DEVICE_QUERIES: [&[u8]; 2] = [b"\x1b[0c", b"\x1b[c"];
const DEVICE_REPLY: &[u8] = b"\x1b[?62;22c";

/// The command that is run. A blank before it keeps it out of many histories; `keep_history_clean` does the rest.
const COMMAND: &[u8] = b" true\r";

/// What the hooks reported.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rehearsal {
    pub(super) has_loaded: bool,
    /// Why the hooks are not everywhere.
    pub(super) problem: Option<HookProblem>,
    /// How long the shell took to its first prompt.
    pub(super) prompted: Option<Duration>,
    /// Whether the command was reported with its status.
    pub(super) has_run: bool,
}

/// Starts the shell as a session does, waits for its prompt, runs a command and ends the shell.
pub(super) fn rehearse(
    shell: &Path,
    args: Vec<OsString>,
    paths: &Paths,
    get: &(dyn Fn(&str) -> Option<OsString> + Sync),
) -> Result<Rehearsal> {
    let place = workspace(paths)?;
    let (fifo, nonce) = (place.path().join("directives"), nonce(place.path()));
    nix::unistd::mkfifo(&fifo, Mode::S_IRUSR | Mode::S_IWUSR).context("cannot make a pipe")?;
    let wishes = StartOptions { arg0: "shellmate".into(), args, ..StartOptions::default() };
    let mut launch = host::plain(shell, &wishes);
    let integration = Integration { directory: place.path(), nonce: &nonce, fifo: &fifo, finder: None, command: None };
    launch.integrate(&wishes, &integration, get).context("cannot write the hooks")?;
    keep_history_clean(shell, place.path()).context("cannot write the hooks")?;
    launch.env.push(("SHELL".into(), Some(shell.into())));
    launch.env.push(("SHELLMATE".into(), Some(env!("CARGO_PKG_VERSION").into())));
    launch.env.push(("SHELLMATE_SESSION".into(), Some("doctor".into())));
    let pair = openpty(None, None).context("cannot open a pseudo-terminal")?;
    let settings = tcgetattr(&pair.slave).context("cannot read the settings of a terminal")?;
    let hosted = host::spawn(&launch, PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 }, &settings)?;
    let rehearsal = watch(&hosted, &nonce);
    // A shell that is told to end would write its history.
    hosted.signal(Signal::SIGKILL);
    let deadline = Instant::now() + PATIENCE;
    while !matches!(hosted.check(), ShellChange::Ended(_)) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(rehearsal)
}

/// A private directory that is deleted with the value.
fn workspace(paths: &Paths) -> Result<tempfile::TempDir> {
    let usable = paths.runtime_roots().find(|root| private_dir(root).is_ok());
    let root = usable.context("there is no directory for the hooks; see `runtime`")?;
    tempfile::Builder::new().prefix("doctor-").tempdir_in(root).context("cannot make a directory for the hooks")
}

/// A word that no output contains by chance: the random part of the directory's name.
fn nonce(place: &Path) -> String {
    let name = place.file_name().unwrap_or_default().as_encoded_bytes();
    name.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Adds lines to the hooks that keep this shell from writing its history.
fn keep_history_clean(shell: &Path, place: &Path) -> io::Result<()> {
    let (file, lines) = match ShellKind::of(shell) {
        ShellKind::Bash => ("bash", "unset HISTFILE\n"),
        ShellKind::Zsh => (
            "zsh/.zshenv",
            "__shellmate_rehearsal() { unset HISTFILE }\ntypeset -ga precmd_functions; precmd_functions+=(__shellmate_rehearsal)\n",
        ),
        ShellKind::Fish => ("fish", "set -g fish_history ''\n"),
        ShellKind::Other => return Ok(()),
    };
    if !fs::exists(place.join(file))? {
        return Ok(());
    }
    OpenOptions::new().append(true).open(place.join(file))?.write_all(lines.as_bytes())
}

/// Reads marks until the command has ended or the time is over.
fn watch(shell: &impl Shell, nonce: &str) -> Rehearsal {
    let (begun, mut scanner, mut seen) = (Instant::now(), Scanner::new(nonce), Rehearsal::default());
    let (mut chunk, mut is_typed, mut is_started) = ([0; 8192], false, false);
    let mut queries = DeviceQueries::default();
    while !seen.has_run {
        let left = PATIENCE.saturating_sub(begun.elapsed());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
        if left.is_zero() || poll(&mut [PollFd::new(shell.as_fd(), PollFlags::POLLIN)], timeout) == Ok(0) {
            break;
        }
        let count = match shell.read(&mut chunk) {
            Ok(count) if count > 0 => count,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => continue,
            Ok(_) | Err(_) => break,
        };
        let mut is_ready = false;
        queries.answer(&chunk[..count], shell);
        scanner.scan(&chunk[..count], |piece| match piece {
            Piece::Mark(Mark::Hello { problem, .. }) => (seen.has_loaded, seen.problem) = (true, problem),
            Piece::Mark(Mark::Input) => {
                seen.prompted.get_or_insert(begun.elapsed());
                is_ready = true;
            }
            Piece::Mark(Mark::Start { .. }) => is_started = true,
            Piece::Mark(Mark::End { status, .. }) => seen.has_run |= is_started && status == 0,
            Piece::Mark(_) | Piece::Bytes(_) | Piece::ForeignPrompt | Piece::Switch(_) => {}
        });
        if is_ready && !std::mem::replace(&mut is_typed, true) {
            // A terminal without a reader is as good as a shell that does not answer.
            let _ = shell.write(COMMAND);
        }
    }
    seen
}

/// Finds queries for the device attributes in the output, although a read may end inside one.
#[derive(Debug, Default)]
struct DeviceQueries {
    /// The last bytes of the output, fewer than a query has.
    tail: Vec<u8>,
}

impl DeviceQueries {
    fn answer(&mut self, bytes: &[u8], shell: &impl Shell) {
        for _ in 0..self.count(bytes) {
            let _ = shell.write(DEVICE_REPLY);
        }
    }

    /// The number of queries that these bytes complete.
    fn count(&mut self, bytes: &[u8]) -> usize {
        self.tail.extend_from_slice(bytes);
        let mut count = 0;
        let end =
            |output: &[u8]| DEVICE_QUERIES.iter().filter_map(|query| Some(find(output, query)? + query.len())).min();
        while let Some(end) = end(&self.tail) {
            self.tail.drain(..end);
            count += 1;
        }
        let too_long = self.tail.len().saturating_sub(DEVICE_QUERIES[0].len() - 1);
        self.tail.drain(..too_long);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_found_however_the_output_is_cut() {
        let output = b"\x1b[?u\x1b[0c\rwelcome\x1b[c\x1b[6n\x1b[0c$ \x1b[?62c";
        for size in 1..=output.len() {
            let mut queries = DeviceQueries::default();
            let found: usize = output.chunks(size).map(|bytes| queries.count(bytes)).sum();
            assert_eq!(found, 3, "cut every {size} bytes");
        }
    }
}
