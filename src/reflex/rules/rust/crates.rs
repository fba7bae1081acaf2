//! Missing crates, and system libraries that their builds need.

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::rules::manager::{self, Names};
use crate::reflex::rules::{Rule, known, pattern, swap};
use crate::reflex::world::World;

/// First parts of paths that do not name a crate.
const OWN: &[&str] = &["crate", "self", "super", "std", "core", "alloc", "proc_macro", "test"];

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule {
        name: "rustc: a crate that is not a dependency",
        tools: &["cargo", "rustc"],
        signs: &[
            "cargo add ",
            "maybe a missing crate",
            "undeclared crate or module",
            "can't find crate for",
            "unlinked crate",
        ],
        apply: missing_crate,
    },
    Rule {
        name: "cargo: a crate that does not exist",
        tools: &["cargo"],
        signs: &["perhaps you meant:", "could not be found in registry index"],
        apply: misspelt_crate,
    },
    Rule {
        name: "rustc: no linker",
        tools: &[],
        signs: &["linker `cc` not found", "linker 'cc' not found", "linker `link.exe` not found"],
        apply: no_linker,
    },
    Rule {
        name: "cargo: a tool that a build needs",
        tools: &["cargo"],
        signs: &[
            "Could not find `protoc`",
            "is `cmake` not installed",
            "Unable to find libclang",
            "Could not find directory of OpenSSL",
            "pkg-config command could not be",
            "pkg-config exited with status code",
        ],
        apply: build_needs,
    },
];

fn missing_crate(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case
        .output
        .captures(pattern!(r"use `cargo add ([\w-]+)`"))
        .or_else(|| case.output.captures(pattern!(r"maybe a missing crate `([\w-]+)`")))
        .or_else(|| {
            case.output.captures(pattern!(
                r"(?:undeclared crate or module|unresolved module or unlinked crate|can't find crate for) `([\w-]+)`"
            ))
        })?;
    let name = caught.get(1)?.as_str();
    if OWN.contains(&name) || name.chars().any(char::is_uppercase) || case.tool() != "cargo" {
        return None;
    }
    let confidence = if case.output.says("cargo add ") { Confidence::Sure } else { Confidence::Likely };
    let cause = format!("The crate {name} is used but is not among the dependencies in Cargo.toml.");
    if !known::RUST.has(name) {
        return Some(Finding::cause(confidence, format!("{cause} {}", known::RUST.doubt(name))));
    }
    Some(Finding::fix(confidence, format!("cargo add {name}"), "adds it to the dependencies").because(cause))
}

fn misspelt_crate(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"(?:no matching package named `([^`]+)` found|the crate `([^`]+)` could not be found|could not find `([^`]+)` in registry)"))?;
    let wrong = wrong.iter().skip(1).flatten().next()?.as_str();
    let meant = case.output.captures(pattern!(r"perhaps you meant: +(.+)$"))?;
    let names: Vec<&str> =
        meant.get(1)?.as_str().split([' ', ',']).filter(|name| !name.is_empty() && *name != "or").take(3).collect();
    swap::told(case, wrong, names).map(|found| found.because(format!("There is no crate {wrong} in the registry.")))
}

fn no_linker(_: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let names: Names = ["build-essential", "gcc", "base-devel", "build-base", "gcc"];
    let cause = Finding::cause(Confidence::Sure, "Rust links programs with the C compiler, which is not installed.");
    Some(match manager::install(&names, world) {
        Some(command) => cause.or(command, "the C compiler and linker"),
        None => cause,
    })
}

fn build_needs(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let table: &[(&str, &str, Names)] = &[
        (
            "Could not find `protoc`",
            "protoc",
            ["protobuf-compiler", "protobuf-compiler", "protobuf", "protoc", "protobuf"],
        ),
        ("is `cmake` not installed", "cmake", ["cmake", "cmake", "cmake", "cmake", "cmake"]),
        ("Unable to find libclang", "libclang", ["libclang-dev", "clang-devel", "clang", "clang-dev", "llvm"]),
        (
            "Could not find directory of OpenSSL",
            "OpenSSL's headers",
            [
                "pkg-config libssl-dev",
                "pkgconf openssl-devel",
                "pkgconf openssl",
                "pkgconf openssl-dev",
                "pkg-config openssl",
            ],
        ),
        (
            "pkg-config command could not be",
            "pkg-config",
            ["pkg-config", "pkgconf", "pkgconf", "pkgconf", "pkg-config"],
        ),
    ];
    let (_, what, names) = table.iter().find(|(sign, ..)| case.output.says(sign))?;
    let crate_name = case
        .output
        .between("custom build command for `", " ")
        .map(|name| format!(" of {}", line::quoted(name)))
        .unwrap_or_default();
    let cause =
        Finding::cause(Confidence::Sure, format!("The build script{crate_name} needs {what}, which is not installed."));
    Some(match manager::install(names, world) {
        Some(command) => cause.or(command, format!("has {what}")),
        None => cause,
    })
}
