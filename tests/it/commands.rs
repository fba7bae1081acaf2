//! Every command is recorded exactly once: its text as typed, its directory and its status.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::harness::{Builder, HistoryEntry, Key, Shell, Term, all, in_every_shell, in_short, shells};

/// Runs the commands one after the other and returns the history.
#[track_caller]
fn remembered(builder: Builder, commands: &[&str]) -> Vec<HistoryEntry> {
    let mut term = builder.start();
    term.wait_for_prompt();
    commands.iter().for_each(|command| term.run(command));
    term.finish()
}

#[test]
fn text_and_status() {
    in_every_shell(|shell| {
        let commands = [
            ("true", 0),
            ("false", 1),
            ("bash -c 'exit 42'", 42),
            ("bash -c 'kill -9 $$'", 137),
            ("no-such-command-here", 127),
            ("echo one | grep two", 1),
            ("echo 'single' \"double $HOME\" back\\ slash", 0),
            ("echo a; false; bash -c 'exit 3'", 3),
            ("echo 100% %s %d %41 ';' ^ ~", 0),
            ("echo 'żółw 漢字 🦀'", 0),
            ("bash -c '(exit 9)'", 9),
            ("true &", 0),
            // zsh does not exit while a job is running.
            ("wait", 0),
        ];
        let records = remembered(Term::new(shell), &commands.map(|(command, _)| command));
        assert_eq!(in_short(&records), commands, "{}", shell.name());
        assert!(records.iter().all(|record| record.session == records[0].session));
    });
}

#[test]
fn an_empty_line_is_not_a_command() {
    in_every_shell(|shell| {
        let records = remembered(Term::new(shell), &["", "true", "", "   ", "false", ""]);
        assert_eq!(in_short(&records), [("true", 0), ("false", 1)], "{}", shell.name());
    });
}

#[test]
fn a_comment_is_not_a_second_command() {
    in_every_shell(|shell| {
        let records = remembered(
            Term::new(shell).rc("test -n \"$ZSH_VERSION\" && setopt interactive_comments"),
            &["false", "# only words", "true # and words"],
        );
        let texts: Vec<&str> = records.iter().map(|record| record.command.as_str()).collect();
        assert!(
            texts == ["false", "true # and words"] || texts == ["false", "# only words", "true # and words"],
            "{texts:?}"
        );
        assert_eq!(records[0].status, Some(1), "{}", shell.name());
    });
}

#[test]
fn a_command_of_several_lines_is_one_record() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.typed("echo 'first\rsecond'\r");
        term.wait_for_prompt();
        let open =
            if shell == Shell::Fish { "for i in 1 2\recho $i\rend\r" } else { "for i in 1 2\rdo echo $i\rdone\r" };
        term.typed(open);
        term.wait_for_prompt();
        if shell != Shell::Fish {
            term.typed("cat <<END\rin a document\rEND\r");
            term.wait_for_prompt();
        }
        term.run("true");
        let records = term.finish();
        let texts: Vec<String> = records.iter().map(|record| record.command.clone()).collect();
        assert_eq!(texts[0], "echo 'first\nsecond'", "{}", shell.name());
        assert!(texts[1].contains('\n') && texts[1].contains("echo $i"), "{texts:?}");
        assert_eq!(texts.len(), if shell == Shell::Fish { 3 } else { 4 }, "{texts:?}");
    });
}

#[test]
fn each_pasted_line_is_a_command() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.paste("echo pasted one");
        term.paste(" two");
        term.key(Key::Enter);
        term.wait_for_prompt();
        let records = term.finish();
        assert_eq!(in_short(&records), [("echo pasted one two", 0)], "{}", shell.name());
    });
}

#[test]
fn recalled_and_edited_text_is_recorded_as_run() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("echo one");
        term.key(Key::Up);
        term.wait_until(|screen| screen.contents().matches("$ echo one").count() == 2);
        term.typed(" more");
        term.key(Key::Enter);
        term.wait_for_prompt();
        let records = term.finish();
        assert_eq!(in_short(&records), [("echo one", 0), ("echo one more", 0)], "{}", shell.name());
    });
}

#[test]
fn aliases_and_history_expansion() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).rc("alias greet='echo hello'").start();
        term.wait_for_prompt();
        term.run("greet you");
        term.wait_for("hello you");
        if shell != Shell::Fish {
            term.run("!!");
        }
        let records = term.finish();
        assert_eq!(records[0].command, "greet you");
        if shell != Shell::Fish {
            assert_eq!(records.len(), 2);
            assert_eq!(records[1].status, Some(0));
            assert!(["!!", "greet you"].contains(&records[1].command.as_str()), "{records:?}");
        }
    });
}

