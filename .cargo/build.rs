//! The binary can be loaded at any address, and what the loader has written is read-only from then on.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks")]

use std::env;

/// Rust links position-independent executables by default. The flags are named all the same, because a distribution's or a person's
/// own RUSTFLAGS must not take them away unnoticed; `tests/it/binary.rs` looks at the result.
fn main() {
    println!("cargo:rerun-if-changed=.cargo/build.rs");
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        for flag in ["relro", "now"] {
            println!("cargo:rustc-link-arg-bins=-Wl,-z,{flag}");
        }
    }
}
