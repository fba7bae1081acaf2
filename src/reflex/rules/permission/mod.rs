//! Missing permissions, and files that cannot be executed.

mod words;

use std::path::Path;

use super::unknown::interpreter_of;
use super::{Rule, pattern};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line::quoted;
use crate::reflex::near;
use crate::reflex::world::{FileKind, World};
use crate::text::shell::RedirectionKind;
use words::{NOT_BY_ROOT, POLKIT, POLKIT_WORDS, ROOT_WORDS};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "a script that may not be run",
        tools: &[],
        signs: &["ermission denied", "not executable", "not an executable", "command not found", "cannot execute"],
        apply: not_executable,
    },
    Rule {
        name: "a script's interpreter",
        tools: &[],
        signs: &[
            "bad interpreter",
            "required file not found",
            "\\r",
            "^M",
            "\r",
            "no such file or directory",
            "No such file or directory",
        ],
        apply: bad_interpreter,
    },
    Rule {
        name: "a program of another kind",
        tools: &[],
        signs: &["Exec format error", "exec format error", "cannot execute binary file", "ad CPU type"],
        apply: wrong_format,
    },
    Rule { name: "as root it must not be", tools: &[], signs: &["root"], apply: not_as_root },
    Rule { name: "a low port", tools: &[], signs: &["ermission denied", "EACCES"], apply: low_port },
    Rule {
        name: "a file that the shell may not open",
        tools: &[],
        signs: &["ermission denied", "redirecting file"],
        apply: redirection,
    },
    Rule {
        name: "a program on PATH that is not marked as one",
        tools: &[],
        signs: &["ermission denied"],
        apply: unmarked_on_path,
    },
    Rule {
        name: "root may",
        tools: &[],
        signs: &[
            "ermission denied",
            "peration not permitted",
            "root",
            "Root",
            "ROOT",
            "uperuser",
            "sudo",
            "rivileges",
            "uthentication",
            "ccess denied",
            "EACCES",
            "EPERM",
            "write permissions",
            "super-user",
            "temporary file for",
            "sufficient permission",
            "ermission non accord",
            "Keine Berechtigung",
            "Permiso denegado",
        ],
        apply: as_root,
    },
    Rule { name: "a read-only file system", tools: &[], signs: &["ead-only file system", "EROFS"], apply: read_only },
    Rule { name: "not permitted even to root", tools: &[], signs: &["peration not permitted"], apply: not_even_root },
    Rule {
        name: "sudo: not allowed",
        tools: &[],
        signs: &[
            "is not in the sudoers file",
            "is not allowed to execute",
            "a password is required",
            "a terminal is required",
        ],
        apply: not_a_sudoer,
    },
];

/// The program's path: the command itself, or the command after sudo.
fn program_path<'c>(case: &'c Case<'_>) -> Option<&'c str> {
    case.word(0).filter(|name| name.contains('/') || interpreter_of(name).is_some())
}

fn not_executable(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let path = program_path(case)?;
    let bare = path.strip_prefix("./").unwrap_or(path);
    let is_said = case.output.lines().iter().any(|line| {
        (line.contains(path) || line.starts_with(bare) || line.to_lowercase() == "permission denied")
            && !line.contains("required file not found")
            && ["ermission denied", "not executable", "not an executable", "command not found", "cannot execute"]
                .iter()
                .any(|words| line.contains(words))
    });
    let kind = world.kind(&near::expanded(path, world));
    if !is_said || kind == Some(FileKind::Directory) {
        return None;
    }
    if kind == Some(FileKind::Program) {
        let cause = "It is executable, but may not be run: its file system may be mounted noexec, or you may not enter a directory above it.";
        let finding = Finding::cause(Confidence::Likely, cause);
        return Some(match interpreter_of(path) {
            Some(interpreter) => {
                finding.or(case.with_inserted(0, interpreter), format!("read by {interpreter}, not run"))
            }
            None => finding,
        });
    }
    if kind.is_none() && (case.output.says("command not found") || path.starts_with('/')) {
        return None;
    }
    // The file was found on PATH, so its interpreter needs the whole path.
    if !path.contains('/') {
        let interpreter = interpreter_of(path)?;
        return Some(
            Finding::fix(Confidence::Sure, case.with_inserted(0, interpreter), format!("read by {interpreter}"))
                .because(format!("{path} is not marked as a program.")),
        );
    }
    let mark = case.with_before(&format!("chmod +x {} &&", quoted(bare)));
    let finding = Finding::fix(Confidence::Likely, mark, "marks it as a program, then runs it")
        .because(format!("{path} is not marked as a program."));
    Some(match interpreter_of(path) {
        Some(interpreter) => finding.or(case.with_inserted(0, interpreter), format!("read by {interpreter}, unmarked")),
        None => finding,
    })
}

