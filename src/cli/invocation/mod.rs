//! What shellmate was started to do, from its arguments alone.
//!
//! Written by hand and pure: this runs on every start, also as the login shell of `ssh host command`, where anything that is not
//! ours must reach the real shell exactly as it was given.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The words that are ours as the first operand; a script of the same name needs a path (`./doctor`).
pub(crate) const SUBCOMMANDS: [&str; 11] =
    ["ask", "history", "reflex", "auth", "models", "doctor", "config", "theme", "completions", "man", "help"];

/// Options of bash, zsh and fish whose value is the next word; short ones end in `o` or `O` (see `takes_value`).
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

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Invocation {
    /// Become the real shell, with these arguments.
    Exec {
        shell: Option<PathBuf>,
        /// Whether we were started under a name with a dash; a `-l` among the arguments is left there.
        login: bool,
        args: Vec<OsString>,
    },
    /// Start around an interactive shell.
    Wrap {
        shell: Option<PathBuf>,
        login: bool,
        /// Whether `-i` was given: wanted again if there is no terminal and the shell must be started plainly.
        interactive: bool,
        /// What followed `--`, for the inner shell.
        shell_args: Vec<OsString>,
    },
    /// A subcommand, `--help` or `--version`: for clap to read.
    Command,
    /// A word without a slash that is no subcommand: a script in this directory, or a slip of the fingers. A shell would look for
    /// it on PATH too, and run what it finds there.
    Word { shell: Option<PathBuf>, args: Vec<OsString> },
}

/// An argument that is ours and makes no sense.
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

/// Decides what the arguments, the first of which is our own name, ask for.
///
/// Our options are read until the first word that is not ours; from there on everything belongs to the real shell, so a `--shell`
/// among the arguments of a script stays where it is.
pub(crate) fn classify(args: &[OsString]) -> Result<Invocation, UsageError> {
    let (name, words) = args.split_first().map_or((OsStr::new(""), args), |(name, words)| (name.as_os_str(), words));
    let dashed = name.as_bytes().starts_with(b"-");
    // `-h` and `-V` mean something else to a shell, but nobody starts one with nothing but those.
    if let [only] = words
        && matches!(only.as_bytes(), b"-h" | b"-V")
    {
        return Ok(Invocation::Command);
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
                    // Behind an option of the shell's, or under the name of a login shell, no person has typed a subcommand.
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

fn shell_path(value: &OsStr) -> Result<PathBuf, UsageError> {
    // A path that begins with a dash is another option whose neighbour was forgotten.
    if value.is_empty() || value.as_bytes().starts_with(b"-") {
        return Err(UsageError::ShellWithoutPath);
    }
    Ok(PathBuf::from(value))
}

/// `-l`, `-i` and both together.
fn is_ours(word: &[u8]) -> bool {
    matches!(word, [b'-', letters @ ..] if !letters.is_empty() && letters.iter().all(|letter| b"li".contains(letter)))
}

/// Whether this could be the name of a subcommand: neither a path nor an option.
fn is_word(word: &[u8]) -> bool {
    word.first().is_some_and(|first| !b"-+".contains(first)) && !word.contains(&b'/') && str::from_utf8(word).is_ok()
}

/// Whether a shell given these arguments would run them instead of talking to a person.
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
