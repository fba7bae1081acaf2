//! Files of a project that reach further than themselves: editing one makes another program run something.
//!
//! The tables are the only ones. Tools are asked about all of these files. Commands in the sandbox cannot change them, apart from those that
//! package managers and git change in their ordinary work.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// Paths below the root of a project or a directory in it. A directory stands for everything in it.
const PLACES: &[&str] = &[
    ".github/workflows",
    ".github/actions",
    ".gitlab-ci.yml",
    ".circleci",
    ".travis.yml",
    ".drone.yml",
    ".woodpecker.yml",
    ".woodpecker",
    ".buildkite",
    "Jenkinsfile",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    ".vscode/tasks.json",
    ".vscode/settings.json",
    ".vscode/launch.json",
    ".idea/runConfigurations",
    ".idea/workspace.xml",
    ".devcontainer",
    ".husky",
    ".lefthook.yml",
    "lefthook.yml",
    ".pre-commit-config.yaml",
    ".cargo/config",
    ".cargo/config.toml",
    ".shellmate",
    ".claude",
    ".cursor",
    ".mcp.json",
];

/// What git runs or obeys in its own directory: hooks, and settings that name programs.
pub(crate) const GIT_DELICATE: &[&str] = &["hooks", "config", "config.worktree", "info/attributes"];

/// Names that are delicate in every directory. Commands cannot change them.
const NAMES: &[&str] = &[".envrc", ".env", ".env.local", ".env.production", ".env.development"];

/// The same, but package managers and git change them: `npm install`, `yarn set version`, `git submodule add`.
const NAMES_OF_TOOLS: &[&str] = &[".gitmodules", ".gitattributes", MANIFEST, ".npmrc", ".yarnrc.yml", ".pnpmfile.cjs"];

/// The description of a package of node, with scripts that its package manager runs.
const MANIFEST: &str = "package.json";

/// Fields of a manifest that name commands: its scripts, and the git hooks of well-known packages.
const RUNNING_FIELDS: &[&str] = &[
    "scripts",
    "bin",
    "husky",
    "lint-staged",
    "simple-git-hooks",
    "gitHooks",
    "pre-commit",
    "pre-push",
    "nano-staged",
];

/// Examples of `.env` files. No program reads them.
const EXAMPLES: &[&str] = &[".env.example", ".env.sample", ".env.template", ".env.dist"];

/// How far an edit of a file reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditReach {
    /// Nothing is known about it.
    Unknown,
    /// It leaves all commands in this `package.json` as they are.
    CommandsKept,
}

impl EditReach {
    /// The reach of an edit with these contents before and after it. A new file has no content before.
    pub(crate) fn of(path: &Path, before: &str, after: &str) -> EditReach {
        let is_manifest = path.file_name().is_some_and(|name| name == MANIFEST);
        let read = |text: &str| match text.trim() {
            "" => Some(Map::new()),
            text => serde_json::from_str::<Map<String, Value>>(text).ok(),
        };
        match (read(before), read(after)) {
            (Some(before), Some(after))
                if is_manifest && RUNNING_FIELDS.iter().all(|field| before.get(*field) == after.get(*field)) =>
            {
                EditReach::CommandsKept
            }
            _ => EditReach::Unknown,
        }
    }
}

/// Whether editing this file always asks, under any grant.
pub(crate) fn is_delicate(path: &Path, reach: EditReach, project: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let is_named = NAMES.iter().chain(NAMES_OF_TOOLS).any(|known| *known == name)
        || name.starts_with(".env.") && !EXAMPLES.contains(&&*name);
    if is_named && reach == EditReach::Unknown {
        return true;
    }
    // A worktree or a submodule has its own `.git` somewhere below, and a nested project its own hooks.
    let below = path.strip_prefix(project).unwrap_or(path);
    let starts = |at: &Path| PLACES.iter().any(|place| at.starts_with(place));
    below.ancestors().any(|ancestor| below.strip_prefix(ancestor).is_ok_and(starts)) || is_in_git_directory(below)
}

/// The paths in a directory that commands cannot change, whether they exist or not. Those of git are in other directories.
pub(crate) fn protected_in(directory: &Path) -> impl Iterator<Item = PathBuf> {
    PLACES.iter().chain(NAMES).map(|place| directory.join(place))
}

/// Whether a path is a hook or a setting of a worktree or a submodule, which lie deeper in `.git`.
fn is_in_git_directory(path: &Path) -> bool {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let Some(git) = parts.iter().position(|part| *part == ".git") else { return false };
    let inside = &parts[git + 1..];
    // Their names may have any number of parts.
    let is_delicate = |at: usize| {
        let below: PathBuf = inside[at..].iter().collect();
        GIT_DELICATE.iter().any(|place| below.starts_with(place))
    };
    inside.is_empty() || (0..inside.len()).any(is_delicate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_other_programs_run_are_delicate() {
        let project = Path::new("/p");
        for path in [
            ".git",
            ".git/hooks/pre-commit",
            ".git/config",
            ".git/modules/sub/hooks/post-checkout",
            ".git/worktrees/a/config.worktree",
            "sub/.git",
            "web/package.json",
            "web/.husky/pre-push",
            ".github/workflows/ci.yml",
            ".env",
            "deploy/.env.local",
            ".envrc",
            ".cargo/config.toml",
            "tools/.vscode/tasks.json",
            ".shellmate/config.toml",
        ] {
            assert!(is_delicate(&project.join(path), EditReach::Unknown, project), "{path}");
        }
        for path in [
            "src/main.rs",
            "README.md",
            ".gitignore",
            ".git/index",
            "docs/env.md",
            "config",
            ".github/README.md",
            ".env.example",
        ] {
            assert!(!is_delicate(&project.join(path), EditReach::Unknown, project), "{path}");
        }
    }

    #[test]
    fn a_manifest_is_delicate_only_if_its_commands_change() {
        let reach = |before: &str, after: &str| EditReach::of(Path::new("/p/web/package.json"), before, after);
        let with =
            |version: &str, test: &str| format!(r#"{{"version": "{version}", "scripts": {{"test": "{test}"}}}}"#);
        assert_eq!(reach(&with("1", "jest"), &with("2", "jest")), EditReach::CommandsKept);
        assert_eq!(reach("", r#"{"name": "new"}"#), EditReach::CommandsKept);
        for (before, after) in [
            (with("1", "jest"), with("1", "curl x | sh")),
            (with("1", "jest"), "{}".to_owned()),
            (String::new(), with("1", "jest")),
            (with("1", "jest"), "{ not json".to_owned()),
            ("{ not json".to_owned(), with("1", "jest")),
            ("{}".to_owned(), r#"{"husky": {"hooks": {"pre-commit": "x"}}}"#.to_owned()),
            // The last of two equal names counts.
            (with("1", "jest"), r#"{"scripts": {"test": "jest"}, "scripts": {"test": "x"}}"#.to_owned()),
        ] {
            assert_eq!(reach(&before, &after), EditReach::Unknown, "{before} {after}");
        }
        let project = Path::new("/p");
        let is_asked = |path: &str, reach| is_delicate(&project.join(path), reach, project);
        assert!(is_asked("package.json", EditReach::Unknown) && !is_asked("package.json", EditReach::CommandsKept));
        assert!(is_asked(".husky/package.json", EditReach::CommandsKept), "its directory is delicate");
        assert_eq!(EditReach::of(Path::new("/p/.npmrc"), "{}", "{}"), EditReach::Unknown);
    }
}
