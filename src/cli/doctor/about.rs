//! The version of shellmate, and whether this terminal has it.

use super::{DoctorFinding, Exam};

pub(super) fn version(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let version = format!("shellmate {}", env!("CARGO_PKG_VERSION"));
    let system = nix::sys::utsname::uname().ok();
    let system = system.map(|system| {
        [system.sysname(), system.release(), system.machine()].map(|word| word.to_string_lossy().into_owned()).join(" ")
    });
    let place = exam.binary.as_ref().map(|binary| format!(" at {}", exam.shown(binary))).unwrap_or_default();
    let public = format!("{version} on {}", system.unwrap_or_else(|| "an unknown system".to_owned()));
    vec![DoctorFinding::ok(format!("{version}{place}")).public(public)]
}

pub(super) fn session(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    vec![match exam.var("SHELLMATE_SESSION") {
        Some(id) => DoctorFinding::ok(format!("inside session {id}")).public("inside a session"),
        None => DoctorFinding::ok("not inside shellmate; `shellmate` starts it").public("not inside a session"),
    }]
}
