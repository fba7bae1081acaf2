use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;

use super::*;
use crate::store::tests::{record, session};
use crate::store::{Filter, Forget, History, HistoryEntry, HistoryPosition, Store, prune};

const TIME: u64 = 1_700_000_000;

struct Home {
    directory: tempfile::TempDir,
    limits: HistoryLimits,
}

impl Home {
    fn new() -> Home {
        Home { directory: tempfile::tempdir().unwrap(), limits: HistoryLimits::default() }
    }

    fn database(&self) -> PathBuf {
        self.directory.path().join("history.db")
    }

    fn file(&self, source: ImportSource, text: impl AsRef<[u8]>) -> ImportFile {
        let path = self.directory.path().join(source.name());
        fs::write(&path, text).unwrap();
        ImportFile { source, path }
    }

    fn import(&self, files: &[ImportFile], mode: ImportMode) -> Vec<ImportCounts> {
        let ignore = RegexSet::new(["SECRET"]).unwrap();
        let done =
            import(&self.database(), files, &ImportRules { ignore: &ignore, limits: self.limits, mode }).unwrap();
        done.into_iter().map(Result::unwrap).collect()
    }

    /// Imports bash's file and returns how many commands were added.
    fn added(&self, text: impl AsRef<[u8]>) -> u64 {
        self.import(&[self.file(ImportSource::Bash, text)], ImportMode::Write)[0].added
    }

    fn history(&self) -> History {
        History::open(&self.database()).unwrap()
    }

    fn entries(&self) -> Vec<HistoryEntry> {
        self.history().list(&Filter::default()).unwrap()
    }

    fn texts(&self) -> Vec<String> {
        self.entries().iter().map(|entry| String::from_utf8_lossy(&entry.command).into_owned()).collect()
    }

    fn record(&self, text: &str, second: u64) {
        let store = Store::open(self.database(), self.limits, session("a"));
        let mut record = record(text);
        record.command.started_at = SystemTime::UNIX_EPOCH + Duration::from_millis(second * 1_000 + 400);
        store.record(record);
        store.close(Duration::from_secs(60));
    }
}

#[test]
fn unknown_facts_stay_unknown() {
    let home = Home::new();
    assert_eq!(home.added("ls -l\n"), 1);
    let entry = home.entries().remove(0);
    assert_eq!((entry.id, entry.command.as_slice(), entry.imported.as_deref()), (-1, &b"ls -l"[..], Some("bash")));
    assert_eq!((entry.status, entry.started_at, entry.duration, entry.cwd), (None, None, None, None));
    let stats = home.history().stats(&Filter::default(), &jiff::Zoned::now()).unwrap();
    assert_eq!((stats.commands, stats.failed, stats.unknown, stats.sessions, stats.since), (1, 0, 1, 0, None));
    assert_eq!((stats.slowest.len(), stats.times.hours.iter().sum::<u64>()), (0, 0));
    assert_eq!((stats.programs[0].runs, stats.programs[0].judged), (1, 0));
    assert!(home.history().get(-1).unwrap().unwrap().output.head.is_empty());
}

#[test]
fn a_second_import_adds_only_what_is_new() {
    let home = Home::new();
    let first = "ls\nmake\nls\n";
    assert_eq!(home.added(first), 3);
    assert_eq!(home.added(first), 0);
    assert_eq!(home.added("make\nls\nls\ngit log\n"), 1, "the beginning was cut off by the shell");
    let timed = format!("#{TIME}\ncargo test\n#{}\ncargo test\n", TIME + 5);
    assert_eq!(home.added(&timed), 2);
    assert_eq!(home.added(format!("{timed}#{}\ncargo test\n", TIME + 9)), 1);
    assert_eq!(home.added(&timed), 0);
}

#[test]
fn a_forgotten_command_stays_forgotten_until_all_are() {
    let home = Home::new();
    home.added("one\ntwo\n");
    let forget = |which: Forget| home.history().forget::<StoreError>(&which, |_| Ok(())).unwrap();
    forget(Forget::Ids(vec![home.entries()[0].id]));
    assert_eq!(home.added("one\ntwo\n"), 0);
    assert_eq!(home.texts(), ["two"]);
    forget(Forget::All);
    assert_eq!(home.added("one\ntwo\n"), 2);
}

