//! The books, fed with marks and bytes as the shell sends them.

use std::path::Path;

use super::Books;
use crate::capture::Size;
use crate::session::scripted_tests::books;
use crate::session::wires::Outbox;
use crate::track::{HookProblem, Mark, Zone};

/// Books with their outbox.
struct Desk {
    books: Books,
    out: Outbox,
}

impl Desk {
    fn new() -> Desk {
        Desk { books: books("0a1b"), out: Outbox::default() }
    }

    /// Enters marks and bytes, as the loop does.
    fn mark(&mut self, mark: &Mark) {
        if !self.books.hides(mark, &mut self.out) {
            let standard = self.books.enter(mark, false, &mut self.out);
            if matches!(mark, Mark::Prompt { .. }) {
                self.books.open_prompt(&standard, &mut self.out);
            }
        }
    }

    fn prints(&mut self, bytes: &[u8]) {
        self.books.pass(bytes, true, &mut self.out);
    }

    fn prompts(&mut self) {
        self.mark(&Mark::Prompt { cwd: "/home".into() });
        self.prints(b"$ ");
        self.mark(&Mark::Input);
    }

    fn runs(&mut self, text: &str, output: &[u8], status: i32) {
        self.mark(&Mark::Start { cwd: "/home".into(), text: text.into() });
        self.prints(output);
        self.mark(&Mark::End { status, eol_mark: Vec::new() });
    }

    /// The bytes shown since the last call.
    fn shown(&mut self) -> String {
        let shown = self.out.front().escape_ascii().to_string();
        self.out = Outbox::default();
        shown
    }

    fn finished(&mut self) -> Vec<(String, i32, String)> {
        let finished = self.books.recorder.finished.drain(..);
        let told = finished.map(|finished| {
            let text = String::from_utf8_lossy(&finished.command.text).into_owned();
            (text, finished.command.status, finished.output.text(Size::new(24, 80)))
        });
        told.collect()
    }
}

#[test]
fn a_command_is_recorded_with_its_output_and_status() {
    let mut desk = Desk::new();
    desk.prompts();
    assert_eq!(desk.books.cwd(), Some(Path::new("/home")));
    assert_eq!(desk.books.zone(), Zone::Input);
    desk.runs("false", b"no\r\n", 1);
    assert_eq!(desk.finished(), [("false".into(), 1, "no".into())]);
}

#[test]
fn output_at_the_prompt_belongs_to_no_command() {
    let mut desk = Desk::new();
    desk.prompts();
    desk.prints(b"[1]+ Done\r\n");
    desk.runs("ls", b"file\r\n", 0);
    assert_eq!(desk.finished(), [("ls".into(), 0, "file".into())]);
}

#[test]
fn a_private_command_leaves_no_record() {
    let mut desk = Desk::new();
    desk.prompts();
    desk.runs(" secret", b"word\r\n", 0);
    assert_eq!(desk.finished(), []);
    desk.runs("ls", b"", 0);
    assert_eq!(desk.finished().len(), 1, "the next one is recorded again");
}

#[test]
fn the_nonce_is_shown_but_not_recorded() {
    let mut desk = Desk::new();
    desk.prompts();
    desk.shown();
    desk.runs("set", b"X=0a1b\r\n", 0);
    assert_eq!(desk.shown(), r"X=0a1b\r\n");
    assert_eq!(desk.finished(), [("set".into(), 0, "X=****".into())]);
    assert!(desk.books.recorder.nonce.take_leak());
    desk.mark(&Mark::Renew { nonce: "ffff".into() });
    desk.runs("set", b"X=ffff\r\n", 0);
    assert_eq!(desk.finished()[0].2, "X=****", "the new nonce is masked too");
}

#[test]
fn notices_are_above_the_next_prompt_on_rows_of_their_own() {
    let mut desk = Desk::new();
    desk.prints(b"half a line");
    desk.shown();
    desk.books.notice("the disk is full".into());
    assert_eq!(desk.shown(), "");
    desk.prompts();
    assert_eq!(desk.shown(), r"\r\nshellmate: the disk is full\r\n$ ");
    desk.prompts();
    assert_eq!(desk.shown(), "$ ", "they are shown once");
}

#[test]
fn a_notice_breaks_between_words_at_the_margin() {
    let mut desk = Desk::new();
    desk.books.set_columns(20);
    desk.books.notice("the disk is full; see `shellmate doctor`".into());
    desk.prompts();
    assert_eq!(desk.shown(), r"shellmate: the disk\r\nis full; see\r\n`shellmate doctor`\r\n$ ");
}

