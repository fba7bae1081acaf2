//! Hides that bash erases and redraws a line to call our hook.
//!
//! To call the hook behind Enter, readline erases the edited line. When the hook returns, readline draws the line again and
//! continues. A bare bash does neither, and a program that waits for the prompt would take the redrawn prompt for the next one.
//! So the filter holds back the erasing sequence. If our mark follows, it holds back the redraw too, and shows only what follows
//! the redrawn line. If anything else follows, it shows everything that it held back, in order.

use crate::track::{Mark, Redraw, RedrawStep, rows_down, wipe};

use super::Canvas;

/// Takes the shell's bytes and returns the bytes to show.
#[derive(Debug, Default)]
pub(in crate::session) struct WipeFilter {
    /// How many keys that accept a line were sent to the shell without a call of the hook so far.
    enters: usize,
    /// How many rows the cursor has just moved down on the edited line.
    down: usize,
    /// The sequence that erased the line, until it is known whether our hook was called.
    wipe: Vec<u8>,
    /// The redraw that follows a call of our hook.
    redraw: Option<Redraw>,
    /// Whether readline erases a line in place on this terminal.
    wipes_lines: bool,
    /// Whether the redraw returns to the first column although the line does not start there.
    swallow_return: bool,
}

impl WipeFilter {
    /// Notes the keys that the shell gets: only a key that accepts a line calls the hook.
    pub(in crate::session) fn sent(&mut self, keys: &[u8]) {
        self.enters += keys.iter().filter(|key| b"\r\n\x0F".contains(key)).count();
    }

