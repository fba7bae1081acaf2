//! The link to the shell's hooks: whether they are installed, their directives, and the marks about their wait.

use std::path::PathBuf;
use std::time::Instant;

use nix::sys::signal::Signal;

use crate::host::ShellKind;
use crate::track::{Hooks, Mark, Piece, Zone};

use super::Session;
use super::books::Books;
use super::directives::{Directives, Reminder};
use super::floor::Floor;
use super::prompt_door::PromptDoor;
use super::wires::Wires;
use super::workspace::Workspace;

/// A prompt is shorter than this.
const PROMPT_CAP: usize = 4096;

/// The link to the hooks, and what is known about them.
pub(super) struct HookLink {
    pub(super) workspace: Workspace,
    directives: Directives,
    /// The files that contain the nonce, until the hooks have read them.
    secrets: Vec<PathBuf>,
    /// Whether the hooks are still expected: they have sent no mark, and their absence was not reported.
    is_expected: bool,
    hooked: Hooked,
    /// Open while the finder of the history runs.
    pub(super) door: PromptDoor,
}

impl HookLink {
    pub(super) fn new(workspace: Workspace, secrets: Vec<PathBuf>) -> HookLink {
        HookLink {
            workspace,
            directives: Directives::default(),
            is_expected: !secrets.is_empty(),
            secrets,
            hooked: Hooked::default(),
            door: PromptDoor::default(),
        }
    }

    /// The time to repeat a directive that the hook has not carried out.
    pub(super) fn due(&self) -> Option<Instant> {
        self.directives.due()
    }

    /// Lets the waiting hook continue to its prompt.
    pub(super) fn end_wait(&mut self) {
        let line = self.directives.finish(Instant::now());
        self.direct(line);
    }

    /// Lets the waiting hook run a command.
    pub(super) fn hand_command(&mut self, command: String) {
        self.workspace.write_command(command.clone());
        let line = self.directives.run(command, Instant::now());
        self.direct(line);
    }

    /// The command could not be written to its file, so the directive is not repeated.
    pub(super) fn forget_command(&mut self) {
        self.directives.runs();
    }

    fn direct(&mut self, line: Option<String>) {
        if let Some(line) = line {
            self.workspace.direct(line);
        }
    }

    /// Looks at output before it is shown, piece by piece, for the prompt of another shell.
    pub(super) fn expect(&mut self, output: &[u8]) {
        self.hooked.expect(output);
    }

    pub(super) fn watch(&mut self, next: &Piece<'_>, books: &mut Books, wires: &mut Wires) {
        self.hooked.watch(next, books, wires);
    }
}

impl Session {
    /// Handles the marks of a hook that waits.
    pub(super) fn heed(&mut self, mark: &Mark) {
        let now = Instant::now();
        let line = match mark {
            Mark::Listen { token } => {
                let line = self.hook.directives.listens(token.clone(), now);
                // The marks before this one were lost, so nothing was asked.
                if self.floor.is_shell() { self.hook.directives.finish(now) } else { line }
            }
            Mark::Read { token, command } => {
                let line = self.hook.directives.has_read(token.clone(), command, now);
                // fish calls its hooks while its own editor controls the terminal.
                if line.is_some() && self.profile.shell == ShellKind::Fish {
                    self.wires.shell.lend_terminal();
                }
                line
            }
            Mark::Go => {
                self.hook.directives.runs();
                None
            }
            Mark::Renew { nonce } => {
                self.agent.renew_nonce(nonce.clone());
                self.hook.workspace.has_nonce();
                None
            }
            Mark::Start { text, .. } => {
                self.hook.door.open_for(text, self.hook.workspace.directory(), &self.errands);
                None
            }
            Mark::Prompt { .. } => return self.prompts(),
            // After an interrupt bash draws its prompt without the mark that usually precedes it.
            Mark::Input if matches!(self.floor, Floor::Returning) => return self.prompts(),
            Mark::Hello { .. }
            | Mark::End { .. }
            | Mark::Input
            | Mark::Wiped { .. }
            | Mark::Query { .. }
            | Mark::Later { .. }
            | Mark::Ran { .. }
            | Mark::Wait { .. } => None,
        };
        self.hook.direct(line);
    }

