//! A line that starts with `> ` goes to the agent and never reaches the shell. No other line is taken.

use crate::harness::{Key, Shell, Term, available, in_every_shell, shells, text_of};

/// The answer in these tests, which have no model.
const ANSWER: &str = "No model is connected yet";

/// Waits for one more answer.
#[track_caller]
fn wait_for_answer(term: &mut Term) {
    term.wait_for_prompt();
    let screen = term.screen();
    assert!(screen.contains(ANSWER), "no answer\n{}", term.describe());
}

/// Names below HOME that do not exist at the start.
fn new_files(term: &Term) -> Vec<String> {
    let entries = std::fs::read_dir(term.home()).unwrap().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

#[test]
fn a_query_is_answered_and_the_prompt_comes_back() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("false");
        term.typed("> tell me a story\r");
        wait_for_answer(&mut term);
        let screen = term.screen();
        assert!(screen.contains("[2]$ > tell me a story\n"), "the line stays as typed\n{}", term.describe());
        assert_eq!(screen.matches("tell me a story").count(), 1, "once\n{}", term.describe());
        let lines: Vec<&str> = screen.lines().collect();
        let is_prompt = |line: &&&str| line.starts_with("[3]$");
        assert_eq!(lines.iter().filter(is_prompt).count(), 1, "the prompt is there once\n{}", term.describe());
        assert!(lines.last().is_some_and(|last| is_prompt(&last)), "{}", term.describe());
        term.run(&format!("echo status {}", shell.status()));
        term.wait_for("\nstatus 1\n");
        assert_eq!(new_files(&term), Vec::<String>::new(), "{}", shell.name());
        let texts: Vec<String> = term.finish().into_iter().map(|record| record.command).collect();
        assert_eq!(texts, ["false".to_owned(), format!("echo status {}", shell.status())], "{}", shell.name());
    });
}

#[test]
fn a_bare_sign_is_a_query_too() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.typed(">\r");
        term.wait_for("an empty line closes");
        term.run("");
        assert!(!term.screen().contains("rror"), "{}", term.describe());
    });
}

#[test]
fn any_text_is_harmless() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        for text in [
            "> it's 'fine\" really",
            "> what about !! and !$ and `touch bad1`",
            "> $(touch bad2); touch bad3 & touch bad4",
            "> bad5",
            "> a\\",
            "> (( [[ {{ do case",
            "> żółw 漢字 🦀",
            "> 100% %s \\e]7771;x",
            ">  two blanks",
        ] {
            term.typed(format!("{text}\r"));
            term.wait_for_prompt();
        }
        assert_eq!(new_files(&term), Vec::<String>::new(), "{}\n{}", shell.name(), term.describe());
        term.run("echo st''ill fine");
        term.wait_for("\nstill fine\n");
    });
}

#[test]
fn it_is_in_the_shells_history_as_typed() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("echo first");
        if shell == Shell::Fish {
            // fish 3 adds a query to the history through its file, which it reads at most once a second.
            term.run("sleep 1.1");
        }
        term.typed("> what's !up\r");
        wait_for_answer(&mut term);
        term.key(Key::Up);
        term.wait_until(|screen| {
            text_of(screen).trim_end().ends_with("> what's !up") && text_of(screen).matches("!up").count() == 2
        });
        // Recalled, edited and run again.
        term.typed(" now\r");
        term.wait_for_prompt();
        assert!(term.screen().contains("]$ > what's !up now\n"), "{}", term.describe());
        assert_eq!(new_files(&term), Vec::<String>::new());
    });
}

#[test]
fn edited_into_and_out_of_a_query() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.typed("why");
        term.key(Key::Ctrl('a'));
        term.typed("> \r");
        wait_for_answer(&mut term);
        assert_eq!(new_files(&term), Vec::<String>::new(), "{}", shell.name());
        term.typed("> echo no query");
        term.key(Key::Ctrl('a'));
        term.key(Key::Ctrl('d'));
        term.key(Key::Ctrl('d'));
        term.key(Key::Enter);
        term.wait_for_prompt();
        term.wait_for("\nno query\n");
    });
}

