//! The start: which shell, which start files, and which environment.

use std::path::Path;

use crate::harness::{Builder, PROGRAM, Shell, Term, available, in_every_shell, shells};

#[test]
fn the_users_shell_starts_and_knows_where_it_is() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("echo version=$SHELLMATE session=$SHELLMATE_SESSION.");
        assert!(term.screen().contains(concat!("\nversion=", env!("CARGO_PKG_VERSION"))), "{}", term.describe());
        assert!(!term.screen().contains("session=.\n"), "{}", term.describe());
        term.run("echo shell=$SHELL.");
        term.wait_for(&format!("\nshell={}.\n", shell.path().display()));
    });
}

#[test]
fn nothing_but_the_prompt_is_on_the_first_screen() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        assert_eq!(term.screen(), "[1]$", "{}", shell.name());
    });
}

#[test]
fn flag_variable_configuration_and_environment_choose_the_shell_in_this_order() {
    if !(Shell::Zsh.available() && Shell::Fish.available()) {
        return;
    }
    let config = |shell: Shell| format!("shell = '{}'", shell.path().display());
    let fish = || Term::new(Shell::Fish).env("SHELL", Shell::Bash.path());
    for (what, builder) in [
        ("the flag", fish().args(["--shell", "fish"]).env("SHELLMATE_SHELL", "/bin/bash").config(&config(Shell::Zsh))),
        ("the variable", fish().env("SHELLMATE_SHELL", Shell::Fish.path()).config(&config(Shell::Zsh))),
        ("the configuration", fish().config(&config(Shell::Fish))),
        ("the environment", fish().env("SHELL", Shell::Fish.path())),
    ] {
        let mut term = builder.start();
        term.wait_for_prompt();
        term.run("echo fish=$FISH_VERSION shell=$SHELL.");
        let screen = term.screen();
        assert!(screen.contains(&format!("shell={}.", Shell::Fish.path().display())), "{what}\n{}", term.describe());
        assert!(!screen.contains("fish= "), "{what}\n{}", term.describe());
    }
}

#[test]
fn a_configured_shell_that_cannot_be_started_is_named_above_the_prompt() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).config("shell = '/no/such/shell'\n").size(40, 240).start();
        term.wait_for_prompt();
        let words =
            format!("config.toml:1: shell: /no/such/shell cannot be started, so {} was", shell.path().display());
        assert!(term.screen().contains(&words), "{}", term.describe());
    });
}

#[test]
fn a_shell_of_the_variable_that_cannot_be_started_is_named_above_the_prompt() {
    let shell = Shell::Bash;
    let mut term = Term::new(shell).env("SHELLMATE_SHELL", "zhs").size(40, 240).start();
    term.wait_for_prompt();
    let words = format!("SHELLMATE_SHELL: zhs cannot be started, so {} was", shell.path().display());
    assert!(term.screen().contains(&words), "{}", term.describe());
}

#[test]
fn shellmate_is_never_chosen_as_the_shell() {
    let term = Term::new(Shell::Bash).env("SHELL", PROGRAM).env("SHELLMATE_SHELL", PROGRAM).start();
    // The next candidate depends on the passwd entry. Exactly one shell must start.
    term.wait_until(|screen| !screen.contents().trim().is_empty());
}

/// A command that prints whether the shell is a login shell.
fn login_test(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => "shopt -q login_shell && echo LOG''IN || echo PLA''IN",
        Shell::Zsh => "[[ -o login ]] && echo LOG''IN || echo PLA''IN",
        Shell::Fish => "status is-login; and echo LOG''IN; or echo PLA''IN",
    }
}

#[test]
fn a_login_shell_is_started_as_one() {
    in_every_shell(|shell| {
        for login in [Term::new(shell).args(["-l"]), Term::new(shell).arg0("-shellmate")] {
            let mut term = login.file(".bash_profile", ". ~/.bashrc").start();
            term.wait_for_prompt();
            term.run(login_test(shell));
            term.wait_for("\nLOGIN\n");
        }
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run(login_test(shell));
        term.wait_for("\nPLAIN\n");
    });
}

