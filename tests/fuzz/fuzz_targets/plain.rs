//! Whatever a program prints can be turned into text: no panic, no control characters left.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellmate::capture::{Size, render};

fuzz_target!(|input: (u8, u8, Vec<u8>)| {
    let (rows, cols, bytes) = input;
    let text = render(&bytes, Size::new(rows.into(), cols.into()));
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
});
