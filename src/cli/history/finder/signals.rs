//! The signals that end the finder or resize its window.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use nix::libc::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH};
use signal_hook::{flag, low_level::pipe};

/// Signals as bytes of a socket, so that the terminal's settings are restored before the process ends.
pub(super) struct FinderSignals {
    wake: UnixStream,
    ending: Arc<AtomicUsize>,
}

impl FinderSignals {
    pub(super) fn new() -> io::Result<FinderSignals> {
        let (wake, awaken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let ending = Arc::new(AtomicUsize::new(0));
        for signal in [SIGTERM, SIGHUP, SIGINT, SIGQUIT] {
            // Handlers run in the order of their registration.
            flag::register_usize(signal, Arc::clone(&ending), signal as usize)?;
            pipe::register(signal, awaken.try_clone()?)?;
        }
        pipe::register(SIGWINCH, awaken)?;
        Ok(FinderSignals { wake, ending })
    }

    /// The signal that asked the process to end, if one did.
    pub(super) fn ending(&self) -> Option<i32> {
        i32::try_from(self.ending.load(Ordering::SeqCst)).ok().filter(|signal| *signal > 0)
    }

    pub(super) fn drain(&self) {
        let mut bytes = [0; 64];
        while (&self.wake).read(&mut bytes).is_ok_and(|count| count == bytes.len()) {}
    }
}

impl AsFd for FinderSignals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}
