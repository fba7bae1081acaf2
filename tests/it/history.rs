//! `shellmate history`: lists, searches, shows and deletes commands.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::figures::peak_kib;
use crate::harness::{Builder, HistoryEntry, PROGRAM, Shell, Term, in_every_shell, in_short};

/// A finished session with several commands.
fn a_day(builder: Builder) -> Term {
    let mut term = builder.file("elsewhere/x", "").start();
    term.wait_for_prompt();
    term.run("echo the quick brown fox");
    term.run("bash -c 'echo something went sideways >&2; exit 4'");
    term.run("cd elsewhere");
    term.run("echo lazy dog");
    term.run("seq 3");
    term.exit();
    term
}

fn texts(records: &[HistoryEntry]) -> Vec<&str> {
    records.iter().map(|record| record.command.as_str()).filter(|text| *text != "exit").collect()
}

#[test]
fn the_list_is_oldest_first_and_the_newest_last() {
    in_every_shell(|shell| {
        let term = a_day(Term::new(shell));
        let all = term.history(&[]);
        let wanted = [
            "echo the quick brown fox",
            "bash -c 'echo something went sideways >&2; exit 4'",
            "cd elsewhere",
            "echo lazy dog",
            "seq 3",
        ];
        assert_eq!(texts(&all), wanted, "{}", shell.name());
        assert_eq!(all[1].status, Some(4));
        let plain = term.shellmate(&["history"]);
        let at = |text: &str| plain.stdout.find(text).unwrap_or_else(|| panic!("no {text} in\n{}", plain.stdout));
        assert!(at("quick brown") < at("lazy dog"), "{}", plain.stdout);
        assert!(!plain.stdout.contains('\x1b'), "no colours in a pipe: {:?}", plain.stdout);
        assert_eq!(plain.stderr, "");
    });
}

#[test]
fn search_finds_commands_and_outputs() {
    in_every_shell(|shell| {
        let term = a_day(Term::new(shell));
        let found = |args: &[&str]| texts_of(&term, args);
        assert_eq!(found(&["search", "quick"]), ["echo the quick brown fox"]);
        assert_eq!(found(&["search", "sideways", "something"]), ["bash -c 'echo something went sideways >&2; exit 4'"]);
        assert_eq!(found(&["search", "--failed", "sideways"]).len(), 1);
        assert_eq!(found(&["search", "--failed", "quick"]).len(), 0);
        let elsewhere = term.home().join("elsewhere").display().to_string();
        assert_eq!(found(&["search", "--cwd", &elsewhere, "lazy"]), ["echo lazy dog"]);
        assert_eq!(found(&["search", "--cwd", &elsewhere, "quick"]).len(), 0);
        assert_eq!(found(&["search", "--since", "2d", "lazy"]), ["echo lazy dog"]);
        assert_eq!(found(&["search", "nothing-like-this"]).len(), 0);
        // Operators of the index are searched as plain words.
        for odd in ["\"", "*", "AND", "NEAR(", "a:b", "(", "-x", "'", "%", "col:quick OR", "^quick"] {
            let output = term.shellmate(&["history", "search", "--json", "--", odd]);
            assert!(!output.stderr.contains("fts5") && !output.stderr.contains("syntax"), "{odd}: {output:?}");
        }
    });
}

#[track_caller]
fn texts_of(term: &Term, args: &[&str]) -> Vec<String> {
    let output = term.shellmate(&[&["history"], args, &["--json"]].concat());
    let parse =
        |line: &str| serde_json::from_str::<HistoryEntry>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    output.stdout.lines().map(parse).map(|record| record.command).collect()
}

#[test]
fn a_word_that_occurs_only_in_output_is_found() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("echo c3BlY2ltZW4= | base64 -d");
        term.run("printf '\\033[31mcolo\\033[0mured\\n'");
        term.exit();
        assert_eq!(texts_of(&term, &["search", "specimen"]), ["echo c3BlY2ltZW4= | base64 -d"], "{}", shell.name());
        assert_eq!(texts_of(&term, &["search", "coloured"]).len(), 1, "{}", shell.name());
    });
}

