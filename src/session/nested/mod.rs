//! Shells inside the shell: `bash`, `sudo -s`, `ssh host`, `docker exec -it … sh`.
//!
//! They do not have our hooks, so a line that starts with `> ` is an ordinary redirection there. The first time a session enters one
//! of each kind, one dim line says so.
//!
//! The line is shown only if three conditions hold. The text of the recorded command starts an interactive shell; the system is
//! not asked for that. The command's program, or a shell, is in the foreground. And it reads keys one by one, as line editors and
//! remote terminals do. The line is shown above the first visible output after that, at the start of an empty row of the main
//! screen, before the nested shell has drawn anything whose position it could remember.

mod command;

use crate::host::{self, Shell};
use crate::track::{Mark, Piece, draws_text, places_cursor};

use super::books::Books;
use super::wires::Wires;
pub(super) use command::NestedKind;
use command::{Entered, is_shell};

/// How many pieces of output are examined before a prompt must have appeared. A container image may have to be downloaded first.
const LOOKS: u32 = 1_000;
/// How often the name of the program in the foreground is read.
const NAMES: u32 = 8;

/// Which kinds of nested shells have been explained, and the one that may be starting.
#[derive(Debug)]
pub(super) struct NestedShells {
    /// The hotkey, which works in a nested shell too, if there is one. It is named at the end of the line.
    hotkey: Option<String>,
    told: Vec<NestedKind>,
    entering: Option<Entering>,
    is_on: bool,
}

#[derive(Debug)]
struct Entering {
    entered: Entered,
    looks: u32,
    names: u32,
}

impl NestedShells {
    pub(super) fn new(is_on: bool, hotkey: Option<String>) -> NestedShells {
        NestedShells { hotkey, told: Vec::new(), entering: None, is_on }
    }

    /// Uses other settings from here on.
    pub(super) fn adopt(&mut self, is_on: bool, hotkey: Option<String>) {
        (self.is_on, self.hotkey) = (is_on, hotkey);
    }

    /// Looks at a piece of the shell's output before it is shown.
    pub(super) fn see(&mut self, piece: &Piece<'_>, books: &mut Books, wires: &mut Wires) {
        match piece {
            Piece::Mark(Mark::Start { text, .. }) => self.begin(text),
            Piece::Mark(Mark::End { .. } | Mark::Prompt { .. }) => self.entering = None,
            Piece::Bytes(bytes) if self.entering.is_some() => self.look(bytes, books, wires),
            Piece::Bytes(_) | Piece::Mark(_) | Piece::ForeignPrompt | Piece::Switch(_) => {}
        }
    }

    fn begin(&mut self, text: &[u8]) {
        let entered = self.is_on.then(|| Entered::by(text)).flatten();
        let entered = entered.filter(|entered| !self.told.contains(&entered.kind));
        self.entering = entered.map(|entered| Entering { entered, looks: LOOKS, names: NAMES });
    }

    fn look(&mut self, bytes: &[u8], books: &mut Books, wires: &mut Wires) {
        let Some(mut entering) = self.entering.take() else { return };
        let draws_text = draws_text(bytes);
        // fish 4.1 and later switch to the alternate screen and back while they ask the terminal for its abilities.
        let is_full_screen = draws_text && books.modes.full_screen() || places_cursor(bytes);
        if is_full_screen || entering.looks == 0 || entering.names == 0 {
            return;
        }
        entering.looks -= 1;
        if !draws_text || !entering.is_running(&*wires.shell) {
            self.entering = Some(entering);
        } else if books.tracker.is_on_empty_row() {
            self.told.push(entering.entered.kind);
            books.say_here(&self.words(), &mut wires.to_screen);
        }
    }

    fn words(&self) -> String {
        let asks = self.hotkey.as_ref().map(|key| format!("; {key} asks")).unwrap_or_default();
        format!("`> ` lines run as shell commands here{asks}")
    }
}

