//! The scripts in `shell-integration/`: the reported environment, the wait for an answer, and key bindings.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use serde_json::json;

use crate::harness::{Key, Model, Reply, Shell, Term, in_every_shell};

/// The entries of `env -0`, without those that a shell sets for each program.
fn entries(bytes: &[u8]) -> BTreeSet<String> {
    let entries = bytes.split(|&byte| byte == 0).filter(|entry| !entry.is_empty() && !entry.starts_with(b"_="));
    entries.map(|entry| entry.escape_ascii().to_string()).collect()
}

#[test]
fn the_hook_reports_the_exported_variables_exactly() {
    for shell in [Shell::Zsh, Shell::Fish].into_iter().filter(|shell| shell.available()) {
        let set = match shell {
            Shell::Fish => {
                "set -gx LIST a 'b c' d; set -gx EMPTY; set -gx BLANK ''; set -gx --path LIB_PATH /a '/b c'; \
                 set -Ux UNIVERSAL 1; set -gx LINES_OF one\\n\\ntwo\\n; set -gx name its; set -gx line own"
            }
            _ => {
                "typeset -xT LIB_PATH lib_path; lib_path=(/a '/b c'); export BLANK= LINES_OF=$'one\\n\\ntwo\\n' name=its line=own; \
                 typeset -ix COUNT=7; typeset -xUT TIED tied; tied=(a a b)"
            }
        };
        let bytes = OsString::from_vec(b"\xff\xc3 \x01\x7f%;\\'\"$".to_vec());
        let builder = Term::new(shell).rc(set).env("RAW", bytes).env("AN_EMPTY", "").env("WITH", "an=equals=sign");
        // zsh does not export names that are not valid identifiers.
        let odd = [("BASH_FUNC_m%%", "() {  echo a\n}"), ("a.name", "1\nLIST=no"), ("with-dash", "")];
        let odd = odd.iter().filter(|_| shell == Shell::Fish);
        let mut term = odd.fold(builder, |builder, (name, value)| builder.env(name, *value)).start();
        term.wait_for_prompt();
        let copy = match shell {
            Shell::Fish => "cat (string replace directives environment -- $__shellmate_fifo) > ours",
            _ => "cat ${__shellmate_fifo:h}/environment > ours",
        };
        for command in ["__shellmate_environment", copy, "env -0 > theirs"] {
            term.run(command);
        }
        let read = |name| entries(&std::fs::read(term.home().join(name)).unwrap());
        assert_eq!(read("ours"), read("theirs"), "{}", shell.name());
        assert!(read("ours").len() > 10, "{}", term.describe());
    }
}

#[test]
fn ctrl_c_ends_a_loop_of_fish() {
    if !Shell::Fish.available() {
        return;
    }
    let model = Model::start([
        Reply::calls(&[("run_in_shell", json!({ "command": "echo be''gun; while true; end" }))]),
        Reply::text(["you stopped it"]),
    ]);
    let builder = Term::new(Shell::Fish).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted");
    let mut term = builder.start();
    term.wait_for_prompt();
    term.typed("> go\r");
    term.approve("while true; end");
    term.wait_for("\nbegun");
    term.key(Key::CtrlC);
    // fish aborts everything that precedes its prompt, so the answer continues in the background.
    term.wait_for_prompt();
    term.typed("> /show 1\r");
    term.wait_for("you stopped it");
    term.wait_for_prompt();
}

#[test]
fn zsh_takes_a_query_if_its_widgets_were_replaced_during_editing() {
    if !Shell::Zsh.available() {
        return;
    }
    let late = "late() { zle -N zle-line-init other; zle -N zle-line-finish other }; other() { : }; zle -N late; bindkey '^T' late";
    for more in ["", "trap '' INT", "TRAPINT() { print no }", "precmd() { T=$((T + 1)) }", "unset HISTFILE; HISTSIZE=0"]
    {
        let builder = Term::new(Shell::Zsh).rc(&format!("{late}\n{more}")).file("precious", "kept\n");
        let mut term = builder.start();
        term.wait_for_prompt();
        term.run("false");
        term.key(Key::Ctrl('t'));
        term.typed("> precious\r");
        term.wait_for("No model is connected yet");
        term.wait_for_prompt();
        term.run("echo status $?");
        assert!(term.screen().contains("\nstatus 1\n"), "{more}\n{}", term.describe());
        assert_eq!(term.read("precious"), "kept\n", "{more}\n{}", term.describe());
        // The widgets see the next line again.
        term.run("> precious");
        assert_eq!(term.read("precious"), "kept\n", "{more}\n{}", term.describe());
    }
}

#[test]
fn ctrl_c_during_the_hook_of_zsh_does_not_run_the_query() {
    if !Shell::Zsh.available() {
        return;
    }
    // Ctrl-C arrives while the hook reports the query.
    let rc = "functions -c __shellmate_send real_send; __shellmate_send() { \
              if [[ $1 == query && -z $sent ]]; then sent=1; kill -INT $$; fi; real_send \"$@\" }";
    let mut term = Term::new(Shell::Zsh).rc(rc).file("precious", "kept\n").start();
    term.wait_for_prompt();
    term.typed("> precious\r");
    term.wait_for("No model is connected yet");
    term.wait_for_prompt();
    term.run("echo stat''us $sent");
    assert!(term.screen().contains("\nstatus 1\n"), "{}", term.describe());
    assert_eq!(term.read("precious"), "kept\n", "{}", term.describe());
}

