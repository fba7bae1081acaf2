//! The working directory of shellmate follows the shell's, because terminals read it to open a new tab in the same place.

use std::fs;
use std::path::PathBuf;

use crate::harness::{Builder, PROGRAM, Shell, Term, available, in_a_namespace, in_every_shell, shells};

/// Waits until the process that owns the terminal is in `wanted`.
fn wait_for_directory(term: &Term, wanted: &str) {
    let link = format!("/proc/{}/cwd", term.pid());
    term.wait_for_state(|| fs::read_link(&link).unwrap_or_default(), &PathBuf::from(wanted));
}

#[test]
fn the_working_directory_follows_the_shell() {
    in_every_shell(|shell| {
        let term = Term::new(shell);
        let home = fs::canonicalize(term.home()).unwrap();
        fs::create_dir_all(home.join("with blank/ünder")).unwrap();
        std::os::unix::fs::symlink("with blank", home.join("link")).unwrap();
        let home = home.display();
        let mut term = term.start();
        term.wait_for_prompt();
        for (command, wanted) in [
            ("cd 'with blank/ünder'", format!("{home}/with blank/ünder")),
            ("cd /", "/".to_owned()),
            ("cd ~/link", format!("{home}/with blank")),
            ("cd ..", home.to_string()),
        ] {
            term.run(command);
            wait_for_directory(&term, &wanted);
        }
    });
}

/// The kernel marks the link of a deleted directory. shellmate follows the shell there, and nothing fails.
#[test]
fn a_deleted_directory_is_followed_too() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        let home = fs::canonicalize(term.home()).unwrap().display().to_string();
        term.wait_for_prompt();
        term.run("mkdir gone && cd gone && rmdir ../gone");
        wait_for_directory(&term, &format!("{home}/gone (deleted)"));
        term.run("cd /usr");
        wait_for_directory(&term, "/usr");
        term.run("echo fine");
        assert!(term.screen().contains("\nfine\n"), "{}", term.describe());
    });
}

#[test]
fn tmux_opens_a_pane_where_the_shell_is() {
    if !available("tmux") {
        return;
    }
    in_every_shell(|shell| {
        // Without exec, fish would stay the foreground process whose directory tmux reads.
        let start = format!("exec tmux -f /dev/null new-session 'exec {PROGRAM}'");
        let mut term = Term::new(shell).program("/bin/sh").args(["-c", &start]).start();
        term.wait_for_prompt();
        term.run("cd /usr/lib");
        let ask = "while [ \"$(tmux display -p '#{pane_current_path}')\" != /usr/lib ]; do :; done; echo pane he''re";
        term.typed(format!("sh -c {}\r", quoted(ask)));
        term.wait_for("\npane here\n");
        term.typed("exit\r");
        term.wait_exit();
    });
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The shells that release a directory when they leave it. fish keeps it open for a while, also in a bare shell.
fn unmounting() -> impl Iterator<Item = Shell> {
    shells().into_iter().filter(|shell| *shell != Shell::Fish)
}

/// Starts the shell in a file system of its own, if this machine allows one.
fn in_a_mount(shell: Shell) -> Option<Builder> {
    let script = format!("mkdir -p ~/mnt && mount -t tmpfs none ~/mnt && cd ~/mnt && exec {PROGRAM}");
    in_a_namespace(shell, &script)
}

#[test]
fn the_file_system_it_was_started_in_can_be_unmounted() {
    for shell in unmounting() {
        let Some(builder) = in_a_mount(shell) else { return };
        let mut term = builder.start();
        term.wait_for_prompt();
        term.run("cd /");
        wait_for_directory(&term, "/");
        term.run("umount ~/mnt && echo gone | tr a-z A-Z");
        assert!(term.screen().contains("\nGONE\n"), "{}", term.describe());
    }
}

#[test]
fn a_directory_can_be_left_and_unmounted_in_one_command() {
    for shell in unmounting() {
        let Some(builder) = in_a_mount(shell) else { return };
        let mut term = builder.start();
        term.wait_for_prompt();
        // umount may start slowly if it is not in memory yet.
        term.run("cd / && sleep 0.2 && umount ~/mnt && echo gone | tr a-z A-Z");
        assert!(term.screen().contains("\nGONE\n"), "{}", term.describe());
        wait_for_directory(&term, "/");
        term.run("cd /usr");
        wait_for_directory(&term, "/usr");
    }
}
