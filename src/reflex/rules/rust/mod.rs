//! cargo, rustc and rustup.

mod crates;
mod rustup;

use std::path::Path;

use super::{Rule, pattern, swap};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::typo;
use crate::reflex::world::{FileKind, World};

/// cargo's own commands.
const COMMANDS: &[&str] = &[
    "add",
    "bench",
    "build",
    "check",
    "clean",
    "clippy",
    "config",
    "doc",
    "fetch",
    "fix",
    "fmt",
    "generate-lockfile",
    "help",
    "init",
    "install",
    "locate-project",
    "login",
    "logout",
    "metadata",
    "miri",
    "new",
    "owner",
    "package",
    "pkgid",
    "publish",
    "read-manifest",
    "remove",
    "report",
    "run",
    "rustc",
    "rustdoc",
    "search",
    "test",
    "tree",
    "uninstall",
    "update",
    "vendor",
    "verify-project",
    "version",
    "yank",
];

/// Commands that other crates add to cargo, with the name of the crate if it is not `cargo-` and the command.
const PLUGINS: &[(&str, &str)] = &[
    ("about", ""),
    ("all-features", ""),
    ("apk", ""),
    ("asm", "cargo-show-asm"),
    ("audit", ""),
    ("auditable", ""),
    ("autoinherit", ""),
    ("binstall", ""),
    ("bisect-rustc", ""),
    ("bloat", ""),
    ("bump", ""),
    ("c", "cargo-c"),
    ("cache", ""),
    ("careful", ""),
    ("chef", ""),
    ("component", ""),
    ("criterion", ""),
    ("crev", ""),
    ("deb", ""),
    ("deny", ""),
    ("depgraph", ""),
    ("dist", ""),
    ("edit", ""),
    ("embed", "probe-rs-tools"),
    ("espflash", ""),
    ("expand", ""),
    ("features", "cargo-features-manager"),
    ("flamegraph", "flamegraph"),
    ("fuzz", ""),
    ("geiger", ""),
    ("generate", ""),
    ("generate-rpm", ""),
    ("hack", ""),
    ("info", ""),
    ("insta", ""),
    ("install-update", "cargo-update"),
    ("instruments", ""),
    ("lambda", ""),
    ("leptos", ""),
    ("license", ""),
    ("llvm-cov", ""),
    ("llvm-lines", ""),
    ("machete", ""),
    ("make", ""),
    ("minimal-versions", ""),
    ("modules", ""),
    ("msrv", ""),
    ("mutants", ""),
    ("ndk", ""),
    ("nextest", ""),
    ("outdated", ""),
    ("pgrx", ""),
    ("public-api", ""),
    ("readme", ""),
    ("release", ""),
    ("rr", ""),
    ("run-bin", ""),
    ("script", ""),
    ("semver-checks", ""),
    ("set-version", "cargo-edit"),
    ("shear", ""),
    ("show-asm", ""),
    ("shuttle", ""),
    ("sort", ""),
    ("sqlx", "sqlx-cli"),
    ("sweep", ""),
    ("tarpaulin", ""),
    ("tauri", "tauri-cli"),
    ("temp", ""),
    ("udeps", ""),
    ("upgrade", "cargo-edit"),
    ("vet", ""),
    ("watch", ""),
    ("wizard", ""),
    ("workspaces", ""),
    ("xwin", ""),
    ("zigbuild", ""),
];

/// How many subdirectories are searched for a manifest.
const MOST_DIRECTORIES: usize = 40;

