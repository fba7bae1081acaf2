//! Linux: inotify, and credentials of sockets.

use std::ffi::OsString;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::PeerCredentials;
use nix::unistd::Pid;

use super::ChangesLost;

/// Reports when a file appears and disappears.
pub(in crate::session) struct FileChanges {
    name: OsString,
    inotify: Inotify,
}

impl FileChanges {
    pub(in crate::session) fn of(file: &Path) -> Option<FileChanges> {
        let inotify = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC).ok()?;
        let wanted = AddWatchFlags::IN_CREATE | AddWatchFlags::IN_DELETE | AddWatchFlags::IN_MOVE;
        inotify.add_watch(file.parent()?, wanted).ok()?;
        Some(FileChanges { name: file.file_name()?.to_owned(), inotify })
    }

    /// Whether the file is there after the changes since the last call. `None` if nothing has changed.
    pub(in crate::session) fn newest(&self) -> Result<Option<bool>, ChangesLost> {
        let mut newest = None;
        loop {
            let events = match self.inotify.read_events() {
                Ok(events) => events,
                Err(Errno::EAGAIN) => return Ok(newest),
                Err(_) => return Err(ChangesLost),
            };
            for event in events {
                if event.mask.intersects(AddWatchFlags::IN_Q_OVERFLOW | AddWatchFlags::IN_IGNORED) {
                    return Err(ChangesLost);
                }
                if event.name.as_ref() == Some(&self.name) {
                    newest = Some(event.mask.intersects(AddWatchFlags::IN_CREATE | AddWatchFlags::IN_MOVED_TO));
                }
            }
        }
    }
}

/// The process at the other end of a connection.
pub(in crate::session) fn peer(connection: &UnixStream) -> io::Result<Option<Pid>> {
    Ok(Some(Pid::from_raw(getsockopt(connection, PeerCredentials)?.pid())))
}
