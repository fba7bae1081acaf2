//! Inside tmux, and tmux inside.

use crate::harness::{PROGRAM, Shell, Term, available, in_every_shell, in_short, shells};

#[test]
fn inside_tmux() {
    if !available("tmux") {
        return;
    }
    for shell in shells() {
        let start = format!("exec tmux -f /dev/null new-session {PROGRAM}");
        let mut term = Term::new(shell).program("/bin/sh").args(["-c", &start]).start();
        term.wait_for_prompt();
        term.run("echo one");
        term.run("false");
        term.typed(
            "bash --norc -c 'trap \"stty size; exit\" WINCH; echo re\"\"ady; while :; do read -t 0.1 x; done'\r",
        );
        term.wait_for("\nready\n");
        term.resize(30, 80);
        term.wait_for("\n29 80\n");
        term.wait_for_prompt();
        term.typed("> a query\r");
        term.wait_for_prompt();
        assert!(term.screen().contains("No model is connected yet"), "{}", term.describe());
        term.typed("exit\r");
        term.wait_exit();
        let records = term.history(&[]);
        assert_eq!(in_short(&records[..2]), [("echo one", 0), ("false", 1)], "{}", shell.name());
    }
}

#[test]
fn tmux_inside() {
    if !available("tmux") {
        return;
    }
    for shell in shells() {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("echo before");
        let panes = Shell::Bash.path();
        term.typed(format!("tmux -f /dev/null new-session env 'PS1=pane$ ' {} --norc\r", panes.display()));
        term.wait_until(|screen| screen.alternate_screen() && screen.contents().starts_with("pane$"));
        assert!(term.screen().lines().next_back().is_some_and(|line| line.starts_with("[0]")), "{}", term.describe());
        term.typed("echo in a pa''ne; > file\r");
        term.wait_for("\nin a pane\n");
        term.typed("> inside\r");
        term.wait_until(|screen| screen.contents().matches("pane$").count() >= 3);
        assert!(!term.screen().contains("No model is connected yet"), "{}", term.describe());
        term.typed("exit\r");
        term.wait_for_prompt();
        assert!(term.home().join("inside").exists(), "it was the pane's own redirection");
        term.run("echo after");
        let records = term.finish();
        assert_eq!(records.len(), 3, "{}: {records:?}", shell.name());
        assert!(records[1].full_screen, "{records:?}");
    }
}

#[test]
fn a_tmux_session_outlives_the_terminal() {
    if !available("tmux") {
        return;
    }
    for shell in shells() {
        let start = format!("exec tmux -f /dev/null new-session {PROGRAM}");
        let mut term = Term::new(shell).program("/bin/sh").args(["-c", &start]).start();
        term.wait_for_prompt();
        term.run("echo one");
        term.typed("\x02d");
        term.wait_for("[detached");
        term.wait_status();
        let runtime = term.place().join("tmp");
        let mut again = Term::new(shell)
            .env("TMUX_TMPDIR", runtime)
            .env("HOME", term.home())
            .program("/bin/sh")
            .args(["-c", "exec tmux -f /dev/null attach"])
            .start();
        again.wait_for("one");
        again.typed("echo two\r");
        again.wait_for("\ntwo\n");
    }
}

#[test]
fn an_outer_terminal_with_its_own_marks() {
    in_every_shell(|shell| {
        for (name, value) in [
            ("TERM_PROGRAM", "vscode"),
            ("TERM_PROGRAM", "WezTerm"),
            ("KITTY_WINDOW_ID", "1"),
            ("GHOSTTY_RESOURCES_DIR", "/x"),
            ("ZELLIJ", "0"),
            ("STY", "1.x"),
            ("VTE_VERSION", "7000"),
            ("TERM", "screen-256color"),
        ] {
            let mut term = Term::new(shell).env(name, value).start();
            term.wait_for_prompt();
            term.run("false");
            term.run("echo fi''ne");
            term.wait_for("\nfine\n");
            let records = term.finish();
            assert_eq!(in_short(&records), [("false", 1), ("echo fi''ne", 0)], "{} {name}={value}", shell.name());
        }
    });
}
