//! What a hosted shell says through its private marks.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use crate::text::percent_decode;

/// One private mark with this session's nonce (`docs/PROTOCOL.md`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The integration has loaded, or says why it could not hook in.
    Hello { shell: String, version: String, problem: Option<HookProblem> },
    /// The shell is about to prompt; the status is that of the last command, if one ran. zsh has by then marked the end of
    /// output that lacks a newline, with these bytes and blanks.
    End { status: i32, eol_mark: Vec<u8> },
    /// The prompt is about to be drawn.
    Prompt { cwd: PathBuf },
    /// The prompt is drawn and the line editor has the keyboard.
    Input,
    /// A complete command was read and is about to run.
    Start { cwd: PathBuf, text: Vec<u8> },
    /// bash has wiped the edited line to call the hook behind a key, and is about to draw it again: this text, if the key accepts it.
    Wiped { text: Option<Vec<u8>> },
    /// The line editor accepted a line meant for the agent.
    Query { line: Vec<u8>, screen: LineOnScreen },
    /// Behind the accepted line there was a query: it is for the next prompt.
    Later { text: Vec<u8> },
    /// Marks have this nonce from here on: the old one was seen in output.
    Renew { nonce: String },
    /// The waiting hook reads directives; this token ends its wait.
    Listen { token: String },
    /// The hook has looked at the command it is to run; this token runs just that text.
    Read { token: String, command: Vec<u8> },
    /// The hook begins to run that command.
    Go,
    /// What we had the shell run is over.
    Ran { status: i32 },
    /// The pre-prompt hook waits for directives with this counter. A key may have changed the directory since the prompt.
    Wait { turn: u64, cwd: PathBuf },
}

/// Why an integration loaded but did not hook in (or not everywhere).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookProblem {
    /// The shell is older than its hooks need.
    TooOld,
    /// A variable the hooks live in is read-only.
    ReadOnly,
    /// Another line editor is in charge, so `> ` lines cannot be told from commands.
    ForeignEditor,
}

/// Whether the accepted line can still be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineOnScreen {
    Kept,
    /// bash wipes the edited line before it runs a bound function.
    Erased,
}

impl Mark {
    /// Reads what stands between the nonce and the terminator; `None` for a kind or a field we do not know.
    pub(super) fn parse(payload: &[u8]) -> Option<Mark> {
        let mut fields = payload.split(|&byte| byte == b';');
        let kind = fields.next()?;
        let mut field = || fields.next().map(percent_decode);
        Some(match kind {
            b"hello" => {
                let (shell, version, _pid) = (text(field()?), text(field()?), field()?);
                let problem = match field().unwrap_or_default().as_slice() {
                    b"old" => Some(HookProblem::TooOld),
                    b"readonly" => Some(HookProblem::ReadOnly),
                    b"editor" => Some(HookProblem::ForeignEditor),
                    _ => None,
                };
                Mark::Hello { shell, version, problem }
            }
            b"end" => Mark::End { status: text(field()?).parse().ok()?, eol_mark: field().unwrap_or_default() },
            b"prompt" => Mark::Prompt { cwd: path(field()?) },
            b"input" => Mark::Input,
            b"start" => Mark::Start { cwd: path(field()?), text: field()? },
            b"wiped" => Mark::Wiped { text: field() },
            b"query" => {
                let line = field()?;
                let screen = match field()?.as_slice() {
                    b"kept" => LineOnScreen::Kept,
                    b"erased" => LineOnScreen::Erased,
                    _ => return None,
                };
                Mark::Query { line, screen }
            }
            b"later" => Mark::Later { text: field()? },
            b"renew" => Mark::Renew { nonce: Some(text(field()?)).filter(|nonce| is_nonce(nonce))? },
            b"listen" => Mark::Listen { token: text(field()?) },
            b"read" => Mark::Read { token: text(field()?), command: field()? },
            b"go" => Mark::Go,
            b"ran" => Mark::Ran { status: text(field()?).parse().ok()? },
            b"wait" => Mark::Wait { turn: text(field()?).parse().ok()?, cwd: path(field()?) },
            _ => return None,
        })
    }
}

fn is_nonce(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

fn path(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded_and_bytes_survive() {
        assert_eq!(
            Mark::parse(b"start;/tmp/100%25;echo a%3Bb%0Aecho \xff"),
            Some(Mark::Start { cwd: "/tmp/100%".into(), text: b"echo a;b\necho \xff".to_vec() })
        );
        assert_eq!(Mark::parse(b"end;130"), Some(Mark::End { status: 130, eol_mark: Vec::new() }));
        assert_eq!(
            Mark::parse(b"hello;bash;3.2;17;old"),
            Some(Mark::Hello { shell: "bash".into(), version: "3.2".into(), problem: Some(HookProblem::TooOld) })
        );
    }

    #[test]
    fn what_we_do_not_know_is_no_mark() {
        for payload in [
            b"".as_slice(),
            b"end",
            b"end;x",
            b"start;/tmp",
            b"query;> hi;gone",
            b"wait;1",
            b"listen",
            b"read;token",
            b"dance;1",
        ] {
            assert_eq!(Mark::parse(payload), None, "{}", payload.escape_ascii());
        }
    }
}