    /// The shell continues to its prompt, so no hook waits.
    fn prompts(&mut self) {
        self.hook.door.close();
        self.hook.directives.prompts();
        self.hook.workspace.forget_old_fifos();
        self.hook.workspace.mend();
    }

    /// The shell has the keyboard, although no mark says so.
    pub(super) fn forget_wait(&mut self) {
        self.hook.directives.prompts();
    }

    /// Repeats a directive that the hook has not carried out, because another program may have read it. After some time the shell
    /// is also interrupted, which brings bash and zsh back to their prompt.
    pub(super) fn remind_hook(&mut self, now: Instant) {
        match self.hook.directives.remind(now) {
            Reminder::None => {}
            Reminder::Send(line) => self.hook.workspace.direct_anew(line),
            // The person has the keyboard, and can press Ctrl-C.
            Reminder::Insist(_) if self.floor.is_shell() => self.forget_wait(),
            Reminder::Insist(line) => {
                tracing::warn!("the shell's hook does not respond and was interrupted");
                self.hook.workspace.direct_anew(line);
                self.wires.shell.signal(Signal::SIGINT);
            }
        }
    }

    /// Deletes the files with the nonce, because the hooks have read them.
    pub(super) fn meet_hooks(&mut self) {
        if self.hook.secrets.is_empty() || *self.books.tracker.hooks() == Hooks::Silent {
            return;
        }
        self.hook.is_expected = false;
        self.hook.hooked = Hooked { image: self.wires.shell.child().image(), is_alert: false };
        self.hook.workspace.remove(std::mem::take(&mut self.hook.secrets));
    }

    /// Asks the hook for another nonce before the next prompt, if a program has printed the current one.
    pub(super) fn renew_nonce(&mut self) {
        if self.books.recorder.nonce.take_leak() {
            self.hook.workspace.ask_for_nonce();
        }
    }

    /// Reports missing hooks when Enter is pressed in a line editor: their first mark should come before the first prompt.
    pub(super) fn miss_hooks(&mut self, keys: &[u8]) {
        if self.hook.is_expected && keys.contains(&b'\r') && self.wires.shell.edits_a_line() {
            self.hook.is_expected = false;
            let words =
                "this shell did not load shellmate's hooks, so commands are not recorded; see `shellmate doctor`";
            self.books.say(words, &mut self.wires.to_screen);
        }
    }
}

/// The program in which our hooks run.
#[derive(Default)]
struct Hooked {
    image: Option<u64>,
    /// Whether the next output could be the first prompt of another program.
    is_alert: bool,
}

impl Hooked {
    /// Output has arrived. The system is asked only about output that could be a prompt: short, and not ending with a newline. A
    /// program that prints many lines may print each of them alone.
    fn expect(&mut self, output: &[u8]) {
        self.is_alert = self.image.is_some() && output.len() <= PROMPT_CAP && output.last() != Some(&b'\n');
    }

    /// `exec zsh` replaces the shell by another one without our hooks. Reports that above its first prompt, which is shown next:
    /// a line that starts with `> ` would empty a file there.
    fn watch(&mut self, next: &Piece<'_>, books: &mut Books, wires: &mut Wires) {
        if !self.is_alert || books.zone() != Zone::Output || !matches!(next, Piece::Bytes(_)) {
            return;
        }
        self.is_alert = false;
        let shell = wires.shell.child();
        if wires.shell.edits_a_line() && shell.image().is_some_and(|image| Some(image) != self.image) {
            self.image = None;
            if shell.program().is_none_or(|program| ShellKind::of(&program) == ShellKind::Other) {
                return;
            }
            let words = "another shell has replaced this one, without our hooks: \
                         its commands are not recorded, and `> ` means a redirection there";
            books.say(words, &mut wires.to_screen);
        }
    }
}
