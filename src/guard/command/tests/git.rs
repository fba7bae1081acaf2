//! Git is silent only where its configuration runs nothing.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

struct Repository {
    _directory: tempfile::TempDir,
    home: PathBuf,
    root: PathBuf,
}

impl Repository {
    /// A repository with an ordinary configuration.
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let (home, root) = (base.join("home"), base.join("home/app"));
        fs::create_dir_all(root.join(".git/info")).unwrap();
        fs::create_dir_all(root.join("sub")).unwrap();
        let repository = Repository { _directory: directory, home, root };
        repository.write(
            ".git/config",
            "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = x\n[branch \"main\"]\n\tremote = origin\n",
        );
        repository
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn is_silent(&self, text: &str) -> bool {
        self.is_silent_in(text, &self.root)
    }

    fn is_silent_in(&self, text: &str, cwd: &Path) -> bool {
        let place = CommandPlace { cwd, home: Some(&self.home), project: &self.root, is_confined: false, ..place() };
        read(text, &place).only_looks()
    }
}

#[test]
fn an_ordinary_repository_runs_nothing() {
    let repository = Repository::new();
    assert!(repository.is_silent("git status"));
    assert!(repository.is_silent("cd sub && git diff"));
    assert!(repository.is_silent_in("git log", &repository.root.join("sub")));
    repository.write(".git/config", "# comment\n[core]\n\tfsmonitor = false\n; other\n[alias]\n\tst = status\n");
    assert!(repository.is_silent("git status"));
}

#[test]
fn settings_that_name_programs_ask() {
    let settings = [
        "[core]\n\tfsmonitor = ./x\n",
        "[core]\n\tfsmonitor = true\n",
        "[core] fsmonitor = ./x\n",
        "[CORE]\n\tFsMonitor = ./x\n",
        "[core]\n\tfsmonitor\n",
        "[core]\n\tpager = ./x\n",
        "[core]\n\thooksPath = x\n",
        "[core]\n\tsshCommand = ./x\n",
        "[filter \"a\"]\n\tclean = ./x\n",
        "[filter \"a\"]\n\tprocess = ./x\n",
        "[filter.a]\n\tclean = ./x\n",
        "[diff]\n\texternal = ./x\n",
        "[diff \"a\"]\n\ttextconv = ./x\n",
        "[diff \"a\"]\n\tcommand = ./x\n",
        "[alias]\n\tst = !./x\n",
        "[gpg]\n\tprogram = ./x\n",
        "[gpg \"ssh\"]\n\tprogram = ./x\n",
        "[log]\n\tshowSignature = true\n",
        "[include]\n\tpath = ../x\n",
        "[includeIf \"gitdir:x\"]\n\tpath = ../x\n",
        "[remote \"o\"]\n\tpromisor = true\n",
        "[extensions]\n\tpartialClone = o\n",
        "[user]\n\tname = a \\\n[core]\n\tx = y\n",
        "what is this\n",
        "[core\n\tfsmonitor = x\n",
    ];
    for setting in settings {
        let repository = Repository::new();
        repository.write(".git/config", setting);
        assert!(!repository.is_silent("git status"), "{setting}");
        assert!(!repository.is_silent("cd sub && git status"), "{setting}");
        let repository = Repository::new();
        repository.write(".git/config.worktree", setting);
        assert!(!repository.is_silent("git status"), "{setting} in config.worktree");
    }
}

#[test]
fn a_confined_git_needs_no_look_at_the_configuration() {
    let repository = Repository::new();
    repository.write(".git/config", "[core]\n\tfsmonitor = ./x\n");
    let place = CommandPlace { cwd: &repository.root, project: &repository.root, is_confined: true, ..place() };
    assert!(read("git status", &place).only_looks());
}

#[test]
fn the_persons_own_programs_count_where_an_attribute_asks_for_them() {
    let repository = Repository::new();
    fs::write(
        repository.home.join(".gitconfig"),
        "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n[core]\n\tpager = delta\n",
    )
    .unwrap();
    assert!(repository.is_silent("git status"));
    repository.write(".gitattributes", "*.bin filter=lfs diff=lfs\n");
    assert!(!repository.is_silent("git status"));
    let repository = Repository::new();
    fs::write(repository.home.join(".gitconfig"), "[filter \"lfs\"]\n\tclean = x\n").unwrap();
    repository.write(".git/info/attributes", "*.bin filter=lfs\n");
    assert!(!repository.is_silent("git status"));
    let repository = Repository::new();
    fs::write(repository.home.join(".gitconfig"), "[diff]\n\texternal = difft\n").unwrap();
    assert!(!repository.is_silent("git diff"));
}

#[test]
fn hooks_that_a_look_runs_ask() {
    let repository = Repository::new();
    repository.write(".git/hooks/pre-commit", "x");
    assert!(repository.is_silent("git status"));
    repository.write(".git/hooks/post-index-change", "x");
    assert!(!repository.is_silent("git status"));
}

#[test]
fn other_shapes_of_repositories_are_found() {
    // A working tree whose git directory is elsewhere.
    let repository = Repository::new();
    repository.write("tree/.git", "gitdir: ../.git/worktrees/tree\n");
    repository.write(".git/worktrees/tree/commondir", "../..\n");
    let tree = repository.root.join("tree");
    assert!(repository.is_silent_in("git status", &tree));
    repository.write(".git/config", "[core]\n\tfsmonitor = ./x\n");
    assert!(!repository.is_silent_in("git status", &tree));
    // A repository without a working tree among the files of another one.
    let repository = Repository::new();
    repository.write("bare/HEAD", "ref: refs/heads/main\n");
    repository.write("bare/config", "[core]\n\tfsmonitor = ./x\n");
    repository.write("bare/objects/x", "");
    repository.write("bare/refs/x", "");
    assert!(!repository.is_silent_in("git status", &repository.root.join("bare")));
    assert!(!repository.is_silent("cd bare && git status"));
    // Submodules have configurations of their own.
    let repository = Repository::new();
    repository.write(".git/modules/a/HEAD", "x");
    repository.write(".git/modules/a/config", "[core]\n\tworktree = ../../../a\n");
    repository.write(".gitmodules", "[submodule \"a\"]\n\tpath = a\n\turl = x\n");
    repository.write("a/.git", "gitdir: ../.git/modules/a\n");
    assert!(repository.is_silent("git status"));
    repository.write(".git/modules/a/config", "[core]\n\tfsmonitor = ./x\n");
    assert!(!repository.is_silent("git status"));
    let repository = Repository::new();
    repository.write(".gitmodules", "[submodule \"a\"]\n\tpath = a\n");
    repository.write("a/.git/config", "[core]\n\tfsmonitor = ./x\n");
    assert!(!repository.is_silent("git status"));
}
