//! The parts of the sandbox that depend on the operating system: Linux, where shellmate is developed and tested, and everything else,
//! which was never compiled.

#[cfg(target_os = "linux")]
pub(crate) use super::helper::run as run_helper;
#[cfg(target_os = "linux")]
pub(crate) use linux::protect_memory;
#[cfg(target_os = "linux")]
pub(super) use linux::{landlock_version, nameless_file};
#[cfg(not(target_os = "linux"))]
pub(super) use other::{landlock_version, nameless_file};
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{protect_memory, run_helper};

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io;
    use std::ptr;

    use nix::libc;
    use nix::sys::memfd::{MFdFlags, memfd_create};
    use nix::sys::prctl::set_dumpable;

    /// The version of Landlock's interface in this kernel.
    #[allow(unsafe_code)]
    pub(in super::super) fn landlock_version() -> Option<u32> {
        const VERSION: u32 = 1;
        // SAFETY: with this flag the call reads no memory and only returns a number.
        let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<u8>(), 0, VERSION) };
        u32::try_from(version).ok().filter(|version| *version > 0)
    }

    /// A file without a name, in memory.
    pub(in super::super) fn nameless_file() -> io::Result<File> {
        Ok(File::from(memfd_create(c"shellmate-orders", MFdFlags::MFD_CLOEXEC)?))
    }

    /// Keeps other processes of the user from reading this one's memory and environment, which hold keys of models.
    ///
    /// Not for the session: terminals find the directory for a new tab in its `/proc` entry, which nobody could read any more.
    pub(crate) fn protect_memory() {
        let _ = set_dumpable(false);
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use std::fs::File;
    use std::io;

    /// There is no Landlock.
    pub(in super::super) fn landlock_version() -> Option<u32> {
        None
    }

    /// A file without a name.
    pub(in super::super) fn nameless_file() -> io::Result<File> {
        tempfile::tempfile()
    }

    /// There is no such switch.
    pub(crate) fn protect_memory() {}

    /// There is no helper, and nothing starts it.
    pub(crate) fn run_helper(_orders: i32) -> u8 {
        125
    }
}
