//! Whether the shell has our hooks, and has them still.

use std::io;
use std::time::Instant;

use nix::sys::signal::Signal;

use crate::host::{self, Child, Kind, Pty};
use crate::track::{Hooks, Piece, Zone};

use super::Session;
use super::directives::{Heard, Reminder};
use super::stage::Stage;

/// A prompt is shorter.
const PROMPT_CAP: usize = 4096;

impl Session {
    /// Once the hooks have spoken, nobody needs the files that carry the nonce.
    pub(super) fn meet_hooks(&mut self) {
        if self.secrets.is_empty() || *self.stage.hooks() == Hooks::Silent {
            return;
        }
        self.expects_hooks = false;
        self.hooked = Hooked { image: self.child.image(), is_alert: false };
        for secret in self.secrets.drain(..) {
            let _ = std::fs::remove_file(secret);
        }
    }

    /// Has the hook choose another nonce before the next prompt, if a program has printed this one.
    pub(super) fn renew_nonce(&mut self) {
        if self.stage.take_leak() {
            self.workspace.ask_for_nonce();
        }
    }

    /// Follows a hook through its wait.
    pub(super) fn heed(&mut self, heard: Heard) {
        let now = Instant::now();
        let line = match heard {
            Heard::WaitsInVain => self.directives.finish(now),
            Heard::Listens(token) => self.directives.listens(token, now),
            Heard::HasRead(token, command) => {
                let line = self.directives.has_read(token, &command, now);
                if line.is_some() {
                    self.lend_terminal();
                }
                line
            }
            Heard::Runs => {
                self.directives.runs();
                None
            }
            Heard::Renews(nonce) => {
                if let Some(agent) = &self.agent {
                    agent.keep_secret(nonce.clone());
                }
                self.setup.nonce = nonce;
                self.workspace.has_nonce();
                None
            }
            Heard::Accepts => {
                self.mend_workspace();
                None
            }
            Heard::Prompts => {
                self.directives.prompts();
                self.workspace.forget_old_fifos();
                self.mend_workspace();
                None
            }
        };
        self.direct(line);
    }

    /// Sees that there is still a way to the hook. Says once that there is none and can be none.
    fn mend_workspace(&mut self) {
        match self.workspace.mend() {
            Ok(false) => self.is_cut_off = false,
            Ok(true) => {
                self.is_cut_off = false;
                if let Err(error) = host::restore(self.kind, self.workspace.directory()) {
                    tracing::warn!(%error, "the rest of the hooks was not written again");
                }
                if let Some(terminal) = self.pty.name() {
                    self.workspace.note_terminal(&terminal);
                }
            }
            Err(error) if !std::mem::replace(&mut self.is_cut_off, true) => {
                let place = self.workspace.directory().display();
                self.stage.notice(format!(
                    "{place} was deleted and cannot be made again, so no questions can be asked: {error}"
                ));
            }
            Err(_) => {}
        }
    }

    /// Lets the waiting hook go on to its prompt.
    pub(super) fn end_wait(&mut self) {
        let line = self.directives.finish(Instant::now());
        self.direct(line);
    }

    /// Has the waiting hook run a command.
    pub(super) fn hand_command(&mut self, command: &str) -> io::Result<()> {
        self.workspace.write_command(command)?;
        let line = self.directives.run(command.to_owned(), Instant::now());
        self.direct(line);
        Ok(())
    }

    fn direct(&self, line: Option<String>) {
        if let Some(line) = line {
            self.workspace.direct(&line);
        }
    }

    /// Repeats a directive that the hook has not acted on: another program may have read it. After a while the shell is interrupted too,
    /// which brings bash and zsh back to their prompt.
    pub(super) fn remind_hook(&mut self) {
        match self.directives.remind(Instant::now()) {
            Reminder::None => {}
            Reminder::Send(line) => self.workspace.direct_anew(&line),
            Reminder::Insist(line) => {
                tracing::warn!("the shell's hook does not hear us; it is interrupted");
                self.workspace.direct_anew(&line);
                self.child.signal(Signal::SIGINT);
            }
        }
    }

    /// Gives a command the terminal as it would find it at the prompt. fish calls its hooks while its own editor has the terminal.
    fn lend_terminal(&mut self) {
        if self.kind == Kind::Fish && self.editors_terminal.is_none() {
            self.editors_terminal = self.pty.lend(self.tty.settings());
        }
    }

    /// Gives the terminal back as the shell's editor had it.
    pub(super) fn reclaim_terminal(&mut self) {
        if let Some(settings) = self.editors_terminal.take() {
            self.pty.set(&settings);
        }
    }

    /// Enter was pressed at a line editor, and the hooks should have spoken before its first prompt.
    pub(super) fn miss_hooks(&mut self) {
        if edits_a_line(&self.pty, &self.child) {
            self.expects_hooks = false;
            self.stage.say("this shell did not load our hooks, so commands are not recorded; see `shellmate doctor`");
            self.show();
        }
    }

    /// Whether the shell reads keys at its prompt though our hook in its editor has not said so: it may have lost its place there.
    pub(super) fn editor_took_over(&mut self) -> bool {
        let is_at_editor = !self.is_covered() && edits_a_line(&self.pty, &self.child);
        let took_over = is_at_editor && self.stage.resume_editor() || self.stage.misses_hook(Instant::now());
        if took_over {
            let held = std::mem::take(&mut self.held);
            self.send(held.front());
        }
        took_over
    }
}

fn edits_a_line(pty: &Pty, shell: &Child) -> bool {
    pty.foreground() == Some(shell.pid()) && pty.edits_lines_itself()
}

/// The program that has our hooks.
#[derive(Default)]
pub(super) struct Hooked {
    image: Option<u64>,
    /// Whether what is shown next could be the first prompt of another.
    is_alert: bool,
}

impl Hooked {
    /// Output has come. The system is asked only about what could be a prompt, which is short and ends behind no newline: a program
    /// that prints many lines may print each of them alone.
    pub(super) fn expect(&mut self, output: &[u8]) {
        self.is_alert = self.image.is_some() && output.len() <= PROMPT_CAP && output.last() != Some(&b'\n');
    }

    /// `exec zsh` puts another shell in the place of ours, without our hooks. Says so above its first prompt, which is to be shown
    /// next: a line that begins with `> ` would empty a file there.
    pub(super) fn miss(&mut self, next: &Piece<'_>, stage: &mut Stage, pty: &Pty, shell: &Child) {
        if !self.is_alert || stage.zone() != Zone::Output || !matches!(next, Piece::Bytes(_)) {
            return;
        }
        self.is_alert = false;
        if edits_a_line(pty, shell) && shell.image().is_some_and(|image| Some(image) != self.image) {
            self.image = None;
            if shell.program().is_none_or(|program| Kind::of(&program) == Kind::Other) {
                return;
            }
            let words = "another shell has taken the place of this one, without our hooks: \
                         its commands are not recorded, and `> ` means a redirection there";
            stage.say(words);
        }
    }
}
