//! The output of a command, for the screen at once, for the model at the end, and for a file.

use std::io;

use crate::capture::{Capture, Limits, Size, Spiller};
use crate::text::KIB;
use crate::tool::Context;
use crate::tool::result::{self, CompleteResult, ResultFile, TEXT_CAP};

/// How much of both ends is kept in memory. It includes escape sequences and carriage returns, which are removed later.
const LIMITS: Limits = Limits { head: 64 * KIB, tail: 64 * KIB, spill: 0 };

/// The most bytes that are shown on the screen. The rest is in the file.
const SCREEN_CAP: usize = 256 * KIB;

/// The size of the terminal that the output is rendered for. It is wide, so that lines are not wrapped.
const SIZE: (u16, u16) = (24, 1000);

pub(super) struct CommandTranscript {
    context: Context,
    kept: Capture,
    /// All output up to the model's cap. A longer output is moved to the file.
    early: Vec<u8>,
    spill: Option<io::Result<ResultFile>>,
    bytes: u64,
    newlines: usize,
    /// The first bytes of a character whose rest has not been read yet.
    torn: Vec<u8>,
    ends_in_cr: bool,
    shown: usize,
}

impl CommandTranscript {
    pub(super) fn new(context: &Context) -> CommandTranscript {
        CommandTranscript {
            context: context.clone(),
            kept: Capture::new(LIMITS, Spiller::none()),
            early: Vec::new(),
            spill: None,
            bytes: 0,
            newlines: 0,
            torn: Vec::new(),
            ends_in_cr: false,
            shown: 0,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8], screen: &mut dyn FnMut(&str)) {
        self.bytes += bytes.len() as u64;
        self.newlines += memchr::memchr_iter(b'\n', bytes).count();
        self.keep(bytes);
        self.spill(bytes);
        self.show(bytes, screen);
    }

    /// The text for the model.
    pub(super) fn finish(self) -> String {
        let text = self.kept.finish().text(Size::new(SIZE.0, SIZE.1));
        let whole = match self.spill {
            Some(spill) => spill.and_then(ResultFile::finish),
            None => return result::capped(&text, "bash", &self.context),
        };
        let text = self.context.redactor.mask(&text);
        if text.len() <= TEXT_CAP && self.bytes <= (LIMITS.head + LIMITS.tail) as u64 {
            // The output was long only because of escape sequences and overwritten text.
            return text;
        }
        result::cut(&text, &CompleteResult { at: whole, lines: self.newlines.max(1), bytes: self.bytes })
    }

    /// Adds a carriage return before each newline, as the terminal driver does, because a capture expects terminal output.
    fn keep(&mut self, bytes: &[u8]) {
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            match line.strip_suffix(b"\n") {
                Some(text) if text.last().map_or(self.ends_in_cr, |&byte| byte == b'\r') => self.kept.push(line),
                Some(text) => {
                    self.kept.push(text);
                    self.kept.push(b"\r\n");
                }
                None => self.kept.push(line),
            }
            self.ends_in_cr = line.ends_with(b"\r");
        }
    }

    fn spill(&mut self, bytes: &[u8]) {
        match &mut self.spill {
            Some(Ok(spill)) => spill.push(bytes),
            Some(Err(_)) => {}
            None => {
                self.early.extend_from_slice(bytes);
                if self.early.len() > TEXT_CAP {
                    let early = std::mem::take(&mut self.early);
                    self.spill = Some(ResultFile::create(&self.context.spill, "bash").map(|mut spill| {
                        spill.push(&early);
                        spill
                    }));
                }
            }
        }
    }

    fn show(&mut self, bytes: &[u8], screen: &mut dyn FnMut(&str)) {
        if self.shown > SCREEN_CAP {
            return;
        }
        self.shown += bytes.len();
        self.torn.extend_from_slice(bytes);
        let whole = self.torn.len() - unfinished(&self.torn);
        let rest = self.torn.split_off(whole);
        let text = std::mem::replace(&mut self.torn, rest);
        if !text.is_empty() {
            screen(&String::from_utf8_lossy(&text));
        }
        if self.shown > SCREEN_CAP {
            screen("\n[… more follows, not shown …]\n");
        }
    }
}

/// The number of bytes at the end that are the beginning of an incomplete character.
fn unfinished(bytes: &[u8]) -> usize {
    let Some(last) = bytes.utf8_chunks().last() else { return 0 };
    let invalid = last.invalid();
    let could_go_on = matches!(
        invalid,
        [0xC2..=0xF4] | [0xE0..=0xF4, _] | [0xF0..=0xF4, _, _] // A lead byte, and fewer than it announces.
    );
    if could_go_on && bytes.ends_with(invalid) { invalid.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn heard(chunks: &[&[u8]]) -> (String, String) {
        let home = crate::tool::tests::Home::new();
        let mut transcript = CommandTranscript::new(&home.context());
        let mut screen = String::new();
        for chunk in chunks {
            transcript.push(chunk, &mut |text| screen.push_str(text));
        }
        (screen, transcript.finish())
    }

    #[test]
    fn the_model_reads_the_output_as_a_terminal_displays_it() {
        let (_, text) = heard(&[b"\x1b[31mred\x1b[0m\n", b" 10%\r 50%\r100%\nlast"]);
        assert_eq!(text, "red\n100%\nlast");
    }

    #[test]
    fn output_on_the_screen_is_capped() {
        let (screen, text) = heard(&[&b"0123456789\n".repeat(100_000)]);
        assert!(screen.ends_with("not shown …]\n"));
        assert!(text.contains(" of 100000 left out; the whole (1.0 MiB) is in "), "{text}");
        let (screen, _) = heard(&[&b"0123456789\n".repeat(30_000)[..], b"more", b"more"]);
        assert_eq!(screen.matches("not shown").count(), 1);
    }

    proptest! {
        #[test]
        fn characters_do_not_depend_on_read_boundaries(text: String, cuts in prop::collection::vec(0usize..200, 0..5)) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let (screen, seen) = heard(&chunks);
            prop_assert_eq!(&screen, &text);
            prop_assert_eq!(seen, heard(&[bytes]).1);
        }
    }
}
