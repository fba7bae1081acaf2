//! The end of a session: exit status and restored terminal.

use std::io::Read;
use std::sync::mpsc;

use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};

use crate::harness::{PROGRAM, Shell, Term, in_every_shell, patience, shells};

#[test]
fn the_status_is_the_shells_own() {
    in_every_shell(|shell| {
        for (command, status) in [("exit 7", 7), ("false\rexit", 1), ("true\rexit", 0), ("exit 255", 255)] {
            let mut term = Term::new(shell).start();
            term.wait_for_prompt();
            term.typed(format!("{command}\r"));
            assert_eq!(term.wait_exit().code(), Some(status), "{} {command}", shell.name());
        }
    });
}

#[test]
fn ctrl_d_leaves() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.key(crate::harness::Key::CtrlD);
        assert_eq!(term.wait_exit().code(), Some(0), "{}", shell.name());
    });
}

#[test]
fn a_killed_shell_is_128_and_the_signal() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.typed(format!("kill -9 {}\r", shell.pid()));
        assert_eq!(term.wait_exit().code(), Some(137), "{}", shell.name());
    });
}

#[test]
fn the_last_output_is_not_lost() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.typed("seq 20000; echo good''bye; exit\r");
        assert_eq!(term.wait_exit().code(), Some(0));
        assert!(term.screen().contains("19999\n20000\ngoodbye\n"), "{}", term.describe());
        assert!(term.raw().windows(8).any(|bytes| bytes == b"\r\n12345\r"), "lines are missing");
    });
}

#[test]
fn a_background_job_does_not_keep_the_terminal_open() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("bash -c 'trap \"\" HUP; sleep 1000' & disown");
        term.typed("exit 5\r");
        assert_eq!(term.wait_status().code(), Some(5), "{}", shell.name());
    });
}

/// Runs shellmate under `sh` and returns the output of `stty` before and after it, and its status.
///
/// `end` gets the process and makes it end.
fn around(shell: Shell, end: impl FnOnce(&mut Term, Pid)) -> (String, String, String) {
    let script = format!(
        "stty -a > before; sh -c 'echo $$ > pid; exec {PROGRAM}'; echo $? > status; stty -a > after; echo the e''nd"
    );
    let mut term = Term::new(shell).program("/bin/sh").args(["-c", &script]).start();
    term.wait_for_prompt();
    let pid = Pid::from_raw(term.read("pid").trim().parse().unwrap());
    end(&mut term, pid);
    term.wait_for("the end");
    term.wait_until(|screen| !screen.bracketed_paste() && !screen.alternate_screen() && !screen.hide_cursor());
    (term.read("before"), term.read("after"), term.read("status").trim().to_owned())
}

#[test]
fn the_terminal_is_restored_however_the_session_ends() {
    in_every_shell(|shell| {
        let (before, after, status) = around(shell, |term, _| term.typed("exit 3\r"));
        assert_eq!((before, status.as_str()), (after, "3"), "{} exit", shell.name());

        let (before, after, status) = around(shell, |term, _| term.typed(format!("kill -9 {}\r", shell.pid())));
        assert_eq!((before, status.as_str()), (after, "137"), "{} killed shell", shell.name());

        for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT] {
            let (before, after, _) = around(shell, |_, pid| kill(pid, signal).unwrap());
            assert_eq!(before, after, "{} {signal}", shell.name());
        }
    });
}

#[test]
fn the_terminal_is_restored_when_the_shell_dies_in_a_full_screen_program() {
    in_every_shell(|shell| {
        let (before, after, _) = around(shell, |term, _| {
            let modes = "printf '\\033[?1049h\\033[?25l\\033[?1000h'";
            term.typed(format!("{modes}; kill -9 {}\r", shell.pid()));
        });
        assert_eq!(before, after, "{}", shell.name());
    });
}

/// Reads the first line that is written to a named pipe below HOME.
fn listen(builder: &crate::harness::Builder, name: &str) -> mpsc::Receiver<String> {
    let path = builder.home().join(name);
    mkfifo(&path, Mode::S_IRWXU).unwrap();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        std::fs::File::open(path).unwrap().read_to_string(&mut text).ok();
        sender.send(text).ok();
    });
    receiver
}

#[test]
fn a_terminal_that_vanishes_hangs_the_shell_and_its_program_up() {
    in_every_shell(|shell| {
        let builder = Term::new(shell);
        let news = listen(&builder, "news");
        let mut term = builder.start();
        term.wait_for_prompt();
        term.typed("bash --norc -c 'trap \"echo hup > news; exit\" HUP; echo re\"\"ady; sleep 1000 & wait'\r");
        term.wait_for("\nready\n");
        term.hang_up();
        // The kernel sends it once, and the shell may pass its own on.
        let heard = news.recv_timeout(patience());
        assert!(heard.as_ref().is_ok_and(|text| text.starts_with("hup\n")), "{} {heard:?}", shell.name());
        term.wait_status();
    });
}