#[test]
fn show_last_and_stats() {
    in_every_shell(|shell| {
        let term = a_day(Term::new(shell));
        let all = term.history(&[]);
        let id = all[1].id();
        let shown = term.shellmate(&["history", "show", &id]);
        assert!(shown.stdout.contains("something went sideways"), "{shown:?}");
        let shown = term.history(&["show", &id]);
        assert_eq!(shown[0].output.as_deref().map(str::trim_end), Some("something went sideways"));
        assert_eq!(shown[0].command, all[1].command);
        let raw = term.shellmate(&["history", "show", &id, "--raw"]);
        if shell != Shell::Fish {
            assert_eq!(raw.stdout, "something went sideways\r\n");
        }

        let last = texts_of(&term, &["last", "2"]);
        assert!(last.len() == 2, "{last:?}");
        let stats = term.shellmate(&["history", "stats", "--json"]);
        let stats: serde_json::Value = serde_json::from_str(stats.stdout.trim()).unwrap();
        assert!(stats.is_object(), "{stats}");
        let missing = term.shellmate(&["history", "show", "99999999"]);
        assert!(!missing.status.success() && missing.stderr.contains("99999999"), "{missing:?}");
    });
}

#[test]
fn what_a_bare_shell_has_recorded_is_imported_once() {
    in_every_shell(|shell| {
        let builder = match shell {
            Shell::Bash => Term::new(shell).rc("HISTFILE=~/.bash_history HISTTIMEFORMAT='%F '"),
            Shell::Zsh => {
                Term::new(shell).rc("HISTFILE=~/.zsh_history HISTSIZE=100 SAVEHIST=100\nsetopt extended_history")
            }
            Shell::Fish => Term::new(shell),
        };
        let mut term = builder.bare().start();
        term.wait_for_prompt();
        term.run("echo 'one \\ two'");
        term.run("true caf\u{e9}");
        term.exit();
        let imported = term.shellmate(&["history", "import", "--json"]);
        assert!(imported.status.success(), "{imported:?}");
        for (word, command) in [("caf\u{e9}", "true caf\u{e9}"), ("two", "echo 'one \\ two'")] {
            let line = term.shellmate(&["history", "search", "--json", word]).stdout;
            let entry: serde_json::Value =
                serde_json::from_str(line.trim()).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!(entry["command"], command, "{}: {imported:?}", shell.name());
        }
        let line = term.shellmate(&["history", "search", "--json", "two"]).stdout;
        let entry: serde_json::Value = serde_json::from_str(line.trim()).unwrap();
        assert_eq!((&entry["imported"], &entry["status"]), (&shell.name().into(), &serde_json::Value::Null));
        assert!(entry["started_at"].is_string(), "{entry}");
        let again = term.shellmate(&["history", "import"]);
        assert!(again.stdout.contains(": added 0 of "), "{again:?}");
    });
}

#[test]
fn statistics_are_charts_within_the_window() {
    in_every_shell(|shell| {
        for (columns, no_color) in [(100, ""), (34, "1")] {
            let mut term = Term::new(shell).size(60, columns).env("NO_COLOR", no_color).start();
            term.wait_for_prompt();
            term.run("true");
            term.run("false");
            term.typed(format!("{} history stats\r", PROGRAM));
            term.wait_for("the last 30 days");
            term.wait_for_prompt();
            for heading in ["most run", "most failing", "slowest", "by hour", "by weekday"] {
                assert!(term.screen().contains(heading), "{heading}: {}", term.screen());
            }
            let bytes = String::from_utf8_lossy(&term.raw()).into_owned();
            assert_eq!(bytes.contains("\u{1b}[31m█"), no_color.is_empty(), "{bytes:?}");
        }
    });
}

