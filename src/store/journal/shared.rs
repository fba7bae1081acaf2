//! A file that is mapped into memory: what is copied there outlives the process, without a system call for each copy.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::MmapRaw;

/// Bytes of one counter.
const COUNTER: usize = size_of::<u64>();

/// The part of a mapped file in front of its counters. Only one thread has it.
#[derive(Debug)]
pub(super) struct Pages {
    map: Arc<MmapRaw>,
}

/// Two counters at the end of a mapped file, for whoever looks at it from another thread or process: the sequence number of the last
/// command that was copied, and that of the last one the database has.
#[derive(Debug, Clone)]
pub(in crate::store) struct Counters {
    map: Arc<MmapRaw>,
}

/// Gives a new file its size and maps it. The memory is reserved here: a page that could not be had later would be a fatal signal.
pub(super) fn map(file: &File, size: usize) -> io::Result<(Pages, Counters)> {
    reserve(file, size)?;
    let map = Arc::new(MmapRaw::map_raw(file)?);
    Ok((Pages { map: Arc::clone(&map) }, Counters { map }))
}

#[cfg(target_os = "linux")]
fn reserve(file: &File, size: usize) -> io::Result<()> {
    let length = i64::try_from(size).map_err(|_| io::ErrorKind::InvalidInput)?;
    Ok(nix::fcntl::fallocate(file, nix::fcntl::FallocateFlags::empty(), 0, length)?)
}

#[cfg(not(target_os = "linux"))]
fn reserve(file: &File, size: usize) -> io::Result<()> {
    file.write_all_at(&vec![0; size], 0)
}

impl Pages {
    /// How many bytes there are.
    pub(super) fn len(&self) -> usize {
        self.map.len() - 2 * COUNTER
    }

    /// Copies `bytes` to an offset. Returns whether there is room for them.
    pub(super) fn write(&mut self, at: usize, bytes: &[u8]) -> bool {
        if at.checked_add(bytes.len()).is_none_or(|end| end > self.len()) {
            return false;
        }
        // SAFETY: the range lies inside the mapping and in front of the counters, which was checked above. `bytes` is memory of
        // this process and no part of the mapping. Nobody else in this process writes or reads this range: `Pages` exists once per
        // mapping and is borrowed mutably. Other processes read the file only when this one has ended.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.map.as_mut_ptr().add(at), bytes.len()) };
        true
    }
}

impl Counters {
    /// The commands up to this sequence number were copied.
    pub(super) fn set_handed_over(&self, sequence: u64) {
        self.counter(2).store(sequence, Ordering::Release);
    }

    /// The database has the commands up to this sequence number, or never will have them.
    pub(in crate::store) fn set_stored(&self, sequence: u64) {
        self.counter(1).store(sequence, Ordering::Release);
    }

    fn counter(&self, from_end: usize) -> &AtomicU64 {
        let at = self.map.len() - from_end * COUNTER;
        // SAFETY: a mapping begins at a page, and its length, which `map` was given, is a multiple of eight: the pointer is aligned
        // and lies inside. These bytes are only ever accessed as atomic numbers, and they live as long as the mapping.
        unsafe { AtomicU64::from_ptr(self.map.as_mut_ptr().add(at).cast()) }
    }
}

/// Whether the session that has mapped this file knows commands that the database does not have yet.
pub(in crate::store) fn is_behind(file: &File) -> io::Result<bool> {
    let mut counters = [0; 2 * COUNTER];
    let at = file.metadata()?.len().saturating_sub(counters.len() as u64);
    file.read_exact_at(&mut counters, at)?;
    let [handed_over, stored] =
        [0, COUNTER].map(|at| counters[at..].first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes)));
    Ok(stored < handed_over)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_stay_in_the_file_and_never_reach_the_counters() {
        let file = tempfile::tempfile().unwrap();
        let (mut pages, counters) = map(&file, 4096).unwrap();
        counters.set_handed_over(3);
        assert!(is_behind(&file).unwrap());
        counters.set_stored(3);
        assert!(!is_behind(&file).unwrap());
        assert!(pages.write(pages.len() - 4, b"last"));
        assert!(!pages.write(pages.len() - 3, b"more"));
        assert!(!pages.write(usize::MAX, b"more"));
        drop((pages, counters));
        let mut bytes = [0; 4];
        file.read_exact_at(&mut bytes, 4096 - 2 * COUNTER as u64 - 4).unwrap();
        assert_eq!(&bytes, b"last");
        assert!(!is_behind(&file).unwrap());
    }
}
