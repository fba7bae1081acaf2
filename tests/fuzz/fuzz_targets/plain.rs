//! Whatever a program prints can be turned into text: no panic, no control characters left.
#![cfg_attr(feature = "run", no_main)]

shellmate_fuzz::target!(|input: (u8, u8, Vec<u8>)| shellmate::fuzz::plain(input));
