//! The directories that shellmate writes to: their owner, mode and kind.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::errno::Errno;
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
    Link,
    NotADirectory,
    CannotWrite,
    /// Its file system is mounted without the right to write.
    ReadOnlyDisk,
    /// It does not exist and cannot be created.
    CannotMake,
}

pub(super) fn state(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let elsewhere = "or set XDG_STATE_HOME to a directory that you can write";
    match exam.paths.state_dir() {
        Some(path) => vec![directory(exam, path, elsewhere)],
        None => vec![
            DoctorFinding::fail("no directory for it; nothing is recorded")
                .fix("set HOME to your home directory")
                .public("no directory for it"),
        ],
    }
}

/// A session uses the first usable directory. Unusable ones before it are warnings; having none is a failure.
pub(super) fn runtime(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let elsewhere = "or set TMPDIR to a directory that you can write";
    let mut findings: Vec<DoctorFinding> =
        exam.paths.runtime_roots().map(|place| directory(exam, place, elsewhere)).collect();
    if let Some(used) = findings.iter().position(|finding| finding.level != Level::Fail) {
        findings.truncate(used + 1);
        findings[..used].iter_mut().for_each(|finding| finding.level = Level::Warn);
    }
    findings
}

/// Judges a directory. `elsewhere` says how to have another one.
fn directory(exam: &Exam<'_>, path: &Path, elsewhere: &str) -> DoctorFinding {
    let shown = exam.shown(path);
    let typed = exam.typed(path);
    let aside = format!("`mv {typed} {typed}.old`, {elsewhere}");
    match condition(path) {
        DirectoryCondition::Missing => {
            DoctorFinding::ok(format!("{shown} (created when needed)")).public("not there yet")
        }
        DirectoryCondition::Private { mode } => {
            DoctorFinding::ok(format!("{shown} (mode {mode:04o})")).public(format!("mode {mode:04o}"))
        }
        DirectoryCondition::Readable { mode } => {
            let finding = DoctorFinding::warn(format!("{shown} can be read by others (mode {mode:04o})"));
            finding.fix(format!("`chmod 700 {typed}`; the next start does it too")).public(format!("mode {mode:04o}"))
        }
        DirectoryCondition::Writable { mode } => {
            let finding =
                DoctorFinding::fail(format!("{shown} can be written by others (mode {mode:04o}), so it is not used"));
            finding.fix(format!("look what is in it, then `chmod 700 {typed}`")).public(format!("mode {mode:04o}"))
        }
        DirectoryCondition::Foreign { uid } => {
            let finding = DoctorFinding::fail(format!("{shown} belongs to user {uid}, so it is not used"));
            finding.fix(aside).public("belongs to another user")
        }
        DirectoryCondition::Link => {
            let finding = DoctorFinding::fail(format!("{shown} is a symbolic link, so it is not used"));
            finding.fix(aside).public("a symbolic link")
        }
        DirectoryCondition::NotADirectory => {
            let finding = DoctorFinding::fail(format!("{shown} is not a directory, so it is not used"));
            finding.fix(aside).public("not a directory")
        }
        DirectoryCondition::CannotWrite => {
            let finding = DoctorFinding::fail(format!("{shown} cannot be written, so nothing is kept there"));
            finding.fix(format!("`chmod u+rwx {typed}`, {elsewhere}")).public("cannot be written")
        }
        DirectoryCondition::ReadOnlyDisk => {
            let finding =
                DoctorFinding::fail(format!("{shown} is on a disk that can only be read, so nothing is kept"));
            finding
                .fix(format!("`findmnt -T {typed}` shows the disk; mount it for writing, {elsewhere}"))
                .public("read-only")
        }
        DirectoryCondition::CannotMake => {
            let nearest = nearest_existing(path).unwrap_or(path);
            let why = if nearest.is_dir() { "cannot be written" } else { "is not a directory" };
            let text = format!("{shown} cannot be created, because {} {why}", exam.shown(nearest));
            let fix = format!("`ls -ld {}` shows why; correct it, {elsewhere}", exam.typed(nearest));
            DoctorFinding::fail(text).fix(fix).public("cannot be created")
        }
    }
}

pub(super) fn condition(path: &Path) -> DirectoryCondition {
    let Ok(found) = fs::symlink_metadata(path) else {
        // It can be created if the nearest existing directory is writable.
        let can_make = nearest_existing(path).is_some_and(|dir| dir.is_dir() && access(dir, AccessFlags::W_OK).is_ok());
        return if can_make { DirectoryCondition::Missing } else { DirectoryCondition::CannotMake };
    };
    let mode = found.mode() & 0o7777;
    if found.is_symlink() {
        DirectoryCondition::Link
    } else if !found.is_dir() {
        DirectoryCondition::NotADirectory
    } else if found.uid() != geteuid().as_raw() {
        DirectoryCondition::Foreign { uid: found.uid() }
    } else if mode & 0o022 != 0 {
        DirectoryCondition::Writable { mode }
    } else if let Err(error) = access(path, AccessFlags::W_OK) {
        if error == Errno::EROFS { DirectoryCondition::ReadOnlyDisk } else { DirectoryCondition::CannotWrite }
    } else if mode & 0o077 != 0 {
        DirectoryCondition::Readable { mode }
    } else {
        DirectoryCondition::Private { mode }
    }
}

/// The directory itself, or the nearest one above it that exists.
pub(super) fn nearest_existing(path: &Path) -> Option<&Path> {
    path.ancestors().find(|ancestor| ancestor.exists())
}