#[test]
fn arguments_after_two_dashes_go_to_the_shell() {
    for (shell, argument) in [(Shell::Bash, "--norc"), (Shell::Zsh, "-f"), (Shell::Fish, "--no-config")] {
        if !shell.available() {
            continue;
        }
        let mut term = Term::new(shell).args(["--", argument]).start();
        term.typed("echo \"<$T>\" ev''en so\r");
        term.wait_for("<> even so");
        assert_eq!(term.exit().code(), Some(0), "{}", shell.name());
    }
}

#[test]
fn another_rcfile_for_bash() {
    let mut term = Term::new(Shell::Bash)
        .file("other", "T=100; PS1='[$((++T))]$ '; echo from other")
        .args(["--", "--rcfile", "other"])
        .start();
    term.wait_for("from other\n[101]$");
    term.wait_for_prompt();
    term.run("false");
    assert_eq!(term.finish()[0].command, "false");
}

#[test]
fn inside_a_session_it_starts_the_plain_shell_with_one_line() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        let before = term.screen().lines().count();
        term.typed(format!("{PROGRAM}\r"));
        // The inner shell counts its prompts from one again.
        term.wait_until(|screen| screen.contents().lines().skip(before).any(|line| line.trim_end() == "[1]$"));
        let lines = term.screen().lines().count() - before;
        assert!(lines <= 3, "one line at most between the command and the prompt\n{}", term.describe());
        term.typed("exit 3\r");
        term.wait_for_prompt();
        term.run(&format!("echo was {}", shell.status()));
        term.wait_for("\nwas 3\n");
        assert_eq!(term.exit().code(), Some(0));
    });
}

#[test]
fn an_unknown_shell_works_without_hooks() {
    let mut term = Term::new(Shell::Bash).args(["--shell", "/bin/sh"]).env("PS1", "[1]$ ").start();
    term.wait_for_prompt();
    assert!(term.screen().lines().count() <= 2, "{}", term.describe());
    term.typed("echo it is $((1 + 1))\r");
    term.wait_for("it is 2");
    term.typed("exit 9\r");
    assert_eq!(term.wait_exit().code(), Some(9));
}

#[test]
fn a_shell_may_be_a_script_that_names_no_interpreter() {
    if !Shell::Bash.available() {
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    let builder = Term::new(Shell::Bash).file("bin/bash", format!("exec {} \"$@\"\n", Shell::Bash.path().display()));
    let script = builder.home().join("bin/bash");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut term = builder.args(["--shell".into(), script.into_os_string()]).start();
    term.wait_for_prompt();
    term.run("echo it is bash");
    let texts: Vec<String> = term.finish().into_iter().map(|record| record.command).collect();
    assert_eq!(texts, ["echo it is bash"]);
}

#[test]
fn the_size_is_right_from_the_start_and_follows_in_pixels_too() {
    if !available("python3") {
        return;
    }
    let pixels = "python3 -c 'import fcntl,struct,termios; \
                  print(\"size\", struct.unpack(\"4H\", fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8))))'";
    for shell in shells() {
        let mut term = Term::new(shell).size(30, 90).start();
        term.wait_for_prompt();
        term.run(pixels);
        term.wait_for("size (30, 90, 720, 480)");
        term.resize(20, 81);
        term.run(pixels);
        term.wait_for("size (20, 81, 648, 320)");
    }
}

#[test]
fn a_foreground_program_is_told_the_new_size() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.typed(
            "bash --norc -c 'trap \"stty size; exit\" WINCH; echo re\"\"ady; while :; do read -t 0.1 x; done'\r",
        );
        term.wait_for("\nready\n");
        term.resize(22, 77);
        term.wait_for("22 77");
        term.wait_for_prompt();
    });
}

/// The line of the first starts.
const WELCOME: &str = "type `> why?` to ask shellmate; `shellmate config set welcome false` hides this";

/// A terminal of someone who has not started shellmate before.
fn newcomer(shell: Shell) -> Builder {
    let builder = Term::new(shell).newcomer();
    std::fs::remove_dir_all(builder.home().join(".local")).unwrap();
    builder
}

