//! The output of the terminal: a thread reads it into a screen model and wakes waiting tests.

use std::io::{PipeReader, PipeWriter, Read, Write};
use std::num::NonZeroU16;
use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitStatus;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{read, write};
use vt100::{Callbacks, Parser, Screen};

/// How long a test waits for something to appear. Only a failure takes this long.
const PATIENCE: Duration = Duration::from_secs(30);

/// Returns the deadline of one wait; `TEST_PATIENCE=4` makes it four times as long, for emulators and sanitizers.
pub(crate) fn patience() -> Duration {
    let factor = std::env::var("TEST_PATIENCE").ok().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    PATIENCE.mul_f64(factor)
}

/// Replies of a terminal to queries. fish waits for the first reply before it draws a prompt.
#[derive(Default)]
pub(super) struct TerminalReplies {
    pending: Vec<u8>,
    /// Whether the test itself answers requests for a status.
    pub(super) is_slow: bool,
}

impl Callbacks for TerminalReplies {
    fn unhandled_csi(&mut self, screen: &mut Screen, i1: Option<u8>, _: Option<u8>, params: &[&[u16]], last: char) {
        match (i1, params, last) {
            (None, _, 'c') => self.pending.extend_from_slice(b"\x1b[?62;22c"),
            (None, [[6]], 'n') => {
                let (row, col) = screen.cursor_position();
                self.pending.extend_from_slice(format!("\x1b[{};{}R", row + 1, col + 1).as_bytes());
            }
            (None, [[5]], 'n') if !self.is_slow => self.pending.extend_from_slice(b"\x1b[0n"),
            _ => {}
        }
    }
}

pub(super) struct TerminalState {
    pub(super) parser: Parser<TerminalReplies>,
    /// Everything the program wrote, or its last `raw_cap` bytes.
    pub(super) raw: Vec<u8>,
    raw_cap: usize,
    /// Bytes read since the start, kept or not.
    pub(super) total: u64,
    /// While set, output is counted but not parsed.
    pub(super) counting: bool,
    /// While set, nothing is read.
    paused: bool,
    pub(super) closed: bool,
    pub(super) exit: Option<ExitStatus>,
}

/// The reading half of a terminal.
pub(super) struct TerminalReader {
    seen: Arc<(Mutex<TerminalState>, Condvar)>,
    wake: PipeWriter,
    reader: Option<JoinHandle<()>>,
}

impl TerminalReader {
    pub(super) fn start(master: Arc<OwnedFd>, rows: u16, cols: u16) -> TerminalReader {
        let parser = Parser::new_with_callbacks(cells(rows), cells(cols), 0, TerminalReplies::default());
        let seen = TerminalState {
            parser,
            raw: Vec::new(),
            raw_cap: 64 << 20,
            total: 0,
            counting: false,
            paused: false,
            closed: false,
            exit: None,
        };
        let seen = Arc::new((Mutex::new(seen), Condvar::new()));
        let (woken, wake) = std::io::pipe().expect("a pipe");
        let shared = Arc::clone(&seen);
        let reader = std::thread::spawn(move || read_all(&master, woken, &shared));
        TerminalReader { seen, wake, reader: Some(reader) }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, TerminalState> {
        self.seen.0.lock().expect("the reader does not panic")
    }

    /// Waits until `ready` returns true. At the deadline the error describes the terminal.
    pub(super) fn wait(&self, ready: impl FnMut(&TerminalState) -> bool) -> Result<(), String> {
        self.wait_at_most(patience(), ready)
    }

    pub(super) fn wait_at_most(
        &self,
        limit: Duration,
        mut ready: impl FnMut(&TerminalState) -> bool,
    ) -> Result<(), String> {
        let deadline = Instant::now() + limit;
        let mut seen = self.lock();
        loop {
            if ready(&seen) {
                return Ok(());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(describe(&seen));
            }
            seen = self.seen.1.wait_timeout(seen, left).expect("the reader does not panic").0;
        }
    }

    /// Returns a function that stores the exit status and wakes waiting tests.
    pub(super) fn ended(&self) -> impl FnOnce(ExitStatus) + Send + 'static {
        let shared = Arc::clone(&self.seen);
        move |status| {
            shared.0.lock().expect("the reader does not panic").exit = Some(status);
            shared.1.notify_all();
        }
    }

