//! Whether the hooks work: starts each installed shell in a terminal of its own, with the person's start files, and runs a command.

use std::ffi::OsString;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{AccessFlags, access};

use crate::input::Hotkey;
use crate::text::human;
use crate::track::HookProblem;

use super::rehearsal::{Rehearsal, ShellFate, Trial, rehearse, root_for_trials};
use super::{ChosenShell, DoctorFinding, Exam, Level};

/// How long a shell may take to print its version.
const VERSION_WAIT: Duration = Duration::from_secs(2);
/// Longer start files make every new tab slow, with or without shellmate.
const SLOW: Duration = Duration::from_secs(2);

/// The supported shells and their oldest supported versions.
const NEEDED: [(&str, (u32, u32)); 3] = [("bash", (4, 4)), ("zsh", (5, 1)), ("fish", (3, 4))];

/// A shell on this machine that shellmate knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct InstalledShell {
    pub(in crate::cli) name: &'static str,
    pub(in crate::cli) path: PathBuf,
    pub(in crate::cli) version: Option<String>,
}

impl InstalledShell {
    /// The oldest version that has hooks, if this one is older. An unknown version counts as new enough.
    fn lacks(&self) -> Option<String> {
        let (_, needed) = NEEDED.iter().find(|(name, _)| *name == self.name)?;
        let found = self.version.as_deref().and_then(numbers)?;
        (found < *needed).then(|| format!("{} {}.{} or newer", self.name, needed.0, needed.1))
    }
}

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let chosen = exam.chosen.as_ref().ok();
    let shells = installed((exam.get)("PATH").as_ref(), chosen);
    if shells.is_empty() {
        let finding = DoctorFinding::fail("neither bash nor zsh nor fish is on PATH").public("no supported shell");
        return vec![finding.fix("install one of them, or add its directory to PATH")];
    }
    std::thread::scope(|scope| {
        let tried: Vec<_> = shells.iter().map(|shell| scope.spawn(move || tried(exam, shell))).collect();
        tried.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}

fn tried(exam: &Exam<'_>, shell: &InstalledShell) -> DoctorFinding {
    let is_chosen = exam.chosen.as_ref().is_ok_and(|chosen| chosen.path == shell.path);
    let version = shell.version.as_deref().unwrap_or("of unknown version");
    let what = format!("{} {version} at {}", shell.name, shell.path.display());
    let public = format!("{} {version}", shell.name);
    let start_file = start_file(exam, shell.name);
    // fish also reads the files beside its start file.
    let has_files = match shell.name {
        "fish" => start_file.parent().is_some_and(Path::exists),
        _ => start_file.exists(),
    };
    // A shell that was never used would ask its first questions, or write its first files.
    if !is_chosen && !start_file.exists() {
        let text = format!("{what}: not tried, because there is no {}", exam.shown(&start_file));
        return DoctorFinding::ok(text).public(format!("{public}, not tried"));
    }
    let finding = match shell.lacks() {
        Some(needed) => {
            DoctorFinding::fail(format!("{what} is too old for the hooks")).fix(format!("install {needed}"))
        }
        None => {
            let Some(root) = root_for_trials(exam.paths) else {
                // `runtime` says what to do about it.
                let finding =
                    DoctorFinding::ok(format!("{what}: not tried, because there is no directory for the hooks"));
                return finding.public(format!("{public}, not tried"));
            };
            match rehearse(Trial { shell: &shell.path, has_files, root: &root, get: exam.get }) {
                Ok(rehearsal) => StartReport { shell, what: &what, start_file: &exam.shown(&start_file), rehearsal }
                    .judge(exam.loaded.config.hotkey.key()),
                Err(error) => DoctorFinding::fail(format!("{what} could not be tried: {error:#}")).fix(format!(
                    "`{}` starts it without shellmate; `disk` and `runtime` name other causes",
                    shell.path.display()
                )),
            }
        }
    };
    let state = match finding.level {
        Level::Ok => "works",
        Level::Warn => "works, with a warning",
        Level::Fail => "does not work",
    };
    let finding = finding.public(format!("{public} {state}"));
    match finding.level {
        // Another shell than the person's own may be broken without being missed.
        Level::Fail if !is_chosen => DoctorFinding { level: Level::Warn, ..finding },
        Level::Ok | Level::Warn | Level::Fail => finding,
    }
}

/// The start file that people write for this shell.
fn start_file(exam: &Exam<'_>, shell: &str) -> PathBuf {
    let home = exam.home().unwrap_or_default();
    let directory = |name: &str| exam.var(name).map(PathBuf::from);
    match shell {
        "zsh" => directory("ZDOTDIR").unwrap_or(home).join(".zshrc"),
        "fish" => directory("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")).join("fish/config.fish"),
        _ => home.join(".bashrc"),
    }
}

