//! The environment of a command: that of the live shell, adapted for a process without a terminal.

use std::ffi::{OsStr, OsString};

use crate::guard::SandboxLevel;

/// Variables that keep programs from waiting for input.
const UNATTENDED: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    // A merge or a rebase uses the message that git proposes.
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];

/// Variables that make bash or another program run or load something, and tokens of models.
const UNWANTED: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PROMPT_COMMAND",
    "PS4",
    "RIPGREP_CONFIG_PATH",
    "LESSOPEN",
    "LESSCLOSE",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
];

/// Variables that name the socket of an agent or a display, which a confined command does not see.
const AGENTS: &[&str] = &[
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "GPG_AGENT_INFO",
    "GPG_TTY",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_ID",
    "SESSION_MANAGER",
    "GNOME_KEYRING_CONTROL",
    "DOCKER_HOST",
    "CONTAINER_HOST",
    "TMUX",
    "TMUX_PANE",
    "STY",
];

/// Variables of git that only name a person or a date.
const HARMLESS_GIT: &[&str] = &[
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
    "GIT_CEILING_DIRECTORIES",
];

pub(super) fn of_child(shell: &[(OsString, OsString)], level: SandboxLevel) -> Vec<(OsString, OsString)> {
    let is_kept = |name: &OsStr| match level {
        SandboxLevel::Off => !is_removed(name),
        SandboxLevel::ReadOnly | SandboxLevel::Workspace => {
            !is_removed(name) && !AGENTS.iter().any(|agent| name == *agent)
        }
    };
    let theirs = shell.iter().filter(|(name, _)| is_kept(name)).cloned();
    let ours = UNATTENDED.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    theirs.chain(ours).collect()
}

/// Whether a variable belongs to shellmate, holds a model's API key, or would change what a command does behind its words.
fn is_removed(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name == "SHELLMATE"
        || name.starts_with("SHELLMATE_")
        || name.ends_with("_API_KEY")
        || name.ends_with("_API_KEYS")
        || name.starts_with("BASH_FUNC_")
        || name.starts_with("LD_")
        || name.starts_with("DYLD_")
        || name.starts_with("GIT_") && !HARMLESS_GIT.contains(&&*name)
        || UNWANTED.contains(&&*name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_agents_and_hooks_are_removed_and_other_variables_are_kept() {
        let removed = [
            "SHELLMATE",
            "SHELLMATE_SESSION",
            "OPENAI_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "BASH_ENV",
            "BASH_FUNC_ls%%",
            "LD_PRELOAD",
            "GIT_SSH_COMMAND",
            "GIT_CONFIG_COUNT",
            "SSH_AUTH_SOCK",
            "WAYLAND_DISPLAY",
        ];
        let shell = removed.iter().chain(&["VIRTUAL_ENV", "PAGER", "GIT_AUTHOR_NAME"]);
        let shell: Vec<(OsString, OsString)> = shell.map(|name| (name.into(), "theirs".into())).collect();
        let child = of_child(&shell, SandboxLevel::Workspace);
        let value =
            |name: &str| child.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.to_str().unwrap());
        assert_eq!(value("VIRTUAL_ENV"), Some("theirs"));
        assert_eq!(value("GIT_AUTHOR_NAME"), Some("theirs"));
        assert_eq!(value("PAGER"), Some("cat"));
        for name in removed {
            assert_eq!(value(name), None, "{name}");
        }
        let unconfined = of_child(&shell, SandboxLevel::Off);
        assert!(unconfined.iter().any(|(name, _)| name == "SSH_AUTH_SOCK"));
        assert!(!unconfined.iter().any(|(name, _)| name == "LD_PRELOAD"));
    }
}
