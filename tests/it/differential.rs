//! The same keys in a bare shell and in a hosted one: the shell must behave the same.

use std::collections::BTreeMap;

use crate::commands::SLOW;
use crate::harness::{Builder, Key, Shell, Term, all, in_every_shell, shells};

/// Runs `act` in both terminals and returns both results, the hosted shell first.
fn both<T>(shell: Shell, set: impl Fn(Builder) -> Builder, act: impl Fn(&mut Term) -> T) -> (T, T) {
    let mut ours = set(Term::new(shell)).start();
    let mut bare = set(Term::new(shell)).bare().start();
    (act(&mut ours), act(&mut bare))
}

/// Runs each command with its output in a file and returns the texts.
fn answers(term: &mut Term, commands: &[&str]) -> Vec<String> {
    term.wait_for_prompt();
    let mut texts = Vec::new();
    for command in commands {
        term.run(
            &format!("{command} >| ~/answer 2>&1").replace(">|", if term.shell() == Shell::Fish { ">" } else { ">|" }),
        );
        texts.push(term.without_place(&term.read("answer")));
    }
    texts
}

#[track_caller]
fn same_answers(shell: Shell, set: impl Fn(Builder) -> Builder, commands: &[&str]) {
    let (ours, bare) = both(shell, set, |term| answers(term, commands));
    for ((command, ours), bare) in commands.iter().zip(ours).zip(bare) {
        assert!(ours == bare, "{}: {command}\n{}", shell.name(), difference(&ours, &bare));
    }
}

/// The lines that only one of the two has.
fn difference(ours: &str, bare: &str) -> String {
    let only = |one: &str, other: &str, sign: &str| {
        let lines = one.lines().filter(|line| !other.lines().any(|twin| twin == *line));
        lines.map(|line| format!("{sign} {line}\n")).collect::<String>()
    };
    only(ours, bare, "ours:") + &only(bare, ours, "bare:")
}

const EVERYWHERE: &[&str] = &[
    "stty -a",
    "umask",
    "pwd",
    "ls /proc/self/fd",
    "grep -E '^Sig(Blk|Ign)' /proc/self/status",
    "bash -c 'ps -o stat= -p $PPID' | cut -c 2-", // less whether it runs or sleeps just now
    "bash -c 'grep ^SigIgn /proc/$PPID/status'",
    "bash -c 'tr \"\\0\" \" \" < /proc/$PPID/comm'",
];

/// The descriptors of the shell. It keeps a pipe open until the program it starts runs, and then it sleeps.
const DESCRIPTORS: &str = "bash -c 'until [[ $(</proc/$PPID/status) == *State:?S* ]]; do :; done; ls /proc/$PPID/fd'";

fn questions(shell: Shell) -> Vec<&'static str> {
    let own: &[&str] = match shell {
        Shell::Bash => &[
            DESCRIPTORS,
            "echo \"$0\" \"$-\" \"$#\" \"$SHLVL\"",
            "shopt",
            "set -o",
            "trap -p",
            "alias -p",
            "bind -v",
            "complete -p",
            "enable -a",
            "declare -F | grep -v shellmate",
            "ulimit -a",
            "jobs",
            "echo \"$BASHOPTS $SHELLOPTS\"",
            "history",
            "dirs -v",
        ],
        Shell::Zsh => &[
            DESCRIPTORS,
            "echo \"$0\" \"$-\" \"$#\" \"$SHLVL\"",
            "setopt",
            "unsetopt",
            "trap",
            "alias",
            "print -l $fpath $path",
            "print -l ${(ko)functions} | grep -v shellmate",
            "bindkey",
            "ulimit -a",
            "jobs",
            "dirs -v",
            "zstyle -L",
            "echo ${ZDOTDIR-unset}",
        ],
        // fish is not asked about its descriptors: it opens files in the background at any time.
        Shell::Fish => &[
            "echo $SHLVL (count $argv)",
            "status is-login; echo $status",
            "status is-interactive; echo $status",
            "status job-control",
            "status features",
            "abbr",
            "functions -a | string split ', ' | string match -v '*shellmate*' | string match -v count_prompts",
            "jobs",
            "set -S fish_key_bindings",
            "complete | string match -r 'shellmate'",
            "echo $XDG_DATA_DIRS",
        ],
    };
    [EVERYWHERE, own].concat()
}

