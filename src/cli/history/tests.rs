//! The commands as people and scripts meet them.

use std::fs;
use std::num::NonZeroU16;
use std::time::{Duration, SystemTime};

use clap::Parser;

use super::*;
use crate::capture::{Output, Size};
use crate::render::{ScreenSize, Theme, Wrapping};
use crate::store::{CommandRecord, HistoryLimits, RecordingSession, Store};
use crate::text::bars::ChartPaint;
use crate::track;

#[derive(Parser)]
enum Program {
    History(Args),
}

/// 2026-03-10 12:00 in Vienna.
const NOW: u64 = 1_773_140_400;

const PIPE: Display = Display { terminal: false, width: 0, colour: false };
const TERMINAL: Display = Display { terminal: true, width: 60, colour: false };

struct Home {
    directory: tempfile::TempDir,
    display: Display,
    answer: &'static str,
    session: Option<&'static str>,
    config: Config,
}

impl Home {
    fn new(records: impl IntoIterator<Item = (&'static str, CommandRecord)>) -> Home {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir_all(directory.path().join("run/a")).unwrap();
        let home = Home { directory, display: PIPE, answer: "", session: None, config: Config::default() };
        for (id, record) in records {
            let session = RecordingSession { id: id.to_owned(), host: "box".to_owned(), shell: "zsh".to_owned() };
            let store = Store::open(home.database(), HistoryLimits::default(), session);
            store.record(record);
            store.close(Duration::from_secs(60));
            assert_eq!(store.trouble(), None);
        }
        home
    }

    /// A history with a few commands.
    fn with_commands() -> Home {
        let failed = printed("cargo test", "error[E0382]: borrow of moved value\r\n  --> src/main.rs:41:9\r\n");
        Home::new([
            ("a", ran(printed("git status", "clean\r\n"), 7_200, 12, 0)),
            ("a", ran(failed, 600, 42_000, 101)),
            ("b", ran(printed("for x in 1 2\ndo echo 日本語日本語日本語日本語日本語 $x\ndone", "1\r\n2\r\n"), 3, 0, 0)),
        ])
    }

    fn database(&self) -> PathBuf {
        self.directory.path().join("history.db")
    }

    fn on(self, display: Display) -> Home {
        Home { display, ..self }
    }

    fn run_to(&self, line: &str, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let words = ["shellmate", "history"].into_iter().chain(line.split_whitespace());
        let Program::History(args) = Program::try_parse_from(words)?;
        let runtime = self.directory.path().join("run");
        let session = self.session.map(|id| (id, runtime.join(id)));
        let context = HistoryContext {
            database: &self.database(),
            runtime: &runtime,
            session: session.as_ref().map(|(id, directory)| CurrentSession { id, directory }),
            cwd: Path::new("/home/me/app/src"),
            now: Timestamp::from_second(NOW as i64).unwrap().in_tz("Europe/Vienna").unwrap(),
            look: RenderOptions::of_terminal(
                ScreenSize { columns: 80, rows: 24 },
                Theme::default(),
                Wrapping::default(),
                |_| String::new(),
            ),
            chart: ChartLook { columns: 80, unicode: true, paint: ChartPaint::NONE },
            config: &self.config,
            variable: &|name| (name == "HOME").then(|| self.directory.path().into()),
        };
        let mut answers = self.answer.as_bytes();
        run(args, &context, self.display, Some(&mut answers), out)
    }

    fn bytes(&self, line: &str) -> Vec<u8> {
        let mut out = Vec::new();
        assert_eq!(self.run_to(line, &mut out).unwrap(), ExitCode::SUCCESS);
        out
    }

    fn says(&self, line: &str) -> String {
        String::from_utf8(self.bytes(line)).unwrap()
    }

    fn error(&self, line: &str) -> String {
        self.run_to(line, &mut Vec::new()).unwrap_err().to_string()
    }

    /// The first column.
    fn ids(&self, line: &str) -> Vec<String> {
        self.says(line).lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
    }
}

fn printed(text: &str, output: &str) -> CommandRecord {
    CommandRecord {
        command: track::Command {
            text: text.into(),
            cwd: "/home/me/app".into(),
            status: 0,
            started_at: SystemTime::UNIX_EPOCH,
            duration: Duration::ZERO,
        },
        output: Output::restored(output.len() as u64, output.into(), Vec::new(), 0, false),
        size: Size { rows: NonZeroU16::new(24).unwrap(), cols: NonZeroU16::new(80).unwrap() },
    }
}

fn ran(mut record: CommandRecord, seconds_ago: u64, millis: u64, status: i32) -> CommandRecord {
    record.command.started_at = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW - seconds_ago);
    record.command.duration = Duration::from_millis(millis);
    record.command.status = status;
    record
}

