//! Follows one shell from prompt to prompt.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::command::Command;
use super::drawn::{as_prompt, drawn, is_blank, is_link, leaves_empty_row};
use super::dress::epilogue;
use super::mark::{HookProblem, Mark};

/// How much of a line without an end is remembered; what a person sees of a longer one is its end.
const LINE_CAP: usize = 16 * 1024;

/// What the bytes passing by are part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Start files, or a shell without hooks.
    Outside,
    Prompt,
    /// The user edits a line.
    Input,
    /// A command's output.
    Output,
}

/// What is known about the shell's integration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hooks {
    /// It has not spoken (yet).
    Silent,
    Loaded {
        shell: String,
        version: String,
    },
    Refused(HookProblem),
}

/// A point in time, on both clocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub wall: SystemTime,
    pub steady: Instant,
}

impl Moment {
    pub(crate) fn now() -> Self {
        Moment { wall: SystemTime::now(), steady: Instant::now() }
    }

    fn since(self, earlier: Moment) -> Duration {
        self.steady.saturating_duration_since(earlier.steady)
    }
}

/// The state of one shell, moved by its marks.
#[derive(Debug)]
pub(crate) struct Tracker {
    hooks: Hooks,
    zone: Zone,
    cwd: Option<PathBuf>,
    running: Option<Running>,
    /// What the screen's current line was drawn with.
    line: Vec<u8>,
    /// The line the prompt was drawn on, up to where the user types: output without a newline, and the prompt.
    prompt_line: Vec<u8>,
    /// Where in that line the prompt begins.
    prompt_at: usize,
    /// Output without a final newline that the prompt was drawn behind.
    before_prompt: Vec<u8>,
}

#[derive(Debug)]
struct Running {
    text: Vec<u8>,
    cwd: PathBuf,
    started: Moment,
}

impl Default for Tracker {
    fn default() -> Self {
        Tracker {
            hooks: Hooks::Silent,
            zone: Zone::Outside,
            cwd: None,
            running: None,
            line: Vec::new(),
            prompt_line: Vec::new(),
            prompt_at: 0,
            before_prompt: Vec::new(),
        }
    }
}

impl Tracker {
    pub(crate) fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    pub(crate) fn zone(&self) -> Zone {
        self.zone
    }

    pub(crate) fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    /// Takes note of bytes that passed to the screen; only those of its current line are kept.
    pub(crate) fn passed(&mut self, bytes: &[u8]) {
        let rest = match memchr::memrchr(b'\n', bytes) {
            Some(newline) => {
                self.line.clear();
                self.before_prompt.clear();
                &bytes[newline + 1..]
            }
            None => bytes,
        };
        let surplus = (self.line.len() + rest.len()).saturating_sub(LINE_CAP);
        if surplus > 0 {
            self.line.drain(..surplus.min(self.line.len()));
        }
        self.line.extend_from_slice(&rest[rest.len().saturating_sub(LINE_CAP)..]);
    }

    /// Whether nothing is drawn on the cursor's line. Readline leaves a mode switched off and a return behind the newline.
    pub(crate) fn at_line_start(&self) -> bool {
        is_blank(&self.line)
    }

    /// Whether the cursor is at the start of an empty row, in no colour, and the output does not end within an escape sequence.
    pub(crate) fn is_on_empty_row(&self) -> bool {
        leaves_empty_row(&self.line)
    }

    /// Whether the last thing that passed was a newline.
    pub(crate) fn is_below(&self) -> bool {
        self.line.is_empty()
    }

    /// The last line of the prompt, as the shell drew it, with what stood before it on the same line.
    pub(crate) fn prompt_line(&self) -> &[u8] {
        &self.prompt_line
    }

    /// Whether a line editor that draws its line again, and says `input` behind the prompt or does not, would begin with this. A
    /// prompt without the mark is that of a line that goes on.
    pub(crate) fn begins_line(&self, prompt: &[u8], has_mark: bool) -> bool {
        match has_mark {
            true => self.prompt_line[self.prompt_at..] == *as_prompt(prompt),
            false => drawn(&self.line, is_link).starts_with(&drawn(prompt, is_link)),
        }
    }

    /// Output without a final newline that the prompt was drawn behind.
    pub(crate) fn before_prompt(&self) -> &[u8] {
        &self.before_prompt
    }

    /// Moves on by one mark; the command that it ends, if one was running.
    pub(crate) fn mark(&mut self, mark: &Mark, now: Moment) -> Option<Command> {
        match mark {
            Mark::Hello { shell, version, problem } => {
                self.hooks = match problem {
                    None | Some(HookProblem::ForeignEditor) => {
                        Hooks::Loaded { shell: shell.clone(), version: version.clone() }
                    }
                    Some(problem) => Hooks::Refused(*problem),
                };
                None
            }
            Mark::End { status, eol_mark } => {
                self.zone = Zone::Outside;
                // What zsh prints there leaves the cursor on a line of its own.
                if epilogue(&self.line, eol_mark) > 0 {
                    self.line.clear();
                }
                self.finish(*status, now)
            }
            Mark::Prompt { cwd } => {
                self.zone = Zone::Prompt;
                if leaves_its_row(&self.line) {
                    self.line.clear();
                }
                self.before_prompt = drawn(&self.line, is_link);
                self.line.clone_from(&self.before_prompt);
                self.cwd = Some(cwd.clone());
                None
            }
            Mark::Input => {
                // Readline prints the mark again whenever it redraws the prompt; only the first ends a prompt.
                if self.zone == Zone::Prompt {
                    self.zone = Zone::Input;
                    self.prompt_line = as_prompt(&self.line);
                    let is_behind = self.prompt_line.starts_with(&self.before_prompt);
                    self.prompt_at = if is_behind { self.before_prompt.len() } else { 0 };
                }
                None
            }
            Mark::Start { cwd, text } => {
                self.zone = Zone::Output;
                self.running = Some(Running { text: text.clone(), cwd: cwd.clone(), started: now });
                None
            }
            Mark::Wait { cwd, .. } => {
                self.cwd = Some(cwd.clone());
                None
            }
            Mark::Wiped { .. } | Mark::Query { .. } | Mark::Later { .. } => None,
            Mark::Renew { .. } | Mark::Listen { .. } | Mark::Read { .. } | Mark::Go | Mark::Ran { .. } => None,
        }
    }