#[test]
fn the_shell_describes_itself_like_a_bare_shell() {
    in_every_shell(|shell| {
        same_answers(shell, |builder| builder, &questions(shell));
    });
}

#[test]
fn a_login_shell_describes_itself_like_a_bare_shell() {
    in_every_shell(|shell| {
        let login = |builder: Builder| builder.arg0("-shellmate").file(".bash_profile", ". ~/.bashrc");
        same_answers(shell, login, &questions(shell));
    });
}

/// `name=value` lines of `env`, without `_`, which is the path of `env` or of an earlier command.
fn variables(text: &str) -> BTreeMap<String, String> {
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).filter(|(name, _)| name != "_").collect()
}

#[test]
fn the_environment_of_a_program_gains_two_names() {
    in_every_shell(|shell| {
        for arg0 in ["shellmate", "-shellmate"] {
            let set = |builder: Builder| builder.arg0(arg0).file(".bash_profile", ". ~/.bashrc");
            let (ours, bare) = both(shell, set, |term| answers(term, &["env"]).remove(0));
            let mut ours = variables(&ours);
            assert_eq!(ours.remove("SHELLMATE").as_deref(), Some(env!("CARGO_PKG_VERSION")));
            assert!(ours.remove("SHELLMATE_SESSION").is_some_and(|session| !session.is_empty()));
            assert_eq!(ours, variables(&bare), "{} {arg0}", shell.name());
        }
    });
}

#[test]
fn variables_the_user_set_arrive_as_they_are() {
    in_every_shell(|shell| {
        let set = |builder: Builder| {
            let home = builder.home();
            builder
                .env("ENV", "/some/env")
                .env("ZDOTDIR", home)
                .env("XDG_DATA_DIRS", "/some/data:/usr/share")
                .env("HISTFILE", "/dev/null")
                .env("PROMPT_COMMAND", ":")
                .env("BASH_ENV", "/some/bash")
                .env("SHLVL", "3")
                .env("TERM_PROGRAM", "WezTerm")
        };
        let (ours, bare) = both(shell, set, |term| answers(term, &["env"]).remove(0));
        let mut ours = variables(&ours);
        ours.retain(|name, _| !name.starts_with("SHELLMATE"));
        let mut bare = variables(&bare);
        bare.remove("SHELLMATE_LOG");
        // PROMPT_COMMAND contains our hook, and the user has exported it.
        ours.remove("PROMPT_COMMAND");
        bare.remove("PROMPT_COMMAND");
        assert_eq!(ours, bare, "{}", shell.name());
    });
}

/// Shell variables, without those that differ in every run and those that contain a hook.
fn shell_variables(shell: Shell, text: &str) -> BTreeMap<String, String> {
    const NEVER_THE_SAME: &[&str] = &[
        "BASHPID",
        "BASH_ARGV0",
        "BASH_COMMAND",
        "BASH_ARGC",
        "BASH_ARGV",
        "BASH_LINENO",
        "BASH_SOURCE",
        "BASH_SUBSHELL",
        "BASH_MONOSECONDS",
        "EPOCHREALTIME",
        "EPOCHSECONDS",
        "HISTCMD",
        "LINENO",
        "PPID",
        "RANDOM",
        "SECONDS",
        "SRANDOM",
        "_",
        "TTY",
        "TTYIDLE",
        "ERRNO",
        "$",
        "!",
        "?",
        "funcstack",
        "history",
        "historywords",
        "commands",
        "functions_source",
        "jobdirs",
        "jobstates",
        "jobtexts",
        "status",
        "pipestatus",
        "CMD_DURATION",
        "fish_pid",
        "last_pid",
        "hostname",
        "SHELLMATE",
        "SHELLMATE_SESSION",
    ];
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let parsed = match shell {
            Shell::Bash => line.strip_prefix("declare -").and_then(|rest| rest.split_once(' ')),
            Shell::Zsh => line.strip_prefix("typeset ").or(line.strip_prefix("export ")).map(|rest| ("", rest)),
            Shell::Fish => line.split_once(' ').map(|_| ("", line)),
        };
        let Some((flags, rest)) = parsed else { continue };
        let (name, value) = rest.split_once([' ', '=']).unwrap_or((rest, ""));
        if !NEVER_THE_SAME.contains(&name) && !line.contains("__shellmate_") {
            found.insert(name.to_owned(), format!("{flags} {value}"));
        }
    }
    found
}

