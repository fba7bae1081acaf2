//! Inside GNU screen, and GNU screen inside.

use crate::harness::{PROGRAM, Shell, Term, available, in_every_shell, in_short};

/// An empty configuration without a startup message.
const SCREEN: &str = "screen -c screenrc";

#[test]
fn inside_screen() {
    if !available("screen") {
        return;
    }
    in_every_shell(|shell| {
        let start = format!("exec {SCREEN} {PROGRAM}");
        let mut term = Term::new(shell)
            .file("screenrc", "startup_message off\n")
            .program("/bin/sh")
            .args(["-c", &format!("mkdir -m 700 sockets; SCREENDIR=$PWD/sockets; export SCREENDIR; {start}")])
            .start();
        term.wait_for_prompt();
        term.run("echo one");
        term.run("false");
        term.typed(
            "bash --norc -c 'trap \"stty size; exit\" WINCH; echo re\"\"ady; while :; do read -t 0.1 x; done'\r",
        );
        term.wait_for("\nready\n");
        term.resize(30, 80);
        term.wait_for("30 80\n");
        term.wait_for_prompt();
        term.typed("> a query\r");
        term.wait_for_prompt();
        assert!(term.screen().contains("No model is connected yet"), "{}", term.describe());
        assert_eq!(term.screen().matches("> a query").count(), 1, "{}", term.describe());
        // The screen is the same after detaching and attaching.
        term.typed("\x01d");
        term.wait_for("[detached");
        term.wait_status();
        let sockets = term.home().join("sockets");
        let mut again = Term::new(shell)
            .env("HOME", term.home())
            .env("SCREENDIR", sockets)
            .program("/usr/bin/screen")
            .args(["-c", "/dev/null", "-r"])
            .start();
        again.wait_for("> a query");
        again.typed("echo tw''o\r");
        again.wait_for("\ntwo\n");
        again.typed("> after that\r");
        again.wait_until(|screen| screen.contents().matches("No model is connected yet").count() == 2);
        again.typed("exit\r");
        again.wait_exit();
        let records = term.history(&[]);
        assert_eq!(in_short(&records[..2]), [("echo one", 0), ("false", 1)], "{}", shell.name());
        assert!(records.iter().any(|record| record.command == "echo tw''o"), "{records:?}");
    });
}

#[test]
fn screen_inside() {
    if !available("screen") {
        return;
    }
    in_every_shell(|shell| {
        let mut term = Term::new(shell)
            .file("screenrc", "startup_message off\nhardstatus alwayslastline window\n")
            .file("sockets/.keep", "")
            .start();
        let sockets = term.home().join("sockets");
        std::fs::set_permissions(&sockets, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        term.wait_for_prompt();
        term.run("echo before");
        let pane = Shell::Bash.path();
        term.typed(format!("env SCREENDIR={} 'PS1=pane$ ' {SCREEN} {} --norc\r", sockets.display(), pane.display()));
        term.wait_until(|screen| screen.alternate_screen() && screen.contents().starts_with("pane$"));
        term.typed("> inside\r");
        term.wait_until(|screen| screen.contents().matches("pane$").count() >= 2);
        assert!(!term.screen().contains("No model is connected yet"), "{}", term.describe());
        term.resize(30, 80);
        term.wait_until(|screen| screen.rows(0, 80).nth(29).is_some_and(|line| line.starts_with("window")));
        term.typed("stty size\r");
        term.wait_for("29 80\n");
        term.typed("exit\r");
        term.wait_for_prompt();
        assert!(term.home().join("inside").exists(), "it was the pane's own redirection");
        term.run("echo after");
        let records = term.finish();
        assert_eq!(records.len(), 3, "{}: {records:?}", shell.name());
        assert!(records[1].full_screen, "{records:?}");
    });
}
