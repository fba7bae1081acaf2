//! What goes in comes out, and can be found.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use proptest::prelude::*;

use super::*;
use crate::store::forget::Forgotten;

#[test]
fn a_record_is_read_back_unchanged() {
    let home = Home::new();
    let mut odd = printed("cat \u{e9}", "caf\u{e9}\r\n");
    odd.command.text = b"cat caf\xe9".to_vec();
    odd.command.cwd = OsString::from_vec(b"/srv/\xff".to_vec()).into();
    odd.command.status = 130;
    odd.output = Output::restored(1 << 40, b"caf\xe9\r\n".to_vec(), vec![0, 255], 77, true);
    odd.output.spill = Some("/run/spill".into());

    let store = home.store();
    let ticket = store.record(odd.clone());
    store.close(PATIENCE);
    assert_eq!(store.trouble(), None);
    let id = ticket.id().unwrap();

    let stored = home.history().get(id).unwrap().unwrap();
    assert_eq!((stored.output.seen, stored.output.missing()), (1 << 40, 77));
    assert_eq!((&stored.output.head, &stored.output.tail), (&odd.output.head, &odd.output.tail));
    assert_eq!(stored.size, odd.size);
    assert_eq!(
        stored.entry,
        HistoryEntry {
            id,
            session: "a".to_owned(),
            host: "box".to_owned(),
            cwd: Some(odd.command.cwd),
            command: odd.command.text,
            status: Some(130),
            started_at: Some(odd.command.started_at),
            duration: Some(odd.command.duration),
            output_bytes: 1 << 40,
            truncated: true,
            full_screen: true,
            spill: odd.output.spill,
            imported: None,
        }
    );
    assert_eq!(home.history().list(&Filter::default()).unwrap(), [stored.entry]);
    assert!(home.history().get(id + 1).unwrap().is_none());
}

#[test]
fn a_missing_file_is_an_empty_history() {
    let home = Home::new();
    let mut history = home.history();
    assert_eq!(history.list(&Filter::default()).unwrap(), []);
    assert_eq!(history.find(&["x"], &Filter::default()).unwrap(), []);
    assert!(history.get(1).unwrap().is_none());
    let stats = history.stats(&Filter::default(), &jiff::Zoned::now()).unwrap();
    assert_eq!((stats.commands, stats.since, stats.programs.len(), stats.disk_bytes), (0, None, 0, 0));
    assert_eq!(forget(&mut history, &Forget::All), Forgotten::default());
    assert!(!home.path().exists());
}

#[test]
fn a_store_that_is_off_does_nothing() {
    let store = Store::off();
    assert_eq!(store.record(record("true")).id(), None);
    assert_eq!(store.trouble(), None);
    store.close(PATIENCE);
}

#[test]
fn every_filter_narrows_the_list() {
    let home = Home::new();
    let at = |text: &str, cwd: &str, status, day: u64| {
        let mut record = record(text);
        record.command.cwd = cwd.into();
        record.command.status = status;
        record.command.started_at = SystemTime::UNIX_EPOCH + Duration::from_secs(day * 86_400);
        record
    };
    let mut stray = at("stray", "", 0, 5);
    stray.command.cwd = OsString::from_vec(b"/a/\xff".to_vec()).into();
    home.keep([at("one", "/a", 0, 1), at("two", "/a/b", 1, 2), at("three", "/ab", 1, 3), at("four", "/", 0, 4), stray]);
    let history = home.history();
    let list = |filter: Filter| texts(&history.list(&filter).unwrap());
    let below = |cwd: &str| Filter { cwd: Some(cwd.into()), ..Filter::default() };

    assert_eq!(list(below("/a")), ["one", "two", "stray"]);
    assert_eq!(list(below("/a/")), ["one", "two", "stray"]);
    assert_eq!(list(below("/a/b")), ["two"]);
    assert_eq!(list(below("/")).len(), 5);
    assert_eq!(list(Filter { failed: true, ..Filter::default() }), ["two", "three"]);
    assert_eq!(list(Filter { limit: Some(2), ..Filter::default() }), ["four", "stray"]);
    let third = SystemTime::UNIX_EPOCH + Duration::from_secs(3 * 86_400);
    assert_eq!(list(Filter { since: Some(third), failed: true, ..Filter::default() }), ["three"]);
    assert_eq!(list(Filter { session: Some("b".to_owned()), ..Filter::default() }), Vec::<String>::new());
    assert_eq!(texts(&history.find(&["tw"], &Filter { limit: Some(1), ..below("/a") }).unwrap()), ["two"]);
}

