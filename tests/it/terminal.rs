//! Tests of the harness with bare shells. If these fail, other failures mean nothing.

use std::os::unix::process::ExitStatusExt;

use nix::sys::signal::Signal;

use crate::harness::{Key, Term, in_every_shell};

#[test]
fn a_bare_shell_runs_commands_and_exits_with_its_status() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).bare().start();
        term.wait_for_prompt();
        term.run("echo one two");
        term.run("");
        term.run("echo three");
        assert!(term.screen().contains("\none two\n"), "{}", term.describe());
        assert!(term.screen().contains("[3]$ echo three\nthree\n[4]$"), "{}", term.describe());
        term.typed("exit 7\r");
        assert_eq!(term.wait_exit().code(), Some(7), "{}", shell.name());
    });
}

#[test]
fn keys_arrive_as_keys() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).bare().start();
        term.wait_for_prompt();
        term.typed("echo ready; cat\r");
        // Until the editor restores the terminal, Enter would not become a newline.
        term.wait_for("\nready\n");
        term.typed("hello\r");
        term.wait_for("hello\nhello");
        term.key(Key::CtrlC);
        term.wait_for_prompt();
        term.key(Key::Up);
        term.wait_until(|screen| screen.contents().matches("]$ echo ready; cat").count() == 2);
    });
}

#[test]
fn the_size_of_the_terminal_reaches_the_shell() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).bare().size(30, 90).start();
        term.wait_for_prompt();
        term.run("stty size");
        term.wait_for("30 90");
        term.resize(20, 70);
        term.run("stty size");
        term.wait_for("20 70");
    });
}

#[test]
fn hanging_up_ends_the_shell() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).bare().start();
        term.wait_for_prompt();
        term.hang_up();
        let status = term.wait_status();
        assert!(status.signal() == Some(Signal::SIGHUP as i32) || status.code().is_some(), "{status:?}");
    });
}

#[test]
fn a_file_is_part_of_the_home_directory() {
    in_every_shell(|shell| {
        let term = Term::new(shell).bare().rc("echo from the start file").file("note", "text").start();
        term.wait_for("from the start file");
        assert_eq!(term.read("note"), "text");
    });
}
