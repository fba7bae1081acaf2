//! The caches of package managers and compilers, which commands may write.
//!
//! Only downloaded and derived files are here, never programs on PATH or settings. A command can still put a manipulated package into
//! a cache; docs/SECURITY.md says so.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// A directory that a variable may move.
#[derive(Debug, Clone, Copy)]
struct CacheHome {
    variable: &'static str,
    /// The place below the home directory without the variable.
    usual: &'static str,
    /// The program that needs the directories, or none if they are not created.
    program: &'static str,
    /// The writable parts.
    parts: &'static [&'static str],
}

const HOMES: &[CacheHome] = &[
    CacheHome { variable: "CARGO_HOME", usual: ".cargo", program: "cargo", parts: &["registry", "git"] },
    CacheHome { variable: "npm_config_cache", usual: ".npm", program: "npm", parts: &["_cacache", "_logs"] },
    CacheHome { variable: "GOPATH", usual: "go", program: "go", parts: &["pkg/mod"] },
    CacheHome {
        variable: "GRADLE_USER_HOME",
        usual: ".gradle",
        program: "gradle",
        parts: &["caches", "wrapper/dists", "native"],
    },
    CacheHome { variable: "", usual: ".m2", program: "mvn", parts: &["repository"] },
    CacheHome { variable: "NUGET_PACKAGES", usual: ".nuget/packages", program: "dotnet", parts: &[""] },
    CacheHome { variable: "", usual: ".yarn/berry", program: "", parts: &["cache"] },
    CacheHome { variable: "BUN_INSTALL", usual: ".bun", program: "bun", parts: &["install/cache"] },
    CacheHome { variable: "PNPM_HOME", usual: ".local/share/pnpm", program: "", parts: &["store"] },
];

/// Directories below `~/.cache` and the program that needs each. Without a program, the directory is not created.
const CACHES: &[(&str, &str)] = &[
    ("go-build", "go"),
    ("uv", "uv"),
    ("pip", "pip"),
    ("pypoetry", "poetry"),
    ("yarn", "yarn"),
    ("pnpm", "pnpm"),
    ("deno", "deno"),
    ("node-gyp", ""),
    ("ccache", "ccache"),
    ("sccache", "sccache"),
    ("bazel", "bazel"),
    ("zig", "zig"),
    ("coursier", ""),
    ("composer", "composer"),
];

/// Lock files that cargo needs beside its registry.
const CARGO_FILES: &[&str] = &[".package-cache", ".package-cache-mutate", ".global-cache"];

/// The caches that exist. A missing one is created if its program is installed, because programs fail if they cannot create it.
pub(super) fn writable<'a>(home: Option<&Path>, variable: impl Fn(&str) -> Option<&'a OsStr>) -> Vec<PathBuf> {
    let absolute = |name: &str| variable(name).map(Path::new).filter(|path| path.is_absolute()).map(Path::to_owned);
    let programs: Vec<PathBuf> = variable("PATH").map(std::env::split_paths).into_iter().flatten().collect();
    let is_installed =
        |program: &str| !program.is_empty() && programs.iter().any(|directory| directory.join(program).is_file());
    let mut wanted: Vec<(PathBuf, &str)> = Vec::new();
    for place in HOMES {
        let Some(root) = absolute(place.variable).or_else(|| home.map(|home| home.join(place.usual))) else { continue };
        wanted.extend(place.parts.iter().map(|part| (root.join(part), place.program)));
    }
    if let Some(root) = absolute("XDG_CACHE_HOME").or_else(|| home.map(|home| home.join(".cache"))) {
        wanted.extend(CACHES.iter().map(|(name, program)| (root.join(name), *program)));
    }
    let mut found: Vec<PathBuf> = Vec::new();
    for (path, program) in wanted {
        let exists = path.is_dir() || is_installed(program) && fs::create_dir_all(&path).is_ok();
        found.extend(exists.then(|| path.canonicalize().ok()).flatten());
    }
    let cargo = absolute("CARGO_HOME").or_else(|| home.map(|home| home.join(".cargo"))).filter(|cargo| cargo.is_dir());
    for file in cargo.iter().flat_map(|cargo| CARGO_FILES.iter().map(|name| cargo.join(name))) {
        let _ = fs::OpenOptions::new().append(true).create(true).open(&file);
        found.extend(file.canonicalize().ok());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_writable_but_programs_and_settings_beside_them_are_not() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for directory in [".cargo/registry", ".cargo/bin", ".npm/_npx", "bin", ".cache/uv"] {
            fs::create_dir_all(home.join(directory)).unwrap();
        }
        fs::write(home.join("bin/go"), "").unwrap();
        let bin = home.join("bin");
        let found = writable(Some(&home), |name| (name == "PATH").then_some(bin.as_os_str()));
        let below = |path: &str| found.iter().any(|found| *found == home.join(path));
        assert!(below(".cargo/registry") && below(".cache/uv") && below(".cargo/.package-cache"), "{found:?}");
        assert!(below("go/pkg/mod") && below(".cache/go-build"), "created for go: {found:?}");
        assert!(!below(".cargo/bin") && !below(".npm/_npx") && !below(".cargo") && !below(".cache"), "{found:?}");
        assert!(!home.join(".npm/_cacache").exists(), "npm is not installed");
    }
}