#[test]
fn words_are_found_inside_paths_names_and_output() {
    let home = Home::new();
    home.keep([
        printed("cargo test", "error[E0382]: borrow of moved value: `rows`\n --> src/main.rs:41:9\n"),
        printed("make no-such-thing | tee log", "make: *** No rule to make target 'no-such-thing'.  Stop.\n"),
        printed("grep -rn parse_line .", "lib/Größe.rs: fn parse_line()\n"),
    ]);
    let history = home.history();
    let find = |words: &[&str]| texts(&history.find(words, &Filter::default()).unwrap());

    for words in [
        &["E0382"][..],
        &["e0382"],
        &["E03"],
        &["src/main.rs"],
        &["main.rs:41"],
        &["main"],
        &["borrow of moved"],
        &["cargo", "moved"],
        &["`rows`"],
    ] {
        assert_eq!(find(words), ["cargo test"], "{words:?}");
    }
    for words in [&["no-such-thing"][..], &["no-such"], &["such"], &["make", "|"], &["|"], &["-such-"]] {
        assert_eq!(find(words), ["make no-such-thing | tee log"], "{words:?}");
    }
    for words in [&["parse_line"][..], &["line"], &["grosse"], &["GRÖ"]] {
        assert_eq!(find(words).len(), usize::from(words != ["grosse"]), "{words:?}");
    }
    for words in [&["moved borrow"][..], &["cargo", "such"], &["E0382", "||"], &[""], &[], &["mai", "cargo"], &["m"]] {
        assert_eq!(find(words), Vec::<String>::new(), "{words:?}");
    }
}

#[test]
fn a_word_of_a_cut_off_middle_is_not_found_but_both_ends_are() {
    let home = Home::new();
    let middle = "filler ".repeat(20_000);
    home.keep([printed("big", &format!("alpha {middle} beta {middle} omega"))]);
    let found = |word: &str| home.history().find(&[word], &Filter::default()).unwrap().len();
    assert_eq!([found("alpha"), found("beta"), found("omega")], [1, 0, 1]);
}

/// Forgets commands, and returns all that was removed.
fn forget(history: &mut History, which: &Forget) -> Forgotten {
    let mut all = Forgotten::default();
    let report = |forgotten: Forgotten| {
        all.ids.extend(forgotten.ids);
        all.spills.extend(forgotten.spills);
        Ok::<_, StoreError>(())
    };
    history.forget(which, report).unwrap();
    all
}

#[test]
fn another_terminal_can_write_while_everything_is_forgotten() {
    let home = Home::new();
    home.keep((0..200).map(|n| printed(&format!("command {n} sesame"), "sesame\n")));
    copy_leftovers(&home.path()).unwrap();
    let mut other = file::connect(&home.path(), Duration::ZERO).unwrap();
    let mut slices = Vec::new();
    let report = |forgotten: Forgotten| {
        if slices.is_empty() {
            let transaction = other.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
            let kept = journal::Kept::new(record("recorded meanwhile"));
            insert::insert(&transaction, &session("b"), &kept, "").unwrap();
            transaction.commit().unwrap();
        }
        slices.push(forgotten.ids.len());
        Ok::<_, StoreError>(())
    };
    home.history().forget(&Forget::All, report).unwrap();
    assert_eq!((slices.len() > 1, slices.iter().sum::<usize>()), (true, 200), "{slices:?}");
    let history = home.history();
    assert_eq!(texts(&history.list(&Filter::default()).unwrap()), ["recorded meanwhile"]);
    assert_eq!(history.find(&["meanwhile"], &Filter::default()).unwrap().len(), 1);
    drop((other, history));
    for suffix in ["", "-wal"] {
        let bytes = std::fs::read(home.path().with_file_name(format!("history.db{suffix}"))).unwrap_or_default();
        assert!(memchr::memmem::find(&bytes, b"sesame").is_none(), "in history.db{suffix}");
    }
}

