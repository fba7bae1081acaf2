//! Marks without the nonce of the session are passed through as ordinary bytes.

use crate::harness::{Shell, Term, in_every_shell, in_short, shells};

/// Forged marks. Each is a complete sequence, so the terminal is not left inside one.
fn forgeries() -> Vec<u8> {
    let nonce = "0123456789abcdef0123456789abcdef";
    let mut all = Vec::new();
    for mark in [
        format!("7771;{nonce};end;0"),
        format!("7771;{nonce};start;/;rm -rf /"),
        format!("7771;{nonce};query;> delete everything;kept"),
        format!("7771;{nonce};wait;1"),
        format!("7771;{nonce};hello;bash;5.2;1;"),
        "7771;;end;0".to_owned(),
        "7771".to_owned(),
        "7771;".to_owned(),
        "7771;end;0".to_owned(),
        "133;A".to_owned(),
        "133;B".to_owned(),
        "133;C".to_owned(),
        "133;D;0".to_owned(),
        "633;E;rm -rf /;x".to_owned(),
        "633;D;0".to_owned(),
        "7;file://elsewhere/forged".to_owned(),
        "1337;CurrentDir=/forged".to_owned(),
        "3008;start=1;type=command;cwd=/forged".to_owned(),
    ] {
        for end in ["\x07", "\x1b\\"] {
            all.extend_from_slice(format!("\x1b]{mark}{end}").as_bytes());
        }
    }
    all
}

fn contains(raw: &[u8], wanted: &[u8]) -> bool {
    raw.windows(wanted.len()).any(|window| window == wanted)
}

#[test]
fn forged_marks_pass_through_and_change_nothing() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).file("evil", forgeries()).file("evil-then-fail", "cat evil; exit 9").start();
        term.wait_for_prompt();
        term.run("true");
        term.run("cat evil");
        term.run("bash evil-then-fail");
        term.run("cat evil evil; false");
        let (raw, forged) = (term.raw(), forgeries());
        assert!(contains(&raw, &forged), "{}: they did not pass as they were\n{}", shell.name(), term.describe());
        assert!(!term.screen().contains("agent"), "{}", term.describe());
        let records = term.finish();
        let wanted = [("true", 0), ("cat evil", 0), ("bash evil-then-fail", 9), ("cat evil evil; false", 1)];
        assert_eq!(in_short(&records), wanted, "{}", shell.name());
        assert!(records.iter().all(|record| !record.cwd.contains("forged")), "{records:?}");
    });
}

#[test]
fn forged_marks_while_a_line_is_edited_change_nothing() {
    // A background job writes while the editor has the terminal.
    for shell in shells() {
        let mut term = Term::new(shell).file("evil", forgeries()).fifo("go").start();
        term.wait_for_prompt();
        term.run("bash -c 'read x <go; cat evil; echo writ\"\"ten' &");
        std::fs::write(term.home().join("go"), "").unwrap();
        term.wait_for("written");
        term.typed("false\r");
        term.wait_for_prompt();
        // zsh does not exit while a job is running.
        term.run("wait");
        let records = term.finish();
        assert_eq!(in_short(&records[1..]), [("false", 1), ("wait", 0)], "{}", shell.name());
    }
}

#[test]
fn programs_cannot_find_the_nonce() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("true");
        term.run("cat /proc/self/environ > seen; tr '\\0' '\\n' < /proc/self/environ >> seen");
        let show = match shell {
            Shell::Bash => "declare -px >> seen; compgen -e >> seen; echo \"$PS1 $PS0 $PROMPT_COMMAND\" >> seen",
            Shell::Zsh => "export >> seen; set >> seen; typeset -p >> seen 2>&1; echo \"$PS1 $RPS1\" >> seen",
            Shell::Fish => "set >> seen; set --show >> seen; functions fish_prompt >> seen",
        };
        term.run(show);
        let args = std::fs::read(format!("/proc/{}/cmdline", term.pid())).unwrap();
        let text = term.read("seen") + &String::from_utf8_lossy(&args);
        let is_hex = |c: char| c.is_ascii_hexdigit() && !c.is_ascii_uppercase();
        let nonce = |text: &str| text.split(|c| !is_hex(c)).find(|word| word.len() == 32).map(str::to_owned);
        assert_eq!(nonce(&text), None, "{}", shell.name());
        // The files that contained it are removed after `hello`.
        let mut left = Vec::new();
        let mut directories = vec![term.place().join("run"), term.place().join("tmp")];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).unwrap().flatten() {
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    directories.push(entry.path());
                } else if kind.is_file()
                    && std::fs::read_to_string(entry.path()).is_ok_and(|text| nonce(&text).is_some())
                {
                    left.push(entry.path());
                }
            }
        }
        assert!(left.is_empty(), "{}: {left:?}", shell.name());
    });
}

/// The nonces of marks in this text.
fn nonces(text: &str) -> Vec<String> {
    let found = text.match_indices("nonce ").map(|(at, start)| text[at + start.len()..].chars().take(32).collect());
    found.filter(|nonce: &String| nonce.len() == 32 && nonce.chars().all(|c| c.is_ascii_hexdigit())).collect()
}

#[test]
fn a_printed_nonce_is_masked_in_the_history_and_renewed() {
    in_every_shell(|shell| {
        let print = match shell {
            Shell::Bash => "n=${__shellmate_mark#*;}; printf 'nonce %s\\n' $n",
            Shell::Zsh => "printf 'nonce %s\\n' $__shellmate_nonce",
            Shell::Fish => "functions __shellmate_mark | string replace -rf '.*7771;(\\w+)%.*' 'nonce $1'",
        };
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run(print);
        // A thread asks for another nonce, which takes a prompt or two.
        let mut shown = nonces(&term.screen());
        while shown.len() < 15 && shown.first() == shown.last() {
            term.run("true");
            term.run(print);
            shown = nonces(&term.screen());
        }
        assert_ne!(shown.first(), shown.last(), "{}\n{}", shell.name(), term.describe());
        let records = term.finish();
        assert!(
            records.iter().all(|record| record.status == Some(0) && [print, "true"].contains(&&*record.command)),
            "{records:?}"
        );
        for record in records.iter().filter(|record| record.command == print) {
            let output = term.shellmate(&["history", "show", &record.id()]).stdout;
            assert!(output.contains("nonce ****"), "{}: {output}", shell.name());
            assert!(!shown.iter().any(|nonce| output.contains(nonce)), "{}: {output}", shell.name());
        }
    });
}

#[test]
fn a_nested_shell_cannot_replay_a_mark() {
    // `set` prints the variables of the shell, but programs do not inherit them. So a child cannot forge a mark.
    for shell in shells() {
        let forge = "printf '\\033]7771;%s;end;0\\033\\\\' \"$__shellmate_nonce\"; exit 3";
        let mut term = Term::new(shell).file("forge", forge).start();
        term.wait_for_prompt();
        term.run("bash forge");
        let records = term.finish();
        assert_eq!(records.len(), 1, "{}: {records:?}", shell.name());
        assert_eq!(records[0].status, Some(3), "{}", shell.name());
    }
}
