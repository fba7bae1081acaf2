//! Any text can be read as a command, in bounded time and with a bounded result.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: String| shellmate::fuzz::command(text));
