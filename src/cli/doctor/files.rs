//! The modes of files that hold keys, approvals or the history, and whether the small ones can be read.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;

use crate::guard::LastingGrants;
use crate::provider::{Consents, Keys};

use super::{DoctorFinding, Exam};

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let mut findings: Vec<DoctorFinding> =
        private(exam).into_iter().filter_map(|(what, path)| open_to_others(exam, what, path)).collect();
    findings.extend(broken(exam));
    findings.extend(exam.paths.config_file().and_then(|path| open_configuration(exam, path)));
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
        ("the projects you trust", paths.trust_store().path().map(Path::to_owned)),
        ("the history", paths.history_db()),
        ("your questions", paths.query_history()),
    ];
    files.into_iter().filter_map(|(what, path)| Some((what, path?))).collect()
}

fn open_to_others(exam: &Exam<'_>, what: &str, path: PathBuf) -> Option<DoctorFinding> {
    let found = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let (mode, shown, typed) = (found.mode() & 0o777, exam.shown(&path), exam.typed(&path));
    let public = format!("{what}: mode {mode:04o}");
    if found.uid() != geteuid().as_raw() {
        let finding = DoctorFinding::fail(format!("{shown} ({what}) belongs to user {}", found.uid()));
        return Some(finding.fix(format!("`mv {typed} {typed}.old`")).public(format!("{what}: another user's")));
    }
    let is_secret = path.file_name().is_some_and(|name| name == "keys.json");
    let finding = match (mode & 0o077, is_secret) {
        (0, _) => return None,
        (_, true) => {
            DoctorFinding::fail(format!("{shown} ({what}) can be read by others (mode {mode:04o}), so it is not used"))
                .fix(format!("`chmod 600 {typed}`, and make new keys: others may know these"))
        }
        (_, false) => DoctorFinding::warn(format!("{shown} ({what}) can be read by others (mode {mode:04o})"))
            .fix(format!("`chmod 600 {typed}`")),
    };
    Some(finding.public(public))
}

/// Files that cannot be read although they are private.
fn broken(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let is_private = |path: &PathBuf| fs::metadata(path).is_ok_and(|found| found.mode() & 0o077 == 0);
    let keys = exam.paths.keys_file().filter(is_private);
    let servers = exam.paths.servers_file().filter(is_private);
    let keys = keys.filter(|path| Keys::load(path).is_err());
    let servers = servers.filter(|path| Consents::load(path).is_err());
    let grants = exam.paths.grants_file().filter(|path| LastingGrants::is_damaged(path));
    let trust = exam.paths.trust_store();
    let trust = trust.path().filter(|_| trust.is_damaged()).map(Path::to_owned);
    let files = [
        ("the stored keys are not used", keys),
        ("each server is asked about again", servers),
        ("your approvals do not count", grants),
        ("no project is trusted", trust),
    ];
    let finding = |(loss, path): (&str, Option<PathBuf>)| {
        let path = path?;
        let typed = exam.typed(&path);
        let finding = DoctorFinding::fail(format!("{} is damaged, so {loss}", exam.shown(&path)));
        Some(finding.fix(format!("`mv {typed} {typed}.old`")).public("a private file is damaged"))
    };
    files.into_iter().filter_map(finding).collect()
}

/// A configuration that others can change decides which shell is started.
fn open_configuration(exam: &Exam<'_>, path: PathBuf) -> Option<DoctorFinding> {
    let directory = path.parent()?.to_owned();
    let owner = fs::metadata(&directory).ok()?.uid();
    if owner != geteuid().as_raw() && owner != 0 {
        let (shown, typed) = (exam.shown(&directory), exam.typed(&directory));
        let finding = DoctorFinding::fail(format!("{shown} belongs to user {owner}, so it is not used"));
        let fix = format!(
            "look what is in it, then `cp -r {typed} {typed}.mine; mv {typed} {typed}.old; mv {typed}.mine {typed}`"
        );
        return Some(finding.fix(fix).public("the configuration belongs to another user"));
    }
    let open = |path: PathBuf| Some((fs::metadata(&path).ok()?.mode() & 0o777, path));
    let (mode, path) = [directory, path].into_iter().filter_map(open).find(|(mode, _)| mode & 0o002 != 0)?;
    let shown = exam.shown(&path);
    let finding = DoctorFinding::fail(format!("{shown} can be written by others (mode {mode:04o})"));
    Some(
        finding
            .fix(format!("look what is in it, then `chmod go-w {}`", exam.typed(&path)))
            .public(format!("the configuration: mode {mode:04o}")),
    )
}
