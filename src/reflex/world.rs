//! The information about the machine that rules can use.

use std::path::Path;

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DirectoryEntry {
    pub name: String,
    pub kind: FileKind,
}

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    Directory,
    File,
    /// An executable file.
    Program,
}

/// The machine as the rules see it, through bounded, read-only queries. Only rules whose tool and signs match make queries.
///
/// It is a trait, because rules are pure and most tests simulate a machine. Relative paths are relative to the directory that the command ran
/// in.
pub(crate) trait World {
    /// All commands: programs on PATH, and the known builtins, aliases and functions of the shell.
    fn commands(&self) -> &[String];
    /// The entries of a directory. Empty if it cannot be read.
    fn entries(&self, directory: &Path) -> Vec<DirectoryEntry>;
    fn kind(&self, path: &Path) -> Option<FileKind>;
    /// The beginning of a text file.
    fn read(&self, path: &Path) -> Option<String>;
    /// An exported variable.
    fn variable(&self, name: &str) -> Option<String>;
    /// The id and name of the process that listens on a TCP port.
    fn listener(&self, port: u16) -> Option<(u32, String)>;
    /// How many processes the kernel has killed for lack of memory, if that can be read.
    fn memory_kills(&self) -> u64;
    /// Earlier commands without the failed one, the newest first.
    fn recent(&self) -> &[String];
    fn is_root(&self) -> bool;

    /// Whether a command of this name exists.
    fn has(&self, command: &str) -> bool {
        self.commands().iter().any(|name| name == command)
    }
}
