//! The binary can be loaded at any address, and what the loader has written is read-only from then on.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks")]

use std::env;
use std::process::Command;

/// The first glibc whose loader reads packed relocations. A binary that has them does not start with an older one.
const PACKED_SINCE: (u32, u32) = (2, 36);

fn main() {
    println!("cargo:rerun-if-changed=.cargo/build.rs");
    if !env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        return;
    }
    for flag in ["relro", "now"] {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,{flag}");
    }
    // A twentieth of the binary is addresses, which the loader fills in at every start. Unpacked, the list of where they are is another
    // twentieth that each start reads and each tab holds. A linker that cannot pack it says so and goes on.
    let is_native = env::var("HOST") == env::var("TARGET");
    if is_native && glibc().is_some_and(|version| version >= PACKED_SINCE) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of this machine's glibc, if it has one.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
