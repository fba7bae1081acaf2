//! A running terminal: types keys and waits for text.

use std::fmt::Debug;
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{Termios, tcgetattr};
use nix::unistd::{Pid, write};
use vt100::Screen;

use super::builder::{Builder, PROGRAM};
use super::keys::Key;
use super::pty;
use super::record::HistoryEntry;
use super::screen::{TerminalReader, TerminalState, cells, describe, patience};
use super::shell::Shell;

pub(crate) struct Term {
    builder: Builder,
    master: Option<Arc<OwnedFd>>,
    display: TerminalReader,
    pid: Pid,
    /// The number of the last prompt that was waited for.
    prompt: u64,
    /// The modes of the terminal line before the program had it.
    pub(crate) modes_before: Termios,
}

/// The result of a program that ran without a terminal.
#[derive(Debug)]
#[must_use = "check the result"]
pub(crate) struct ProgramOutput {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) status: ExitStatus,
}

impl Term {
    #[allow(clippy::new_ret_no_self)]
    pub(crate) fn new(shell: Shell) -> Builder {
        Builder::new(shell)
    }

    pub(super) fn start(builder: Builder) -> Term {
        let (rows, cols) = (builder.rows, builder.cols);
        let (master, mut child, modes_before) = pty::spawn(builder.command(), rows, cols).expect("the program starts");
        let pid = Pid::from_raw(child.id() as i32);
        let master = Arc::new(master);
        let display = TerminalReader::start(Arc::clone(&master), rows, cols);
        let ended = display.ended();
        std::thread::spawn(move || child.wait().map(ended));
        Term { builder, master: Some(master), display, pid, prompt: 0, modes_before }
    }

    // Input.

    pub(crate) fn typed(&mut self, text: impl AsRef<[u8]>) {
        self.send(text.as_ref());
    }

    /// Types on another thread, however long it takes.
    pub(crate) fn typed_meanwhile(&mut self, bytes: Vec<u8>) -> JoinHandle<Result<(), String>> {
        let master = Arc::clone(self.master.as_ref().expect("the terminal was not hung up"));
        std::thread::spawn(move || send(&master, &bytes))
    }

    /// Pastes as terminals do: in brackets, and newlines become carriage returns. Waits until the program has asked for brackets: zsh
    /// draws its prompt first.
    #[track_caller]
    pub(crate) fn paste(&mut self, text: &str) {
        self.wait("a program that wants brackets around a paste", |seen| seen.parser.screen().bracketed_paste());
        let text = text.replace('\n', "\r");
        self.send(format!("\x1b[200~{text}\x1b[201~").as_bytes());
    }

    pub(crate) fn key(&mut self, key: Key) {
        let application_cursor = self.display.lock().parser.screen().application_cursor();
        self.send(&key.bytes(application_cursor));
    }

    /// Types a command, runs it and waits for the next prompt.
    pub(crate) fn run(&mut self, command: &str) {
        self.typed(command);
        self.key(Key::Enter);
        self.wait_for_prompt();
    }

    /// Waits for a question that has the keys, with these words on the screen.
    #[track_caller]
    pub(crate) fn wait_for_question(&self, words: &str) {
        self.wait(&format!("a question with {words:?}"), |seen| {
            let text = seen.text();
            text.contains(words) && is_question(&text)
        });
    }

    /// Waits for a question with these words and says yes, with Enter where it is wanted.
    #[track_caller]
    pub(crate) fn approve(&mut self, words: &str) {
        self.answer(words, 'y');
    }

    /// Waits for a question with these words and presses a key that answers it, with Enter where it is wanted.
    #[track_caller]
    pub(crate) fn answer(&mut self, words: &str, key: char) {
        self.wait_for_question(words);
        self.typed(key.to_string());
        // Without another key the choice counts by itself, and the question disappears.
        self.wait("the choice to be shown, or to count", |seen| !is_question(&seen.text()));
        if wants_enter(&self.screen()) {
            self.key(Key::Enter);
            self.wait("the question to be answered", |seen| !wants_enter(&seen.text()));
        }
    }

