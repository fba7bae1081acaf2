//! The live shell's environment, made fit for a command without a terminal.

use std::ffi::{OsStr, OsString};

/// What keeps programs from waiting for a person who is not there.
const UNATTENDED: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    // A merge or a rebase goes on with the message git proposes.
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

/// Our own variables, and the keys that pay for the model: no command needs them, and one that prints them would tell the model.
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
    fn keys_stay_here_and_the_rest_goes_along() {
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
