//! The kept output of a command that has ended.

use super::plain::Size;
use super::spill::Spilled;
use std::path::PathBuf;

/// The kept parts of a command's output.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// Bytes the command printed, kept or not.
    pub seen: u64,
    /// The first bytes, raw.
    pub head: Vec<u8>,
    /// The last bytes, raw. They directly follow the head unless bytes between them are missing.
    pub tail: Vec<u8>,
    /// The file with the whole output. Retention may delete it at any time.
    pub spill: Option<PathBuf>,
    /// Whether a program used the alternate screen; its drawing was not kept.
    pub full_screen: bool,
    pub(super) offered: u64,
    pub(super) spilled: Option<Spilled>,
}

/// A tail may begin in the middle of a line. The text starts at the first line that begins within this many bytes.
pub(super) const FIRST_LINE: usize = 4096;

impl Output {
    /// An output that was read back from the store. Whether its spill file is complete is no longer known.
    pub(crate) fn restored(seen: u64, head: Vec<u8>, tail: Vec<u8>, missing: u64, full_screen: bool) -> Output {
        let offered = missing.saturating_add((head.len() + tail.len()) as u64);
        Output { seen, head, tail, spill: None, full_screen, offered, spilled: None }
    }

    /// Removes bytes that the shell printed before the command's own output.
    pub(crate) fn trim_start(&mut self, count: usize) {
        self.head.drain(..count);
        self.seen = self.seen.saturating_sub(count as u64);
        self.offered = self.offered.saturating_sub(count as u64);
    }

    /// Whether the head is the whole output and no program used the alternate screen.
    pub(crate) fn is_whole_in_head(&self) -> bool {
        self.seen == self.head.len() as u64 && !self.full_screen
    }

    /// Whether some bytes are neither in memory nor in the spill file.
    ///
    /// The drawing of a full-screen program is not output and does not count.
    pub(crate) fn truncated(&self) -> bool {
        self.missing() > 0 && self.spilled.as_ref().is_none_or(|spilled| spilled.bytes() < self.offered)
    }

    /// The part in memory, as a terminal of this size showed it.
    pub(crate) fn text(&self, size: Size) -> String {
        self.whole(None).text(size)
    }

    /// Bytes between head and tail that are not in memory.
    pub(crate) fn missing(&self) -> u64 {
        self.offered - (self.head.len() + self.tail.len()) as u64
    }
}

pub(super) fn notice(missing: u64) -> String {
    format!("… {missing} bytes not kept …")
}

/// Length of the incomplete line, escape sequence or character at the start of `tail`.
pub(super) fn torn(tail: &[u8]) -> usize {
    match memchr::memchr(b'\n', &tail[..tail.len().min(FIRST_LINE)]) {
        Some(newline) => newline + 1,
        None => tail.iter().take(3).take_while(|&&byte| byte & 0b1100_0000 == 0b1000_0000).count(),
    }
}

/// Length of the incomplete line or character at the end of `head`. It is dropped, because half a line could contain half a
/// secret, which the masking would not recognise.
pub(super) fn torn_end(head: &[u8]) -> usize {
    let near = &head[head.len().saturating_sub(FIRST_LINE)..];
    if let Some(newline) = memchr::memrchr(b'\n', near) {
        return near.len() - newline - 1;
    }
    let last = head.iter().rposition(|byte| byte & 0b1100_0000 != 0b1000_0000).unwrap_or(0);
    match std::str::from_utf8(&head[last..]) {
        Err(error) if error.error_len().is_none() => head.len() - last,
        _ => 0,
    }
}
