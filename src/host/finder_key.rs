//! The lines that bind a key to the finder of the history, for each shell.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::kind::ShellKind;
use crate::text::shell::quote::{self, Dialect};

const BASH: &str = include_str!("../../shell-integration/bash-finder.sh");
const ZSH: &str = include_str!("../../shell-integration/zsh-finder.zsh");
const FISH: &str = include_str!("../../shell-integration/fish-finder.fish");

/// The lines that bind Ctrl and this letter in a shell, or `None` if the shell is unknown. They call the program by this name or path.
pub(crate) fn finder_binding(kind: ShellKind, letter: char, program: &OsStr) -> Option<Vec<u8>> {
    let (script, dialect) = match kind {
        ShellKind::Bash => (BASH, Dialect::Posix),
        ShellKind::Zsh => (ZSH, Dialect::Posix),
        ShellKind::Fish => (FISH, Dialect::Fish),
        ShellKind::Other => return None,
    };
    let letter = match (kind, letter) {
        (ShellKind::Zsh, letter) if letter.is_ascii_alphabetic() => letter.to_ascii_uppercase().to_string(),
        (_, '\\') => "\\\\".to_owned(),
        (_, letter) => letter.to_string(),
    };
    let program = quote::bytes(program.as_bytes(), dialect);
    let mut parts = script.split("@PROGRAM@");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.extend_from_slice(&program);
        bytes.extend_from_slice(part.replace("@KEY@", &letter).as_bytes());
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_and_the_program_are_put_in() {
        let lines = |kind, letter| {
            let bytes = finder_binding(kind, letter, OsStr::new("/opt/it's/shellmate")).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        for (kind, binding) in
            [(ShellKind::Bash, r#""\C-r": "#), (ShellKind::Zsh, "'^R'"), (ShellKind::Fish, r"\cr __shellmate_find")]
        {
            let lines = lines(kind, 'r');
            assert!(lines.contains(binding), "{lines}");
            assert!(lines.contains("it") && !lines.contains('@'), "{lines}");
        }
        assert!(finder_binding(ShellKind::Other, 'r', OsStr::new("shellmate")).is_none());
    }
}