#[test]
fn imported_commands_take_their_place_in_time() {
    let home = Home::new();
    home.record("recorded", TIME + 25);
    let bash = home.file(ImportSource::Bash, format!("untimed\n#{}\nthird\n", TIME + 30));
    let zsh = home.file(ImportSource::Zsh, format!(": {}:7;second\n: {}:0;fourth\n", TIME + 20, TIME + 40));
    let fish = home.file(ImportSource::Fish, format!("- cmd: first\n  when: {}\n", TIME + 10));
    home.import(&[zsh, fish, bash], ImportMode::Write);
    assert_eq!(home.texts(), ["untimed", "first", "second", "recorded", "third", "fourth"]);
    let entries = home.entries();
    assert_eq!(entries.iter().map(|entry| entry.id).collect::<Vec<_>>(), [-5, -4, -3, 1, -2, -1]);
    assert_eq!(entries[2].duration, Some(Duration::from_secs(7)));
    assert_eq!(entries[1].started_at, Some(SystemTime::UNIX_EPOCH + Duration::from_secs(TIME + 10)));
    assert_eq!(home.history().find(&["secon"], &Filter::default()).unwrap().len(), 1);
    let since = Filter { since: entries[3].started_at, ..Filter::default() };
    assert_eq!(home.history().list(&since).unwrap().len(), 3);
    home.record("next", TIME + 200);
    assert_eq!(home.entries().last().unwrap().id, 2);
}

/// A history with two imports and some recorded commands, in this order of time.
const MIXED: [&str; 8] =
    ["first echo", "second echo", "r1 echo", "third echo", "fourth echo", "r2 echo", "r3 echo", "fifth echo"];

fn mixed() -> Home {
    let home = Home::new();
    home.record("r1 echo", TIME + 3);
    home.record("r2 echo", TIME + 6);
    home.record("r3 echo", TIME + 7);
    home.added(format!("#{}\nsecond echo\n#{}\nfourth echo\n", TIME + 2, TIME + 5));
    home.added(format!("first echo\n#{}\nthird echo\n#{}\nfifth echo\n", TIME + 4, TIME + 8));
    home
}

fn words(entries: &[HistoryEntry]) -> Vec<String> {
    entries.iter().map(|entry| String::from_utf8_lossy(&entry.command).into_owned()).collect()
}

#[test]
fn a_second_import_takes_its_place_in_time_in_every_list() {
    let home = mixed();
    let history = home.history();
    assert_eq!(home.texts(), MIXED);
    for limit in 0..=9 {
        let filter = Filter { limit: Some(limit), ..Filter::default() };
        let expected = &MIXED[MIXED.len().saturating_sub(limit)..];
        assert_eq!(words(&history.list(&filter).unwrap()), expected, "the newest {limit}");
        assert_eq!(words(&history.find(&["echo"], &filter).unwrap()), expected, "the newest {limit} of a search");
        let mut newest = words(&history.newest(&["echo".to_owned()], &filter).unwrap().entries);
        newest.reverse();
        assert_eq!(newest, expected);
    }
    let recorded = Filter { recorded: true, limit: Some(2), ..Filter::default() };
    assert_eq!(words(&history.list(&recorded).unwrap()), ["r2 echo", "r3 echo"]);
    assert_eq!(words(&history.newest(&["echo".to_owned()], &recorded).unwrap().entries), ["r3 echo", "r2 echo"]);
    assert_eq!(history.count(&recorded).unwrap(), 3);
    assert_eq!(words(&history.find(&["fift"], &Filter::default()).unwrap()), ["fifth echo"]);
    assert_eq!(words(&history.meant("echo", 2).unwrap()), ["fifth echo", "r3 echo"]);
    assert_eq!(words(&history.meant("ech", 2).unwrap()), ["fifth echo", "r3 echo"], "an unfinished word");
    let mut lines = Vec::new();
    let mut before = Some(HistoryPosition::END);
    while let Some(position) = before {
        before = history
            .visit_before(position, &Filter::default(), |line| {
                lines.push(String::from_utf8(line.text.to_vec()).unwrap())
            })
            .unwrap();
    }
    lines.reverse();
    assert_eq!(lines, MIXED, "the finder");
}

