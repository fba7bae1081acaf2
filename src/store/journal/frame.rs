//! One record as bytes: length, checksum, sequence number, payload.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Length and checksum, four bytes each, and the sequence number.
const HEADER: usize = 16;

/// A record that was read back.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::store) struct Frame {
    pub(in crate::store) sequence: u64,
    pub(in crate::store) payload: Vec<u8>,
    /// Offset of the byte after it.
    pub(in crate::store) end: u64,
}

/// Appends a frame to `bytes`.
pub(super) fn encode(sequence: u64, payload: &[u8], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&u32::try_from(payload.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend_from_slice(&checksum(sequence, payload).to_le_bytes());
    bytes.extend_from_slice(&sequence.to_le_bytes());
    bytes.extend_from_slice(payload);
}

fn checksum(sequence: u64, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&sequence.to_le_bytes());
    hasher.update(payload);
    hasher.finalize()
}

/// Reads frames until the end, or until one that is incomplete or damaged.
pub(in crate::store) struct Frames<'a> {
    file: &'a File,
    at: u64,
    end: u64,
}

impl<'a> Frames<'a> {
    pub(super) fn new(file: &'a File, at: u64, end: u64) -> Self {
        Frames { file, at, end }
    }

    fn read(&mut self) -> io::Result<Option<Frame>> {
        let body = self.at + HEADER as u64;
        if body > self.end {
            return Ok(None);
        }
        let mut header = [0; HEADER];
        self.file.read_exact_at(&mut header, self.at)?;
        let [l0, l1, l2, l3, c0, c1, c2, c3, s0, s1, s2, s3, s4, s5, s6, s7] = header;
        let length = u32::from_le_bytes([l0, l1, l2, l3]);
        let expected = u32::from_le_bytes([c0, c1, c2, c3]);
        let sequence = u64::from_le_bytes([s0, s1, s2, s3, s4, s5, s6, s7]);
        let end = body + u64::from(length);
        if end > self.end {
            return Ok(None);
        }
        let mut payload = vec![0; length as usize];
        self.file.read_exact_at(&mut payload, body)?;
        if checksum(sequence, &payload) != expected {
            return Ok(None);
        }
        self.at = end;
        Ok(Some(Frame { sequence, payload, end }))
    }
}

impl Iterator for Frames<'_> {
    type Item = io::Result<Frame>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let frames = Frames::new(&file, 0, bytes.len() as u64);
        frames.map(|frame| frame.unwrap()).map(|frame| (frame.sequence, frame.payload)).collect()
    }

    #[test]
    fn a_torn_or_damaged_frame_ends_the_journal() {
        let mut bytes = Vec::new();
        encode(7, b"first", &mut bytes);
        let first = bytes.len();
        encode(8, b"", &mut bytes);
        let second = bytes.len();
        encode(9, b"third", &mut bytes);
        let all = [(7, b"first".to_vec()), (8, Vec::new()), (9, b"third".to_vec())];
        assert_eq!(read(&bytes), all);
        for cut in 0..bytes.len() {
            let whole = [first, second, bytes.len()].iter().filter(|&&end| end <= cut).count();
            assert_eq!(read(&bytes[..cut]), all[..whole], "cut at {cut}");
        }
        for damaged in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[damaged] ^= 0x40;
            let whole = [first, second, bytes.len()].iter().filter(|&&end| end <= damaged).count();
            assert_eq!(read(&bytes), all[..whole], "damaged at {damaged}");
        }
    }
}
