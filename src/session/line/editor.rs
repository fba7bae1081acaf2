//! The person's own editor, for a text that has outgrown the line.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::session::Session;
use crate::session::floor::{Effect, FloorEvent};

/// A text that is longer was not typed.
const TEXT_CAP: u64 = 4 * 1024 * 1024;

impl Session {
    /// Lends the terminal to `$VISUAL` or `$EDITOR` and takes back what was written. Meanwhile the shell's output waits.
    pub(in crate::session) fn edit_elsewhere(&mut self, text: &str) -> Vec<Effect> {
        let environment = self.hook.environment();
        let path = self.hook.workspace.directory().join("query.md");
        self.wires.show_rest();
        self.wires.terminal.leave_raw();
        let cwd = self.books.cwd().map(ToOwned::to_owned).unwrap_or_default();
        let edited = edit(text, &path, &cwd, &environment);
        if let Err(error) = self.wires.terminal.enter_raw() {
            tracing::warn!(%error, "raw mode was not entered again");
        }
        let _ = fs::remove_file(&path);
        self.tell_floor(FloorEvent::Edited(edited))
    }
}

fn edit(text: &str, path: &Path, cwd: &Path, environment: &[(OsString, OsString)]) -> io::Result<String> {
    let _ = fs::remove_file(path);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    drop(file);
    let variable = |name: &str| environment.iter().find(|(key, value)| key == name && !value.is_empty());
    let editor =
        variable("VISUAL").or_else(|| variable("EDITOR")).map_or(OsString::from("vi"), |(_, value)| value.clone());
    // The variable is a command with arguments, as everywhere.
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
    wait(Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX)))?;
    use std::io::Read;
    let mut edited = Vec::new();
    fs::File::open(path)?.take(TEXT_CAP).read_to_end(&mut edited)?;
    let edited = String::from_utf8_lossy(&edited).into_owned();
    Ok(edited.strip_suffix('\n').unwrap_or(&edited).to_owned())
}

/// Waits for the editor. One that suspends itself has nobody to return to, so it is continued.
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