    /// Types a line, waits until it is on the screen and cancels it with Ctrl-C.
    #[track_caller]
    pub(crate) fn give_up(&mut self, line: &str) {
        self.typed(line);
        self.wait_for(line);
        // bash and fish sometimes miss a Ctrl-C, also in a bare shell. So it is repeated.
        let before = self.prompt;
        let is_fish = self.shell() == Shell::Fish;
        let given_up = |seen: &TerminalState| {
            // fish 4 empties its line and stays at the same prompt.
            let text = seen.text();
            if is_fish {
                text.contains(&format!("{line}^C")) || !text.contains(line)
            } else {
                newest_prompt(&text) > before
            }
        };
        let again = |term: &mut Term| {
            term.key(Key::CtrlC);
            term.display.wait_at_most(patience() / 15, given_up).is_ok()
        };
        assert!((0..10).any(|_| again(self)), "Ctrl-C does nothing\n{}", self.describe());
        if !is_fish {
            self.wait_for_prompt();
        }
    }

    /// Whether a text is on the screen within half a second.
    pub(crate) fn soon(&self, text: &str) -> bool {
        self.display.wait_at_most(patience() / 60, |seen| seen.text().contains(text)).is_ok()
    }

    pub(crate) fn resize(&mut self, rows: u16, cols: u16) {
        self.display.lock().parser.set_size(cells(rows), cells(cols));
        pty::set_size(self.master(), rows, cols).expect("an open terminal");
    }

    /// Stops or resumes reading the output.
    pub(crate) fn stop_reading(&mut self, stop: bool) {
        self.display.pause(stop);
    }

    /// Leaves requests for a status to the test, like a terminal at the end of a slow line.
    pub(crate) fn be_slow(&mut self) {
        self.display.be_slow();
    }

    /// While on, output is counted but not parsed. For large outputs.
    pub(crate) fn count_only(&mut self, on: bool) {
        self.display.count_only(on);
    }

    pub(crate) fn signal(&mut self, signal: Signal) {
        kill(self.pid, signal).expect("the program is running");
    }

    /// Closes the terminal, as when its window is closed or the connection is lost.
    pub(crate) fn hang_up(&mut self) {
        self.display.stop();
        self.master = None;
    }

    // Output.

    /// The words on the screen with one blank between them, however notices are broken into rows.
    pub(crate) fn words(&self) -> String {
        self.screen().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn screen(&self) -> String {
        self.display.lock().text()
    }

    pub(crate) fn cursor(&self) -> (u16, u16) {
        self.display.lock().parser.screen().cursor_position()
    }

    /// Every byte the program wrote to the terminal so far.
    pub(crate) fn raw(&self) -> Vec<u8> {
        self.display.lock().raw.clone()
    }

    /// How many bytes the program wrote so far.
    pub(crate) fn total(&self) -> u64 {
        self.display.lock().total
    }

    /// The modes of the terminal line, as `stty` would show them.
    pub(crate) fn modes(&self) -> Termios {
        tcgetattr(self.master()).expect("an open terminal")
    }

    #[track_caller]
    pub(crate) fn wait_until(&self, mut ready: impl FnMut(&Screen) -> bool) {
        self.wait("the screen to be as wanted", |seen| ready(seen.parser.screen()));
    }

    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait(&format!("the text {text:?}"), |seen| seen.text().contains(text));
    }

    /// Waits for bytes in the output, including invisible ones.
    #[track_caller]
    pub(crate) fn wait_for_raw(&self, bytes: &[u8]) {
        let what = format!("the bytes {:?}", bytes.escape_ascii().to_string());
        self.wait(&what, |seen| seen.raw.windows(bytes.len()).any(|window| window == bytes));
    }

    /// Waits until that many bytes were written since the start.
    #[track_caller]
    pub(crate) fn wait_for_total(&self, bytes: u64) {
        self.wait(&format!("{bytes} bytes"), |seen| seen.total >= bytes);
    }

    /// Waits until `picture` of the screen equals `wanted`, and returns the last picture.
    pub(crate) fn wait_for_picture(&self, picture: impl Fn(&Screen) -> String, wanted: &str) -> String {
        let mut last = String::new();
        let as_wanted = |seen: &TerminalState| {
            last = picture(seen.parser.screen());
            last == wanted
        };
        // The test compares the last picture and reports the difference.
        self.display.wait(as_wanted).ok();
        last
    }

    /// Waits for a prompt that is newer than the last one waited for, and until all of it is drawn.
    #[track_caller]
    pub(crate) fn wait_for_prompt(&mut self) {
        let after = self.prompt;
        let mut newest = 0;
        self.wait(&format!("a whole prompt after [{after}]$"), |seen| {
            newest = newest_prompt(&seen.text());
            newest > after && prompt_is_whole(seen)
        });
        self.prompt = newest;
    }

