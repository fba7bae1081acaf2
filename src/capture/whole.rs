//! A command's output joined with its spill file, of any length.

use super::Output;
use super::output::{FIRST_LINE, notice, torn, torn_end};
use super::plain::{self, Size};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// As much of an output as still exists. It is read from the disk while it is written somewhere, and never held in memory as a
/// whole.
#[derive(Debug)]
pub(crate) struct Whole<'a> {
    start: WholeStart<'a>,
    /// Bytes missing between the start and the tail.
    missing: u64,
    tail: &'a [u8],
}

#[derive(Debug)]
enum WholeStart<'a> {
    Memory(&'a [u8]),
    /// A spill file and its length.
    File(File, u64),
}

impl Output {
    /// Joins this output with the file at `spill`.
    pub(crate) fn whole(&self, spill: Option<&Path>) -> Whole<'_> {
        let Some((file, length)) = spill.and_then(|path| open(path).ok()) else {
            return Whole { start: WholeStart::Memory(&self.head), missing: self.missing(), tail: &self.tail };
        };
        // A spill file has the beginning of the output, usually all of it. Bytes missing at its end may be in the tail.
        let printed = self.missing() + (self.head.len() + self.tail.len()) as u64;
        let lacking = printed.saturating_sub(length);
        let from_tail = usize::try_from(lacking).unwrap_or(usize::MAX).min(self.tail.len());
        Whole {
            start: WholeStart::File(file, length),
            missing: lacking - from_tail as u64,
            tail: &self.tail[self.tail.len() - from_tail..],
        }
    }
}

impl Whole<'_> {
    /// Writes the raw bytes, with one line in place of missing ones.
    pub(crate) fn write_raw(&self, out: &mut impl Write) -> io::Result<()> {
        io::copy(&mut self.start.read(0)?, out)?;
        if self.missing > 0 {
            write!(out, "\r\n{}\r\n", notice(self.missing))?;
        }
        out.write_all(self.tail)
    }

    /// Writes the text that a terminal of this size showed, piece by piece.
    pub(crate) fn write_text(&self, size: Size, write: &mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        if self.missing == 0 {
            return plain::stream(|| Ok(self.start.read(0)?.chain(self.tail)), size, write);
        }
        // Each side of the gap gets its own screen: a progress bar in the tail must not move up into the start.
        let cut_off = torn_end(&self.start.last(FIRST_LINE)?);
        let tail = &self.tail[torn(self.tail)..];
        let missing = self.missing + (cut_off + self.tail.len() - tail.len()) as u64;
        let mut is_empty = true;
        plain::stream(|| self.start.read(cut_off), size, &mut |text| {
            is_empty = false;
            write(text)
        })?;
        if !is_empty {
            write("\n")?;
        }
        write(&notice(missing))?;
        write("\n")?;
        plain::stream(|| Ok(tail), size, write)
    }

    /// The same text in memory. If an error occurs, the text ends there.
    pub(crate) fn text(&self, size: Size) -> String {
        let mut text = String::new();
        let written = self.write_text(size, &mut |piece| {
            text.push_str(piece);
            Ok(())
        });
        if let Err(error) = written {
            tracing::warn!(%error, "an output cannot be read to its end");
        }
        text
    }
}

impl WholeStart<'_> {
    /// Reads from the start, without the last `cut_off` bytes.
    fn read(&self, cut_off: usize) -> io::Result<Box<dyn Read + '_>> {
        Ok(match self {
            WholeStart::Memory(bytes) => Box::new(&bytes[..bytes.len() - cut_off]),
            WholeStart::File(file, length) => {
                let mut file: &File = file;
                file.seek(SeekFrom::Start(0))?;
                Box::new(file.take(length - cut_off as u64))
            }
        })
    }

    /// The last bytes, at most this many.
    fn last(&self, count: usize) -> io::Result<Vec<u8>> {
        match self {
            WholeStart::Memory(bytes) => Ok(bytes[bytes.len().saturating_sub(count)..].to_vec()),
            WholeStart::File(file, length) => {
                let from = length.saturating_sub(count as u64);
                let mut bytes = vec![0; (length - from) as usize];
                file.read_exact_at(&mut bytes, from)?;
                Ok(bytes)
            }
        }
    }
}

/// Opens a file only if it belongs to the user: the runtime directory may be in /tmp, and the path may be years old.
fn open(path: &Path) -> io::Result<(File, u64)> {
    let flags = nix::fcntl::OFlag::O_NOFOLLOW | nix::fcntl::OFlag::O_NONBLOCK;
    let file: File = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
    let about = file.metadata()?;
    if !about.is_file() || about.uid() != nix::unistd::geteuid().as_raw() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok((file, about.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spill_file_and_a_tail_are_joined() {
        // The output is "0123456789", of which the history has 01 and 789.
        let kept = Output::restored(10, b"01".to_vec(), b"789".to_vec(), 5, false);
        let joined = |spilled: &str| {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), spilled).unwrap();
            let mut raw = Vec::new();
            kept.whole(Some(file.path())).write_raw(&mut raw).unwrap();
            String::from_utf8(raw).unwrap()
        };
        assert_eq!(joined("0123456789"), "0123456789");
        assert_eq!(joined("01234567"), "0123456789");
        assert_eq!(joined("01234"), "01234\r\n… 2 bytes not kept …\r\n789");
        let mut raw = Vec::new();
        kept.whole(Some(Path::new("/nowhere/1.out"))).write_raw(&mut raw).unwrap();
        assert_eq!(String::from_utf8(raw).unwrap(), "01\r\n… 5 bytes not kept …\r\n789");
    }

    #[test]
    fn a_gap_after_the_spill_file_is_named() {
        let tail = b"half a line\r\nlast\r\n".to_vec();
        let kept = Output::restored(5_000_000, b"first\r\n".to_vec(), tail, 4_000_000, false);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "first\r\nsecond\r\nthi").unwrap();
        let text = kept.whole(Some(file.path())).text(Size::new(24, 80));
        assert_eq!(text, "first\nsecond\n… 4000005 bytes not kept …\nlast");
    }
}
