//! Whatever a model says, in whatever pieces and on however wide a terminal, is painted: no panic, and no sequence but our own.
#![cfg_attr(feature = "run", no_main)]

shellmate_fuzz::target!(|input: (u8, u8, u8, String)| shellmate::fuzz::markdown(input));
