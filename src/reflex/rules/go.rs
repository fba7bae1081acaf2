//! Go.

use std::path::Path;

use super::{Rule, pattern, swap};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::world::World;

const COMMANDS: &[&str] = &[
    "bug",
    "build",
    "clean",
    "doc",
    "env",
    "fix",
    "fmt",
    "generate",
    "get",
    "help",
    "install",
    "list",
    "mod",
    "run",
    "telemetry",
    "test",
    "tool",
    "version",
    "vet",
    "work",
];

const MOD_COMMANDS: &[&str] = &["download", "edit", "graph", "init", "tidy", "vendor", "verify", "why"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "go: an unknown command",
        tools: &["go"],
        signs: &["unknown command", "unknown subcommand"],
        apply: unknown_command,
    },
    Rule { name: "go: a file without its extension", tools: &["go"], signs: &[], apply: run_without_extension },
    Rule {
        name: "go: run without files",
        tools: &["go"],
        signs: &["no go files listed", "no Go files listed"],
        apply: run_nothing,
    },
    Rule {
        name: "go: no module",
        tools: &["go"],
        signs: &["go.mod file not found", "cannot find main module", "outside a module", "outside module"],
        apply: no_module,
    },
    Rule {
        name: "go: a module that is not required",
        tools: &["go"],
        signs: &["no required module provides package"],
        apply: missing_module,
    },
    Rule {
        name: "go: sums that are missing",
        tools: &["go"],
        signs: &["missing go.sum entry", "updates to go.mod needed", "updates to go.sum needed"],
        apply: missing_sum,
    },
    Rule {
        name: "go: vendoring that does not fit",
        tools: &["go"],
        signs: &["inconsistent vendoring"],
        apply: vendoring,
    },
    Rule {
        name: "go: get outside a module",
        tools: &["go"],
        signs: &["'go get' is no longer supported outside a module", "go get: installing executables"],
        apply: get_to_install,
    },
    Rule {
        name: "go: install needs a version",
        tools: &["go"],
        signs: &["version is required when current directory is not in a module", "go install requires a version"],
        apply: install_version,
    },
    Rule { name: "go: no files here", tools: &["go"], signs: &["no Go files in"], apply: no_files },
    Rule {
        name: "go: not in the standard library",
        tools: &["go"],
        signs: &["is not in GOROOT", "is not in std"],
        apply: not_in_std,
    },
    Rule {
        name: "go: a newer toolchain",
        tools: &["go"],
        signs: &["requires go >= ", "note: module requires Go"],
        apply: newer_go,
    },
];

fn unknown_command(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case
        .output
        .captures(pattern!(r#"go (?:mod )?"?([\w-]+)"?: unknown (?:sub)?command|unknown (?:sub)?command "([^"]+)""#))?;
    let wrong = caught.get(1).or(caught.get(2))?.as_str();
    let words = if case.word(1) == Some("mod") && wrong != "mod" { MOD_COMMANDS } else { COMMANDS };
    let meant = [
        ("upgrade", "get"),
        ("add", "get"),
        ("format", "fmt"),
        ("lint", "vet"),
        ("compile", "build"),
        ("start", "run"),
    ];
    if let Some((_, other)) = meant.iter().find(|(known, _)| *known == wrong && words.len() == COMMANDS.len()) {
        return swap::told(case, wrong, [*other]).map(|found| found.because(format!("go has no command {wrong}.")));
    }
    swap::nearest(case, wrong, words.iter().copied()).map(|found| found.because(format!("go has no command {wrong}.")))
}

/// `go run main`, meant for `main.go`.
fn run_without_extension(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let (at, _) = case.subcommand().filter(|(_, name)| *name == "run" || *name == "build")?;
    let index =
        (at + 1..case.words().len()).find(|index| case.word(*index).is_some_and(|word| !word.starts_with('-')))?;
    let file = case.word(index)?;
    let is_bare = !file.ends_with(".go") && !file.starts_with('.') && !file.contains(['@', ':']);
    let exists = world.kind(Path::new(&format!("{file}.go"))).is_some();
    let complains = case.output.lines().iter().all(|line| line.is_empty())
        || [
            "is not in GOROOT",
            "is not in std",
            "cannot find package",
            "no required module",
            "malformed import path",
            "o files listed",
        ]
        .iter()
        .any(|words| case.output.says(words));
    let confidence = if exists { Confidence::Sure } else { Confidence::Likely };
    (is_bare && complains && (exists || !file.contains(['/', '.']))).then(|| {
        Finding::fix(
            confidence,
            case.with_word(index, &format!("{file}.go")),
            "go run takes files with their extension",
        )
        .because(format!("{file} is read as a package, not as the file {file}.go."))
    })
}

fn run_nothing(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (at, _) = case.subcommand()?;
    Some(
        Finding::fix(Confidence::Likely, case.with_inserted(at + 1, "."), "runs the package that is here")
            .because("go run was given nothing to run."),
    )
}

fn no_module(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let because = "Neither this directory nor one above it holds a go.mod.";
    if case.output.says("'go get' is no longer supported") {
        return None;
    }
    let is_file = case.words().iter().any(|word| word.text.ends_with(".go"));
    let name = case
        .cwd
        .file_name()
        .and_then(|name| name.to_str())
        .filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)));
    let entries = world.entries(Path::new("."));
    let below = entries.iter().take(40).find(|entry| world.kind(&Path::new(&entry.name).join("go.mod")).is_some());
    let finding = Finding::cause(Confidence::Likely, because);
    if let Some(below) = below {
        return Some(finding.or(
            case.with_before(&format!("cd {} &&", line::quoted(&below.name))),
            format!("{} holds a go.mod", below.name),
        ));
    }
    Some(
        finding.or(
            format!("go mod init {}", name.filter(|_| !is_file).unwrap_or("example")),
            "makes this directory a module",
        ),
    )
}