#[test]
fn forgotten_and_pruned_imports_leave_the_index() {
    let mut home = mixed();
    let third = home.entries()[3].id;
    home.history().forget::<StoreError>(&Forget::Ids(vec![third]), |_| Ok(())).unwrap();
    assert_eq!(home.history().find(&["third"], &Filter::default()).unwrap(), []);
    home.record("r4 echo", TIME + 9);
    home.limits.commands = 4;
    let mut connection = Connection::open(home.database()).unwrap();
    connection.pragma_update(None, "foreign_keys", true).unwrap();
    while prune::prune_some(&mut connection, home.limits).unwrap() {}
    assert_eq!(home.texts(), [&MIXED[5..], &["r4 echo"]].concat(), "the oldest are removed, however they came here");
    assert_eq!(home.history().find(&["echo"], &Filter::default()).unwrap().len(), 4);
}

#[test]
fn commands_of_the_same_time_keep_the_order_of_their_file() {
    let home = Home::new();
    let line = |number: u64| format!("#{TIME}\necho {number}\n");
    let expected = |count: u64| (0..count).map(|number| format!("echo {number}")).collect::<Vec<_>>();
    assert_eq!(home.added((0..3_000).map(line).collect::<String>()), 3_000);
    assert_eq!(home.texts(), expected(3_000));
    assert_eq!(home.added((0..3_010).map(line).collect::<String>()), 10);
    assert_eq!(home.texts(), expected(3_010));
    let untimed = Home::new();
    let line = |number: u64| format!("echo {number}\n");
    untimed.added((0..700).map(line).collect::<String>());
    untimed.added((0..710).map(line).collect::<String>());
    assert_eq!(untimed.texts(), expected(710));
}

#[test]
fn times_that_no_clock_shows_do_no_harm() {
    let home = Home::new();
    home.added("#0\nzero\n#99999999999\nlate\n#99999999998\nlate too\n");
    home.record("now", TIME);
    assert_eq!(home.texts(), ["zero", "now", "late too", "late"]);
}

#[test]
fn imports_of_an_older_format_get_their_places() {
    let home = mixed();
    let connection = Connection::open(home.database()).unwrap();
    connection
        .execute_batch(
            "DROP INDEX command_places;
             DROP TRIGGER command_removed;
             CREATE TRIGGER command_removed AFTER DELETE ON commands BEGIN DELETE FROM words WHERE rowid = old.id; END;
             DELETE FROM words WHERE rowid < 0;
             INSERT INTO words (rowid, command, output) SELECT id, text, '' FROM commands WHERE id < 0;
             ALTER TABLE commands DROP COLUMN place;",
        )
        .unwrap();
    connection.pragma_update(None, "user_version", 7).unwrap();
    drop(connection);
    assert_eq!(home.texts(), MIXED);
    assert_eq!(words(&home.history().find(&["echo"], &Filter::default()).unwrap()), MIXED);
    forgotten_leave_nothing(&home);
}

fn forgotten_leave_nothing(home: &Home) {
    let ids = home.entries().iter().map(|entry| entry.id).collect();
    home.history().forget::<StoreError>(&Forget::Ids(ids), |_| Ok(())).unwrap();
    assert_eq!(home.history().find(&["echo"], &Filter::default()).unwrap(), []);
}

#[test]
fn the_newest_imports_are_found_without_sorting() {
    let home = mixed();
    let connection = Connection::open(home.database()).unwrap();
    for (sql, expected) in [
        (
            "SELECT c.id FROM commands AS c WHERE true AND c.place BETWEEN -5 AND -1 ORDER BY c.place DESC LIMIT 2",
            "command_places",
        ),
        (
            "SELECT c.id FROM words CROSS JOIN commands AS c ON c.place = words.rowid
             WHERE words MATCH 'x' AND words.rowid BETWEEN -5 AND -1 ORDER BY words.rowid DESC LIMIT 2",
            "command_places",
        ),
    ] {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let plan: Vec<String> = statement.query_map([], |row| row.get(3)).unwrap().map(Result::unwrap).collect();
        let plan = plan.join("; ");
        assert!(plan.contains(expected) && !plan.contains("TEMP B-TREE"), "{plan}");
    }
}

