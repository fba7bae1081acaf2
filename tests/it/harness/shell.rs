//! The three shells, and a prompt that the tests can count.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Directories a shell may be in; also the PATH inside the terminal.
pub(super) const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/// Returns the shells of this machine. A missing shell is reported, and with `CI=true` it is a failure.
/// `TEST_SHELLS=zsh,fish` leaves the others out.
pub(crate) fn shells() -> Vec<Shell> {
    [Shell::Bash, Shell::Zsh, Shell::Fish].into_iter().filter(|shell| shell.available()).collect()
}

impl Shell {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Shell::Bash => "bash",
            Shell::Zsh => "zsh",
            Shell::Fish => "fish",
        }
    }

    /// Whether the shell is installed. A test that needs it returns early if it is not.
    pub(crate) fn available(self) -> bool {
        let wanted = std::env::var("TEST_SHELLS").unwrap_or_default();
        (wanted.is_empty() || wanted.split(',').any(|name| name == self.name())) && available(self.name())
    }

    /// The path of the shell, or of the version that `TEST_BASH`, `TEST_ZSH` or `TEST_FISH` names.
    pub(crate) fn path(self) -> PathBuf {
        let other = std::env::var_os(format!("TEST_{}", self.name().to_uppercase())).map(PathBuf::from);
        other.or_else(|| find(self.name())).unwrap_or_else(|| panic!("no {} on this machine", self.name()))
    }

    /// The file below HOME that an interactive shell reads.
    pub(crate) fn rc_file(self) -> &'static str {
        match self {
            Shell::Bash => ".bashrc",
            Shell::Zsh => ".zshrc",
            Shell::Fish => ".config/fish/config.fish",
        }
    }

    /// Sets a prompt `[1]$ `, `[2]$ `, … that counts prompts, not redraws of one, so that a new prompt can't be mistaken for
    /// an old one or for the echo of a command. The counter is a plain variable, `T`, and leaves `$?` alone.
    pub(crate) fn counting_prompt(self) -> &'static str {
        match self {
            Shell::Bash => "T=0\nPS1='[$((++T))]$ '\n",
            Shell::Zsh => "T=0\nsetopt prompt_subst\nprecmd() { T=$((T + 1)) }\nPS1='[$T]$ '\n",
            Shell::Fish => {
                "set -g T 0\nset -g fish_greeting\nset -g fish_autosuggestion_enabled 0\n\
                 function count_prompts --on-event fish_prompt; set -g T (math $T + 1); end\n\
                 function fish_prompt; echo -n \"[$T]\\$ \"; end\n"
            }
        }
    }

    /// The variable with the process id of the shell.
    pub(crate) fn pid(self) -> &'static str {
        match self {
            Shell::Bash | Shell::Zsh => "$$",
            Shell::Fish => "$fish_pid",
        }
    }

    /// The variable with the status of the last command.
    pub(crate) fn status(self) -> &'static str {
        match self {
            Shell::Bash | Shell::Zsh => "$?",
            Shell::Fish => "$status",
        }
    }
}

/// Whether a program is installed. If not, a message says so, or the test fails if `CI=true`.
pub(crate) fn available(program: &str) -> bool {
    is_here(program, find(program).is_some())
}

/// The same for a file of a package.
pub(crate) fn available_file(path: &str) -> bool {
    is_here(path, Path::new(path).is_file())
}

pub(super) fn is_here(what: &str, here: bool) -> bool {
    if !here {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "no {what} on this machine, and CI=true");
        eprintln!("SKIPPED: no {what}");
    }
    here
}

/// The release build that `tests/run` names in `SHELLMATE_RELEASE`. If there is none, a message says so, or the test fails if
/// `CI=true`.
pub(crate) fn release() -> Option<PathBuf> {
    let path = std::env::var_os("SHELLMATE_RELEASE").map(PathBuf::from);
    is_here("release build in SHELLMATE_RELEASE; `tests/run` makes one", path.is_some());
    path
}

fn find(program: &str) -> Option<PathBuf> {
    PATH.split(':').map(|dir| Path::new(dir).join(program)).find(|path| path.is_file())
}
