//! Non-interactive invocations: shellmate replaces itself by the real shell.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Output, Stdio};

use crate::harness::{Builder, Shell, Term, in_every_shell, shells};

/// Runs without a terminal, with `input` as standard input.
fn output(builder: &Builder, input: &str) -> Output {
    let mut child =
        builder.command().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).ok();
    child.wait_with_output().unwrap()
}

/// The result of an invocation: status, output, and files created below HOME.
fn outcome(builder: Builder, input: &str) -> (Option<i32>, Option<i32>, String, String) {
    let output = output(&builder, input);
    let place = builder.place().display().to_string();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&place, "PLACE");
    for left in [".local/state/shellmate", ".config/shellmate"] {
        assert!(!builder.home().join(left).exists(), "{left} was made");
    }
    assert_eq!(std::fs::read_dir(builder.place().join("run")).unwrap().count(), 0, "the runtime directory was used");
    (output.status.code(), output.status.signal(), said(&output.stdout), said(&output.stderr))
}

#[track_caller]
fn same_as_bare(shell: Shell, args: &[&str], input: &str, set: impl Fn(Builder) -> Builder) {
    let builder = || set(Term::new(shell).file("script", "echo script: $argv $@; exit 5").args(args));
    let wrapped = outcome(builder(), input);
    let bare = outcome(builder().bare(), input);
    assert_eq!(wrapped, bare, "{} {args:?}", shell.name());
}

#[test]
fn the_status_is_the_shells() {
    in_every_shell(|shell| {
        assert_eq!(outcome(Term::new(shell).args(["-c", "exit 7"]), "").0, Some(7));
        assert_eq!(outcome(Term::new(shell).args(["-c", &format!("kill -9 {}", shell.pid())]), "").1, Some(9));
    });
}

#[test]
fn every_form_behaves_like_the_bare_shell() {
    for shell in shells() {
        for args in [
            &["-c", "echo 0=$0 1=$1 args=$argv; exit 3", "zero", "one"][..],
            &["-c", "echo 0=$0"],
            &["-c", "echo --help"],
            &["-c", "no-such-command-here"],
            &["-lc", "echo login"],
            &["-l", "-c", "echo login"],
            &["-ic", "echo interactive"],
            &["-i", "-c", "echo interactive"],
            &["script", "a", "b"],
            &["./no-such-script"],
        ] {
            same_as_bare(shell, args, "", |builder| builder);
            same_as_bare(shell, args, "", |builder| builder.arg0("-shellmate"));
        }
        same_as_bare(shell, &["no-such-script"], "", |builder| builder.arg0("-shellmate"));
        same_as_bare(shell, &[], "echo from stdin\nexit 4\n", |builder| builder);
        same_as_bare(shell, &[], "echo from stdin\nexit 4\n", |builder| builder.arg0("-shellmate"));
    }
    for shell in [Shell::Bash, Shell::Zsh].into_iter().filter(|shell| shell.available()) {
        same_as_bare(shell, &["-s", "a", "b"], "echo 0=$0 $1 $2\n", |builder| builder);
        same_as_bare(shell, &["-e", "-c", "false; echo not reached"], "", |builder| builder);
        same_as_bare(shell, &["-x", "script", "a"], "", |builder| builder);
        same_as_bare(shell, &["-euo", "pipefail", "-c", "false | true; echo not reached"], "", |builder| builder);
    }
}

#[test]
fn a_mistyped_subcommand_runs_nothing_from_the_path() {
    in_every_shell(|shell| {
        let run = |args: &[&str]| {
            let builder = Term::new(shell).file("bin/hstory", "touch $HOME/ran\n").args(args);
            let path = format!("{}:/usr/bin:/bin", builder.home().join("bin").display());
            let builder = builder.env("PATH", &path);
            let output = output(&builder, "");
            assert!(!builder.home().join("ran").exists(), "{} ran a script from PATH", shell.name());
            let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            (output.status.code(), said(&output.stdout), said(&output.stderr))
        };
        let (code, out, said) = run(&["hstory"]);
        assert_eq!((code, out.as_str()), (Some(127), ""), "{said}");
        assert!(said.contains("there is no subcommand `hstory`"), "{said}");
        assert!(said.contains("did you mean `shellmate history`?") && said.contains("`shellmate ./hstory`"), "{said}");
        let (code, _, said) = run(&["mcp", "list"]);
        assert_eq!(code, Some(127), "{said}");
        assert!(!said.contains("did you mean"), "{said}");
    });
}

#[test]
fn the_environment_and_the_signals_are_what_a_bare_shell_gets() {
    in_every_shell(|shell| {
        let signals = "grep -E '^Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd";
        same_as_bare(shell, &["-c", signals], "", |builder| builder);
        same_as_bare(shell, &["-c", "env | grep -v '^_=' | sort"], "", |builder| builder);
        same_as_bare(shell, &["-c", "yes | head -n 1"], "", |builder| builder);
    });
}

#[test]
fn a_broken_configuration_is_not_even_read() {
    in_every_shell(|shell| {
        let builder = Term::new(shell).args(["-c", "echo fine"]).config("this is [not toml");
        let output = output(&builder, "");
        assert_eq!((&*output.stdout, &*output.stderr), (&b"fine\n"[..], &b""[..]), "{}", shell.name());
    });
}

#[test]
fn without_a_terminal_as_standard_error_it_becomes_the_shell() {
    in_every_shell(|shell| {
        let seen = |builder: Builder| {
            let home = builder.home();
            let mut term = builder.start();
            term.typed("echo one $SHELLMATE. > out\r");
            term.typed("exit 6\r");
            let status = term.wait_exit().code();
            (status, std::fs::read_to_string(home.join("out")).unwrap())
        };
        let start = |program: &str| format!("exec {program} 2>/dev/null");
        let wrapped = seen(Term::new(shell).program("/bin/sh").args(["-c", &start(crate::harness::PROGRAM)]));
        let bare = seen(Term::new(shell).program("/bin/sh").args(["-c", &start(shell.name())]));
        assert_eq!(wrapped, bare, "{}", shell.name());
    });
}

#[test]
fn a_missing_shell_is_127_and_one_that_cannot_run_is_126() {
    let builder = Term::new(Shell::Bash).args(["--shell", "/no/such/zsh5"]);
    let output = |builder: &Builder| output(builder, "");
    let missing = output(&builder);
    assert_eq!(missing.status.code(), Some(127));
    let words = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(words.contains("/no/such/zsh5"), "{words}");

    let builder = Term::new(Shell::Bash).file("plain", "text");
    let path = builder.home().join("plain");
    let not_executable = output(&builder.args(["--shell".into(), path]));
    assert_eq!(not_executable.status.code(), Some(126));
}

#[test]
fn as_a_login_shell_the_configured_shell_runs_commands() {
    let said = |builder: Builder, input: &str| {
        let output = output(&builder, input);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    // As a login shell, shellmate is $SHELL and the passwd entry.
    let builder = || Term::new(Shell::Bash).env("SHELL", crate::harness::PROGRAM).arg0("-shellmate");
    for shell in shells() {
        let path = shell.path();
        let builder = || builder().config(&format!("shell = '{}'\n", path.display()));
        let ask = format!("ps -o comm= -p {}; true", shell.pid());
        assert_eq!(said(builder().args(["-c", &ask]), "").trim(), shell.name());
        assert_eq!(said(builder(), &ask).trim(), shell.name());
        for name in ["SHELLMATE_SHELL", "SHELL"] {
            let other = builder().env(name, "/bin/sh").args(["-c", "echo $0"]);
            assert_eq!(said(other, "").trim(), "-sh");
        }
    }
}
