//! What the model is told about the sandbox.

use std::path::PathBuf;

use super::process::{FinishedCommand, ProcessEnding};
use crate::guard::{Applied, Backend, Network, SandboxError, SandboxProfile};

/// How a model may repeat a command that the sandbox stopped.
const REPEAT: &str =
    "If it needs more, repeat it with a justification and write (one path), network or unconfined; the user is asked.";

/// Words of programs that were denied something. They only decide whether the note is worth its tokens.
const DENIED: &[&str] = &[
    "read-only file system",
    "permission denied",
    "operation not permitted",
    "resource busy",
    "no such file or directory",
    "not found",
    "could not resolve",
    "name resolution",
    "network is unreachable",
    "connection refused",
    "cannot connect",
    "could not connect",
    "unable to open",
    "eacces",
    "eperm",
    "erofs",
];

/// A command that cannot be confined does not run.
pub(super) fn not_confined(error: &SandboxError) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    format!(
        "not run: {error}{cause}. With a justification and unconfined it runs outside the sandbox; the user is asked."
    )
}

/// The sandbox could not be set up.
pub(super) fn not_started(finished: &FinishedCommand, output: &str) -> String {
    let reported = finished.report.as_ref().and_then(|report| report.failure.as_deref());
    let why = reported.unwrap_or(output).trim();
    format!("not run: the sandbox could not be set up: {why}")
}

/// Notes for a command that ran.
pub(super) fn after(
    finished: &FinishedCommand,
    output: &str,
    applied: Applied,
    profile: Option<&SandboxProfile>,
) -> Option<String> {
    let profile = profile?;
    let has_failed = !matches!(finished.ending, ProcessEnding::Exited(status) if status.success());
    let output = output.to_lowercase();
    if !has_failed || !DENIED.iter().any(|words| output.contains(words)) {
        return None;
    }
    let project = profile.project.iter().map(|path| path.display().to_string());
    let caches = (!profile.writable.is_empty()).then(|| "package caches".to_owned());
    let written = project.chain(caches).chain(["$TMPDIR".to_owned()]).collect::<Vec<_>>().join(", ");
    let network = match profile.network {
        Network::On => "",
        Network::Off => " It had no network.",
    };
    let weak = match applied.backend {
        Backend::Landlock => " Programs that need /tmp must use $TMPDIR.",
        _ => "",
    };
    let delicate = existing(&profile.delicate);
    Some(format!(
        "This ran confined: only {written} can be written{delicate}; credentials and agents are hidden.{network}{weak} {REPEAT}"
    ))
}

/// The delicate paths that exist, for the model to see why a write failed.
fn existing(delicate: &[PathBuf]) -> String {
    let names = delicate.iter().filter(|path| path.exists()).take(6);
    let names: Vec<String> = names.map(|path| path.display().to_string()).collect();
    if names.is_empty() { String::new() } else { format!(", except {}", names.join(", ")) }
}