#[test]
fn the_variables_of_the_shell_are_its_own() {
    // These contain a hook. All others are as in a bare shell.
    const HOOKED: &[&str] = &["PROMPT_COMMAND", "PS0", "precmd_functions", "preexec_functions"];
    for (shell, dump) in [(Shell::Bash, "declare -p"), (Shell::Fish, "set")] {
        if !shell.available() {
            continue;
        }
        let (ours, bare) = both(shell, |builder| builder, |term| answers(term, &[dump]).remove(0));
        let (ours, bare) = (shell_variables(shell, &ours), shell_variables(shell, &bare));
        let names = ours.keys().chain(bare.keys()).filter(|name| !HOOKED.contains(&name.as_str()));
        let differing: BTreeMap<&String, (Option<&String>, Option<&String>)> = names
            .filter(|name| ours.get(*name) != bare.get(*name))
            .map(|name| (name, (ours.get(name), bare.get(name))))
            .collect();
        assert!(differing.is_empty(), "{}: name, ours, bare: {differing:#?}", shell.name());
    }
}

/// Makes every start and end file record that it was read.
fn logging(builder: Builder, shell: Shell) -> Builder {
    let names: &[&str] = match shell {
        Shell::Bash => &[".bash_profile", ".bash_login", ".profile", ".bash_logout"],
        Shell::Zsh => &[".zshenv", ".zprofile", ".zlogin", ".zlogout"],
        Shell::Fish => &[".config/fish/conf.d/a.fish", ".config/fish/conf.d/z.fish"],
    };
    let say = |name: &str| format!("echo {name} >> ~/order\n");
    let builder = names.iter().fold(builder, |builder, name| builder.file(name, say(name)));
    let builder = builder.rc(&say("rc"));
    match shell {
        Shell::Bash => builder.file(".bash_profile", say(".bash_profile") + ". ~/.bashrc\n"),
        Shell::Zsh => builder,
        Shell::Fish => builder.rc("function bye --on-event fish_exit; echo exit >> ~/order; end"),
    }
}

#[test]
fn start_files_are_read_once_and_in_the_shells_order() {
    in_every_shell(|shell| {
        for (arg0, args) in [("shellmate", &[][..]), ("-shellmate", &[]), ("shellmate", &["-l"])] {
            let set = |builder: Builder| logging(builder, shell).arg0(arg0).args(args.iter().copied());
            let (ours, bare) = both(shell, set, |term| {
                term.wait_for_prompt();
                term.exit();
                term.read("order")
            });
            assert_eq!(ours, bare, "{} {arg0} {args:?}", shell.name());
        }
    });
}

#[test]
fn start_files_are_read_in_order_where_only_some_exist() {
    for names in [&[".bash_login", ".profile"][..], &[".profile"]] {
        let set = |builder: Builder| {
            let builder = names.iter().fold(builder, |builder, name| {
                builder.file(name, format!("echo {name} >> ~/order; T=0; PS1='[$((++T))]$ '\n"))
            });
            builder.rc("echo rc >> ~/order").arg0("-shellmate")
        };
        let (ours, bare) = both(Shell::Bash, set, |term| {
            term.wait_for_prompt();
            term.exit();
            term.read("order")
        });
        assert_eq!(ours, bare, "{names:?}");
    }
}

