//! Undo while something else changes the files.

use super::*;

#[test]
fn a_path_that_became_a_link_is_not_followed() {
    let desk = Desk::new();
    let outside = desk.home.path().canonicalize().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    desk.write("sub/keys", "old");
    desk.write("file", "old");
    desk.edits(&[("sub/keys", "new"), ("file", "new")]);
    fs::write(outside.join("keys"), "new").unwrap();
    fs::rename(desk.path("sub"), desk.path("aside")).unwrap();
    symlink(&outside, desk.path("sub")).unwrap();
    fs::write(outside.join("victim"), "new").unwrap();
    fs::remove_file(desk.path("file")).unwrap();
    symlink(outside.join("victim"), desk.path("file")).unwrap();
    let plan = desk.plan(UndoScope::Last(1));
    assert!(plan.is_empty());
    assert_eq!(plan.left.len(), 2);
    plan.carry_out(&desk.ledger, &desk.log, desk.keeper.store());
    assert_eq!(fs::read_to_string(outside.join("keys")).unwrap(), "new");
    assert_eq!(fs::read_to_string(outside.join("victim")).unwrap(), "new");
}

#[test]
fn a_directory_swapped_for_a_link_after_the_question_is_not_followed() {
    let desk = Desk::new();
    let outside = desk.home.path().canonicalize().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("keys"), "new").unwrap();
    desk.write("sub/keys", "old");
    desk.edits(&[("sub/keys", "new"), ("sub/created", "new")]);
    fs::write(outside.join("created"), "new").unwrap();
    let plan = desk.plan(UndoScope::Last(1));
    fs::rename(desk.path("sub"), desk.path("aside")).unwrap();
    symlink(&outside, desk.path("sub")).unwrap();
    let result = plan.carry_out(&desk.ledger, &desk.log, desk.keeper.store());
    assert_eq!((result.restored.len(), result.failed.len()), (0, 2), "{result:?}");
    assert_eq!(fs::read_to_string(outside.join("keys")).unwrap(), "new");
    assert!(outside.join("created").exists());
}

#[test]
fn a_file_that_changes_while_the_person_is_asked_is_left_alone() {
    let desk = Desk::new();
    desk.write("a", "old");
    desk.edits(&[("a", "new"), ("b", "new")]);
    let plan = desk.plan(UndoScope::Last(1));
    desk.write("a", "person's");
    fs::remove_file(desk.path("b")).unwrap();
    fs::create_dir(desk.path("b")).unwrap();
    let result = plan.carry_out(&desk.ledger, &desk.log, desk.keeper.store());
    assert!(result.failed.iter().all(|(_, why)| matches!(why, RestoreError::Changed)), "{result:?}");
    assert_eq!(result.failed.len(), 2);
    assert_eq!(desk.read("a"), "person's");
    assert!(desk.path("b").is_dir());
}

#[test]
fn a_read_only_file_is_restored_with_its_mode() {
    let desk = Desk::new();
    desk.write("locked", "old");
    fs::set_permissions(desk.path("locked"), Permissions::from_mode(0o444)).unwrap();
    let before = desk.picture();
    desk.runs(&["chmod 644 locked; echo new > locked; chmod 444 locked"]);
    desk.undoes(1);
    assert_eq!(desk.picture(), before);
}

#[test]
fn an_undo_that_was_killed_in_the_middle_is_finished_by_the_next() {
    let desk = Desk::new();
    for number in 0..10 {
        desk.write(&format!("{number}"), "old");
    }
    let before = desk.picture();
    desk.runs(&["for i in {0..9}; do echo new > $i; done; touch a b c"]);
    // The process is killed after some paths, before it could note anything.
    for number in 0..4 {
        desk.write(&format!("{number}"), "old");
    }
    fs::remove_file(desk.path("b")).unwrap();
    desk.undoes(1);
    assert_eq!(desk.picture(), before);
    assert!(desk.plan(UndoScope::Last(1)).is_empty());
}

#[test]
fn a_stopped_command_is_noted_by_a_thread() {
    let desk = Desk::new();
    let (cwd, home) = (desk.path(""), desk.home.path().to_owned());
    let note_changes = desk.query().before(ChangeScope::Project { cwd: &cwd, home: Some(&home) });
    desk.bash("echo half > out");
    drop(note_changes);
    desk.keeper.settle(PATIENCE);
    desk.undoes(1);
    assert!(!desk.path("out").exists());
}
