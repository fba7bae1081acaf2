//! The person's own slash commands, and those of the current project.

use crate::agent::{OwnCommands, Project};
use crate::session;

use super::{DoctorFinding, Exam};

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let (cwd, home) = (std::env::current_dir().unwrap_or_default(), exam.home());
    let project = Project::of(&cwd, &exam.paths.trust_store()).and_then(Result::ok);
    let own = exam.paths.config_dir();
    let commands = OwnCommands::find(own.as_deref(), project.as_ref(), home.as_deref(), &session::is_built_in);
    let found = commands.list.iter().map(|command| {
        DoctorFinding::ok(format!("/{} at {}", command.name, command.file)).public("one that can be used")
    });
    let problems = commands.problems.iter().map(|problem| {
        let fix = "correct or rename the file; docs/COMMANDS.md says what it needs";
        DoctorFinding::warn(problem.to_string()).fix(fix).public("one that is not used")
    });
    let findings: Vec<DoctorFinding> = found.chain(problems).collect();
    match findings.is_empty() {
        true => vec![DoctorFinding::ok("none of your own").public("none")],
        false => findings,
    }
}