#[test]
fn an_announcement_waits_for_a_prompt_at_which_nothing_was_typed() {
    let mut desk = Desk::new();
    desk.prompts();
    assert!(!desk.books.can_announce_here(), "there is nothing to announce");
    desk.books.next_prompt.announcement = b"request 1 has finished\r\n".to_vec();
    assert!(desk.books.can_announce_here());
    desk.books.sent(b"\x1b[4;1R\x1b[?62;22c");
    assert!(desk.books.can_announce_here(), "the terminal has replied to the shell");
    desk.books.sent(b"l");
    assert!(!desk.books.can_announce_here());
    desk.shown();
    desk.runs("ls", b"\r\n", 0);
    desk.shown();
    desk.prompts();
    assert_eq!(desk.shown(), r"request 1 has finished\r\n$ ");
    assert!(desk.books.next_prompt.take_announced());
    assert!(!desk.books.next_prompt.take_announced(), "asked once");
}

#[test]
fn an_announcement_at_an_idle_prompt_is_drawn_above_it() {
    let mut desk = Desk::new();
    desk.prompts();
    desk.shown();
    desk.books.next_prompt.announcement = b"news\r\n".to_vec();
    desk.books.announce_here(Size::new(24, 80), &mut desk.out);
    let shown = desk.shown();
    assert!(shown.starts_with(r"\x1b[0m\r\x1b[Jnews\r\n"), "{shown}");
    assert!(shown.contains("$ "), "the prompt is drawn again: {shown}");
    assert!(desk.books.next_prompt.take_announced());
}

#[test]
fn a_prompt_after_output_without_a_newline_is_left_alone() {
    let mut desk = Desk::new();
    desk.runs("printf x", b"x", 0);
    desk.prompts();
    desk.books.next_prompt.announcement = b"news\r\n".to_vec();
    assert!(!desk.books.can_announce_here());
}

#[test]
fn text_for_the_next_prompt_is_kept() {
    let mut desk = Desk::new();
    desk.mark(&Mark::Later { text: b"> and this".to_vec() });
    assert_eq!(desk.books.next_prompt.text.as_deref(), Some(&b"> and this"[..]));
}

#[test]
fn a_failure_to_install_the_hooks_is_reported_once() {
    for (problem, words) in [
        (HookProblem::TooOld, "too old"),
        (HookProblem::ReadOnly, "read-only"),
        (HookProblem::ForeignEditor, "cannot hook this line editor"),
    ] {
        let hello = Mark::Hello { shell: "bash".into(), version: "3.2".into(), problem: Some(problem) };
        let mut desk = Desk::new();
        desk.mark(&hello);
        let shown = desk.shown();
        assert!(shown.contains(words) && shown.contains("shellmate doctor"), "{shown}");
        if problem != HookProblem::ForeignEditor {
            desk.mark(&hello);
            assert_eq!(desk.shown(), "");
        }
    }
    let mut desk = Desk::new();
    desk.mark(&Mark::Hello { shell: "bash".into(), version: "5.2".into(), problem: None });
    assert_eq!(desk.shown(), "");
}

#[test]
fn the_end_of_the_shell_ends_its_command_too() {
    let mut desk = Desk::new();
    desk.prompts();
    desk.mark(&Mark::Start { cwd: "/".into(), text: b"exec false".to_vec() });
    desk.books.close(1, &mut desk.out);
    assert_eq!(desk.finished(), [("exec false".into(), 1, String::new())]);
}

#[test]
fn a_notice_starts_on_a_new_row() {
    let mut desk = Desk::new();
    desk.prints(b"text");
    desk.shown();
    desk.books.say("hello", &mut desk.out);
    assert_eq!(desk.shown(), r"\r\nshellmate: hello\r\n");
    desk.books.say("again", &mut desk.out);
    assert_eq!(desk.shown(), r"shellmate: again\r\n");
}

#[test]
fn an_erased_query_is_painted_again_with_its_prompt() {
    let mut desk = Desk::new();
    desk.prompts();
    desk.shown();
    desk.books.repaint(b"> a\tb\x01\x7f\nc", &mut desk.out);
    assert_eq!(desk.shown(), r"\r$ > a\tb^A^?\r\nc");
}