#[test]
fn showing_a_large_output_takes_little_memory() {
    let mut term = Term::new(Shell::Bash).start();
    term.wait_for_prompt();
    term.run("seq 100000");
    term.exit();
    let record = term.history(&[]).remove(0);
    let (id, spill) = (record.id(), record.spill.expect("a spill file"));
    let peak = |args: &[&str]| peak_kib(&term, &[&["history", "show", &id], args].concat());
    let small = peak(&[]);
    let mib = |line: &str, count: usize| line.repeat(count * (1 << 20) / line.len());
    // Text, and text in which the cursor goes back to an earlier line.
    for text in [mib("one line of a log\r\n", 20), mib("one line\r\nof a log\x1b[1A\r\n\r\n", 4)] {
        std::fs::write(&spill, text).unwrap();
        for args in [&[][..], &["--json"]] {
            let large = peak(args);
            assert!(large < small + 6 * 1024, "{args:?} took {large} KiB, for a small output {small}");
        }
    }
    std::fs::File::create(&spill).unwrap().set_len(1 << 30).unwrap();
    let raw = peak(&["--raw"]);
    assert!(raw < small + 6 * 1024, "{raw} KiB, for a small output {small}");
}

#[test]
fn forget_deletes_commands_and_output() {
    in_every_shell(|shell| {
        let term = a_day(Term::new(shell));
        let id = term.history(&[])[0].id();
        assert!(term.shellmate(&["history", "forget", &id]).status.success());
        assert_eq!(texts(&term.history(&[])).len(), 4);
        assert_eq!(texts_of(&term, &["search", "quick"]).len(), 0, "the index forgets too");
        let database = std::fs::read(term.home().join(".local/state/shellmate/history.db")).unwrap();
        let trace = database.windows(11).any(|bytes| bytes == b"quick brown");
        assert!(!trace, "{}: what is forgotten is not in the file any more", shell.name());
        assert!(term.shellmate(&["history", "forget", "--since", "1h", "--yes"]).status.success());
        assert_eq!(term.history(&[]).len(), 0);
        let term = a_day(Term::new(shell));
        assert!(term.shellmate(&["history", "forget", "--all", "--yes"]).status.success());
        assert_eq!(term.history(&[]).len(), 0);
    });
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let term = a_day(Term::new(Shell::Bash));
    let pipe = format!("set -o pipefail; {PROGRAM} history --json | head -n 1 >/dev/null; echo ${{PIPESTATUS[*]}}");
    let mut command = Command::new("bash");
    command.args(["-c", &pipe]).env_clear().stdin(Stdio::null());
    let home = term.home();
    let output = command
        .env("HOME", &home)
        .env("XDG_STATE_HOME", home.join(".local/state"))
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let closed = format!("{PROGRAM} history >&-; {PROGRAM} history > /dev/full");
    let output = Command::new("bash")
        .args(["-c", &closed])
        .env("HOME", &home)
        .env("XDG_STATE_HOME", home.join(".local/state"))
        .output()
        .unwrap();
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{output:?}");
}

#[test]
fn on_a_terminal_the_list_is_a_table_that_fits() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).size(40, 60).start();
        term.wait_for_prompt();
        term.run(&format!("echo {}", "long ".repeat(30)));
        term.wait_for_history(|records| !records.is_empty());
        term.run("clear");
        term.run(&format!("{PROGRAM} history"));
        // The command takes one row; nothing wraps.
        let rows = term.screen().lines().filter(|line| line.contains("echo long")).count();
        assert_eq!(rows, 1, "{}", term.describe());
        assert!(term.screen().lines().all(|line| line.chars().count() <= 60 + PROGRAM.len()), "{}", term.describe());
    });
}

#[test]
fn nothing_is_recorded_while_paused() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("echo before");
        term.run(&format!("{PROGRAM} history pause"));
        term.run("echo secret");
        term.run(&format!("{PROGRAM} history resume"));
        term.run("echo after");
        let records = term.finish();
        let texts: Vec<&str> =
            records.iter().map(|record| record.command.as_str()).filter(|text| text.starts_with("echo")).collect();
        assert_eq!(texts, ["echo before", "echo after"], "{}", shell.name());
    });
}

