//! Which program a command's name stands for.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access, geteuid};

use super::scope::Scope;
use super::unclear::Unclear;

/// Directories that everybody can write.
const SHARED: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];

/// Succeeds if the shell would run the program of this name from a place that neither the project nor the agent can write. A name that
/// stands for nothing is harmless.
pub(super) fn check(name: &str, scope: &Scope<'_>) -> Result<(), Unclear> {
    let refused = |path: &Path| Unclear::Program(name.to_owned(), path.display().to_string());
    if name.contains('/') {
        let path = Path::new(name);
        return if path.is_absolute() && !is_writable(path, scope) { Ok(()) } else { Err(refused(path)) };
    }
    for directory in std::env::split_paths(scope.place.path) {
        if !directory.is_absolute() {
            let here = |cwd: &PathBuf| is_program(&cwd.join(&directory).join(name));
            if scope.cwds.is_empty() || scope.cwds.iter().any(here) {
                return Err(refused(&directory.join(name)));
            }
            continue;
        }
        let program = directory.join(name);
        if is_program(&program) {
            return if is_writable(&program, scope) { Err(refused(&program)) } else { Ok(()) };
        }
    }
    Ok(())
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Whether the program, or the directory that it is in, may have been written by the agent or by somebody else.
fn is_writable(program: &Path, scope: &Scope<'_>) -> bool {
    let mut places: Vec<&Path> = SHARED.iter().map(Path::new).collect();
    places.extend([scope.place.project, scope.place.cwd]);
    places.extend(scope.place.home);
    places.extend(scope.cwds.iter().map(PathBuf::as_path));
    places.retain(|place| *place != Path::new("/"));
    let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    [program, &real].into_iter().any(|path| {
        let directory = path.parent().unwrap_or(path);
        places.iter().any(|place| path.starts_with(place)) || may_write(directory) || may_write(path)
    })
}

/// Whether we can write here. For root, whether everybody can.
fn may_write(path: &Path) -> bool {
    if geteuid().is_root() {
        return path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o002 != 0);
    }
    access(path, AccessFlags::W_OK).is_ok()
}