#[test]
fn a_pasted_query_is_taken() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.paste("> pasted question");
        term.wait_for("> pasted question");
        term.key(Key::Enter);
        wait_for_answer(&mut term);
        term.paste("> several\nlines");
        term.wait_for("lines");
        term.key(Key::Enter);
        term.wait_for_prompt();
        assert_eq!(new_files(&term), Vec::<String>::new(), "{}\n{}", shell.name(), term.describe());
        term.run("echo st''ill fine");
        term.wait_for("\nstill fine\n");
    });
}

#[test]
fn in_vi_mode_from_both_keymaps() {
    in_every_shell(|shell| {
        let rc = match shell {
            Shell::Bash => "set -o vi",
            Shell::Zsh => "bindkey -v; KEYTIMEOUT=1",
            Shell::Fish => "fish_vi_key_bindings",
        };
        let mut term = Term::new(shell).rc(rc).start();
        term.wait_for_prompt();
        term.typed("> from insert mode\r");
        wait_for_answer(&mut term);
        term.typed("> from command mode");
        term.wait_for("> from command mode");
        term.key(Key::Esc);
        if shell == Shell::Fish {
            term.wait_for("[N] [2]$ > from command mode");
        }
        // `0` moves to the start of the line, which shows that Esc was recognised.
        term.typed("0");
        let column = 5 + if shell == Shell::Fish { 4 } else { 0 };
        term.wait_until(|screen| (5..=column).contains(&screen.cursor_position().1));
        term.key(Key::Enter);
        term.wait_for_prompt();
        assert_eq!(new_files(&term), Vec::<String>::new(), "{}\n{}", shell.name(), term.describe());
        assert_eq!(term.screen().matches(ANSWER).count(), 2, "{}", term.describe());
    });
}

#[test]
fn redirections_reach_the_shell() {
    for shell in shells().into_iter().filter(|shell| *shell != Shell::Fish) {
        let null = if shell == Shell::Zsh { "test -n \"$ZSH_VERSION\" && NULLCMD=:" } else { "" };
        let mut term = Term::new(shell).rc(null).start();
        term.wait_for_prompt();
        term.run(">file");
        term.run(">>more");
        term.run(" > blank");
        term.run("> query");
        assert_eq!(new_files(&term), ["blank", "file", "more"], "{}\n{}", shell.name(), term.describe());
    }
}

#[test]
fn a_continuation_line_reaches_the_shell() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.typed("echo 'a\r> b\r>\r> c'\r");
        term.wait_for_prompt();
        assert!(term.screen().contains("\na\n> b\n>\n> c\n"), "{}\n{}", shell.name(), term.describe());
        if shell != Shell::Fish {
            term.typed("cat <<END\r> in a document\r>\rEND\r");
            term.wait_for_prompt();
            assert!(term.screen().contains("\n> in a document\n>\n["), "{}\n{}", shell.name(), term.describe());
            term.typed("echo x \\\r> out\r");
            term.wait_for_prompt();
            assert_eq!(term.read("out"), "x\n", "{}", shell.name());
            // bash 5.2 corrupts its memory if a hook parses much text inside a quoted string.
            for round in 0..5 {
                term.typed(format!("echo 'not !over: {round}\r100%; !fc\rfc'\r"));
                term.wait_for_prompt();
            }
            assert!(term.screen().contains("\n100%; !fc\nfc\n["), "{}\n{}", shell.name(), term.describe());
        }
        assert!(!term.screen().contains(ANSWER), "{}\n{}", shell.name(), term.describe());
    });
}

