//! What the person's terminal is known to show beside the screen, from the environment.
//!
//! A terminal that is in no list gets only what is harmless everywhere: a bell.

/// How the terminal shows a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotifyForm {
    Bell,
    Osc9,
    Osc99,
    Osc777,
}

/// What the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OuterAbilities {
    /// The form of desktop notifications, if it is known.
    pub(super) notifies: Option<NotifyForm>,
    /// Whether some versions or set-ups of the terminal ignore that form, so that a bell is rung too.
    pub(super) needs_bell: bool,
    /// Whether it saves and restores its title.
    pub(super) title: bool,
    pub(super) progress: bool,
    /// Whether it may be asked anything.
    pub(super) replies: bool,
    pub(super) is_tmux: bool,
}

impl NotifyForm {
    pub(super) fn sequence(self, words: &str) -> Vec<u8> {
        match self {
            NotifyForm::Bell => b"\x07".to_vec(),
            NotifyForm::Osc9 => format!("\x1b]9;shellmate: {words}\x1b\\").into_bytes(),
            NotifyForm::Osc99 => format!("\x1b]99;;shellmate: {words}\x1b\\").into_bytes(),
            NotifyForm::Osc777 => format!("\x1b]777;notify;shellmate;{words}\x1b\\").into_bytes(),
        }
    }
}

/// Lets tmux pass a sequence on to the terminal around it.
pub(super) fn through_tmux(sequence: &[u8]) -> Vec<u8> {
    let mut out = b"\x1bPtmux;".to_vec();
    for byte in sequence {
        if *byte == 0x1B {
            out.push(0x1B);
        }
        out.push(*byte);
    }
    out.extend_from_slice(b"\x1b\\");
    out
}

/// The terminals whose abilities differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Emulator {
    Alacritty,
    ConEmu,
    Contour,
    Foot,
    Ghostty,
    Iterm2,
    Kitty,
    Mintty,
    Rxvt,
    VsCode,
    Vte,
    Warp,
    WezTerm,
    WindowsTerminal,
    Xterm,
    Other,
}

impl Emulator {
    fn of(variable: &impl Fn(&str) -> String) -> Emulator {
        let (term, program) = (variable("TERM"), variable("TERM_PROGRAM"));
        let is_set = |name: &str| !variable(name).is_empty();
        match () {
            // A name that the terminal itself sets counts more than a variable, which a terminal that was started in another inherits.
            () if term.contains("kitty") => Emulator::Kitty,
            () if term.contains("ghostty") || program == "ghostty" => Emulator::Ghostty,
            () if term.contains("wezterm") || program == "WezTerm" => Emulator::WezTerm,
            () if term.contains("alacritty") => Emulator::Alacritty,
            () if term.contains("foot") => Emulator::Foot,
            () if term.contains("contour") => Emulator::Contour,
            () if term.contains("rxvt") => Emulator::Rxvt,
            () if program == "vscode" => Emulator::VsCode,
            () if program == "WarpTerminal" => Emulator::Warp,
            () if program == "mintty" => Emulator::Mintty,
            () if program == "iTerm.app" || variable("LC_TERMINAL") == "iTerm2" => Emulator::Iterm2,
            () if program == "Apple_Terminal" => Emulator::Other,
            () if is_set("KITTY_WINDOW_ID") => Emulator::Kitty,
            () if is_set("GHOSTTY_RESOURCES_DIR") => Emulator::Ghostty,
            () if is_set("WEZTERM_PANE") => Emulator::WezTerm,
            () if is_set("WT_SESSION") => Emulator::WindowsTerminal,
            () if variable("ConEmuANSI") == "ON" => Emulator::ConEmu,
            () if is_set("VTE_VERSION") => Emulator::Vte,
            () if is_set("XTERM_VERSION") => Emulator::Xterm,
            () => Emulator::Other,
        }
    }

    /// The form of notifications, and whether it is shown by every version and set-up.
    fn notifies(self) -> (Option<NotifyForm>, bool) {
        match self {
            Emulator::Kitty => (Some(NotifyForm::Osc99), true),
            Emulator::Ghostty | Emulator::Iterm2 | Emulator::Warp | Emulator::WezTerm => (Some(NotifyForm::Osc9), true),
            Emulator::Foot | Emulator::Contour => (Some(NotifyForm::Osc777), true),
            // rxvt needs an extension for it. Only newer versions of Windows Terminal (1.26) and VS Code show one.
            Emulator::Rxvt | Emulator::WindowsTerminal => (Some(NotifyForm::Osc777), false),
            Emulator::VsCode => (Some(NotifyForm::Osc99), false),
            Emulator::Alacritty
            | Emulator::ConEmu
            | Emulator::Mintty
            | Emulator::Vte
            | Emulator::Xterm
            | Emulator::Other => (None, true),
        }
    }

    /// Whether it keeps a stack of titles (`CSI 22 t`, `CSI 23 t`). WezTerm, Ghostty, Windows Terminal, Konsole and rxvt ignore these
    /// sequences, so that a title of ours would stay.
    fn has_title_stack(self) -> bool {
        match self {
            Emulator::Alacritty
            | Emulator::Contour
            | Emulator::Foot
            | Emulator::Iterm2
            | Emulator::Kitty
            | Emulator::Mintty
            | Emulator::Vte
            | Emulator::Xterm => true,
            Emulator::ConEmu
            | Emulator::Ghostty
            | Emulator::Rxvt
            | Emulator::VsCode
            | Emulator::Warp
            | Emulator::WezTerm
            | Emulator::WindowsTerminal
            | Emulator::Other => false,
        }
    }

