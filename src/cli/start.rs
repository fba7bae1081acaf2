//! Starts the real shell: replaces shellmate by it, or hosts it. If anything fails, the user still gets their shell.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use nix::unistd::{Pid, Uid, User, getpid, getppid};

use crate::config::{Config, Paths, Problem};
use crate::host::{self, FoundShell, HostError, ShellSearch, ShellSource, StartOptions};
use crate::session::{self, SessionError};
use crate::tty;

use super::report::{self, Report, Surface};

/// Replaces shellmate by the real shell with exactly these arguments, without a pty. The configuration is read only if `$SHELL` is
/// shellmate itself and neither a flag nor `SHELLMATE_SHELL` names a shell.
pub(super) fn become_shell(arg0: &OsStr, flag: Option<PathBuf>, args: Vec<OsString>) -> ExitCode {
    let mut search = search(flag, None);
    let is_us = |shell: &PathBuf| shell.canonicalize().is_ok_and(|shell| Some(shell) == search.ourselves);
    if search.flag.is_none() && search.variable.is_none() && search.environment.as_ref().is_some_and(is_us) {
        search.configured = Config::load(&Paths::current().vetted().0).config.shell;
    }
    match host::find(&search) {
        Ok(found) => fail(host::exec(&host::exact(&found.path, arg0, args))),
        Err(error) => fail(error),
    }
}

/// Hosts the user's shell until it ends.
pub(super) fn host_shell(flag: Option<PathBuf>, interactive: bool, wishes: StartOptions) -> ExitCode {
    if !tty::is_interactive() {
        let options = [(wishes.login, "-l"), (interactive, "-i")];
        let options = options.iter().filter(|(given, _)| *given).map(|(_, option)| OsString::from(option));
        return become_shell(&wishes.arg0, flag, options.chain(wishes.args).collect());
    }
    let (paths, refused) = Paths::current().vetted();
    super::log::start(std::env::var("SHELLMATE_LOG").ok().as_deref(), &paths);
    let mut reader = paths.config_reader();
    let mut loaded = reader.read();
    loaded.problems.extend(refused);
    let search = search(flag, loaded.config.shell.clone());
    let shell = match host::find(&search) {
        Ok(found) => {
            loaded.problems.extend(passed_over(&search, &found));
            found.path
        }
        Err(error) => return fail(error),
    };
    if is_nested(&paths) {
        return instead(&shell, &wishes, "already running on this terminal; starting your plain shell");
    }
    let start = session::Start { shell: shell.clone(), wishes: wishes.clone(), loaded, reader, paths };
    match session::run(start) {
        Ok(status) => ExitCode::from(u8::try_from(status & 0xFF).unwrap_or(report::FAILED)),
        Err(SessionError::Host(error)) if code_of(&error) != report::FAILED => fail(error),
        Err(error) => {
            let words = anyhow::Error::new(error);
            instead(&shell, &wishes, format!("{words:#}; starting your plain shell, see `shellmate doctor`"))
        }
    }
}

/// The shell that the variable or the configuration names, if another one is started because it is not there or cannot be executed.
fn passed_over(search: &ShellSearch, found: &FoundShell) -> Option<Problem> {
    let (is_variable, is_configured) = match found.source {
        ShellSource::Flag | ShellSource::Variable => return None,
        ShellSource::Configuration => (true, false),
        ShellSource::Environment | ShellSource::Passwd | ShellSource::Fallback => (true, true),
    };
    let named =
        |path: &Option<PathBuf>, counts: bool| path.clone().filter(|path| counts && !path.as_os_str().is_empty());
    let started = found.path.display();
    if let Some(wanted) = named(&search.variable, is_variable) {
        let wanted = wanted.display();
        let words = format!("SHELLMATE_SHELL: {wanted} cannot be started, so {started} was; name another, or unset it");
        return Some(Problem::new(&words));
    }
    let wanted = named(&search.configured, is_configured)?;
    let wanted = wanted.display();
    let words =
        format!("{wanted} cannot be started, so {started} was; `shellmate config set shell PATH` names another");
    Some(Problem::new(&words).key("shell"))
}

/// Where the name of the shell may come from.
pub(super) fn search(flag: Option<PathBuf>, configured: Option<PathBuf>) -> ShellSearch {
    let path = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    ShellSearch {
        flag,
        variable: path("SHELLMATE_SHELL"),
        configured,
        environment: path("SHELL"),
        passwd: Some(|| {
            let entry = User::from_uid(Uid::current()).ok().flatten();
            entry.map(|user| user.shell).filter(|shell| !shell.as_os_str().is_empty())
        }),
        path: std::env::var_os("PATH"),
        ourselves: std::env::current_exe().ok(),
    }
}

/// Whether a session already hosts the shell of this terminal. A copied environment on another terminal (tmux) does not count.
fn is_nested(paths: &Paths) -> bool {
    let Some(session) = std::env::var("SHELLMATE_SESSION").ok().filter(|id| !id.is_empty() && !id.contains('/')) else {
        return false;
    };
    tty::name()
        .is_some_and(|terminal| paths.runtime_roots().any(|root| session::hosts(&root.join(&session), &terminal)))
}

/// The variable with the process id of a plain shell that shellmate has become.
const PLAIN: &str = "SHELLMATE_PLAIN";

/// Replaces shellmate by the plain shell after one line that says why. If that shell's start file starts shellmate again, its start files
/// are left out: they would start shellmate for ever.
fn instead(shell: &Path, wishes: &StartOptions, why: impl std::fmt::Display) -> ExitCode {
    let plain = std::env::var(PLAIN).ok().and_then(|id| id.parse().ok());
    let is_again = plain.is_some_and(|id| [getpid(), getppid()].map(Pid::as_raw).contains(&id));
    let mut launch = host::plain(shell, wishes);
    let mut why = why.to_string();
    if is_again {
        launch = host::without_start_files(launch);
        why = format!("started again from your plain shell; starting {} without its start files", shell.display());
    }
    let stderr = io::stderr();
    let _ = report::notice(&mut stderr.lock(), Surface::of(&stderr), why);
    launch.env.push((PLAIN.into(), Some(getpid().to_string().into())));
    fail(host::exec(&launch))
}

fn code_of(error: &HostError) -> u8 {
    match error {
        HostError::NotFound { .. } | HostError::NoShell => report::NOT_FOUND,
        HostError::NotExecutable { source, .. } => report::start_code(source),
        HostError::Itself { .. } => report::NOT_EXECUTABLE,
        HostError::OpenPty(_) | HostError::Integration(_) | HostError::Pty(_) => report::FAILED,
    }
}

fn fail(error: HostError) -> ExitCode {
    let code = code_of(&error);
    Report::from(anyhow::Error::new(error))
        .code(code)
        .hint("name one with `shellmate --shell /bin/bash`, or set `shell` in the configuration")
        .print()
}
