//! What is denied whatever has been granted.
//!
//! This is a seat belt against accidents. A command that hides its meaning passes it; the sandbox is there for those.

use std::path::{Component, Path, PathBuf};

use super::argument::Argument;
use super::scope::Scope;
use super::{find, kinds, operands, paths};

/// Why a command is denied. The words are for the person and for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CommandDanger {
    #[error("it would delete {what} ({}) recursively", path.display())]
    Deletes { what: &'static str, path: PathBuf },
    #[error("it would write to the device {}", .0.display())]
    Device(PathBuf),
    #[error("{0} starts copies of itself without end")]
    ForkBomb(String),
    #[error("it would run text from {from} in {runner} before anybody has seen it")]
    RunsFetched { from: String, runner: String },
}

/// Directories of the system that are as good as the whole of it.
const SYSTEM: &[&str] = &[
    "bin", "boot", "dev", "etc", "home", "lib", "lib64", "opt", "proc", "root", "run", "sbin", "srv", "sys", "usr",
    "var", "Users",
];

/// Files below `/dev` that may be written.
const HARMLESS_DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/tty",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/random",
    "/dev/urandom",
    "/dev/ptmx",
];

/// Programs that write to the devices among their operands.
const DEVICE_WRITERS: &[&str] = &[
    "wipefs",
    "shred",
    "blkdiscard",
    "mkswap",
    "sgdisk",
    "sfdisk",
    "fdisk",
    "cfdisk",
    "gdisk",
    "parted",
    "mke2fs",
    "badblocks",
    "hdparm",
    "cryptsetup",
    "tee",
    "cp",
    "mv",
    "truncate",
    "ddrescue",
    "newfs",
    "nvme",
    "pvcreate",
    "install",
    "rm",
    "unlink",
];

/// Looks for a denial in one command, its name first.
pub(super) fn of_command(arguments: &[Argument], scope: &Scope<'_>) -> Option<CommandDanger> {
    let (name, rest) = arguments.split_first()?;
    let name = kinds::base(&name.text);
    match name {
        "rm" | "srm" | "trash" | "rimraf" => deletion(name, rest, scope),
        "find" => {
            let parts = find::parts(rest);
            let here = Argument::literal(".");
            let roots = if parts.roots.is_empty() { vec![&here] } else { parts.roots };
            find::deletes_everything(parts.expression)
                .then(|| roots.iter().find_map(|root| protected(&root.text, scope)))?
        }
        "rsync" => {
            let is_deleting = rest.iter().any(|word| word.text.starts_with("--del"));
            let target = rest.iter().rfind(|word| !word.text.starts_with('-')).filter(|_| is_deleting)?;
            protected(target.text.trim_end_matches('/'), scope).or_else(|| protected(&target.text, scope))
        }
        _ => None,
    }
    .or_else(|| device_operand(name, rest, scope))
    .or_else(|| forks_forever(name, rest))
}

/// `rm -r` of a protected directory.
fn deletion(name: &str, rest: &[Argument], scope: &Scope<'_>) -> Option<CommandDanger> {
    let options = rest.iter().take_while(|word| word.text != "--");
    let is_recursive = name != "rm" || options.into_iter().any(|word| operands::is_recursive_option(&word.text));
    let end = rest.iter().position(|word| word.text == "--").unwrap_or(rest.len());
    let is_operand = |(at, word): &(usize, &Argument)| *at > end || !word.text.starts_with('-');
    let mut operands = rest.iter().enumerate().filter(is_operand).filter(|(_, word)| word.text != "--");
    operands.find_map(|(_, word)| protected(&word.text, scope)).filter(|_| is_recursive)
}