/// A start of a shell with the hooks in it, to be judged.
struct StartReport<'a> {
    shell: &'a InstalledShell,
    /// The shell's name, version and path.
    what: &'a str,
    start_file: &'a str,
    rehearsal: Rehearsal,
}

impl StartReport<'_> {
    fn judge(&self, hotkey: Option<Hotkey>) -> DoctorFinding {
        let StartReport { shell, what, start_file, rehearsal } = self;
        match rehearsal {
            Rehearsal { problem: Some(HookProblem::TooOld), .. } => {
                DoctorFinding::fail(format!("{what} is too old for the hooks")).fix("install a newer one")
            }
            Rehearsal { problem: Some(HookProblem::ReadOnly), .. } => {
                let names = if shell.name == "zsh" { "precmd_functions, preexec_functions" } else { "PROMPT_COMMAND" };
                DoctorFinding::fail(format!(
                    "{what}: {start_file} makes a variable read-only that the hooks need ({names})"
                ))
                .fix(format!("`grep -nE 'readonly|declare|typeset' {start_file}` finds the line"))
            }
            Rehearsal { problem: Some(HookProblem::ForeignEditor), .. } => {
                let text = format!(
                    "{what}: the hooks do not see the line that you type, because line editing is off or another program does it; \
                     lines that start with `> ` run as shell commands"
                );
                DoctorFinding::warn(text).fix(match hotkey {
                    Some(key) => format!("{} opens a line for questions instead", key.label()),
                    None => "the key of the setting `hotkey` opens a line for questions instead".to_owned(),
                })
            }
            Rehearsal { prompted: Some(_), has_run: false, fate: ShellFate::Running | ShellFate::AtPrompt, .. } => {
                DoctorFinding::fail(format!("{what}: the hooks do not report commands; {start_file} removes them"))
                    .fix(self.without_start_file())
            }
            Rehearsal { has_run: false, .. } => self.judge_end(),
            Rehearsal { prompted: Some(after), .. } if *after > SLOW => {
                let slow = DoctorFinding::warn(format!("{what}: the first prompt takes {}", human::duration(*after)));
                slow.fix(format!("{}: {start_file} is slow, also without shellmate", self.traced()))
            }
            Rehearsal { .. } => DoctorFinding::ok(format!("{what}: the hooks work")),
        }
    }

    /// Judges a shell that came to no prompt, or was gone before its first command.
    fn judge_end(&self) -> DoctorFinding {
        let StartReport { what, start_file, rehearsal, .. } = self;
        let limit = human::duration(super::rehearsal::PATIENCE);
        let text = match &rehearsal.fate {
            ShellFate::Ended(status) => {
                format!(
                    "{what} ends with status {status} before its first command; {start_file} or a file that it reads ends it"
                )
            }
            ShellFate::Replaced(program) => return self.judge_replaced(program),
            ShellFate::AtPrompt if self.shell.name == "zsh" && !rehearsal.has_loaded => {
                let text = format!(
                    "{what} comes to its prompt without the hooks; a file of the system sets ZDOTDIR, or {start_file} keeps them out"
                );
                let fix = "`grep -ns ZDOTDIR /etc/zshenv /etc/zsh/zshenv` finds the line; move it to ~/.zshenv";
                return DoctorFinding::fail(text).fix(fix);
            }
            ShellFate::AtPrompt => {
                format!(
                    "{what} comes to its prompt without the hooks; {start_file} or a file that it reads keeps them out"
                )
            }
            ShellFate::Running if rehearsal.has_loaded => {
                format!("{what}: no prompt within {limit}; {start_file} hangs or removes the hooks")
            }
            ShellFate::Running => {
                format!("{what}: no prompt within {limit}; {start_file} or a file that it reads waits for something")
            }
        };
        DoctorFinding::fail(text).fix(format!("{}; {}", self.traced(), self.without_start_file()))
    }

    fn judge_replaced(&self, program: &Path) -> DoctorFinding {
        let StartReport { what, start_file, .. } = self;
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let text =
            format!("{what}: {start_file} replaces the shell by {} (`exec`), which has no hooks", program.display());
        let is_supported = NEEDED.iter().any(|(shell, _)| *shell == name);
        DoctorFinding::fail(text).fix(match &*name {
            _ if is_supported => {
                format!("`shellmate config set shell {name}` starts {name} at once; remove the `exec` from {start_file}")
            }
            "tmux" => format!("start tmux yourself, or remove the `exec` from {start_file}; then `set -g default-command shellmate` in ~/.tmux.conf"),
            _ => format!("remove the `exec` from {start_file}"),
        })
    }

    /// How to start the shell without its start files.
    fn without_start_file(&self) -> String {
        let option = match self.shell.name {
            "zsh" => "-f",
            "fish" => "--no-config",
            _ => "--norc",
        };
        format!(
            "`shellmate --shell {} -- {option}` starts it without {}; if that works, a line of the file is in the way",
            self.shell.name, self.start_file
        )
    }

    /// How to see what the start files do.
    fn traced(&self) -> String {
        match self.shell.name {
            "fish" => "`fish_trace=1 fish -i` shows each line as it runs".to_owned(),
            name => format!("`{name} -ix` shows each line as it runs"),
        }
    }
}

