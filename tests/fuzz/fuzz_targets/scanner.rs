//! Any way of cutting a stream gives the same bytes and marks, and without our nonce every byte passes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellmate::track::{Piece, Scanner};

const NONCE: &str = "00000000000000000000000000000000";

fn scan(chunks: &[&[u8]]) -> (Vec<u8>, Vec<(usize, String)>) {
    let mut scanner = Scanner::new(NONCE);
    let (mut bytes, mut marks) = (Vec::new(), Vec::new());
    let mut take = |piece: Piece<'_>| match piece {
        Piece::Bytes(more) => bytes.extend_from_slice(more),
        Piece::Switch(switch) if !switch.changes_screen() => marks.push((0, format!("{piece:?}"))),
        other => marks.push((bytes.len(), format!("{other:?}"))),
    };
    for chunk in chunks {
        scanner.scan(chunk, &mut take);
    }
    scanner.finish(&mut take);
    (bytes, marks)
}

fuzz_target!(|input: (u8, Vec<u8>)| {
    let (step, stream) = input;
    let whole = scan(&[&stream]);
    let cut: Vec<&[u8]> = stream.chunks(usize::from(step).max(1)).collect();
    assert_eq!(scan(&cut), whole);
    if !stream.windows(NONCE.len()).any(|window| window == NONCE.as_bytes()) {
        assert_eq!(whole.0, stream);
    }
});
