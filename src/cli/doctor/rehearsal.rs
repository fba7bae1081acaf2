//! One start of a shell with the hooks, in a terminal that nobody sees.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use memchr::memmem::find;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::openpty;
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::sys::termios::tcgetattr;

use crate::config::Paths;
use crate::host::{self, Integration, Launch, PtySize, Shell, ShellChange, ShellKind, StartOptions};
use crate::track::{HookProblem, Mark, Piece, Scanner};

use super::directories::{DirectoryCondition, condition, nearest_existing};
use super::terminal::is_plain;

/// How long the shell may take in all.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How long the end of a shell may take to be known after its terminal is closed.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// The terminal that the shell is told to be in if there is none, or one without a line editor in bash.
const TERM: &str = "xterm-256color";

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
    /// What became of a shell that did not run the command.
    pub(super) fate: ShellFate,
}

/// What became of the shell's process.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) enum ShellFate {
    /// It is still there.
    #[default]
    Running,
    /// It edits a line: it is at its prompt.
    AtPrompt,
    /// It ended with this status.
    Ended(i32),
    /// It runs another program now (`exec`).
    Replaced(PathBuf),
}

/// A shell to try.
#[derive(Clone, Copy)]
pub(super) struct Trial<'a> {
    pub(super) shell: &'a Path,
    /// Whether it has start files of the person. Without them it is kept from making its first files.
    pub(super) has_files: bool,
    /// The directory in which the hooks are written.
    pub(super) root: &'a Path,
    pub(super) get: &'a (dyn Fn(&str) -> Option<OsString> + Sync),
}

/// Starts the shell as a session does, waits for its prompt, runs a command and ends the shell.
pub(super) fn rehearse(trial: Trial<'_>) -> Result<Rehearsal> {
    let Trial { shell, get, .. } = trial;
    // It is deleted with the value.
    let place = tempfile::Builder::new().prefix("doctor-").tempdir_in(trial.root);
    let place = place.context("cannot make a directory for the hooks")?;
    let (fifo, nonce) = (place.path().join("directives"), nonce(place.path()));
    nix::unistd::mkfifo(&fifo, Mode::S_IRUSR | Mode::S_IWUSR).context("cannot make a pipe")?;
    let args = if !trial.has_files && ShellKind::of(shell) == ShellKind::Zsh { vec!["-f".into()] } else { Vec::new() };
    let wishes = StartOptions { arg0: "shellmate".into(), args, ..StartOptions::default() };
    let mut launch = host::plain(shell, &wishes);
    let integration = Integration { directory: place.path(), nonce: &nonce, fifo: &fifo, finder: None, command: None };
    launch.integrate(&wishes, &integration, get).context("cannot write the hooks")?;
    keep_history_clean(shell, place.path()).context("cannot write the hooks")?;
    launch.env.push(("SHELL".into(), Some(shell.into())));
    launch.env.push(("SHELLMATE".into(), Some(env!("CARGO_PKG_VERSION").into())));
    launch.env.push(("SHELLMATE_SESSION".into(), Some("doctor".into())));
    // A shell in a plain terminal may have no line editor, which is no fault of its start files.
    if is_plain(&get("TERM").unwrap_or_default().to_string_lossy()) {
        launch.env.push(("TERM".into(), Some(TERM.into())));
    }
    if !trial.has_files && ShellKind::of(shell) == ShellKind::Fish {
        move_files_of_fish(&mut launch, place.path()).context("cannot make a directory for fish")?;
    }
    let pair = openpty(None, None).context("cannot open a pseudo-terminal")?;
    let settings = tcgetattr(&pair.slave).context("cannot read the settings of a terminal")?;
    let hosted = host::spawn(&launch, PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 }, &settings)?;
    let mut rehearsal = watch(&hosted, &nonce);
    if !rehearsal.has_run {
        rehearsal.fate = fate(&hosted, shell);
    }
    // A shell that is told to end would write its history.
    hosted.signal(Signal::SIGKILL);
    let deadline = Instant::now() + PATIENCE;
    while !matches!(hosted.check(), ShellChange::Ended(_)) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(rehearsal)
}

/// An existing directory in which the private directory of a trial can be. The directory of the sessions is not created for it.
pub(super) fn root_for_trials(paths: &Paths) -> Option<PathBuf> {
    let usable = |root: &Path| match condition(root) {
        DirectoryCondition::Private { .. } | DirectoryCondition::Readable { .. } => Some(root.to_owned()),
        DirectoryCondition::Missing => nearest_existing(root).map(Path::to_owned),
        DirectoryCondition::Writable { .. }
        | DirectoryCondition::Foreign { .. }
        | DirectoryCondition::Link
        | DirectoryCondition::NotADirectory
        | DirectoryCondition::CannotWrite
        | DirectoryCondition::ReadOnlyDisk
        | DirectoryCondition::CannotMake => None,
    };
    paths.runtime_roots().find_map(usable)
}

/// Lets fish write the files of its first start, and the completions that it makes from man pages, into a directory of ours.
fn move_files_of_fish(launch: &mut Launch, place: &Path) -> io::Result<()> {
    let home = place.join("home");
    fs::create_dir_all(home.join("fish/generated_completions"))?;
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        launch.env.push((name.into(), Some(home.clone().into())));
    }
    Ok(())
}

/// What has become of a shell whose terminal says no more.
fn fate(hosted: &impl Shell, shell: &Path) -> ShellFate {
    let deadline = Instant::now() + LAST_WORDS;
    while Instant::now() < deadline {
        if let ShellChange::Ended(ending) = hosted.check() {
            return ShellFate::Ended(ending.code());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let real = fs::canonicalize(shell).unwrap_or_else(|_| shell.to_owned());
    let is_other = |program: &PathBuf| program.is_absolute() && program.file_name() != real.file_name();
    match hosted.child().program().filter(is_other) {
        // A shell that is a script runs its interpreter from the start.
        Some(program) if !is_script(shell) => ShellFate::Replaced(program),
        Some(_) | None if hosted.edits_a_line() => ShellFate::AtPrompt,
        Some(_) | None => ShellFate::Running,
    }
}

fn is_script(shell: &Path) -> bool {
    let mut first = [0; 2];
    File::open(shell).and_then(|mut file| file.read_exact(&mut first)).is_ok() && first == *b"#!"
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
    // Hooks that cannot be installed report nothing more.
    let mut is_hopeless = false;
    while !seen.has_run && !is_hopeless {
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
            Piece::Mark(Mark::Hello { problem, .. }) => {
                (seen.has_loaded, seen.problem) = (true, problem);
                is_hopeless |= matches!(problem, Some(HookProblem::TooOld | HookProblem::ReadOnly));
            }
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
