//! The configuration: its layers, where values come from, and saved files while a session runs.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Builder, Key, Shell, Term, in_every_shell};

/// A machine with a configuration of its own.
fn with_system(builder: Builder, text: &str) -> Builder {
    let file = builder.place().join("etc.toml");
    fs::write(&file, text).unwrap();
    builder.env("SHELLMATE_SYSTEM_CONFIG", file)
}

fn own_file(term: &Term) -> PathBuf {
    term.home().join(".config/shellmate/config.toml")
}

/// Saves a file as many editors do: another file takes its name.
fn replace(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let fresh = file.with_extension("new");
    fs::write(&fresh, text).unwrap();
    fs::rename(fresh, file).unwrap();
}

/// Runs empty commands until the screen shows the text. Whatever was saved counts at a prompt soon after.
fn prompts_until(term: &mut Term, shows: impl Fn(&str) -> bool) {
    for _ in 0..200 {
        if shows(&term.screen()) {
            return;
        }
        term.run("true");
    }
    panic!("no prompt showed it:\n{}", term.screen());
}

/// Ctrl-G opens a conversation.
fn opens_with_the_hotkey(term: &mut Term) {
    // A key right after a burst of keys is not the hotkey.
    term.run("sleep 0.1");
    term.typed("\x07");
    term.wait_for("an empty line closes");
    term.key(Key::Enter);
    term.wait_until(|screen| !screen.contents().contains("an empty line closes"));
}

#[test]
fn every_value_says_where_it_comes_from() {
    let builder = Term::new(Shell::Bash).config("# mine\n[history]\ncommands = 7\n").env("SHELLMATE_MODEL", "a/b");
    let builder = with_system(builder, "theme = 'dark'\n\n[history]\ncommands = 5\nsize = '2 GiB'\n");
    let (system, user) = (builder.place().join("etc.toml"), builder.home().join(".config/shellmate/config.toml"));
    let run = |args: &[&str]| {
        let output = builder.command().arg("config").args(args).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(
        run(&["get", "history.commands", "--origin"]).0,
        format!("history.commands = 7  # {}:3\n", user.display())
    );
    let (all, _) = run(&["get", "--origin"]);
    for line in [
        format!("theme = \"dark\"  # {}:1", system.display()),
        format!("history.size = \"2 GiB\"  # {}:5", system.display()),
        "model.name = \"a/b\"  # environment variable SHELLMATE_MODEL".to_owned(),
        "history.enabled = true  # default".to_owned(),
    ] {
        assert!(all.lines().any(|shown| shown == line), "{line}\n{all}");
    }
    let (object, _) = run(&["get", "theme", "--json"]);
    let object: Value = serde_json::from_str(&object).unwrap();
    let origin = json!({ "kind": "file", "layer": "system", "file": system.to_str().unwrap(), "line": 1 });
    assert_eq!(object, json!({ "key": "theme", "value": "dark", "origin": origin }));
    let (paths, _) = run(&["path"]);
    assert!(paths.starts_with(&format!(
        "system   {}  (read)\nuser     {}  (read)\n",
        system.display(),
        user.display()
    )));
    assert_eq!(run(&["path", "user"]).0, format!("{}\n", user.display()));
}

#[test]
fn a_mistake_in_any_layer_is_named_and_the_rest_counts() {
    let user = "thme = 'dark'\n[history]\ncommands = 7\n[[rules]]\ncommand = 'x'\ndecision = 'no'\n";
    let builder = with_system(Term::new(Shell::Bash).config(user), "hint = 'yes'\n[history]\nsize = '2 GiB'\n");
    let output = builder.command().args(["config", "get", "history"]).output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(out.contains("commands = 7\n") && out.contains("size = \"2 GiB\"\n"), "{out}");
    for said in [
        "etc.toml:1: hint: expected true or false, not \"yes\"",
        "config.toml:1: unknown key `thme`, did you mean `theme`?",
        "config.toml:6: rules: unknown value `no`, expected one of `allow`, `ask`, `deny`",
    ] {
        assert!(err.contains(said), "{said}\n{err}");
    }
    let builder =
        with_system(Term::new(Shell::Bash).config("[history]\ncommands = = 7\n"), "[history]\ncommands = 5\n");
    let output = builder.command().args(["config", "get", "history.commands"]).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "5\n", "the machine's file counts");
    assert!(err.contains("config.toml:2:12: history.commands: not valid TOML: there is an `=` too many"), "{err}");
}