#[test]
fn input_of_a_program_is_not_a_query() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        let read = match shell {
            Shell::Bash => &["read one", "read -e two"][..],
            Shell::Zsh => &["read one", "vared -c two"],
            Shell::Fish => &["read one", "read -s two"],
        };
        for read in read {
            let name = &read[read.len() - 3..];
            // By then the line editor has restored the terminal. Before that, Enter would stay a carriage return, also in a bare shell.
            term.typed(format!("echo re''ady; {read}; echo got=${name}.\r"));
            term.wait_for("\nready\n");
            term.typed("> to the program\r");
            term.wait_for_prompt();
            assert!(term.screen().contains("got=> to the program."), "{} {read}\n{}", shell.name(), term.describe());
            term.run("clear");
        }
        term.typed("echo re''ady; cat\r");
        term.wait_for("ready\n");
        term.typed("> to cat\r");
        term.wait_for("\n> to cat\n> to cat\n");
        term.key(Key::CtrlD);
        term.wait_for_prompt();
        if available("python3") {
            term.typed("python3 -q\r");
            term.wait_until(|screen| text_of(screen).trim_end().ends_with(">>>"));
            term.typed("> 1\r");
            term.wait_for("SyntaxError");
            term.typed("exit()\r");
            term.wait_for_prompt();
        }
        assert!(!term.screen().contains(ANSWER), "{}\n{}", shell.name(), term.describe());
    });
}

#[test]
fn in_vim_a_query_is_text() {
    if !available("vim") {
        return;
    }
    for shell in shells() {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.typed("vim -u NONE -N note\r");
        term.wait_until(|screen| screen.alternate_screen() && screen.contents().contains("[New]"));
        term.typed("i> one\r>\r> two");
        term.wait_for("> two");
        term.key(Key::Esc);
        term.typed(":wq\r");
        term.wait_for_prompt();
        assert_eq!(term.read("note"), "> one\n>\n> two\n", "{}", shell.name());
        let records = term.finish();
        assert_eq!(records.len(), 1);
        assert!(records[0].full_screen && records[0].command == "vim -u NONE -N note", "{records:?}");
    }
}

#[test]
fn keys_typed_ahead_are_not_lost() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.typed("> one\recho typed ah''ead\r");
        term.wait_for("\ntyped ahead\n");
        term.wait_for("[3]$");
        term.typed("sleep 0.2\r> two\recho and af''ter\r");
        term.wait_for("\nand after\n");
        assert_eq!(new_files(&term), Vec::<String>::new(), "{}\n{}", shell.name(), term.describe());
    });
}

#[test]
fn a_cancelled_query_is_not_asked() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.give_up("> never mind");
        term.run("echo af''ter");
        assert!(!term.screen().contains(ANSWER), "{}", term.describe());
        assert_eq!(new_files(&term), Vec::<String>::new());
    });
}

#[test]
fn a_query_is_taken_with_a_user_binding_of_enter() {
    for (shell, rc) in [
        (Shell::Zsh, "my-accept() { BUFFER=\"$BUFFER \"; zle .accept-line }; zle -N accept-line my-accept"),
        (Shell::Zsh, "my-accept() { zle accept-line }; zle -N my-accept; bindkey '^M' my-accept"),
        (Shell::Fish, "bind \\r 'commandline -f execute'"),
    ] {
        if !shell.available() {
            continue;
        }
        let mut term = Term::new(shell).rc(rc).start();
        term.wait_for_prompt();
        term.run("echo pl''ain");
        term.wait_for("\nplain\n");
        term.typed("> a query\r");
        wait_for_answer(&mut term);
        assert_eq!(new_files(&term), Vec::<String>::new(), "{} {rc}\n{}", shell.name(), term.describe());
    }
}

#[test]
fn a_query_without_hooks_in_bash_empties_no_file() {
    if !Shell::Bash.available() {
        return;
    }
    let mut term = Term::new(Shell::Bash).file("why", "keep\n").start();
    term.wait_for_prompt();
    // A cleanup has deleted the file.
    term.run("rm \"$__shellmate_lazy_file\"");
    term.run("> why did that fail");
    term.run("cat why");
    term.wait_for("\nkeep\n");
}
