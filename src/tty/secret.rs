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

/// Like [`read_secret`], but shows the line once it is complete.
pub(crate) fn read_words(prompt: &str) -> io::Result<Option<String>> {
    read(prompt, crate::text::sanitize)
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
    fn backspace_and_control_keys_edit_or_cancel_the_line() {
        let read = |mut keys: &[u8]| read_line(&mut keys).unwrap();
        assert_eq!(read(b"sk-1\rrest").as_deref(), Some("sk-1"));
        assert_eq!(read(b"no\x15sk-22\x7f\n").as_deref(), Some("sk-2"));
        assert_eq!(read(b"sk\x03\r"), None);
        assert_eq!(read(b"\x04"), None);
        assert!(read_line(&mut vec![b'x'; CAP + 1].as_slice()).is_err());
    }
}
