//! Reads a line from the terminal: an answer, shown as it is typed, or a secret such as an API key, without echo.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;

use nix::sys::termios::{self, LocalFlags, SetArg, Termios};

/// The longest line that is accepted. No API key is as long.
const CAP: usize = 4096;

/// Shows a prompt and reads a line without echo. Returns `None` on Esc, on Ctrl-C, and on Ctrl-D in an empty line.
pub(crate) fn read_secret(prompt: &str) -> io::Result<Option<String>> {
    read(prompt, Echo::Off)
}

/// Asks a question and returns whether the person typed `y` or `yes`.
pub(crate) fn read_yes(question: &str) -> io::Result<bool> {
    let typed = read(&format!("{question} [y/N] "), Echo::On)?;
    Ok(typed.is_some_and(|typed| ["y", "yes"].contains(&typed.trim().to_ascii_lowercase().as_str())))
}

/// Shows a question and reads a line that is shown as it is typed. Returns `None` on Esc, on Ctrl-C, and on Ctrl-D in an empty line.
pub(crate) fn read_answer(prompt: &str) -> io::Result<Option<String>> {
    read(prompt, Echo::On)
}

/// Whether the line is shown as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Echo {
    On,
    Off,
}

impl Echo {
    /// Whether a byte becomes part of the line. Answers are numbers, letters and URLs. A secret keeps characters that no key has, so
    /// that they can be named as the mistake.
    fn takes(self, byte: u8) -> bool {
        match self {
            Echo::On => matches!(byte, b' '..=b'~'),
            Echo::Off => matches!(byte, b'\t' | b' '..=b'~' | 0x80..),
        }
    }
}

fn read(prompt: &str, echo: Echo) -> io::Result<Option<String>> {
    let mut terminal = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    let silence = Silence::begin(terminal.try_clone()?)?;
    terminal.write_all(prompt.as_bytes())?;
    let (mut line, mut keys) = (Vec::new(), [0; 64]);
    let typed = loop {
        let count = terminal.read(&mut keys)?;
        let (shown, end) = take_keys(&keys[..count], &mut line, echo);
        if echo == Echo::On {
            terminal.write_all(&shown)?;
        }
        if let Some(end) = end {
            break end;
        }
    };
    terminal.write_all(b"\n")?;
    drop(silence);
    Ok(typed)
}

/// Adds keys that were read at once to a line. Returns what to show of them, and how the line ended, if it did.
#[allow(clippy::option_option)]
fn take_keys(keys: &[u8], line: &mut Vec<u8>, echo: Echo) -> (Vec<u8>, Option<Option<String>>) {
    let mut shown = Vec::new();
    // Esc comes alone. An arrow or another key that begins with Esc is read whole, and means nothing here.
    match keys {
        [] | [0x1b] => return (shown, Some(None)),
        [0x1b, ..] => return (shown, None),
        _ => {}
    }
    for key in keys {
        match key {
            b'\r' | b'\n' => return (shown, Some(Some(String::from_utf8_lossy(line).into_owned()))),
            0x03 => return (shown, Some(None)),
            0x04 if line.is_empty() => return (shown, Some(None)),
            0x08 | 0x7f if line.pop().is_some() => shown.extend(b"\x08 \x08"),
            0x15 => line.drain(..).for_each(|_| shown.extend(b"\x08 \x08")),
            byte if echo.takes(*byte) && line.len() < CAP => {
                line.push(*byte);
                shown.push(*byte);
            }
            _ => {}
        }
    }
    (shown, None)
}

/// Turns echo and signal keys off until it is dropped. If Ctrl-C raised a signal, the process would end with echo still off.
struct Silence<T: AsFd> {
    terminal: T,
    before: Termios,
}

impl<T: AsFd> Silence<T> {
    fn begin(terminal: T) -> io::Result<Silence<T>> {
        let before = termios::tcgetattr(&terminal)?;
        let mut silent = before.clone();
        silent.local_flags.remove(LocalFlags::ECHO | LocalFlags::ICANON | LocalFlags::ISIG);
        termios::tcsetattr(&terminal, SetArg::TCSAFLUSH, &silent)?;
        Ok(Silence { terminal, before })
    }
}

impl<T: AsFd> Drop for Silence<T> {
    fn drop(&mut self) {
        let _ = termios::tcsetattr(&self.terminal, SetArg::TCSADRAIN, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_echoed_and_esc_leaves_but_an_arrow_does_not() {
        let take = |keys: &[u8], line: &mut Vec<u8>| take_keys(keys, line, Echo::On);
        let mut line = Vec::new();
        assert_eq!(take(b"12\x7f", &mut line), (b"12\x08 \x08".to_vec(), None));
        assert_eq!(take(b"\x1b[A", &mut line), (Vec::new(), None));
        assert_eq!(take(b"3\r", &mut line), (b"3".to_vec(), Some(Some("13".to_owned()))));
        assert_eq!(take(b"\x1b", &mut line).1, Some(None));
        assert_eq!(take(b"\x03", &mut line).1, Some(None));
        assert_eq!(take(b"\x04", &mut Vec::new()).1, Some(None));
        assert_eq!(take(b"", &mut Vec::new()).1, Some(None));
    }

    #[test]
    fn a_secret_is_edited_like_an_answer_and_keeps_its_wrong_characters() {
        let read = |keys: &[u8]| take_keys(keys, &mut Vec::new(), Echo::Off).1;
        let typed = |text: &str| Some(Some(text.to_owned()));
        assert_eq!(read(b"sk-1\rrest"), typed("sk-1"));
        assert_eq!(read(b"no\x15sk-22\x7f\n"), typed("sk-2"));
        assert_eq!(read("sk\u{2013}1\r".as_bytes()), typed("sk\u{2013}1"));
        for leave in [&b"sk\x03\r"[..], b"\x04", b"\x1b"] {
            assert_eq!(read(leave), Some(None), "{leave:?}");
        }
    }
}
