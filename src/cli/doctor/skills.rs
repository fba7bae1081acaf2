//! The skills of the current directory and the home directory.

use crate::agent::{Skills, shown_path};

use super::{DoctorFinding, Exam};

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let settings = exam.loaded.config.agent.skills();
    if !settings.is_on {
        return vec![DoctorFinding::ok("off (`skills = false` in the configuration)").public("off")];
    }
    let (cwd, home) = (std::env::current_dir().unwrap_or_default(), exam.home());
    let skills = Skills::find(&cwd, exam.paths.config_dir().as_deref(), home.as_deref(), &settings);
    let found = skills.list.iter().map(|skill| {
        let place = shown_path(&skill.file, home.as_deref());
        DoctorFinding::ok(format!("{} at {place}", skill.name)).public("one that can be used")
    });
    let problems = skills.problems.iter().map(|problem| {
        let fix = "correct the file; docs/SKILLS.md says what it needs";
        DoctorFinding::warn(problem.to_string()).fix(fix).public("one that is skipped or odd")
    });
    let findings: Vec<DoctorFinding> = found.chain(problems).collect();
    match findings.is_empty() {
        true => vec![DoctorFinding::ok("none in this directory or your home directory").public("none")],
        false => findings,
    }
}