pub(super) use crates::RULES as CRATES;
pub(super) use rustup::RULES as RUSTUP;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "cargo: features that a target needs",
        tools: &["cargo"],
        signs: &["requires the features"],
        apply: missing_features,
    },
    Rule { name: "cargo: alone", tools: &["cargo"], signs: &[], apply: alone },
    Rule {
        name: "cargo: an unknown command",
        tools: &["cargo"],
        signs: &["no such command", "no such subcommand"],
        apply: unknown_command,
    },
    Rule {
        name: "cargo: a target, package or feature that is not there",
        tools: &["cargo"],
        signs: &[
            "a target with a similar name",
            "a package with a similar name",
            "similarly named feature",
            "a feature with a similar name",
            "Did you mean `",
            "did you mean",
        ],
        apply: similar,
    },
    Rule {
        name: "cargo: targets it lists",
        tools: &["cargo"],
        signs: &["Available bin", "Available example", "Available test", "Available bench", "available "],
        apply: listed_target,
    },
    Rule {
        name: "cargo: which binary",
        tools: &["cargo"],
        signs: &["could not determine which binary to run"],
        apply: which_binary,
    },
    Rule {
        name: "cargo: a feature that is not there",
        tools: &["cargo"],
        signs: &["does not contain this feature", "does not contain these features", "does not have feature"],
        apply: unknown_feature,
    },
    Rule { name: "cargo: no manifest", tools: &["cargo"], signs: &["could not find `Cargo.toml`"], apply: no_manifest },
    Rule {
        name: "cargo: a lock that must change",
        tools: &["cargo"],
        signs: &["--locked was passed", "--frozen was passed"],
        apply: locked,
    },
    Rule {
        name: "cargo: arguments for the program",
        tools: &["cargo"],
        signs: &["as a value, use '-- "],
        apply: for_the_program,
    },
    Rule {
        name: "cargo: a new package where one is",
        tools: &["cargo"],
        signs: &["already exists"],
        apply: new_exists,
    },
    Rule {
        name: "cargo: install what is here",
        tools: &["cargo"],
        signs: &["use `cargo install --path .`"],
        apply: install_here,
    },
    Rule {
        name: "cargo: install a library",
        tools: &["cargo"],
        signs: &["there is nothing to install in"],
        apply: install_library,
    },
    Rule { name: "cargo: not formatted", tools: &["cargo", "rustfmt"], signs: &["Diff in "], apply: not_formatted },
    Rule {
        name: "cargo: login",
        tools: &["cargo"],
        signs: &["please run `cargo login`", "no token found"],
        apply: login,
    },
];

/// cargo names the features that a target needs; they are added before the arguments of the program.
fn missing_features(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r#"`--features="([\w ,/-]+)"`"#))?;
    let features =
        caught.get(1)?.as_str().split([' ', ',']).filter(|name| !name.is_empty()).collect::<Vec<_>>().join(",");
    let end = case.position("--").unwrap_or(usize::MAX);
    let command = case.with_inserted(end, &format!("--features {features}"));
    Some(
        Finding::fix(Confidence::Sure, command, "turns on the features it needs")
            .because("The target needs features that are off."),
    )
}

fn alone(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_alone = case.words().len() == 1 && !case.output.says("error");
    is_alone.then(|| Finding::fix(Confidence::Likely, case.with_inserted(1, "build"), "what is most often meant"))
}

fn unknown_command(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"no such (?:sub)?command: [`'‘]?([^`'’\s]+)"))?.get(1)?.as_str();
    let suggested = case.output.captures(pattern!(r"(?:Did you mean|similar name exists:) `([^`]+)`"));
    let because = format!("cargo has no command {wrong}.");
    if let Some((_, package)) = PLUGINS.iter().find(|(name, _)| *name == wrong) {
        let package = if package.is_empty() { format!("cargo-{wrong}") } else { (*package).to_owned() };
        let because = format!("cargo {wrong} is not part of cargo; it comes in {package}.");
        return Some(
            Finding::fix(Confidence::Sure, format!("cargo install {package}"), "installs the command").because(because),
        );
    }
    if let Some(suggested) = suggested {
        return swap::told(case, wrong, [suggested.get(1)?.as_str()]).map(|found| found.because(because));
    }
    let near = swap::nearest(case, wrong, COMMANDS.iter().copied().chain(PLUGINS.iter().map(|(name, _)| *name)));
    let search = || {
        Finding::fix(
            Confidence::Guess,
            format!("cargo search {}", line::quoted(&format!("cargo-{wrong}"))),
            "cargo's own advice",
        )
    };
    Some(near.unwrap_or_else(search).because(because))
}

