//! Masks the nonce in everything that is recorded. A shell can print its variables, and a program that knows the nonce can forge
//! marks.

use std::borrow::Cow;

use memchr::memmem;

use crate::capture::Output;

/// The byte that replaces each byte of the nonce.
const MASK: u8 = b'*';

/// The nonce of the session's marks, and whether a program has printed it.
#[derive(Default)]
pub(in crate::session) struct NonceMask {
    /// `None` until the session has a nonce.
    finder: Option<memmem::Finder<'static>>,
    was_seen: bool,
}

impl NonceMask {
    pub(in crate::session) fn new(nonce: &str) -> NonceMask {
        let finder = (!nonce.is_empty()).then(|| memmem::Finder::new(nonce).into_owned());
        NonceMask { finder, was_seen: false }
    }

    /// The bytes with the nonce masked.
    pub(in crate::session) fn mask<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut masked = Cow::Borrowed(bytes);
        if let Some(finder) = &self.finder {
            while let Some(at) = finder.find(&masked) {
                self.was_seen = true;
                masked.to_mut()[at..at + finder.needle().len()].fill(MASK);
            }
        }
        masked
    }

    /// Also masks a nonce that was printed in two pieces.
    pub(super) fn mask_whole(&mut self, output: &mut Output) {
        for part in [&mut output.head, &mut output.tail] {
            if let Cow::Owned(masked) = self.mask(part) {
                *part = masked;
            }
        }
    }

    /// Whether a program has printed the nonce since the last call.
    pub(in crate::session) fn take_leak(&mut self) -> bool {
        std::mem::take(&mut self.was_seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nonce_is_masked_and_noticed() {
        let mut nonce = NonceMask::new("0a1b");
        assert_eq!(nonce.mask(b"nothing"), Cow::Borrowed(b"nothing"));
        assert!(!nonce.take_leak());
        assert_eq!(*nonce.mask(b"x0a1by0a1b"), *b"x****y****");
        assert!(nonce.take_leak());
        assert!(!nonce.take_leak(), "asked once");
    }

    #[test]
    fn without_a_nonce_nothing_is_masked() {
        assert_eq!(*NonceMask::new("").mask(b"**"), *b"**");
    }
}
