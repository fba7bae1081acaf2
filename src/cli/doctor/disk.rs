//! Free space where shellmate writes.

use std::path::Path;

use nix::sys::statvfs::statvfs;

use crate::text::{MIB, human};

use super::{DoctorFinding, Exam};

/// With less, commands are soon not recorded.
const TIGHT: u64 = 64 * MIB as u64;
/// With less, nothing can be recorded.
const FULL: u64 = MIB as u64;

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let places = [("history", exam.paths.state_dir()), ("sessions", exam.paths.runtime_roots().next())];
    let findings: Vec<DoctorFinding> = places.into_iter().filter_map(|(what, path)| space(exam, what, path?)).collect();
    match findings.is_empty() {
        true => vec![DoctorFinding::ok("free space is unknown")],
        false => findings,
    }
}

/// The free space of the file system that has the directory, or would have it.
fn space(exam: &Exam<'_>, what: &str, path: &Path) -> Option<DoctorFinding> {
    let place = path.ancestors().find(|ancestor| ancestor.exists())?;
    let found = statvfs(place).ok()?;
    let free = found.blocks_available() * found.fragment_size();
    let (size, shown) = (human::size(free), exam.shown(path));
    let public = format!("{what}: {size} free");
    let fix = || format!("delete some files; `df -h {}` shows the file system", exam.shown(place));
    let finding = match free {
        ..FULL => {
            DoctorFinding::fail(format!("{what}: the disk of {shown} is full, so nothing is recorded")).fix(fix())
        }
        FULL..TIGHT => DoctorFinding::warn(format!("{what}: only {size} free for {shown}")).fix(fix()),
        TIGHT.. => DoctorFinding::ok(format!("{what}: {size} free for {shown}")),
    };
    Some(finding.public(public))
}
