//! Which contents and changes are kept, and for how long.

use super::*;

#[test]
fn kept_contents_are_private_bounded_and_checked() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("state/undo");
    let limits = UndoLimits { bytes: 80_000, age: Duration::from_secs(3600) };
    let store = ContentStore::new(directory.clone(), limits);
    let keep = |bytes: &[u8]| {
        let mut draft = store.draft();
        let name = draft.add(bytes).unwrap();
        draft.commit().unwrap();
        name
    };
    let names: Vec<_> = (0..100_u8).map(|number| keep(&[number; 4000])).collect();
    let kept: Vec<_> = names.iter().filter(|name| store.has(**name)).collect();
    assert!((10..=20).contains(&kept.len()), "{} contents of 4,000 bytes are within 80,000", kept.len());
    assert_eq!(store.read(names[99]).unwrap(), [99; 4000]);
    assert_eq!(store.read(names[0]).unwrap_err().to_string(), "its old content is no longer kept");
    let packs = || fs::read_dir(&directory).unwrap().flatten().map(|entry| entry.path());
    assert_eq!(fs::metadata(&directory).unwrap().mode() & 0o777, 0o700);
    for path in packs() {
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600, "{}", path.display());
    }
    assert_eq!(keep(&[99; 4000]), names[99], "it is not written twice");
    let before: u64 = packs().map(|path| path.metadata().unwrap().len()).sum();
    assert!(before <= 80_000);
    let newest = packs().filter(|path| path.extension().is_some_and(|one| one == "pack")).max().unwrap();
    fs::File::options().write(true).open(newest).unwrap().write_at(b"damage", 7).unwrap();
    assert_eq!(store.read(names[99]).unwrap_err().to_string(), "its kept content is damaged");
    store.sweep(SystemTime::now() + Duration::from_secs(7200));
    assert!(names.iter().all(|name| !store.has(*name)), "nothing is older than an hour");
}

#[test]
fn a_content_that_was_removed_is_kept_again_by_the_next_scan() {
    let desk = Desk::new();
    desk.write("a", "old");
    let_clock_move();
    desk.runs(&["true"]);
    retain(&desk.home.path().join("state/undo"), &Default::default()).unwrap();
    desk.runs(&["echo new > a"]);
    desk.undoes(1);
    assert_eq!(desk.read("a"), "old");
}

#[test]
fn a_content_that_is_gone_is_said() {
    let desk = Desk::new();
    desk.write("a", "old");
    desk.edits(&[("a", "new")]);
    retain(&desk.home.path().join("state/undo"), &Default::default()).unwrap();
    let plan = desk.plan(UndoScope::Last(1));
    assert_eq!(plan.left[0].why, LeftBecause::NoLongerKept);
    assert!(plan.is_empty());
}

#[test]
fn changes_outlive_the_process_and_are_forgotten_with_the_conversation() {
    let home = tempfile::tempdir().unwrap();
    let database = home.path().join("history.db");
    let recorder = || {
        let limits = ConversationLimits { age: PATIENCE * 60, bytes: u64::MAX };
        let (session, host) = ("s".to_owned(), "box".to_owned());
        ConversationRecorder::new(ConversationSetup {
            database: database.clone(),
            session,
            host,
            terminal: "t".into(),
            limits,
        })
    };
    let first = recorder();
    let log = first.begin();
    log.ask("/".into(), "why".into(), r#"{"question":"why"}"#.to_owned());
    let mut desk = Desk::recorded_by(log);
    desk.write("a", "old");
    desk.edits(&[("a", "new")]);
    desk.edits(&[("a", "newer"), ("b", "new")]);
    desk.undoes(1);
    first.close(true, PATIENCE);
    let mut conversations = Conversations::open(&database).unwrap();
    let changes = conversations.changes(1, &[]).unwrap();
    assert_eq!(changes.len(), 5, "{changes:?}");
    desk.ledger = Arc::new(Ledger::restore(changes));
    assert!(!desk.plan(UndoScope::Redo).is_empty(), "the undo is remembered too");
    desk.undoes(1);
    assert_eq!(desk.read("a"), "old");
    assert!(desk.plan(UndoScope::Last(1)).is_empty());
    assert!(!conversations.contents().unwrap().is_empty());
    conversations.forget(&crate::store::ForgetConversations::All).unwrap();
    assert!(conversations.contents().unwrap().is_empty());
}

#[test]
fn the_diff_of_a_conversation_is_what_is_left_of_all_changes() {
    let desk = Desk::new();
    desk.write("a", "one\n");
    desk.write("bin", [0, 1]);
    desk.edits(&[("a", "two\n"), ("gone-again", "x\n")]);
    desk.edits(&[("a", "three\n"), ("bin", "\0"), ("new", "x\ny\n")]);
    desk.runs(&["rm gone-again; echo 1 > undone"]);
    desk.undoes(1);
    desk.write("new", "person's");
    let changes = conversation_changes(&desk.ledger, desk.keeper.store());
    let all: Vec<_> = changes
        .iter()
        .map(|change| {
            let PathDifference { added, removed, notes, .. } = &change.difference;
            (change.path.file_name().unwrap().to_str().unwrap(), *added, *removed, notes.join(", "))
        })
        .collect();
    let expected = [
        ("a", 1, 1, ""),
        ("bin", 0, 0, "binary, 2 B"),
        ("gone-again", 1, 0, "new"),
        ("new", 2, 0, "new, changed since"),
    ];
    assert_eq!(all, expected.map(|(name, added, removed, notes)| (name, added, removed, notes.to_owned())));
    assert!(changes[0].difference.text.contains("-one\n+three\n"));
}

#[test]
fn what_another_terminal_changed_since_is_left_alone() {
    let (desk, other) = (Desk::new(), Desk::new());
    desk.write("a", "0");
    desk.edits(&[("a", "1"), ("b", "1")]);
    // The same files, in a conversation of another terminal.
    let (path, query) = (desk.path("a"), other.query());
    let note_changes = query.before(ChangeScope::File(&path));
    fs::write(&path, "2").unwrap();
    note_changes();
    let result = desk.carries_out(UndoScope::Last(1));
    assert_eq!((result.restored, desk.read("a")), (vec![desk.path("b")], "2".into()));
    other.undoes(1);
    assert_eq!(desk.read("a"), "1");
    desk.undoes(1);
    assert_eq!(desk.read("a"), "0");
}
