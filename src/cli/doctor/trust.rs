//! The project of the current directory and the trusted projects.

use crate::agent::Project;

use super::{DoctorFinding, Exam};

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let store = exam.paths.trust_store();
    let trusted = store.list();
    let stale = trusted.iter().filter(|project| !project.is_current).map(|project| {
        let shown = exam.shown(&project.root);
        DoctorFinding::warn(format!("{shown} was trusted, but has changed or is gone"))
            .fix(format!("`shellmate trust {shown}` looks at it again, `shellmate trust revoke {shown}` forgets it"))
            .public("a trusted project has changed or is gone")
    });
    let mut findings: Vec<DoctorFinding> = stale.collect();
    let cwd = std::env::current_dir().unwrap_or_default();
    match Project::of(&cwd, &store) {
        Some(Err(error)) => findings.push(
            DoctorFinding::fail(error.to_string())
                .fix("correct its `.shellmate` directory")
                .public("a project cannot be read"),
        ),
        Some(Ok(project)) if !project.is_trusted() && !trusted.iter().any(|known| known.root == project.root()) => {
            let shown = exam.shown(project.root());
            let finding =
                DoctorFinding::ok(format!("{shown} is not trusted, so its `.shellmate` may only narrow your settings"));
            findings.push(
                finding
                    .fix(format!("`shellmate trust {shown}` shows what it brings and asks"))
                    .public("this project is not trusted"),
            );
        }
        Some(Ok(_)) | None => {}
    }
    if findings.is_empty() {
        let count = trusted.len();
        let projects = if count == 1 { "project is" } else { "projects are" };
        findings.push(DoctorFinding::ok(format!("{count} {projects} trusted")).public(format!("{count} trusted")));
    }
    findings
}