#[test]
fn commands_that_the_shell_history_omits_are_recorded() {
    for (shell, rc) in [
        (Shell::Bash, "HISTCONTROL=ignoreboth:erasedups HISTIGNORE='echo*:ls'"),
        (Shell::Bash, "unset HISTFILE; HISTSIZE=0"),
        (Shell::Bash, "set +o history"),
        (Shell::Zsh, "setopt hist_ignore_all_dups hist_ignore_space hist_no_store"),
        (Shell::Zsh, "HISTSIZE=0"),
    ] {
        if !shell.available() {
            continue;
        }
        let records = remembered(Term::new(shell).rc(rc), &["echo a", "echo a", "false", "false", "echo a"]);
        let wanted = [("echo a", 0), ("echo a", 0), ("false", 1), ("false", 1), ("echo a", 0)];
        assert_eq!(in_short(&records), wanted, "{} {rc}", shell.name());
    }
}

#[test]
fn a_line_that_begins_with_a_blank_is_private() {
    in_every_shell(|shell| {
        let options = match shell {
            Shell::Bash => ["", "HISTCONTROL=ignorespace"],
            Shell::Zsh => ["", "setopt hist_ignore_space"],
            Shell::Fish => ["", "set -g fish_history ''"],
        };
        for rc in options {
            let records = remembered(Term::new(shell).rc(rc), &["true", " echo secret", "false"]);
            let texts: Vec<&str> = records.iter().map(|record| record.command.as_str()).collect();
            assert_eq!(texts, ["true", "false"], "{} {rc}", shell.name());
        }
    });
}

#[test]
fn the_directory_is_where_the_command_was_started() {
    let odd =
        ["with space", "100%", "it's \"quoted\"", "new\nline", "🦀 漢字", ";semi&amp", "-dash", "$HOME", "back\\slash"];
    for shell in shells() {
        let mut builder = Term::new(shell);
        for name in odd {
            builder = builder.file(&format!("dirs/{name}/x"), "");
        }
        let mut term = builder.start();
        term.wait_for_prompt();
        let directories = term.home().join("dirs");
        for name in odd {
            std::os::unix::fs::symlink(directories.join(name), term.home().join("next")).unwrap();
            let physically = if shell == Shell::Fish { "cd (realpath ~/next)" } else { "cd -P ~/next" };
            if shell == Shell::Fish && name.contains('\n') {
                term.run("cd (realpath ~/next | string collect)");
            } else {
                term.run(physically);
            }
            std::fs::remove_file(term.home().join("next")).unwrap();
            term.run("true here");
        }
        let records = term.finish();
        let here: Vec<&str> =
            records.iter().filter(|record| record.command == "true here").map(|record| record.cwd.as_str()).collect();
        let wanted: Vec<String> = odd.iter().map(|name| directories.join(name).display().to_string()).collect();
        assert_eq!(here, wanted, "{}", shell.name());
    }
}

#[test]
fn a_directory_name_need_not_be_utf8() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        std::fs::create_dir(term.home().join(OsStr::from_bytes(b"bad\xff\xfename"))).unwrap();
        term.wait_for_prompt();
        term.run("cd bad*name");
        term.run("true here");
        let records = term.finish();
        assert_eq!(records.len(), 2, "{records:?}");
        assert!(records[1].cwd.contains("/bad") && records[1].cwd.ends_with("name"), "{records:?}");
    });
}

#[test]
fn a_directory_change_and_the_time_it_took() {
    in_every_shell(|shell| {
        let records = remembered(Term::new(shell), &["cd /usr", "sleep 0.3", "cd /"]);
        assert_eq!((records[1].cwd.as_str(), records[2].cwd.as_str()), ("/usr", "/usr"), "{}", shell.name());
        let took = records[1].duration_ms.unwrap();
        // The time is taken when the mark is read, which on a busy machine is a little later.
        assert!((200..10_000).contains(&took), "{took}");
        assert!(records[0].duration_ms.unwrap() < 10_000);
    });
}

/// A program that prints when it is in the foreground, so that the test knows who gets the next key.
pub(crate) const SLOW: &str =
    "bash --norc -c 'trap \"echo con\\\"\\\"tinued\" CONT; echo re\"\"ady; while :; do sleep 0.1; done'";

