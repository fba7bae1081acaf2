//! The terminal program that shellmate runs in, as far as its variables tell. The terminal itself is asked nothing.

/// A terminal program, or a multiplexer in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TerminalProgram {
    Tmux,
    Screen,
    Zellij,
    VsCode,
    Kitty,
    Alacritty,
    WezTerm,
    Ghostty,
    Iterm2,
    AppleTerminal,
    WindowsTerminal,
    Konsole,
    GnomeTerminal,
    /// Another terminal with the widget of GNOME Terminal, such as Xfce Terminal or Tilix.
    Vte,
    Foot,
    Xterm,
}

impl TerminalProgram {
    /// The innermost program that the variables tell of: a multiplexer before the terminal it runs in.
    pub(super) fn of(get: impl Fn(&str) -> Option<String>) -> Option<TerminalProgram> {
        use TerminalProgram as Program;
        let is_set = |name: &str| get(name).is_some_and(|value| !value.is_empty());
        let is = |name: &str, wanted: &str| get(name).is_some_and(|value| value == wanted);
        let signs = [
            (Program::Tmux, is_set("TMUX")),
            (Program::Screen, is_set("STY")),
            (Program::Zellij, is_set("ZELLIJ")),
            (Program::VsCode, is("TERM_PROGRAM", "vscode")),
            (Program::Ghostty, is("TERM_PROGRAM", "ghostty") || is_set("GHOSTTY_RESOURCES_DIR")),
            (Program::WezTerm, is("TERM_PROGRAM", "WezTerm") || is_set("WEZTERM_PANE")),
            (Program::Iterm2, is("TERM_PROGRAM", "iTerm.app")),
            (Program::AppleTerminal, is("TERM_PROGRAM", "Apple_Terminal")),
            (Program::Kitty, is_set("KITTY_WINDOW_ID") || is("TERM", "xterm-kitty")),
            (Program::Alacritty, is_set("ALACRITTY_WINDOW_ID") || is("TERM", "alacritty")),
            (Program::WindowsTerminal, is_set("WT_SESSION")),
            (Program::Konsole, is_set("KONSOLE_VERSION")),
            (Program::Foot, is("TERM", "foot") || is("TERM", "foot-extra")),
            (Program::GnomeTerminal, is_set("GNOME_TERMINAL_SCREEN")),
            (Program::Vte, is_set("VTE_VERSION")),
            (Program::Xterm, is_set("XTERM_VERSION")),
        ];
        signs.into_iter().find_map(|(program, is_here)| is_here.then_some(program))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            TerminalProgram::Tmux => "tmux",
            TerminalProgram::Screen => "GNU screen",
            TerminalProgram::Zellij => "Zellij",
            TerminalProgram::VsCode => "VS Code",
            TerminalProgram::Kitty => "kitty",
            TerminalProgram::Alacritty => "Alacritty",
            TerminalProgram::WezTerm => "WezTerm",
            TerminalProgram::Ghostty => "Ghostty",
            TerminalProgram::Iterm2 => "iTerm2",
            TerminalProgram::AppleTerminal => "Apple Terminal",
            TerminalProgram::WindowsTerminal => "Windows Terminal",
            TerminalProgram::Konsole => "Konsole",
            TerminalProgram::GnomeTerminal => "GNOME Terminal",
            TerminalProgram::Vte => "a terminal with the VTE widget",
            TerminalProgram::Foot => "foot",
            TerminalProgram::Xterm => "xterm",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_program_is_named() {
        let of = |set: &[(&str, &str)]| {
            let get = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            TerminalProgram::of(get).map(TerminalProgram::name)
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("KITTY_WINDOW_ID", "1"), ("TMUX", "/tmp/x,1,0")]), Some("tmux"));
        assert_eq!(of(&[("TERM_PROGRAM", "vscode"), ("VTE_VERSION", "7000")]), Some("VS Code"));
        let gnome = [("VTE_VERSION", "7000"), ("GNOME_TERMINAL_SCREEN", "/org/gnome/Terminal/screen/1")];
        assert_eq!(of(&gnome), Some("GNOME Terminal"));
        assert_eq!(of(&[("VTE_VERSION", "7000")]), Some("a terminal with the VTE widget"));
        assert_eq!(of(&[("XTERM_VERSION", "XTerm(390)"), ("TERM", "xterm")]), Some("xterm"));
        assert_eq!(of(&[("TERM", "alacritty")]), Some("Alacritty"));
        assert_eq!(of(&[("WT_SESSION", "")]), None);
    }
}
