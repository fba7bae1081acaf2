//! The shell that would be started, and shells that are named but cannot be.

use std::path::PathBuf;

use crate::cli::start;
use crate::host::{self, HostError, ShellKind, ShellSearch};

use super::{DoctorFinding, Exam};

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let mut findings = named_in_vain(exam);
    findings.push(match &exam.chosen {
        Err(why) => DoctorFinding::fail(format!("no shell to start: {why}"))
            .fix("`shellmate config set shell /bin/bash` names one")
            .public("no shell to start"),
        Ok(chosen) => {
            let text = format!("{} ({})", chosen.path.display(), chosen.why);
            match ShellKind::of(&chosen.path) {
                ShellKind::Other => {
                    DoctorFinding::warn(format!("{text} has no hooks: nothing is recorded, and `> ` asks nothing"))
                        .fix("`shellmate config set shell bash` starts a supported shell (bash, zsh or fish)")
                        .public(format!("a shell without hooks, {}", chosen.why))
                }
                kind => DoctorFinding::ok(text).public(format!("{}, {}", kind.name(), chosen.why)),
            }
        }
    });
    findings
}

/// Shells that the configuration or the environment names although they cannot be started.
fn named_in_vain(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let path = |name| (exam.get)(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let named = [
        ("`shell` in the configuration", exam.loaded.config.shell.clone(), "`shellmate config set shell bash`"),
        ("SHELLMATE_SHELL", path("SHELLMATE_SHELL"), "`unset SHELLMATE_SHELL`, and remove it from your start files"),
        ("SHELL", path("SHELL"), "`export SHELL=/bin/bash` in your start files"),
    ];
    let problem = |(what, named, fix): (&'static str, Option<PathBuf>, &'static str)| {
        let alone = ShellSearch { flag: Some(named?), ..start::search(None, None) };
        let why = match host::find(&alone).err()? {
            HostError::NotFound { name } => format!("{what} names {}, which does not exist", name.display()),
            HostError::NotExecutable { path, .. } => {
                let fix = format!("`chmod +x {}`, or {fix}", path.display());
                let text = format!("{what} names {}, which cannot be executed", path.display());
                return Some(
                    DoctorFinding::fail(text).fix(fix).public(format!("{what} names a file that cannot be executed")),
                );
            }
            // $SHELL is the login shell. If that is shellmate, all is as it should be: the next place is asked.
            HostError::Itself { .. } if what == "SHELL" => return None,
            HostError::Itself { .. } => {
                let finding = DoctorFinding::warn(format!("{what} names shellmate itself, so it does not count"));
                return Some(finding.fix(fix).public(format!("{what} names shellmate itself")));
            }
            error @ (HostError::NoShell | HostError::OpenPty(_) | HostError::Integration(_) | HostError::Pty(_)) => {
                format!("{what} cannot be used: {error}")
            }
        };
        Some(DoctorFinding::fail(why).fix(fix).public(format!("{what} names a shell that cannot be used")))
    };
    named.into_iter().filter_map(problem).collect()
}
