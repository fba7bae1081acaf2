//! The person's own editor, for a text that is too long for the line.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::session::Session;
use crate::session::errands::Done;
use crate::session::floor::LineEvent;

/// A longer text was not typed by a person.
const TEXT_CAP: u64 = 4 * 1024 * 1024;

/// The editor of a text that is typed here.
pub(in crate::session) enum Editor {
    /// The editor starts when the terminal has accepted all queued bytes.
    Wanted(String),
    /// The process of the editor, or 0 before it has started.
    Runs(Arc<AtomicI32>),
}

impl Session {
    /// Lends the terminal to `$VISUAL` or `$EDITOR`, if an editor is wanted and the terminal is free. Meanwhile the shell's
    /// output waits. A thread waits for the editor.
    pub(in crate::session) fn start_editor(&mut self) {
        let Some(Editor::Wanted(text)) = &mut self.editor else { return };
        self.wires.show();
        if !self.wires.to_screen.is_empty() {
            return;
        }
        let (text, process) = (std::mem::take(text), Arc::<AtomicI32>::default());
        self.editor = Some(Editor::Runs(Arc::clone(&process)));
        let exported = self.hook.workspace.environment();
        let path = self.hook.workspace.directory().join("query.md");
        let cwd = self.books.cwd().map(ToOwned::to_owned).unwrap_or_default();
        self.wires.terminal.leave_raw();
        self.wires.is_lent = true;
        let edit = move || {
            let edited = edit(&text, &path, &cwd, &exported.wait(), &process);
            let _ = fs::remove_file(&path);
            Some(Done::Edited(edited))
        };
        if !self.errands.run("editor", edit) {
            self.end_editor(Err(io::ErrorKind::OutOfMemory.into()));
        }
    }

    /// The editor has ended.
    pub(in crate::session) fn end_editor(&mut self, edited: io::Result<String>) {
        if self.editor.take().is_some() {
            self.take_terminal();
            self.on(LineEvent::Edited(edited));
        }
    }

    /// Ends an editor whose text is no longer needed.
    pub(in crate::session) fn hang_up_editor(&mut self) {
        if let Some(Editor::Runs(process)) = self.editor.take() {
            let process = process.load(Ordering::Acquire);
            if process > 0 {
                let _ = kill(Pid::from_raw(process), Signal::SIGHUP);
            }
            self.take_terminal();
        }
    }

    fn take_terminal(&mut self) {
        self.wires.is_lent = false;
        if let Err(error) = self.wires.terminal.enter_raw() {
            tracing::warn!(%error, "raw mode was not entered again");
        }
    }
}

fn edit(
    text: &str,
    path: &Path,
    cwd: &Path,
    environment: &[(OsString, OsString)],
    process: &AtomicI32,
) -> io::Result<String> {
    let _ = fs::remove_file(path);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    drop(file);
    let variable = |name: &str| environment.iter().find(|(key, value)| key == name && !value.is_empty());
    let editor =
        variable("VISUAL").or_else(|| variable("EDITOR")).map_or(OsString::from("vi"), |(_, value)| value.clone());
    // The variable is a command with arguments, as in other programs.
    let mut script = editor;
    script.push(" \"$1\"");
    let directory = if cwd.is_dir() { cwd } else { Path::new("/") };
    let child = Command::new("/bin/sh")
        .arg("-c")
        .arg(script)
        .arg("sh")
        .arg(path)
        .env_clear()
        .envs(environment.iter().map(|(key, value)| (key, value)))
        .current_dir(directory)
        .stdin(Stdio::inherit())
        .spawn()?;
    let child = Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX));
    process.store(child.as_raw(), Ordering::Release);
    let ended = wait(child);
    process.store(0, Ordering::Release);
    ended?;
    use std::io::Read;
    let mut edited = Vec::new();
    fs::File::open(path)?.take(TEXT_CAP).read_to_end(&mut edited)?;
    let edited = String::from_utf8_lossy(&edited).into_owned();
    Ok(edited.strip_suffix('\n').unwrap_or(&edited).to_owned())
}

/// Waits for the editor. If it suspends itself, it is continued, because there is no shell to return to.
fn wait(child: Pid) -> io::Result<()> {
    loop {
        match waitpid(child, Some(WaitPidFlag::WUNTRACED)) {
            Ok(WaitStatus::Stopped(..)) => kill(child, Signal::SIGCONT)?,
            Ok(WaitStatus::Exited(_, 0)) => return Ok(()),
            Ok(WaitStatus::Exited(_, status)) => {
                return Err(io::Error::other(format!("it ended with status {status}")));
            }
            Ok(WaitStatus::Signaled(_, signal, _)) => {
                return Err(io::Error::other(format!("it was ended by {signal}")));
            }
            Ok(_) => {}
            Err(nix::errno::Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
