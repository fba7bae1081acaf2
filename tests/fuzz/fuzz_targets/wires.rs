//! What a wire makes of an answer does not depend on how the network cuts it; an answer ends once, with the reason, or is an error.
#![cfg_attr(feature = "run", no_main)]

shellmate_fuzz::target!(|input: (u8, u8, Vec<u8>)| shellmate::fuzz::wires(input));