/// `no bin target named`, `package ID … did not match`, `does not contain this feature`: each with a similar name.
fn similar(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(
        r"(?:target named `([^`]+)`|package ID specification `([^`]+)` did not match|does not contain (?:this|these) features?: ([\w-]+)|contains these features: ([\w/-]+))"
    ))?;
    let wrong = wrong.iter().skip(1).flatten().next()?.as_str();
    let meant = case.output.captures(pattern!(r"(?:similar name exists: `([^`]+)`|similarly named feature: `?([^`\s]+)|Did you mean `([^`]+)`|did you mean:? `?([\w/-]+))"))?;
    let meant = meant.iter().skip(1).flatten().next()?.as_str();
    replaced(case, wrong, meant, Confidence::Sure)
        .map(|found| found.because(format!("There is no {wrong} here; cargo knows {meant}.")))
}

/// A value as a word, after `=`, or in a list: `--features=a,extr`.
fn replaced(case: &Case<'_>, wrong: &str, meant: &str, confidence: Confidence) -> Option<Finding> {
    let is_part = |text: &str| text.split(['=', ',', ' ']).any(|part| part == wrong);
    let index = case.position(wrong).or_else(|| case.words().iter().position(|word| is_part(&word.text)))?;
    let parts: Vec<&str> = case.word(index)?.split_inclusive(['=', ',', ' ']).collect();
    let text: String = parts
        .iter()
        .map(|part| {
            if part.trim_end_matches(['=', ',', ' ']) == wrong {
                part.replace(wrong, meant)
            } else {
                (*part).to_owned()
            }
        })
        .collect();
    Some(Finding::fix(confidence, case.with_word(index, &text), format!("{meant} for {wrong}")))
}

fn listed_target(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let heading =
        case.output.captures(pattern!(r"(?i)available (bin|example|test|bench|binarie)\w*(?: targets?)?:\s*$"))?;
    let names = swap::listed(case, heading.get(0)?.as_str());
    if let Some(wrong) = case.output.between("target named `", "`") {
        return swap::nearest(case, wrong, names);
    }
    // `cargo run --bin` without a name.
    let flag = format!("--{}", &heading[1]);
    let index = case.position(&flag).filter(|index| case.word(index + 1).is_none_or(|next| next.starts_with('-')))?;
    let mut names = names.into_iter();
    let first = names.next()?;
    let mut finding =
        Finding::fix(Confidence::Likely, case.with_inserted(index + 1, &line::quoted(first)), "the first there is");
    for name in names.take(2) {
        finding = finding.or(case.with_inserted(index + 1, &line::quoted(name)), "another there is");
    }
    Some(finding.because(format!("{flag} needs a name.")))
}

fn which_binary(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let names = case.output.captures(pattern!(r"available binaries: (.+)$"))?.get(1)?.as_str();
    let (index, _) = case.subcommand()?;
    let mut names = names.split(", ").map(str::trim);
    let first = names.next()?;
    let mut finding = Finding::fix(
        Confidence::Likely,
        case.with_inserted(index + 1, &format!("--bin {first}")),
        "the first binary there is",
    );
    for name in names.take(2) {
        finding = finding.or(case.with_inserted(index + 1, &format!("--bin {name}")), "another binary");
    }
    Some(finding.because("The package has several binaries and no default-run."))
}

fn unknown_feature(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let wrong = case
        .output
        .captures(pattern!(r"(?:does not contain (?:this|these) features?: |does not have feature `)([\w-]+)"))?
        .get(1)?
        .as_str();
    let manifest = world.read(Path::new("Cargo.toml"))?;
    let section = manifest
        .lines()
        .skip_while(|line| line.trim() != "[features]")
        .skip(1)
        .take_while(|line| !line.starts_with('['));
    let features: Vec<&str> = section.filter_map(|line| Some(line.split_once('=')?.0.trim())).collect();
    let meant = crate::reflex::typo::nearest(wrong, features)?;
    replaced(case, wrong, meant, Confidence::Likely)
        .map(|found| found.because(format!("The package has no feature {wrong}.")))
}

