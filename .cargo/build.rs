//! How the binary is linked, and what `shellmate --version --verbose` says about the build.
//!
//! The binary can be loaded at any address, and what the loader has written is read-only from then on.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks")]

use std::env;
use std::process::Command;

/// The first glibc whose loader reads packed relocations. A binary that has them does not start with an older one.
const PACKED_SINCE: (u32, u32) = (2, 36);

fn main() {
    println!("cargo:rerun-if-changed=.cargo/build.rs");
    describe_build();
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

/// Passes on what is known only while building.
fn describe_build() {
    let variable = |name: &str| env::var(name).unwrap_or_default();
    println!("cargo:rustc-env=SHELLMATE_BUILD_TARGET={}", variable("TARGET"));
    println!("cargo:rustc-env=SHELLMATE_BUILD_PROFILE={}", variable("PROFILE"));
    let rustc = output(Command::new(variable("RUSTC")).arg("--version")).unwrap_or_default();
    println!("cargo:rustc-env=SHELLMATE_BUILD_RUSTC={}", rustc.trim_start_matches("rustc "));
    let features = env::vars().filter_map(|(name, _)| Some(name.strip_prefix("CARGO_FEATURE_")?.to_lowercase()));
    println!("cargo:rustc-env=SHELLMATE_BUILD_FEATURES={}", features.collect::<Vec<_>>().join(" "));
    println!("cargo:rerun-if-env-changed=SHELLMATE_COMMIT");
    // A debug build has no commit: it would be compiled again after every commit.
    if variable("PROFILE") == "release" {
        println!("cargo:rustc-env=SHELLMATE_BUILD_COMMIT={}", commit().unwrap_or_default());
    }
}

/// The commit that is built: the one a packager names in `SHELLMATE_COMMIT`, or that of the repository.
fn commit() -> Option<String> {
    if let Some(named) = env::var("SHELLMATE_COMMIT").ok().filter(|commit| !commit.is_empty()) {
        return Some(named);
    }
    let git = |args: &[&str]| output(Command::new("git").args(args));
    // A source tree without a repository may be inside the repository of something else.
    git(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
    let branch = git(&["symbolic-ref", "-q", "HEAD"]);
    for name in ["HEAD"].into_iter().chain(branch.as_deref()) {
        println!("cargo:rerun-if-changed={}", git(&["rev-parse", "--git-path", name])?);
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let is_changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|list| !list.is_empty());
    Some(if is_changed { format!("{commit} with local changes") } else { commit })
}

/// What a program prints, if it succeeds.
fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// The version of this machine's glibc, if it has one.
fn glibc() -> Option<(u32, u32)> {
    let text = output(Command::new("getconf").arg("GNU_LIBC_VERSION"))?;
    let (major, minor) = text.strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