    /// Ends the running command from outside: the shell itself has ended.
    pub(crate) fn finish(&mut self, status: i32, now: Moment) -> Option<Command> {
        let Running { text, cwd, started } = self.running.take()?;
        Some(Command { text, cwd, status, started_at: started.wall, duration: now.since(started) })
    }
}

/// Whether these bytes move the cursor to another row, as programs do that draw on the whole screen: nobody knows then what stands
/// on the row it is in, and drawing them again would draw all of it.
fn leaves_its_row(line: &[u8]) -> bool {
    memchr::memmem::find_iter(line, b"\x1b[").any(|at| {
        let last = line[at + 2..].iter().find(|byte| (0x40..0x7F).contains(*byte));
        last.is_some_and(|last| b"ABEFHJdf".contains(last))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn later(moment: Moment, by: Duration) -> Moment {
        Moment { wall: moment.wall + by, steady: moment.steady + by }
    }

    fn start(text: &str) -> Mark {
        Mark::Start { cwd: "/tmp".into(), text: text.into() }
    }

    fn end(status: i32) -> Mark {
        Mark::End { status, eol_mark: Vec::new() }
    }

    #[test]
    fn a_command_is_what_lies_between_start_and_end() {
        let now = Moment::now();
        let mut tracker = Tracker::default();
        assert_eq!(tracker.mark(&end(1), now), None, "nothing ran yet");
        tracker.mark(&Mark::Prompt { cwd: "/tmp".into() }, now);
        tracker.mark(&Mark::Input, now);
        assert_eq!(tracker.zone(), Zone::Input);
        tracker.mark(&start("make"), now);
        assert_eq!(tracker.zone(), Zone::Output);
        let ended = tracker.mark(&end(2), later(now, Duration::from_secs(3)));
        assert_eq!(
            ended,
            Some(Command {
                text: b"make".to_vec(),
                cwd: "/tmp".into(),
                status: 2,
                started_at: now.wall,
                duration: Duration::from_secs(3)
            })
        );
        assert_eq!(tracker.mark(&end(2), now), None, "an end ends one command");
    }

    #[test]
    fn a_shell_that_ends_ends_its_command() {
        let now = Moment::now();
        let mut tracker = Tracker::default();
        tracker.mark(&start("exit 3"), now);
        assert_eq!(tracker.finish(3, now).map(|command| command.status), Some(3));
        assert_eq!(tracker.finish(3, now), None);
    }

    #[test]
    fn the_prompt_line_is_the_last_one_drawn() {
        let now = Moment::now();
        let mut tracker = Tracker::default();
        let prompt = Mark::Prompt { cwd: "/".into() };
        tracker.passed(b"output\r\n");
        tracker.mark(&prompt, now);
        tracker.passed(b"first\r\n\x1b[32msecond\x1b[0m $ ");
        tracker.mark(&Mark::Input, now);
        tracker.passed(b"typed");
        assert_eq!(tracker.prompt_line(), b"\x1b[32msecond\x1b[0m $ ");
        assert_eq!(tracker.before_prompt(), b"");

        tracker.passed(b"\r\nno newline");
        tracker.mark(&prompt, now);
        tracker.passed(b"$ ");
        tracker.mark(&Mark::Input, now);
        assert_eq!((tracker.prompt_line(), tracker.before_prompt()), (&b"no newline$ "[..], &b"no newline"[..]));
    }

    #[test]
    fn what_draws_nothing_leaves_the_line_empty() {
        let mut tracker = Tracker::default();
        tracker.passed(b"$ sleep 3\r\n\x1b[?2004l\r");
        assert!(tracker.at_line_start());
        tracker.passed(b"50%");
        assert!(!tracker.at_line_start());
        tracker.passed(b"\r\x1b[K");
        assert!(tracker.at_line_start());
        tracker.passed(b"\x1b[7m%\x1b[0m      \r \r");
        tracker.mark(&Mark::End { status: 0, eol_mark: b"\x1b[7m%\x1b[0m".to_vec() }, Moment::now());
        assert!(tracker.at_line_start());
    }

    #[test]
    fn what_a_program_drew_all_over_the_screen_is_not_before_the_prompt() {
        let now = Moment::now();
        let mut tracker = Tracker::default();
        tracker.passed(b"\r\n\x1b[?1049h\x1b[5;1H~\x1b[6;1H~\x1b[?1049l");
        tracker.mark(&Mark::Prompt { cwd: "/".into() }, now);
        assert!(tracker.at_line_start() && tracker.before_prompt().is_empty());
        tracker.passed(b"\x1b[s\x1b[1;60H12:00\x1b[u$ ");
        tracker.mark(&Mark::Input, now);
        assert_eq!(tracker.prompt_line(), b"\x1b[s\x1b[1;60H12:00\x1b[u$ ");
    }

    #[test]
    fn a_line_without_end_is_bounded() {
        let mut tracker = Tracker::default();
        for _ in 0..100 {
            tracker.passed(&[b'x'; 1000]);
        }
        assert_eq!(tracker.line.len(), LINE_CAP);
        tracker.passed(&[b'y'; 100_000]);
        assert_eq!(tracker.line, [b'y'; LINE_CAP]);
    }
}
