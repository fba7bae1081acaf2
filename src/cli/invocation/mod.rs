//! Decides from the arguments what shellmate was started for.
//!
//! This runs at every start, also as the login shell of `ssh host command`. Arguments that are not for shellmate must reach the real
//! shell exactly as given. So it is written by hand, as a pure function.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::guard::SANDBOX_HELPER;
use crate::hook::HOOK_HELPER;

/// The subcommands. A script with the same name needs a path (`./doctor`).
pub(crate) const SUBCOMMANDS: [&str; 16] = [
    "ask",
    "history",
    "conversations",
    "usage",
    "transcript",
    "reflex",
    "auth",
    "models",
    "init",
    "doctor",
    "config",
    "theme",
    "trust",
    "completions",
    "man",
    "help",
];

/// Long options of bash, zsh and fish whose value is the next word. Short ones end in `o` or `O`.
const WITH_VALUE: [&[u8]; 9] = [
    b"--rcfile",
    b"--init-file",
    b"--init-command",
    b"--emulate",
    b"--profile",
    b"--profile-startup",
    b"--features",
    b"--debug",
    b"--debug-output",
];

/// What shellmate was started for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Invocation {
    /// Replace shellmate by the real shell, with these arguments.
    Exec {
        shell: Option<PathBuf>,
        /// Whether `argv[0]` starts with a dash. A `-l` stays among the arguments.
        login: bool,
        args: Vec<OsString>,
    },
    /// Host an interactive shell.
    Wrap {
        shell: Option<PathBuf>,
        login: bool,
        /// Whether `-i` was given. It is passed on if there is no terminal and the plain shell is started.
        interactive: bool,
        /// The arguments after `--`, for the hosted shell.
        shell_args: Vec<OsString>,
    },
    /// The helper of a confined command, with the descriptor of its orders. Only shellmate itself starts it.
    Confine(i32),
    /// The helper that runs hooks at the end of a session. Only shellmate itself starts it.
    Hooks,
    /// A subcommand, `--help` or `--version`, for clap to parse.
    Command,
    /// A word without a slash that is not a subcommand: a script in this directory, or a typo. A shell would also search PATH for it
    /// and run what it finds.
    Word { shell: Option<PathBuf>, args: Vec<OsString> },
}

/// A wrong argument of shellmate itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UsageError {
    #[error("`--shell` needs the path of a shell")]
    ShellWithoutPath,
}

impl UsageError {
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::ShellWithoutPath => "for example `shellmate --shell /bin/zsh`",
        }
    }
}

/// Classifies the arguments; the first one is `argv[0]`.
///
/// Options of shellmate are read up to the first word that is not one of them. Everything from there on belongs to the real shell, so
/// a `--shell` among the arguments of a script is passed on.
pub(crate) fn classify(args: &[OsString]) -> Result<Invocation, UsageError> {
    let (name, words) = args.split_first().map_or((OsStr::new(""), args), |(name, words)| (name.as_os_str(), words));
    let dashed = name.as_bytes().starts_with(b"-");
    // `-h` and `-V` have another meaning in shells, but are never the only argument there.
    if let [only] = words
        && matches!(only.as_bytes(), b"-h" | b"-V")
    {
        return Ok(Invocation::Command);
    }
    if let Some(helper) = helper(words) {
        return Ok(helper);
    }
    let (mut shell, mut login, mut interactive) = (None, dashed, false);
    let mut passed: Vec<OsString> = Vec::new();
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        match word.as_bytes() {
            b"--shell" => {
                let Some((path, after)) = after.split_first() else { return Err(UsageError::ShellWithoutPath) };
                shell = Some(shell_path(path)?);
                rest = after;
                continue;
            }
            b"--help" | b"--version" => return Ok(Invocation::Command),
            b"--" => {
                if !runs_something(after) {
                    return Ok(Invocation::Wrap { shell, login, interactive, shell_args: after.to_vec() });
                }
                passed.extend_from_slice(after);
                return Ok(Invocation::Exec { shell, login: dashed, args: passed });
            }
            b"--login" => login = true,
            bytes => {
                if let Some(path) = bytes.strip_prefix(b"--shell=") {
                    shell = Some(shell_path(OsStr::from_bytes(path))?);
                    rest = after;
                    continue;
                }
                if !is_ours(bytes) {
                    if SUBCOMMANDS.iter().any(|name| name.as_bytes() == bytes) {
                        return Ok(Invocation::Command);
                    }
                    // After a shell option, or as a login shell, the word cannot be a mistyped subcommand.
                    if passed.is_empty() && !dashed && is_word(bytes) {
                        return Ok(Invocation::Word { shell, args: rest.to_vec() });
                    }
                    passed.extend_from_slice(rest);
                    return Ok(Invocation::Exec { shell, login: dashed, args: passed });
                }
                login |= bytes.contains(&b'l');
                interactive |= bytes.contains(&b'i');
            }
        }
        passed.push(word.clone());
        rest = after;
    }
    Ok(Invocation::Wrap { shell, login, interactive, shell_args: Vec::new() })
}

/// A helper process that shellmate starts itself.
fn helper(words: &[OsString]) -> Option<Invocation> {
    match words {
        [first, orders] if first == SANDBOX_HELPER => orders.to_str()?.parse().ok().map(Invocation::Confine),
        [only] if only == HOOK_HELPER => Some(Invocation::Hooks),
        _ => None,
    }
}

fn shell_path(value: &OsStr) -> Result<PathBuf, UsageError> {
    // A value that starts with a dash is the next option: the path is missing.
    if value.is_empty() || value.as_bytes().starts_with(b"-") {
        return Err(UsageError::ShellWithoutPath);
    }
    Ok(PathBuf::from(value))
}

/// Whether the word is `-l`, `-i` or both together.
fn is_ours(word: &[u8]) -> bool {
    matches!(word, [b'-', letters @ ..] if !letters.is_empty() && letters.iter().all(|letter| b"li".contains(letter)))
}

/// Whether this could be a mistyped subcommand: neither a path nor an option.
fn is_word(word: &[u8]) -> bool {
    word.first().is_some_and(|first| !b"-+".contains(first)) && !word.contains(&b'/') && str::from_utf8(word).is_ok()
}

/// Whether a shell with these arguments runs a command or a script instead of being interactive.
fn runs_something(args: &[OsString]) -> bool {
    let mut words = args.iter().map(|word| word.as_bytes());
    while let Some(word) = words.next() {
        match word {
            b"--" | b"-" => return words.next().is_some(),
            b"--command" | b"--help" | b"--version" => return true,
            [b'-', b'-', ..] => {
                if word.starts_with(b"--command=") {
                    return true;
                }
                if WITH_VALUE.contains(&word) {
                    words.next();
                }
            }
            [b'-', letters @ ..] if letters.iter().any(|letter| b"cs".contains(letter)) => return true,
            [b'-' | b'+', .., last] => {
                if b"oO".contains(last) {
                    words.next();
                }
            }
            _ => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests;
