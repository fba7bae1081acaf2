//! Tests of trust with hostile projects.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{ProjectFiles, ProjectFilesError, ProjectSettings, TrustState, TrustStore};
use crate::guard::{PermissionMode, RuleDecision};

struct TrustBed {
    _temp: tempfile::TempDir,
    home: PathBuf,
    store: TrustStore,
}

impl TrustBed {
    fn new() -> TrustBed {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().canonicalize().unwrap();
        let store = TrustStore::new(Some(home.join("state/trust.json")));
        TrustBed { _temp: temp, home, store }
    }

    /// A repository with a `.shellmate/hooks.json`.
    fn repository(&self, name: &str, hooks: &str) -> PathBuf {
        let root = self.home.join(name);
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::create_dir_all(root.join(".shellmate")).unwrap();
        fs::write(root.join(".shellmate/hooks.json"), hooks).unwrap();
        root
    }

    fn state(&self, directory: &Path) -> TrustState {
        self.store.state(&read(directory))
    }
}

fn read(directory: &Path) -> ProjectFiles {
    ProjectFiles::of(directory).unwrap().unwrap()
}

fn refusal(directory: &Path) -> ProjectFilesError {
    ProjectFiles::of(directory).unwrap().unwrap_err()
}

#[test]
fn a_project_without_the_directory_brings_nothing() {
    let bed = TrustBed::new();
    assert!(ProjectFiles::of(&bed.home).is_none());
    fs::create_dir(bed.home.join(".shellmate")).unwrap();
    assert!(ProjectFiles::of(&bed.home).is_none(), "there is nothing in it");
}

