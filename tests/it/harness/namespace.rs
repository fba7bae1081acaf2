//! Mount namespaces for one terminal.

use std::process::Command;
use std::sync::OnceLock;

use super::builder::Builder;
use super::shell::{Shell, is_here};
use super::term::Term;

/// A shell script that runs in its own mount namespace. `None`, with a message, if the machine does not allow one; fails if
/// `CI=true`.
pub(crate) fn in_a_namespace(shell: Shell, script: &str) -> Option<Builder> {
    static FLAGS: OnceLock<Option<&str>> = OnceLock::new();
    let possible = |flags: &str| {
        let tried = Command::new("unshare").args([flags, "sh", "-c", "mount -t tmpfs none /mnt"]).output();
        tried.is_ok_and(|output| output.status.success())
    };
    let flags = *FLAGS.get_or_init(|| ["-m", "-rm"].into_iter().find(|flags| possible(flags)));
    is_here("mount namespace", flags.is_some());
    Some(Term::new(shell).program("/usr/bin/unshare").args([flags?, "sh", "-c", script]))
}
