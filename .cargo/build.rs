//! How long a tab takes to start, and what it holds in memory, begins with how the binary is linked.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks")]

use std::env;

/// A twentieth of the binary is addresses. Linked to lie anywhere in memory, it has them filled in whenever it starts: a page of
/// memory and a page fault for each of 180 pages, a third of our own starting time. So it is linked to lie where it lies; the stack,
/// the heap and the libraries still move.
fn main() {
    println!("cargo:rerun-if-changed=.cargo/build.rs");
    let is = |name: &str, values: &[&str]| env::var(name).is_ok_and(|value| values.contains(&value.as_str()));
    let is_static = env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.contains("crt-static"));
    let can = is("CARGO_CFG_TARGET_OS", &["linux"])
        && is("CARGO_CFG_TARGET_ENV", &["gnu"])
        && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"]);
    if can && !is_static {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
