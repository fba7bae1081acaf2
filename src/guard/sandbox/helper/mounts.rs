//! The mounts of a new mount namespace.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use nix::libc;
use nix::mount::{MsFlags, mount};

use super::super::plan::{Bind, BindAccess, KERNEL_SETTINGS};
use super::{ErrorContext, HelperError, checked};

/// The devices that programs need.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

const NOTHING: Option<&str> = None;

/// Makes everything read-only and carries out the plan. The sources are opened first, because a mount may hide one of them.
pub(super) fn make(binds: &[Bind]) -> Result<(), HelperError> {
    mount(NOTHING, "/", NOTHING, MsFlags::MS_REC | MsFlags::MS_SLAVE, NOTHING).doing("separate the mounts")?;
    let mut clones = Vec::with_capacity(binds.len());
    for bind in binds {
        let source = bind.source.as_path();
        let clone = Clone::of(source).doing(format!("open {}", source.display()))?;
        let read_only = if bind.access == BindAccess::Read { libc::MOUNT_ATTR_RDONLY } else { 0 };
        let flags = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV | read_only;
        clone.set(flags).doing(format!("restrict {}", source.display()))?;
        clones.push((clone, bind.target.as_path()));
    }
    let device = |name: &&str| Some((Clone::of(&Path::new("/dev").join(name)).ok()?, name.to_string()));
    let devices: Vec<(Clone, String)> = DEVICES.iter().filter_map(device).collect();
    let read_only = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID;
    set(libc::AT_FDCWD, c"/", 0, read_only).doing("make everything read-only")?;
    for (clone, target) in clones {
        make_target(target, clone.is_directory()).doing(format!("create {}", target.display()))?;
        clone.put(target).doing(format!("mount {}", target.display()))?;
    }
    make_devices(&devices).doing("mount /dev")?;
    make_proc().doing("mount /proc")
}

/// Creates the place for a mount in a private directory. Elsewhere it exists.
fn make_target(target: &Path, is_directory: bool) -> io::Result<()> {
    if target.exists() {
        return Ok(());
    }
    if is_directory {
        return fs::create_dir_all(target);
    }
    target.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::File::create(target).map(drop)
}

fn make_devices(devices: &[(Clone, String)]) -> io::Result<()> {
    let secure = MsFlags::MS_NOSUID | MsFlags::MS_NOEXEC;
    mount(Some("tmpfs"), "/dev", Some("tmpfs"), MsFlags::MS_NOSUID, Some("mode=0755"))?;
    for (device, name) in devices {
        let target = Path::new("/dev").join(name);
        fs::File::create(&target)?;
        device.put(&target)?;
    }
    for directory in ["/dev/pts", "/dev/shm"] {
        fs::create_dir(directory)?;
    }
    mount(Some("tmpfs"), "/dev/shm", Some("tmpfs"), MsFlags::MS_NOSUID | MsFlags::MS_NODEV, Some("mode=1777"))?;
    mount(Some("devpts"), "/dev/pts", Some("devpts"), secure, Some("newinstance,ptmxmode=0666,mode=620"))?;
    for (target, link) in [
        ("/proc/self/fd", "/dev/fd"),
        ("/proc/self/fd/0", "/dev/stdin"),
        ("/proc/self/fd/1", "/dev/stdout"),
        ("/proc/self/fd/2", "/dev/stderr"),
        ("pts/ptmx", "/dev/ptmx"),
    ] {
        symlink(target, link)?;
    }
    Ok(())
}

fn make_proc() -> io::Result<()> {
    let secure = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), "/proc", Some("proc"), secure, NOTHING)?;
    for path in KERNEL_SETTINGS.iter().map(Path::new).filter(|path| path.exists()) {
        let clone = Clone::of(path)?;
        clone.set(libc::MOUNT_ATTR_RDONLY)?;
        clone.put(path)?;
    }
    Ok(())
}

/// A copy of a mount that is not mounted yet.
struct Clone(OwnedFd);

#[allow(unsafe_code)]
impl Clone {
    fn of(path: &Path) -> io::Result<Clone> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | libc::AT_RECURSIVE as libc::c_uint;
        // SAFETY: the path ends with NUL, and the result is a new descriptor.
        unsafe {
            let opened = libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags);
            checked(opened).map(|descriptor| Clone(OwnedFd::from_raw_fd(descriptor)))
        }
    }

    fn set(&self, attributes: u64) -> io::Result<()> {
        set(self.0.as_raw_fd(), c"", libc::AT_EMPTY_PATH, attributes)
    }

    fn is_directory(&self) -> bool {
        nix::sys::stat::fstat(&self.0).is_ok_and(|found| found.st_mode & libc::S_IFMT == libc::S_IFDIR)
    }

    fn put(&self, target: &Path) -> io::Result<()> {
        let target = CString::new(target.as_os_str().as_bytes())?;
        let (from, to) = (self.0.as_raw_fd(), target.as_ptr());
        let flags = libc::MOVE_MOUNT_F_EMPTY_PATH;
        // SAFETY: both paths end with NUL, and the descriptor is open.
        checked(unsafe { libc::syscall(libc::SYS_move_mount, from, c"".as_ptr(), libc::AT_FDCWD, to, flags) }).map(drop)
    }
}

/// Adds attributes to a mount and all mounts below it.
#[allow(unsafe_code)]
fn set(directory: i32, path: &std::ffi::CStr, flags: i32, attributes: u64) -> io::Result<()> {
    let change = libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let (flags, size) = (flags | libc::AT_RECURSIVE, size_of_val(&change));
    // SAFETY: the path ends with NUL, and the kernel reads `size` bytes of the structure.
    let done =
        unsafe { libc::syscall(libc::SYS_mount_setattr, directory, path.as_ptr(), flags, &raw const change, size) };
    checked(done).map(drop)
}