    /// Takes the shell's next bytes and returns the ones to show now. `is_edited` says that the shell's line editor has the
    /// screen.
    pub(in crate::session) fn pass<'a>(
        &mut self,
        bytes: &'a [u8],
        is_edited: bool,
        canvas: &mut Canvas<'_>,
    ) -> &'a [u8] {
        if let Some(redraw) = &mut self.redraw {
            match redraw.push(bytes, |prompt, has_mark| canvas.tracker.begins_line(prompt, has_mark)) {
                RedrawStep::More => {}
                RedrawStep::Same(ending) => {
                    self.redraw = None;
                    self.down = 0;
                    canvas.show(&ending);
                }
                RedrawStep::Other => self.give_up(canvas),
            }
            return b"";
        }
        self.give_up(canvas);
        if !is_edited || self.enters == 0 {
            self.down = 0;
            return self.without_return(bytes);
        }
        let (before, wipe) = bytes.split_at(wipe(bytes).unwrap_or(bytes.len()));
        self.down = rows_down(self.down, before);
        self.wipe = wipe.to_vec();
        if before.is_empty() { before } else { self.without_return(before) }
    }

    /// Returns whether the mark is part of a redraw that is hidden. Any other mark ends the redraw.
    pub(in crate::session) fn hides(&mut self, mark: &Mark, canvas: &mut Canvas<'_>) -> bool {
        if matches!(mark, Mark::Wiped { .. }) {
            self.enters = self.enters.saturating_sub(1);
        }
        match (mark, &mut self.redraw) {
            (Mark::Input, Some(redraw)) => redraw.input(),
            (Mark::Wiped { text: Some(text) }, None) if !self.wipe.is_empty() => {
                let wipe = std::mem::take(&mut self.wipe);
                self.wipes_lines = true;
                self.redraw = Redraw::new(wipe.clone(), self.down, text.clone());
                if self.redraw.is_none() {
                    canvas.show(&wipe);
                }
            }
            (Mark::Start { .. } | Mark::End { .. }, Some(redraw)) if redraw.is_blank() => {
                let rest = self.redraw.take().map(|redraw| redraw.into_parts().1);
                canvas.show(&rest.unwrap_or_default());
            }
            _ => self.give_up(canvas),
        }
        self.redraw.is_some()
    }

    /// Shows everything that was held back.
    pub(in crate::session) fn give_up(&mut self, canvas: &mut Canvas<'_>) {
        let wipe = std::mem::take(&mut self.wipe);
        if !wipe.is_empty() {
            canvas.show(&wipe);
        }
        if let Some(redraw) = self.redraw.take() {
            let (wipe, drawn) = redraw.into_parts();
            canvas.show(&wipe);
            self.wiped(canvas);
            if !drawn.is_empty() {
                canvas.show(self.without_return(&drawn));
            }
        }
    }

    /// The line on the screen is erased, and readline draws it again next.
    pub(in crate::session) fn wiped(&mut self, canvas: &mut Canvas<'_>) {
        // Without a terminal description readline cannot erase: it draws the line again below. With a description, a newline here
        // comes from a background job.
        self.wipes_lines |= !canvas.tracker.is_below();
        if !self.wipes_lines {
            canvas.draw(b"\x1b[A");
        }
        // Readline assumes that its prompt starts in the first column, and erases what was in front of it.
        let before = canvas.tracker.before_prompt().to_vec();
        if !before.is_empty() {
            canvas.restore(b"\r");
            canvas.restore(&before);
            self.swallow_return = true;
        }
    }

    /// The line was a query, so readline draws nothing again.
    pub(in crate::session) fn expect_no_redraw(&mut self) {
        self.swallow_return = false;
    }

    /// Removes a return to the first column if the bytes redraw a line that does not start there.
    fn without_return<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let is_return = std::mem::take(&mut self.swallow_return) && bytes.starts_with(b"\r");
        if is_return { &bytes[1..] } else { bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::wires::Outbox;
    use crate::track::{Moment, Screen, Tracker};

    const WIPE: &[u8] = b"\r\x1b[K\r";

    /// A line that bash is editing, and the screen it is on.
    #[derive(Default)]
    struct Bash {
        filter: WipeFilter,
        tracker: Tracker,
        screen: Screen,
        out: Outbox,
    }

    impl Bash {
        /// Draws `before`, `$ ` and the typed text; then Enter is pressed.
        fn with_line(before: &[u8], typed: &[u8]) -> Bash {
            let mut bash = Bash::default();
            bash.filter.wipes_lines = true;
            bash.shows(before);
            bash.tracker.mark(&Mark::Prompt { cwd: "/".into() }, Moment::now());
            bash.shows(b"$ ");
            bash.tracker.mark(&Mark::Input, Moment::now());
            bash.shows(typed);
            bash.filter.sent(b"\r");
            bash.out = Outbox::default();
            bash
        }

        fn canvas<'a>(tracker: &'a mut Tracker, screen: &'a mut Screen, out: &'a mut Outbox) -> Canvas<'a> {
            Canvas { tracker, screen, out }
        }

        fn shows(&mut self, bytes: &[u8]) {
            let Bash { filter, tracker, screen, out } = self;
            let mut canvas = Bash::canvas(tracker, screen, out);
            let shown = filter.pass(bytes, true, &mut canvas);
            canvas.show(shown);
        }

        fn says(&mut self, mark: &Mark) -> bool {
            let Bash { filter, tracker, screen, out } = self;
            filter.hides(mark, &mut Bash::canvas(tracker, screen, out))
        }

        fn calls_hook(&mut self, text: &[u8]) {
            self.shows(WIPE);
            self.says(&Mark::Wiped { text: Some(text.to_vec()) });
        }

        fn screen(&self) -> String {
            self.out.front().escape_ascii().to_string()
        }
    }

    #[test]
    fn the_line_is_shown_once_although_readline_draws_it_twice() {
        let mut bash = Bash::with_line(b"", b"ls");
        bash.calls_hook(b"ls");
        assert_eq!(bash.screen(), "");
        bash.shows(b"$ ");
        assert!(bash.says(&Mark::Input), "the mark of the redrawn prompt is part of the redraw");
        bash.shows(b"ls");
        assert_eq!(bash.screen(), "");
        bash.shows(b"\r\n\x1b[?2004l\r");
        assert_eq!(bash.screen(), r"\r\n\x1b[?2004l\r");
    }

    #[test]
    fn a_redraw_cut_anywhere_is_hidden() {
        let redraw = b"$ ls\r\n";
        for cut in 1..redraw.len() {
            let mut bash = Bash::with_line(b"", b"ls");
            bash.calls_hook(b"ls");
            bash.shows(&redraw[..cut]);
            bash.shows(&redraw[cut..]);
            assert_eq!(bash.screen(), r"\r\n", "cut at {cut}");
        }
    }

    #[test]
    fn an_erased_line_without_our_mark_is_shown() {
        let mut bash = Bash::with_line(b"", b"ls");
        bash.shows(WIPE);
        assert_eq!(bash.screen(), "", "held back until it is known whether the hook was called");
        bash.shows(b"$ git");
        assert_eq!(bash.screen(), r"\r\x1b[K\r$ git");
    }

    #[test]
    fn nothing_is_held_back_before_enter() {
        let mut bash = Bash::with_line(b"", b"ls");
        bash.filter.enters = 0;
        bash.shows(WIPE);
        assert_eq!(bash.screen(), r"\r\x1b[K\r");
    }

    #[test]
    fn output_of_a_job_within_the_redraw_is_shown() {
        let mut bash = Bash::with_line(b"", b"ls");
        bash.calls_hook(b"ls");
        bash.shows(b"$ job\r\n");
        assert_eq!(bash.screen(), r"\r\x1b[K\r$ job\r\n");
    }

    #[test]
    fn any_other_mark_ends_the_redraw() {
        let mut bash = Bash::with_line(b"", b"ls");
        bash.calls_hook(b"ls");
        bash.shows(b"$ l");
        assert!(!bash.says(&Mark::Prompt { cwd: "/".into() }));
        assert_eq!(bash.screen(), r"\r\x1b[K\r$ l");
    }

    #[test]
    fn with_echo_off_only_what_follows_the_line_is_shown() {
        let mut bash = Bash::with_line(b"", b"secret");
        bash.calls_hook(b"secret");
        bash.shows(b"\x1b[?2004l\r");
        assert!(!bash.says(&Mark::End { status: 0, eol_mark: Vec::new() }));
        assert_eq!(bash.screen(), r"\x1b[?2004l\r");
    }

    #[test]
    fn output_before_the_prompt_is_drawn_again_where_readline_erased_it() {
        let mut bash = Bash::with_line(b"no newline", b"ls");
        let Bash { filter, tracker, screen, out } = &mut bash;
        filter.wiped(&mut Bash::canvas(tracker, screen, out));
        bash.shows(b"\r$ ls");
        assert_eq!(bash.screen(), r"\rno newline$ ls", "without the return to the first column");
        bash.shows(b"\rx");
        assert_eq!(bash.screen(), r"\rno newline$ ls\rx", "only one return is removed");
    }

    #[test]
    fn after_a_query_a_carriage_return_is_shown() {
        let mut bash = Bash::with_line(b"no newline", b"> hi");
        bash.filter.swallow_return = true;
        bash.filter.expect_no_redraw();
        bash.shows(b"\r\n");
        assert_eq!(bash.screen(), r"\r\n");
    }

    #[test]
    fn a_terminal_that_cannot_erase_gets_its_line_drawn_in_place() {
        let mut bash = Bash::with_line(b"", b"ls");
        bash.filter.wipes_lines = false;
        bash.filter.enters = 0;
        bash.shows(b"\r\n");
        let Bash { filter, tracker, screen, out } = &mut bash;
        filter.wiped(&mut Bash::canvas(tracker, screen, out));
        assert_eq!(bash.screen(), r"\r\n\x1b[A");
    }

    #[test]
    fn a_text_with_control_characters_is_not_hidden() {
        let mut bash = Bash::with_line(b"", b"a^Ib");
        bash.calls_hook(b"a\tb");
        bash.shows(b"$ a^Ib\r\n");
        assert_eq!(bash.screen(), r"\r\x1b[K\r$ a^Ib\r\n");
    }
}
