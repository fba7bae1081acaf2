//! A bounded queue of bytes to write.

/// Above this size the source is not read until the receiver has accepted some bytes: a slow terminal slows the shell down and
/// costs no memory.
const CAP: usize = 64 * 1024;

/// A queue of bytes for one receiver.
#[derive(Debug, Default)]
pub(in crate::session) struct Outbox {
    bytes: Vec<u8>,
    sent: usize,
}

impl Outbox {
    pub(in crate::session) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The bytes to write next.
    pub(in crate::session) fn front(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    pub(in crate::session) fn is_empty(&self) -> bool {
        self.front().is_empty()
    }

    /// Removes all but the first `count` waiting bytes.
    pub(in crate::session) fn truncate(&mut self, count: usize) {
        self.bytes.truncate(self.sent + count);
    }

    /// Whether the source may be read again.
    pub(in crate::session) fn has_room(&self) -> bool {
        self.front().len() < CAP
    }

    /// Removes the bytes that the receiver has accepted.
    pub(in crate::session) fn consume(&mut self, count: usize) {
        self.sent += count;
        if self.sent >= self.bytes.len() {
            self.bytes.clear();
            self.sent = 0;
        } else if self.sent >= CAP.max(2 * self.front().len()) {
            // This happens rarely enough that few bytes are moved for each one sent.
            self.bytes.drain(..self.sent);
            self.sent = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_and_room_is_bounded() {
        let mut outbox = Outbox::default();
        let mut expected = Vec::new();
        let mut received = Vec::new();
        for round in 0..2_000u32 {
            if outbox.has_room() {
                let bytes = round.to_le_bytes().repeat(300);
                outbox.push(&bytes);
                expected.extend(bytes);
            }
            let taken = outbox.front().len().min(777);
            received.extend_from_slice(&outbox.front()[..taken]);
            outbox.consume(taken);
            assert!(outbox.bytes.len() <= 3 * (CAP + 1200), "round {round}: {}", outbox.bytes.len());
        }
        received.extend_from_slice(outbox.front());
        assert_eq!(received, expected);
    }

    #[test]
    fn the_last_queued_bytes_can_be_removed() {
        let mut outbox = Outbox::default();
        outbox.push(b"shown|kept|");
        outbox.consume(6);
        let waiting = outbox.front().len();
        outbox.push(b"wrong");
        outbox.truncate(waiting);
        assert_eq!(outbox.front(), b"kept|");
        outbox.consume(5);
        assert!(outbox.is_empty() && outbox.has_room());
    }
}
