//! Toolchains, targets and components that are missing or too old.

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::rules::{Rule, pattern, swap};
use crate::reflex::world::World;

const COMMANDS: &[&str] = &[
    "check",
    "component",
    "default",
    "doc",
    "help",
    "override",
    "run",
    "self",
    "set",
    "show",
    "target",
    "toolchain",
    "uninstall",
    "update",
    "which",
    "install",
];

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule {
        name: "rustup: a toolchain that is not installed",
        tools: &["cargo", "rustc", "rustup", "rustdoc", "rustfmt"],
        signs: &["is not installed"],
        apply: toolchain,
    },
    Rule {
        name: "rustup: a target that is not installed",
        tools: &[],
        signs: &["target may not be installed", "rustup target add"],
        apply: target,
    },
    Rule {
        name: "rustup: a component that is not installed",
        tools: &[],
        signs: &["rustup component add"],
        apply: component,
    },
    Rule {
        name: "rustup: a compiler that is too old",
        tools: &["cargo"],
        signs: &[
            "requires rustc",
            "is not supported by the following package",
            "feature `edition2024` is required",
            "lock file version",
        ],
        apply: too_old,
    },
    Rule {
        name: "rustup: only on nightly",
        tools: &["cargo", "rustc"],
        signs: &["E0554", "only accepted on the nightly", "may not be used on the stable", "nightly version of"],
        apply: nightly,
    },
    Rule {
        name: "rustup: an unknown command",
        tools: &["rustup"],
        signs: &["unrecognized subcommand", "wasn't recognized", "invalid value"],
        apply: unknown_command,
    },
    Rule {
        name: "rustup: no default toolchain",
        tools: &[],
        signs: &["rustup could not choose a version", "no default toolchain", "no override and no default"],
        apply: no_default,
    },
];

fn toolchain(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if let Some(told) = case.output.between("run `rustup toolchain install ", "`") {
        return Some(
            Finding::fix(Confidence::Sure, format!("rustup toolchain install {told}"), "rustup's own advice")
                .because(format!("The toolchain {told} is not installed.")),
        );
    }
    let name = case.output.captures(pattern!(r"toolchain ['`‘]([^'`’]+)['`’] is not installed"))?.get(1)?.as_str();
    Some(
        Finding::fix(Confidence::Sure, format!("rustup toolchain install {name}"), "installs it")
            .because(format!("The toolchain {name} is not installed.")),
    )
}

fn target(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let named = case
        .output
        .captures(pattern!(r"the `([\w.-]+)` target may not be installed"))
        .or_else(|| case.output.captures(pattern!(r"rustup target add ([\w.-]+)")))?;
    let name = named.get(1)?.as_str();
    Some(
        Finding::fix(Confidence::Sure, format!("rustup target add {name}"), "installs the standard library for it")
            .because(format!("The target {name} is not installed.")),
    )
}

fn component(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let told = case.output.captures(pattern!(r"rustup component add ([\w-]+(?: --toolchain [\w.-]+)?)"))?;
    Some(
        Finding::fix(Confidence::Sure, format!("rustup component add {}", &told[1]), "rustup's own advice")
            .because(format!("The component {} is not installed.", &told[1])),
    )
}

fn too_old(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wanted = case
        .output
        .captures(pattern!(r"requires rustc ([0-9.]+)"))
        .map(|found| format!(" {}", &found[1]))
        .unwrap_or_default();
    let because = format!("This package needs a newer compiler{wanted} than the current one.");
    Some(Finding::fix(Confidence::Likely, "rustup update stable", "brings the compiler up to date").because(because))
}

fn nightly(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let because = "This uses a feature that only the nightly compiler has.";
    if case.word(1).is_some_and(|word| word.starts_with('+')) || case.output.says("rustup could not") {
        return None;
    }
    Some(
        Finding::fix(Confidence::Likely, case.with_inserted(1, "+nightly"), "runs it with the nightly toolchain")
            .because(because),
    )
}

fn unknown_command(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case
        .output
        .captures(pattern!(r"(?:unrecognized subcommand|The subcommand|invalid value) '([^']+)'"))?
        .get(1)?
        .as_str();
    swap::nearest(case, wrong, COMMANDS.iter().copied())
}

fn no_default(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Sure, "rustup default stable", "installs and chooses the stable toolchain")
            .because("rustup has no toolchain to use by default."),
    )
}