#[test]
fn forgotten_text_is_gone_from_the_file() {
    let home = Home::new();
    let mut secret = printed("echo hunter2secret", "hunter2secret\n");
    secret.output.spill = Some("/run/shellmate/1".into());
    home.keep([record("before"), secret, record("after")]);
    let mut history = home.history();
    assert_eq!(forget(&mut history, &Forget::Ids(vec![7])), Forgotten::default());
    let forgotten = forget(&mut history, &Forget::Ids(vec![2, 7]));
    assert_eq!(forgotten, Forgotten { ids: vec![2], spills: vec!["/run/shellmate/1".into()] });
    assert_eq!(texts(&history.list(&Filter::default()).unwrap()), ["before", "after"]);
    assert_eq!(history.find(&["hunter2secret"], &Filter::default()).unwrap(), []);
    for suffix in ["", "-wal"] {
        let path = home.path().with_file_name(format!("history.db{suffix}"));
        let bytes = std::fs::read(path).unwrap_or_default();
        assert!(memchr::memmem::find(&bytes, b"hunter2secret").is_none(), "in history.db{suffix}");
    }
    // A new command does not take the id of a forgotten one.
    forget(&mut history, &Forget::Since(SystemTime::UNIX_EPOCH));
    home.keep([record("new")]);
    assert_eq!(history.list(&Filter::default()).unwrap()[0].id, 4);
    assert_eq!(forget(&mut history, &Forget::All).ids, [4]);
    assert_eq!(history.stats(&Filter::default(), &jiff::Zoned::now()).unwrap().commands, 0);
}

#[test]
fn statistics_count_commands_programs_and_bytes() {
    let home = Home::new();
    let mut slow = printed("sleep 9", "zzz");
    slow.command.duration = Duration::from_secs(9);
    slow.command.status = 1;
    home.keep([record("ls"), record("A=1 ls -l"), slow]);
    let stats = |filter: Filter| home.history().stats(&filter, &jiff::Zoned::now()).unwrap();
    let elsewhere = stats(Filter { cwd: Some("/home/me/other".into()), ..Filter::default() });
    assert_eq!((elsewhere.commands, elsewhere.since, elsewhere.slowest.len()), (0, None, 0));
    assert_eq!(stats(Filter { session: Some("a".into()), ..Filter::default() }), stats(Filter::default()));
    let stats = stats(Filter { cwd: Some("/home/me".into()), ..Filter::default() });
    assert_eq!((stats.commands, stats.failed, stats.sessions, stats.output_bytes), (3, 1, 1, 3));
    assert_eq!((stats.duration, stats.lost), (Duration::from_millis(11_500), Duration::from_secs(9)));
    assert_eq!((stats.failing.len(), stats.failing[0].name.as_str()), (1, "sleep"));
    assert_eq!(stats.times.hours.iter().sum::<u64>(), 3);
    assert_eq!((stats.programs[0].name.as_str(), stats.programs[0].runs), ("ls", 2));
    assert_eq!(stats.slowest[0].command, b"sleep 9");
    assert!(stats.disk_bytes > 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn no_words_are_an_error(words in prop::collection::vec(any_word(), 0..5)) {
        thread_local!(static HOME: (Home, History) = {
            let home = Home::new();
            home.keep([printed("one two", "three")]);
            let history = home.history();
            (home, history)
        });
        HOME.with(|(_, history)| history.find(&words, &Filter::default()).map(|_| ())).unwrap();
    }
}

fn any_word() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[\"*:^(){}+\\-\u{0}a ,.]{0,6}",
        Just("NEAR(".to_owned()),
        Just("AND".to_owned()),
        Just("command:".to_owned()),
    ]
}
