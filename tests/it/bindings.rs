//! Queries are taken if the user binds Enter after the shell has started.

use crate::harness::{Shell, Term};

const ANSWER: &str = "No model is connected yet";

/// fish functions that a user may bind to Enter.
const MINE: &str = "function mine; set -g enters (math 0$enters + 1); commandline -f execute; end";

/// Asks twice with a command in between and checks that the user's binding runs for the command.
fn takes_queries(mut term: Term, what: &str) {
    for _ in 0..2 {
        term.typed("clear\r");
        term.wait_for_prompt();
        term.typed("> a question\r");
        term.wait_for(ANSWER);
        term.wait_for_prompt();
        assert!(!term.screen().contains("Expected a command"), "{what}\n{}", term.describe());
        term.run("echo after; false");
        term.wait_for("\nafter");
    }
}

#[test]
fn fish_takes_queries_after_enter_was_bound_by_hand() {
    if !Shell::Fish.available() {
        return;
    }
    let is_modern =
        String::from_utf8(std::process::Command::new(Shell::Fish.path()).arg("--version").output().unwrap().stdout)
            .is_ok_and(|version| version.contains("version 4"));
    let mut cases = vec![
        ("", "bind \\r mine"),
        ("", "fish_vi_key_bindings"),
        ("", "bind \\n mine; bind \\r mine"),
        ("", "bind \\r 'commandline -f execute'"),
        ("fish_vi_key_bindings", "bind -M insert \\r mine"),
        ("", "fish_vi_key_bindings; bind -M insert \\r mine"),
        ("fish_vi_key_bindings", "fish_default_key_bindings; bind \\r mine"),
        ("", "function fish_user_key_bindings; bind \\r mine; end; fish_default_key_bindings"),
    ];
    if is_modern {
        cases.extend([("", "bind enter mine"), ("fish_vi_key_bindings", "bind -M insert enter ctrl-j mine")]);
    }
    for (rc, command) in cases {
        let mut term = Term::new(Shell::Fish).rc(&format!("{MINE}\n{rc}")).start();
        term.wait_for_prompt();
        term.run(command);
        takes_queries(term, command);
    }
}

#[test]
fn fish_takes_the_first_query_if_its_prompt_binds_enter() {
    if !Shell::Fish.available() {
        return;
    }
    let part = "function part; end\nfunction enter_transient; commandline -f repaint; commandline -f execute; end\n\
                bind \\r enter_transient\nbind \\n enter_transient\n";
    let rc = "function fish_prompt; part; echo -n \"[$T]\\$ \"; end";
    let mut term = Term::new(Shell::Fish).rc(rc).file(".config/fish/functions/part.fish", part).start();
    term.wait_for_prompt();
    term.typed("> a question\r");
    term.wait_for(ANSWER);
    term.wait_for_prompt();
    takes_queries(term, "bound by the prompt");
}

#[test]
fn a_query_that_fish_refused_is_asked_and_leaves_an_empty_line() {
    if !Shell::Fish.available() {
        return;
    }
    // The binding is made while the line is edited, after the hook has looked at the bindings.
    let rc = format!("{MINE}\nfunction rebind; bind \\r mine; end; bind \\ct rebind");
    let mut term = Term::new(Shell::Fish).rc(&rc).start();
    term.wait_for_prompt();
    term.typed("\x14> a question\r");
    term.wait_for(ANSWER);
    term.wait_for_prompt();
    term.run("echo the line is free");
    term.wait_for("\nthe line is free");
}
