//! Commands that do not exist.

mod advice;
mod joined;
mod known;
mod layout;
mod packages;

use std::path::Path;

use super::{Rule, pattern};
use crate::reflex::builtins;
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::near;
use crate::reflex::typo;
use crate::reflex::world::{FileKind, World};
use advice::{told_by_system, unknown_name};
use known::{POPULAR, SUBCOMMANDS};

/// How shells and other launchers report that a command does not exist.
const SIGNS: &[&str] = &[
    "not found",
    "nknown command",
    "No such file or directory",
    "no such file or directory",
    "not recognized as",
    "is currently not installed",
    "is not installed",
    "is not in your PATH",
    "cannot run",
    "can't be found",
];

/// No system allows a longer name for a command.
const LONGEST_NAME: usize = 255;

/// Commands that run another command given as an argument.
const RUNNERS: &[&str] = &[
    "xargs",
    "watch",
    "timeout",
    "strace",
    "ltrace",
    "unshare",
    "runuser",
    "chroot",
    "su",
    "ssh",
    "parallel",
    "flock",
    "script",
    "find",
    "gdb",
    "valgrind",
    "perf",
    "hyperfine",
    "systemd-run",
    "type",
    "which",
    "where",
    "command",
    "fish",
    "bash",
    "zsh",
    "sh",
    "dash",
    "entr",
    "torify",
    "proxychains",
    "arch",
    "caffeinate",
    "tsocks",
    "faketime",
];

pub(super) const RULES: &[Rule] = &[
    Rule { name: "a doubled command", tools: &[], signs: &[], apply: doubled },
    Rule { name: "a blank that is not a space", tools: &[], signs: SIGNS, apply: odd_blank },
    Rule { name: "a missing command", tools: &[], signs: SIGNS, apply: missing },
    Rule {
        name: "what the system says about a missing command",
        tools: &[],
        signs: &[
            "can be installed with",
            "did you mean",
            "install it by",
            "Install it by",
            "Install package",
            "make it available",
            "Similar command is",
            "following packages",
            "pkg install",
            "in the package",
        ],
        apply: told_by_system,
    },
];

fn missing(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let name = unknown_name(case).filter(|name| name.len() <= LONGEST_NAME)?;
    if name == "sudo" && case.is_elevated() && world.is_root() {
        return Some(
            Finding::fix(Confidence::Sure, case.without_elevation(), "you are root already")
                .because("sudo is not installed, and root needs none."),
        );
    }
    let is_by_sudo = case.output.line_with("command not found").is_some_and(|line| line.starts_with("sudo: "));
    let Some(index) = case.words().iter().position(|word| word.text == name) else {
        return elsewhere(case, name, world);
    };
    // In `npm instal` the word belongs to npm; in `xargs gti` it is a command.
    if index > 0 && !RUNNERS.contains(&case.tool()) {
        return None;
    }
    if is_by_sudo
        && case.is_elevated()
        && index == 0
        && let Some(finding) = hidden_from_sudo(case, name, world)
    {
        return Some(finding);
    }
    let next = case.word(index + 1).unwrap_or_default();
    // An assignment with blanks is handled by the rules for shells.
    if world.has(name) || name.starts_with('[') || next.starts_with('=') || name.contains('=') {
        return None;
    }
    literal_prompt(case, name, world)
        .or_else(|| slip_at_end(case, index, name))
        .or_else(|| in_this_directory(case, index, name, world))
        .or_else(|| pasted_address(case, index, name, world))
        .or_else(|| misspelt_path(case, index, name, world))
        .or_else(|| joined::apart(case, index, name, world))
        .or_else(|| other_layout(case, index, name, world))
        .or_else(|| other_manager(case, index, name, world))
        .or_else(|| not_installed(case, index, name, world))
        .or_else(|| misspelt(case, index, name, world))
        .or_else(|| {
            Some(Finding::cause(
                Confidence::Likely,
                format!("There is no command {name}: it is not installed, or its directory is not in PATH."),
            ))
        })
}

