//! Any way of cutting a stream gives the same bytes and marks, and without our nonce every byte passes.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: (u8, Vec<u8>)| shellmate::fuzz::scanner(input));
