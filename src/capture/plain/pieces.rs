//! Reads long output in pieces that do not end within a line, a character or an escape sequence.

use super::ByteVisitor;
use crate::text::{KIB, without_titles};
use memchr::memrchr;
use std::io::{self, Read};
use std::ops::ControlFlow::{self, Break, Continue};

/// The greatest length of a piece.
pub(super) const LENGTH: usize = 64 * KIB;
/// An escape sequence that starts within this many bytes of the end is not cut in two.
const SEQUENCE: usize = 4 * KIB;

const ESC: u8 = 0x1b;

/// Hands out all bytes, without window titles, until the visitor stops.
pub(super) fn visit(mut source: impl Read, length: usize, visit: &mut ByteVisitor<'_>) -> io::Result<ControlFlow<()>> {
    let mut piece = Vec::with_capacity(length);
    loop {
        let room = length - piece.len();
        source.by_ref().take(room as u64).read_to_end(&mut piece)?;
        let is_last = piece.len() < length;
        let end = if is_last { piece.len() } else { end_of(&piece) };
        if visit(&without_titles(&piece[..end])).is_break() {
            return Ok(Break(()));
        }
        if is_last {
            return Ok(Continue(()));
        }
        piece.drain(..end);
    }
}

/// Where a full piece ends: after its last newline, or else before an escape sequence or a character that may be incomplete.
fn end_of(piece: &[u8]) -> usize {
    if let Some(newline) = memrchr(b'\n', piece) {
        return newline + 1;
    }
    let near = piece.len().saturating_sub(SEQUENCE).max(1);
    if let Some(escape) = memrchr(ESC, &piece[near..]) {
        return near + escape;
    }
    let is_continued = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    let lead = piece.len().saturating_sub(1 + piece.iter().rev().take(3).take_while(is_continued).count());
    let is_unfinished = std::str::from_utf8(&piece[lead..]).is_err_and(|error| error.error_len().is_none());
    // A carriage return and the newline after it stay together.
    let end = if is_unfinished || piece.ends_with(b"\r") { lead } else { piece.len() };
    if end == 0 { piece.len() } else { end }
}
