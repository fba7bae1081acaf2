//! Follows one shell from prompt to prompt.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::command::Command;
use super::mark::{Mark, Problem};

/// Beyond this a prompt is a program, and its end is what a person sees.
const PROMPT_CAP: usize = 16 * 1024;

/// What the bytes passing by are part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
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
pub enum Hooks {
    /// It has not spoken (yet).
    Silent,
    Loaded {
        shell: String,
        version: String,
    },
    Refused(Problem),
}

/// A point in time, on both clocks.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub wall: SystemTime,
    pub steady: Instant,
}

impl Moment {
    pub fn now() -> Self {
        Moment { wall: SystemTime::now(), steady: Instant::now() }
    }

    fn since(self, earlier: Moment) -> Duration {
        self.steady.saturating_duration_since(earlier.steady)
    }
}

/// The state of one shell, moved by its marks.
#[derive(Debug)]
pub struct Tracker {
    hooks: Hooks,
    zone: Zone,
    cwd: Option<PathBuf>,
    running: Option<Running>,
    prompt: Vec<u8>,
}

#[derive(Debug)]
struct Running {
    text: Vec<u8>,
    cwd: PathBuf,
    started: Moment,
}

impl Default for Tracker {
    fn default() -> Self {
        Tracker { hooks: Hooks::Silent, zone: Zone::Outside, cwd: None, running: None, prompt: Vec::new() }
    }
}

impl Tracker {
    pub fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    pub fn zone(&self) -> Zone {
        self.zone
    }

    pub fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    /// Takes note of bytes that passed to the screen; only a prompt's are kept.
    pub fn passed(&mut self, bytes: &[u8]) {
        if self.zone == Zone::Prompt {
            self.prompt.extend_from_slice(bytes);
            if self.prompt.len() > 2 * PROMPT_CAP {
                self.prompt.drain(..self.prompt.len() - PROMPT_CAP);
            }
        }
    }

    /// The last line of the prompt, as the shell drew it.
    pub fn prompt_line(&self) -> &[u8] {
        let start = self.prompt.iter().rposition(|&byte| byte == b'\n' || byte == b'\r').map_or(0, |at| at + 1);
        &self.prompt[start..]
    }

    /// Moves on by one mark; the command that it ends, if one was running.
    pub fn mark(&mut self, mark: &Mark, now: Moment) -> Option<Command> {
        match mark {
            Mark::Hello { shell, version, problem } => {
                self.hooks = match problem {
                    None | Some(Problem::ForeignEditor) => {
                        Hooks::Loaded { shell: shell.clone(), version: version.clone() }
                    }
                    Some(problem) => Hooks::Refused(*problem),
                };
                None
            }
            Mark::End { status, .. } => {
                self.zone = Zone::Outside;
                self.finish(*status, now)
            }
            Mark::Prompt { cwd } => {
                self.zone = Zone::Prompt;
                self.prompt.clear();
                self.cwd = Some(cwd.clone());
                None
            }
            Mark::Input => {
                // Readline prints the mark again whenever it redraws the prompt; only the first ends a prompt.
                if self.zone == Zone::Prompt {
                    self.zone = Zone::Input;
                }
                None
            }
            Mark::Start { cwd, text } => {
                self.zone = Zone::Output;
                self.running = Some(Running { text: text.clone(), cwd: cwd.clone(), started: now });
                None
            }
            Mark::Query { .. } | Mark::Wait { .. } => None,
        }
    }

    /// Ends the running command from outside: the shell itself has ended.
    pub fn finish(&mut self, status: i32, now: Moment) -> Option<Command> {
        let Running { text, cwd, started } = self.running.take()?;
        Some(Command { text, cwd, status, started_at: started.wall, duration: now.since(started) })
    }
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
        tracker.mark(&Mark::Prompt { cwd: "/".into() }, now);
        tracker.passed(b"first\r\n\x1b[32msecond\x1b[0m $ ");
        tracker.mark(&Mark::Input, now);
        tracker.passed(b"typed");
        assert_eq!(tracker.prompt_line(), b"\x1b[32msecond\x1b[0m $ ");
        tracker.mark(&Mark::Prompt { cwd: "/".into() }, now);
        for _ in 0..100 {
            tracker.passed(&[b'x'; 1024]);
        }
        assert!(tracker.prompt_line().len() <= 2 * PROMPT_CAP);
    }
}