/// A missing command that was not typed: it is in a script or a Makefile.
fn elsewhere(case: &Case<'_>, name: &str, world: &dyn World) -> Option<Finding> {
    let line = case.output.line_with(name)?;
    // A shell prints the same message about its arguments, so only names that look like commands count.
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c)) && !name.is_empty();
    if !is_name || !(line.contains("ommand not found") || line.ends_with(": not found")) || world.has(name) {
        return None;
    }
    let place = pattern!(r"^(\S+): (?:line )?(\d+): ")
        .captures(line)
        .map(|found| format!(" ({}, line {})", &found[1], &found[2]));
    let cause = Finding::cause(
        Confidence::Likely,
        format!("This needs the command {name}, which is not installed{}.", place.unwrap_or_default()),
    );
    Some(match packages::installation(name, world) {
        Some(command) => cause.or(command, format!("{name} comes in this package")),
        None => cause,
    })
}

/// `sudo` has a PATH of its own and does not know aliases and functions.
fn hidden_from_sudo(case: &Case<'_>, name: &str, world: &dyn World) -> Option<Finding> {
    if crate::reflex::builtins::is_builtin(name) {
        let cause = format!("{name} is part of the shell, not a program that sudo could start.");
        return Some(if name == "cd" {
            Finding::fix(Confidence::Likely, case.with_command("-i"), "a shell as root, to change directory in")
                .because(cause)
        } else if name == "source" || name == "export" || name == "alias" {
            Finding::fix(Confidence::Likely, case.without_elevation(), "in this shell, without sudo").because(cause)
        } else {
            let inner = format!("sh -c {}", crate::reflex::line::quoted(&case.line.text()[span_from_name(case)?]));
            Finding::fix(Confidence::Likely, case.with_command(&inner), "a shell run by sudo").because(cause)
        });
    }
    world.has(name).then(|| {
        Finding::fix(Confidence::Likely, case.with_raw(0, &format!("env \"PATH=$PATH\" {name}")), "with your own PATH")
            .because(format!("sudo looks for programs in its own PATH, which does not have {name}; yours does."))
    })
}

fn span_from_name(case: &Case<'_>) -> Option<std::ops::Range<usize>> {
    Some(case.words().first()?.span.start..case.words().last()?.span.end)
}

/// `$ git status`, copied together with the prompt.
fn literal_prompt(case: &Case<'_>, name: &str, world: &dyn World) -> Option<Finding> {
    if !["$", "%", "#", "❯", "➜", ">>>", "PS1", "λ"].contains(&name) {
        return None;
    }
    let text = case.line.text();
    let start = text.find(name)?;
    let rest = text[start + name.len()..].trim_start();
    // A line that starts with # may also be a comment.
    let is_command = |text: &str| world.has(text) || POPULAR.contains(&text);
    let may_run = name != "#" || rest.split_whitespace().next().is_some_and(is_command);
    (!rest.is_empty() && may_run).then(|| {
        Finding::fix(
            Confidence::Sure,
            case.line.with(start..text.len() - rest.len(), ""),
            "without the prompt that was copied along",
        )
        .because(format!("{name} is the prompt of the text this was copied from."))
    })
}

/// A no-break space joins two words.
fn odd_blank(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_odd = |c: char| matches!(c, '\u{a0}' | '\u{202f}' | '\u{2007}' | '\u{3000}' | '\u{200b}' | '\u{feff}');
    let text = case.line.text();
    text.contains(is_odd).then(|| {
        let plain = text.replace(['\u{200b}', '\u{feff}'], "").replace(is_odd, " ");
        Finding::fix(Confidence::Sure, plain.trim_start(), "with plain blanks").because(
            "The line has a no-break space, which only looks like a blank. It usually comes from copying or from Alt+Space.",
        )
    })
}

/// `lsç`: the key beside Enter was pressed too.
fn slip_at_end(case: &Case<'_>, index: usize, name: &str) -> Option<Finding> {
    let rest = name.strip_suffix(['ç', '`', '´', '\\', '§', '^'])?;
    (rest.is_ascii() && !rest.is_empty())
        .then(|| Finding::fix(Confidence::Likely, case.with_raw(index, rest), "without the slip at its end"))
}