fn bad_interpreter(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let path = case.operands().map(|(_, word)| word).chain(case.word(0)).find(|word| {
        word.contains('/') && case.output.lines().iter().any(|line| line.contains(*word))
            || world
                .read(&near::expanded(word, world))
                .is_some_and(|text| text.starts_with("#!") && case.word(0) == Some(word))
    })?;
    let text = world.read(&near::expanded(path, world));
    let shebang = text.as_deref().and_then(|text| text.lines().next()).filter(|line| line.starts_with("#!"));
    if let Some(finding) = carriage_returns(case, world, path, text.as_deref()) {
        return Some(finding);
    }
    if case.word(0) != Some(path) {
        return None;
    }
    let said = case.output.captures(pattern!(r"(?:^|: )([^\s:]+): bad interpreter"));
    let named = said.as_ref().and_then(|said| said.get(1)).map(|name| name.as_str());
    let interpreter = match (named, shebang) {
        (Some(named), _) => named.to_owned(),
        (None, Some(line))
            if case.output.says("required file not found") || case.output.says("o such file or directory") =>
        {
            line[2..].trim().to_owned()
        }
        _ if case.output.says("required file not found") => {
            return Some(Finding::cause(
                Confidence::Likely,
                format!(
                    "{path} is there, but what should run it is not: the interpreter of its first line, or the loader it was built for."
                ),
            ));
        }
        _ => return None,
    };
    let cause = format!("{path} is there, but what its first line names, {interpreter}, is not.");
    let base = interpreter.split_whitespace().rfind(|word| !word.ends_with("/env")).unwrap_or_default();
    let base = base.rsplit('/').next().unwrap_or_default();
    let instead = [base, if base == "python" { "python3" } else { base }, interpreter_of(path).unwrap_or_default()];
    let here = instead.into_iter().find(|name| !name.is_empty() && world.has(name));
    let finding = Finding::cause(Confidence::Likely, cause);
    Some(match here {
        Some(name) => finding.or(case.with_inserted(0, name), format!("run by the {name} that is here")),
        None => finding,
    })
}

/// A script with Windows line ends: the name of its interpreter seems to end with a carriage return.
fn carriage_returns(case: &Case<'_>, world: &dyn World, path: &str, text: Option<&str>) -> Option<Finding> {
    let has_return = text
        .is_some_and(|text| text.starts_with("#!") && text.split('\n').next().is_some_and(|line| line.ends_with('\r')));
    let says_return =
        case.output.lines().iter().any(|line| ["^M", "\\r'", "\\r’"].iter().any(|sign| line.contains(sign)));
    if !has_return && !says_return {
        return None;
    }
    let repair = if world.has("dos2unix") { "dos2unix" } else { "sed -i 's/\\r$//'" };
    let command = case.with_before(&format!("{repair} {} &&", quoted(path)));
    Some(
        Finding::fix(Confidence::Sure, command, "takes the carriage returns out, then runs it").because(format!(
            "{path} has the line ends of Windows, so the interpreter's name ends in a carriage return."
        )),
    )
}

fn wrong_format(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let path = program_path(case)?;
    let text = world.read(&near::expanded(path, world));
    let is_script =
        text.as_deref().is_some_and(|text| !text.contains('\0') && !text.starts_with("#!") && !text.is_empty());
    Some(if is_script {
        let interpreter = interpreter_of(path).unwrap_or("bash");
        Finding::fix(Confidence::Likely, case.with_inserted(0, interpreter), format!("run by {interpreter}"))
            .because(format!("{path} does not say in its first line what should run it."))
    } else {
        Finding::cause(
            Confidence::Likely,
            format!("{path} was built for another kind of machine or system: `file {path}` tells which."),
        )
    })
}

