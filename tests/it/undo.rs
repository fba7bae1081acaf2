//! `/undo`, `/redo` and `/diff` take back and show what the agent changed.

use std::fs;
use std::path::PathBuf;

use nix::sys::signal::Signal;
use serde_json::json;

use crate::harness::{Builder, Key, Model, Reply, Shell, Term, in_every_shell};

fn connected(shell: Shell, model: &Model) -> Builder {
    Term::new(shell)
        .env("OPENAI_BASE_URL", model.url())
        .env("SHELLMATE_MODEL", "scripted")
        .file("app/a.txt", "one\n")
        .file("app/b.txt", "two\nlines\n")
        .size(60, 120)
}

/// A terminal at its prompt in the project.
fn in_project(builder: Builder) -> Term {
    let mut term = builder.start();
    term.wait_for_prompt();
    term.run("cd ~/app");
    term
}

/// The agent runs this command.
fn command(command: &str) -> Reply {
    Reply::calls(&[("bash", json!({ "command": command }))])
}

/// Asks and says yes to the call.
fn ask(term: &mut Term, question: &str, answer: &str) {
    term.typed(format!("> {question}\r"));
    term.approve("? ");
    term.wait_for(answer);
    term.wait_for_prompt();
    term.run("clear");
}

/// Types a slash command that asks, and answers.
fn answer(term: &mut Term, line: &str, question: &str, key: char) {
    term.typed(format!("> {line}\r"));
    term.answer(question, key);
}

fn packs(term: &Term) -> Vec<PathBuf> {
    let undo = fs::read_dir(term.home().join(".local/state/shellmate/undo")).unwrap();
    let paths = undo.flatten().map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "pack")).collect()
}

#[test]
fn what_a_command_did_is_shown_undone_and_redone() {
    in_every_shell(|shell| {
        let model = Model::start([
            command("echo more >> a.txt; rm b.txt; mkdir new; echo x > new/c.txt; ln -s a.txt link"),
            Reply::text(["Done."]),
        ]);
        let mut term = in_project(connected(shell, &model));
        ask(&mut term, "change things", "Done.");
        assert!(term.home().join("app/new/c.txt").exists());
        term.typed("> /diff\r");
        term.wait_for("a.txt +1 −0");
        term.wait_for("+more");
        term.wait_for("4 files changed, +2 −2");
        term.wait_for_prompt();
        answer(&mut term, "/undo", "b.txt  +2 −0  (will be created again)", 'n');
        term.wait_for("nothing was changed");
        term.wait_for_prompt();
        assert!(!term.home().join("app/b.txt").exists());
        term.run("clear");
        answer(&mut term, "/undo", "undo the last changes?", 'y');
        term.wait_for("5 paths restored");
        term.wait_for_prompt();
        let app = term.home().join("app");
        assert_eq!((term.read("app/a.txt"), term.read("app/b.txt")), ("one\n".into(), "two\nlines\n".into()));
        assert!(!app.join("new").exists() && app.join("link").symlink_metadata().is_err());
        term.typed("> /undo\r");
        term.wait_for("nothing to undo");
        term.wait_for_prompt();
        term.run("clear");
        answer(&mut term, "/redo", "redo what the last `/undo` took back?", 'y');
        term.wait_for("5 paths restored");
        term.wait_for_prompt();
        assert_eq!(term.read("app/a.txt"), "one\nmore\n");
        assert!(app.join("new/c.txt").exists() && !app.join("b.txt").exists());
    });
}

