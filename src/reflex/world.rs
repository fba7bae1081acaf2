//! What the rules may know about the machine.

use std::path::Path;

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub name: String,
    pub kind: Kind,
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Directory,
    File,
    /// A file that may be run.
    Program,
}

/// The machine as the rules see it: bounded, read-only questions, each asked only by a rule whose tool and signs are there.
///
/// A trait, because rules are pure and most of their cases are told of machines that do not exist. Relative paths are relative to the
/// directory the command ran in.
pub(crate) trait World {
    /// What can be run by name: programs on PATH, and the shell's builtins, aliases and functions as far as they are known.
    fn commands(&self) -> &[String];
    /// What a directory holds; empty if it cannot be read.
    fn entries(&self, directory: &Path) -> Vec<Entry>;
    fn kind(&self, path: &Path) -> Option<Kind>;
    /// The beginning of a text file.
    fn read(&self, path: &Path) -> Option<String>;
    /// An exported variable.
    fn variable(&self, name: &str) -> Option<String>;
    /// Who listens on a TCP port: the process's id and name.
    fn listener(&self, port: u16) -> Option<(u32, String)>;
    /// How often the kernel killed a process for lack of memory, where it tells that of us.
    fn memory_kills(&self) -> u64;
    /// Commands run earlier, the newest first; without the failed one.
    fn recent(&self) -> &[String];
    fn is_root(&self) -> bool;

    /// Whether a program of this name can be run.
    fn has(&self, command: &str) -> bool {
        self.commands().iter().any(|name| name == command)
    }
}
