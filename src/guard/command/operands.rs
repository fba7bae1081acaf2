//! The files that a command reads and writes, for commands that do more than look. What is not known is left out.

use super::argument::{Argument, Certainty};
use super::scope::Scope;
use super::{Extent, Touched, find, kinds, paths};

/// The paths that a command touches.
#[derive(Debug, Default)]
pub(super) struct TouchedPaths {
    pub(super) reads: Vec<Touched>,
    pub(super) writes: Vec<Touched>,
}

/// Commands that change all their operands. The number says how many operands before them are something else, such as a mode.
const CHANGES_OPERANDS: &[(&str, usize)] = &[
    ("rm", 0),
    ("rmdir", 0),
    ("unlink", 0),
    ("shred", 0),
    ("truncate", 0),
    ("touch", 0),
    ("mkdir", 0),
    ("tee", 0),
    ("mkfifo", 0),
    ("mknod", 0),
    ("chmod", 1),
    ("chown", 1),
    ("chgrp", 1),
    ("chattr", 1),
    ("setfacl", 0),
    ("gzip", 0),
    ("gunzip", 0),
    ("bzip2", 0),
    ("xz", 0),
    ("zstd", 0),
    ("dos2unix", 0),
    ("rustfmt", 0),
    ("wipefs", 0),
    ("trash", 0),
    ("srm", 0),
    ("ed", 0),
    ("ex", 0),
];

/// Commands whose last operand is written and whose other operands are read.
const COPIES: &[&str] = &["cp", "mv", "install", "ln", "rsync", "scp", "uniq", "xxd", "ditto"];

/// Short options with a value that is not a path, so that the value is not taken for an operand.
const VALUE_LETTERS: &[(&str, &str)] = &[
    ("truncate", "s"),
    ("shred", "ns"),
    ("touch", "dtr"),
    ("install", "mogtS"),
    ("cp", "tS"),
    ("mv", "tS"),
    ("ln", "tS"),
    ("mkdir", "m"),
    ("uniq", "fsw"),
    ("xxd", "clgs"),
];

/// Options that name a file to be written.
const OUTPUT_OPTIONS: &[(&str, &[&str])] = &[
    ("sort", &["-o", "--output"]),
    ("curl", &["-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--stderr"]),
    ("wget", &["-O", "--output-document", "-o", "--output-file", "-P", "--directory-prefix"]),
    ("tree", &["-o"]),
    ("git", &["--output"]),
    ("gcc", &["-o"]),
    ("cc", &["-o"]),
    ("clang", &["-o"]),
    ("rustc", &["-o"]),
    ("go", &["-o"]),
    ("tar", &["-C", "--directory"]),
    ("unzip", &["-d"]),
    ("patch", &["-o", "--output"]),
    ("jq", &[]),
    ("find", &["-fprint", "-fprint0", "-fprintf", "-fls"]),
    ("dd", &[]),
];

/// The paths of a command, its name first.
pub(super) fn touched(arguments: &[Argument], scope: &Scope<'_>) -> TouchedPaths {
    let mut found = TouchedPaths::default();
    let Some((name, rest)) = arguments.split_first() else { return found };
    let name = kinds::base(&name.text);
    let operands = operands(name, rest);
    let is_recursive = rest.iter().any(|word| is_recursive_option(&word.text));
    let extent = if is_recursive { Extent::Below } else { Extent::Itself };
    outputs(name, rest, &mut found, scope);
    if let Some((_, skipped)) = CHANGES_OPERANDS.iter().find(|(listed, _)| *listed == name) {
        for operand in operands.iter().skip(*skipped) {
            paths::add(&mut found.writes, operand, extent, scope);
        }
        return found;
    }
    match name {
        "dd" => dd(rest, &mut found, scope),
        "find" => {
            for root in find::parts(rest).roots {
                paths::add(&mut found.writes, root, Extent::Below, scope);
                paths::add(&mut found.reads, root, Extent::Below, scope);
            }
        }
        "sed" | "perl" if rest.iter().any(|word| is_in_place(&word.text)) => {
            for operand in operands {
                paths::add(&mut found.writes, operand, extent, scope);
            }
        }
        _ if COPIES.contains(&name) => copies(name, rest, &operands, &mut found, scope),
        _ => guessed(rest, &mut found, scope),
    }
    found
}

fn operands<'a>(name: &str, rest: &'a [Argument]) -> Vec<&'a Argument> {
    let letters = VALUE_LETTERS.iter().find(|(listed, _)| *listed == name).map_or("", |(_, letters)| letters);
    let mut found = Vec::new();
    let (mut is_value, mut is_over) = (false, false);
    for word in rest {
        let is_option = !is_over && word.text.starts_with('-') && word.text.len() > 1;
        if std::mem::take(&mut is_value) {
            continue;
        }
        if !is_option {
            found.push(word);
        } else if word.text == "--" {
            is_over = true;
        } else if !word.text.starts_with("--") {
            is_value = word.text.ends_with(|last| letters.contains(last));
        }
    }
    found
}

