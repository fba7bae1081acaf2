//! make, cmake and ninja.

use std::path::Path;

use super::{Rule, pattern, swap};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::world::{FileKind, World};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "make: no rule for a target",
        tools: &["make", "gmake"],
        signs: &["No rule to make target", "don't know how to make"],
        apply: no_rule,
    },
    Rule {
        name: "make: no makefile",
        tools: &["make", "gmake"],
        signs: &["no makefile found", "No targets"],
        apply: no_makefile,
    },
    Rule {
        name: "make: spaces for a tab",
        tools: &["make", "gmake"],
        signs: &["missing separator"],
        apply: missing_separator,
    },
    Rule {
        name: "cmake: no CMakeLists.txt",
        tools: &["cmake"],
        signs: &["does not appear to contain CMakeLists.txt", "does not contain a CMakeLists.txt"],
        apply: no_lists,
    },
    Rule {
        name: "cmake: no build directory",
        tools: &["cmake"],
        signs: &["could not load cache", "is not a directory"],
        apply: no_cache,
    },
    Rule {
        name: "cmake: an old policy",
        tools: &["cmake"],
        signs: &["Compatibility with CMake < 3.5 has been removed"],
        apply: old_policy,
    },
    Rule {
        name: "cmake: another generator",
        tools: &["cmake"],
        signs: &["Does not match the generator used previously"],
        apply: other_generator,
    },
    Rule {
        name: "cmake: a package that is not there",
        tools: &["cmake"],
        signs: &[
            "Could not find a package configuration file provided by",
            "Could NOT find",
            "By not providing \"Find",
        ],
        apply: no_package,
    },
    Rule { name: "ninja: no build file", tools: &["ninja"], signs: &["loading 'build.ninja'"], apply: no_ninja },
    Rule { name: "ninja: an unknown target", tools: &["ninja"], signs: &["unknown target"], apply: ninja_target },
];

const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

/// Targets of most makefiles, used if the makefile cannot be read.
const USUAL: &[&str] = &[
    "all",
    "build",
    "check",
    "clean",
    "distclean",
    "install",
    "uninstall",
    "test",
    "run",
    "lint",
    "help",
    "docs",
    "format",
    "release",
];

/// The targets in a makefile, without patterns and special targets.
fn targets(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with(['\t', '#', ' '])) {
        let Some((names, rest)) = line.split_once(':') else { continue };
        if rest.starts_with('=') || rest.starts_with(":=") || names.contains(['=', '$', '%']) {
            continue;
        }
        found.extend(names.split_whitespace().filter(|name| !name.starts_with('.')));
    }
    found
}

/// The makefile that was used, in the directory of `-C` if that was given.
fn makefile(case: &Case<'_>, world: &dyn World) -> Option<String> {
    let value = |short: &str, long: &str| {
        let at = case.position(short).map(|at| at + 1);
        let joined = case.words().iter().find_map(|word| word.text.strip_prefix(long)?.strip_prefix('='));
        at.and_then(|at| case.word(at)).or(joined)
    };
    let directory = Path::new(value("-C", "--directory").unwrap_or("."));
    match value("-f", "--file") {
        Some(file) => world.read(&directory.join(file)),
        None => MAKEFILES.iter().find_map(|name| world.read(&directory.join(name))),
    }
}

fn no_rule(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r"(?:No rule to make target [`'‘]?([^'’`]+?)['’]?(?:, needed by [`'‘]([^'’]+)['’])?\.?(?:  Stop\.?)?$|don't know how to make ([^.\s]+)\.? *(?:Stop)?)"))?;
    let wrong = caught.get(1).or(caught.get(3))?.as_str();
    if let Some(target) = caught.get(2) {
        return Some(Finding::cause(
            Confidence::Sure,
            format!("{} needs the file {wrong}, which is not there and which no rule makes.", target.as_str()),
        ));
    }
    let text = makefile(case, world);
    let because = format!("The makefile has no target {wrong}.");
    let known = text.as_deref().map(targets);
    let found = swap::nearest(case, wrong, known.clone().unwrap_or_else(|| USUAL.to_vec()));
    // Without a makefile only a file of that name could be built.
    let no_makefile = text.is_none()
        && MAKEFILES.iter().all(|name| world.kind(Path::new(name)).is_none())
        && !case.has_word(&["-C", "-f"]);
    match found {
        Some(found) => Some(found.because(because)),
        None if no_makefile => elsewhere(case, world).or_else(|| Some(Finding::cause(Confidence::Likely, because))),
        None => Some(Finding::cause(Confidence::Sure, because)),
    }
}

fn no_makefile(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    if !case.output.says("no makefile found") {
        return None;
    }
    elsewhere(case, world).or_else(|| Some(Finding::cause(Confidence::Sure, "There is no makefile in this directory.")))
}