/// The first bash, zsh and fish on PATH, and the chosen shell if that is another one.
pub(in crate::cli) fn installed(path: Option<&OsString>, chosen: Option<&ChosenShell>) -> Vec<InstalledShell> {
    let on_path = NEEDED.iter().filter_map(|(name, _)| {
        let dirs = path.map(std::env::split_paths).into_iter().flatten();
        let found =
            dirs.map(|dir| dir.join(name)).find(|file| file.is_file() && access(file, AccessFlags::X_OK).is_ok());
        found.map(|file| (*name, file))
    });
    let mut found: Vec<(&'static str, PathBuf)> = on_path.collect();
    if let Some(chosen) = chosen
        && let Some((name, _)) =
            NEEDED.iter().find(|(name, _)| chosen.path.file_name().is_some_and(|file| file == *name))
    {
        // The same shell may be there under several paths.
        match found.iter_mut().find(|(_, path)| super::login::same_file(path, &chosen.path)) {
            Some((_, path)) => path.clone_from(&chosen.path),
            None => found.push((name, chosen.path.clone())),
        }
    }
    found.into_iter().map(|(name, path)| InstalledShell { name, version: version(&path), path }).collect()
}

/// The version number that `--version` prints within `VERSION_WAIT`.
fn version(shell: &Path) -> Option<String> {
    let text = printed(Command::new(shell).arg("--version"), VERSION_WAIT)?;
    version_in(&String::from_utf8_lossy(&text)).map(str::to_owned)
}

/// The first bytes that a program prints within `patience`. It is ended then.
pub(super) fn printed(command: &mut Command, patience: Duration) -> Option<Vec<u8>> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let text = child.stdout.take().map(|pipe| read_within(pipe, patience)).unwrap_or_default();
    let _ = child.kill();
    let _ = child.wait();
    Some(text)
}

/// The first bytes of a pipe that arrive before it is closed and before `patience` is over.
fn read_within(mut pipe: ChildStdout, patience: Duration) -> Vec<u8> {
    let deadline = Instant::now() + patience;
    let mut text = [0; 256];
    let mut length = 0;
    while length < text.len() {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
        if poll(&mut [PollFd::new(pipe.as_fd(), PollFlags::POLLIN)], timeout) != Ok(1) {
            break;
        }
        match pipe.read(&mut text[length..]) {
            Ok(read) if read > 0 => length += read,
            Ok(_) | Err(_) => break,
        }
    }
    text[..length].to_vec()
}

/// The first version number in a text: digits and dots.
fn version_in(text: &str) -> Option<&str> {
    let words = text.split([' ', '\n', '\t', ',']).filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let numbers = |word: &str| word.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(word.len());
    words.map(|word| word[..numbers(word)].trim_end_matches('.')).find(|version| version.contains('.'))
}

/// The first two numbers of a version.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        for (name, version, supported) in [
            ("bash", Some("4.4.0"), true),
            ("bash", Some("4.3.48"), false),
            ("bash", Some("3.2.57"), false),
            ("bash", Some("10.0"), true),
            ("zsh", Some("5.1"), true),
            ("fish", Some("3.10.0"), true),
            ("fish", Some("3.3.1"), false),
            ("fish", None, true),
        ] {
            let shell = InstalledShell { name, path: PathBuf::new(), version: version.map(str::to_owned) };
            assert_eq!(shell.lacks().is_none(), supported, "{name} {version:?}");
        }
    }

    #[test]
    fn versions_are_found_in_the_output_of_shells() {
        for (text, version) in [
            ("GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nCopyright", Some("5.2.15")),
            ("zsh 5.9 (x86_64-debian-linux-gnu)", Some("5.9")),
            ("fish, version 3.6.0", Some("3.6.0")),
            ("fish, version 4.0b1-12-gabc", Some("4.0")),
            ("version 5.2.name", Some("5.2")),
            ("no number", None),
        ] {
            assert_eq!(version_in(text), version, "{text}");
        }
    }
}
