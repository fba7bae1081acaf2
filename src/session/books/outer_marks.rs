//! Sends standard marks (OSC 133 and OSC 7) to the outer terminal in place of the private ones.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::text::wrap::{self, Layout};
use crate::text::{percent_encode, sanitize};
use crate::track::Mark;

/// Not every shell draws its whole prompt again when the window is resized, so a terminal must not erase it then.
const PROMPT: &[u8] = b"\x1b]133;A;redraw=0\x1b\\";
/// The end of a prompt.
const INPUT: &[u8] = b"\x1b]133;B\x1b\\";

/// Sends standard marks to the outer terminal, unless the shell does so itself.
#[derive(Debug)]
pub(in crate::session) struct OuterMarks {
    host: String,
    /// Whether the terminal understands OSC strings. Others would print them.
    is_understood: bool,
    /// Whether the shell sends standard marks itself.
    is_silent: bool,
    /// Whether the terminal understands no escape sequences at all.
    is_dumb: bool,
    /// Whether an answer was shown since the last prompt.
    answers: bool,
    told: Option<PathBuf>,
    /// The columns of the terminal; 0 if they are not known.
    columns: usize,
}

impl OuterMarks {
    /// A terminal that does not understand OSC strings would print them or, like that of Emacs, count columns wrongly.
    pub(in crate::session) fn new(term: Option<&OsStr>, host: String) -> Self {
        let term = term.map_or(&b""[..], OsStr::as_bytes);
        let is_dumb = matches!(term, b"" | b"dumb");
        let is_understood = !is_dumb && term != b"linux" && !term.starts_with(b"eterm");
        OuterMarks { host, is_understood, is_silent: false, is_dumb, answers: false, told: None, columns: 0 }
    }

    /// The terminal has this many columns now.
    pub(in crate::session) fn set_columns(&mut self, columns: u16) {
        self.columns = columns.into();
    }

    /// A dim line, broken between words if it is wider than the terminal.
    pub(in crate::session) fn aside(&self, line: &str) -> String {
        let line = sanitize(line);
        let rows = match self.columns {
            0 => vec![&*line],
            columns => {
                let layout = Layout { columns, ..Layout::default() };
                wrap::rows(&line, layout).into_iter().map(|row| &line[row]).collect()
            }
        };
        let line = rows.join("\r\n");
        if self.is_dumb { format!("{line}\r\n") } else { format!("\x1b[2m{line}\x1b[22m\r\n") }
    }

    /// The shell sends standard marks itself, so none are sent from here on.
    pub(in crate::session) fn fall_silent(&mut self) {
        self.is_silent = true;
    }