#[test]
fn interrupted_stopped_and_continued() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        let slow = SLOW;
        let start = |term: &mut Term, times: usize| {
            term.typed(format!("{slow}\r"));
            term.wait_until(|screen| {
                screen.contents().lines().filter(|line| line.trim_end() == "ready").count() == times
            });
        };
        start(&mut term, 1);
        term.key(Key::CtrlC);
        term.wait_for_prompt();
        start(&mut term, 2);
        term.key(Key::CtrlZ);
        term.wait_for_prompt();
        term.typed("fg\r");
        term.wait_for("\ncontinued\n");
        term.key(Key::CtrlC);
        term.wait_for_prompt();
        let records = term.finish();
        let statuses: Vec<i32> = records.iter().map(|record| record.status.unwrap()).collect();
        let texts: Vec<&str> = records.iter().map(|record| record.command.as_str()).collect();
        assert_eq!(texts, [slow, slow, "fg"], "{}", shell.name());
        // In fish `fg` itself succeeds whatever the job does, and a stopped job has no status.
        let continued = if shell == Shell::Fish { 0 } else { 130 };
        assert_eq!((statuses[0], statuses[2]), (130, continued), "{}", shell.name());
        assert!(shell == Shell::Fish || statuses[1] == 148, "{} {statuses:?}", shell.name());
    });
}

#[test]
fn a_cancelled_line_is_not_a_command() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("true");
        term.give_up("echo never");
        term.run("false");
        assert_eq!(in_short(&term.finish()), [("true", 0), ("false", 1)], "{}", shell.name());
    });
}

#[test]
fn inner_shells_scripts_and_jobs_add_no_commands() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).file("script", "true\nfalse\necho from script\n").start();
        term.wait_for_prompt();
        term.run("bash script");
        term.typed("bash --norc\r");
        term.wait_for("bash-");
        term.typed("echo in''side; exit 3\r");
        term.wait_for_prompt();
        term.run("true");
        term.run("bash -c 'echo in the background' &");
        term.run("wait");
        let records = term.finish();
        let wanted = [
            ("bash script", 0),
            ("bash --norc", 3),
            ("true", 0),
            ("bash -c 'echo in the background' &", 0),
            ("wait", 0),
        ];
        assert_eq!(in_short(&records), wanted, "{}", shell.name());
    });
}

#[test]
fn the_same_shell_inside_does_not_confuse_the_outer_one() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("true");
        term.typed(format!("{}\r", shell.name()));
        term.wait_until(|screen| screen.contents().matches("[1]$").count() == 2);
        term.typed("false\r");
        term.wait_until(|screen| screen.contents().matches("[2]$").count() == 2);
        term.typed("exit 4\r");
        term.wait_for_prompt();
        let records = term.finish();
        assert_eq!(in_short(&records), [("true", 0), (shell.name(), 4)], "{}", shell.name());
    });
}

#[test]
fn a_shell_that_execs_itself_keeps_working() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("true");
        term.typed(format!("exec {}\r", shell.name()));
        term.wait_until(|screen| screen.contents().matches("[1]$").count() == 2);
        term.typed("echo still he''re\r");
        term.wait_for("\nstill here\n");
        assert_eq!(term.exit().code(), Some(0), "{}", shell.name());
    });
}

/// How often `needle` occurs in `bytes`.
fn count(raw: &[u8], bytes: &[u8]) -> usize {
    raw.windows(bytes.len()).filter(|window| *window == bytes).count()
}

#[test]
fn an_answer_is_output_to_the_outer_terminal() {
    in_every_shell(|shell| {
        for rc in ["", "printf '\\033]133;A\\007'"] {
            let mut term = Term::new(shell).rc(rc).start();
            term.wait_for_prompt();
            term.typed("> what is this\r");
            term.wait_for_prompt();
            term.wait_for_raw(b"\r\n\x1b]133;C\x1b\\No model");
        }
    });
}

#[test]
fn a_notice_is_not_part_of_the_prompt() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).config("this is [not toml").start();
        term.wait_for_prompt();
        let raw = term.raw();
        let at = |bytes: &[u8]| raw.windows(bytes.len()).position(|window| window == bytes);
        let (notice, prompt) = (at(b"shellmate: "), at(b"\x1b]133;A"));
        assert!(notice.is_some() && notice < prompt, "{}\n{}", shell.name(), term.describe());
    });
}