#[test]
fn a_terminal_gets_a_table_that_fits() {
    let home = Home::with_commands().on(TERMINAL);
    insta::assert_snapshot!(home.says(""), @r"
    1   2h  ✓    12ms  git status
    2  10m  101   42s  cargo test
    3   3s  ✓     0ms  for x in 1 2 …
    ");
    let home = home.on(Display { width: 24, ..TERMINAL });
    insta::assert_snapshot!(home.says(""), @r"
    1  ✓    git status
    2  101  cargo test
    3  ✓    for x in 1 2 …
    ");
}

#[test]
fn a_terminal_gets_charts_of_the_statistics() {
    let home = Home::with_commands().on(TERMINAL);
    let said = home.says("stats");
    let size = said.lines().find(|line| line.starts_with("on disk")).unwrap();
    insta::assert_snapshot!(said.replace(size, "on disk   (size)"), @r"
    commands  3 in 2 sessions since 2026-03-10
    failed    1 (33 %)
    running   42s, 42s of it in commands that failed
    output    74 B
    on disk   (size)

    most run
    cargo  ██████████████████████████████  1  100 % failed   42s
    for    ██████████████████████████████  1                 0ms
    git    ██████████████████████████████  1                12ms

    most failing
    cargo  █████████████████████████████████  1  100 %  42s lost

    slowest
         42s  cargo test  #2
        12ms  git status  #1
         0ms  for x in 1 2 …  #3

    by hour
                          █
                          █
                        █ █
                        █ █
    00          06          12          18

    by weekday
    Mon                                            0
    Tue  ████████████████████████████████████████  3
    Wed                                            0
    Thu                                            0
    Fri                                            0
    Sat                                            0
    Sun                                            0

    the last 30 days
                                                              █
                                                              █
                                                              █
                                                              █
    02-09                       02-23                      03-10
    ");
    let plain = home.on(PIPE).says("stats --since 1h");
    for line in [
        "commands\t2",
        "lost_ms\t42000",
        "failing\t1\t1\t42000\tcargo",
        "hour\t11\t2",
        "weekday\ttuesday\t2",
        "day\t2026-03-10\t2",
    ] {
        assert!(plain.lines().any(|one| one == line), "{line}: {plain}");
    }
}

#[test]
fn other_histories_are_imported_once_and_shown_as_they_are_known() {
    let mut home = Home::with_commands();
    home.config.history.ignore = vec!["^pass ".to_owned()];
    let file = home.directory.path().join(".bash_history");
    fs::write(&file, "pass show bank\nhtop\n").unwrap();
    let name = file.display().to_string();
    let said = home.says("import --dry-run").replace(&name, "FILE");
    insta::assert_snapshot!(said, @"FILE: would add 1 of 2 commands, 1 are private (history.ignore, or a blank in front)");
    assert!(home.says("import").contains("added 1 of 2 commands"));
    let again: serde_json::Value = serde_json::from_str(&home.says(&format!("import auto {name} --json"))).unwrap();
    assert_eq!((&again["from"], &again["added"], &again["known"]), (&"bash".into(), &0.into(), &1.into()));
    assert_eq!(home.says("").lines().next(), Some("-1\t?\t?\t?\t?\thtop"));
    let json: serde_json::Value = serde_json::from_str(home.says("--json").lines().next().unwrap()).unwrap();
    for field in ["session", "host", "cwd", "status", "started_at", "duration_ms"] {
        assert!(json[field].is_null(), "{field}: {json}");
    }
    assert_eq!((&json["imported"], &json["output_bytes"]), (&"bash".into(), &0.into()));
    let home = home.on(TERMINAL);
    assert!(home.says("").starts_with("-1    ?  ?       ?  htop\n"), "{}", home.says(""));
    assert_eq!(home.says("show -1"), "$ htop\n#-1 · imported from bash, without output\n");
    assert!(home.says("stats").contains("failed    1 (33 %), 1 with an unknown status\n"));
    assert!(home.error("import zsh").contains("no history of zsh was found at"));
    fs::remove_file(&file).unwrap();
    assert!(home.error("import").starts_with("no history of bash, zsh, fish or Atuin was found"));
    assert!(home.error("import").contains("`shellmate history import auto FILE`"));
    assert!(home.error("import nu").contains("[possible values: auto, bash, zsh, fish, atuin]"));
}

#[test]
fn statistics_of_imported_commands_say_what_is_unknown() {
    let home = Home::new([]);
    let file = home.directory.path().join("history");
    fs::write(&file, "#1700000000\nmake\n#1700000060\nmake all\n#1700000090\nls\n").unwrap();
    home.says(&format!("import bash {}", file.display()));
    let home = home.on(Display { width: 32, ..TERMINAL });
    let said = home.says("stats");
    assert!(said.starts_with("commands  3 since 2023-11-1"), "{said}");
    assert!(said.contains("\nfailed    unknown\nrunning   unknown\noutput    0 B\n"), "{said}");
    assert!(!said.contains("0ms"), "{said}");
    let said = Home::with_commands().on(Display { width: 32, ..TERMINAL }).says("stats");
    assert!(said.starts_with("commands  3 in 2 sessions since\n          2026-03-10\n"), "{said}");
    assert!(said.contains("\nrunning   42s, 42s of it in\n          commands that failed\n"), "{said}");
}

#[test]
fn lines_are_never_wider_than_the_screen() {
    let wide = printed(
        "echo 日本語日本語日本語日本語日本語日本語日本語",
        "前前前前前前前前前前前前前前前前前前 needle 後後後後後後後後後\r\n",
    );
    let mut home = Home::new([("a", wide)]);
    for columns in 12..90 {
        home.display = Display { width: columns, ..TERMINAL };
        let said = home.says("search needle") + &home.says("stats");
        let widest = said.lines().map(display::width).max().unwrap();
        assert!(widest <= columns, "{columns}: {said}");
    }
}

#[test]
fn a_search_shows_the_matching_line() {
    let home = Home::with_commands().on(TERMINAL);
    insta::assert_snapshot!(home.says("search e0382"), @r"
    2  10m  101  42s  cargo test
                      error[E0382]: borrow of moved value
    ");
    insta::assert_snapshot!(home.says("search cargo test"), @"2  10m  101  42s  cargo test");
    assert_eq!(home.says("search nowhere"), "");
    insta::assert_snapshot!(
        home.on(PIPE).says("search src/main.rs").replace('\t', "|"),
        @"2|2026-03-10T10:50:00.000Z|101|42000|/home/me/app|cargo test|--> src/main.rs:41:9"
    );
}

#[test]
fn a_pipe_gets_one_line_per_command() {
    insta::assert_snapshot!(Home::with_commands().says("").replace('\t', "|"), @r"
    1|2026-03-10T09:00:00.000Z|0|12|/home/me/app|git status
    2|2026-03-10T10:50:00.000Z|101|42000|/home/me/app|cargo test
    3|2026-03-10T10:59:57.000Z|0|0|/home/me/app|for x in 1 2\ndo echo 日本語日本語日本語日本語日本語 $x\ndone
    ");
}

#[test]
fn filters_select_commands() {
    let home = Home::with_commands();
    assert_eq!(home.ids("--failed"), ["2"]);
    assert_eq!(home.ids("--since 30m"), ["2", "3"]);
    assert_eq!(home.ids("-n 1"), ["3"]);
    assert_eq!(home.ids("--session a"), ["1", "2"]);
    assert_eq!(home.ids("--cwd .."), ["1", "2", "3"]);
    assert_eq!(home.ids("--cwd ."), Vec::<String>::new());
    assert_eq!(home.ids("search git --cwd /home/me"), ["1"]);
    assert_eq!(home.ids("search git --failed"), Vec::<String>::new());
    assert!(home.error("--since soon").contains("30m, 2h, 2d, 1w"));
    assert!(home.error("--failed search git").contains("search"));
}

#[test]
fn json_has_exactly_the_promised_fields() {
    let home = Home::with_commands();
    insta::assert_snapshot!(home.says("--json -n 1"), @r#"{"id":3,"session":"b","host":"box","cwd":"/home/me/app","command":"for x in 1 2\ndo echo 日本語日本語日本語日本語日本語 $x\ndone","status":0,"started_at":"2026-03-10T10:59:57.000Z","duration_ms":0,"output_bytes":6,"truncated":false,"full_screen":false,"spill":null}"#);
    let shown = home.says("show 2 --json");
    assert!(
        shown
            .ends_with("\"spill\":null,\"output\":\"error[E0382]: borrow of moved value\\n  --> src/main.rs:41:9\"}\n"),
        "{shown}"
    );
    assert_eq!(home.says("search --json E0382"), home.says("--json --failed"));
    let stats: serde_json::Value = serde_json::from_str(&home.says("stats --json")).unwrap();
    assert_eq!((&stats["commands"], &stats["failed"], &stats["slowest"][0]["id"]), (&3.into(), &1.into(), &2.into()));
    assert_eq!((&stats["lost_ms"], &stats["failing"][0]["name"]), (&42_000.into(), &"cargo".into()));
    assert_eq!(
        (&stats["hours"][11], &stats["weekdays"]["tuesday"], &stats["days"]["2026-03-10"]),
        (&2.into(), &3.into(), &3.into())
    );
}

#[test]
fn show_prints_the_command_and_its_output() {
    let home = Home::with_commands().on(TERMINAL);
    insta::assert_snapshot!(home.says("show 2"), @r"
    $ cargo test
    #2 · /home/me/app · 2026-03-10 11:50:00 (10m) · exit status 101 · 42s · 61 B of output
    error[E0382]: borrow of moved value
      --> src/main.rs:41:9
    ");
    assert_eq!(home.bytes("show 2 --raw"), b"error[E0382]: borrow of moved value\r\n  --> src/main.rs:41:9\r\n");
    assert_eq!(home.error("show 99"), "there is no command 99 in the history; `shellmate history` lists them");
}

#[test]
fn the_last_command_is_the_last_of_this_terminal() {
    let mut home = Home::with_commands();
    assert!(home.says("last").starts_with("$ for x"));
    home.session = Some("a");
    assert!(home.says("last").starts_with("$ cargo test"));
    assert_eq!(home.says("last 2 --json").lines().count(), 2);
    home.session = Some("new");
    assert!(home.says("last").starts_with("$ for x"));
    assert_eq!(Home::new([]).error("last"), "no command has been recorded yet");
}

#[test]
fn the_spill_file_is_shown_while_it_is_there() {
    let mut record = printed("seq 5", "");
    record.output = Output::restored(15, b"1\r\n".to_vec(), b"4\r\n5\r\n".to_vec(), 6, false);
    let spills = tempfile::tempdir().unwrap();
    let spill = spills.path().join("1.out");
    fs::write(&spill, "1\r\n2\r\n3\r\n4\r\n5\r\n").unwrap();
    record.output.spill = Some(spill.clone());
    let home = Home::new([("a", record)]);
    assert!(home.says("show 1").ends_with("\n1\n2\n3\n4\n5\n"));
    assert_eq!(home.bytes("show 1 --raw"), b"1\r\n2\r\n3\r\n4\r\n5\r\n");
    fs::remove_file(spill).unwrap();
    // The first line of a tail is rarely whole, so it is not shown.
    assert!(home.says("show 1").contains("\n1\n… 9 bytes not kept …\n5\n"), "{}", home.says("show 1"));
}

#[test]
fn text_from_the_database_is_sanitized() {
    let mut nasty = printed("echo '\x1b]0;owned\x07' \u{9b}2J", "x\u{9b}2J\x1b]52;c;aGk=\x07 owned\r\n");
    nasty.command.cwd = "/tmp/\x1b[31m".into();
    let mut home = Home::new([("a", nasty)]);
    for display in [PIPE, TERMINAL, Display { colour: true, ..TERMINAL }] {
        home.display = display;
        for line in ["", "search owned", "show 1", "last", "stats", "--json", "show 1 --json", "stats --json"] {
            let said = home.says(line);
            // Our own colours apart.
            let said =
                ["1", "2", "31", "32", "0"].iter().fold(said, |said, code| said.replace(&format!("\x1b[{code}m"), ""));
            assert!(!said.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{line}: {said:?}");
        }
    }
}

#[test]
fn forgetting_many_commands_needs_a_yes() {
    let mut home = Home::with_commands().on(TERMINAL);
    assert_eq!(home.says("forget --since 30m"), "Forget 2 commands, including output? [y/N] Nothing was forgotten.\n");
    home.answer = "y\n";
    assert_eq!(home.says("forget --since 1m"), "Forget 1 command, including output? [y/N] Forgot 1 command.\n");
    home.display = PIPE;
    assert_eq!(home.error("forget --all"), "this would forget 2 commands; add --yes to confirm");
    assert_eq!(home.ids(""), ["1", "2"]);
    assert_eq!(home.says("forget --all --yes"), "Forgot 2 commands.\n");
    assert_eq!(home.says(""), "");
    for wrong in ["forget", "forget 1 --all", "forget --yes"] {
        assert!(home.error(wrong).contains("Usage"), "{wrong}");
    }
}

#[test]
fn forgetting_by_id_removes_the_spill_too_but_only_below_the_runtime_directory() {
    let elsewhere = tempfile::NamedTempFile::new().unwrap();
    let home = Home::new([]);
    let spill = home.directory.path().join("run/a/1.out");
    fs::write(&spill, "all of it").unwrap();
    let record = |spill: &Path| {
        let mut record = printed("seq", "");
        record.output.spill = Some(spill.to_owned());
        record
    };
    let session = RecordingSession { id: "a".to_owned(), host: String::new(), shell: String::new() };
    let store = Store::open(home.database(), HistoryLimits::default(), session);
    store.record(record(&spill));
    store.record(record(elsewhere.path()));
    store.record(record(&home.directory.path().join("run/../outside")));
    fs::write(home.directory.path().join("outside"), "").unwrap();
    store.close(Duration::from_secs(60));

    assert_eq!(home.error("forget 1 2 3 9"), "there is no command 9 in the history");
    assert_eq!(home.says(""), "");
    assert!(!spill.exists());
    assert!(elsewhere.path().exists());
    assert!(home.directory.path().join("outside").exists());
}

#[test]
fn pause_creates_a_file_in_the_session_directory() {
    let mut home = Home::new([]);
    assert!(home.error("pause").contains("in a shell started by `shellmate`"));
    home.session = Some("a");
    let mark = home.directory.path().join("run/a/paused");
    home.says("pause");
    home.says("pause");
    assert!(mark.exists());
    home.says("resume");
    home.says("resume");
    assert!(!mark.exists());
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    struct Gone;
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for line in ["", "--json", "show 1", "show 1 --raw", "stats"] {
        assert_eq!(Home::with_commands().run_to(line, &mut Gone).unwrap(), ExitCode::SUCCESS, "{line}");
    }
}

#[test]
fn an_empty_history_is_not_an_error() {
    let home = Home::new([]).on(TERMINAL);
    assert_eq!(home.says(""), "");
    assert_eq!(home.says("search x"), "");
    assert!(home.says("stats").starts_with("commands  0\n"));
    assert_eq!(home.says("forget --all"), "Forgot 0 commands.\n", "there is nothing to ask about");
    assert!(!home.database().exists());
}
