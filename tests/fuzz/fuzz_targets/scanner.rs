//! Any way of cutting a stream gives the same bytes and marks, and without our nonce every byte passes.
#![cfg_attr(feature = "run", no_main)]

shellmate_fuzz::target!(|input: (u8, Vec<u8>)| shellmate::fuzz::scanner(input));
