//! Namespaces by bubblewrap, which distributions allow to create them even where other programs may not.

use std::ffi::OsString;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};

use super::Network;
use super::plan::{Bind, BindAccess, KERNEL_SETTINGS};

/// Where bubblewrap is installed. PATH is not searched, because a project may have put its own directories there.
const PLACES: &[&str] = &["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

pub(super) fn installed() -> Option<PathBuf> {
    PLACES.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// The arguments before the command: namespaces, no capabilities, and the mounts.
pub(super) fn arguments(binds: &[Bind], network: Network) -> Vec<OsString> {
    let fixed = "--unshare-user --unshare-pid --unshare-ipc --die-with-parent --as-pid-1 --cap-drop ALL --ro-bind / /";
    let mut arguments: Vec<OsString> = fixed.split(' ').map(OsString::from).collect();
    if network == Network::Off {
        arguments.push("--unshare-net".into());
    }
    for bind in binds {
        let kind = if bind.access == BindAccess::Write { "--bind" } else { "--ro-bind" };
        arguments.push(kind.into());
        arguments.extend([&bind.source, &bind.target].map(|path| path.as_path().as_os_str().to_owned()));
    }
    arguments.extend("--dev /dev --proc /proc".split(' ').map(OsString::from));
    // bubblewrap makes these read-only only if they look writable, but root can write the files in them.
    for path in KERNEL_SETTINGS.iter().filter(|path| Path::new(path).exists()) {
        arguments.extend(["--ro-bind", path, path].map(OsString::from));
    }
    arguments.push("--".into());
    arguments
}

/// The helper in its open descriptor. Its path may be hidden in the sandbox, or replaced by a new version.
pub(super) fn helper(descriptor: RawFd) -> OsString {
    Path::new("/proc/self/fd").join(descriptor.to_string()).into_os_string()
}
