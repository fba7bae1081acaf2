//! The finder of the history: opened as a command and with a key, in every shell.

use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use nix::sys::signal::Signal;

use crate::harness::{Builder, Key, PROGRAM, Shell, Term, in_every_shell};

/// A shell with three recorded commands.
fn with_commands(builder: Builder) -> Term {
    let mut term = builder.start();
    term.wait_for_prompt();
    term.run("echo one apple");
    term.run("echo two pears");
    term.run("printf 'row %s\\n' 1 2 3");
    term
}

/// Opens the finder and waits until its list is complete.
fn open(term: &mut Term, words: &str) {
    term.typed(format!("{PROGRAM} history search {words}\r"));
    term.wait_for("Enter choose");
}

#[test]
fn enter_puts_the_chosen_command_on_the_prompt_and_does_not_run_it() {
    in_every_shell(|shell| {
        let mut term = with_commands(Term::new(shell));
        open(&mut term, "");
        term.wait_for("1 of 3;");
        term.wait_for("│ row 1");
        term.typed("apl");
        term.wait_for("1 of 1;");
        term.wait_for("│ one apple");
        term.key(Key::Enter);
        term.wait_for_prompt();
        term.wait_until(|screen| screen.contents().matches("$ echo one apple").count() == 2);
        let screen = term.screen();
        assert!(!screen.contains("1 of 1;"), "{screen}");
        assert_eq!(screen.matches("\none apple\n").count(), 1, "{screen}");
        term.typed(" and more\r");
        term.wait_for("\none apple and more\n");
    });
}

#[test]
fn several_lines_arrive_whole() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.paste("echo first\necho second");
        term.key(Key::Enter);
        term.wait_for("\nsecond");
        term.wait_for_prompt();
        term.run("true");
        open(&mut term, "second");
        term.wait_for("1 of 1;");
        term.key(Key::Enter);
        term.wait_for_prompt();
        term.wait_until(|screen| screen.contents().matches("echo second").count() == 2);
        assert_eq!(term.screen().matches("\nsecond\n").count(), 1, "{}", term.screen());
        term.key(Key::Enter);
        term.wait_until(|screen| screen.contents().matches("\nsecond\n").count() == 2);
    });
}

#[test]
fn esc_leaves_the_screen_as_it_was_with_status_130() {
    in_every_shell(|shell| {
        let mut term = with_commands(Term::new(shell));
        let before = term.screen();
        open(&mut term, "apple");
        term.wait_for("│ one apple");
        term.key(Key::Esc);
        term.wait_for_prompt();
        let screen = term.screen();
        assert!(screen.starts_with(before.trim_end()), "{before}\n---\n{screen}");
        assert!(!screen.contains('│') && !screen.contains('?'), "{screen}");
        term.run(&format!("echo status={}", shell.status()));
        term.wait_for("status=130");
        open(&mut term, "nothing-like-this");
        term.wait_for("nothing matches");
        term.key(Key::Enter);
        term.wait_for_prompt();
        term.run(&format!("echo status={}", shell.status()));
        term.wait_for("status=1\n");
    });
}

#[test]
fn tab_shows_the_whole_output_and_comes_back() {
    let mut term = Term::new(Shell::Bash).start();
    term.wait_for_prompt();
    term.run("seq 1 500");
    open(&mut term, "seq");
    term.wait_for("│ 500");
    term.key(Key::Tab);
    term.wait_for("line 500 of 500;");
    term.typed("g");
    term.wait_until(|screen| screen.contents().starts_with("1\n2\n3\n"));
    term.key(Key::Tab);
    term.wait_for("│ 500");
    term.wait_for("1 of 1;");
    term.key(Key::CtrlC);
    term.wait_for_prompt();
}

#[test]
fn recorded_escape_sequences_do_not_reach_the_terminal() {
    let hostile = r"printf 'safe\033]52;c;aGFja2Vk\007\033]2;owned\007\033[1;1Hmoved\033[?1049h\n'";
    let mut term = Term::new(Shell::Bash).start();
    term.wait_for_prompt();
    term.run(&format!("{hostile}; printf '\\033[?1049l'"));
    term.run("clear");
    let before = term.raw().len();
    open(&mut term, "printf");
    term.wait_for("1 of 1;");
    term.key(Key::Tab);
    term.wait_for("Tab or q back");
    term.typed("\t\x1b");
    term.wait_for_prompt();
    let drawn = String::from_utf8_lossy(&term.raw()[before..]).into_owned();
    // The terminal's own title may be set by the session.
    for sequence in ["\x1b]52", "owned\x07", "\x1b[1;1Hmoved"] {
        assert!(!drawn.contains(sequence), "{drawn:?}");
    }
}

#[test]
fn a_narrow_window_has_the_output_below_and_a_resize_is_followed() {
    let mut term = with_commands(Term::new(Shell::Bash).size(24, 60));
    open(&mut term, "apple");
    term.wait_for("\none apple");
    assert!(!term.screen().contains('│'), "{}", term.screen());
    term.resize(24, 120);
    term.wait_for("│ one apple");
    term.resize(16, 50);
    term.wait_until(|screen| !screen.contents().contains('│') && screen.contents().contains("\none apple"));
    term.key(Key::Enter);
    term.wait_for_prompt();
    term.wait_for("$ echo one apple");
}