/// The protected directory that a path or pattern covers.
fn protected(text: &str, scope: &Scope<'_>) -> Option<CommandDanger> {
    if text.is_empty() || text.contains('$') {
        return None;
    }
    let home = scope.place.home.filter(|home| *home != Path::new("/"));
    let git = scope.place.project.join(".git");
    let directories = [
        ("the root of the file system", Some(Path::new("/"))),
        ("your home directory", home),
        ("the root of the project", Some(scope.place.project)),
        ("the repository of the project", Some(&git)),
    ];
    for path in paths::absolute(text, scope) {
        for (what, directory) in directories.iter().filter_map(|(what, directory)| Some((*what, (*directory)?))) {
            let real = paths::real(directory);
            if covers(&path, directory) || covers(&path, &real) {
                return Some(CommandDanger::Deletes { what, path });
            }
        }
        if path.file_name().is_some_and(|name| name == ".git") {
            return Some(CommandDanger::Deletes { what: "a git repository", path });
        }
        let names: Vec<&str> = path.components().filter_map(|part| part.as_os_str().to_str()).collect();
        let is_system = match names[..] {
            [_, top] => SYSTEM.contains(&top),
            [_, top, all] => SYSTEM.contains(&top) && top != "home" && is_broad(all),
            _ => false,
        };
        if is_system {
            return Some(CommandDanger::Deletes { what: "a directory of the system", path });
        }
    }
    None
}

/// Whether a path with patterns may name the directory, a directory around it, or everything in it.
fn covers(pattern: &Path, directory: &Path) -> bool {
    let patterns: Vec<Component<'_>> = pattern.components().collect();
    let names: Vec<Component<'_>> = directory.components().collect();
    let is_match = |count: usize| {
        patterns[..count]
            .iter()
            .zip(&names)
            .all(|(pattern, name)| matches(pattern.as_os_str().to_str(), name.as_os_str().to_str()))
    };
    if patterns.len() <= names.len() {
        return is_match(patterns.len());
    }
    let last = patterns[names.len()].as_os_str().to_str().unwrap_or_default();
    patterns.len() == names.len() + 1 && is_broad(last) && is_match(names.len())
}

/// Whether a pattern stands for nearly every name: `*`, `.*`, `.[!.]*`, `?*`.
fn is_broad(pattern: &str) -> bool {
    pattern.contains(paths::PATTERN) && pattern.chars().all(|c| "*?.[]!^".contains(c))
}

fn matches(pattern: Option<&str>, name: Option<&str>) -> bool {
    let (Some(pattern), Some(name)) = (pattern, name) else { return false };
    if !pattern.contains(paths::PATTERN) {
        return pattern == name;
    }
    let is_hidden = name.starts_with('.') && !pattern.starts_with('.');
    !is_hidden && globset::Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(name))
}

fn device_operand(name: &str, rest: &[Argument], scope: &Scope<'_>) -> Option<CommandDanger> {
    if name == "dd" {
        return rest.iter().filter_map(|word| word.text.strip_prefix("of=")).find_map(|path| device(path, scope));
    }
    let is_mkfs = name == "mkfs" || name.starts_with("mkfs.") || name.starts_with("mkdosfs");
    if !is_mkfs && !DEVICE_WRITERS.contains(&name) {
        return None;
    }
    // Of a copy, only the target is written.
    let is_copy = matches!(name, "cp" | "install");
    let operands = rest.iter().filter(|word| !word.text.starts_with('-'));
    let mut written = if is_copy {
        operands.clone().skip(operands.count().saturating_sub(1)).collect()
    } else {
        operands.collect::<Vec<_>>()
    };
    written.retain(|word| !word.text.contains('$'));
    written.into_iter().find_map(|word| device(&word.text, scope))
}

/// The device that a path names, unless writing to it is harmless.
pub(super) fn device(text: &str, scope: &Scope<'_>) -> Option<CommandDanger> {
    let path = paths::absolute(text, scope).into_iter().find(|path| path.starts_with("/dev"))?;
    let name = path.to_str()?;
    let is_directory =
        ["/dev/fd/", "/dev/shm/", "/dev/pts/", "/dev/tcp/", "/dev/udp/"].iter().any(|start| name.starts_with(start));
    let is_harmless =
        is_directory || HARMLESS_DEVICES.contains(&name) || name == "/dev/fd" || name == "/dev/shm" || name == "/dev";
    (!is_harmless).then_some(CommandDanger::Device(path))
}