#[test]
fn the_first_start_in_an_empty_home_says_how_to_ask_above_its_prompt() {
    in_every_shell(|shell| {
        let mut term = newcomer(shell).start();
        term.wait_for_prompt();
        term.wait_for(WELCOME);
        assert_eq!(term.screen(), format!("{WELCOME}\n[1]$"), "{}", shell.name());
        term.run("echo it\\ works");
        assert_eq!(term.screen(), format!("{WELCOME}\n[1]$ echo it\\ works\nit works\n[2]$"), "{}", shell.name());
        let dim = format!("\x1b[2m{WELCOME}\x1b[22m\r\n");
        assert!(term.raw().windows(dim.len()).any(|bytes| bytes == dim.as_bytes()), "{}", term.describe());
    });
}

#[test]
fn three_starts_say_how_to_ask_and_later_ones_are_silent() {
    let home = newcomer(Shell::Bash);
    let state = home.home().join(".local/state");
    for count in 1..=3 {
        let mut term = Term::new(Shell::Bash).newcomer().env("XDG_STATE_HOME", &state).start();
        term.wait_for_prompt();
        term.wait_for(WELCOME);
        term.exit();
        assert_eq!(std::fs::read(state.join("shellmate/starts")).unwrap().len(), count);
    }
    stays_silent(Term::new(Shell::Bash).newcomer().env("XDG_STATE_HOME", &state), &state);
}

/// Checks that a session says nothing once it has looked for something to say, which its log tells.
fn stays_silent(builder: Builder, state: &Path) {
    let mut term = builder.env("SHELLMATE_LOG", "shellmate=debug").start();
    term.wait_for_prompt();
    let log = || std::fs::read_to_string(state.join("shellmate/log/shellmate.log")).unwrap_or_default();
    term.wait_for_state(|| log().contains("looked for a conversation that was cut off"), &true);
    term.run("true");
    assert!(!term.screen().contains("to ask"), "{}", term.describe());
}

#[test]
fn a_setting_a_dumb_terminal_and_emacs_keep_the_first_start_silent() {
    let silent = |builder: Builder| {
        let state = builder.home().join(".local/state");
        stays_silent(builder, &state);
    };
    silent(newcomer(Shell::Bash).config("welcome = false\n"));
    silent(newcomer(Shell::Bash).env("INSIDE_EMACS", "29.1,vterm"));
    silent(newcomer(Shell::Bash).env("TERM", "dumb"));
}

#[test]
fn a_person_who_types_at_once_sees_the_line_above_a_later_prompt() {
    in_every_shell(|shell| {
        let mut term = newcomer(shell).start();
        term.typed("echo ear''ly\r");
        term.wait_for("early\n");
        term.wait_for(WELCOME);
        term.wait_for("[2]$");
        assert_eq!(term.screen().matches(WELCOME).count(), 1, "{}", term.describe());
        assert!(term.screen().ends_with("[2]$"), "{}", term.describe());
    });
}

#[test]
fn scripts_and_single_commands_never_say_how_to_ask() {
    let term = newcomer(Shell::Bash).file("x.sh", "echo script\n").start();
    for args in [&["-c", "echo done"][..], &["./x.sh"], &["-i", "-c", "echo inter"]] {
        let ran = term.shellmate(args);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("to ask"), "{args:?}: {ran:?}");
    }
}

#[test]
fn a_state_directory_that_cannot_be_written_shows_no_line_for_ever() {
    let builder = newcomer(Shell::Bash).file(".local/state", "a file");
    let mut term = builder.start();
    term.wait_for_prompt();
    for _ in 0..3 {
        term.run("true");
    }
    assert!(!term.screen().contains("to ask"), "{}", term.describe());
}

#[test]
fn a_start_file_that_starts_shellmate_does_not_do_so_for_ever() {
    let start_files = [(Shell::Bash, ".bashrc"), (Shell::Zsh, ".zshrc"), (Shell::Fish, ".config/fish/config.fish")];
    for (shell, file) in start_files.into_iter().filter(|(shell, _)| shell.available()) {
        for line in [format!("exec {PROGRAM}\n"), format!("{PROGRAM}\n")] {
            let mut term = Term::new(shell).file(file, &line).size(24, 160).start();
            term.wait_for("already running on this terminal; starting your plain shell");
            term.wait_for("without its start files");
            term.typed("echo li''ving\r");
            term.wait_for("\nliving");
        }
    }
}
