//! Counts what a program does. Unlike times, counts do not depend on other work on the machine.

use std::path::Path;
use std::process::Command;

use super::shell::available;

pub(crate) const STRACE: &str = "/usr/bin/strace";
pub(super) const VALGRIND: &str = "/usr/bin/valgrind";

/// Arguments of `valgrind` that count the instructions of one process into a file in `place`. Programs that it starts are not
/// counted.
pub(super) fn valgrind(place: &Path) -> [String; 4] {
    let file = format!("--callgrind-out-file={}", place.join("instructions.%p").display());
    ["--quiet".into(), "--tool=callgrind".into(), "--trace-children=no".into(), file]
}

/// Whether instructions can be counted here.
pub(crate) fn can_count() -> bool {
    available("valgrind")
}

/// Instructions of a program started with `Builder::counted`. It must have ended.
pub(crate) fn instructions(place: &Path, pid: i32) -> u64 {
    let file = place.join(format!("instructions.{pid}"));
    let counts = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let total = counts.lines().find_map(|line| line.strip_prefix("totals: "));
    total.unwrap_or_else(|| panic!("no total in {counts}")).trim().parse().expect("a number")
}

/// System calls of a process so far that read or write, those of its threads included.
pub(crate) fn transfers(pid: i32) -> u64 {
    let io = std::fs::read_to_string(format!("/proc/{pid}/io")).expect("a running process of this user");
    let count = |name: &str| -> u64 {
        let line = io.lines().find_map(|line| line.strip_prefix(name)).expect("Linux counts them");
        line.trim().parse().expect("a number")
    };
    count("syscr:") + count("syscw:")
}

/// Whether `strace` is here and may trace, which some containers forbid.
pub(crate) fn can_trace() -> bool {
    available("strace") && {
        let traces =
            Command::new(STRACE).args(["-o", "/dev/null", "true"]).status().is_ok_and(|status| status.success());
        assert!(traces || std::env::var("CI").as_deref() != Ok("true"), "strace may not trace, and CI=true");
        traces
    }
}
