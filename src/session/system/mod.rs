//! The parts of a session that depend on the operating system: Linux, where shellmate is developed and tested, and everything else.

#[cfg(target_os = "linux")]
mod code;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(target_os = "linux")]
mod watch;

#[cfg(target_os = "linux")]
pub(super) use code::unmap as unmap_code;
#[cfg(target_os = "linux")]
pub(super) use linux::{FileChanges, peer};
#[cfg(not(target_os = "linux"))]
pub(super) use other::{NoFileChanges as FileChanges, peer, unmap_code, watch_configuration};
#[cfg(target_os = "linux")]
pub(super) use watch::start as watch_configuration;

/// The kernel does not report changes of a file any more.
pub(super) struct ChangesLost;
