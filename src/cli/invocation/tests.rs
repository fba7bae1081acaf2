use super::*;

fn os(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

fn of(line: &str) -> Invocation {
    classify(&os(&line.split_whitespace().collect::<Vec<_>>())).unwrap()
}

fn exec(line: &str) -> Invocation {
    Invocation::Exec { shell: None, login: false, args: os(&line.split_whitespace().collect::<Vec<_>>()) }
}

fn wrap() -> Invocation {
    Invocation::Wrap { shell: None, login: false, interactive: false, shell_args: Vec::new() }
}

#[test]
fn without_a_command_the_shell_is_hosted() {
    assert_eq!(classify(&[]), Ok(wrap()));
    assert_eq!(of("shellmate"), wrap());
    assert_eq!(of("shellmate --"), wrap());
    let around = |shell: Option<&str>, login, interactive| Invocation::Wrap {
        shell: shell.map(PathBuf::from),
        login,
        interactive,
        shell_args: Vec::new(),
    };
    for (line, expected) in [
        ("-shellmate", around(None, true, false)),
        ("-bash", around(None, true, false)),
        ("shellmate -l", around(None, true, false)),
        ("shellmate --login", around(None, true, false)),
        ("shellmate -i", around(None, false, true)),
        ("shellmate -li", around(None, true, true)),
        ("shellmate -il --login -i", around(None, true, true)),
        ("-shellmate -i", around(None, true, true)),
        ("shellmate --shell /bin/zsh", around(Some("/bin/zsh"), false, false)),
        ("shellmate --shell=/bin/zsh -l", around(Some("/bin/zsh"), true, false)),
        ("shellmate -l --shell fish -i", around(Some("fish"), true, true)),
        ("shellmate --shell a --shell b", around(Some("b"), false, false)),
    ] {
        assert_eq!(of(line), expected, "{line}");
    }
}

#[test]
fn other_arguments_are_passed_to_the_real_shell_unchanged() {
    for args in [
        "-c true",
        "-c",
        "-lc true",
        "-ic true x y",
        "-cl true",
        "-l -c true",
        "-i --login -c true --shell /bin/zsh --help",
        "-s",
        "-s -- a b",
        "-x",
        "-xl",
        "-h -c true",
        "-h script",
        "-V -V",
        "-o pipefail",
        "+o history",
        "--norc",
        "--posix --login",
        "--rcfile /dev/null",
        "--shells",
        "--log",
        "-",
        "- script",
        "./doctor",
        "./script doctor",
        "dir/script",
        "-l script --version",
        "-login",
        "/usr/lib/openssh/sftp-server",
        "-c scp -t --shell",
    ] {
        assert_eq!(of(&format!("shellmate {args}")), exec(args), "{args}");
    }
    assert_eq!(classify(&os(&["sm", ""])), Ok(Invocation::Exec { shell: None, login: false, args: os(&[""]) }));
}

#[test]
fn a_bare_word_is_a_script_here_or_a_mistyped_subcommand() {
    let word =
        |shell: Option<&str>, args: &[&str]| Invocation::Word { shell: shell.map(PathBuf::from), args: os(args) };
    assert_eq!(of("shellmate hstory"), word(None, &["hstory"]));
    assert_eq!(of("shellmate script doctor -c x"), word(None, &["script", "doctor", "-c", "x"]));
    assert_eq!(of("shellmate --shell /bin/zsh script -l"), word(Some("/bin/zsh"), &["script", "-l"]));
    for line in
        ["-shellmate hstory", "-su script a", "shellmate -- hstory", "shellmate -l hstory", "shellmate -x hstory"]
    {
        assert!(matches!(of(line), Invocation::Exec { .. }), "{line}");
    }
}

#[test]
fn a_dash_in_argv0_makes_a_login_shell() {
    assert_eq!(of("-shellmate -c true"), Invocation::Exec { shell: None, login: true, args: os(&["-c", "true"]) });
    assert_eq!(of("shellmate -l -c true"), exec("-l -c true"));
}

#[test]
fn the_shell_option_is_removed_among_our_options() {
    let zsh = |args: &[&str]| Invocation::Exec { shell: Some("/bin/zsh".into()), login: false, args: os(args) };
    for (line, expected) in [
        ("shellmate --shell /bin/zsh -c true", zsh(&["-c", "true"])),
        ("shellmate --shell=/bin/zsh ./script -l", zsh(&["./script", "-l"])),
        ("shellmate -l --shell /bin/zsh -i -c true", zsh(&["-l", "-i", "-c", "true"])),
        ("shellmate --shell /bin/zsh -x --shell /bin/sh", zsh(&["-x", "--shell", "/bin/sh"])),
        ("shellmate --shell /bin/zsh -- -c true", zsh(&["-c", "true"])),
    ] {
        assert_eq!(of(line), expected, "{line}");
    }
}

#[test]
fn arguments_after_two_dashes_belong_to_the_shell() {
    for args in [
        "--norc",
        "--rcfile doctor -i",
        "-o pipefail",
        "-xo pipefail +O extglob",
        "--init-command ls",
        "--rcfile=x",
        "--shell",
        "--",
        "-l",
    ] {
        let shell_args = os(&args.split(' ').collect::<Vec<_>>());
        let expected = Invocation::Wrap { shell: None, login: false, interactive: false, shell_args };
        assert_eq!(of(&format!("shellmate -- {args}")), expected, "{args}");
    }
    for args in [
        "-c true",
        "-xc true",
        "-s",
        "script",
        "doctor",
        "--norc script",
        "-o pipefail script",
        "-- script",
        "- script",
        "--version",
        "--help",
        "--command ls",
        "--command=ls",
        "+x script",
        "--rcfile x y",
    ] {
        assert_eq!(of(&format!("shellmate -- {args}")), exec(args), "{args}");
    }
    assert_eq!(of("shellmate -l -- -c true"), exec("-l -c true"));
    assert_eq!(classify(&os(&["sm", "--", ""])), Ok(Invocation::Exec { shell: None, login: false, args: os(&[""]) }));
}

#[test]
fn subcommands_and_help_are_commands() {
    for line in [
        "shellmate doctor",
        "shellmate history search x -c",
        "-shellmate doctor",
        "-shellmate --version",
        "shellmate --help",
        "shellmate -l --help",
        "shellmate --shell /bin/zsh doctor",
        "shellmate -h",
        "shellmate -V",
        "shellmate help config",
        "shellmate completions zsh",
    ] {
        assert_eq!(of(line), Invocation::Command, "{line}");
    }
    for name in SUBCOMMANDS {
        assert_eq!(of(&format!("shellmate {name}")), Invocation::Command);
        assert_eq!(of(&format!("shellmate ./x {name}")), exec(&format!("./x {name}")));
    }
}

#[test]
fn a_shell_option_without_a_path_is_an_error() {
    for words in [&["sm", "--shell"][..], &["sm", "--shell="], &["sm", "--shell", ""], &["sm", "--shell", "-c", "x"]] {
        assert_eq!(classify(&os(words)), Err(UsageError::ShellWithoutPath), "{words:?}");
    }
}

#[test]
fn arguments_need_not_be_utf8() {
    use std::os::unix::ffi::OsStringExt;
    let odd = OsString::from_vec(vec![b'-', 0xff]);
    let args = [OsString::from("sm"), odd.clone()];
    assert_eq!(classify(&args), Ok(Invocation::Exec { shell: None, login: false, args: vec![odd] }));
}

proptest::proptest! {
    /// The real shell gets the given arguments, without `--shell`.
    #[test]
    fn no_argument_is_lost(words in proptest::collection::vec("(-[lisc]{1,2}|--login|--norc|--|x|doctor|-)", 0..6)) {
        let mut args = vec![OsString::from("sm")];
        args.extend(words.iter().map(OsString::from));
        if let Ok(Invocation::Exec { args: handed, .. }) = classify(&args) {
            let dashes = args.iter().position(|word| word == "--");
            let mut given = args[1..].to_vec();
            if handed.len() < given.len() && let Some(at) = dashes {
                given.remove(at - 1);
            }
            proptest::prop_assert_eq!(handed, given);
        }
    }
}
