//! A table of cases that are all tried, so that one failing run names every case that fails.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs every case; each failure is printed where it happens, and their names at the end.
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
