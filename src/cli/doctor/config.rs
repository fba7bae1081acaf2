//! The configuration file: everything that is wrong in it.

use std::path::PathBuf;
use std::{fs, io};

use crate::config::Problem;

use super::{DoctorFinding, Exam};

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let Some(path) = exam.paths.config_file() else {
        let finding =
            DoctorFinding::warn("no directory for it; the defaults are used").fix("set HOME to your home directory");
        return vec![finding.public("no directory for it")];
    };
    let loaded = &exam.loaded;
    let theme = loaded.config.themes(exam.paths).1;
    let problems: Vec<Problem> = loaded.all_problems().into_iter().chain(theme).collect();
    let shown = exam.shown(&path);
    if problems.is_empty() {
        return vec![match path.exists() {
            true => DoctorFinding::ok(shown).public("a file without problems"),
            false => DoctorFinding::ok(format!("none at {shown}; the defaults are used")).public("none"),
        }];
    }
    let is_closed = fs::File::open(&path).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
    let fix = match path.is_file() {
        true if is_closed => {
            format!("`chmod 600 {typed}`; if it is not yours, ask its owner", typed = exam.typed(&path))
        }
        true => "`shellmate config edit` opens the file; docs/CONFIG.md lists the keys".to_owned(),
        false => format!("`mv {typed} {typed}.old` starts without one", typed = exam.typed(&path)),
    };
    let count = problems.len();
    let problem = |problem: Problem| {
        let fix = match &problem.file {
            // Such as the file of a theme.
            Some(file) if *file != path => format!("correct {}", exam.shown(file)),
            Some(_) | None => fix.clone(),
        };
        let file = problem.file.as_ref().map(|file| PathBuf::from(exam.shown(file)));
        let text = Problem { file, ..problem }.to_string();
        DoctorFinding::fail(text).fix(&*fix).public(format!("one of {count} problems"))
    };
    problems.into_iter().map(problem).collect()
}