#[test]
fn a_terminal_that_vanishes_in_a_flood_ends_everything() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.count_only(true);
        let before = term.total();
        term.typed("yes\r");
        term.wait_for_total(before + 1_000_000);
        term.hang_up();
        term.wait_status();
    });
}

#[test]
fn a_closed_terminal_ends_a_program_that_ignores_hangups() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.typed("bash -c 'trap \"\" HUP; echo re\"\"ady; exec sleep 1000'\r");
        term.wait_for("\nready\n");
        term.hang_up();
        term.wait_status();
    });
}

#[test]
fn a_signal_from_outside_reaches_the_shell_as_a_hangup() {
    in_every_shell(|shell| {
        for signal in [Signal::SIGTERM, Signal::SIGHUP] {
            let mut term = Term::new(shell).start();
            term.wait_for_prompt();
            term.signal(signal);
            term.wait_status();
        }
    });
}

#[test]
fn a_signal_for_the_shell_reaches_it() {
    in_every_shell(|shell| {
        let (trap, until) = match shell {
            Shell::Fish => {
                ("function on_N --on-signal N; set -g GOT N; end", "while test \"$GOT\" != N; end; echo got $GOT")
            }
            Shell::Bash | Shell::Zsh => ("trap GOT=N N", "until [ \"$GOT\" = N ]; do :; done; echo got $GOT"),
        };
        let trap = |name: &str| trap.replace('N', name);
        let mut term = Term::new(shell).rc(&trap("USR1")).rc(&trap("USR2")).rc(&trap("INT")).start();
        term.wait_for_prompt();
        for (signal, name) in [(Signal::SIGUSR1, "USR1"), (Signal::SIGUSR2, "USR2"), (Signal::SIGINT, "INT")] {
            term.typed(format!("echo lo''op {name}; {}\r", until.replace('N', name)));
            term.wait_for(&format!("loop {name}"));
            term.signal(signal);
            term.wait_for(&format!("got {name}"));
            term.wait_for_prompt();
        }
    });
}

/// Starts it from an interactive bash, as a job.
fn as_a_job(shell: Shell) -> Term {
    let mut term = Term::new(Shell::Bash).bare().rc("PS1='outer[$((++T))]$ '").start();
    term.wait_for("outer[1]$");
    let rc = term.home().join(shell.rc_file());
    if shell != Shell::Bash {
        std::fs::create_dir_all(rc.parent().unwrap()).unwrap();
        std::fs::write(&rc, shell.counting_prompt()).unwrap();
    } else {
        std::fs::write(term.home().join("inner"), shell.counting_prompt()).unwrap();
    }
    let more = if shell == Shell::Bash { " -- --rcfile inner" } else { "" };
    term.typed(format!("{PROGRAM} --shell {}{more}\r", shell.name()));
    term.wait_for("\n[1]$");
    term
}

#[test]
fn it_can_be_stopped_from_outside_and_continued() {
    in_every_shell(|shell| {
        let mut term = as_a_job(shell);
        term.typed("echo $SHELLMATE_SESSION > ~/session; echo re''ady\r");
        term.wait_for("\nready\n[2]$");
        let pid = child_named(&term, "shellmate");
        kill(pid, Signal::SIGTSTP).unwrap();
        term.wait_for("Stopped");
        term.wait_for("outer[2]$");
        term.typed("stty -a | grep -o '[-]*icanon' ; echo out''er works\r");
        term.wait_for("\nouter works\nouter[3]$");
        term.typed("fg\r");
        term.wait_until(|screen| {
            screen
                .contents()
                .trim_end()
                .lines()
                .next_back()
                .is_some_and(|line| line.contains("fg") || line.contains("[2]$") || line.contains("shellmate"))
        });
        term.typed("echo inn''er works\r");
        term.wait_for("\ninner works\n[3]$");
        term.typed("exit 4\r");
        term.wait_for("outer[4]$");
        term.typed("echo status $?\r");
        term.wait_for("\nstatus 4\n");
    });
}

#[test]
fn a_shell_that_suspends_itself_stops_the_session() {
    // zsh sends itself SIGTSTP, which the kernel drops for a session leader, also in a bare shell.
    for shell in shells().into_iter().filter(|shell| *shell != Shell::Zsh) {
        let mut term = as_a_job(shell);
        term.typed("suspend\r");
        term.wait_for("outer[2]$");
        term.typed("fg\r");
        term.wait_for("\n[2]$");
        term.typed("echo b''ack\r");
        term.wait_for("\nback\n[3]$");
    }
}

/// The child of the program in the terminal that has this name.
fn child_named(term: &Term, name: &str) -> Pid {
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", term.pid())).unwrap();
    let named = |pid: &&str| std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim() == name);
    Pid::from_raw(children.split_whitespace().find(named).expect("it runs").parse().unwrap())
}