#[test]
fn settings_exclude_commands_from_the_history() {
    in_every_shell(|shell| {
        let config = "[history]\nignore = ['^pass', 'token=']\n";
        let mut term = Term::new(shell).config(config).rc("alias pass=echo").start();
        term.wait_for_prompt();
        for command in ["echo kept", "pass show mail", "echo token=1", "echo a pass"] {
            term.run(command);
        }
        assert_eq!(in_short(&term.finish()), [("echo kept", 0), ("echo a pass", 0)], "{}", shell.name());

        let mut term = Term::new(shell).config("[history]\nenabled = false\n").start();
        term.wait_for_prompt();
        term.run("echo unseen");
        assert_eq!(term.finish(), []);
    });
}

#[test]
fn the_history_is_private() {
    in_every_shell(|shell| {
        let term = a_day(Term::new(shell));
        let state = term.home().join(".local/state/shellmate");
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&state), 0o700);
        for entry in std::fs::read_dir(&state).unwrap().flatten() {
            let wanted = if entry.path().is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode(&entry.path()), wanted, "{}", entry.path().display());
        }
    });
}

#[test]
fn two_terminals_share_the_history() {
    in_every_shell(|shell| {
        let mut one = Term::new(shell).start();
        one.wait_for_prompt();
        one.run("echo from one");
        let state = one.home().join(".local/state");
        let mut two = Term::new(shell).env("XDG_STATE_HOME", state).start();
        two.wait_for_prompt();
        two.run("echo from two");
        let both = one.wait_for_history(|records| records.len() >= 2);
        assert_ne!(both[0].session, both[1].session);
        two.run("echo two again");
        one.run("echo one again");
        two.exit();
        let records = one.finish();
        assert_eq!(texts(&records).len(), 4, "{}: {records:?}", shell.name());
    });
}

#[test]
fn a_killed_session_loses_only_what_was_running() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("echo one");
        term.run("echo two");
        term.wait_for_history(|records| records.len() == 2);
        term.typed("sleep 1000\r");
        term.wait_for("sleep 1000\n");
        term.signal(nix::sys::signal::Signal::SIGKILL);
        term.wait_status();
        let records = term.history(&[]);
        assert_eq!(in_short(&records[..2]), [("echo one", 0), ("echo two", 0)], "{}", shell.name());
        let output = term.shellmate(&["history", "search", "two"]);
        assert!(output.status.success(), "{output:?}");
    });
}

#[test]
fn commands_are_stored_while_the_session_runs() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("echo visible at once");
        let records = term.wait_for_history(|records| !records.is_empty());
        assert_eq!(records[0].command, "echo visible at once");
    });
}

#[test]
fn an_empty_history_has_a_message() {
    let builder = Term::new(Shell::Bash).args(["history"]);
    let output = builder.command().stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let builder = Term::new(Shell::Bash).args(["history", "search"]);
    let output = builder.command().stdin(Stdio::null()).output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{output:?}");
    let builder = Term::new(Shell::Bash).args(["history", "nonsense"]);
    let output = builder.command().stdin(Stdio::null()).output().unwrap();
    assert!(!output.status.success() && !output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_list_that_is_empty_says_so_on_stderr() {
    let said = |term: &Term, args: &[&str]| {
        let output = term.shellmate(args);
        assert!(output.status.success() && output.stdout.is_empty(), "{args:?}: {}{}", output.stdout, output.stderr);
        output.stderr
    };
    let mut term = Term::new(Shell::Bash).start();
    term.wait_for_prompt();
    assert_eq!(said(&term, &["history"]), "shellmate: no command has been recorded yet\n");
    term.run("true");
    term.exit();
    let nothing = "shellmate: no recorded command matches; `shellmate history` lists all\n";
    assert_eq!(said(&term, &["history", "search", "nowhere"]), nothing);
    assert_eq!(said(&term, &["history", "--failed"]), nothing);
    assert_eq!(said(&term, &["history", "search", "nowhere", "--json"]), "");
    assert_eq!(said(&term, &["history", "--failed", "--json"]), "");
}
