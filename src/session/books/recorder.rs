//! Records the output of commands, and keeps each finished command for the store.

use regex::bytes::RegexSet;

use crate::capture::{Capture, Limits, Output, Spiller};
use crate::session::hint::Hints;
use crate::session::privacy::Privacy;
use crate::track::{self, Command};

use super::NonceMask;

/// The shell's own output after a command, a marker and a line of blanks, is shorter than this.
const DRESS_CAP: usize = 4096;

/// A finished command with its output.
pub(in crate::session) struct Finished {
    pub(in crate::session) command: Command,
    pub(in crate::session) output: Output,
}

/// The output of the running command, and the finished commands.
pub(in crate::session) struct Recorder {
    /// `None` while no command runs, and for a private command.
    capture: Option<Capture>,
    limits: Limits,
    spiller: Spiller,
    privacy: Privacy,
    pub(in crate::session) nonce: NonceMask,
    pub(in crate::session) hints: Hints,
    /// Finished commands that are not in the store yet.
    pub(in crate::session) finished: Vec<Finished>,
}

impl Recorder {
    pub(in crate::session) fn new(limits: Limits, spiller: Spiller, privacy: Privacy, nonce: &str) -> Recorder {
        let nonce = NonceMask::new(nonce);
        Recorder { capture: None, limits, spiller, privacy, nonce, hints: Hints::default(), finished: Vec::new() }
    }

    /// Uses other settings for the commands that start from here on.
    pub(in crate::session) fn adopt(&mut self, limits: Limits, spill_total: u64, ignore: Option<RegexSet>) {
        self.limits = limits;
        self.spiller.set_total(spill_total);
        self.privacy.adopt(ignore);
    }

    /// A capture with the session's limits, for output that is not a command's.
    pub(in crate::session) fn new_capture(&self) -> Capture {
        Capture::new(self.limits, self.spiller.clone())
    }

    /// A command starts.
    pub(super) fn start(&mut self, text: &[u8]) {
        self.capture = (!self.privacy.covers(text)).then(|| self.new_capture());
    }

    /// The command has printed this.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if let Some(capture) = &mut self.capture {
            capture.push(&self.nonce.mask(bytes));
        }
    }

    /// A program has entered or left the alternate screen.
    pub(super) fn switch_screen(&mut self, is_full_screen: bool) {
        if let Some(capture) = &mut self.capture {
            switch_screen(capture, is_full_screen);
        }
    }

    /// The command has ended. zsh has shown `eol_mark` after output without a final newline.
    pub(super) fn end(&mut self, command: Command, eol_mark: &[u8]) {
        // No capture was started for a private command.
        let Some(mut capture) = self.capture.take() else { return };
        capture.drop_end(track::closing(&capture.last(DRESS_CAP)));
        if !eol_mark.is_empty() {
            capture.drop_end(track::epilogue(&capture.last(DRESS_CAP), eol_mark));
        }
        let mut output = capture.finish();
        output.trim_start(track::prologue(&output.head));
        if output.is_whole_in_head() && !track::is_visible(&output.head) {
            output.trim_start(output.head.len());
        }
        self.nonce.mask_whole(&mut output);
        self.finished.push(Finished { command, output });
    }
}

/// Tells a capture which screen the program draws on.
pub(in crate::session) fn switch_screen(capture: &mut Capture, is_full_screen: bool) {
    match is_full_screen {
        true => capture.enter_full_screen(),
        false => capture.leave_full_screen(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::capture::Size;

    fn recorder() -> Recorder {
        let privacy = Privacy::new(None, PathBuf::from("/no/such/file"));
        Recorder::new(Limits::default(), Spiller::none(), privacy, "nonce")
    }

    /// Records a command that prints this, and returns its output as text.
    fn output(recorder: &mut Recorder, print: impl Fn(&mut Recorder), eol_mark: &[u8]) -> String {
        let (started_at, duration) = (SystemTime::UNIX_EPOCH, Duration::ZERO);
        let command = Command { text: b"x".to_vec(), cwd: "/".into(), status: 0, started_at, duration };
        recorder.start(b"x");
        print(recorder);
        recorder.end(command, eol_mark);
        recorder.finished.pop().unwrap().output.text(Size::new(24, 80))
    }

    #[test]
    fn output_is_recorded_without_what_the_shell_adds() {
        let mut recorder = recorder();
        assert_eq!(output(&mut recorder, |recorder| recorder.push(b"one\r\ntwo\r\n"), b""), "one\ntwo");
        assert_eq!(output(&mut recorder, |recorder| recorder.push(b"\x1b[0m"), b""), "", "colours alone are no output");
    }

    #[test]
    fn a_full_screen_program_leaves_no_output() {
        let printed = |recorder: &mut Recorder| {
            recorder.push(b"before\r\n");
            recorder.switch_screen(true);
            recorder.push(b"~~~~");
            recorder.switch_screen(false);
        };
        assert!(!output(&mut recorder(), printed, b"").contains("~~~~"));
    }

    #[test]
    fn without_a_command_nothing_is_recorded() {
        let mut recorder = recorder();
        recorder.push(b"a job");
        recorder.switch_screen(true);
        assert!(recorder.finished.is_empty() && recorder.capture.is_none());
    }
}
