//! The format of a pack: contents one after the other, then a table of them, then how many there are, then a magic number.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::state::ContentName;

pub(super) const EXTENSION: &str = "pack";

const MAGIC: &[u8; 8] = b"smundo01";
/// The bytes of a row of the table: name, offset and length.
const ROW: u64 = 32 + 8 + 8;
/// The bytes after the table.
const TAIL: u64 = 8 + 8;

/// A content in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackEntry {
    pub(super) name: ContentName,
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// What follows the contents.
pub(super) fn footer(entries: &[PackEntry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        bytes.extend_from_slice(&entry.name.bytes());
        bytes.extend_from_slice(&entry.offset.to_le_bytes());
        bytes.extend_from_slice(&entry.length.to_le_bytes());
    }
    bytes.extend_from_slice(&(entries.len() as u64).to_le_bytes());
    bytes.extend_from_slice(MAGIC);
    bytes
}

/// Reads the table of a pack. An error if the file is no pack.
pub(super) fn entries(path: &Path) -> io::Result<Vec<PackEntry>> {
    let no_pack = || io::Error::from(io::ErrorKind::InvalidData);
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut tail = [0; TAIL as usize];
    let end = size.checked_sub(TAIL).ok_or_else(no_pack)?;
    file.read_exact_at(&mut tail, end)?;
    let (count, magic) = tail.split_at(8);
    let table = number(count).checked_mul(ROW).filter(|_| magic == MAGIC).ok_or_else(no_pack)?;
    let start = end.checked_sub(table).ok_or_else(no_pack)?;
    let mut rows = vec![0; usize::try_from(table).map_err(|_| no_pack())?];
    file.read_exact_at(&mut rows, start)?;
    let entries = rows.chunks_exact(ROW as usize).filter_map(|row| {
        let name = ContentName::from_bytes(row[..32].try_into().ok()?);
        let (offset, length) = (number(&row[32..40]), number(&row[40..]));
        let is_inside = offset.checked_add(length).is_some_and(|end| end <= start);
        is_inside.then_some(PackEntry { name, offset, length })
    });
    Ok(entries.collect())
}

/// Writes a pack with these contents of another.
pub(super) fn copy(from: &File, entries: Vec<PackEntry>, to: &mut File) -> io::Result<()> {
    let (mut kept, mut at) = (Vec::new(), 0);
    for entry in entries {
        let mut bytes = vec![0; usize::try_from(entry.length).unwrap_or_default()];
        from.read_exact_at(&mut bytes, entry.offset)?;
        to.write_all(&bytes)?;
        kept.push(PackEntry { offset: at, ..entry });
        at += entry.length;
    }
    to.write_all(&footer(&kept))
}

fn number(bytes: &[u8]) -> u64 {
    bytes.try_into().map(u64::from_le_bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_file_that_is_no_pack_is_refused_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..200), is_signed: bool) {
            let file = tempfile::NamedTempFile::new().unwrap();
            let mut bytes = bytes;
            if is_signed {
                bytes.extend_from_slice(MAGIC);
            }
            std::fs::write(file.path(), &bytes).unwrap();
            for entry in entries(file.path()).unwrap_or_default() {
                prop_assert!(entry.offset + entry.length <= bytes.len() as u64);
            }
        }
    }

    #[test]
    fn the_table_of_a_pack_is_read_back() {
        let entry = |text: &[u8], offset| PackEntry { name: ContentName::of(text), offset, length: text.len() as u64 };
        let all = vec![entry(b"one", 0), entry(b"three", 3), entry(b"", 8)];
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [b"onethree", &footer(&all)[..]].concat()).unwrap();
        assert_eq!(entries(file.path()).unwrap(), all);
        let mut rest = tempfile::tempfile().unwrap();
        copy(file.as_file(), all[1..].to_vec(), &mut rest).unwrap();
        let mut bytes = [0; 5];
        rest.read_exact_at(&mut bytes, 0).unwrap();
        assert_eq!(&bytes, b"three");
    }
}
