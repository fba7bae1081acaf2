//! The person's own hooks.

use crate::hook::HookFile;

use super::{DoctorFinding, Exam};

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let Some(path) = exam.paths.hooks_file().filter(|path| path.exists()) else {
        return vec![DoctorFinding::ok("none").public("none")];
    };
    let shown = exam.shown(&path);
    let (_, problems) = HookFile::new(Some(path)).current();
    if problems.is_empty() {
        return vec![DoctorFinding::ok(format!("{shown} can be read")).public("a file without problems")];
    }
    let fix = format!("correct {shown}; docs/HOOKS.md describes it");
    problems
        .iter()
        .map(|problem| DoctorFinding::fail(problem.to_string()).fix(&*fix).public("a problem of hooks.json"))
        .collect()
}
