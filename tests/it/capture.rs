//! What a command printed: kept as bytes, bounded, and read back as the terminal showed it.

use std::os::unix::fs::PermissionsExt;

use crate::harness::{Key, Record, Shell, Term, available, in_every_shell};

/// What `show` says of the only command with this text.
#[track_caller]
fn shown(term: &Term, command: &str) -> Record {
    let record = term.history(&[]).into_iter().find(|record| record.command == command);
    let record = record.unwrap_or_else(|| panic!("{command} was not recorded\n{}", term.describe()));
    term.history(&["show", &record.id()]).remove(0)
}

/// Runs one command and returns what is kept of it.
#[track_caller]
fn kept(shell: Shell, command: &str) -> Record {
    let mut term = Term::new(shell).start();
    term.wait_for_prompt();
    term.run(command);
    term.exit();
    shown(&term, command)
}

fn output(record: &Record) -> &str {
    record.output.as_deref().unwrap_or_default().trim_end_matches('\n')
}

#[test]
fn lines_wider_than_the_screen_are_whole() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).size(30, 40).start();
        term.wait_for_prompt();
        term.run("seq -s ' ' 60");
        term.exit();
        let wanted: Vec<String> = (1..=60).map(|n| n.to_string()).collect();
        assert_eq!(output(&shown(&term, "seq -s ' ' 60")), wanted.join(" "), "{}", shell.name());
    });
}

#[test]
fn full_screen_programs_leave_a_name_and_no_text() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).file("long", "a line\n".repeat(500)).start();
        term.wait_for_prompt();
        if available("less") {
            term.typed("less long\r");
            term.wait_until(|screen| screen.alternate_screen() && screen.contents().contains("long"));
            term.key(Key::Ctrl('f'));
            term.typed("q");
            term.wait_for_prompt();
        }
        if available("vim") {
            term.typed("vim -u NONE -N long\r");
            term.wait_until(|screen| screen.alternate_screen() && screen.contents().contains("500L"));
            term.typed(":q\r");
            term.wait_for_prompt();
        }
        term.run("echo after");
        let records = term.finish();
        let (last, full) = records.split_last().unwrap();
        assert!(full.iter().all(|record| record.full_screen), "{}: {records:?}", shell.name());
        for record in full {
            assert_eq!(shown(&term, &record.command).output.unwrap_or_default(), "", "{}", shell.name());
        }
        assert!(!last.full_screen);
    });
}

#[test]
fn what_is_typed_with_the_echo_off_is_nowhere() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        let read = "bash -c 'read -rsp Password: secret; echo; echo thanks'";
        term.typed(format!("{read}\r"));
        term.wait_for("Password:\n".trim_end());
        term.wait_until(|screen| screen.contents().contains("\nPassword:"));
        term.typed("hunter2\r");
        term.wait_for_prompt();
        term.exit();
        let record = shown(&term, read);
        assert!(!output(&record).contains("hunter2") && output(&record).contains("thanks"), "{record:?}");
        let state = term.home().join(".local/state/shellmate");
        for entry in std::fs::read_dir(state).unwrap().flatten().filter(|entry| entry.path().is_file()) {
            let bytes = std::fs::read(entry.path()).unwrap();
            assert!(!bytes.windows(7).any(|window| window == b"hunter2"), "{}", entry.path().display());
        }
    });
}
