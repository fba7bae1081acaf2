//! If anything of shellmate fails, there is a working shell and at most one line that says why.

use std::os::unix::fs::PermissionsExt;

use crate::harness::{Builder, PROGRAM, Shell, Term, all, in_a_namespace, in_every_shell, shells};

/// Checks that the shell works, that its status arrives, and that shellmate prints at most one line.
#[track_caller]
fn works(what: &str, builder: Builder) -> Term {
    let shell = builder.shell();
    let mut term = builder.start();
    term.wait_for_prompt();
    term.run("echo it wo''rks");
    term.wait_for("\nit works\n");
    term.run("false");
    term.run(&format!("echo status {}", shell.status()));
    term.wait_for("\nstatus 1\n");
    let ours: Vec<String> =
        term.screen().lines().filter(|line| line.contains("shellmate:")).map(str::to_owned).collect();
    assert!(ours.len() <= 1, "{} with {what}: {ours:?}\n{}", shell.name(), term.describe());
    let others = ["panicked", "RUST_BACKTRACE", "No such file", "Permission denied", "cannot create", "not found"];
    let screen: Vec<String> =
        term.screen().lines().filter(|line| !ours.iter().any(|one| one == line)).map(str::to_owned).collect();
    // A newer bash reports an unknown locale.
    let screen: Vec<String> = screen.into_iter().filter(|line| !line.contains("cannot change locale")).collect();
    let noise = others.iter().find(|text| screen.iter().any(|line| line.contains(**text)));
    assert!(noise.is_none(), "{} with {what}: {noise:?}\n{}", shell.name(), term.describe());
    term.typed("exit 3\r");
    assert_eq!(term.wait_exit().code(), Some(3), "{} with {what}", shell.name());
    term
}

#[test]
fn a_state_directory_that_others_can_write() {
    in_every_shell(|shell| {
        let builder = Term::new(shell).newcomer();
        let state = builder.home().join(".local/state/shellmate");
        std::fs::create_dir_all(&state).unwrap();
        std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o777)).unwrap();
        let term = works("a state directory open to others", builder);
        assert!(term.words().contains("can be written by others"), "{}: {}", shell.name(), term.describe());
        assert_eq!(std::fs::read_dir(&state).unwrap().count(), 0, "{}: it was used", shell.name());
    });
}

#[test]
fn a_broken_configuration() {
    in_every_shell(|shell| {
        works("no TOML", Term::new(shell).config("this is [not toml"));
        works("a wrong type", Term::new(shell).config("[history]\ncommands = 'many'\nsize = []\n"));
        works("unknown keys", Term::new(shell).config("nonsense = 1\n[other]\nx = 2\n"));
        works("bytes that are no text", Term::new(shell).file(".config/shellmate/config.toml", b"\xff\xfe\x00shell"));
        works("a directory in its place", Term::new(shell).file(".config/shellmate/config.toml/x", ""));
        works("a file where its directory is", Term::new(shell).file(".config/shellmate", ""));
        works("a shell that is not there", Term::new(shell).config("shell = '/no/such/shell'"));
        let loops = Term::new(shell);
        std::fs::create_dir_all(loops.home().join(".config/shellmate")).unwrap();
        let path = loops.home().join(".config/shellmate/config.toml");
        std::os::unix::fs::symlink(&path, &path).unwrap();
        works("a link to itself", loops);
    });
}

#[test]
fn a_broken_configuration_is_named_in_one_line() {
    in_every_shell(|shell| {
        let term = works("no TOML", Term::new(shell).config("this is [not toml"));
        let screen = term.screen();
        assert!(screen.lines().any(|line| line.contains("shellmate") && line.contains("config.toml")), "{screen}");
    });
}

