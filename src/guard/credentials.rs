//! Where keys and passwords lie.

use std::path::Path;

/// Directories below the home directory in which everything is a secret, or next to one.
const DIRECTORIES: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    ".config/gcloud",
    ".config/gh",
    ".config/op",
    ".config/rclone",
    ".config/sops",
    ".local/share/keyrings",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    "Library/Keychains",
];

/// Files that are secrets wherever they lie.
const FILES: &[&str] = &[
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    ".vault-token",
    "credentials.toml",
    "shadow",
    "gshadow",
    "master.passwd",
];

const SSH_KEYS: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk"];

/// The keys that a person gave us to keep, wherever the state directory is.
const KEPT: &str = "shellmate/keys.json";

/// Whether reading `path` would show keys or passwords. What lies in the project is the person's to show, but for private keys.
pub(crate) fn holds_credentials(path: &Path, project: &Path, home: Option<&Path>) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    if is_private_key(&name) || is_environment_of_a_process(path) || path.ends_with(KEPT) {
        return true;
    }
    if home.is_some_and(|home| DIRECTORIES.iter().any(|directory| path.starts_with(home.join(directory)))) {
        return true;
    }
    // A project that is the whole home directory, or the whole disk, says nothing about its files.
    let in_project = project.parent().is_some() && home != Some(project) && path.starts_with(project);
    !in_project && (FILES.contains(&&*name) || name == ".env" || name.starts_with(".env."))
}

fn is_private_key(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    SSH_KEYS.contains(&name) || matches!(extension, Some("pem" | "key" | "p12" | "pfx" | "jks" | "kdbx"))
}

fn is_environment_of_a_process(path: &Path) -> bool {
    path.starts_with("/proc") && path.file_name().is_some_and(|name| name == "environ" || name == "mem")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(path: &str) -> bool {
        holds_credentials(Path::new(path), Path::new("/home/me/app"), Some(Path::new("/home/me")))
    }

    #[test]
    fn keys_and_passwords_are_known_by_their_place() {
        for path in [
            "/home/me/.ssh/id_rsa",
            "/home/me/.ssh",
            "/home/me/.aws/credentials",
            "/home/me/.config/gcloud/x.json",
            "/home/me/.netrc",
            "/home/me/other/.env",
            "/home/me/other/.env.production",
            "/home/me/app/deploy/server.pem",
            "/home/me/app/id_ed25519",
            "/etc/shadow",
            "/proc/self/environ",
            "/proc/12/environ",
            "/srv/state/shellmate/keys.json",
        ] {
            assert!(secret(path), "{path}");
        }
    }

    #[test]
    fn ordinary_files_are_not() {
        for path in [
            "/home/me/app/.env",
            "/home/me/app/.npmrc",
            "/home/me/app/src/id_map.rs",
            "/home/me/app/id_rsa.pub",
            "/home/me/.bashrc",
            "/home/me/.config/git/config",
            "/etc/passwd",
            "/proc/cpuinfo",
        ] {
            assert!(!secret(path), "{path}");
        }
    }

    #[test]
    fn a_home_directory_is_no_project() {
        let home = Path::new("/home/me");
        assert!(holds_credentials(&home.join(".netrc"), home, Some(home)));
        assert!(holds_credentials(&home.join(".netrc"), Path::new("/"), None));
    }
}
