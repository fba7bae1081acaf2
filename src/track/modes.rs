//! Which terminal modes a program has switched on, as seen in its output.

/// A private mode we give back at the end if whoever set it did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Switch {
    On(u16),
    Off(u16),
}

impl Switch {
    /// Whether it is to another screen, so that what comes before and after it are shown in different places.
    pub(crate) fn changes_screen(self) -> bool {
        let (Switch::On(mode) | Switch::Off(mode)) = self;
        ALTERNATE.contains(&mode)
    }
}

/// The modes that switch to the alternate screen, in three dialects.
const ALTERNATE: [u16; 3] = [47, 1047, 1049];

/// The modes that outlive the program that set them, with the state a terminal starts in.
const WATCHED: [(u16, bool); 14] = [
    (1, false),    // application cursor keys
    (9, false),    // mouse, X10
    (25, true),    // cursor shown
    (47, false),   // alternate screen
    (1047, false), //
    (1049, false), //
    (1000, false), // mouse: buttons, drags, all motion
    (1002, false), //
    (1003, false), //
    (1004, false), // focus reports
    (1006, false), // mouse coordinates: SGR, urxvt
    (1015, false), //
    (2004, false), // bracketed paste
    (2026, false), // synchronized update
];

/// The watched modes and their present state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Modes {
    on: [bool; WATCHED.len()],
    /// Whether a program draws on the alternate screen. Programs switch modes in every line they draw, so this is not looked up.
    full_screen: bool,
}

impl Default for Modes {
    fn default() -> Self {
        Modes { on: WATCHED.map(|(_, initial)| initial), full_screen: false }
    }
}

impl Modes {
    /// Takes note of a switch; modes we do not watch are ignored.
    pub(crate) fn apply(&mut self, switch: Switch) {
        let (mode, on) = match switch {
            Switch::On(mode) => (mode, true),
            Switch::Off(mode) => (mode, false),
        };
        if let Some(slot) = WATCHED.iter().position(|&(watched, _)| watched == mode) {
            self.on[slot] = on;
        }
        if switch.changes_screen() {
            self.full_screen = ALTERNATE.into_iter().any(|mode| self.is_on(mode));
        }
    }

    /// Whether a program draws on the alternate screen.
    pub(crate) fn full_screen(&self) -> bool {
        self.full_screen
    }

    /// Whether a watched mode is on.
    pub(crate) fn is_on(&self, mode: u16) -> bool {
        WATCHED.iter().zip(self.on).any(|(&(watched, _), on)| watched == mode && on)
    }

    /// The bytes that put every watched mode back to how a terminal starts.
    pub(crate) fn undo(&self) -> Vec<u8> {
        self.switched(|_, initial| initial)
    }

    /// The bytes that take a terminal from how it starts to these modes.
    pub(crate) fn redo(&self) -> Vec<u8> {
        self.switched(|on, _| on)
    }

    fn switched(&self, wanted: impl Fn(bool, bool) -> bool) -> Vec<u8> {
        let changed = WATCHED.into_iter().zip(self.on).filter(|((_, initial), on)| on != initial);
        let switch = |((mode, initial), on)| format!("\x1b[?{mode}{}", if wanted(on, initial) { 'h' } else { 'l' });
        changed.map(switch).collect::<String>().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_left_on_is_undone() {
        let mut modes = Modes::default();
        assert_eq!(modes.undo(), b"");
        for switch in [Switch::On(1049), Switch::Off(25), Switch::On(2004), Switch::Off(2004), Switch::On(7)] {
            modes.apply(switch);
        }
        assert!(modes.full_screen());
        assert_eq!(modes.undo(), b"\x1b[?25h\x1b[?1049l");
        assert_eq!(modes.redo(), b"\x1b[?25l\x1b[?1049h");
    }
}
