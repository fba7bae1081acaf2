//! Runs all cases of a table, so that one run names every case that fails.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs every case. Each failure is printed when it happens, and the names of failed cases at the end.
#[track_caller]
pub(crate) fn all<C: FnOnce()>(cases: impl IntoIterator<Item = (impl ToString, C)>) {
    let cases = cases.into_iter().map(|(name, case)| (name.to_string(), catch_unwind(AssertUnwindSafe(case)).is_err()));
    let failed: Vec<String> = cases.filter(|(_, failed)| *failed).map(|(name, _)| name).collect();
    assert!(failed.is_empty(), "failed: {}", failed.join(", "));
}

/// Runs the test in every shell of this machine.
#[track_caller]
pub(crate) fn in_every_shell(test: impl Fn(super::Shell)) {
    let test = &test;
    all(super::shells().into_iter().map(|shell| (shell.name(), move || test(shell))));
}
