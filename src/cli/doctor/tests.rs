use std::os::unix::fs::PermissionsExt;
use std::{fs, path::Path};

use super::directories::{DirectoryCondition, condition};
use super::*;

fn printed(findings: &[(&'static str, Vec<DoctorFinding>)], form: DoctorForm) -> String {
    let mut out = Vec::new();
    print(findings, form, None, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn sample() -> Vec<(&'static str, Vec<DoctorFinding>)> {
    vec![
        ("shell", vec![DoctorFinding::ok("/bin/zsh (from $SHELL)").public("zsh")]),
        (
            "config",
            vec![
                DoctorFinding::fail("/home/anna/x:1: unknown key `x`")
                    .fix("`shellmate config edit`")
                    .public("1 problem"),
            ],
        ),
        ("skills", vec![DoctorFinding::warn("a\nb")]),
    ]
}

#[test]
fn findings_are_lines_with_their_fix_below() {
    insta::assert_snapshot!(printed(&sample(), DoctorForm::Lines), @r"
    ok    shell        /bin/zsh (from $SHELL)
    fail  config       /home/anna/x:1: unknown key `x`
                       `shellmate config edit`
    warn  skills       a b

    1 failure, 1 warning
    ");
}

#[test]
fn a_report_has_only_what_a_check_calls_public() {
    insta::assert_snapshot!(printed(&sample(), DoctorForm::Report), @r"
    ok    shell        zsh
    fail  config       1 problem
    warn  skills
    ");
}

#[test]
fn json_has_one_object_for_each_finding() {
    let text = printed(&sample(), DoctorForm::Json);
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!((&lines[1]["check"], &lines[1]["level"]), (&"config".into(), &"fail".into()));
    assert_eq!(lines[1]["fix"], "`shellmate config edit`");
    assert!(lines[0]["fix"].is_null());
}

#[test]
fn on_a_terminal_text_is_wrapped_and_what_to_do_is_not() {
    let finding = DoctorFinding::warn("the history is on a disk that is almost full, which may stop it")
        .fix("free some space, or `shellmate config set history.size '100 MiB'`");
    let shown = |columns| {
        let mut out = Vec::new();
        print(&[("disk", vec![finding.clone()])], DoctorForm::Lines, Some(columns), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    insta::assert_snapshot!(shown(60), @r"
    warn  disk         the history is on a disk that is almost
                       full, which may stop it
                       free some space, or `shellmate config set history.size '100 MiB'`

    0 failures, 1 warning
    ");
    assert_eq!(shown(40), shown(200), "a narrow window is left to the terminal");
}

#[test]
fn names_of_checks_are_unique() {
    let mut names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
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
        assert_eq!(condition(&at("d")), expected);
    }
    std::os::unix::fs::symlink(at("d"), at("link")).unwrap();
    assert_eq!(condition(&at("link")), DirectoryCondition::Link);
    assert_eq!(condition(&at("x/y/z")), DirectoryCondition::Missing);
    fs::write(at("file"), "").unwrap();
    assert_eq!(condition(&at("file/x")), DirectoryCondition::CannotMake);
    assert_eq!(condition(Path::new("/dev/null")), DirectoryCondition::NotADirectory);
}