#[test]
fn a_broken_save_keeps_the_settings_and_says_so_until_it_is_mended() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).config("hotkey = 'ctrl-g'\n").start();
        term.wait_for_prompt();
        term.run("true");
        let file = own_file(&term);
        replace(&file, "hotkey = 'ctrl-g\n");
        prompts_until(&mut term, |screen| screen.contains("the settings before this change stay"));
        assert!(term.screen().contains("config.toml:1:"), "{}", term.screen());
        term.run("clear");
        term.run("true");
        assert!(!term.screen().contains("settings before"), "said once:\n{}", term.screen());
        opens_with_the_hotkey(&mut term);
        replace(&file, "hotkey = 'ctrl-g'\nhint = tru\n");
        prompts_until(&mut term, |screen| screen.contains("config.toml:2:"));
        replace(&file, "hotkey = 'ctrl-g'\n");
        term.run("clear");
        term.run("true");
        assert!(!term.screen().contains("config.toml"), "{}", term.screen());
    });
}

#[test]
fn a_saved_file_counts_from_a_prompt_soon_after() {
    in_every_shell(|shell| {
        // Neither the file nor its directory exists.
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("true");
        let file = own_file(&term);
        replace(&file, "unknown = 1\nhotkey = 'ctrl-g'\n[history]\nignore = ['^echo secret']\n");
        prompts_until(&mut term, |screen| screen.contains("config.toml:1: unknown key `unknown`"));
        opens_with_the_hotkey(&mut term);
        term.run("echo secret word");
        term.run("echo plain word");
        let commands: Vec<String> = term.finish().into_iter().map(|entry| entry.command).collect();
        assert!(commands.contains(&"echo plain word".to_owned()), "{commands:?}");
        assert!(!commands.contains(&"echo secret word".to_owned()), "{commands:?}");
    });
}

/// Saves settings with a line number that no other save has, and waits for the prompt that counts them.
fn save_and_wait(term: &mut Term, line: usize, text: &str) {
    replace(&own_file(term), &format!("{}unknown = 1\n{text}", "\n".repeat(line - 1)));
    prompts_until(term, |screen| screen.contains(&format!("config.toml:{line}: unknown key")));
}

#[test]
fn the_history_is_turned_on_and_off_in_a_running_tab() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).config("[history]\nenabled = false\n").start();
        term.wait_for_prompt();
        term.run("echo one");
        assert!(!term.home().join(".local/state/shellmate/history.db").exists());
        save_and_wait(&mut term, 2, "");
        term.run("echo two");
        save_and_wait(&mut term, 3, "[history]\nenabled = false\n");
        term.run("echo three");
        save_and_wait(&mut term, 4, "[history]\nenabled = true\n");
        term.run("echo four");
        let commands: Vec<String> = term.finish().into_iter().map(|entry| entry.command).collect();
        let said: Vec<&str> = commands.iter().filter_map(|command| command.strip_prefix("echo ")).collect();
        assert_eq!(said, ["two", "four"], "{}: {commands:?}", shell.name());
    });
}

#[test]
fn the_settings_of_a_project_say_where_they_come_from_and_what_is_refused() {
    let text = "mode = 'auto'\ntheme = 'dark'\n[[rules]]\ncommand = 'git push *'\ndecision = 'deny'\n\n[[rules]]\ncommand = 'make *'\ndecision = 'allow'\n";
    let builder = Term::new(Shell::Bash).config("[[rules]]\ncommand = 'rm *'\ndecision = 'ask'\n");
    let builder = builder.file("app/.git/HEAD", "").file("app/.shellmate/config.toml", text);
    let app = builder.home().join("app");
    let run = |args: &[&str]| {
        let output = builder.command().args(args).current_dir(&app).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let (user, project) = (builder.home().join(".config/shellmate/config.toml"), app.join(".shellmate/config.toml"));
    let (user, project) = (user.display(), project.display());

    assert_eq!(
        run(&["config", "get", "mode", "--origin"]),
        format!(
            "mode = \"ask\"  # default\n\
             # not used: {project}:1: mode `auto` counts once you trust the project (`shellmate trust`)\n"
        )
    );
    let rules = run(&["config", "get", "rules", "--origin"]);
    assert!(rules.contains("git push *") && !rules.contains("make *"), "{rules}");
    assert!(rules.contains(&format!("# {user}:1, {project}:3\n")), "{rules}");
    assert!(rules.contains(&format!("# not used: {project}:7: a rule that allows counts once you trust")), "{rules}");
    let all = run(&["config", "get", "--origin"]);
    assert!(all.contains(&format!("# not used: {project}:2: a project can set only `mode` and `rules`, not `theme`")));

    run(&["trust", "--yes"]);
    assert_eq!(run(&["config", "get", "mode", "--origin"]), format!("mode = \"auto\"  # {project}:1\n"));
    assert_eq!(run(&["config", "get", "mode"]), "auto\n");
    let object: Value = serde_json::from_str(&run(&["config", "get", "rules", "--json"])).unwrap();
    let layers: Vec<&str> =
        object["entries"].as_array().unwrap().iter().filter_map(|at| at["layer"].as_str()).collect();
    assert_eq!(layers, ["user", "project", "project"]);
}