    pub(super) fn pause(&self, paused: bool) {
        self.lock().paused = paused;
        self.seen.1.notify_all();
    }

    pub(super) fn count_only(&self, counting: bool) {
        self.lock().counting = counting;
    }

    pub(super) fn be_slow(&self) {
        self.lock().parser.callbacks_mut().is_slow = true;
    }

    /// Stops reading and closes the terminal.
    pub(super) fn stop(&mut self) {
        self.pause(false);
        self.wake.write_all(b"x").ok();
        if let Some(reader) = self.reader.take() {
            reader.join().ok();
        }
    }
}

pub(super) fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("a screen has cells")
}

/// Reads until the last writer is gone or `woken` is readable.
fn read_all(master: &OwnedFd, mut woken: PipeReader, shared: &(Mutex<TerminalState>, Condvar)) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let mut fds = [PollFd::new(master.as_fd(), PollFlags::POLLIN), PollFd::new(woken.as_fd(), PollFlags::POLLIN)];
        if poll(&mut fds, PollTimeout::NONE) == Err(Errno::EINTR) {
            continue;
        }
        if fds[1].any().unwrap_or(false) {
            woken.read_exact(&mut [0]).ok();
            return;
        }
        let mut seen = shared.0.lock().expect("a test that failed let go of the lock");
        while seen.paused {
            seen = shared.1.wait(seen).expect("a test that failed let go of the lock");
        }
        drop(seen);
        let count = match read(master, &mut buffer) {
            Ok(count) => count,
            Err(Errno::EAGAIN | Errno::EINTR) => continue,
            // Linux reports EIO when the last process has closed its end.
            Err(_) => 0,
        };
        let mut seen = shared.0.lock().expect("a test that failed let go of the lock");
        if count == 0 {
            seen.closed = true;
            shared.1.notify_all();
            return;
        }
        let answers = seen.take(&buffer[..count]);
        drop(seen);
        shared.1.notify_all();
        if !answers.is_empty() {
            write(master, &answers).ok();
        }
    }
}

/// The text on the screen: wrapped rows joined, trailing blanks removed, and a newline at the end if
/// the cursor is at the start of a line below it.
pub(crate) fn text_of(screen: &Screen) -> String {
    let contents = screen.contents();
    let lines: Vec<&str> = contents.trim_end().lines().map(str::trim_end).collect();
    let mut text = lines.join("\n");
    if screen.cursor_position().1 == 0 && !text.is_empty() {
        text.push('\n');
    }
    text
}

impl TerminalState {
    pub(super) fn text(&self) -> String {
        text_of(self.parser.screen())
    }

    fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.total += bytes.len() as u64;
        self.raw.extend_from_slice(bytes);
        let keep = if self.counting { 64 << 10 } else { self.raw_cap };
        if self.raw.len() > 2 * keep {
            self.raw.drain(..self.raw.len() - keep);
        }
        if self.counting {
            return Vec::new();
        }
        self.parser.process(bytes);
        std::mem::take(&mut self.parser.callbacks_mut().pending)
    }
}

/// The description that a failed wait prints.
pub(super) fn describe(seen: &TerminalState) -> String {
    let tail = &seen.raw[seen.raw.len().saturating_sub(600)..];
    let state = match (seen.exit, seen.closed) {
        (Some(status), _) => format!("ended: {status}"),
        (None, true) => "terminal closed, program still running".to_owned(),
        (None, false) => "running".to_owned(),
    };
    let screen = seen.parser.screen();
    let rule = "-".repeat(60);
    format!(
        "{rule} screen ({state}, cursor at {:?})\n{}\n{rule} last bytes of {}\n{}\n{rule}",
        screen.cursor_position(),
        text_of(screen),
        seen.total,
        tail.escape_ascii()
    )
}
