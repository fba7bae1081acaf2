//! A server's events do not depend on how the network cuts them, and never grow past their cap.
#![cfg_attr(feature = "run", no_main)]

shellmate_fuzz::target!(|input: (u8, Vec<u8>)| shellmate::fuzz::sse(input));