#[test]
fn an_edit_is_undone_after_a_restart_and_what_changed_since_is_left() {
    let model = Model::start([
        Reply::calls(&[("write_file", json!({ "path": "made/new.txt", "content": "agent's\n" }))]),
        Reply::text(["Written."]),
        command("echo two > a.txt"),
        Reply::text(["Changed."]),
    ]);
    let mut term = in_project(connected(Shell::Bash, &model));
    ask(&mut term, "make a file", "Written.");
    ask(&mut term, "change a", "Changed.");
    fs::write(term.home().join("app/a.txt"), "mine\n").unwrap();
    let state = term.home().join(".local/state");
    let changes = || {
        let database = rusqlite::Connection::open(state.join("shellmate/history.db")).unwrap();
        database.query_row("SELECT count(*) FROM changes", [], |row| row.get::<_, i64>(0)).unwrap_or_default()
    };
    term.wait_for_state(changes, &3);
    term.signal(Signal::SIGKILL);
    term.wait_status();
    let app = term.home().join("app");
    let mut again = connected(Shell::Bash, &model).env("XDG_STATE_HOME", &state).start();
    again.wait_for_prompt();
    again.run(&format!("cd {}", app.display()));
    again.typed("> /resume 1\r");
    again.wait_for("conversation 1 goes on");
    again.wait_for_prompt();
    again.typed("> /undo 7\r");
    again.wait_for_question("only one question changed files; undo its changes?");
    again.wait_for("+mine");
    again.approve("a.txt: it has changed since the agent wrote it  +1 −1");
    again.wait_for("2 paths restored");
    again.wait_for_prompt();
    assert_eq!(term.read("app/a.txt"), "mine\n");
    assert!(!app.join("made").exists());
    let modes = |path: PathBuf| std::os::unix::fs::MetadataExt::mode(&fs::metadata(path).unwrap()) & 0o777;
    assert_eq!(modes(state.join("shellmate/undo")), 0o700);
    assert!(!packs(&term).is_empty() && packs(&term).into_iter().all(|pack| modes(pack) == 0o600));
    again.exit();
    assert!(again.shellmate(&["conversations", "forget", "1"]).stdout.contains("Forgot 1 conversation"));
    assert_eq!(packs(&term), Vec::<PathBuf>::new(), "forgotten with the conversation");
}

#[test]
fn a_rewind_offers_to_undo_what_was_changed() {
    let model = Model::start([command("echo two > a.txt"), Reply::text(["Changed."])]);
    let mut term = in_project(connected(Shell::Bash, &model));
    ask(&mut term, "change a", "Changed.");
    answer(&mut term, "/rewind", "undo the file changes of these questions too?", 'y');
    term.wait_for("took the last question back");
    term.wait_for("1 path restored");
    term.wait_until(|screen| crate::harness::text_of(screen).trim_end().ends_with("> change a"));
    assert_eq!(term.read("app/a.txt"), "one\n");
}

#[test]
fn a_stopped_command_can_be_undone() {
    let model = Model::start([command("echo two > a.txt; echo rea''dy; sleep 1000"), Reply::text(["never"])]);
    let mut term = in_project(connected(Shell::Bash, &model));
    term.typed("> change a\r");
    term.approve("sleep 1000");
    term.wait_for("ready");
    term.key(Key::CtrlC);
    term.wait_for_prompt();
    term.run("clear");
    answer(&mut term, "/undo", "a.txt  +1 −1", 'y');
    term.wait_for("1 path restored");
    assert_eq!(term.read("app/a.txt"), "one\n");
}

#[test]
fn outside_of_a_project_undo_says_that_it_does_not_know_what_commands_did() {
    let model = Model::start([command("echo two > other"), Reply::text(["Changed."])]);
    let mut term = connected(Shell::Bash, &model).start();
    term.wait_for_prompt();
    term.typed("> change\r");
    term.approve("echo two > other");
    term.wait_for("Changed.");
    term.wait_for_prompt();
    term.typed("> /undo\r");
    term.wait_for("nothing to undo");
    term.wait_for("it is not the directory of a project");
}

#[test]
fn with_undo_turned_off_nothing_is_kept() {
    let model = Model::start([command("echo two > a.txt"), Reply::text(["Changed."])]);
    let mut term = in_project(connected(Shell::Bash, &model).config("[undo]\nenabled = false\n"));
    ask(&mut term, "change a", "Changed.");
    for line in ["/undo", "/redo", "/diff"] {
        term.typed(format!("> {line}\r"));
        term.wait_for("changes are not kept here");
        term.wait_for_prompt();
        term.run("clear");
    }
    assert!(!term.home().join(".local/state/shellmate/undo").exists());
}