fn missing_module(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if let Some(told) = case.output.captures(pattern!(r"^\s*(go get [^\s;]+)\s*$|to add it:\s*(go get \S+)")) {
        let command = told.get(1).or(told.get(2))?.as_str();
        return Some(
            Finding::fix(Confidence::Sure, command, "go's own advice")
                .because("A package is imported that go.mod does not require."),
        );
    }
    let name = case.output.captures(pattern!(r"no required module provides package ([^\s;:]+)"))?.get(1)?.as_str();
    // A path without a dot in its first part is in the standard library or in this module.
    let is_remote = name.split('/').next().is_some_and(|host| host.contains('.'));
    let because = format!("{name} is imported, but go.mod requires no module that has it.");
    Some(if is_remote {
        Finding::fix(Confidence::Sure, format!("go get {name}"), "adds it to go.mod").because(because)
    } else {
        Finding::cause(Confidence::Likely, because)
    })
}

fn missing_sum(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Sure, "go mod tidy", "brings go.mod and go.sum up to date")
            .because("go.sum or go.mod does not list everything that is imported."),
    )
}

fn vendoring(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Sure, "go mod vendor", "makes the vendor directory anew")
            .because("The vendor directory does not match go.mod."),
    )
}

fn get_to_install(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (at, _) = case.subcommand().filter(|(_, name)| *name == "get")?;
    let last = case.words().len() - 1;
    let target = case.word(last).filter(|_| last > at)?;
    let target = if target.contains('@') { target.to_owned() } else { format!("{target}@latest") };
    Some(
        Finding::fix(Confidence::Sure, case.with_command(&format!("go install {target}")), "go's own advice")
            .because("go get only changes go.mod; programs are installed with go install."),
    )
}

fn install_version(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let last = case.words().len() - 1;
    let target = case.word(last).filter(|word| !word.contains('@') && last > 1)?;
    Some(Finding::fix(Confidence::Sure, case.with_word(last, &format!("{target}@latest")), "names a version"))
}

fn no_files(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let because = "There are no Go files directly in this directory.";
    let (at, name) = case.subcommand()?;
    let main = world.entries(Path::new("cmd")).into_iter().next();
    let finding = Finding::cause(Confidence::Likely, because);
    Some(match (name, main) {
        ("run" | "build" | "install", Some(main)) if case.words().len() <= at + 2 => {
            let target = format!("./cmd/{}", main.name);
            let command = if case.word(at + 1) == Some(".") {
                case.with_word(at + 1, &target)
            } else {
                case.with_inserted(at + 1, &target)
            };
            finding.or(command, "the program in cmd")
        }
        ("build" | "test" | "vet", _) if case.words().len() == at + 1 => {
            finding.or(case.with_inserted(at + 1, "./..."), "every package below")
        }
        _ => finding,
    })
}

fn not_in_std(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let name = case.output.captures(pattern!(r"package (\S+) is not in (?:GOROOT|std)"))?.get(1)?.as_str();
    let is_argument = case.words().iter().any(|word| word.text == name);
    (!is_argument).then(|| Finding::cause(Confidence::Likely, format!("{name} is neither in the standard library nor in this module; a path of this module begins with the name in go.mod.")))
}

fn newer_go(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wanted = case.output.captures(pattern!(r"requires go >= ([0-9.]+)"))?.get(1)?.as_str();
    Some(Finding::cause(Confidence::Sure, format!("The module needs Go {wanted} or newer.")))
}