fn not_as_root(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let words = [
        "perform this operation as root",
        "not run as root",
        "not be run as root",
        "n't run this as root",
        "not run this as root",
        "as root is not allowed",
        "as root is extremely dangerous",
        "refusing to run as root",
        "cannot be run as root",
        "can't be run as root",
        "running as root without",
        "avoid running",
        "not supported to run as root",
    ];
    let lower = |line: &&str| line.to_lowercase();
    let is_said =
        case.output.lines().iter().take(50).map(lower).any(|line| words.iter().any(|words| line.contains(words)));
    (is_said && case.is_elevated()).then(|| {
        Finding::fix(Confidence::Sure, case.without_elevation(), "as yourself")
            .because(format!("{} is not to be run as root.", case.tool()))
    })
}

fn low_port(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_about_ports = |line: &&&str| {
        let lower = line.to_ascii_lowercase();
        (lower.contains("permission denied") || lower.contains("failed (13"))
            && ["bind", "listen", "0.0.0.0", "127.0.0.1", "::"].iter().any(|word| lower.contains(word))
    };
    let line = case.output.lines().iter().find(is_about_ports)?;
    let said = pattern!(r"(?i)(?:(?:bind|listen|EACCES).*?[:\s](\d{1,4})\b.*permission denied|permission denied.*[:\s](\d{1,4})\b|bind\(\) to \S+:(\d{1,4}) failed \(13)").captures(line)?;
    let port: u16 = said.iter().skip(1).flatten().next()?.as_str().parse().ok()?;
    if !(1..1024).contains(&port) {
        return None;
    }
    Some(Finding::cause(
        Confidence::Likely,
        format!(
            "Only root may listen on ports below 1024, and this is {port}: use a higher one, such as {}.",
            8000 + port % 1000
        ),
    ))
}

fn as_root(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    if case.is_elevated() || program_path(case).is_some_and(|path| !path.starts_with('/')) {
        return None;
    }
    // These rules know better whether root is needed.
    if redirection(case, world).is_some() || unmarked_on_path(case, world).is_some() {
        return None;
    }
    let tool = case.tool();
    // A message about missing rights is at the start or at the end of the output.
    let all = case.output.lines();
    let lines = || all[..all.len().min(5)].iter().chain(all.iter().rev().take(20)).map(|line| line.to_lowercase());
    let is_polkit = POLKIT.contains(&tool);
    let says_root = lines().any(|line| {
        ROOT_WORDS.iter().any(|words| line.contains(words))
            || is_polkit && POLKIT_WORDS.iter().any(|words| line.contains(words))
    });
    let denied = |line: &String| {
        (line.contains("permission denied") || line.contains("operation not permitted") || line.contains("eacces"))
            && !line.contains("publickey")
    };
    // A process that sudo starts cannot change the shell's own limits.
    if ["ulimit", "umask", "source", "."].contains(&tool) {
        return None;
    }
    if ["cd", "pushd"].contains(&tool) {
        return Some(Finding::cause(Confidence::Likely, "You may not enter the directory."));
    }
    // Software that was built by the user is installed for everybody by root.
    let is_installation = ["make", "gmake", "ninja", "meson"].contains(&tool)
        && case.has_word(&["install"])
        && lines().any(|line| denied(&line) && ["/usr/", "/opt/"].iter().any(|system| line.contains(system)));
    let is_for_root = is_installation || !NOT_BY_ROOT.contains(&tool);
    if !(says_root || lines().any(|line| denied(&line))) || !is_for_root || tool.is_empty() {
        return None;
    }
    let elevate = if !world.has("sudo") && world.has("doas") { "doas" } else { "sudo" };
    // These tools continue after a directory that they cannot read; that is rarely a reason to run them as root.
    if ["find", "grep", "rg", "du", "ls", "fd", "tree"].contains(&tool) && !says_root && case.output.lines().len() > 3 {
        return Some(
            Finding::cause(Confidence::Guess, "You may not read some directories; the rest was searched.")
                .or(case.with_inserted(usize::MAX, "2>/dev/null"), "without those messages")
                .or(case.with_before(elevate), "with root's rights"),
        );
    }
    let confidence = if says_root { Confidence::Sure } else { Confidence::Likely };
    let cause = format!("Your user may not do that{}.", if says_root { "; root may" } else { "" });
    Some(Finding::fix(confidence, case.with_elevation(elevate), "with root's rights").because(cause))
}

