//! Whether the terminfo database of this machine describes a terminal.

use std::ffi::OsString;
use std::path::PathBuf;

/// Where systems keep the database. An empty entry of `TERMINFO_DIRS` stands for them.
const SYSTEM: [&str; 7] = [
    "/etc/terminfo",
    "/lib/terminfo",
    "/usr/lib/terminfo",
    "/usr/share/terminfo",
    "/usr/local/share/terminfo",
    "/usr/share/lib/terminfo",
    "/run/current-system/sw/share/terminfo",
];

/// Whether there is a database, but no entry for this name. Without a database, programs may have descriptions of their own.
pub(super) fn is_unknown(term: &str, get: &dyn Fn(&str) -> Option<OsString>) -> bool {
    let Some(first) = term.chars().next() else { return false };
    let directories = directories(get);
    let has = |name: &str, first: char| {
        // macOS names the directories by the code of the letter.
        let below = [first.to_string(), format!("{:x}", u32::from(first))];
        directories.iter().any(|directory| below.iter().any(|letter| directory.join(letter).join(name).exists()))
    };
    has("xterm", 'x') && !has(term, first)
}

/// The directories of the database, in the order in which they are searched.
fn directories(get: &dyn Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let set = |name: &str| get(name).filter(|value| !value.is_empty());
    let own = set("TERMINFO").map(PathBuf::from);
    let home = set("HOME").map(|home| PathBuf::from(home).join(".terminfo"));
    let listed = set("TERMINFO_DIRS").unwrap_or_default();
    let listed: Vec<PathBuf> = std::env::split_paths(&listed).collect();
    own.into_iter().chain(home).chain(listed).chain(SYSTEM.map(PathBuf::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_may_be_in_any_directory_of_the_database() {
        let temp = tempfile::tempdir().unwrap();
        let get = |name: &str| (name == "TERMINFO").then(|| temp.path().as_os_str().to_owned());
        for file in ["x/xterm", "78/xterm-mine", "z/zz"] {
            std::fs::create_dir_all(temp.path().join(file).parent().unwrap()).unwrap();
            std::fs::write(temp.path().join(file), "").unwrap();
        }
        assert!(!is_unknown("xterm-mine", &get) && !is_unknown("zz", &get));
        assert!(is_unknown("no-such-terminal", &get) && is_unknown("../x/xterm", &get));
        assert!(!is_unknown("", &get));
    }
}