#[test]
fn nowhere_to_write() {
    in_every_shell(|shell| {
        let nowhere = "/proc/nowhere";
        works("no state directory", Term::new(shell).env("XDG_STATE_HOME", nowhere));
        works("no runtime directory", Term::new(shell).env("XDG_RUNTIME_DIR", nowhere));
        works("no temporary directory either", Term::new(shell).env("XDG_RUNTIME_DIR", nowhere).env("TMPDIR", nowhere));
        let all =
            Term::new(shell).env("XDG_STATE_HOME", nowhere).env("XDG_RUNTIME_DIR", nowhere).env("TMPDIR", nowhere);
        works("nothing at all", all);
        works("a file as the state directory", Term::new(shell).file(".local/state/shellmate", ""));
        works("a file as the database's place", Term::new(shell).file(".local/state/shellmate/history.db/x", ""));
        works("a file as the log's place", Term::new(shell).file(".local/state/shellmate/log", ""));
        works(
            "empty variables",
            Term::new(shell).env("XDG_STATE_HOME", "").env("XDG_RUNTIME_DIR", "").env("TMPDIR", ""),
        );
        works("relative variables", Term::new(shell).env("XDG_STATE_HOME", "here").env("XDG_RUNTIME_DIR", "there"));
        works("no runtime variable", Term::new(shell).no_env("XDG_RUNTIME_DIR"));
    });
}

#[test]
fn a_runtime_directory_of_another_user() {
    in_every_shell(|shell| {
        let builder = Term::new(shell).file("x", "");
        let open = builder.place().join("run/shellmate");
        std::fs::create_dir(&open).unwrap();
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
        works("a runtime directory that all can write", builder);
    });
}

#[test]
fn a_corrupt_database() {
    in_every_shell(|shell| {
        for bytes in [
            &b"this is no database at all, not by far, and it is long enough to be read as a header of one....."[..],
            b"",
        ] {
            let builder = Term::new(shell).file(".local/state/shellmate/history.db", bytes);
            works("a corrupt database", builder);
        }
        let mut torn = b"SQLite format 3\0".to_vec();
        torn.extend((0..8192).map(|n| (n * 7 % 251) as u8));
        works("a torn database", Term::new(shell).file(".local/state/shellmate/history.db", torn));
    });
}

#[test]
fn without_home() {
    in_every_shell(|shell| {
        // Without HOME the start files differ by shell, so only the prompt is checked.
        let mut term = Term::new(shell)
            .no_env("HOME")
            .no_env("XDG_CONFIG_HOME")
            .no_env("XDG_STATE_HOME")
            .no_env("XDG_DATA_HOME")
            .start();
        term.wait_until(|screen| !screen.contents().trim().is_empty());
        term.typed("echo it wo''rks\r");
        term.wait_for("\nit works");
        term.typed("exit 3\r");
        assert_eq!(term.wait_exit().code(), Some(3), "{}", shell.name());
    });
}

#[test]
fn a_deleted_working_directory() {
    in_every_shell(|shell| {
        let builder = Term::new(shell).file("gone/x", "");
        let gone = builder.home().join("gone");
        let enter = format!("cd {0} && rm -r {0} && exec {PROGRAM}", gone.display());
        let mut term = builder.program("/bin/sh").args(["-c", &enter]).start();
        term.wait_for_prompt();
        term.typed("cd; echo it wo''rks\r");
        term.wait_for("\nit works\n");
    });
}

#[test]
fn a_nearly_empty_environment() {
    in_every_shell(|shell| {
        works("TERM=dumb", Term::new(shell).env("TERM", "dumb"));
        works("no language", Term::new(shell).no_env("LANG"));
        works("a language that is not there", Term::new(shell).env("LC_ALL", "xx_XX.UTF-8"));
        works("a log level that is nonsense", Term::new(shell).env("SHELLMATE_LOG", "%%%=="));
        works("a shell variable that is nonsense", Term::new(shell).env("SHELLMATE_SHELL", "/no/such/shell"));
        works("no SHELL", Term::new(shell).no_env("SHELL").args(["--shell", shell.name()]));
    });
}

#[test]
fn few_descriptors() {
    // `sh` itself needs twelve. With any higher limit the shell must start.
    let with_only = |limit: u32| {
        let start = format!("ulimit -n {limit}; exec {PROGRAM} --shell /bin/sh");
        let mut term = Term::new(Shell::Bash).env("PS1", "[1]$ ").program("/bin/sh").args(["-c", &start]).start();
        term.wait_for_prompt();
        assert!(term.screen().lines().count() <= 2, "{limit} descriptors\n{}", term.describe());
        term.typed("echo it wo''rks\r");
        term.wait_for("\nit works");
        term.typed("exit 3\r");
        assert_eq!(term.wait_exit().code(), Some(3), "{limit} descriptors");
    };
    all((12..32).map(|limit| (limit, move || with_only(limit))));
}