    /// Waits until the program has ended and all its output was read.
    #[track_caller]
    pub(crate) fn wait_exit(&self) -> ExitStatus {
        self.wait("the program to end and the terminal to close", |seen| seen.exit.is_some() && seen.closed);
        self.display.lock().exit.expect("it ended")
    }

    /// Waits until the program has ended, even if something still holds the terminal or it was hung up.
    #[track_caller]
    pub(crate) fn wait_status(&self) -> ExitStatus {
        self.wait("the program to end", |seen| seen.exit.is_some());
        self.display.lock().exit.expect("it ended")
    }

    /// Waits until all output of the terminal was read.
    #[track_caller]
    pub(crate) fn wait_for_end_of_output(&self) {
        self.wait("the terminal to close", |seen| seen.closed);
    }

    /// Types `exit` and waits for the end.
    #[track_caller]
    pub(crate) fn exit(&mut self) -> ExitStatus {
        self.typed("exit\r");
        self.wait_exit()
    }

    // Files and programs.

    pub(crate) fn shell(&self) -> Shell {
        self.builder.shell
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.builder.home()
    }

    pub(crate) fn place(&self) -> &Path {
        self.builder.place()
    }

    /// The text with the temporary directory named PLACE, so that two terminals can be compared.
    pub(crate) fn without_place(&self, text: &str) -> String {
        text.replace(&self.place().display().to_string(), "PLACE")
    }

