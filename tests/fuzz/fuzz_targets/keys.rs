//! Whatever a terminal sends becomes keys: none of them is a control character, no paste is too long, and an Enter comes through in
//! the end. A line takes them all and can be painted.
#![cfg_attr(feature = "run", no_main)]

shellmate_fuzz::target!(|input: (u8, u8, Vec<u8>)| shellmate::fuzz::keys(input));