impl Entering {
    /// Whether the nested shell, or the program that leads to it, has the terminal and reads keys.
    fn is_running(&mut self, shell: &dyn Shell) -> bool {
        let edits_lines = shell.edits_lines_itself();
        // dash has no line editor.
        if !edits_lines && !self.entered.is_plain_shell {
            return false;
        }
        let Some(owner) = shell.foreground().filter(|owner| *owner != shell.child().pid()) else { return false };
        self.names -= 1;
        host::process_name(owner).is_some_and(|name| match edits_lines {
            true => is_shell(&name) || self.entered.names(&name),
            false => matches!(name.as_str(), "dash" | "sh"),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use nix::unistd::Pid;

    use super::*;
    use crate::host::ScriptHandle;
    use crate::session::scripted_tests::{books, wires};
    use crate::track::Switch;
    use crate::tty::Person;

    /// A session in which a shell without a line editor is started.
    struct Nested {
        shells: NestedShells,
        books: Books,
        wires: Wires,
        _person: Person,
        _script: ScriptHandle,
        shell: Child,
    }

    impl Nested {
        fn new(is_on: bool) -> Nested {
            let (wires, person, script) = wires();
            // It reads its input, which ends with the test.
            let shell = Command::new("sh").stdin(Stdio::piped()).spawn().unwrap();
            let program = Pid::from_raw(shell.id().try_into().unwrap());
            // The process gets its name a moment after it has started.
            while host::process_name(program).as_deref() != Some("sh") {
                std::thread::yield_now();
            }
            script.runs_program(program);
            let shells = NestedShells::new(is_on, Some("Ctrl-\\".into()));
            Nested { shells, books: books("nonce"), wires, _person: person, _script: script, shell }
        }

        fn sees(&mut self, piece: &Piece<'_>) -> String {
            self.shells.see(piece, &mut self.books, &mut self.wires);
            let shown = String::from_utf8_lossy(self.wires.to_screen.front()).into_owned();
            self.wires.to_screen = Default::default();
            shown
        }

        fn starts(&mut self, command: &str) {
            let start = Mark::Start { cwd: "/".into(), text: command.into() };
            self.sees(&Piece::Mark(start));
        }
    }

    impl Drop for Nested {
        fn drop(&mut self) {
            drop(self.shell.stdin.take());
            let _ = self.shell.wait();
        }
    }

    #[test]
    fn the_first_shell_of_a_kind_is_explained_above_its_prompt() {
        let mut nested = Nested::new(true);
        nested.starts("sh");
        assert_eq!(nested.sees(&Piece::Bytes(b"\x1b[0m")), "", "nothing is drawn yet");
        let shown = nested.sees(&Piece::Bytes(b"$ "));
        assert!(shown.contains("lines run as shell commands here; Ctrl-\\ asks"), "{shown}");
        assert_eq!(nested.sees(&Piece::Bytes(b"$ ")), "");
        nested.starts("sh");
        assert_eq!(nested.sees(&Piece::Bytes(b"$ ")), "", "once in a session");
    }

    #[test]
    fn other_commands_and_full_screen_programs_are_left_alone() {
        let mut nested = Nested::new(true);
        nested.starts("make");
        assert_eq!(nested.sees(&Piece::Bytes(b"$ ")), "");
        nested.starts("sh");
        assert_eq!(nested.sees(&Piece::Bytes(b"\x1b[H\x1b[2J$ ")), "", "it takes the whole screen");
        assert_eq!(nested.sees(&Piece::Bytes(b"$ ")), "");
        nested.starts("sh");
        nested.books.switch(Switch::On(1049));
        assert_eq!(nested.sees(&Piece::Bytes(b"$ ")), "", "it draws on the alternate screen");
        nested.books.switch(Switch::Off(1049));
        assert_eq!(nested.sees(&Piece::Bytes(b"$ ")), "");
        nested.starts("sh");
        nested.sees(&Piece::Mark(Mark::End { status: 0, eol_mark: Vec::new() }));
        assert_eq!(nested.sees(&Piece::Bytes(b"$ ")), "", "it has ended");
    }

    #[test]
    fn a_shell_that_only_asks_on_the_alternate_screen_is_explained() {
        let mut nested = Nested::new(true);
        nested.starts("sh");
        assert_eq!(nested.sees(&Piece::Bytes(b"\x1b[?u\x1b[?1049h")), "");
        nested.books.switch(Switch::On(1049));
        assert_eq!(nested.sees(&Piece::Bytes(b"\x1bP+q696e646e\x1b\\\x1b[?1049l")), "");
        nested.books.switch(Switch::Off(1049));
        assert!(nested.sees(&Piece::Bytes(b"\x1b[0c$ ")).contains("lines run as shell commands here"));
    }

    #[test]
    fn a_row_that_already_has_text_is_not_disturbed() {
        let mut nested = Nested::new(true);
        nested.starts("sh");
        nested.books.show(b"Password: ", &mut nested.wires.to_screen);
        nested.wires.to_screen = Default::default();
        assert_eq!(nested.sees(&Piece::Bytes(b"$ ")), "");
    }

    #[test]
    fn the_explanation_can_be_switched_off() {
        let mut nested = Nested::new(false);
        nested.starts("sh");
        assert_eq!(nested.sees(&Piece::Bytes(b"$ ")), "");
    }
}