    /// The process that was started in the terminal.
    pub(crate) fn pid(&self) -> i32 {
        self.pid.as_raw()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.home().join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}\n{}", path.display(), self.describe()))
    }

    /// Waits until the file `name` of the home directory holds `text`.
    pub(crate) fn wait_for_file(&self, name: &str, text: &str) {
        let path = self.home().join(name);
        self.wait_for_state(|| fs::read_to_string(&path).unwrap_or_default(), text);
    }

    /// Waits until a state outside of the screen equals `wanted`. Files and processes send no event, so the state is read repeatedly.
    pub(crate) fn wait_for_state<T: PartialEq<U> + Debug, U: Debug + ?Sized>(&self, state: impl Fn() -> T, wanted: &U) {
        let deadline = Instant::now() + patience();
        while state() != *wanted {
            assert!(Instant::now() < deadline, "it stays {:?}, not {wanted:?}\n{}", state(), self.describe());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Runs the program under test without a terminal, with the same environment and directories.
    pub(crate) fn shellmate(&self, args: &[&str]) -> ProgramOutput {
        let mut command = self.builder.environment_of(Path::new(PROGRAM));
        let done = command.args(args).stdin(Stdio::null()).output().expect("the program starts");
        ProgramOutput {
            stdout: String::from_utf8_lossy(&done.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&done.stderr).into_owned(),
            status: done.status,
        }
    }

    /// Returns the history, oldest first. The last command of a running session may be missing.
    #[track_caller]
    pub(crate) fn history(&self, args: &[&str]) -> Vec<HistoryEntry> {
        let output = self.shellmate(&[&["history"], args, &["--json"]].concat());
        assert!(output.status.success(), "history: {output:?}\n{}", self.describe());
        HistoryEntry::parse_all(&output.stdout)
    }

    /// Exits the shell and returns its history, without the `exit` itself.
    #[track_caller]
    pub(crate) fn finish(&mut self) -> Vec<HistoryEntry> {
        self.exit();
        let mut records = self.history(&[]);
        records.retain(|record| record.command != "exit");
        records
    }

    /// Reads the history until it is as wanted, because it is written on another thread. Each read is a process, so this does not
    /// spin.
    #[track_caller]
    pub(crate) fn wait_for_history(&self, mut ready: impl FnMut(&[HistoryEntry]) -> bool) -> Vec<HistoryEntry> {
        let deadline = Instant::now() + patience();
        loop {
            let records = self.history(&[]);
            if ready(&records) {
                return records;
            }
            assert!(Instant::now() < deadline, "the history stays as it is: {records:#?}\n{}", self.describe());
        }
    }

    /// The screen, the last bytes and the log, for the message of a failed test.
    pub(crate) fn describe(&self) -> String {
        let seen = describe(&self.display.lock());
        format!("{seen}\n{}", self.log())
    }

    #[track_caller]
    fn wait(&self, what: &str, ready: impl FnMut(&TerminalState) -> bool) {
        if let Err(seen) = self.display.wait(ready) {
            let shell = self.builder.shell.name();
            panic!("{shell}: waited {:?} for {what}\n{seen}\n{}", patience(), self.log());
        }
    }

    fn log(&self) -> String {
        let directory = self.home().join(".local/state/shellmate/log");
        let files = fs::read_dir(directory).into_iter().flatten().flatten();
        let texts: Vec<String> = files.filter_map(|file| fs::read_to_string(file.path()).ok()).collect();
        let text = texts.concat();
        let tail: Vec<&str> = text.lines().rev().take(30).collect();
        format!("log:\n{}", tail.into_iter().rev().collect::<Vec<_>>().join("\n"))
    }

    fn master(&self) -> &OwnedFd {
        self.master.as_ref().expect("the terminal was not hung up")
    }

    #[track_caller]
    fn send(&mut self, bytes: &[u8]) {
        if let Err(problem) = send(self.master(), bytes) {
            panic!("{problem}\n{}", self.describe());
        }
    }
}

fn send(master: &OwnedFd, mut bytes: &[u8]) -> Result<(), String> {
    let limit = PollTimeout::try_from(patience()).expect("a sane deadline");
    while !bytes.is_empty() {
        match write(master, bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => {
                let mut fds = [PollFd::new(master.as_fd(), PollFlags::POLLOUT)];
                if poll(&mut fds, limit) == Ok(0) {
                    return Err(format!("nobody reads the keyboard; {} bytes left", bytes.len()));
                }
            }
            Err(error) => return Err(format!("typing: {error}")),
        }
    }
    Ok(())
}

impl Drop for Term {
    fn drop(&mut self) {
        if self.display.lock().exit.is_none() {
            kill(self.pid, Signal::SIGKILL).ok();
        }
        self.hang_up();
        end_all_below(self.builder.place());
    }
}

/// Whether the last line is a row of choices, or the last of all choices: a question that has the keys. In a narrow window a row of
/// choices shows only the keys.
fn is_question(text: &str) -> bool {
    let last = text.trim_end().lines().last().unwrap_or_default();
    if last == "? these words" {
        return true;
    }
    let keys: Vec<Option<char>> = last.split("  ").map(key_of).collect();
    keys.len() > 1 && keys.iter().all(Option::is_some) && keys.contains(&Some('n'))
}

/// The key at the start of a choice, such as `y⏎ yes`.
fn key_of(choice: &str) -> Option<char> {
    let first = choice.split(' ').next()?;
    let key = first.strip_suffix("⏎").or(first.strip_suffix("+Enter")).unwrap_or(first);
    let mut letters = key.chars();
    letters.next().filter(|_| letters.next().is_none())
}

/// Whether the last words, which may take two rows, are those of a choice that waits for Enter.
fn wants_enter(text: &str) -> bool {
    let mut words = text.split_whitespace().rev();
    words.next() == Some("confirms") && words.next() == Some("Enter")
}

/// Whether the shell takes keys at its last prompt. The text of a prompt may be on the screen before its end is: a key that is sent then
/// may find the shell between two modes of the terminal. A shell that reads keys has sent the mark for the end of its prompt, or has
/// asked for brackets around pastes.
fn prompt_is_whole(seen: &TerminalState) -> bool {
    let Some(start) = memchr::memmem::rfind(&seen.raw, b"\x1b]133;A;redraw=0\x1b\\") else { return true };
    let is_ended = [b"\x1b]133;B\x1b\\", b"\x1b]133;C\x1b\\"];
    is_ended.iter().any(|mark| memchr::memmem::find(&seen.raw[start..], *mark).is_some())
        || seen.parser.screen().bracketed_paste()
}

/// Returns the highest `[N]$` on the screen, 0 without one.
fn newest_prompt(contents: &str) -> u64 {
    let numbers = contents.match_indices("]$").filter_map(|(end, _)| {
        let (_, number) = contents[..end].rsplit_once('[')?;
        number.parse().ok()
    });
    numbers.max().unwrap_or(0)
}

/// Kills every process with a path below `place` in its environment: jobs with nohup, servers, other sessions.
pub(crate) fn end_all_below(place: &Path) {
    let wanted = format!("{}/", place.display());
    // A process may start another one while the list is read, so this is repeated. A dead process has no environment.
    for _ in 0..10 {
        let mut found = false;
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let Ok(environment) = fs::read(entry.path().join("environ")) else { continue };
            if memchr::memmem::find(&environment, wanted.as_bytes()).is_some() {
                found = true;
                kill(Pid::from_raw(pid), Signal::SIGKILL).ok();
            }
        }
        if !found {
            return;
        }
    }
}
