//! The command `shellmate` in a shell whose `PATH` does not find it, as after `cargo run`: messages on the screen name it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::kind::ShellKind;
use crate::text::shell::quote::{self, Dialect};

/// Whether a directory of this `PATH` has the program.
pub(crate) fn is_on_path(name: &str, path: &OsStr) -> bool {
    std::env::split_paths(path).any(|directory| directory.join(name).is_file())
}

/// A line that defines a function for this program. bash and zsh read it before the files of the user, which may define another one,
/// and fish after them.
pub(super) fn own_command(kind: ShellKind, program: &Path) -> Vec<u8> {
    let quoted = |dialect| quote::bytes(program.as_os_str().as_bytes(), dialect);
    match kind {
        ShellKind::Bash | ShellKind::Zsh => {
            [b"function shellmate { ", &quoted(Dialect::Posix)[..], b" \"$@\"; }\n"].concat()
        }
        ShellKind::Fish => {
            let begin = b"type -q shellmate; or function shellmate; ";
            [begin, &quoted(Dialect::Fish)[..], b" $argv; end\n"].concat()
        }
        ShellKind::Other => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_calls_the_program_with_all_arguments() {
        let line = |kind| String::from_utf8(own_command(kind, Path::new("/opt/my tools/shellmate"))).unwrap();
        assert_eq!(line(ShellKind::Bash), "function shellmate { '/opt/my tools/shellmate' \"$@\"; }\n");
        assert!(line(ShellKind::Fish).contains("function shellmate; '/opt/my tools/shellmate' $argv; end"));
        assert_eq!(line(ShellKind::Other), "");
    }

    #[test]
    fn a_program_is_on_the_path_if_a_directory_has_it() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("tool"), "").unwrap();
        let path = std::env::join_paths([Path::new("/nowhere"), place.path()]).unwrap();
        assert!(is_on_path("tool", &path) && !is_on_path("other", &path) && !is_on_path("tool", OsStr::new("")));
    }
}
