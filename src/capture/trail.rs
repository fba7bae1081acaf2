//! The last bytes of a stream, in blocks that the spill's writer reads in place.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use crate::text::KIB;

/// Large enough that the cost of passing a block on is negligible, small enough that it is still in the cache when it is written.
const BLOCK: usize = 128 * KIB;

/// Keeps the last `limit` bytes. Memory grows with the bytes, up to `limit` and two blocks.
///
/// Each byte is copied once, into the newest block. A full block never changes, so the tail and the writer share it. When neither
/// needs it any more, it is filled again.
#[derive(Debug)]
pub(super) struct Trail {
    limit: usize,
    /// Full blocks, oldest first, as far back as the tail reaches.
    full: VecDeque<Arc<Vec<u8>>>,
    newest: Vec<u8>,
    /// Blocks before the tail, which the writer may still be reading.
    retired: VecDeque<Arc<Vec<u8>>>,
}

impl Trail {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, full: VecDeque::new(), newest: Vec::new(), retired: VecDeque::new() }
    }

    /// Takes as many bytes as the newest block has room for. Returns the rest; [`Trail::turn`] makes room for it.
    pub(super) fn fill<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.newest.len()));
        extend(&mut self.newest, now, BLOCK);
        later
    }

    /// Starts a new block. Returns the full one.
    pub(super) fn turn(&mut self) -> Arc<Vec<u8>> {
        let next = self.unused();
        let full = Arc::new(mem::replace(&mut self.newest, next));
        self.full.push_back(full.clone());
        while self.full.iter().skip(1).map(|block| block.len()).sum::<usize>() >= self.limit {
            self.retired.extend(self.full.pop_front());
        }
        full
    }

    /// An empty block: one that nobody reads any more, or a new one. Other unread blocks are freed.
    fn unused(&mut self) -> Vec<u8> {
        let mut unused = Vec::new();
        // Blocks are written in order, so the blocks after one that is still being read are in use too.
        while self.retired.front().is_some_and(|block| Arc::strong_count(block) == 1) {
            unused = self.retired.pop_front().and_then(Arc::into_inner).unwrap_or_default();
        }
        unused.clear();
        unused
    }

    /// The full blocks of the tail. Until the tail exceeds its limit, these are all full blocks.
    pub(super) fn full(&self) -> impl Iterator<Item = &Arc<Vec<u8>>> {
        self.full.iter()
    }

    /// Whether there were more bytes than the tail keeps.
    pub(super) fn is_over(&self) -> bool {
        self.held() > self.limit
    }

    fn held(&self) -> usize {
        self.full.iter().map(|block| block.len()).sum::<usize>() + self.newest.len()
    }

    /// The last bytes, at most `count`.
    pub(super) fn last(&self, count: usize) -> Vec<u8> {
        let count = count.min(self.limit).min(self.held());
        if let Some(start) = self.newest.len().checked_sub(count) {
            return self.newest[start..].to_vec();
        }
        let blocks = self.full.iter().map(|block| block.as_slice()).chain([self.newest.as_slice()]);
        let held = blocks.collect::<Vec<_>>().concat();
        held[held.len() - count..].to_vec()
    }

    /// Removes the last bytes.
    pub(super) fn disown(&mut self, count: usize) {
        let mut left = self.held().saturating_sub(count);
        for block in &mut self.full {
            if left < block.len() {
                *block = Arc::new(block[..left].to_vec());
            }
            left -= block.len();
        }
        self.full.retain(|block| !block.is_empty());
        self.newest.truncate(left);
    }

    /// The tail, and the part of it that is not in a full block.
    pub(super) fn into_parts(self) -> (Vec<u8>, Vec<u8>) {
        (self.last(self.limit), self.newest)
    }
}

/// Appends to a buffer that doubles as it grows but never takes more than `limit`.
pub(super) fn extend(buffer: &mut Vec<u8>, bytes: &[u8], limit: usize) {
    let needed = buffer.len() + bytes.len();
    if needed > buffer.capacity() {
        buffer.reserve_exact((2 * buffer.capacity()).min(limit).max(needed) - buffer.len());
    }
    buffer.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pushes all bytes. Returns the blocks that became full.
    fn push(trail: &mut Trail, mut bytes: &[u8]) -> Vec<Arc<Vec<u8>>> {
        let mut full = Vec::new();
        loop {
            bytes = trail.fill(bytes);
            if bytes.is_empty() {
                return full;
            }
            full.push(trail.turn());
        }
    }

    #[test]
    fn a_block_is_filled_again_only_when_nobody_reads_it() {
        let mut trail = Trail::new(BLOCK);
        let read: Vec<_> = (0..9).flat_map(|number| push(&mut trail, &[number; BLOCK])).collect();
        assert_eq!(trail.full.len() + trail.retired.len(), 8, "all of them are being read");
        assert!(read.iter().zip(0..).all(|(block, number)| **block == [number; BLOCK]));
        drop(read);
        for number in 9..99 {
            push(&mut trail, &[number; BLOCK]);
            assert!(trail.full.len() + trail.retired.len() <= 2, "those that nobody reads are not kept");
        }
        assert_eq!(trail.last(usize::MAX), [98; BLOCK]);
    }

    proptest! {
        #[test]
        fn the_last_bytes_are_kept_and_every_byte_is_handed_over(
            limit in 0..3 * BLOCK,
            pushes in proptest::collection::vec((any::<u8>(), 0..2 * BLOCK), 0..5),
            count in 0..2 * BLOCK,
        ) {
            let mut trail = Trail::new(limit);
            let (mut all, mut handed_over) = (Vec::new(), Vec::new());
            for (number, (byte, length)) in pushes.into_iter().enumerate() {
                let bytes: Vec<u8> = (0..length).map(|at| byte.wrapping_add((at / 1000 + number) as u8)).collect();
                all.extend_from_slice(&bytes);
                handed_over.extend(push(&mut trail, &bytes));
            }
            let last = |all: &[u8], count: usize| all[all.len().saturating_sub(count)..].to_vec();
            prop_assert!(trail.last(count) == last(&all, count.min(limit)));
            prop_assert!([handed_over.iter().flat_map(|block| block.to_vec()).collect(), trail.newest.clone()].concat() == all);
            prop_assert_eq!(trail.is_over(), all.len() > limit);

            let held = trail.held();
            trail.disown(count);
            all.truncate(all.len().saturating_sub(count.min(held)));
            prop_assert!(trail.last(usize::MAX) == last(&all, limit.min(held.saturating_sub(count))));
        }
    }
}
