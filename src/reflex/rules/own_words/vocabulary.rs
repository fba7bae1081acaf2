//! The words that tools accept, for tools that do not print them.

/// A line for each command: `docker image: build history …`.
const COMMANDS: &str = include_str!("commands.txt");
/// The same for long options, without their dashes.
const OPTIONS: &str = include_str!("options.txt");

/// Tools with the same words as another tool.
const SAME: &[(&str, &str)] = &[
    ("podman", "docker"),
    ("nerdctl", "docker"),
    ("podman-compose", "docker-compose"),
    ("tofu", "terraform"),
    ("oc", "kubectl"),
    ("mamba", "conda"),
    ("micromamba", "conda"),
    ("yay", "pacman"),
    ("paru", "pacman"),
    ("flyctl", "fly"),
    ("cinst", "choco"),
    ("apt-get", "apt"),
    ("apt-cache", "apt"),
    ("pip3", "pip"),
    ("mariadb", "mysql"),
    ("egrep", "grep"),
    ("fgrep", "grep"),
    ("fdfind", "fd"),
    ("dnf5", "dnf"),
    ("plenv", "rbenv"),
    ("phpenv", "rbenv"),
];

/// Words with the same meaning. A word that removes more than another, such as `purge`, is not in the list.
const SYNONYMS: &[&[&str]] = &[
    &["remove", "uninstall", "delete", "rm", "erase", "del"],
    &["install", "add"],
    &["list", "ls", "installed"],
    &["search", "find"],
    &["show", "info", "describe", "view", "inspect"],
    &["upgrade", "update"],
    &["status", "ps"],
    &["login", "signin"],
    &["logout", "signout"],
    &["clone", "checkout"],
    &["rename", "move", "mv"],
    &["copy", "cp"],
];

/// The subcommands of a command, such as `docker image`.
pub(super) fn commands(path: &str) -> Vec<&'static str> {
    entry(COMMANDS, path).map_or_else(Vec::new, |words| words.split(' ').collect())
}

/// The long options of a command and of the commands above it, without dashes.
pub(super) fn options(path: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut at = Some(path);
    while let Some(place) = at {
        found.extend(entry(OPTIONS, place).into_iter().flat_map(|words| words.split(' ')));
        at = place.rsplit_once(' ').map(|(above, _)| above);
    }
    found
}

/// Words that a tool accepts beside its subcommands.
pub(super) fn values(tool: &str) -> Vec<&'static str> {
    commands(&format!("{tool} resources"))
}

/// Whether this is a common word, so that it is not a misspelling of another one.
pub(super) fn is_verb(word: &str) -> bool {
    SYNONYMS.iter().any(|group| group.contains(&word))
}

/// A known word of the tool with the same meaning.
pub(super) fn synonym(word: &str, known: &[&'static str]) -> Option<&'static str> {
    let group = SYNONYMS.iter().find(|group| group.contains(&word))?;
    group.iter().find_map(|same| known.iter().find(|known| *known == same).copied())
}

/// The words of a table for a command, or for the tool with the same words.
fn entry(table: &'static str, path: &str) -> Option<&'static str> {
    let find = |path: &str| table.lines().find_map(|line| line.strip_prefix(path)?.strip_prefix(": "));
    find(path).or_else(|| {
        let (tool, rest) = path.split_once(' ').map_or((path, ""), |(tool, rest)| (tool, rest));
        let (_, same) = SAME.iter().find(|(name, _)| *name == tool)?;
        find(format!("{same} {rest}").trim_end())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_by_their_command() {
        assert!(commands("docker image").contains(&"prune") && commands("podman image").contains(&"prune"));
        assert!(commands("no-such-tool").is_empty());
        assert!(options("docker run").contains(&"name") && options("docker run").contains(&"context"));
        assert!(values("kubectl").contains(&"pods"));
        assert_eq!(synonym("uninstall", &commands("yum")), Some("remove"));
        assert_eq!(synonym("remove", &commands("pyenv")), Some("uninstall"));
    }

    #[test]
    fn every_line_of_the_tables_is_well_formed() {
        for line in COMMANDS.lines().chain(OPTIONS.lines()) {
            let (place, words) = line.split_once(": ").unwrap();
            assert!(!place.is_empty() && words.split(' ').all(|word| !word.is_empty()), "{place}");
        }
    }
}