#[test]
fn a_zdotdir_of_the_user_is_used() {
    if !Shell::Zsh.available() {
        return;
    }
    for early in [true, false] {
        let set = |builder: Builder| {
            let dotfiles = builder.home().join("dot");
            let builder = [".zshenv", ".zprofile", ".zlogin", ".zlogout"].iter().fold(builder, |builder, name| {
                builder.file(&format!("dot/{name}"), format!("echo dot/{name} >> ~/order\n"))
            });
            let rc = format!("{}echo dot/.zshrc >> ~/order\n", Shell::Zsh.counting_prompt());
            let builder = builder.file("dot/.zshrc", rc).arg0("-shellmate");
            if early {
                builder.env("ZDOTDIR", dotfiles)
            } else {
                builder.file(".zshenv", "echo .zshenv >> ~/order; ZDOTDIR=~/dot\n")
            }
        };
        let (ours, bare) = both(Shell::Zsh, set, |term| {
            term.wait_for_prompt();
            term.run("echo $ZDOTDIR ${(t)ZDOTDIR} >> ~/order");
            term.exit();
            term.without_place(&term.read("order"))
        });
        assert_eq!(ours, bare, "early: {early}");
    }
}

#[test]
fn a_start_file_that_fails_leaves_early_or_replaces_the_shell_does_so() {
    in_every_shell(|shell| {
        let read = |rc: &str| {
            let (ours, bare) = both(
                shell,
                |builder| builder.rc(rc).rc("echo more"),
                |term| {
                    term.wait_for_prompt();
                    term.run(&format!("echo {} $PWD", shell.status()));
                    term.without_place(&term.screen())
                },
            );
            assert_eq!(ours, bare, "{} {rc}", shell.name());
        };
        // Not `return 3`, whose status bash keeps only if it reads the file itself.
        let cases = ["false", "return", "no-such-command-at-all", "cd /"];
        all(cases.map(|rc| (rc, move || read(rc))));
        if shell != Shell::Fish {
            let (ours, bare) = both(shell, |builder| builder.rc("exit 11"), |term| term.wait_exit().code());
            assert_eq!((ours, bare), (Some(11), Some(11)), "{} exit", shell.name());
        }
        let (ours, bare) =
            both(shell, |builder| builder.rc("exec sh -c 'echo replaced; exit 12'"), |term| term.wait_exit().code());
        assert_eq!((ours, bare), (Some(12), Some(12)), "{} exec", shell.name());
    });
}

/// The screen after a long session with many kinds of commands.
fn afternoon(term: &mut Term) -> String {
    let shell = term.shell();
    term.wait_for_prompt();
    term.run("echo one; echo two >&2");
    term.run("");
    term.run("false");
    term.run(&format!("echo status {}", shell.status()));
    term.run("no-such-command-here");
    term.run(&format!("echo status {}", shell.status()));
    term.run("printf 'no newline'");
    term.run("printf '\\033[31mred\\033[0m\\n'; echo 'żółw 漢字 🦀'");
    term.run("cd /tmp; pwd; cd -");
    // Edited before it is run.
    term.typed("echo abd");
    term.key(Key::Backspace);
    term.typed("c def");
    term.key(Key::Left);
    term.typed("X");
    term.key(Key::Enter);
    term.wait_for_prompt();
    // Recalled.
    term.key(Key::Up);
    term.wait_until(|screen| screen.contents().matches("echo abc deXf").count() == 2);
    term.key(Key::Enter);
    term.wait_for_prompt();
    // Cancelled.
    term.give_up("echo never");
    term.typed(format!("{SLOW}\r"));
    term.wait_for("\nready\n");
    term.key(Key::CtrlC);
    term.wait_for_prompt();
    term.run(&format!("echo status {}", shell.status()));
    term.without_place(&term.screen())
}