#[test]
fn what_shellmate_has_recorded_is_not_imported() {
    let home = Home::new();
    home.record("make all", TIME);
    let file = format!("make all\n#{}\nmake all\n#{}\nmake all\n", TIME + 1, TIME + 60);
    assert_eq!(home.added(file), 1, "only the one of another time");
}

#[test]
fn private_and_surplus_commands_are_left_out() {
    let mut home = Home::new();
    home.limits.commands = 3;
    let file = home.file(ImportSource::Bash, "one\nSECRET=1 x\n hidden\ntwo\nthree\nfour\n");
    let expected = ImportCounts { read: 6, added: 3, ignored: 2, too_long: 0, left_out: 1 };
    assert_eq!(home.import(std::slice::from_ref(&file), ImportMode::CountOnly), [expected]);
    assert!(!home.database().exists(), "nothing was written");
    assert_eq!(home.import(&[file], ImportMode::Write), [expected]);
    assert_eq!(home.texts(), ["two", "three", "four"]);
    let long = "y\n".repeat(40_000);
    home.import(&[home.file(ImportSource::Bash, long)], ImportMode::Write);
    assert_eq!(home.texts(), ["two", "three", "four"], "the history is full");
}

#[test]
fn strange_files_are_refused() {
    let home = Home::new();
    let ignore = RegexSet::empty();
    let rules = ImportRules { ignore: &ignore, limits: home.limits, mode: ImportMode::Write };
    let error =
        |file: ImportFile| import(&home.database(), &[file], &rules).unwrap().remove(0).unwrap_err().to_string();
    assert!(
        error(home.file(ImportSource::Bash, b"\x7fELF\0\0\0")).ends_with("is not a file of commands: it is binary")
    );
    assert!(error(home.file(ImportSource::Atuin, "ls\n")).starts_with("cannot read the database"));
    let directory = ImportFile { source: ImportSource::Fish, path: home.directory.path().to_owned() };
    assert!(error(directory).ends_with("is not a file"));
    let other = home.directory.path().join("other.db");
    Connection::open(&other)
        .unwrap()
        .execute_batch("CREATE VIEW history AS SELECT 1 AS timestamp, 'x' AS command")
        .unwrap();
    assert!(error(ImportFile { source: ImportSource::Atuin, path: other }).ends_with("is not a database of Atuin"));
}

#[test]
fn a_file_that_cannot_be_read_does_not_keep_the_others_out() {
    let home = Home::new();
    let ignore = RegexSet::empty();
    let rules = ImportRules { ignore: &ignore, limits: home.limits, mode: ImportMode::Write };
    let files = [
        home.file(ImportSource::Atuin, "no database"),
        home.file(ImportSource::Zsh, "make\n"),
        ImportFile { source: ImportSource::Fish, path: home.directory.path().join("missing") },
        home.file(ImportSource::Bash, "ls\n"),
    ];
    let done = import(&home.database(), &files, &rules).unwrap();
    let added: Vec<Option<u64>> = done.iter().map(|one| one.as_ref().ok().map(|count| count.added)).collect();
    assert_eq!(added, [None, Some(1), None, Some(1)]);
    assert_eq!(home.texts(), ["make", "ls"]);
}