/// `perl -e 'fork while fork'`
fn forks_forever(name: &str, rest: &[Argument]) -> Option<CommandDanger> {
    let is_loop =
        |text: &str| text.contains("fork") && ["while", "loop", "for ", "for("].iter().any(|word| text.contains(word));
    let code = rest.iter().find(|word| is_loop(&word.text))?;
    let is_code = rest.iter().any(|word| matches!(word.text.as_str(), "-e" | "-c" | "-E" | "-r" | "--eval"));
    (kinds::is_interpreter(name) && is_code).then(|| CommandDanger::ForkBomb(format!("{name} with {:?}", code.text)))
}

/// Whether a command runs the text on its standard input.
pub(super) fn runs_input(arguments: &[Argument]) -> bool {
    let Some((name, rest)) = arguments.split_first() else { return false };
    let name = name.text.as_str();
    let mut operands = rest.iter().filter(|word| !word.text.starts_with('-') || word.text == "-");
    let first = operands.next().map(|word| word.text.as_str());
    if kinds::is_shell(name) {
        let reads_input = rest
            .iter()
            .any(|word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('s'));
        let has_text = rest
            .iter()
            .any(|word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('c'));
        return !has_text && (reads_input || matches!(first, None | Some("-" | "/dev/stdin" | "/proc/self/fd/0")));
    }
    if kinds::is_interpreter(name)
        && !matches!(
            kinds::base(name),
            "awk" | "gawk" | "mawk" | "nawk" | "sqlite3" | "psql" | "mysql" | "vim" | "vi" | "nvim" | "ed" | "ex"
        )
    {
        let has_code = rest.iter().any(|word| {
            matches!(word.text.as_str(), "-c" | "-e" | "-m" | "-E" | "-r" | "-n" | "-p" | "-ne" | "-pe" | "-lne" | "-i")
        });
        return !has_code && matches!(first, None | Some("-" | "/dev/stdin"));
    }
    matches!(name, "source" | ".") && matches!(first, Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
}

/// What brings text that nobody has seen: a program that fetches or decodes.
pub(super) fn brings_text(arguments: &[Argument]) -> Option<String> {
    let (name, rest) = arguments.split_first()?;
    let name = kinds::base(&name.text);
    let has = |short: &str, long: &str| {
        rest.iter().any(|word| match word.text.strip_prefix("--") {
            Some(option) => option.len() > 2 && long.starts_with(option),
            None => word.text.starts_with('-') && word.text.contains(|c| short.contains(c)),
        })
    };
    let decodes = match name {
        "base64" | "base32" | "basenc" => has("dD", "decode"),
        "xxd" => has("r", "revert"),
        "uudecode" => true,
        "openssl" => has("d", "decode") || rest.iter().any(|word| word.text == "s_client"),
        _ => kinds::is_fetcher(name),
    };
    decodes.then(|| name.to_owned())
}

/// The arguments that a command runs as text: the script after `-c`, a script file that is the output of a command, everything after
/// `eval`, and a name that is not literal.
pub(super) fn run_texts(command: &[Argument]) -> Vec<&str> {
    let Some((name, rest)) = command.split_first() else { return Vec::new() };
    if !name.is_literal() {
        return vec![&name.text];
    }
    if matches!(name.text.as_str(), "eval" | "source" | ".") {
        return rest.iter().map(|word| word.text.as_str()).collect();
    }
    if !kinds::is_shell(&name.text) && !kinds::is_interpreter(&name.text) {
        return Vec::new();
    }
    let is_code = |word: &Argument| {
        word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with(['c', 'e', 'E', 'r'])
    };
    let code = rest.iter().zip(rest.iter().skip(1)).filter(|(option, _)| is_code(option)).map(|(_, code)| code);
    let file = rest.iter().find(|word| !word.text.starts_with('-')).filter(|word| word.text.starts_with("<("));
    code.chain(file).map(|word| word.text.as_str()).collect()
}