/// The build tool of a directory without a makefile.
fn elsewhere(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let has = |name: &str| world.kind(Path::new(name)).is_some();
    let cause =
        |words: &str| Finding::cause(Confidence::Likely, format!("There is no makefile in this directory; {words}."));
    if has("build/Makefile") {
        return Some(
            cause("the one in build may be meant").or(case.with_inserted(1, "-C build"), "build holds a makefile"),
        );
    }
    if has("build/build.ninja") || has("build/CMakeCache.txt") {
        return Some(
            cause("build was made by cmake")
                .or(case.with_command("cmake --build build"), "builds with what cmake chose"),
        );
    }
    if has("configure") {
        return Some(cause("configure makes one").or(case.with_before("./configure &&"), "makes the makefile first"));
    }
    if has("CMakeLists.txt") {
        return Some(
            cause("cmake makes one")
                .or(case.with_command("cmake -B build && cmake --build build"), "configures and builds with cmake"),
        );
    }
    let known = [
        ("Cargo.toml", "cargo build"),
        ("meson.build", "meson setup build && ninja -C build"),
        ("build.ninja", "ninja"),
        ("justfile", "just"),
        ("Justfile", "just"),
        ("Taskfile.yml", "task"),
        ("package.json", "npm run build"),
        ("go.mod", "go build ./..."),
    ];
    if let Some((file, command)) = known.iter().find(|(file, _)| has(file)) {
        return Some(cause(&format!("there is {file}")).or(case.with_command(command), format!("what {file} is for")));
    }
    let parent = MAKEFILES.iter().any(|name| has(&format!("../{name}")));
    if parent {
        return Some(
            cause("there is one above").or(case.with_inserted(1, "-C .."), "the directory above holds a makefile"),
        );
    }
    let entries = world.entries(Path::new("."));
    let mut below = entries
        .iter()
        .filter(|entry| entry.kind == FileKind::Directory)
        .take(40)
        .filter(|entry| MAKEFILES.iter().any(|name| has(&format!("{}/{name}", entry.name))));
    let first = below.next()?;
    let only = below.next().is_none();
    only.then(|| {
        cause("there is one below").or(
            case.with_inserted(1, &format!("-C {}", line::quoted(&first.name))),
            format!("{} holds a makefile", first.name),
        )
    })
}

fn missing_separator(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let place = case.output.captures(pattern!(r"^(\S+:[0-9]+): \*\*\* missing separator"))?;
    Some(Finding::cause(
        Confidence::Sure,
        format!("The recipe at {} must begin with a tab, not with spaces.", &place[1]),
    ))
}

fn no_lists(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let cause = Finding::cause(Confidence::Sure, "cmake was given a directory without a CMakeLists.txt.");
    let is_above = world.kind(Path::new("../CMakeLists.txt")).is_some();
    let index = case.words().iter().position(|word| word.text == ".");
    Some(match index.filter(|_| is_above) {
        Some(index) => cause.or(case.with_word(index, ".."), "the directory above holds one"),
        None => cause,
    })
}

fn no_cache(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let index = case.position("--build")?;
    let directory = case.word(index + 1)?;
    let configure = format!("cmake -B {} &&", line::quoted(directory));
    Some(
        Finding::fix(Confidence::Sure, case.with_before(&configure), "configures it first")
            .because(format!("{directory} has not been configured yet.")),
    )
}

fn old_policy(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let because = "The project requires a version of CMake that is older than this one supports.";
    Some(
        Finding::fix(
            Confidence::Sure,
            case.with_inserted(usize::MAX, "-DCMAKE_POLICY_VERSION_MINIMUM=3.5"),
            "CMake's own advice",
        )
        .because(because),
    )
}

fn other_generator(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(
        Confidence::Sure,
        "The build directory was configured with another generator: use that one, or a fresh build directory.",
    ))
}

fn no_package(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(
        r#"(?:configuration file provided by "([^"]+)"|Could NOT find (\w+)|By not providing "Find([^"]+)\.cmake")"#
    ))?;
    let name = caught.iter().skip(1).flatten().next()?.as_str();
    Some(Finding::cause(
        Confidence::Likely,
        format!(
            "The package {name} is not installed, or CMake does not find it: install its development package, or name its directory with -D{name}_DIR= or CMAKE_PREFIX_PATH."
        ),
    ))
}

fn no_ninja(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let has = |name: &str| world.kind(Path::new(name)).is_some();
    let cause = Finding::cause(Confidence::Sure, "There is no build.ninja in this directory.");
    if has("build/build.ninja") {
        return Some(cause.or(case.with_inserted(1, "-C build"), "build holds one"));
    }
    if has("CMakeLists.txt") {
        return Some(cause.or(case.with_command("cmake -G Ninja -B build && ninja -C build"), "lets cmake make it"));
    }
    Some(if has("meson.build") {
        cause.or(case.with_command("meson setup build && ninja -C build"), "lets meson make it")
    } else {
        cause
    })
}

fn ninja_target(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r"unknown target '([^']+)'(?:, did you mean '([^']+)')?"))?;
    swap::told(case, caught.get(1)?.as_str(), [caught.get(2)?.as_str()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_from_a_makefile() {
        let text =
            "CC := gcc\nX = a:b\n.PHONY: all clean\nall: main\n\tgcc\nmain a.o: main.c\n%.o: %.c\n$(OUT): x\nclean::\n";
        assert_eq!(targets(text), ["all", "main", "a.o", "clean"]);
    }
}