#[test]
fn trust_is_for_exactly_these_contents() {
    let bed = TrustBed::new();
    let root = bed.repository("app", "one\n");
    assert_eq!(bed.state(&root), TrustState::New);
    bed.store.trust(&read(&root)).unwrap();
    assert_eq!(bed.state(&root), TrustState::Trusted);
    fs::create_dir(root.join("src")).unwrap();
    assert_eq!(bed.state(&root.join("src")), TrustState::Trusted, "below the root");

    fs::write(root.join(".shellmate/hooks.json"), "two\n").unwrap();
    let changed = ["hooks.json: changed", "  - one", "  + two"].map(str::to_owned).to_vec();
    assert_eq!(bed.state(&root), TrustState::Changed(changed));
    fs::write(root.join(".shellmate/hooks.json"), "one\n").unwrap();
    assert_eq!(bed.state(&root), TrustState::Trusted, "as it was");

    fs::create_dir_all(root.join(".shellmate/skills/a")).unwrap();
    fs::write(root.join(".shellmate/skills/a/run.sh"), "rm\n").unwrap();
    let added = ["skills/a/run.sh: new", "  + rm"].map(str::to_owned).to_vec();
    assert_eq!(bed.state(&root), TrustState::Changed(added));
    bed.store.trust(&read(&root)).unwrap();
    fs::set_permissions(root.join(".shellmate/skills/a/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let executable = vec!["skills/a/run.sh: became executable".to_owned()];
    assert_eq!(bed.state(&root), TrustState::Changed(executable));
    fs::remove_dir_all(root.join(".shellmate/skills")).unwrap();
    assert_eq!(bed.state(&root), TrustState::Trusted, "the first contents are still trusted");
}

#[test]
fn moving_bytes_between_files_is_a_change() {
    let bed = TrustBed::new();
    let root = bed.repository("app", "ab");
    fs::write(root.join(".shellmate/x"), "c").unwrap();
    bed.store.trust(&read(&root)).unwrap();
    fs::write(root.join(".shellmate/hooks.json"), "a").unwrap();
    fs::write(root.join(".shellmate/x"), "bc").unwrap();
    assert_ne!(bed.state(&root), TrustState::Trusted);
}

#[test]
fn trust_of_a_parent_says_nothing_about_a_project_below() {
    let bed = TrustBed::new();
    let parent = bed.repository("src", "one\n");
    bed.store.trust(&read(&parent)).unwrap();
    let nested = bed.repository("src/evil", "one\n");
    assert_eq!(bed.state(&nested), TrustState::New);
    let elsewhere = bed.repository("copy", "one\n");
    assert_eq!(bed.state(&elsewhere), TrustState::New, "the same contents in another place");
}

#[test]
fn links_and_special_files_are_refused() {
    let bed = TrustBed::new();
    let trusted = bed.repository("app", "one\n");
    bed.store.trust(&read(&trusted)).unwrap();
    let evil = bed.home.join("evil");
    fs::create_dir(&evil).unwrap();
    symlink(trusted.join(".shellmate"), evil.join(".shellmate")).unwrap();
    assert!(matches!(refusal(&evil), ProjectFilesError::Link(_)));
    fs::remove_file(evil.join(".shellmate")).unwrap();

    let fifo = |path: &Path| nix::unistd::mkfifo(path, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
    fifo(&evil.join(".shellmate"));
    assert!(matches!(refusal(&evil), ProjectFilesError::NotADirectory(_)));
    fs::remove_file(evil.join(".shellmate")).unwrap();

    fs::create_dir(evil.join(".shellmate")).unwrap();
    fifo(&evil.join(".shellmate/hooks.json"));
    assert!(matches!(refusal(&evil), ProjectFilesError::Special(_)));
    fs::remove_file(evil.join(".shellmate/hooks.json")).unwrap();

    symlink("/etc/passwd", evil.join(".shellmate/hooks.json")).unwrap();
    assert!(matches!(refusal(&evil), ProjectFilesError::Link(_)));
    fs::remove_file(evil.join(".shellmate/hooks.json")).unwrap();

    let _socket = std::os::unix::net::UnixListener::bind(evil.join(".shellmate/s")).unwrap();
    assert!(matches!(refusal(&evil), ProjectFilesError::Special(_)));
}

#[test]
fn a_huge_directory_is_refused() {
    let bed = TrustBed::new();
    let root = bed.repository("app", "");
    let sparse = fs::File::create(root.join(".shellmate/large")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    assert!(matches!(refusal(&root), ProjectFilesError::TooLarge(_)));
    fs::remove_file(root.join(".shellmate/large")).unwrap();
    for number in 0..501 {
        fs::write(root.join(format!(".shellmate/{number}")), "").unwrap();
    }
    assert!(matches!(refusal(&root), ProjectFilesError::TooLarge(_)));
    let deep = bed.repository("deep", "");
    fs::create_dir_all(deep.join(".shellmate").join("d/".repeat(30))).unwrap();
    assert!(matches!(refusal(&deep), ProjectFilesError::TooLarge(_)));
}

fn git(directory: &Path, arguments: &[&str]) {
    let config = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let done = Command::new("git").args(config).args(arguments).current_dir(directory).env("HOME", directory).output();
    let done = done.unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn worktrees_of_a_trusted_repository_are_trusted() {
    let bed = TrustBed::new();
    let root = bed.home.join("app");
    fs::create_dir_all(root.join(".shellmate")).unwrap();
    fs::write(root.join(".shellmate/hooks.json"), "one\n").unwrap();
    git(&root, &["init", "-q"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "x"]);
    bed.store.trust(&read(&root)).unwrap();
    git(&root, &["worktree", "add", "-q", "../tree"]);
    let tree = bed.home.join("tree");
    assert_eq!(bed.state(&tree), TrustState::Trusted);
    fs::write(tree.join(".shellmate/hooks.json"), "two\n").unwrap();
    assert!(matches!(bed.state(&tree), TrustState::Changed(_)));
    assert_eq!(bed.state(&root), TrustState::Trusted);
}

#[test]
fn a_directory_cannot_claim_to_be_a_worktree() {
    let bed = TrustBed::new();
    let root = bed.home.join("app");
    fs::create_dir_all(root.join(".shellmate")).unwrap();
    fs::write(root.join(".shellmate/hooks.json"), "./check.sh\n").unwrap();
    git(&root, &["init", "-q"]);
    git(&root, &["commit", "-q", "--allow-empty", "-m", "x"]);
    git(&root, &["worktree", "add", "-q", "../tree"]);
    bed.store.trust(&read(&root)).unwrap();
    for claim in ["app/.git", "app/.git/worktrees/tree"] {
        let evil = bed.home.join("evil");
        fs::create_dir_all(evil.join(".shellmate")).unwrap();
        fs::write(evil.join(".shellmate/hooks.json"), "./check.sh\n").unwrap();
        fs::write(evil.join(".git"), format!("gitdir: {}\n", bed.home.join(claim).display())).unwrap();
        assert_eq!(bed.state(&evil), TrustState::New, "{claim}");
        fs::remove_file(evil.join(".git")).unwrap();
        symlink(bed.home.join(claim), evil.join(".git")).unwrap();
        assert_eq!(bed.state(&evil), TrustState::New, "a link to {claim}");
        fs::remove_dir_all(&evil).unwrap();
    }
}

#[test]
fn trust_can_be_listed_and_taken_back() {
    let bed = TrustBed::new();
    let (one, other) = (bed.repository("one", "1"), bed.repository("other", "2"));
    for root in [&one, &other] {
        bed.store.trust(&read(root)).unwrap();
    }
    let listed = |bed: &TrustBed| -> Vec<(PathBuf, bool)> {
        bed.store.list().into_iter().map(|project| (project.root, project.is_current)).collect()
    };
    assert_eq!(listed(&bed), [(other.clone(), true), (one.clone(), true)]);
    fs::write(one.join(".shellmate/hooks.json"), "changed").unwrap();
    assert_eq!(listed(&bed)[1], (one.clone(), false));
    assert!(bed.store.revoke(&one.join(".git")).unwrap());
    assert!(!bed.store.revoke(&one).unwrap());
    fs::remove_dir_all(&other).unwrap();
    assert!(bed.store.revoke(&other).unwrap(), "a project that is gone");
    assert_eq!(listed(&bed), []);
    let file = fs::metadata(bed.home.join("state/trust.json")).unwrap();
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_broken_file_trusts_nobody_and_is_replaced() {
    let bed = TrustBed::new();
    let root = bed.repository("app", "one");
    fs::create_dir(bed.home.join("state")).unwrap();
    fs::write(bed.home.join("state/trust.json"), "{ not json").unwrap();
    assert_eq!(bed.state(&root), TrustState::New);
    bed.store.trust(&read(&root)).unwrap();
    assert_eq!(bed.state(&root), TrustState::Trusted);
    assert!(TrustStore::new(None).trust(&read(&root)).is_err());
}

#[test]
fn the_number_of_projects_and_states_is_bounded() {
    let bed = TrustBed::new();
    let root = bed.repository("app", "");
    for state in 0..12 {
        fs::write(root.join(".shellmate/hooks.json"), format!("{state}")).unwrap();
        bed.store.trust(&read(&root)).unwrap();
    }
    fs::write(root.join(".shellmate/hooks.json"), "4").unwrap();
    assert_eq!(bed.state(&root), TrustState::Trusted);
    fs::write(root.join(".shellmate/hooks.json"), "3").unwrap();
    assert!(matches!(bed.state(&root), TrustState::Changed(_)));
}

#[test]
fn two_terminals_do_not_lose_each_others_trust() {
    let bed = TrustBed::new();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let bed = &bed;
            scope.spawn(move || bed.store.trust(&read(&bed.repository(&number.to_string(), "x"))).unwrap());
        }
    });
    assert_eq!(bed.store.list().len(), 8);
}

#[test]
fn a_long_difference_is_cut_and_cannot_steer_the_terminal() {
    let bed = TrustBed::new();
    let root = bed.repository("app", "one\n");
    bed.store.trust(&read(&root)).unwrap();
    fs::write(root.join(".shellmate/hooks.json"), "\u{1b}[2Jevil\u{202e}\n".repeat(500)).unwrap();
    let TrustState::Changed(lines) = bed.state(&root) else { panic!() };
    assert_eq!(lines.len(), 40);
    assert_eq!(lines[2], "  + \u{FFFD}[2Jevil\u{FFFD}");
    assert_eq!(lines[39], "… and 463 more lines");
}

#[test]
fn before_trust_settings_can_only_narrow() {
    let text = br#"
        mode = "auto"
        shell = "/tmp/evil"
        [[rules]]
        command = "git push *"
        decision = "deny"
        [[rules]]
        command = "curl *"
        decision = "allow"
        [[rules]]
        path = "secrets"
        decision = "ask"
        [[rules]]
        decision = "deny"
    "#;
    let settings = ProjectSettings::parse(text, ".shellmate/config.toml");
    assert_eq!((settings.rules.len(), settings.mode), (3, Some(PermissionMode::Auto)));
    let problems: Vec<String> = settings.problems().collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems.iter().any(|problem| problem.contains("not `shell`")));
    let narrow = settings.narrowing();
    let rules: Vec<(usize, RuleDecision)> =
        narrow.rules.iter().map(|rule| (rule.entry, rule.rule.decision())).collect();
    assert_eq!((rules, narrow.mode), (vec![(0, RuleDecision::Deny), (2, RuleDecision::Ask)], None));
    assert_eq!(narrow.problems().count(), 2, "what is only not trusted yet is no mistake");
    let refused: Vec<(Option<&str>, Option<usize>)> =
        narrow.refused.iter().map(|refused| (refused.key.as_deref(), refused.entry)).collect();
    assert!(refused.contains(&(Some("rules"), Some(1))) && refused.contains(&(Some("mode"), None)), "{refused:?}");
    for broken in [&b"mode = "[..], b"\xff", b"mode = 3", b"mode = \"yolo\""] {
        let settings = ProjectSettings::parse(broken, "x");
        assert_eq!((settings.rules.len(), settings.mode, settings.problems().count()), (0, None, 1));
    }
}