/// A program in the current directory, which is not on PATH.
fn in_this_directory(case: &Case<'_>, index: usize, name: &str, world: &dyn World) -> Option<Finding> {
    if name.contains('/') {
        return None;
    }
    match world.kind(Path::new(name))? {
        FileKind::Program => Some(
            Finding::fix(
                Confidence::Sure,
                case.with_raw(index, &format!("./{}", case.raw(index))),
                "the program in this directory",
            )
            .because(format!("{name} is in this directory, where the shell does not look unless told so.")),
        ),
        FileKind::File => {
            let interpreter = interpreter_of(name)?;
            Some(
                Finding::fix(
                    Confidence::Likely,
                    case.with_inserted(index, interpreter),
                    format!("run by {interpreter}"),
                )
                .because(format!("{name} is a file in this directory; it is not marked as a program.")),
            )
        }
        FileKind::Directory => (case.words().len() == 1).then(|| {
            Finding::fix(Confidence::Likely, case.with_inserted(index, "cd"), "into the directory")
                .because(format!("{name} is a directory."))
        }),
    }
}

/// The interpreter for a script of this name.
pub(super) fn interpreter_of(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "py" => "python3",
        "sh" | "bash" => "bash",
        "zsh" => "zsh",
        "fish" => "fish",
        "js" | "mjs" | "cjs" => "node",
        "rb" => "ruby",
        "pl" => "perl",
        "php" => "php",
        "lua" => "lua",
        "R" => "Rscript",
        _ => return None,
    })
}

/// The URL of a repository or of a page, alone on the line.
fn pasted_address(case: &Case<'_>, index: usize, name: &str, world: &dyn World) -> Option<Finding> {
    if index != 0 {
        return None;
    }
    let address = name.trim_start_matches("https://").trim_start_matches("http://");
    let is_repository = name.ends_with(".git")
        || name.starts_with("git@")
        || name.starts_with("ssh://git@")
        || ["github.com/", "gitlab.com/", "bitbucket.org/", "codeberg.org/"].iter().any(|host| {
            address.strip_prefix(host).is_some_and(|path| path.trim_end_matches('/').split('/').count() == 2)
        });
    if is_repository {
        return Some(Finding::fix(Confidence::Likely, case.with_inserted(0, "git clone"), "to clone the repository"));
    }
    let opener = ["xdg-open", "open"].into_iter().find(|opener| world.has(opener));
    if name.starts_with("http://") || name.starts_with("https://") {
        return Some(Finding::fix(
            Confidence::Likely,
            case.with_inserted(0, opener.unwrap_or("curl -L")),
            "to open the address",
        ));
    }
    None
}

fn other_layout(case: &Case<'_>, index: usize, name: &str, world: &dyn World) -> Option<Finding> {
    let is_command = |text: &str| world.has(text) || POPULAR.contains(&text);
    let switched = layout::switched(name).into_iter().find(|switched| is_command(switched))?;
    let whole = layout::switched(case.part_text()).into_iter().find(|line| line.starts_with(&switched));
    let command = match whole {
        Some(whole) if case.is_alone() && index == 0 => whole,
        _ => case.with_word(index, &switched),
    };
    Some(
        Finding::fix(Confidence::Sure, command, "the same keys with the Latin layout")
            .because("The keyboard had another layout."),
    )
}

/// `./rnu.sh` for `./run.sh`.
fn misspelt_path(case: &Case<'_>, index: usize, name: &str, world: &dyn World) -> Option<Finding> {
    let meant = near::path(name, world).filter(|_| name.contains('/') && !name.contains("://"))?;
    Some(
        Finding::fix(Confidence::Likely, case.with_word(index, &meant), "the nearest file")
            .because(format!("There is no {name}; {meant} is similar.")),
    )
}

/// The package manager of another system. Some managers have the same subcommands.
fn other_manager(case: &Case<'_>, index: usize, name: &str, world: &dyn World) -> Option<Finding> {
    const ALIKE: &[&str] = &["apt", "apt-get", "dnf", "yum", "zypper", "brew"];
    let takes = ["install", "search", "remove", "upgrade"].contains(&case.word(index + 1)?);
    let here = ALIKE.iter().find(|other| world.has(other) && (**other != "brew" || !case.is_elevated()))?;
    (takes && ALIKE.contains(&name)).then(|| {
        Finding::fix(Confidence::Likely, case.with_word(index, here), "this system's package manager")
            .because(format!("{name} is another system's package manager; packages may have other names here."))
    })
}

