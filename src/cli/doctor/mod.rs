//! `shellmate doctor`: checks the installation and says how to fix what is wrong.
//!
//! Each check is one file with a function from an [`Exam`] to its findings, and one line in [`CHECKS`]. Nothing is changed, the
//! terminal is asked nothing, and nothing is sent over a network without `--online`.

mod about;
mod commands;
mod config;
mod directories;
mod disk;
mod files;
mod history;
mod hooks;
mod integration;
mod locale;
mod login;
mod model;
mod online;
mod print;
mod prompt;
mod rehearsal;
mod sandbox;
mod shell;
mod skills;
mod terminal;
mod terminfo;
mod trust;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::agent::shown_path;
use crate::config::{Config, Loaded, Paths};
use crate::host::HostError;
use crate::provider::Keys;
use crate::text::shell::quote::{self, Dialect};

pub(super) use online::{NoWord, OneWord, one_word};
pub(crate) use print::{DoctorForm, print};
pub(super) use terminal::TerminalFacts;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    Ok,
    /// It works, but less well than it could.
    Warn,
    /// Something does not work.
    Fail,
}

/// One thing that a check has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DoctorFinding {
    level: Level,
    text: String,
    /// What to do about it: a command to type, where there is one.
    fix: Option<String>,
    /// What a stranger may read of it. No names, paths or contents of the person's own.
    public: Option<String>,
}

impl DoctorFinding {
    fn new(level: Level, text: impl Into<String>) -> DoctorFinding {
        DoctorFinding { level, text: text.into(), fix: None, public: None }
    }

    fn ok(text: impl Into<String>) -> DoctorFinding {
        DoctorFinding::new(Level::Ok, text)
    }

    fn warn(text: impl Into<String>) -> DoctorFinding {
        DoctorFinding::new(Level::Warn, text)
    }

    fn fail(text: impl Into<String>) -> DoctorFinding {
        DoctorFinding::new(Level::Fail, text)
    }

    fn fix(self, fix: impl Into<String>) -> DoctorFinding {
        DoctorFinding { fix: Some(fix.into()), ..self }
    }

    fn public(self, words: impl Into<String>) -> DoctorFinding {
        DoctorFinding { public: Some(words.into()), ..self }
    }
}

/// The installation that the checks look at.
pub(crate) struct Exam<'a> {
    /// All directories, also those that are not safe to use.
    pub(super) paths: &'a Paths,
    /// Reads an environment variable.
    pub(super) get: &'a (dyn Fn(&str) -> Option<OsString> + Sync),
    /// The shell that would be started, or why there is none.
    pub(super) chosen: Result<ChosenShell, HostError>,
    pub(super) loaded: Loaded,
    /// The stored keys, as far as they can be read.
    pub(super) keys: Keys,
    pub(super) binary: Option<PathBuf>,
    /// Whether the model may be asked.
    pub(super) is_online: bool,
}

/// The shell that would be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChosenShell {
    pub path: PathBuf,
    /// Why this shell, such as `from $SHELL`.
    pub why: String,
}

impl<'a> Exam<'a> {
    pub(super) fn new(
        paths: &'a Paths,
        get: &'a (dyn Fn(&str) -> Option<OsString> + Sync),
        chosen: Result<ChosenShell, HostError>,
        is_online: bool,
    ) -> Exam<'a> {
        Exam {
            paths,
            get,
            chosen,
            loaded: Config::load(paths),
            // `files` says why they cannot be read.
            keys: paths.keys_file().and_then(|path| Keys::load(&path).ok()).unwrap_or_default(),
            binary: std::env::current_exe().ok(),
            is_online,
        }
    }

    /// A variable as text, unless it is empty.
    fn var(&self, name: &str) -> Option<String> {
        (self.get)(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
    }

    fn home(&self) -> Option<PathBuf> {
        (self.get)("HOME").map(PathBuf::from)
    }

    /// A path with `~` for the home directory.
    fn shown(&self, path: &Path) -> String {
        shown_path(path, self.home().as_deref())
    }

    /// The same as a word of a command, in quotes where a shell needs them.
    fn typed(&self, path: &Path) -> String {
        let shown = self.shown(path);
        match shown.strip_prefix("~/") {
            Some(below) => format!("~/{}", quote::word(below, Dialect::Posix)),
            None => quote::word(&shown, Dialect::Posix),
        }
    }
}

/// One check: its name, which scripts may rely on, and what it does.
pub(super) struct Check {
    name: &'static str,
    run: fn(&Exam<'_>) -> Vec<DoctorFinding>,
}

/// All checks, in the order in which they are printed.
pub(super) static CHECKS: &[Check] = &[
    Check { name: "version", run: about::version },
    Check { name: "shell", run: shell::check },
    Check { name: "integration", run: integration::check },
    Check { name: "prompt", run: prompt::check },
    Check { name: "terminal", run: terminal::check },
    Check { name: "session", run: about::session },
    Check { name: "login", run: login::check },
    Check { name: "config", run: config::check },
    Check { name: "state", run: directories::state },
    Check { name: "runtime", run: directories::runtime },
    Check { name: "files", run: files::check },
    Check { name: "history", run: history::check },
    Check { name: "disk", run: disk::check },
    Check { name: "sandbox", run: sandbox::check },
    Check { name: "model", run: model::check },
    Check { name: "hooks", run: hooks::check },
    Check { name: "skills", run: skills::check },
    Check { name: "commands", run: commands::check },
    Check { name: "trust", run: trust::check },
];

/// Runs all checks. Each has at least one finding.
pub(super) fn examine(exam: &Exam<'_>) -> Vec<(&'static str, Vec<DoctorFinding>)> {
    CHECKS.iter().map(|check| (check.name, (check.run)(exam))).collect()
}

#[cfg(test)]
mod tests;
