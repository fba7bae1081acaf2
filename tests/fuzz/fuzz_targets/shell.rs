//! Any text can be read as a command line: no panic, and every span is within the text.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: String| shellmate::fuzz::shell(text));
