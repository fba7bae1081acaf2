//! The nonce in what is remembered: a shell shows its variables when it is asked to, and with the nonce anybody could forge marks.

use std::borrow::Cow;

use memchr::memmem;

use super::Stage;
use crate::capture::Output;

/// What stands in its place.
const MASK: u8 = b'*';

/// The nonce of the session's marks, and whether a program has printed it.
#[derive(Default)]
pub(super) struct Nonce {
    /// None until the session has one.
    finder: Option<memmem::Finder<'static>>,
    was_seen: bool,
}

impl Nonce {
    /// The same bytes without the nonce.
    pub(super) fn mask<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut masked = Cow::Borrowed(bytes);
        if let Some(finder) = &self.finder {
            while let Some(at) = finder.find(&masked) {
                self.was_seen = true;
                masked.to_mut()[at..at + finder.needle().len()].fill(MASK);
            }
        }
        masked
    }

    /// Masks it where it came in two pieces, too.
    pub(super) fn mask_whole(&mut self, output: &mut Output) {
        for part in [&mut output.head, &mut output.tail] {
            if let Cow::Owned(masked) = self.mask(part) {
                *part = masked;
            }
        }
    }
}

impl Stage {
    /// Marks have this nonce from here on.
    pub(in crate::session) fn keep_secret(&mut self, nonce: &str) {
        let finder = (!nonce.is_empty()).then(|| memmem::Finder::new(nonce).into_owned());
        self.nonce = Nonce { finder, was_seen: false };
    }

    /// Whether a program has printed the nonce, asked once.
    pub(in crate::session) fn take_leak(&mut self) -> bool {
        std::mem::take(&mut self.nonce.was_seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nonce_is_masked_and_noticed() {
        let mut nonce = Nonce { finder: Some(memmem::Finder::new("0a1b").into_owned()), was_seen: false };
        assert_eq!(nonce.mask(b"nothing"), Cow::Borrowed(b"nothing"));
        assert!(!nonce.was_seen);
        assert_eq!(*nonce.mask(b"x0a1by0a1b"), *b"x****y****");
        assert!(nonce.was_seen);
    }
}
