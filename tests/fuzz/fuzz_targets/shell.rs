//! Any text can be read as a command line: no panic, and every span is within the text.
#![cfg_attr(feature = "run", no_main)]

shellmate_fuzz::target!(|text: String| shellmate::fuzz::shell(text));
