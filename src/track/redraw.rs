//! What readline does around a call of our hook: it wipes the line, and when the hook is done it draws the line again. A bare bash
//! does neither, and a program that waits for the prompt would take the one drawn again for the next.

use super::drawn::is_blank;

/// What follows is the end of the line within a few hundred bytes, or it is no redraw.
const CAP: usize = 16 * 1024;

const NEWLINE: &[u8] = b"\r\n";
const ERASE: &[u8] = b"\x1b[K";
const UP: &[u8] = b"\x1b[A";

/// Where in these bytes the wiping of a line begins that they end with: in its last row, and up from there row by row.
pub(crate) fn wipe(bytes: &[u8]) -> Option<usize> {
    // Since bash 5.2 a return follows.
    let erased = |row: &[u8]| row.strip_suffix(b"\r").unwrap_or(row).strip_suffix(ERASE).map(<[u8]>::len);
    let mut end = bytes.len();
    while let Some(up) = erased(&bytes[..end]).and_then(|at| bytes[..at].strip_suffix(UP)) {
        end = up.len();
    }
    Some(bytes[..erased(&bytes[..end])?].strip_suffix(b"\r")?.len())
}

/// How many rows the cursor has just moved down by newlines alone, with `so_far` before these bytes. Readline does so before it wipes,
/// and a terminal passes on what comes before and after a newline by itself.
pub(crate) fn rows_down(so_far: usize, bytes: &[u8]) -> usize {
    let tail = bytes.iter().rev().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    let (length, rows) = tail.fold((0, 0), |(length, rows), &byte| (length + 1, rows + usize::from(byte == b'\n')));
    if length == bytes.len() { so_far + rows } else { rows }
}

/// A line that was wiped and is being drawn again.
#[derive(Debug)]
pub(crate) struct Redraw {
    text: Vec<u8>,
    /// How many rows the cursor went down before the line was wiped.
    down: usize,
    /// How the line was wiped, and from `drawn` on, how it is drawn again.
    bytes: Vec<u8>,
    drawn: usize,
    /// How long the prompt is, if a mark has said it.
    prompt: Option<usize>,
}

/// What has become of a redraw.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RedrawStep {
    /// It goes on.
    More,
    /// The line is as it was, and this ends it.
    Same(Vec<u8>),
    /// It is something else. All of it has to be shown.
    Other,
}

impl Redraw {
    /// Expects a line of one piece; readline draws a newline or a control character in a way of its own.
    pub(crate) fn new(wipe: Vec<u8>, down: usize, text: Vec<u8>) -> Option<Redraw> {
        let is_plain = !text.iter().any(u8::is_ascii_control);
        is_plain.then_some(Redraw { text, down, drawn: wipe.len(), bytes: wipe, prompt: None })
    }

    /// The prompt has been drawn.
    pub(crate) fn input(&mut self) {
        self.prompt = Some(self.bytes.len() - self.drawn);
    }

    /// Takes what is drawn. `begins_line` says whether the line began with these bytes as its prompt, which a mark followed or not.
    pub(crate) fn push(&mut self, bytes: &[u8], begins_line: impl Fn(&[u8], bool) -> bool) -> RedrawStep {
        self.bytes.extend_from_slice(bytes);
        let line = &self.bytes[self.drawn..];
        let Some(end) = memchr::memmem::find(line, NEWLINE) else {
            return if line.len() > CAP { RedrawStep::Other } else { RedrawStep::More };
        };
        let (line, rest) = line.split_at(end);
        if is_blank(line) {
            return RedrawStep::Same(self.bytes.split_off(self.drawn));
        }
        let Some(prompt) = without_moves(line).strip_suffix(&*self.text) else { return RedrawStep::Other };
        let is_where_it_was = self.prompt.is_none_or(|length| length == prompt.len());
        if !is_where_it_was || !begins_line(prompt, self.prompt.is_some()) {
            return RedrawStep::Other;
        }
        // The cursor is where it went to wipe the line, and does not go down again.
        let way = if self.down > 0 { [&NEWLINE.repeat(self.down), &b"\r\r\n"[..]].concat() } else { NEWLINE.to_vec() };
        match rest.strip_prefix(&*way) {
            Some(_) => RedrawStep::Same(rest[NEWLINE.len() * self.down..].to_vec()),
            None if way.starts_with(rest) => RedrawStep::More,
            None => RedrawStep::Other,
        }
    }

    /// Whether nothing was drawn: the terminal's echo is off.
    pub(crate) fn is_blank(&self) -> bool {
        is_blank(&self.bytes[self.drawn..])
    }

