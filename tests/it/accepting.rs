//! Every way to accept a line: a query is taken whichever key accepts it, and no file is emptied.

use crate::harness::{Builder, Key, Shell, Term, all, in_every_shell, shells, text_of};

const ANSWER: &str = "No model is connected yet";

/// A file that the query would empty if the shell ran it.
fn with_a_file_to_lose(shell: Shell) -> Builder {
    Term::new(shell).file("precious", "kept\n")
}

/// Runs `act` at a prompt and checks that it asked exactly one query and did nothing else.
#[track_caller]
fn asks(what: &str, builder: Builder, act: impl Fn(&mut Term)) {
    let mut term = builder.start();
    term.wait_for_prompt();
    act(&mut term);
    term.wait_for(ANSWER);
    term.wait_for_prompt();
    assert_eq!(term.read("precious"), "kept\n", "{what}\n{}", term.describe());
    term.run("echo st''ill here");
    term.wait_for("\nstill here\n");
    let records = term.finish();
    assert!(records.iter().all(|record| !record.command.starts_with('>')), "{what}: {records:?}");
}

#[test]
fn bash_takes_a_query_whichever_key_accepts_the_line() {
    let cases: &[(&str, &str, &[u8])] = &[
        ("C-j", "", b"> precious\n"),
        ("C-o", "", b"> precious\x0f"),
        ("a key of the user's own", "bind '\"\\C-g\": accept-line'", b"> precious\x07"),
        ("the keypad", "bind '\"\\eOM\": accept-line'", b"> precious\x1bOM"),
        ("a macro that ends in Enter", "bind '\"\\C-g\": \"\\C-a> \\C-e\\C-m\"'", b"precious\x07"),
        ("a macro that is the query", "bind '\"\\C-g\": \"> precious\\n\"'", b"\x07"),
        ("a macro of macros", "bind '\"\\C-g\": \"\\C-x1\"'; bind '\"\\C-x1\": \"> precious\\C-j\"'", b"\x07"),
        ("the keyboard macro", "", b"\x18(> preciou\x18)s\r"),
        ("a key with a space in it", "bind '\"\\C-x \": accept-line'", b"> precious\x18 "),
        (
            "a key with a quote in it",
            "bind '\"\\C-x\\\"\": accept-line' '\"\\C-xz\": accept-line'",
            b"> precious\x18\"",
        ),
        (
            "a key behind one with a quote",
            "bind '\"\\C-x\\\"\": accept-line' '\"\\C-xz\": accept-line'",
            b"> precious\x18z",
        ),
        (
            "one of very many keys",
            "for k in 1 2 3 4 5 6 7 8 9; do bind \"\\\"\\C-x$k\\\": accept-line\"; done",
            b"> precious\x189",
        ),
        ("keys bound by .inputrc", "bind 'Control-g: accept-line'", b"> precious\x07"),
        ("no promptvars", "shopt -u promptvars; PROMPT_COMMAND='PS1=\"[$((++T))]\\$ \"'", b"> precious\r"),
        ("no history", "set +o history", b"> precious\r"),
        ("HISTIGNORE", "HISTIGNORE='>*'", b"> precious\r"),
        ("histverify", "shopt -s histverify", b"> precious\r"),
        ("an exclamation mark", "", b"> precious!x !! !$ !?y? ^a^b\r"),
        ("a quick substitution's sign", "histchars='>^#'", b"> precious\r"),
        ("vi, from the command mode", "set -o vi", b"> precious\x1b\r"),
        ("vi, C-j from the command mode", "set -o vi", b"> precious\x1b\n"),
        ("vi, a keymap of the user's own", "set -o vi; bind -m vi-command '\"g\": accept-line'", b"> precious\x1bg"),
        ("menu completion before it", "bind 'TAB: menu-complete'", b"> prec\t\r"),
        ("a search that ends it", "history -s '> precious'", b"\x12prec\r"),
    ];
    all(cases.iter().map(|(what, rc, keys)| {
        (*what, move || asks(what, with_a_file_to_lose(Shell::Bash).rc(rc), |term| term.typed(keys)))
    }));
}

#[test]
fn the_external_editor_returns_a_query_to_the_line() {
    let editor = "#!/bin/sh\nprintf '> precious\\n' >\"$1\"\n";
    let cases = [
        (Shell::Bash, "emacs", "", "\x18\x05"),
        (Shell::Bash, "vi", "set -o vi", "\x1bv"),
        (
            Shell::Zsh,
            "zle",
            "autoload -Uz edit-command-line; zle -N edit-command-line; bindkey '^X^E' edit-command-line",
            "\x18\x05",
        ),
        (Shell::Fish, "alt-e", "", "\x1be"),
    ];
    all(cases.into_iter().filter(|(shell, ..)| shell.available()).map(|(shell, what, rc, keys)| {
        (format!("{} {what}", shell.name()), move || {
            let builder = with_a_file_to_lose(shell).rc(rc).file("editor", editor);
            let path = builder.home().join("editor");
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
            asks(what, builder.env("VISUAL", &path).env("EDITOR", &path), |term| {
                term.typed("echo some");
                term.wait_for("echo some");
                term.typed(keys);
                term.wait_until(|screen| {
                    let (row, _) = screen.cursor_position();
                    screen.rows(0, 80).nth(usize::from(row)).is_some_and(|line| line.contains("$ > precious"))
                });
                term.key(Key::Enter);
            });
        })
    }));
}

