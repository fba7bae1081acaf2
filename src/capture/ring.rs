//! The last bytes of a stream.

/// Keeps the last `limit` bytes pushed; memory grows with the bytes up to that.
#[derive(Debug)]
pub(super) struct Ring {
    limit: usize,
    bytes: Vec<u8>,
    /// Where the oldest byte is once the ring is full; zero before.
    oldest: usize,
}

impl Ring {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, bytes: Vec::new(), oldest: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(self.limit)..];
        let room = self.limit - self.bytes.len();
        let (fresh, over) = bytes.split_at(room.min(bytes.len()));
        extend(&mut self.bytes, fresh, self.limit);
        let (now, wrapped) = over.split_at(over.len().min(self.bytes.len() - self.oldest));
        self.bytes[self.oldest..][..now.len()].copy_from_slice(now);
        self.bytes[..wrapped.len()].copy_from_slice(wrapped);
        if !over.is_empty() {
            self.oldest = (self.oldest + over.len()) % self.limit;
        }
    }

    /// The bytes in order, in two parts.
    pub(super) fn as_slices(&self) -> (&[u8], &[u8]) {
        let (newer, older) = self.bytes.split_at(self.oldest);
        (older, newer)
    }

    /// Takes away the newest bytes.
    pub(super) fn truncate(&mut self, len: usize) {
        self.bytes.rotate_left(self.oldest);
        self.oldest = 0;
        self.bytes.truncate(len);
    }

    pub(super) fn into_vec(mut self) -> Vec<u8> {
        self.bytes.rotate_left(self.oldest);
        self.bytes
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

    proptest! {
        #[test]
        fn keeps_exactly_the_last_bytes(limit in 0usize..20, pushes: Vec<Vec<u8>>) {
            let mut ring = Ring::new(limit);
            for push in &pushes {
                ring.push(push);
            }
            let all = pushes.concat();
            let last = &all[all.len().saturating_sub(limit)..];
            let (older, newer) = ring.as_slices();
            prop_assert_eq!([older, newer].concat(), last);
            prop_assert_eq!(ring.into_vec(), last);
        }
    }
}