#[test]
fn a_full_disk() {
    in_every_shell(|shell| {
        for size in ["4k", "64k", "1m"] {
            let fill = format!(
                "mkdir -p ~/.local/state && mount -t tmpfs -o size={size} none ~/.local/state && \
                 mount -t tmpfs -o size={size} none \"$XDG_RUNTIME_DIR\" && mount -t tmpfs -o size={size} none \"$TMPDIR\" && \
                 {{ head -c 10m /dev/zero > \"$TMPDIR/full\"; head -c 10m /dev/zero > \"$XDG_RUNTIME_DIR/full\"; \
                 head -c 10m /dev/zero > ~/.local/state/full; }} 2>/dev/null; exec {PROGRAM}"
            );
            let Some(builder) = in_a_namespace(shell, &fill) else { return };
            works(&format!("a full disk of {size}"), builder);
        }
    });
}

#[test]
fn a_disk_that_fills_up_later() {
    for shell in shells() {
        let mount = format!(
            "mkdir -p ~/.local/state && mount -t tmpfs -o size=256k none ~/.local/state && \
             mount -t tmpfs -o size=256k none \"$XDG_RUNTIME_DIR\" && exec {PROGRAM}"
        );
        let Some(builder) = in_a_namespace(shell, &mount) else { return };
        let mut term = builder.start();
        term.wait_for_prompt();
        for _ in 0..3 {
            term.run("seq 100000");
        }
        term.run("echo it wo''rks");
        term.wait_for("\nit works\n");
        assert!(term.screen().lines().filter(|line| line.contains("shellmate:")).count() <= 1, "{}", term.describe());
        term.typed("exit 3\r");
        assert_eq!(term.wait_exit().code(), Some(3), "{}", shell.name());
    }
}

/// The history of a session that `ending` ended, read after its disk has filled up.
fn history_on_a_full_disk(shell: Shell, ending: &str) {
    let script = format!(
        "mkdir -p ~/.local/state && mount -t tmpfs -o size=512k none ~/.local/state && {PROGRAM}; stty sane; \
         head -c 10m /dev/zero > ~/.local/state/full 2>/dev/null; df --output=avail ~/.local/state; \
         {PROGRAM} history; {PROGRAM} history search --list brown; {PROGRAM} history show 1; {PROGRAM} history forget 1; \
         echo end of t''est"
    );
    let Some(builder) = in_a_namespace(shell, &script) else { return };
    let mut term = builder.size(60, 150).start();
    term.wait_for_prompt();
    term.run("printf '%s\\n' qu''ick br''own");
    // `history` waits until the commands of this terminal are in the database.
    term.run(&format!("{PROGRAM} history last 1 > /dev/null; clear"));
    term.typed(ending);
    term.wait_for("\nend of test");
    let screen = term.screen();
    let after = screen.split("Avail").nth(1).unwrap_or_else(|| panic!("{}", term.describe()));
    assert!(after.trim_start().starts_with("0\n"), "the disk is not full\n{screen}");
    assert!(after.contains("\n1  "), "not listed\n{screen}");
    assert_eq!(after.matches("printf").count(), 3, "listed, found and shown\n{screen}");
    assert!(after.contains("\nquick\nbrown\n"), "not shown\n{screen}");
    assert!(after.contains("\nerror: the disk is full\n"), "{screen}");
}

#[test]
fn a_history_on_a_full_disk_can_be_read() {
    in_every_shell(|shell| {
        history_on_a_full_disk(shell, "exit\r");
        // A killed session leaves the write-ahead log of the database and its journal.
        history_on_a_full_disk(
            shell,
            "sh -c 'read -r pid name state parent rest < /proc/$PPID/stat; kill -9 $parent'\r",
        );
    });
}