fn no_manifest(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let because = "Neither this directory nor one above it holds a Cargo.toml.";
    let directories = world
        .entries(Path::new("."))
        .into_iter()
        .filter(|entry| entry.kind == FileKind::Directory)
        .take(MOST_DIRECTORIES);
    let mut with_manifest =
        directories.filter(|entry| world.kind(&Path::new(&entry.name).join("Cargo.toml")).is_some());
    let finding = Finding::cause(Confidence::Sure, because);
    let propose = |finding: Finding, name: &str| {
        finding.or(case.with_before(&format!("cd {} &&", line::quoted(name))), format!("{name} holds a Cargo.toml"))
    };
    Some(match with_manifest.next() {
        Some(first) => {
            with_manifest.take(2).fold(propose(finding, &first.name), |finding, entry| propose(finding, &entry.name))
        }
        None => finding,
    })
}

fn locked(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let index = case.position("--locked").or_else(|| case.position("--frozen"))?;
    let because = "Cargo.lock does not match Cargo.toml, and cargo was told not to change it.";
    Some(
        Finding::fix(Confidence::Likely, case.without(index), "lets cargo bring Cargo.lock up to date")
            .because(because),
    )
}

/// Options of `cargo run`, `test` and `bench`.
const OPTIONS: &[&str] = &[
    "--all-features",
    "--bench",
    "--bin",
    "--bins",
    "--example",
    "--examples",
    "--features",
    "--jobs",
    "--lib",
    "--locked",
    "--manifest-path",
    "--no-default-features",
    "--no-run",
    "--offline",
    "--package",
    "--profile",
    "--quiet",
    "--release",
    "--target",
    "--tests",
    "--verbose",
    "--workspace",
];

fn for_the_program(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let argument = case.output.between("as a value, use '-- ", "'")?;
    let index =
        case.words().iter().position(|word| word.text == argument || word.text.starts_with(&format!("{argument}=")))?;
    let is_run = case.has_word(&["run", "r", "test", "t", "bench"]) && !case.has_word(&["--"]);
    let because = format!("cargo has no option {argument}; after -- it goes to the program.");
    let meant = typo::nearest(argument, OPTIONS.iter().copied());
    if let Some(meant) = meant {
        let rest = &case.raw(index)[argument.len().min(case.raw(index).len())..];
        return Some(
            Finding::fix(Confidence::Sure, case.with_raw(index, &format!("{meant}{rest}")), "the nearest option")
                .because(format!("cargo has no option {argument}.")),
        );
    }
    is_run.then(|| {
        Finding::fix(Confidence::Sure, case.with_inserted(index, "--"), "passes it to the program").because(because)
    })
}

fn new_exists(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (index, _) = case.subcommand().filter(|(_, name)| *name == "new")?;
    case.output.line_with("destination `")?;
    Some(
        Finding::fix(Confidence::Sure, case.with_word(index, "init"), "makes a package of a directory that is there")
            .because("cargo new creates the directory itself, but it exists."),
    )
}

fn install_here(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (index, _) = case.subcommand().filter(|(_, name)| *name == "install")?;
    Some(Finding::fix(Confidence::Sure, case.with_inserted(index + 1, "--path ."), "cargo's own advice"))
}

fn install_library(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let name = case.output.captures(pattern!(r"nothing to install in `([\w-]+)"))?.get(1)?.as_str();
    let because = format!("{name} is a library, it has no programs to install.");
    Some(
        Finding::fix(Confidence::Sure, case.with_command(&format!("cargo add {name}")), "adds it to this package")
            .because(because),
    )
}

fn not_formatted(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let index = case.position("--check")?;
    let without = case.without(index);
    let command = without.strip_suffix(" --").map_or(without.clone(), str::to_owned);
    Some(
        Finding::fix(Confidence::Sure, command, "formats the files")
            .because("Some files are not formatted as rustfmt would."),
    )
}

fn login(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Sure, "cargo login", "stores a token for the registry")
            .because("The registry needs a token, but none is stored."),
    )
}
