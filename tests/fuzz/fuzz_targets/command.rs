//! Any text can be read as a command, in bounded time and with a bounded result.
#![cfg_attr(feature = "run", no_main)]

shellmate_fuzz::target!(|text: String| shellmate::fuzz::command(text));