#[test]
fn zsh_sends_input_before_a_widget_edits_the_line() {
    if !Shell::Zsh.available() {
        return;
    }
    let rc = "zle-line-init() { zle .recursive-edit && zle .accept-line }; zle -N zle-line-init";
    let mut term = Term::new(Shell::Zsh).rc(rc).start();
    term.wait_for_prompt();
    term.wait_for_raw(b"]$ \x1b[K\x1b]133;B");
    term.typed("> a question\r");
    term.wait_for("No model is connected yet");
    term.wait_for_prompt();
    assert!(!term.home().join("a").exists(), "{}", term.describe());
}

#[test]
fn zsh_redirects_a_line_that_starts_with_a_blank() {
    if !Shell::Zsh.available() {
        return;
    }
    for options in ["hist_reduce_blanks", "hist_ignore_space", "hist_reduce_blanks hist_ignore_space"] {
        let mut term = Term::new(Shell::Zsh).rc(&format!("setopt {options}; NULLCMD=:")).start();
        term.wait_for_prompt();
        term.run(" > made");
        assert_eq!(term.read("made"), "", "{options}\n{}", term.describe());
    }
}

const REPLACED: &str = "another shell has replaced this one";

#[test]
fn a_shell_started_with_exec_gets_a_notice_above_its_prompt() {
    in_every_shell(|shell| {
        let equals = if shell == Shell::Fish { ' ' } else { '=' };
        let mut term = Term::new(shell).rc(&format!("alias again{equals}'exec {}'", shell.name())).start();
        term.wait_for_prompt();
        // Here the shell itself edits the line.
        let read = match shell {
            Shell::Bash => "read -e line",
            Shell::Zsh => "vared -c line",
            Shell::Fish => "read line",
        };
        term.typed(format!("{read}\r"));
        term.typed("in it\r");
        term.wait_for_prompt();
        // fish 4.1 and later show a manual page instead.
        if shell != Shell::Fish {
            term.run("exec 7>&1");
        }
        term.run("echo $line");
        term.wait_for("\nin it");
        assert!(!term.screen().contains(REPLACED), "{}", term.describe());
        term.typed("again\r");
        term.wait_for(REPLACED);
        term.typed("echo al''ive\r");
        term.wait_for("\nalive");
        assert_eq!(term.screen().matches(REPLACED).count(), 1, "{}", term.describe());
        let screen = term.screen();
        let (before, after) = screen.split_once("redirection there").unwrap();
        assert!(before.contains("again") && after.contains("echo al''ive"), "{screen}");
    });
}

/// The output of `bind -q` for four functions in three keymaps. bash before 5.2 does not know the last function.
const KEYS: &str = "accept-line can be invoked via \"\\C-j\", \"\\C-m\".\noperate-and-get-next can be invoked via \"\\C-o\".\n\
    edit-and-execute-command can be invoked via \"\\C-x\\C-e\".\n\n\
    accept-line can be invoked via \"\\C-j\", \"\\C-m\", \"\\\"\".\noperate-and-get-next is not bound to any keys.\n\
    edit-and-execute-command is not bound to any keys.\n\n\
    accept-line can be invoked via \"\\C-m\".\noperate-and-get-next is not bound to any keys.\n\
    edit-and-execute-command is not bound to any keys.\n\n";

#[test]
fn every_key_that_accepts_a_line_in_bash_gets_the_check() {
    let directory = tempfile::tempdir().unwrap();
    let keys = directory.path().join("keys");
    std::fs::write(&keys, KEYS).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/shell-integration/bash-keymap.sh");
    let run = ". \"$1\"; __shellmate_keys_file=$2; __shellmate_add_v_key() { :; }; __shellmate_build_keymap; printf %s \"$__shellmate_bindings\"";
    let mut bash = std::process::Command::new(Shell::Bash.path());
    let output = bash.args(["--norc", "-c", run, "bash", script]).arg(&keys).output().unwrap();
    let check = |key: &str, does: char| format!("\"{key}\": \"\\e[\\C-_1\\e[\\C-_{does}\"\n");
    let accept = "\"\\e[\\C-_2\": accept-line\n";
    let mut expected = format!("set keymap emacs\n{accept}{}{accept}{}", check("\\C-j", '2'), check("\\C-m", '2'));
    expected += &format!("\"\\e[\\C-_3\": operate-and-get-next\n{}", check("\\C-o", '3'));
    expected += "\"\\e[\\C-_4\": edit-and-execute-command\n\"\\C-x\\C-e\": \"\\e[\\C-_6\\e[\\C-_4\\e[\\C-_6\"\n";
    expected += &format!("set keymap vi-insert\n{accept}{}{accept}{}", check("\\C-j", '2'), check("\\C-m", '2'));
    expected += &format!("{accept}{}set keymap vi-command\n{accept}{}", check("\\\"", '2'), check("\\C-m", '2'));
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{}", String::from_utf8_lossy(&output.stderr));
}
