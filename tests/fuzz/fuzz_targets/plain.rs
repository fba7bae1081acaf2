//! Whatever a program prints can be turned into text: no panic, no control characters left.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: (u8, u8, Vec<u8>)| shellmate::fuzz::plain(input));