fn not_installed(case: &Case<'_>, index: usize, name: &str, world: &dyn World) -> Option<Finding> {
    // Commands that were replaced by others, which may be installed already.
    let instead: &[&str] = match name {
        "python" => &["python3"],
        "pip" => &["pip3", "python3 -m pip"],
        "pip3" => &["python3 -m pip"],
        "vi" => &["vim", "nvim"],
        "vim" => &["nvim", "vi"],
        "docker-compose" => &["docker compose"],
        "nodejs" => &["node"],
        "node" => &["nodejs"],
        "ifconfig" => &["ip addr"],
        "netstat" => &["ss"],
        "fd" => &["fdfind"],
        "bat" => &["batcat"],
        "open" => &["xdg-open"],
        "xdg-open" => &["open"],
        "exa" => &["eza"],
        "nslookup" | "dig" => &["host"],
        "egrep" => &["grep -E"],
        "fgrep" => &["grep -F"],
        "md5" => &["md5sum"],
        "sha256sum" => &["shasum -a 256"],
        "pbcopy" => &["xclip -selection clipboard", "wl-copy"],
        "apt" => &["apt-get"],
        "ll" => &["ls -l"],
        "la" => &["ls -A"],
        "cls" => &["clear"],
        "dir" => &["ls"],
        "ipconfig" => &["ip addr"],
        "tracert" => &["traceroute"],
        "cs" => &["cd"],
        "quit" => &["exit"],
        "md" => &["mkdir"],
        "copy" => &["cp"],
        "move" => &["mv"],
        "del" => &["rm"],
        _ => &[],
    };
    let is_here = |other: &&&str| {
        let program = other.split(' ').next().unwrap_or_default();
        world.has(program) || ["ls", "clear", "cd", "exit", "mkdir", "cp", "mv", "rm"].contains(&program)
    };
    let mut finding = None;
    if let Some(other) = instead.iter().find(is_here) {
        finding = Some(Finding::fix(Confidence::Likely, case.with_raw(index, other), "what is here in its place"));
    }
    if let Some(command) = packages::installation(name, world) {
        let why = format!("{name} comes in this package");
        finding = Some(match finding {
            Some(found) => found.or(command, why),
            None => Finding::fix(Confidence::Likely, command, why),
        });
    }
    finding.map(|found| found.because(format!("{name} is not installed, or not in PATH.")))
}

fn misspelt(case: &Case<'_>, index: usize, name: &str, world: &dyn World) -> Option<Finding> {
    let next = case.word(index + 1).unwrap_or_default();
    let used = |candidate: &str| world.recent().iter().any(|line| line.split(' ').next() == Some(candidate));
    let preference = |candidate: &str| {
        let has_subcommand = SUBCOMMANDS.iter().any(|(known, list)| {
            *known == candidate && !next.is_empty() && list.split_whitespace().any(|sub| sub == next)
        });
        4 * i32::from(POPULAR.contains(&candidate)) + 3 * i32::from(used(candidate)) + 8 * i32::from(has_subcommand)
    };
    let usable = |name: &&str| !builtins::is_foreign(name, case.output.lines());
    let commands = world.commands().iter().map(String::as_str).filter(usable);
    let here = typo::ranked(name, commands.map(|name| (name, preference(name))));
    let known = POPULAR.iter().copied().chain(packages::known()).chain(SUBCOMMANDS.iter().map(|(name, _)| *name));
    // A command that is not on this PATH may be on the PATH of the shell that failed.
    let elsewhere = typo::ranked(name, known.map(|name| (name, preference(name) - 2)));
    let mut found: Vec<&str> = here;
    match (found.first().copied(), elsewhere.first().copied()) {
        (Some(best), Some(other))
            if !world.has(other) && preference(other) > preference(best) && preference(other) >= 8 =>
        {
            found.insert(0, other);
        }
        (None, Some(_)) => found = elsewhere.into_iter().take(1).collect(),
        _ => {}
    }
    let best = found.first()?;
    let cause = format!("There is no command {name}; {best} is the most similar one.");
    let mut finding =
        Finding::fix(Confidence::Likely, case.with_word(index, best), format!("the nearest command to {name}"));
    for other in found.iter().skip(1).take(2) {
        finding = finding.or(case.with_word(index, other), "near, too");
    }
    Some(finding.because(cause))
}

/// `git git status`.
fn doubled(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (name, next) = (case.word(0)?, case.word(1)?);
    let may_be_meant = ["sudo", "echo", "man", "which", "type", "yes", "time", "nice", "env", "kubectl", "go"];
    if name != next || name.len() < 2 || name.starts_with('-') || may_be_meant.contains(&name) || name == "ls" {
        return None;
    }
    Some(Finding::fix(Confidence::Likely, case.without(1), "the command once"))
}
