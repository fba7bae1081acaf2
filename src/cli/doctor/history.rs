//! The recorded commands: whether the database is sound, and how large it is.

use std::fs;
use std::time::Duration;

use crate::store::{History, Soundness, StoreError};
use crate::text::human;

use super::{DoctorFinding, Exam};

/// How long the database may be read. A large one is checked in part.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let Some(path) = exam.paths.history_db() else {
        return vec![
            DoctorFinding::warn("no directory for it; nothing is recorded").fix("set HOME to your home directory"),
        ];
    };
    let shown = exam.shown(&path);
    if !exam.loaded.config.history.enabled {
        let finding = DoctorFinding::ok("off (`history.enabled = false` in the configuration)");
        return vec![finding.public("off")];
    }
    let Ok(found) = fs::metadata(&path) else {
        return vec![DoctorFinding::ok(format!("none yet at {shown}")).public("none yet")];
    };
    let size = human::size(found.len());
    vec![match History::open(&path).and_then(|history| history.soundness(PATIENCE)) {
        Ok(Soundness::Sound) => DoctorFinding::ok(format!("{shown} ({size})")).public(size),
        Ok(Soundness::TooLarge) => DoctorFinding::ok(format!("{shown} ({size}, checked in part)")).public(size),
        Err(error) => {
            let (fix, public) = remedy(&error, &exam.typed(&path), found.is_file());
            DoctorFinding::fail(format!("{shown}: {error}; nothing is recorded")).fix(fix).public(public)
        }
    }]
}

/// What to do about an error, and its name for strangers.
fn remedy(error: &StoreError, path: &str, is_file: bool) -> (String, &'static str) {
    let aside = format!("`mv {path} {path}.old`; the next shell starts a new one");
    match error {
        _ if !is_file => (aside, "not a file"),
        StoreError::Damaged(_) | StoreError::Unsound(_) => (aside, "damaged"),
        StoreError::Newer { .. } => (format!("upgrade shellmate, or {aside}"), "written by a newer version"),
        StoreError::Full(_) => ("delete some files; `df -h` shows where".to_owned(), "the disk is full"),
        StoreError::ReadOnly(_) => (format!("`chmod 600 {path}`"), "read-only"),
        StoreError::Busy(_) => (format!("`fuser {path}` names the program that locks it"), "locked"),
        StoreError::Create { .. } | StoreError::Look { .. } | StoreError::Open(_) => {
            (format!("`chmod 600 {path}`; `ls -l {path}` shows whose it is"), "cannot be opened")
        }
        StoreError::Journal(_) | StoreError::Append(_) | StoreError::Sql(_) => (aside, "cannot be used"),
    }
}
