//! Identifies a terminal, so that the next shell in the same window or pane is recognised.

use std::ffi::OsString;

/// Variables that name a window or pane, innermost program first. All variables of a row must be set.
const NAMES: [(&str, &[&str]); 7] = [
    ("tmux", &["TMUX", "TMUX_PANE"]),
    ("zellij", &["ZELLIJ_SESSION_NAME", "ZELLIJ_PANE_ID"]),
    ("screen", &["STY", "WINDOW"]),
    ("wezterm", &["WEZTERM_PANE"]),
    ("kitty", &["KITTY_WINDOW_ID"]),
    ("iterm", &["ITERM_SESSION_ID"]),
    ("wt", &["WT_SESSION"]),
];

/// The window or pane of the terminal, or else the name of the device. Empty if neither is known.
pub(super) fn terminal_id(env: impl Fn(&str) -> Option<OsString>, device: Option<String>) -> String {
    let value = |name: &&str| {
        let value = env(name).filter(|value| !value.is_empty())?.to_string_lossy().into_owned();
        // tmux adds its process id and the number of its session, which change when it is started again.
        Some(if *name == "TMUX" { value.split(',').next().unwrap_or_default().to_owned() } else { value })
    };
    let named = NAMES.iter().find_map(|(program, variables)| {
        let values: Option<Vec<String>> = variables.iter().map(value).collect();
        Some(format!("{program}:{}", values?.join(":")))
    });
    named.or(device).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(variables: &[(&str, &str)]) -> String {
        let find =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value));
        terminal_id(find, Some("/dev/pts/3".into()))
    }

    #[test]
    fn a_pane_is_recognised_by_its_program_and_any_terminal_by_its_device() {
        let tmux = [("TMUX", "/tmp/tmux-1000/default,4242,0"), ("TMUX_PANE", "%7"), ("WEZTERM_PANE", "1")];
        assert_eq!(id(&tmux), "tmux:/tmp/tmux-1000/default:%7", "tmux runs inside of WezTerm");
        assert_eq!(id(&[("ZELLIJ_SESSION_NAME", "main"), ("ZELLIJ_PANE_ID", "4")]), "zellij:main:4");
        assert_eq!(id(&[("STY", "99.box"), ("WINDOW", "2")]), "screen:99.box:2");
        assert_eq!(id(&[("KITTY_WINDOW_ID", "5")]), "kitty:5");
        assert_eq!(id(&[("ITERM_SESSION_ID", "w0t1p0:ABC")]), "iterm:w0t1p0:ABC");
        assert_eq!(id(&[("WT_SESSION", "1-2-3")]), "wt:1-2-3");
        assert_eq!(id(&[("STY", "99.box"), ("TMUX", "")]), "/dev/pts/3", "half a name is none");
        assert_eq!(terminal_id(|_| None, None), "");
    }
}