/// Options that name files to be written, `--option=value` and `--option value`.
fn outputs(name: &str, rest: &[Argument], found: &mut TouchedPaths, scope: &Scope<'_>) {
    let Some((_, options)) = OUTPUT_OPTIONS.iter().find(|(listed, _)| *listed == name) else { return };
    for (at, word) in rest.iter().enumerate() {
        for option in *options {
            let Some(value) = word.text.strip_prefix(option) else { continue };
            let is_long = option.starts_with("--") || name == "find";
            match (value, value.strip_prefix('=').filter(|_| is_long)) {
                ("", _) => {
                    if let Some(next) = rest.get(at + 1) {
                        paths::add(&mut found.writes, next, Extent::Itself, scope);
                    }
                }
                (_, Some(value)) => paths::add_text(&mut found.writes, value, Extent::Itself, scope),
                (value, None) if !is_long => paths::add_text(&mut found.writes, value, Extent::Itself, scope),
                (_, None) => {}
            }
        }
    }
}

fn dd(rest: &[Argument], found: &mut TouchedPaths, scope: &Scope<'_>) {
    for word in rest.iter().filter(|word| !matches!(word.known, Certainty::Unknown(_))) {
        if let Some(path) = word.text.strip_prefix("of=") {
            paths::add_text(&mut found.writes, path, Extent::Itself, scope);
        } else if let Some(path) = word.text.strip_prefix("if=") {
            paths::add_text(&mut found.reads, path, Extent::Itself, scope);
        }
    }
}

fn copies(name: &str, rest: &[Argument], operands: &[&Argument], found: &mut TouchedPaths, scope: &Scope<'_>) {
    let target = rest.iter().enumerate().find_map(|(at, word)| match word.text.strip_prefix("--target-directory=") {
        Some(path) => Some(Argument::literal(path)),
        None if matches!(word.text.as_str(), "-t" | "--target-directory") && name != "rsync" => {
            rest.get(at + 1).cloned()
        }
        None => None,
    });
    let (sources, target) = match (&target, operands.split_last()) {
        (Some(target), _) => (operands, target),
        (None, Some((last, sources))) if !sources.is_empty() => (sources, *last),
        (None, _) => (operands, &Argument::literal(".")),
    };
    for source in sources {
        // Copies follow links and may be recursive.
        paths::add(&mut found.reads, source, Extent::Below, scope);
        if name == "mv" {
            paths::add(&mut found.writes, source, Extent::Below, scope);
        }
    }
    let is_alone = operands.len() < 2 && matches!(name, "uniq" | "xxd");
    if is_alone {
        return;
    }
    paths::add(&mut found.writes, target, Extent::Itself, scope);
    // Into a directory, the copy has the name of its source.
    for source in sources.iter().filter(|source| source.is_literal() && target.is_literal()) {
        let file = source.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if !file.is_empty() {
            paths::add_text(
                &mut found.writes,
                &format!("{}/{file}", target.text.trim_end_matches('/')),
                Extent::Itself,
                scope,
            );
        }
    }
}

/// The arguments of an unknown command that look like paths: it may read them.
fn guessed(rest: &[Argument], found: &mut TouchedPaths, scope: &Scope<'_>) {
    for word in rest.iter().filter(|word| !matches!(word.known, Certainty::Unknown(_))) {
        let value = match word.text.split_once('=') {
            Some((_, value)) if word.text.starts_with('-') => value,
            _ => word.text.as_str(),
        };
        let value = value.rsplit_once("=@").map_or(value, |(_, file)| file);
        let value = value.strip_prefix('@').unwrap_or(value);
        let is_url = value.contains("://");
        let is_path = value.contains('/') || value.starts_with('.') || paths::exists(value, scope);
        if is_path && !is_url && !value.starts_with('-') && !value.contains('\n') && value.len() < 1024 {
            let argument = Argument { text: value.to_owned(), known: word.known.clone() };
            paths::add(&mut found.reads, &argument, Extent::Below, scope);
        }
    }
}

/// `-r`, `-R`, `-fr`, `--recursive` and its abbreviations.
pub(super) fn is_recursive_option(text: &str) -> bool {
    match text.strip_prefix("--") {
        Some(long) => long.len() >= 3 && "recursive".starts_with(long),
        None => text.starts_with('-') && text.contains(['r', 'R']),
    }
}

/// `-i`, `-i.bak`, `-ni`, `--in-place`
fn is_in_place(text: &str) -> bool {
    match text.strip_prefix("--") {
        Some(long) => long.len() >= 2 && ("in-place".starts_with(long) || long.starts_with("in-place=")),
        None => text.starts_with('-') && text[1..].chars().take_while(|c| c.is_ascii_alphabetic()).any(|c| c == 'i'),
    }
}
