//! The lines of an output that matter.

use super::case::Case;

/// Lines of the output worth repeating in an explanation, at most a few.
pub(super) fn lines(case: &Case<'_>) -> Vec<String> {
    let alarm = |line: &&&str| {
        let lower = line.to_lowercase();
        ["error", "fatal", "failed", "cannot", "not found", "denied"].iter().any(|word| lower.contains(word))
    };
    case.output.lines().iter().filter(alarm).take(1).map(|line| line.trim().to_owned()).collect()
}
