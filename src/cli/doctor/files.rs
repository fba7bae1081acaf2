//! The modes of files that hold keys, approvals or the history, and whether the small ones can be read.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use nix::unistd::geteuid;

use crate::provider::{Consents, Keys};

use super::{DoctorFinding, Exam};

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let mut findings: Vec<DoctorFinding> =
        private(exam).into_iter().filter_map(|(what, path)| open_to_others(exam, what, path)).collect();
    findings.extend(broken(exam));
    findings.extend(exam.paths.config_file().and_then(|path| writable(exam, path)));
    if findings.is_empty() {
        findings.push(DoctorFinding::ok("only you can read keys, approvals and the history").public("private"));
    }
    findings
}

/// The files that only their owner may read.
fn private(exam: &Exam<'_>) -> Vec<(&'static str, PathBuf)> {
    let paths = exam.paths;
    let files = [
        ("the stored keys", paths.keys_file()),
        ("the servers you have agreed to", paths.servers_file()),
        ("your approvals", paths.grants_file()),
        ("the history", paths.history_db()),
        ("your questions", paths.query_history()),
    ];
    files.into_iter().filter_map(|(what, path)| Some((what, path?))).collect()
}

fn open_to_others(exam: &Exam<'_>, what: &str, path: PathBuf) -> Option<DoctorFinding> {
    let found = fs::metadata(&path).ok()?;
    let (mode, shown) = (found.mode() & 0o777, exam.shown(&path));
    let public = format!("{what}: mode {mode:04o}");
    if found.uid() != geteuid().as_raw() {
        let finding = DoctorFinding::fail(format!("{shown} ({what}) belongs to user {}", found.uid()));
        return Some(finding.fix(format!("`mv {shown} {shown}.old`")).public(format!("{what}: another user's")));
    }
    let is_secret = path.file_name().is_some_and(|name| name == "keys.json");
    let finding = match (mode & 0o077, is_secret) {
        (0, _) => return None,
        (_, true) => {
            DoctorFinding::fail(format!("{shown} ({what}) can be read by others (mode {mode:04o}), so it is not used"))
                .fix(format!("`chmod 600 {shown}`, and make new keys: others may know these"))
        }
        (_, false) => DoctorFinding::warn(format!("{shown} ({what}) can be read by others (mode {mode:04o})"))
            .fix(format!("`chmod 600 {shown}`")),
    };
    Some(finding.public(public))
}

/// Files that cannot be read although they are private.
fn broken(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let is_private = |path: &PathBuf| fs::metadata(path).is_ok_and(|found| found.mode() & 0o077 == 0);
    let keys = exam.paths.keys_file().filter(is_private);
    let servers = exam.paths.servers_file().filter(is_private);
    let keys = keys.and_then(|path| Some((Keys::load(&path).err()?, path)));
    let servers = servers.and_then(|path| Some((Consents::load(&path).err()?, path)));
    let finding = |(error, path): (crate::provider::PrivateFileError, PathBuf)| {
        let shown = exam.shown(&path);
        DoctorFinding::fail(error.to_string())
            .fix(format!("`mv {shown} {shown}.old`"))
            .public("a private file is damaged")
    };
    keys.into_iter().chain(servers).map(finding).collect()
}

/// A configuration that others can change decides which shell is started.
fn writable(exam: &Exam<'_>, path: PathBuf) -> Option<DoctorFinding> {
    let directory = path.parent()?.to_owned();
    let open = |path: PathBuf| Some((fs::metadata(&path).ok()?.mode() & 0o777, path));
    let (mode, path) = [directory, path].into_iter().filter_map(open).find(|(mode, _)| mode & 0o002 != 0)?;
    let shown = exam.shown(&path);
    let finding = DoctorFinding::fail(format!("{shown} can be written by others (mode {mode:04o})"));
    Some(finding.fix(format!("`chmod go-w {shown}`")).public(format!("the configuration: mode {mode:04o}")))
}
