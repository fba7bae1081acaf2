//! The environment of a command: that of the live shell, adapted for a process without a terminal.

use std::ffi::{OsStr, OsString};

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

pub(super) fn of_child(shell: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let theirs = shell.iter().filter(|(name, _)| !is_ours(name)).cloned();
    let ours = UNATTENDED.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    theirs.chain(ours).collect()
}

/// Whether a variable belongs to shellmate or holds a model's API key. No command needs these, and printing a key would send it to the model.
fn is_ours(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name == "SHELLMATE"
        || name.starts_with("SHELLMATE_")
        || name.ends_with("_API_KEY")
        || name.ends_with("_API_KEYS")
        || matches!(&*name, "ANTHROPIC_AUTH_TOKEN" | "CLAUDE_CODE_OAUTH_TOKEN")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_keys_are_removed_and_other_variables_are_kept() {
        let shell =
            ["SHELLMATE", "SHELLMATE_SESSION", "OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "VIRTUAL_ENV", "PAGER"];
        let shell: Vec<(OsString, OsString)> = shell.iter().map(|name| (name.into(), "theirs".into())).collect();
        let child = of_child(&shell);
        let value =
            |name: &str| child.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.to_str().unwrap());
        assert_eq!(value("VIRTUAL_ENV"), Some("theirs"));
        assert_eq!(value("PAGER"), Some("cat"));
        for name in ["SHELLMATE", "SHELLMATE_SESSION", "OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN"] {
            assert_eq!(value(name), None, "{name}");
        }
    }
}