#[test]
fn the_terminal_is_restored_after_a_signal() {
    for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT] {
        let recorded = with_commands(Term::new(Shell::Bash));
        let state = recorded.home().join(".local/state");
        let mut term = Term::new(Shell::Bash).bare().env("XDG_STATE_HOME", state).start();
        term.wait_for_prompt();
        let finder = format!("sh -c 'echo $$ > id; exec {PROGRAM} history search'");
        term.typed(format!("stty -g > before; {finder}; echo status=$?; stty -g | cmp - before && echo same\r"));
        term.wait_for("1 of 3;");
        let id: i32 = term.read("id").trim().parse().expect("a process id");
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), signal).expect("the finder runs");
        term.wait_for(&format!("\nstatus={}\nsame\n", 128 + signal as i32));
        assert!(!term.screen().contains("1 of 3;"), "{}", term.screen());
    }
}

#[test]
fn a_key_replaces_the_line_with_the_chosen_command() {
    in_every_shell(|shell| {
        let mut term = with_commands(Term::new(shell).config("[history]\nkey = \"ctrl-r\"\n"));
        term.typed("apple");
        term.wait_for("$ apple");
        term.key(Key::Ctrl('r'));
        term.wait_for("? apple");
        term.wait_for("│ one apple");
        term.key(Key::Enter);
        term.wait_for("$ echo one apple");
        term.wait_until(|screen| !screen.contents().contains("1 of"));
        assert_eq!(term.screen().matches("\none apple\n").count(), 1, "{}", term.screen());
        // Esc leaves the line as it was.
        term.key(Key::Ctrl('r'));
        term.wait_for("? echo one apple");
        term.key(Key::Esc);
        term.wait_until(|screen| !screen.contents().contains("? echo"));
        term.typed(" pie\r");
        term.wait_for("\none apple pie\n");
    });
}

#[test]
fn printed_lines_bind_the_key_in_a_plain_shell() {
    in_every_shell(|shell| {
        let recorded = with_commands(Term::new(shell));
        let state = recorded.home().join(".local/state");
        let lines = recorded.shellmate(&["history", "key", shell.name(), "ctrl-t"]).stdout;
        let path = std::path::Path::new(PROGRAM).parent().expect("a directory").display().to_string();
        let builder = Term::new(shell).bare().env("XDG_STATE_HOME", state);
        let mut term = builder.env("PATH", format!("{path}:/usr/bin:/bin")).rc(&lines).start();
        term.wait_for_prompt();
        term.typed("pears");
        term.key(Key::Ctrl('t'));
        term.wait_for("│ two pears");
        term.key(Key::Enter);
        term.wait_for("$ echo two pears");
        term.key(Key::Enter);
        term.wait_for("\ntwo pears\n");
    });
}

#[test]
fn a_dumb_terminal_and_a_screen_reader_get_the_list() {
    for builder in [
        Term::new(Shell::Bash).env("TERM", "dumb"),
        Term::new(Shell::Bash).config("screen_reader = true\n"),
        Term::new(Shell::Bash).env("ACCESSIBLE", "1"),
    ] {
        let mut term = with_commands(builder);
        term.run(&format!("{PROGRAM} history search apple"));
        let screen = term.screen();
        assert!(screen.contains("echo one apple") && !screen.contains("Enter choose"), "{screen}");
    }
    let mut term = with_commands(Term::new(Shell::Bash).env("ACCESSIBLE", "1"));
    term.run(&format!("{PROGRAM} history search"));
    let screen = term.screen().replace('\n', " ");
    assert!(screen.contains("which a screen reader cannot follow"), "{screen}");
}

/// This test is another program of the same user.
#[test]
fn another_program_cannot_put_text_on_the_prompt() {
    let mut term = with_commands(Term::new(Shell::Bash));
    let sessions = term.place().join("run/shellmate");
    let doors = || -> Vec<PathBuf> {
        let entries = fs::read_dir(&sessions).expect("the sessions").flatten();
        entries.map(|entry| entry.path().join("prompt")).filter(|path| path.exists()).collect()
    };
    assert_eq!(doors(), Vec::<PathBuf>::new());
    open(&mut term, "apple");
    term.wait_for_state(|| doors().len(), &1);
    let mut door = UnixStream::connect(&doors()[0]).expect("the door");
    let mut reply = Vec::new();
    // The door may be closed before everything is written.
    let _ = door.write_all(b"echo evil").and_then(|()| door.shutdown(Shutdown::Write));
    let _ = door.read_to_end(&mut reply);
    assert_eq!(reply, b"");
    term.key(Key::Enter);
    term.wait_for_prompt();
    term.wait_for("$ echo one apple");
    assert!(!term.screen().contains("evil"), "{}", term.screen());
    term.wait_for_state(|| doors().len(), &0);
}
