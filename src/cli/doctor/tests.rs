use super::*;
use crate::config::Paths;
use crate::host::HostError;
use crate::store::StoreError;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

fn healthy() -> Facts {
    Facts {
        version: "1.2.3".to_owned(),
        binary: Some("/bin/shellmate".into()),
        chosen: Ok(ChosenShell { path: "/bin/zsh".into(), why: "from $SHELL".to_owned() }),
        shells: vec![InstalledShell { name: "zsh", path: "/bin/zsh".into(), version: Some("5.9".to_owned()) }],
        config: ConfigFile { path: Some("/h/config.toml".into()), exists: true, problems: Vec::new() },
        state: DirectoryFacts { path: Some("/h/state".into()), condition: DirectoryCondition::Private { mode: 0o700 } },
        runtime: vec![DirectoryFacts { path: Some("/run/x".into()), condition: DirectoryCondition::Missing }],
        database: DatabaseFacts { path: Some("/h/state/history.db".into()), size: Some(4097), opens: Ok(()) },
        session: Some("abc".to_owned()),
        terminal: TerminalFacts {
            term: Some("xterm-256color".to_owned()),
            colorterm: Some("truecolor".to_owned()),
            multiplexer: Some("tmux"),
        },
        is_login_shell: false,
        listed: true,
        skills: SkillFacts { is_on: true, ..SkillFacts::default() },
    }
}

fn unreadable_database() -> StoreError {
    StoreError::ReadOnly(rusqlite::Error::QueryReturnedNoRows)
}

