//! Notes that the person keeps: `/remember` and `/memory`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::harness::{Builder, Model, Reply, Shell, Term, in_every_shell};

fn remembering(shell: Shell, model: &Model) -> Builder {
    Term::new(shell)
        .env("OPENAI_BASE_URL", model.url())
        .env("SHELLMATE_MODEL", "scripted")
        .config("[agent]\nmemory = true\n")
        .size(40, 140)
}

#[test]
fn notes_are_kept_edited_sent_and_deleted() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["first"]), Reply::text(["second"]), Reply::text(["third"])]);
        let builder = remembering(shell, &model);
        let editor = builder.home().join("my editor");
        fs::write(&editor, "#!/bin/sh\nprintf -- '- by hand\\n' >> \"$1\"\n").unwrap();
        fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
        let mut term = builder.env("EDITOR", format!("'{}'", editor.display())).start();
        term.wait_for_prompt();
        term.typed("> /remember the tests need `make db`\r");
        term.wait_for("noted in ~/");
        term.wait_for_prompt();
        term.typed("> hello\r");
        term.wait_for("first");
        term.wait_for_prompt();
        let said = model.request().said(0);
        assert!(said.contains("<memory>\n") && said.contains(": the tests need `make db`\n"), "{said}");
        term.typed("> again\r");
        term.wait_for("second");
        term.wait_for_prompt();
        assert!(!model.request().said(0).contains("<memory>"), "unchanged notes are sent once");
        term.typed("> /memory edit\r");
        term.wait_for("the notes are in ~/");
        term.wait_for_prompt();
        term.typed("> /memory\r");
        term.wait_for("- by hand");
        term.wait_for_prompt();
        term.typed("> now\r");
        term.wait_for("third");
        term.wait_for_prompt();
        assert!(model.request().said(0).contains("- by hand\n"));
        term.typed("> /memory clear\r");
        term.wait_for("(2 lines)");
        term.wait_for_prompt();
        term.run("echo sh''ell");
        assert!(term.screen().contains("\nshell\n"), "{}", term.screen());
    });
}

#[test]
fn nothing_is_kept_unless_it_is_turned_on() {
    let mut term = Term::new(Shell::Bash).size(40, 140).start();
    term.wait_for_prompt();
    term.typed("> /remember the tests need a database\r");
    term.wait_for("notes are off");
    term.wait_for_prompt();
    assert!(!term.home().join(".local/state/shellmate/memory").exists());
}

#[test]
fn notes_are_proposed_from_recorded_conversations_and_written_after_a_yes() {
    let model = Model::start([
        Reply::text(["Run make db first."]),
        Reply::text(["- The tests need make db."]),
        Reply::text(["- Deploys happen on Fridays."]),
        Reply::text(["NONE"]),
    ]);
    let mut term = remembering(Shell::Bash, &model).start();
    term.wait_for_prompt();
    term.typed("> how do the tests run\r");
    term.wait_for("Run make db first.");
    term.wait_for_prompt();
    model.request();
    term.typed("> /memory learn\r");
    term.wait_for_question("+- ");
    let asked = model.request();
    assert!(asked.said(0).contains("user: how do the tests run\nassistant: Run make db first.\n"), "{}", asked.said(0));
    assert!(asked.body["tools"].as_array().is_none_or(Vec::is_empty));
    term.approve("+- ");
    term.wait_for("the notes are in ~/");
    term.wait_for_prompt();
    term.typed("> /memory learn\r");
    term.answer("Fridays", 'n');
    term.wait_for("nothing was written");
    term.wait_for_prompt();
    term.typed("> /memory learn\r");
    term.wait_for("gave no new notes");
    term.wait_for_prompt();
    let directory = term.home().join(".local/state/shellmate/memory");
    let file = fs::read_dir(directory).unwrap().next().unwrap().unwrap().path();
    let notes = fs::read_to_string(file).unwrap();
    assert!(notes.starts_with("# Notes for ") && notes.ends_with(": The tests need make db.\n"), "{notes}");
    assert!(!notes.contains("Fridays"), "{notes}");
}