#[test]
fn the_screen_is_the_same_after_a_long_session() {
    in_every_shell(|shell| {
        let (ours, bare) = both(shell, |builder| builder, afternoon);
        assert!(ours == bare, "{}\n--- ours\n{ours}\n--- bare\n{bare}", shell.name());
    });
}

#[test]
fn job_control_is_the_same() {
    in_every_shell(|shell| {
        let (ours, bare) = both(
            shell,
            |builder| builder,
            |term| {
                term.wait_for_prompt();
                term.typed(format!("{SLOW}\r"));
                term.wait_for("\nready\n");
                term.key(Key::CtrlZ);
                term.wait_for_prompt();
                term.run("jobs | wc -l");
                term.typed("fg\r");
                term.wait_for("\ncontinued\n");
                term.key(Key::CtrlC);
                term.wait_for_prompt();
                term.run(&format!("echo status {}; jobs", shell.status()));
                // fish prints the process id of a job that it brings to the foreground.
                let screen = term.screen();
                screen.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect::<String>()
            },
        );
        assert!(ours == bare, "{}\n--- ours\n{ours}\n--- bare\n{bare}", shell.name());
    });
}

#[test]
fn the_history_file_is_the_same() {
    in_every_shell(|shell| {
        let (rc, name) = match shell {
            Shell::Bash => ("HISTCONTROL=ignoreboth", ".bash_history"),
            Shell::Zsh => ("HISTFILE=~/.histfile HISTSIZE=100 SAVEHIST=100", ".histfile"),
            Shell::Fish => ("", ".local/share/fish/fish_history"),
        };
        let (ours, bare) = both(
            shell,
            |builder| builder.rc(rc),
            |term| {
                term.wait_for_prompt();
                for command in
                    ["echo a", "echo a", " echo private", "echo 'two", "lines'", "echo \"b\" | cat", "# note"]
                {
                    term.typed(command);
                    term.key(Key::Enter);
                    if command != "echo 'two" {
                        term.wait_for_prompt();
                    }
                }
                term.exit();
                let text = term.read(name);
                text.lines().filter(|line| !line.contains("when:")).map(|line| format!("{line}\n")).collect::<String>()
            },
        );
        assert_eq!(ours, bare, "{}", shell.name());
    });
}

#[test]
fn traps_run_as_often_as_in_a_bare_shell() {
    let rc = "trap 'echo bye >> ~/traps' EXIT\ntrap 'echo usr >> ~/traps' USR1\n";
    for shell in shells() {
        let (ours, bare) = both(
            shell,
            |builder| builder.rc(rc),
            |term| {
                term.wait_for_prompt();
                term.run(&format!("kill -USR1 {}", shell.pid()));
                term.run("true");
                term.exit();
                term.read("traps")
            },
        );
        assert_eq!(ours, bare, "{}", shell.name());
    }
}

#[test]
fn debug_traps_see_only_commands_of_the_user() {
    let seen = |shell: Shell, rc: &str| {
        let (ours, bare) = both(
            shell,
            |builder| builder.file("traps", "").rc(rc),
            |term| {
                term.wait_for_prompt();
                term.run("echo one; echo two");
                term.run("false");
                term.run("f() { true; }; f");
                term.exit();
                // Until our hook wraps it, at the end of the start files, a DEBUG trap also runs for our own lines.
                let seen = term.read("traps");
                seen.find("echo one").map_or(seen.clone(), |at| seen[at..].to_owned())
            },
        );
        assert_eq!(ours, bare, "{} {rc}", shell.name());
    };
    // With functrace a trap sees the functions of all hooks, including ours.
    let cases = [
        (Shell::Bash, "trap 'echo \"$BASH_COMMAND\" >> ~/traps' DEBUG"),
        (Shell::Bash, "trap 'echo err \"$BASH_COMMAND\" >> ~/traps' ERR; set -E"),
        (Shell::Zsh, "TRAPZERR() { echo failed >> ~/traps }"),
    ];
    let cases = cases.into_iter().filter(|(shell, _)| shell.available());
    all(cases.map(|(shell, rc)| (rc, move || seen(shell, rc))));
}
