//! A server's events do not depend on how the network cuts them, and never grow past their cap.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: (u8, Vec<u8>)| shellmate::fuzz::sse(input));