    /// Marks the bytes that follow as output, like those of a command. Otherwise a terminal would take an answer for a part of
    /// the prompt and erase it when the window is resized. The shell's own hooks do not report an answer, whatever marks they
    /// send.
    pub(in crate::session) fn answer(&mut self) -> &'static [u8] {
        self.answers = true;
        if self.is_understood { b"\x1b]133;C\x1b\\" } else { b"" }
    }

    /// The marks around the earlier prompt, which is drawn again below the answer. The second one has no other sender: the shell
    /// does not know that its prompt is drawn again.
    pub(in crate::session) fn prompt_again(&mut self) -> [&'static [u8]; 2] {
        self.answers = false;
        if self.is_understood { [PROMPT, INPUT] } else { [b"", b""] }
    }

    /// The standard marks for a private mark; `ended` says whether it ended a command.
    pub(in crate::session) fn translate(&mut self, mark: &Mark, ended: bool) -> Vec<u8> {
        if let Mark::Hello { shell, version, .. } = mark {
            let major = version.split('.').next().and_then(|major| major.parse().ok());
            self.is_silent |= shell == "fish" && major.is_some_and(|major: u32| major >= 4);
        }
        let has_answered = matches!(mark, Mark::Prompt { .. }) && std::mem::take(&mut self.answers);
        if self.is_silent || !self.is_understood {
            return Vec::new();
        }
        match mark {
            Mark::Prompt { cwd } => {
                let end = if has_answered { &b"\x1b]133;D\x1b\\"[..] } else { b"" };
                [end, &self.directory(cwd), PROMPT].concat()
            }
            Mark::Input => INPUT.to_vec(),
            Mark::Start { .. } => b"\x1b]133;C\x1b\\".to_vec(),
            Mark::End { status, .. } if ended => format!("\x1b]133;D;{status}\x1b\\").into_bytes(),
            Mark::End { .. }
            | Mark::Hello { .. }
            | Mark::Wiped { .. }
            | Mark::Renew { .. }
            | Mark::Listen { .. }
            | Mark::Read { .. }
            | Mark::Go
            | Mark::Ran { .. }
            | Mark::Query { .. }
            | Mark::Later { .. }
            | Mark::Wait { .. } => Vec::new(),
        }
    }

    fn directory(&mut self, cwd: &Path) -> Vec<u8> {
        if self.told.as_deref() == Some(cwd) {
            return Vec::new();
        }
        self.told = Some(cwd.to_owned());
        let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
        let path = percent_encode(cwd.as_os_str().as_bytes(), keep);
        format!("\x1b]7;file://{}{path}\x1b\\", self.host).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(cwd: &str) -> Mark {
        Mark::Prompt { cwd: cwd.into() }
    }

    #[test]
    fn the_directory_is_sent_when_it_changes() {
        let mut outer = OuterMarks::new(Some(OsStr::new("xterm")), "box".into());
        assert_eq!(outer.translate(&prompt("/a b"), false), b"\x1b]7;file://box/a%20b\x1b\\\x1b]133;A;redraw=0\x1b\\");
        assert_eq!(outer.translate(&prompt("/a b"), false), b"\x1b]133;A;redraw=0\x1b\\");
        assert_eq!(outer.translate(&Mark::End { status: 3, eol_mark: Vec::new() }, true), b"\x1b]133;D;3\x1b\\");
        assert_eq!(outer.translate(&Mark::End { status: 3, eol_mark: Vec::new() }, false), b"");
    }

    #[test]
    fn a_terminal_that_would_print_marks_gets_none() {
        for term in [None, Some("dumb"), Some("linux"), Some("eterm"), Some("eterm-color")] {
            let mut outer = OuterMarks::new(term.map(OsStr::new), "box".into());
            assert_eq!(outer.translate(&prompt("/"), false), b"");
            assert_eq!(outer.answer(), b"");
        }
    }

    #[test]
    fn an_answer_is_marked_as_output() {
        let mut outer = OuterMarks::new(Some(OsStr::new("xterm")), "box".into());
        outer.translate(&prompt("/"), false);
        assert_eq!(outer.answer(), b"\x1b]133;C\x1b\\");
        assert_eq!(outer.translate(&prompt("/"), false), b"\x1b]133;D\x1b\\\x1b]133;A;redraw=0\x1b\\");
        assert_eq!(outer.translate(&prompt("/"), false), b"\x1b]133;A;redraw=0\x1b\\");
    }

    #[test]
    fn a_prompt_that_is_drawn_again_has_both_marks() {
        let mut outer = OuterMarks::new(Some(OsStr::new("xterm")), "box".into());
        outer.answer();
        assert_eq!(outer.prompt_again(), [&b"\x1b]133;A;redraw=0\x1b\\"[..], b"\x1b]133;B\x1b\\"]);
        assert_eq!(outer.translate(&prompt("/"), false), b"\x1b]7;file://box/\x1b\\\x1b]133;A;redraw=0\x1b\\");
    }

    #[test]
    fn a_notice_is_dim_if_the_terminal_can_show_it() {
        let aside = |term| OuterMarks::new(Some(OsStr::new(term)), "box".into()).aside("a\x1bb");
        assert_eq!(aside("linux"), "\x1b[2ma\u{FFFD}b\x1b[22m\r\n");
        assert_eq!(aside("dumb"), "a\u{FFFD}b\r\n");
    }

    #[test]
    fn no_marks_are_added_to_those_of_the_shell() {
        let mut outer = OuterMarks::new(Some(OsStr::new("xterm")), "box".into());
        let hello = Mark::Hello { shell: "fish".into(), version: "4.0.2".into(), problem: None };
        outer.translate(&hello, false);
        assert_eq!(outer.translate(&prompt("/"), false), b"");
        assert_eq!(outer.answer(), b"\x1b]133;C\x1b\\", "its hooks do not see ours");
        assert_eq!(outer.translate(&prompt("/"), false), b"");
    }
}