#[test]
fn atuin_knows_directories_and_results() {
    let home = Home::new();
    let path = home.directory.path().join("atuin.db");
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE history (id TEXT PRIMARY KEY, timestamp INTEGER NOT NULL, duration INTEGER NOT NULL, exit INTEGER NOT NULL,
                                   command TEXT NOT NULL, cwd TEXT NOT NULL, session TEXT NOT NULL, hostname TEXT NOT NULL,
                                   deleted_at INTEGER, UNIQUE (timestamp, cwd, command));
             INSERT INTO history VALUES ('1', 1700000000123456789, 2500000000, 3, 'make', '/src', 's1', 'box:me', NULL),
                                        ('2', 1700000001000000000, -1, -1, 'ls', 'unknown', 's1', 'box:me', NULL),
                                        ('3', 1700000002000000000, 5, 0, 'gone', '/', 's1', 'box:me', 7);",
        )
        .unwrap();
    assert_eq!(ImportSource::of_file(&path).unwrap(), ImportSource::Atuin);
    let atuin = ImportFile { source: ImportSource::Atuin, path };
    // bash has the same command, and knows less about it.
    let bash = home.file(ImportSource::Bash, "#1700000000\nmake\n");
    let counts = home.import(&[atuin, bash], ImportMode::Write);
    assert_eq!((counts[0].added, counts[1].added, counts[1].known()), (2, 0, 1));
    let entries = home.entries();
    let make = &entries[0];
    assert_eq!((make.status, make.duration), (Some(3), Some(Duration::from_millis(2_500))));
    assert_eq!(
        (make.cwd.as_deref(), make.session.as_str(), make.host.as_str()),
        (Some(Path::new("/src")), "s1", "box")
    );
    assert_eq!((entries[1].status, entries[1].duration, entries[1].cwd.as_ref()), (None, None, None));
    let failed = Filter { failed: true, ..Filter::default() };
    assert_eq!(home.history().list(&failed).unwrap().len(), 1);
}

#[test]
fn files_are_recognised() {
    let home = Home::new();
    for (source, text) in [
        (ImportSource::Bash, "#1700000000\nls\n"),
        (ImportSource::Bash, ""),
        (ImportSource::Zsh, ": 1700000000:0;ls\n"),
        (ImportSource::Fish, "- cmd: ls\n"),
    ] {
        assert_eq!(ImportSource::of_file(&home.file(source, text).path).unwrap(), source, "{text}");
    }
}

/// Has a shell write these commands to its history. `None` if the shell is not installed.
fn written_by(program: &str, script: &str, commands: &[String], file: &Path) -> Option<()> {
    let shell = Command::new(program)
        .args(if program == "zsh" { &["-f", "-i", "-c"][..] } else { &["--norc", "-c"] })
        .arg(script)
        .arg(program)
        .args(commands)
        .env("HISTFILE", file)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    assert!(shell.success(), "{program}");
    Some(())
}

/// Commands as people type them, some of them with several lines, backslashes and other alphabets.
fn typed_commands() -> impl Strategy<Value = Vec<String>> {
    let line = "[!-~é日 \\\\]{1,12}";
    let command = ("[a-z]{1,6}", proptest::collection::vec(line, 0..3))
        .prop_map(|(word, lines)| [&[word][..], &lines].concat().join("\n"));
    let unspaced = command.prop_map(|text| text.trim_end_matches(['\n', ' ']).to_owned());
    proptest::collection::vec(unspaced, 1..8)
}

/// The commands that a file gives back.
fn read_back(source: ImportSource, path: &Path) -> Vec<String> {
    let mut found = Vec::new();
    read(&ImportFile { source, path: path.to_owned() }, 1_000, &mut |item| {
        match item {
            ForeignItem::Command(command) => found.push(String::from_utf8(command.text).unwrap()),
            ForeignItem::TooLong => panic!("no line is long"),
        }
        Ok(())
    })
    .unwrap();
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_zsh_wrote_is_read_back(commands in typed_commands(), extended: bool) {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("zsh");
        let option = if extended { "setopt extended_history" } else { "unsetopt extended_history" };
        let script = format!("{option}; HISTSIZE=1000 SAVEHIST=1000; for one; do print -rs -- $one; done; fc -W $HISTFILE");
        if written_by("zsh", &script, &commands, &file).is_some() {
            prop_assert_eq!(read_back(ImportSource::Zsh, &file), commands);
        }
    }

    #[test]
    fn what_bash_wrote_is_read_back(commands in typed_commands()) {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("bash");
        // Without times, bash cannot tell the lines of a command from other commands.
        let script = "HISTTIMEFORMAT=x; set -o history; HISTCONTROL=; history -c; for one; do history -s -- \"$one\"; done; history -w";
        if written_by("bash", script, &commands, &file).is_some() {
            let read = read_back(ImportSource::Bash, &file);
            prop_assert_eq!(&read[read.len().saturating_sub(commands.len())..], &commands[..]);
        }
    }
}
