//! The kind of a shell.

use std::path::Path;

/// The shells that have a shell integration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShellKind {
    Bash,
    Zsh,
    Fish,
    /// Any other shell, hosted without hooks.
    Other,
}

impl ShellKind {
    /// Determines the kind from the program's file name, which may have a version suffix (`bash-5.3`, `zsh5`).
    pub(crate) fn of(program: &Path) -> ShellKind {
        let name = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        match stem {
            "bash" => ShellKind::Bash,
            "zsh" => ShellKind::Zsh,
            "fish" => ShellKind::Fish,
            _ => ShellKind::Other,
        }
    }

    /// The name used in messages and in the history.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ShellKind::Bash => "bash",
            ShellKind::Zsh => "zsh",
            ShellKind::Fish => "fish",
            ShellKind::Other => "shell",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_follows_from_the_file_name() {
        for (path, kind) in [
            ("/bin/bash", ShellKind::Bash),
            ("bash-5.3", ShellKind::Bash),
            ("/opt/zsh5/bin/zsh5", ShellKind::Zsh),
            ("/usr/bin/fish", ShellKind::Fish),
            ("/bin/rbash", ShellKind::Other),
            ("/bin/dash", ShellKind::Other),
            ("", ShellKind::Other),
        ] {
            assert_eq!(ShellKind::of(Path::new(path)), kind, "{path}");
        }
    }
}
