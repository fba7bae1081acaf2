//! What a hostile model or another program of the same user might try while the person is asked.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::harness::{Model, Reply, Shell, Term, in_every_shell};

fn asking(shell: Shell, model: &Model) -> Term {
    let builder = Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted");
    let mut term = builder.no_sandbox().size(24, 80).start();
    term.wait_for_prompt();
    term
}

#[test]
fn a_question_shows_the_command_however_many_blanks_are_in_it() {
    in_every_shell(|shell| {
        for gap in ["\n".repeat(60), " ".repeat(2500), "\u{3164}".repeat(2500), "\r".repeat(60)] {
            let command = format!("rm important;{gap}ls -la");
            let model =
                Model::start([Reply::calls(&[("bash", json!({ "command": command }))]), Reply::text(["so be it"])]);
            let mut term = asking(shell, &model);
            term.typed("> go\r");
            term.wait_for_question("rm important");
            let screen = term.screen();
            assert!(screen.contains("rm important") && screen.contains("ls -la"), "{}\n{screen}", shell.name());
            term.answer("rm important", 'n');
            term.wait_for("so be it");
        }
    });
}

#[test]
fn a_directory_swapped_for_a_link_while_the_person_is_asked_is_not_written_through() {
    in_every_shell(|shell| {
        let call = json!({ "path": "work/sub/notes", "content": "ssh-ed25519 AAAA evil\n" });
        let model = Model::start([Reply::calls(&[("write_file", call)]), Reply::text(["so be it"])]);
        let mut term = asking(shell, &model);
        let home = term.home().to_owned();
        fs::create_dir_all(home.join("work/sub")).unwrap();
        fs::create_dir(home.join(".ssh")).unwrap();
        term.typed("> go\r");
        term.wait_for_question("write work/sub/notes");
        fs::rename(home.join("work/sub"), home.join("work/aside")).unwrap();
        symlink(home.join(".ssh"), home.join("work/sub")).unwrap();
        term.approve("write work/sub/notes");
        term.wait_for("so be it");
        term.wait_for_prompt();
        for path in [".ssh/notes", "work/aside/notes"] {
            assert!(!home.join(path).exists(), "{} {path}\n{}", shell.name(), term.describe());
        }
    });
}