    /// How the line was wiped, and what was taken since.
    pub(crate) fn into_parts(mut self) -> (Vec<u8>, Vec<u8>) {
        let drawn = self.bytes.split_off(self.drawn);
        (self.bytes, drawn)
    }
}

/// Less the way back from the end of the text to where the cursor was.
fn without_moves(line: &[u8]) -> &[u8] {
    let mut rest = line;
    while let Some(before) =
        [&b"\x08"[..], b"\r", b"\x1b[A", b"\x1b[C"].iter().find_map(|step| rest.strip_suffix(*step))
    {
        rest = before;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_prompt(prompt: &[u8], has_mark: bool) -> bool {
        prompt == if has_mark { b"$ " } else { b"> " }
    }

    fn redraw(text: &str) -> Redraw {
        Redraw::new(b"\r\x1b[K\r".to_vec(), 0, text.into()).unwrap()
    }

    #[test]
    fn a_line_is_wiped_from_its_last_row_up() {
        for (bytes, at) in [
            (&b"ls\r\x1b[K\r"[..], Some(2)),
            (b"\r\x1b[K\r", Some(0)),
            (b"long\r\x1b[K\r\x1b[A\x1b[K\r\x1b[A\x1b[K\r", Some(4)),
            (b"ab\x08\r\r\n\r\x1b[K\r\x1b[A\x1b[K\r", Some(6)),
            (b"ls\r\x1b[K", Some(2)),
            (b"long\r\x1b[K\x1b[A\x1b[K", Some(4)),
            (b"ls\x08\x08\x1b[K", None),
            (b"\x1b[K\r", None),
            (b"", None),
        ] {
            assert_eq!(wipe(bytes), at, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn rows_are_counted_over_any_cut() {
        assert_eq!(rows_down(0, b"x\x08\r\r\n\r\n\r"), 2);
        assert_eq!(rows_down(rows_down(0, b"x\x08\r\r\n"), b"\r\n"), 2);
        assert_eq!(rows_down(2, b"\r"), 2);
        assert_eq!(rows_down(2, b"x"), 0);
    }

    #[test]
    fn what_was_there_before_is_not_shown_again() {
        let mut plain = redraw("ls");
        assert_eq!(plain.push(b"$ ", is_prompt), RedrawStep::More);
        plain.input();
        assert_eq!(plain.push(b"ls\r", is_prompt), RedrawStep::More);
        assert_eq!(plain.push(b"\n\x1b[?2004l\r", is_prompt), RedrawStep::Same(b"\r\n\x1b[?2004l\r".to_vec()));

        let mut middle = Redraw::new(b"\r\x1b[K\r\x1b[A\x1b[K\r".to_vec(), 1, b"echo 1".to_vec()).unwrap();
        middle.push(b"$ ", is_prompt);
        middle.input();
        assert_eq!(middle.push(b"echo 1\x1b[A\x08\x08\x1b[C\x1b[C\r\n", is_prompt), RedrawStep::More);
        assert_eq!(middle.push(b"\r\r\n\x1b[?2004l\r", is_prompt), RedrawStep::Same(b"\r\r\n\x1b[?2004l\r".to_vec()));

        assert_eq!(redraw("done").push(b"> done\r\n", is_prompt), RedrawStep::Same(b"\r\n".to_vec()));
        assert_eq!(redraw("").push(b"> \r\n", is_prompt), RedrawStep::Same(b"\r\n".to_vec()));
        let unseen = b"\x1b[?2004l\r\r\n".to_vec();
        assert_eq!(redraw("secret").push(&unseen, is_prompt), RedrawStep::Same(unseen));
    }

    #[test]
    fn nothing_else_is_kept_from_the_screen() {
        for bytes in [&b"> lsjob\r\n"[..], b"job> ls\r\n", b"> job\r\n", b"job\r\n> ls\r\n", b"> ls \r\n"] {
            let mut redraw = redraw("ls");
            assert_eq!(redraw.push(bytes, is_prompt), RedrawStep::Other, "{}", bytes.escape_ascii());
            assert_eq!(redraw.into_parts(), (b"\r\x1b[K\r".to_vec(), bytes.to_vec()));
        }
        let mut lower = Redraw::new(Vec::new(), 1, b"ls".to_vec()).unwrap();
        assert_eq!(lower.push(b"> ls\r\n\x1b[?2004l\r", is_prompt), RedrawStep::Other, "it did not go down to wipe");
        assert_eq!(redraw("x").push(&vec![b'y'; CAP + 1], is_prompt), RedrawStep::Other);
        for text in ["a\nb", "a\tb", "\x1b"] {
            assert!(Redraw::new(Vec::new(), 0, text.into()).is_none());
        }
    }
}
