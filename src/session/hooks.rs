//! Whether the shell has our hooks, and has them still.

use crate::host::{Child, Kind, Pty};
use crate::track::{Hooks, Piece, Zone};

use super::Session;
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
        let took_over = !self.is_covered() && edits_a_line(&self.pty, &self.child) && self.stage.resume_editor();
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