/// `echo x > /etc/y`: the shell opens the file and not the command, whatever rights the command has.
fn redirection(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let text = case.line.text();
    let lower: Vec<String> = case.output.lines().iter().take(20).map(|line| line.to_lowercase()).collect();
    if !lower.iter().any(|line| line.contains("permission denied")) {
        return None;
    }
    let is_refused = |target: &str| {
        let name = target.trim_matches(['"', '\'']).to_lowercase();
        // fish prints the reason on a line of its own.
        lower.iter().any(|line| {
            line.contains(&name) && (line.contains("permission denied") || line.contains("redirecting file"))
        })
    };
    for part in case.line.parts() {
        let written = part.redirections.iter().find(|found| {
            let writes = [RedirectionKind::Write, RedirectionKind::Append, RedirectionKind::Clobber];
            found.descriptor.is_none() && writes.contains(&found.kind)
        });
        let Some(redirection) = written else { continue };
        let target = &text[redirection.target.span.clone()];
        if !is_refused(target) {
            continue;
        }
        let elevate = if !world.has("sudo") && world.has("doas") { "doas" } else { "sudo" };
        let append = if redirection.kind == RedirectionKind::Append { " -a" } else { "" };
        let tee = format!("| {elevate} tee{append} {target} > /dev/null");
        let line = case.line.with(redirection.span.clone(), &tee);
        let unelevated = ["echo ", "printf "].iter().find_map(|tool| {
            let rest = text[part.span()].strip_prefix(elevate)?.trim_start();
            rest.starts_with(tool)
                .then(|| format!("{}{}", &line[..part.span().start], &line[part.span().end - rest.len()..]))
        });
        let whole = format!("{elevate} sh -c {}", quoted(&text[part.span()]));
        return Some(
            Finding::fix(Confidence::Sure, unelevated.unwrap_or(line), "root's tee opens the file")
                .or(case.line.with(part.span(), &whole), "root's shell opens the file")
                .because(format!("The shell opens {target}, with your rights, before the command runs.")),
        );
    }
    None
}

/// `tool` was found on PATH, but its file is not executable. Root could not run it either.
fn unmarked_on_path(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let name = case.word(0).filter(|name| !name.contains('/') && case.status == Some(126))?;
    let refused = case.output.lines().iter().find(|line| {
        let lower = line.to_lowercase();
        lower.contains("permission denied")
            && (line.contains(&format!("/{name}:")) || lower.ends_with(&format!(": {name}")))
    })?;
    let cause = format!("{name} was found but may not be run: its file is not marked as a program.");
    let path = refused.split(": ").find(|word| word.starts_with('/') && word.ends_with(&format!("/{name}")));
    let Some(path) = path.filter(|path| world.kind(Path::new(path)).is_none_or(|kind| kind == FileKind::File)) else {
        return Some(Finding::cause(Confidence::Sure, cause));
    };
    let is_own = world.variable("HOME").is_some_and(|home| path.starts_with(&format!("{home}/")));
    let elevate = if is_own { "" } else { "sudo " };
    let mark = case.with_before(&format!("{elevate}chmod +x {} &&", quoted(path)));
    Some(Finding::fix(Confidence::Sure, mark, "marks it as a program, then runs it").because(cause))
}

fn read_only(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let path = case.operands().last().map_or(".", |(_, word)| word);
    Some(Finding::cause(
        Confidence::Likely,
        format!(
            "The file system is mounted for reading only, or became read-only after an error (`findmnt -T {}`, `dmesg`).",
            quoted(path)
        ),
    ))
}

fn not_even_root(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    (case.is_elevated() || world.is_root() && ["rm", "mv", "chmod", "chown"].contains(&case.tool())).then(|| {
        Finding::cause(
            Confidence::Guess,
            "Root was refused too: the file may be immutable (`lsattr`), or the container may lack the capability.",
        )
    })
}

fn not_a_sudoer(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let cause = if case.output.says("password is required") || case.output.says("terminal is required") {
        "sudo must ask for your password and has no terminal to ask on."
    } else {
        "Your user may not use sudo here: root must allow it first (the group sudo or wheel)."
    };
    Some(Finding::cause(Confidence::Sure, cause))
}
