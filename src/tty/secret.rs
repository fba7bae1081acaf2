//! Reads a line from the terminal without echo, such as an API key.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;

use nix::sys::termios::{self, LocalFlags, SetArg, Termios};

/// The longest line that is accepted. No API key is as long.
const CAP: usize = 4096;

/// Shows a prompt and reads a line without echo. Returns `None` on Ctrl-C, or on Ctrl-D in an empty line.
pub(crate) fn read_secret(prompt: &str) -> io::Result<Option<String>> {
    read(prompt, |_| String::new())
}

/// Asks a question and returns whether the person typed `y` or `yes`. The line is shown once it is complete.
pub(crate) fn read_yes(question: &str) -> io::Result<bool> {
    let typed = read(&format!("{question} [y/N] "), crate::text::sanitize)?;
    Ok(typed.is_some_and(|typed| ["y", "yes"].contains(&typed.trim().to_ascii_lowercase().as_str())))
}

/// Shows a question and reads a line that is shown as it is typed. Returns `None` on Esc, on Ctrl-C, and on Ctrl-D in an empty line.
pub(crate) fn read_answer(prompt: &str) -> io::Result<Option<String>> {
    let mut terminal = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    let silence = Silence::begin(terminal.try_clone()?)?;
    terminal.write_all(prompt.as_bytes())?;
    let (mut line, mut keys) = (Vec::new(), [0; 64]);
    let typed = loop {
        let count = terminal.read(&mut keys)?;
        let (echo, end) = take_keys(&keys[..count], &mut line);
        terminal.write_all(&echo)?;
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
fn take_keys(keys: &[u8], line: &mut Vec<u8>) -> (Vec<u8>, Option<Option<String>>) {
    let mut echo = Vec::new();
    // Esc comes alone. An arrow or another key that begins with Esc is read whole, and means nothing here.
    match keys {
        [] | [0x1b] => return (echo, Some(None)),
        [0x1b, ..] => return (echo, None),
        _ => {}
    }
    for key in keys {
        match key {
            b'\r' | b'\n' => return (echo, Some(Some(String::from_utf8_lossy(line).into_owned()))),
            0x03 => return (echo, Some(None)),
            0x04 if line.is_empty() => return (echo, Some(None)),
            0x08 | 0x7f if line.pop().is_some() => echo.extend(b"\x08 \x08"),
            0x15 => line.drain(..).for_each(|_| echo.extend(b"\x08 \x08")),
            // Answers are numbers and letters.
            b' '..=b'~' if line.len() < CAP => {
                line.push(*key);
                echo.push(*key);
            }
            _ => {}
        }
    }
    (echo, None)
}

fn read(prompt: &str, shown: impl Fn(&str) -> String) -> io::Result<Option<String>> {
    let mut terminal = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    let silence = Silence::begin(terminal.try_clone()?)?;
    terminal.write_all(prompt.as_bytes())?;
    let typed = read_line(&mut terminal)?;
    drop(silence);
    terminal.write_all(format!("{}\n", shown(typed.as_deref().unwrap_or_default())).as_bytes())?;
    Ok(typed)
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

/// Reads up to Enter. Backspace, Ctrl-U, Ctrl-C and Ctrl-D work as usual.
fn read_line(keys: &mut impl Read) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut key = [0];
    while keys.read(&mut key)? > 0 {
        match key[0] {
            b'\r' | b'\n' => return Ok(Some(String::from_utf8_lossy(&line).into_owned())),
            0x03 => return Ok(None),
            0x04 if line.is_empty() => return Ok(None),
            0x08 | 0x7f => drop(line.pop()),
            0x15 => line.clear(),
            _ if line.len() >= CAP => return Err(io::Error::new(io::ErrorKind::InvalidData, "the line is too long")),
            byte => line.push(byte),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_echoed_and_esc_leaves_but_an_arrow_does_not() {
        let mut line = Vec::new();
        assert_eq!(take_keys(b"12\x7f", &mut line), (b"12\x08 \x08".to_vec(), None));
        assert_eq!(take_keys(b"\x1b[A", &mut line), (Vec::new(), None));
        assert_eq!(take_keys(b"3\r", &mut line), (b"3".to_vec(), Some(Some("13".to_owned()))));
        assert_eq!(take_keys(b"\x1b", &mut line).1, Some(None));
        assert_eq!(take_keys(b"\x03", &mut line).1, Some(None));
        assert_eq!(take_keys(b"\x04", &mut Vec::new()).1, Some(None));
        assert_eq!(take_keys(b"", &mut Vec::new()).1, Some(None));
    }

    #[test]
    fn backspace_and_control_keys_edit_or_cancel_the_line() {
        let read = |mut keys: &[u8]| read_line(&mut keys).unwrap();
        assert_eq!(read(b"sk-1\rrest").as_deref(), Some("sk-1"));
        assert_eq!(read(b"no\x15sk-22\x7f\n").as_deref(), Some("sk-2"));
        assert_eq!(read(b"sk\x03\r"), None);
        assert_eq!(read(b"\x04"), None);
        assert!(read_line(&mut vec![b'x'; CAP + 1].as_slice()).is_err());
    }
}