#[test]
fn the_history_command_does_not_run_a_query() {
    for shell in shells().into_iter().filter(|shell| *shell != Shell::Fish) {
        let editor = "#!/bin/sh\nexit 0\n";
        let repeat = if shell == Shell::Zsh { "r" } else { "fc -s" };
        let builder = with_a_file_to_lose(shell).rc(&format!("alias again='{repeat}'")).file("editor", editor);
        let path = builder.home().join("editor");
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let mut term = builder.env("VISUAL", &path).env("EDITOR", &path).env("FCEDIT", &path).start();
        term.wait_for_prompt();
        for again in ["fc -s", "fc -s '>'", "fc -e - '>'", "fc", "fc -s x=y '>'", "fc -1", "again", "again '>'"] {
            // zsh has `r` instead of `fc -s`.
            let again = if shell == Shell::Zsh { again.replace("fc -s", "r") } else { again.to_owned() };
            term.run("> precious");
            term.run(&again);
            assert_eq!(term.read("precious"), "kept\n", "{} {again}\n{}", shell.name(), term.describe());
        }
        // Other uses of the command are unchanged.
        term.run("clear");
        term.run("echo to be re''peated");
        term.run(repeat);
        term.wait_until(|screen| screen.contents().matches("\nto be repeated\n").count() == 2);
        term.run(&format!("{repeat} re=com"));
        term.wait_for("\nto be compeated\n");
        term.run("fc -l -n");
        term.wait_for("> precious\n");
        assert!(!term.screen().contains(ANSWER), "{}", term.describe());
    }
}

#[test]
fn bash_edits_and_runs_lines_like_a_bare_shell() {
    let editor = "#!/bin/sh\necho 'declare made=here; echo \"ran with $VISUAL\"\nfalse' >\"$1\"\n";
    for (rc, keys, visual) in [("", "\x18\x05", "./editor"), ("set -o vi", "\x1bv", "./editor"), ("", "\x18\x05", "")] {
        let act = |mut term: Term| {
            term.wait_for_prompt();
            term.typed("echo some");
            term.wait_for("echo some");
            term.typed(keys);
            term.wait_until(|screen| {
                let (row, _) = screen.cursor_position();
                screen.contents().contains("\nfalse\n")
                    && screen.rows(0, 80).nth(usize::from(row)).is_some_and(|line| line.trim_end() == "[1]$")
            });
            term.run("echo $? $made \"$VISUAL\"");
            term.run("history");
            let screen = term.screen();
            (screen, term.finish())
        };
        let builder = || {
            let builder = Term::new(Shell::Bash).rc(rc).file("editor", editor).env("EDITOR", "./editor");
            let path = builder.home().join("editor");
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
            if visual.is_empty() { builder } else { builder.env("VISUAL", visual) }
        };
        let (bare, _) = act(builder().bare().start());
        let (ours, _) = act(builder().start());
        assert!(ours == bare, "{rc} {visual}\n--- ours\n{ours}\n--- bare\n{bare}");
    }
}

#[test]
fn a_query_pasted_after_commands_is_put_on_the_next_prompt() {
    for shell in shells().into_iter().filter(|shell| *shell != Shell::Fish) {
        let mut term = with_a_file_to_lose(shell).start();
        term.wait_for_prompt();
        term.paste("echo fi''rst\nfor i in 1\ndo echo se''cond\ndone\n> precious\nand more");
        term.wait_for("and more");
        term.key(Key::Enter);
        term.wait_for("\nfirst\nsecond\n");
        term.wait_for("]$ > precious\nand more");
        term.key(Key::Enter);
        term.wait_for(ANSWER);
        term.wait_for_prompt();
        assert_eq!(term.read("precious"), "kept\n", "{}\n{}", shell.name(), term.describe());
        assert!(term.finish().iter().any(|record| record.command.contains("fi''rst")));
    }
}

#[test]
fn pasted_text_inside_a_command_is_not_a_query() {
    in_every_shell(|shell| {
        // Without a command zsh would copy its input into the file.
        let mut term = Term::new(shell).env("NULLCMD", ":").start();
        term.wait_for_prompt();
        let texts: &[(&str, &str)] = match shell {
            Shell::Fish => &[("echo 'a\n> b'", "\na\n> b\n")],
            Shell::Bash | Shell::Zsh => &[
                ("echo 'a\n> b'", "\na\n> b\n"),
                ("cat <<END\n> quoted\n>\nEND", "\n> quoted\n>\n["),
                ("if true; then\n> made\nfi; echo ma''de", "\nmade\n"),
                ("echo x \\\n> out; cat o''ut", "\nx\n"),
                ("echo pi''ped |\n> piped cat; cat pip''ed", "\npiped\n"),
                ("echo y &&\n> both echo bo''th; cat b''oth", "\nboth\n"),
            ],
        };
        for (text, shown) in texts {
            term.paste(text);
            term.wait_for(text.lines().last().unwrap());
            term.key(Key::Enter);
            term.wait_for(shown);
            term.wait_for_prompt();
        }
        assert!(!term.screen().contains(ANSWER), "{}", term.describe());
    });
}

/// After such a line bash prints the old PS1 again, from memory that is freed if PS1 has changed.
#[test]
fn bash_prompts_again_after_a_line_that_is_not_run() {
    if !Shell::Bash.available() {
        return;
    }
    for (rc, line) in [
        ("PS1='[1]$ '", "!nothing"),
        ("PS1='[1]$ '", "^nothing^else"),
        ("PS1='[1]$ '; history -s echo before", "!!:p"),
        ("PS1='[1]$ '; histchars='%^#'", "%nothing"),
    ] {
        let mut term = Term::new(Shell::Bash).rc(rc).start();
        for count in 1..4 {
            term.wait_until(|screen| text_of(screen).lines().filter(|row| row.starts_with("[1]$")).count() == count);
            term.typed(format!("{line}\r"));
        }
        term.wait_until(|screen| text_of(screen).lines().filter(|row| row.trim_end() == "[1]$").count() == 1);
    }
}
