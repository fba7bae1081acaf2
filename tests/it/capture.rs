//! The output of commands: kept as bytes within limits, and read back as the terminal showed it.

use std::os::unix::fs::PermissionsExt;

use crate::harness::{HistoryEntry, Key, Shell, Term, available, in_every_shell};

/// The output of `history show` for the only command with this text.
#[track_caller]
fn shown(term: &Term, command: &str) -> HistoryEntry {
    let record = term.history(&[]).into_iter().find(|record| record.command == command);
    let record = record.unwrap_or_else(|| panic!("{command} was not recorded\n{}", term.describe()));
    term.history(&["show", &record.id()]).remove(0)
}

/// Runs one command and returns its record.
#[track_caller]
fn kept(shell: Shell, command: &str) -> HistoryEntry {
    let mut term = Term::new(shell).start();
    term.wait_for_prompt();
    term.run(command);
    term.exit();
    shown(&term, command)
}

fn output(record: &HistoryEntry) -> &str {
    record.output.as_deref().unwrap_or_default().trim_end_matches('\n')
}

#[test]
fn only_the_output_of_the_command_is_captured() {
    in_every_shell(|shell| {
        for (command, text) in [
            ("echo one", "one"),
            ("printf 'no newline'", "no newline"),
            ("true", ""),
            ("echo out; echo err >&2", "out\nerr"),
            ("printf 'a\\n\\n\\nb\\n'", "a\n\n\nb"),
            ("printf '\\033[1;31mred\\033[0m plain\\n'", "red plain"),
            ("printf '10%%\\r50%%\\r100%%\\n'", "100%"),
            ("printf 'abc\\b\\bX\\n'", "aXc"),
            ("printf 'a\\tb\\n'", "a       b"),
            ("printf 'one\\ntwo\\n\\033[1A\\033[2KTWO\\n'", "one\nTWO"),
            ("printf '漢字 🦀 żółw\\n'", "漢字 🦀 żółw"),
            ("printf '\\033]0;title\\aafter\\n'", "after"),
        ] {
            let record = kept(shell, command);
            assert_eq!(output(&record), text, "{} {command}", shell.name());
            assert!(!record.truncated && !record.full_screen && record.spill.is_none(), "{record:?}");
        }
        assert_eq!(kept(shell, "echo one").output_bytes, 5, "{}", shell.name());
        assert_eq!(kept(shell, "true").output_bytes, 0, "{}", shell.name());
    });
}

/// Frameworks set titles before and after a command; fish resets colours. A command that only sets modes or clears prints nothing.
#[test]
fn escape_sequences_without_text_are_not_output() {
    let bash = r#"trap '[ -n "$COMP_LINE" ] || printf "\033]0;%s\a\033kname\033\\" "$BASH_COMMAND"' DEBUG; PROMPT_COMMAND='printf "\033]2;idle\a"'"#;
    let zsh = r"run() { print -n '\e]2;run\a\e]1;run\a\ekrun\e\\' }; idle() { print -n '\e]2;idle\a\ekidle\e\\' }
        preexec_functions+=(run); precmd_functions=(idle $precmd_functions)";
    let fish =
        r"function fish_title; echo running $argv; end; function run --on-event fish_preexec; printf '\ekrun\e\\'; end";
    in_every_shell(|shell| {
        let rc = match shell {
            Shell::Bash => bash,
            Shell::Zsh => zsh,
            Shell::Fish => fish,
        };
        for terminal in ["xterm-256color", "tmux-256color", "linux", "vt100"] {
            let mut term = Term::new(shell).rc(rc).env("TERM", terminal).start();
            term.wait_for_prompt();
            // fish 4.0 prints the padding of this terminal's sequences as text, so every command has output.
            if term.raw().windows(4).any(|bytes| bytes == b"$<2>") {
                continue;
            }
            let commands = [("true", 0), ("echo one", 5), (r"printf '\033]0;title\a\033[31m\033[m\a'", 0), ("echo", 2)];
            commands.iter().for_each(|(command, _)| term.run(command));
            term.exit();
            for (command, bytes) in commands {
                assert_eq!(shown(&term, command).output_bytes, bytes, "{} {terminal} {command}", shell.name());
            }
        }
    });
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
fn a_large_output_is_spilled_whole_and_privately() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("seq 100000");
        term.exit();
        let record = shown(&term, "seq 100000");
        assert!((688_895..688_995).contains(&record.output_bytes), "{} {record:?}", shell.name());
        let spill = record.spill.clone().unwrap_or_else(|| panic!("not spilled: {record:?}"));
        let text = std::fs::read_to_string(&spill).unwrap();
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(spill.as_ref()), 0o600);
        assert_eq!(mode(std::path::Path::new(&spill).parent().unwrap()), 0o700);
        assert_eq!(text.lines().count(), 100_000);
        let raw = term.shellmate(&["history", "show", &record.id(), "--raw"]);
        for text in [&text, &raw.stdout] {
            assert!(text.starts_with("1\r\n2\r\n") || text.contains("\r1\r\n2\r\n"), "{}", shell.name());
            assert!(text.ends_with("99999\r\n100000\r\n"), "{}", shell.name());
        }
    });
}

#[test]
fn an_output_over_the_cap_keeps_its_head_and_tail() {
    in_every_shell(|shell| {
        let config = "[capture]\nhead = 1024\ntail = 2048\nspill = 4096\n";
        let mut term = Term::new(shell).config(config).start();
        term.wait_for_prompt();
        term.run("seq 10000");
        term.exit();
        let record = shown(&term, "seq 10000");
        assert!(record.truncated, "{record:?}");
        assert!((58_894..58_994).contains(&record.output_bytes), "{} {record:?}", shell.name());
        assert!(output(&record).starts_with("1\n2\n") && output(&record).ends_with("\n9999\n10000"), "{record:?}");
        if let Some(spill) = &record.spill {
            assert!(std::fs::metadata(spill).unwrap().len() <= 4096);
        }
    });
}

#[test]
fn full_screen_programs_are_recorded_without_output() {
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
fn text_typed_without_echo_is_not_recorded() {
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

#[test]
fn files_of_a_killed_session_are_swept_by_the_next() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.typed("seq 200000; sleep 1000\r");
        term.wait_for("\n200000\n");
        term.signal(nix::sys::signal::Signal::SIGKILL);
        term.wait_status();
        let runtime = term.place().join("run/shellmate");
        let before: Vec<_> = std::fs::read_dir(&runtime).unwrap().flatten().map(|entry| entry.path()).collect();
        assert!(!before.is_empty(), "the killed session left its directory");
        let mut next = Term::new(shell)
            .env("XDG_RUNTIME_DIR", term.place().join("run"))
            .env("XDG_STATE_HOME", term.home().join(".local/state"))
            .start();
        next.wait_for_prompt();
        next.run("true");
        next.exit();
        let left: Vec<_> = before.iter().filter(|path| path.exists()).flat_map(|path| files_below(path)).collect();
        assert!(left.is_empty(), "{}: {left:?}\n{}", shell.name(), term.describe());
    });
}

#[test]
fn a_session_that_ends_leaves_no_runtime_files() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("echo one");
        term.exit();
        let mut left = files_below(&term.place().join("run/shellmate"));
        // This file holds the time of the last sweep.
        left.retain(|path| !path.ends_with(".swept"));
        assert!(left.is_empty(), "{}: {left:?}", shell.name());
    });
}

/// All files below a directory, or none if it does not exist.
fn files_below(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.flat_map(|entry| [vec![entry.path()], files_below(&entry.path())].concat()).collect()
}