fn printed(facts: &Facts) -> String {
    let mut out = Vec::new();
    print(&examine(facts), &facts.version, false, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The findings that are not ok.
fn complaints(facts: &Facts) -> Vec<String> {
    let bad = |finding: &DoctorFinding| finding.level != Level::Ok;
    let words = |finding: DoctorFinding| format!("{:?} {}: {}", finding.level, finding.about, finding.text);
    examine(facts).into_iter().filter(bad).map(words).collect()
}

#[test]
fn a_healthy_installation_is_all_ok() {
    insta::assert_snapshot!(printed(&healthy()), @r"
    ok       version    shellmate 1.2.3 at /bin/shellmate
    ok       shell      /bin/zsh (from $SHELL)
    ok       installed  zsh 5.9 at /bin/zsh
    ok       config     /h/config.toml
    ok       state      /h/state (mode 0700)
    ok       runtime    /run/x (created when needed)
    ok       history    /h/state/history.db (5 KiB)
    ok       session    inside session abc
    ok       terminal   TERM=xterm-256color, COLORTERM=truecolor, in tmux
    ok       login      in /etc/shells, so `chsh` can make it your login shell
    ok       skills     none in this directory or your home directory
    ");
}

#[test]
fn every_problem_has_advice() {
    let mut facts = healthy();
    facts.chosen = Err(HostError::NoShell);
    facts.shells[0].version = Some("4.3.17".to_owned());
    facts.config.problems = vec!["/h/config.toml:1: unknown key `x`".to_owned()];
    facts.state.condition = DirectoryCondition::Writable { mode: 0o777 };
    facts.runtime[0].condition = DirectoryCondition::Foreign { uid: 7 };
    facts.database.opens = Err(unreadable_database());
    facts.session = None;
    facts.terminal = TerminalFacts { term: Some("dumb".to_owned()), colorterm: None, multiplexer: None };
    (facts.is_login_shell, facts.listed) = (true, false);
    insta::assert_snapshot!(printed(&facts), @r"
    ok       version    shellmate 1.2.3 at /bin/shellmate
    problem  shell      no shell to start: no shell was found
                        set `shell` with `shellmate config set shell /bin/bash`
    note     installed  zsh 4.3.17 at /bin/zsh is not supported: zsh 5.1 or newer is needed
    problem  config     /h/config.toml:1: unknown key `x`
                        `shellmate config edit` opens it; docs/CONFIG.md lists the keys
    problem  state      /h/state can be written by others (mode 0777), so it is not used
                        check what is in it, then `chmod 700 /h/state`
    problem  runtime    /run/x belongs to user 7, so it is not used
                        remove or rename /run/x
    problem  history    /h/state/history.db cannot be opened: the history database can only be read
                        move it away to start a new one; the shell works without it
    note     session    not inside shellmate; commands typed here are not recorded
                        start it with `shellmate`
    note     terminal   TERM=dumb
                        no prompt marks are sent to such a terminal; set TERM if yours supports more
    problem  login      shellmate is your login shell but not in /etc/shells: ftp, su and others refuse it
                        echo /bin/shellmate | sudo tee -a /etc/shells
    ok       skills     none in this directory or your home directory
    ");
}

#[test]
fn a_second_directory_for_sessions_is_used_if_the_first_fails() {
    let mut facts = healthy();
    facts.runtime[0].condition = DirectoryCondition::CannotWrite;
    facts
        .runtime
        .push(DirectoryFacts { path: Some("/tmp/x".into()), condition: DirectoryCondition::Private { mode: 0o700 } });
    facts.runtime.push(DirectoryFacts { path: Some("/never".into()), condition: DirectoryCondition::Missing });
    assert_eq!(complaints(&facts), ["Note runtime: /run/x cannot be written"]);
    assert!(printed(&facts).contains("/tmp/x") && !printed(&facts).contains("/never"));
}

#[test]
fn an_old_or_unknown_shell_is_reported() {
    let mut facts = healthy();
    facts.shells[0].version = Some("5.0.8".to_owned());
    assert_eq!(
        complaints(&facts),
        [
            "Problem shell: /bin/zsh (from $SHELL) is too old for the hooks",
            "Note installed: zsh 5.0.8 at /bin/zsh is not supported: zsh 5.1 or newer is needed",
        ]
    );
    facts.shells.clear();
    assert_eq!(complaints(&facts), ["Note shell: /bin/zsh (from $SHELL) has no shellmate hooks"]);
}

#[test]
fn versions_are_compared_as_numbers() {
    for (name, version, supported) in [
        ("bash", Some("4.4.0"), true),
        ("bash", Some("4.3.48"), false),
        ("bash", Some("3.2.57"), false),
        ("bash", Some("10.0"), true),
        ("zsh", Some("5.1"), true),
        ("fish", Some("3.10.0"), true),
        ("fish", Some("3.3.1"), false),
        ("fish", None, true),
    ] {
        let shell = InstalledShell { name, path: PathBuf::new(), version: version.map(str::to_owned) };
        assert_eq!(shell.support().is_ok(), supported, "{name} {version:?}");
    }
}

#[test]
fn versions_are_found_in_the_output_of_shells() {
    for (text, version) in [
        ("GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nCopyright", Some("5.2.15")),
        ("zsh 5.9 (x86_64-debian-linux-gnu)", Some("5.9")),
        ("fish, version 3.6.0", Some("3.6.0")),
        ("fish, version 4.0b1-12-gabc", Some("4.0")),
        ("no number", None),
    ] {
        assert_eq!(gather::version_in(text), version, "{text}");
    }
}

#[test]
fn the_condition_of_a_directory_is_recognised() {
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    fs::create_dir(at("d")).unwrap();
    for (mode, expected) in [
        (0o700, DirectoryCondition::Private { mode: 0o700 }),
        (0o755, DirectoryCondition::Readable { mode: 0o755 }),
        (0o777, DirectoryCondition::Writable { mode: 0o777 }),
    ] {
        fs::set_permissions(at("d"), fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(gather::condition(&at("d")), expected);
    }
    std::os::unix::fs::symlink(at("d"), at("link")).unwrap();
    assert_eq!(gather::condition(&at("link")), DirectoryCondition::NotADirectory);
    assert_eq!(gather::condition(&at("x/y/z")), DirectoryCondition::Missing);
    fs::write(at("file"), "").unwrap();
    assert_eq!(gather::condition(&at("file/x")), DirectoryCondition::CannotWrite);
}

#[test]
fn an_empty_home_is_healthy() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().as_os_str().to_owned();
    let get = |name: &str| matches!(name, "HOME" | "XDG_RUNTIME_DIR").then(|| home.clone());
    let paths = Paths::from_env(get, 0, None);
    let chosen = Ok(ChosenShell { path: "/nowhere/sh".into(), why: "from --shell".to_owned() });
    let facts = gather(&paths, get, chosen, |_| unreachable!("there is no history"));
    assert!(examine(&facts).iter().all(|finding| finding.level != Level::Problem), "{}", printed(&facts));
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
}

#[test]
fn json_has_every_finding() {
    let findings = examine(&healthy());
    let mut out = Vec::new();
    print(&findings, "1.2.3", true, &mut out).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(report["healthy"], true);
    assert_eq!(report["findings"].as_array().unwrap().len(), findings.len());
    assert_eq!(report["findings"][0]["level"], "ok");
}

#[test]
fn skills_are_listed_with_what_is_wrong_with_them() {
    let skills = SkillFacts {
        is_on: true,
        found: vec![("pdf".to_owned(), "~/.agents/skills/pdf/SKILL.md".to_owned())],
        problems: vec!["~/x/SKILL.md is skipped: it has no description".to_owned()],
    };
    let facts = Facts { skills, ..healthy() };
    assert!(printed(&facts).contains("ok       skills     pdf at ~/.agents/skills/pdf/SKILL.md\n"));
    assert_eq!(complaints(&facts), ["Note skills: ~/x/SKILL.md is skipped: it has no description"]);
    let facts = Facts { skills: SkillFacts::default(), ..healthy() };
    assert!(printed(&facts).contains("off (`skills = false` in the configuration)"));
}
