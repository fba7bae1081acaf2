//! Nested shells, which do not have our hooks.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;

use crate::harness::{Builder, Shell, Term, available, in_every_shell};

const WORDS: &str = "`> ` lines run as shell commands here; Ctrl-\\ asks";
const LINE: &[u8] = b"\x1b[2mshellmate: `> ` lines run as shell commands here; Ctrl-\\ asks\x1b[22m\r\n";

/// Replaces ssh(1): the terminal is in raw mode while the remote shell runs. With a command it runs that.
const SSH: &str = "#!/bin/sh\nstty raw -echo\nprintf 'START\\r\\n'\n\
    test $# -gt 1 || { printf 'inner> '; head -c 1 >/dev/null; }\n\
    printf 'END\\r\\n'\nstty sane\n";
/// Replaces sudo(8): asks for a password, then runs a shell.
const SUDO: &str = "#!/bin/sh\nstty -echo; printf 'Password: '; read x; stty echo; echo\nread y <go\nexec bash --rcfile inner/bashrc\n";
/// Replaces ssh(1) with a remote full-screen program.
const FULL_SCREEN: &str = "#!/bin/sh\nstty raw -echo\nprintf '\\033[?1049hSTART inner> '\nhead -c 1 >/dev/null\n\
    printf 'END\\033[?1049l'\nstty sane\n";

/// A home directory with start files for nested shells and replacements for programs that need a network or a password.
fn home(builder: Builder) -> Builder {
    let builder = builder
        .file("inner/bashrc", "PS1='inner> '\necho START\n")
        .file("inner/.zshrc", "PS1='inner> '\necho START\n")
        .file(
            "inner/fish/config.fish",
            "set -g fish_greeting\nset -g fish_autosuggestion_enabled 0\n\
             function fish_prompt; echo -n 'inner> '; end\necho START\n",
        )
        .file("ssh", SSH)
        .file("sudo", SUDO)
        .file("full/ssh", FULL_SCREEN)
        .file("script.sh", "echo START; read -e -p 'inner> ' name; echo END\n");
    for program in ["ssh", "sudo", "full/ssh"] {
        set_permissions(builder.home().join(program), Permissions::from_mode(0o755)).unwrap();
    }
    builder
}

fn nested(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => "bash --rcfile inner/bashrc",
        Shell::Zsh => "ZDOTDIR=inner zsh",
        Shell::Fish => "XDG_CONFIG_HOME=$PWD/inner fish",
    }
}

/// The output of a command.
#[derive(Debug, PartialEq)]
struct Shown {
    /// How often the hint was shown.
    told: usize,
    /// From `START` to `END`, without the hint.
    bytes: String,
}

/// Runs a command in a new terminal; types `keys` at its `inner>`.
fn shown(builder: Builder, command: &str, keys: &str) -> Shown {
    let mut term = home(builder).start();
    term.wait_for_prompt();
    term.typed(format!("{command}\r"));
    if !keys.is_empty() {
        term.wait_for("inner>");
        term.typed(keys);
    }
    term.wait_for_raw(b"END\r\n");
    // fish 4 reports its directory.
    let home = term.home().to_string_lossy().into_owned();
    let raw = term.raw().escape_ascii().to_string().replace(&home, "HOME");
    let line = LINE.escape_ascii().to_string();
    let rest = raw.replace(&line, "");
    let (_, after) = rest.split_once(r"START\r\n").unwrap();
    let (bytes, _) = after.split_once(r"END\r\n").unwrap();
    Shown { told: raw.matches(&line).count(), bytes: bytes.to_owned() }
}

#[test]
fn each_kind_of_nested_shell_shows_the_hint_once() {
    in_every_shell(|outer| {
        let mut term = home(Term::new(outer)).start();
        term.wait_for_prompt();
        let shells = [Shell::Bash, Shell::Zsh, Shell::Fish].into_iter().filter(|shell| shell.available());
        for (number, shell) in shells.enumerate() {
            term.typed(format!("{}\r", nested(shell)));
            term.wait_for("START");
            term.wait_for("inner>");
            term.typed(format!("echo in''side {number}\r"));
            term.wait_for(&format!("\ninside {number}"));
            let told = term.screen().matches(WORDS).count();
            assert_eq!(told, 1, "{} in {}\n{}", shell.name(), outer.name(), term.screen());
            term.typed("exit\r");
            term.wait_for_prompt();
        }
    });
}

#[test]
fn a_nested_shell_shows_the_same_bytes_and_one_line_more() {
    in_every_shell(|outer| {
        let shells = [Shell::Bash, Shell::Zsh, Shell::Fish].into_iter().filter(|shell| shell.available());
        let commands = shells.map(|shell| (nested(shell), "echo EN''D\r"));
        for (command, keys) in commands.chain([("./ssh host", "x")]) {
            let bare = shown(Term::new(outer).bare(), command, keys);
            let ours = shown(Term::new(outer), command, keys);
            assert_eq!(ours, Shown { told: 1, ..bare }, "{command} in {}", outer.name());
        }
    });
}

#[test]
fn a_shell_behind_a_password_shows_the_hint_at_its_prompt() {
    let mut term = home(Term::new(Shell::Bash)).fifo("go").start();
    term.wait_for_prompt();
    term.typed("./sudo -s\r");
    term.wait_for("Password:");
    assert!(!term.screen().contains(WORDS), "{}", term.screen());
    term.typed("secret\r");
    term.wait_for_raw(b"Password: \r\n");
    std::fs::write(term.home().join("go"), "\n").unwrap();
    term.wait_for("inner>");
    assert_eq!(term.screen().matches(WORDS).count(), 1, "{}", term.screen());
}

#[test]
fn a_shell_without_a_line_editor_shows_the_hint() {
    if !available("dash") {
        return assert!(std::env::var_os("CI").is_none(), "dash is missing");
    }
    let mut term = Term::new(Shell::Bash).start();
    term.wait_for_prompt();
    term.typed("dash\r");
    term.wait_for(WORDS);
    term.typed("echo in''side\r");
    term.wait_for("\ninside");
    term.typed("exit\r");
    term.wait_for_prompt();
}

#[test]
fn scripts_commands_pipelines_and_full_screen_programs_show_the_same_bytes() {
    in_every_shell(|outer| {
        for (command, keys) in [
            ("bash script.sh", "me\r"),
            ("bash -c 'echo START; read -e -p \"inn\"\"er> \"; echo END'", "me\r"),
            ("echo 'echo START; echo END' | bash", ""),
            ("./ssh host command", ""),
        ] {
            let bare = shown(Term::new(outer).bare(), command, keys);
            let ours = shown(Term::new(outer), command, keys);
            assert_eq!(ours, bare, "{command} in {}", outer.name());
        }
        let mut term = home(Term::new(outer)).start();
        term.wait_for_prompt();
        term.typed("full/ssh host\r");
        term.wait_for("START inner>");
        term.typed("x");
        term.wait_for_prompt();
        assert!(!term.raw().windows(WORDS.len()).any(|window| window == WORDS.as_bytes()), "{}", term.screen());
    });
}

#[test]
fn the_hint_can_be_turned_off() {
    let shown = shown(Term::new(Shell::Bash).config("nested_hint = false\n"), nested(Shell::Bash), "echo EN''D\r");
    assert_eq!(shown.told, 0);
}
