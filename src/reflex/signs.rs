//! Finds which of many short texts (signs) occur in another text, in one pass.
//!
//! A sign is indexed by four of its bytes, those that are least common in texts. Where a text contains these bytes, the whole sign is
//! compared. This index is built in a fraction of the time that an automaton takes, which matters because most outputs are short.

use std::sync::LazyLock;

use super::{excerpt, rules};

/// The number of bytes that a sign is indexed by.
const PIECE: usize = 4;

/// The number of hash values of a piece. The filter has one bit for each.
const HASHES: usize = 1 << 16;
const FILTER: usize = HASHES / 64;

/// The number of buckets. Each holds one or two signs.
const SHELVES: usize = 1 << 12;

/// Every sign of every rule and reader.
static ALL: LazyLock<Signs> = LazyLock::new(|| Signs::new(rules::signs().chain(excerpt::signs())));

/// The signs of rules and readers that occur in any of these texts, sorted.
pub(super) fn seen(texts: &[&str]) -> Vec<&'static str> {
    let mut found: Vec<&str> = Vec::new();
    for text in texts {
        ALL.each(text, |sign| {
            if let Err(place) = found.binary_search(&sign) {
                found.insert(place, sign);
            }
            Go::On
        });
    }
    found
}

/// Whether a search continues.
#[derive(PartialEq, Eq)]
enum Go {
    On,
    Home,
}

struct Sign {
    text: &'static str,
    piece: u32,
    /// The offset of its piece in the text.
    offset: usize,
}

/// The signs to search for.
pub(super) struct Signs {
    /// Ordered by the hash of their pieces.
    signs: Vec<Sign>,
    /// The index of the first sign of each bucket. A bucket has the same upper bits of the hash.
    starts: Vec<u16>,
    /// One bit per hash of a piece. Most positions of a text are rejected here.
    filter: Box<[u64; FILTER]>,
    /// Texts shorter than a piece.
    short: Vec<&'static str>,
}

impl Signs {
    pub(super) fn new(texts: impl Iterator<Item = &'static str>) -> Signs {
        let (mut long, mut short): (Vec<&str>, Vec<&str>) = texts.partition(|text| text.len() >= PIECE);
        for list in [&mut long, &mut short] {
            list.sort_unstable();
            list.dedup();
        }
        let mut signs: Vec<Sign> = long.into_iter().map(Sign::new).collect();
        signs.sort_by_key(|sign| hash(sign.piece));
        let mut filter = Box::new([0; FILTER]);
        let mut starts = vec![0; SHELVES + 1];
        for sign in &signs {
            let hash = hash(sign.piece);
            filter[hash / 64] |= 1 << (hash % 64);
            starts[hash / (HASHES / SHELVES) + 1] += 1;
        }
        for shelf in 1..starts.len() {
            starts[shelf] += starts[shelf - 1];
        }
        Signs { signs, starts, filter, short }
    }

    /// Whether a text contains any of the signs.
    pub(super) fn any_in(&self, text: &str) -> bool {
        let mut is_found = false;
        self.each(text, |_| {
            is_found = true;
            Go::Home
        });
        is_found
    }

    /// Calls `tell` for each sign in the text. A sign may be reported more than once.
    fn each(&self, text: &str, mut tell: impl FnMut(&'static str) -> Go) {
        for short in &self.short {
            if text.contains(short) && tell(short) == Go::Home {
                return;
            }
        }
        let text = text.as_bytes();
        let mut piece = 0;
        for (last, byte) in text.iter().enumerate() {
            piece = piece << 8 | u32::from(*byte);
            let hash = hash(piece);
            if self.filter[hash / 64] >> (hash % 64) & 1 == 0 {
                continue;
            }
            let shelf = hash / (HASHES / SHELVES);
            let shelved = usize::from(self.starts[shelf])..usize::from(self.starts[shelf + 1]);
            for sign in self.signs[shelved].iter().filter(|sign| sign.piece == piece) {
                let start = (last + 1).checked_sub(PIECE + sign.offset);
                let is_there = start.is_some_and(|start| text[start..].starts_with(sign.text.as_bytes()));
                if is_there && tell(sign.text) == Go::Home {
                    return;
                }
            }
        }
    }
}

impl Sign {
    fn new(text: &'static str) -> Sign {
        let rarest = text.as_bytes().windows(PIECE).enumerate().min_by_key(|(_, window)| commonness(window));
        let (offset, window) = rarest.unwrap_or_default();
        Sign { text, piece: piece(window), offset }
    }
}

fn piece(window: &[u8]) -> u32 {
    window.iter().fold(0, |piece, byte| piece << 8 | u32::from(*byte))
}

#[inline]
fn hash(piece: u32) -> usize {
    (piece.wrapping_mul(0x9e37_79b1) >> 16) as usize % HASHES
}

/// Estimates how common these bytes are in texts.
fn commonness(window: &[u8]) -> u32 {
    let common = |byte: &u8| match byte {
        b' ' | b'e' | b't' | b'a' | b'o' | b'n' | b'i' | b's' | b'r' => 4,
        b'a'..=b'z' => 2,
        _ => 1,
    };
    window.iter().map(common).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_inside_other_signs_are_found() {
        let found = seen(&["x\nbash: gti: command not found\n", "fatal: not a git repository"]);
        let has = |sign: &str| found.contains(&sign);
        assert!(has("command not found") && has("not found") && !has("EADDRINUSE"));
    }

    #[test]
    fn every_sign_is_found_at_any_position() {
        for sign in rules::signs().chain(excerpt::signs()) {
            for text in [sign.to_owned(), format!("x{sign}"), format!("{sign}x"), format!("été {sign} été")] {
                assert!(seen(&[&text]).contains(&sign), "{sign:?} in {text:?}");
            }
        }
        assert_eq!(seen(&["", "a", "\0\0\0\0"]), Vec::<&str>::new());
    }
}