#[test]
fn no_pseudo_terminal_left() {
    for shell in shells() {
        // On Linux a limit of 0 means no limit. So the limit is one, and it is in use.
        let none = format!(
            "mount -t devpts -o newinstance,ptmxmode=0666,max=1 devpts /dev/pts && exec 7<>/dev/ptmx && exec {PROGRAM}"
        );
        let Some(builder) = in_a_namespace(shell, &none) else { return };
        let term = works("no pseudo-terminal", builder.size(24, 200));
        let words = "shellmate: cannot open a pseudo-terminal: all pseudo-terminals are in use (close a terminal, or raise \
                     kernel.pty.max); starting your plain shell";
        assert!(term.screen().contains(words), "{}", term.describe());
    }
}

#[test]
fn hooks_that_do_not_load() {
    // Start files that break our hooks.
    for (shell, text) in [
        (Shell::Bash, "return() { exit 9; }"),
        (Shell::Bash, "PROMPT_COMMAND() { :; }; bind() { return 1; }"),
        (Shell::Bash, "enable -n printf bind"),
        (Shell::Zsh, "zmodload() { return 1 }; autoload() { return 1 }"),
        (Shell::Zsh, "disable print printf zle"),
        (Shell::Fish, "function bind; return 1; end"),
    ] {
        if shell.available() {
            works(text, Term::new(shell).rc(text));
        }
    }
    if Shell::Zsh.available() {
        works("ZDOTDIR elsewhere", Term::new(Shell::Zsh).file(".zshenv", "setopt no_global_rcs"));
    }
}

/// Checks that the shell works after a fault of shellmate and that the terminal is restored.
#[track_caller]
fn outlives(place: &str, shell: Shell) {
    let mut term = Term::new(shell).env("SHELLMATE_FAULT", format!("{place}:now")).start();
    term.wait_for_prompt();
    term.run("echo be''fore");
    term.run("echo n''ow");
    term.wait_for("\nnow\n");
    term.wait_for("recording is off");
    term.run("echo it wo''rks");
    term.wait_for("\nit works\n");
    // The query is not answered, but it is not run as a redirection either.
    term.run("> precious");
    assert!(!term.home().join("precious").exists(), "{}", term.describe());
    term.resize(30, 70);
    term.run("stty size");
    term.wait_for("\n30 70\n");
    term.run("false");
    term.run(&format!("echo status {}", shell.status()));
    term.wait_for("\nstatus 1\n");
    assert!(!term.screen().contains("panicked"), "{}", term.describe());
    term.typed("exit 3\r");
    assert_eq!(term.wait_status().code(), Some(3), "{}", term.describe());
    assert_eq!(term.modes(), term.modes_before, "{place} in {}", shell.name());
    let records = term.history(&[]);
    assert!(records.iter().any(|record| record.command == "echo be''fore"), "{records:?}");
}

#[test]
fn a_panic_while_marks_are_read() {
    in_every_shell(|shell| outlives("marks", shell));
}

#[test]
fn a_panic_of_the_loop() {
    in_every_shell(|shell| outlives("loop", shell));
}

#[test]
fn a_second_panic_gives_the_terminal_back() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).env("SHELLMATE_FAULT", "loop:now").start();
        term.wait_for_prompt();
        term.run("echo n''ow");
        term.wait_for("recording is off");
        term.typed("echo n''ow; sleep 100\r");
        assert_eq!(term.wait_status().code(), Some(125), "{}", term.describe());
        assert_eq!(term.modes(), term.modes_before, "{}", shell.name());
        assert!(!term.screen().contains("panicked"), "{}", term.describe());
    });
}

#[test]
fn a_release_build_ignores_the_fault_variable() {
    let Some(program) = std::env::var_os("SHELLMATE_RELEASE") else {
        eprintln!("SKIPPED: no release build; `tests/run` makes one");
        return;
    };
    let mut term = Term::new(Shell::Bash).program(program).env("SHELLMATE_FAULT", "marks:now").start();
    term.wait_for_prompt();
    term.run("echo n''ow");
    term.run("echo af''ter");
    term.wait_for("\nafter\n");
    assert!(!term.screen().contains("shellmate"), "{}", term.describe());
}
