//! The directories that shellmate writes to: their owner, mode and kind.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::unistd::{AccessFlags, access, geteuid};

use super::{DoctorFinding, Exam, Level};

/// The state of a directory that shellmate uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DirectoryCondition {
    /// It does not exist, but can be created.
    Missing,
    Private {
        mode: u32,
    },
    Readable {
        mode: u32,
    },
    Writable {
        mode: u32,
    },
    Foreign {
        uid: u32,
    },
    NotADirectory,
    CannotWrite,
}

pub(super) fn state(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    match exam.paths.state_dir() {
        Some(path) => vec![directory(exam, path)],
        None => vec![
            DoctorFinding::fail("no directory for it; nothing is recorded")
                .fix("set HOME to your home directory")
                .public("no directory for it"),
        ],
    }
}

/// A session uses the first usable directory. Unusable ones before it are warnings; having none is a failure.
pub(super) fn runtime(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let mut findings: Vec<DoctorFinding> = exam.paths.runtime_roots().map(|place| directory(exam, place)).collect();
    if let Some(used) = findings.iter().position(|finding| finding.level != Level::Fail) {
        findings.truncate(used + 1);
        findings[..used].iter_mut().for_each(|finding| finding.level = Level::Warn);
    }
    findings
}

fn directory(exam: &Exam<'_>, path: &Path) -> DoctorFinding {
    let shown = exam.shown(path);
    match condition(path) {
        DirectoryCondition::Missing => {
            DoctorFinding::ok(format!("{shown} (created when needed)")).public("not there yet")
        }
        DirectoryCondition::Private { mode } => {
            DoctorFinding::ok(format!("{shown} (mode {mode:04o})")).public(format!("mode {mode:04o}"))
        }
        DirectoryCondition::Readable { mode } => {
            let finding = DoctorFinding::warn(format!("{shown} can be read by others (mode {mode:04o})"));
            finding.fix(format!("`chmod 700 {shown}`; the next start does it too")).public(format!("mode {mode:04o}"))
        }
        DirectoryCondition::Writable { mode } => {
            let finding =
                DoctorFinding::fail(format!("{shown} can be written by others (mode {mode:04o}), so it is not used"));
            finding.fix(format!("look what is in it, then `chmod 700 {shown}`")).public(format!("mode {mode:04o}"))
        }
        DirectoryCondition::Foreign { uid } => {
            let finding = DoctorFinding::fail(format!("{shown} belongs to user {uid}, so it is not used"));
            finding.fix(format!("`mv {shown} {shown}.old`")).public("belongs to another user")
        }
        DirectoryCondition::NotADirectory => {
            let finding = DoctorFinding::fail(format!("{shown} is not a directory, so it is not used"));
            finding.fix(format!("`mv {shown} {shown}.old`")).public("not a directory")
        }
        DirectoryCondition::CannotWrite => {
            let nearest = path.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(path);
            let finding = DoctorFinding::fail(format!("{shown} cannot be written, so nothing is kept there"));
            finding.fix(format!("`ls -ld {}` shows why", exam.shown(nearest))).public("cannot be written")
        }
    }
}

pub(super) fn condition(path: &Path) -> DirectoryCondition {
    let Ok(found) = fs::symlink_metadata(path) else {
        // It can be created if the nearest existing directory is writable.
        let nearest = path.ancestors().find(|ancestor| ancestor.exists());
        let can_make = nearest.is_some_and(|dir| dir.is_dir() && access(dir, AccessFlags::W_OK).is_ok());
        return if can_make { DirectoryCondition::Missing } else { DirectoryCondition::CannotWrite };
    };
    let mode = found.mode() & 0o7777;
    if !found.is_dir() {
        DirectoryCondition::NotADirectory
    } else if found.uid() != geteuid().as_raw() {
        DirectoryCondition::Foreign { uid: found.uid() }
    } else if mode & 0o022 != 0 {
        DirectoryCondition::Writable { mode }
    } else if access(path, AccessFlags::W_OK).is_err() {
        DirectoryCondition::CannotWrite
    } else if mode & 0o077 != 0 {
        DirectoryCondition::Readable { mode }
    } else {
        DirectoryCondition::Private { mode }
    }
}
