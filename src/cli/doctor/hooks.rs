//! The person's own hooks.

use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

use crate::hook::HookFile;
use crate::reflex::builtins;

use super::{DoctorFinding, Exam};

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let Some(path) = exam.paths.hooks_file().filter(|path| path.exists()) else {
        return vec![DoctorFinding::ok("none").public("none")];
    };
    let shown = exam.shown(&path);
    let (hooks, problems) = HookFile::new(Some(path.clone())).current();
    let fix = format!("correct {shown}; docs/HOOKS.md describes it");
    let problems = problems.iter().map(|problem| {
        let text = problem.to_string().replace(&*path.to_string_lossy(), &shown);
        DoctorFinding::fail(text).fix(&*fix).public("a problem of hooks.json")
    });
    let missing = hooks.programs().into_iter().filter_map(|program| {
        let why = fault(exam, &program)?;
        let finding = DoctorFinding::fail(format!("{shown} runs {program}, which {why}"));
        let install = format!("correct the path in {shown}, or install the program");
        Some(finding.fix(install).public(format!("a program of hooks.json {why}")))
    });
    let findings: Vec<DoctorFinding> = problems.chain(missing).collect();
    match findings.is_empty() {
        true => vec![DoctorFinding::ok(format!("{shown} can be read")).public("a file without problems")],
        false => findings,
    }
}

/// Why a program cannot be run. A path that depends on the directory of a query is not looked at.
fn fault(exam: &Exam<'_>, program: &str) -> Option<&'static str> {
    let below_home = program.strip_prefix("~/").and_then(|below| Some(exam.home()?.join(below)));
    let path = below_home.unwrap_or_else(|| PathBuf::from(program));
    let is_program = |path: &Path| path.is_file() && access(path, AccessFlags::X_OK).is_ok();
    if path.is_absolute() {
        return match (path.exists(), is_program(&path)) {
            (false, _) => Some("does not exist"),
            (true, false) => Some("cannot be executed"),
            (true, true) => None,
        };
    }
    let search = (exam.get)("PATH").unwrap_or_default();
    let is_found = program.contains('/')
        || builtins().iter().any(|name| name == program)
        || std::env::split_paths(&search).any(|directory| is_program(&directory.join(program)));
    (!is_found).then_some("is not on PATH")
}
