//! The kind of a shell.

use std::path::Path;

/// The shells that have a shell integration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Bash,
    Zsh,
    Fish,
    /// Any other shell, hosted without hooks.
    Other,
}

impl Kind {
    /// Determines the kind from the program's file name, which may have a version suffix (`bash-5.3`, `zsh5`).
    pub(crate) fn of(program: &Path) -> Kind {
        let name = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        match stem {
            "bash" => Kind::Bash,
            "zsh" => Kind::Zsh,
            "fish" => Kind::Fish,
            _ => Kind::Other,
        }
    }

    /// The name used in messages and in the history.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Bash => "bash",
            Kind::Zsh => "zsh",
            Kind::Fish => "fish",
            Kind::Other => "shell",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_follows_from_the_file_name() {
        for (path, kind) in [
            ("/bin/bash", Kind::Bash),
            ("bash-5.3", Kind::Bash),
            ("/opt/zsh5/bin/zsh5", Kind::Zsh),
            ("/usr/bin/fish", Kind::Fish),
            ("/bin/rbash", Kind::Other),
            ("/bin/dash", Kind::Other),
            ("", Kind::Other),
        ] {
            assert_eq!(Kind::of(Path::new(path)), kind, "{path}");
        }
    }
}
