//! What a tab holds in memory begins with how the binary is linked.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks")]

use std::env;
use std::process::Command;

/// The first glibc that reads packed relocations.
const GLIBC: (u32, u32) = (2, 36);

/// A tenth of the binary is addresses that are filled in when it starts, and a list of where they are. That list can be packed to
/// a hundredth: a megabyte less in each tab.
fn main() {
    println!("cargo:rerun-if-changed=.cargo/build.rs");
    let is_native = env::var_os("TARGET") == env::var_os("HOST");
    let is_gnu = env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu");
    if is_native && is_gnu && glibc().is_some_and(|version| version >= GLIBC) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of this machine's C library, for which we build.
fn glibc() -> Option<(u32, u32)> {
    let said = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let said = String::from_utf8(said.stdout).ok()?;
    let (major, minor) = said.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
