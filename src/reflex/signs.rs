//! Which of many short texts another text holds, found in one pass over it.
//!
//! Each is known by one piece of four bytes, the one least likely to stand anywhere else. Where a text has that piece, the whole is
//! compared. Such an index is made in a fraction of the time an automaton takes, which counts: most outputs are short.

use std::sync::LazyLock;

use super::{excerpt, rules};

/// Bytes of a text that stand for all of it.
const PIECE: usize = 4;

/// Words of the filter: a bit for each hash of sixteen bits.
const FILTER: usize = 1 << 16 >> 6;

/// Every sign of every rule and reader.
static ALL: LazyLock<Signs> = LazyLock::new(|| Signs::new(rules::signs().chain(excerpt::signs())));

/// The signs of rules and readers in any of these texts, in order.
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

/// Whether a search goes on.
#[derive(PartialEq, Eq)]
enum Go {
    On,
    Home,
}

struct Sign {
    text: &'static str,
    piece: u32,
    /// Where in the text its piece stands.
    offset: usize,
}

/// Texts to look for.
pub(super) struct Signs {
    /// Ordered by their pieces.
    signs: Vec<Sign>,
    /// A bit for each hash of a piece: most of a text ends here.
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
        signs.sort_by_key(|sign| sign.piece);
        let mut filter = Box::new([0; FILTER]);
        for sign in &signs {
            let (place, bit) = place(sign.piece);
            filter[place] |= bit;
        }
        Signs { signs, filter, short }
    }

    /// Whether a text holds any of them.
    pub(super) fn any_in(&self, text: &str) -> bool {
        let mut is_found = false;
        self.each(text, |_| {
            is_found = true;
            Go::Home
        });
        is_found
    }

    /// Tells of each that is there, of some more than once.
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
            let (place, bit) = place(piece);
            if self.filter[place] & bit == 0 {
                continue;
            }
            let first = self.signs.partition_point(|sign| sign.piece < piece);
            for sign in self.signs[first..].iter().take_while(|sign| sign.piece == piece) {
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

/// Where in the filter a piece is, and its bit there.
#[inline]
fn place(piece: u32) -> (usize, u64) {
    let hash = piece.wrapping_mul(0x9e37_79b1) >> 16;
    ((hash >> 6) as usize % FILTER, 1 << (hash % u64::BITS))
}

/// How often such bytes stand in a text, roughly.
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
    fn signs_within_others_are_seen() {
        let found = seen(&["x\nbash: gti: command not found\n", "fatal: not a git repository"]);
        let has = |sign: &str| found.contains(&sign);
        assert!(has("command not found") && has("not found") && !has("EADDRINUSE"));
    }

    #[test]
    fn every_sign_is_found_wherever_it_stands() {
        for sign in rules::signs().chain(excerpt::signs()) {
            for text in [sign.to_owned(), format!("x{sign}"), format!("{sign}x"), format!("été {sign} été")] {
                assert!(seen(&[&text]).contains(&sign), "{sign:?} in {text:?}");
            }
        }
        assert_eq!(seen(&["", "a", "\0\0\0\0"]), Vec::<&str>::new());
    }
}