#[test]
fn the_outer_terminal_gets_marks_from_one_source() {
    all([Shell::Bash, Shell::Zsh].into_iter().filter(|shell| shell.available()).map(|shell| {
        (shell.name(), move || {
            // The number of Visual Studio Code's marks.
            let mut term = Term::new(shell).rc("printf '\\033]633;P;Cwd=/\\007'").start();
            term.wait_for_prompt();
            term.run("true");
            assert_eq!(count(&term.raw(), b"\x1b]133;"), 0, "{}", term.describe());
            // Marks of another shell, perhaps on another machine, do not count.
            let mut term = Term::new(shell).start();
            term.wait_for_prompt();
            term.run("printf '\\033]133;A\\007\\n'");
            let before = count(&term.raw(), b"\x1b]133;C\x1b\\");
            term.run("true");
            assert_eq!(count(&term.raw(), b"\x1b]133;C\x1b\\"), before + 1, "{}", term.describe());
        })
    }));
}

#[test]
fn titles_and_bells_of_a_command_are_sent_once() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        // fish 4.1 and later ask the terminal for its name.
        let before = term.raw().len();
        term.run("printf '\\033]2;a %s\\007\\007\\033[?7$p\\033[>0q' title");
        term.run("true");
        term.typed("> hello\r");
        term.wait_for_prompt();
        for bytes in [&b"\x1b]2;a title\x07"[..], b"\x1b[?7$p", b"\x1b[>0q"] {
            assert_eq!(
                count(&term.raw()[before..], bytes),
                1,
                "{}: {}\n{}",
                shell.name(),
                bytes.escape_ascii(),
                term.describe()
            );
        }
    });
}

#[test]
fn every_prompt_is_announced_to_the_outer_terminal() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("false");
        term.exit();
        let raw = term.raw();
        let has = |mark: &[u8]| raw.windows(mark.len()).any(|bytes| bytes == mark);
        // fish 4 sends its own marks, without one for the end of the prompt.
        let speaks = has(b"\x1b]133;A;special_key=1");
        for mark in [&b"\x1b]133;A"[..], b"\x1b]133;B", b"\x1b]133;C", b"\x1b]133;D;1"] {
            if speaks && mark == b"\x1b]133;B" {
                continue;
            }
            assert!(has(mark), "{}: no {}\n{}", shell.name(), mark.escape_ascii(), term.describe());
        }
        assert!(has(b"\x1b]7;file://"), "{}: no directory\n{}", shell.name(), term.describe());
        assert!(!has(b"7771"), "{}: a private mark came through\n{}", shell.name(), term.describe());
    });
}

#[test]
fn control_characters_typed_literally() {
    // In fish Ctrl-V pastes.
    for shell in shells().into_iter().filter(|shell| *shell != Shell::Fish) {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        // Ctrl-V inserts the next key literally: a tab, an escape, a bell.
        let line = "printf '%s' 'a\u{16}\tb\u{16}\u{1b}[31mc\u{16}\u{7}d' >/dev/null\r";
        term.typed(line);
        term.wait_for_prompt();
        let records = term.finish();
        let wanted = "printf '%s' 'a\tb\u{1b}[31mc\u{7}d' >/dev/null";
        assert_eq!(in_short(&records), [(wanted, 0)], "{}", shell.name());
    }
}

#[test]
fn a_very_long_command() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        let long = format!("true {}", "word ".repeat(2_000).trim_end());
        term.paste(&long);
        term.run("");
        let records = term.finish();
        assert_eq!(records.len(), 1, "{}", shell.name());
        assert!(records[0].command == long, "{}: {} bytes of {}", shell.name(), records[0].command.len(), long.len());
    });
}

#[test]
fn many_commands_take_no_more_memory() {
    // A leak shows in a few hundred; `TEST_COMMANDS=10000 TEST_PATIENCE=40` takes minutes.
    let many: usize = std::env::var("TEST_COMMANDS").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        let mut resident = |count: usize, name: &str| {
            term.typed("true\r".repeat(count));
            term.typed(format!("echo fin''ished {name}\r"));
            term.wait_for(&format!("\nfinished {name}\n"));
            let status = std::fs::read_to_string(format!("/proc/{}/status", term.pid())).unwrap();
            let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap().to_owned();
            line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
        };
        let before = resident(100, "one");
        let after = resident(many, "two");
        eprintln!("{}: {before} KiB after 100 commands, {after} KiB after {many} more", shell.name());
        // The page cache of the database grows up to 2 MB.
        assert!(after < before + 2048, "{}: {before} KiB, then {after} KiB", shell.name());
    });
}

#[test]
fn commands_typed_before_the_first_prompt_are_recorded() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.typed("echo one\recho two\r");
        term.wait_for("[3]$");
        term.wait_for_prompt();
        assert_eq!(in_short(&term.finish()), [("echo one", 0), ("echo two", 0)], "{}", shell.name());
    });
}