    /// Whether it shows `OSC 9;4`. A terminal that takes every `OSC 9` for a notification must not get it: older versions of iTerm2,
    /// WezTerm and kitty do.
    fn shows_progress(self, variable: &impl Fn(&str) -> String) -> bool {
        let version = variable("TERM_PROGRAM_VERSION");
        match self {
            Emulator::ConEmu | Emulator::Ghostty | Emulator::VsCode | Emulator::WindowsTerminal => true,
            Emulator::Iterm2 => has_feature(&variable("TERM_FEATURES"), "P"),
            // Its versions are dates. The first with progress is of February 2025.
            Emulator::WezTerm => version.get(..8).is_some_and(|date| date > "20250201"),
            Emulator::Vte => variable("VTE_VERSION").parse().is_ok_and(|version: u32| version >= 7900),
            Emulator::Alacritty
            | Emulator::Contour
            | Emulator::Foot
            | Emulator::Kitty
            | Emulator::Mintty
            | Emulator::Rxvt
            | Emulator::Warp
            | Emulator::Xterm
            | Emulator::Other => false,
        }
    }
}

/// Whether a list of features, as in `TERM_FEATURES`, has this one. Each begins with a capital letter: `T3LrMSc7UUw9Ts3BFP`.
fn has_feature(features: &str, wanted: &str) -> bool {
    let starts = features.char_indices().filter(|(_, c)| c.is_ascii_uppercase()).map(|(at, _)| at);
    let ends = starts.clone().skip(1).chain([features.len()]);
    starts.zip(ends).any(|(start, end)| &features[start..end] == wanted)
}

impl OuterAbilities {
    pub(super) fn of(variable: impl Fn(&str) -> String) -> OuterAbilities {
        let term = variable("TERM");
        let is_set = |name: &str| !variable(name).is_empty();
        let is_tmux = is_set("TMUX");
        let is_screen = (term.starts_with("screen") || is_set("STY")) && !is_tmux;
        let is_plain = term.is_empty() || term == "dumb" || term == "linux" || is_screen;
        let emulator = Emulator::of(&variable);
        let (notifies, is_certain) = if is_plain { (None, true) } else { emulator.notifies() };
        // tmux and screen have titles of their own, and show no progress.
        let is_direct = !is_plain && !is_tmux;
        OuterAbilities {
            notifies,
            needs_bell: !is_certain,
            title: is_direct && emulator.has_title_stack(),
            progress: is_direct && emulator.shows_progress(&variable),
            replies: !is_plain,
            is_tmux,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn abilities(pairs: &[(&str, &str)]) -> OuterAbilities {
        OuterAbilities::of(|name| pairs.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value).to_owned())
    }

    #[test]
    fn only_terminals_that_restore_their_title_get_one() {
        for (pairs, title) in [
            (&[("TERM", "xterm-kitty")][..], true),
            (&[("TERM", "foot")], true),
            (&[("TERM", "alacritty")], true),
            (&[("TERM", "xterm-256color"), ("VTE_VERSION", "7006")], true),
            (&[("TERM", "xterm-256color"), ("XTERM_VERSION", "XTerm(390)")], true),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")], true),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "mintty")], true),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")], false),
            (&[("TERM", "xterm-ghostty")], false),
            (&[("TERM", "xterm-ghostty"), ("VTE_VERSION", "7006")], false),
            (&[("TERM", "xterm-256color"), ("KONSOLE_VERSION", "260400")], false),
            (&[("TERM", "xterm-256color"), ("WT_SESSION", "x")], false),
            (&[("TERM", "rxvt-unicode")], false),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "Apple_Terminal")], false),
            (&[("TERM", "tmux-256color"), ("TMUX", "/x"), ("VTE_VERSION", "7006")], false),
            (&[("TERM", "xterm-256color"), ("STY", "1.pts"), ("VTE_VERSION", "7006")], false),
        ] {
            assert_eq!(abilities(pairs).title, title, "{pairs:?}");
        }
    }

    #[test]
    fn only_terminals_that_take_it_for_no_notification_get_the_progress() {
        let wezterm =
            |version| [("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm"), ("TERM_PROGRAM_VERSION", version)];
        let iterm = |features| [("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app"), ("TERM_FEATURES", features)];
        for (pairs, progress) in [
            (&[("TERM", "xterm-ghostty")][..], true),
            (&[("TERM", "xterm-256color"), ("WT_SESSION", "x")], true),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "vscode")], true),
            (&[("TERM", "xterm-256color"), ("VTE_VERSION", "8000")], true),
            (&[("TERM", "xterm-256color"), ("VTE_VERSION", "7800")], false),
            (&wezterm("20240203-110809-5046fc22"), false),
            (&wezterm("20250811-000000-aaaaaaaa"), true),
            (&iterm("T3LrMSc7UUw9Ts3BFGsSyHNoSxF"), false),
            (&iterm("T3LrMSc7UUw9Ts3BFGsSyHNoSxFP"), true),
            (&iterm("T3Pr"), false),
            (&[("TERM", "xterm-kitty"), ("VTE_VERSION", "8000")], false),
            (&[("TERM", "tmux-256color"), ("TMUX", "/x"), ("WT_SESSION", "x")], false),
        ] {
            assert_eq!(abilities(pairs).progress, progress, "{pairs:?}");
        }
    }
}
