//! Agent Skills: what the model is told of them, and how a person calls one.

use std::fs;
use std::path::Path;

use crate::harness::{Model, Reply, Shell, Term, in_every_shell};

fn write_skill(below: &Path, name: &str, description: &str, body: &str) {
    let directory = below.join(".agents/skills").join(name);
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("SKILL.md"), format!("---\nname: {name}\ndescription: {description}\n---\n{body}\n"))
        .unwrap();
}

#[test]
fn a_skill_is_called_with_its_arguments_and_new_ones_are_mentioned_after_cd() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["first"]), Reply::text(["second"]), Reply::text(["third"])]);
        let mut term = Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted").start();
        write_skill(&term.home(), "poem", "Writes poems", "Rhyme it.");
        write_skill(&term.home().join("app"), "deploy", "Deploys the app", "Run make deploy.");
        term.wait_for_prompt();
        term.typed("> hello\r");
        term.wait_for("first");
        term.wait_for_prompt();
        let said = model.request().said(0);
        assert!(said.contains("- poem: Writes poems (~/.agents/skills/poem/SKILL.md)"), "{said}");
        assert!(!said.contains("Rhyme") && !said.contains("deploy"), "{said}");
        term.typed("> /skill:poem about shells\r");
        term.wait_for("second");
        term.wait_for_prompt();
        let said = model.request().said(0);
        assert!(said.contains("Rhyme it.") && said.ends_with("Use the skill `poem`: about shells"), "{said}");
        term.run("cd app");
        term.typed("> and here\r");
        term.wait_for("new skills here: deploy");
        term.wait_for("third");
        let said = model.request().said(0);
        assert!(said.contains("- deploy: Deploys the app") && !said.contains("- poem"), "{said}");
    });
}

#[test]
fn skills_are_completed_listed_and_examined() {
    let model = Model::start([Reply::text(["done"])]);
    let mut term = Term::new(Shell::Bash)
        .env("OPENAI_BASE_URL", model.url())
        .env("SHELLMATE_MODEL", "scripted")
        .size(40, 140)
        .start();
    write_skill(&term.home(), "poem", "Writes poems", "Rhyme it.");
    write_skill(&term.home(), "broken", "", "x");
    term.wait_for_prompt();
    term.typed("> /skills\r");
    term.wait_for("/skill:poem  Writes poems");
    term.wait_for("broken/SKILL.md is skipped: it has no description");
    term.wait_for_prompt();
    let doctor = term.shellmate(&["doctor"]).stdout;
    assert!(doctor.contains("ok    skills       poem at ~/.agents/skills/poem/SKILL.md\n"), "{doctor}");
    assert!(doctor.contains("warn  skills       ~/.agents/skills/broken/SKILL.md is skipped: it has no"), "{doctor}");
    term.typed(">\r");
    term.wait_for("an empty line closes");
    term.typed("/skill:po");
    // A thread looks for the skills. The hint shows the rest of the name once they are known, at the next key.
    while !term.screen().contains("› /skill:poem") {
        term.typed("x");
        term.wait_for("/skill:pox");
        term.typed("\x7f");
        term.wait_until(|screen| !screen.contents().contains("pox"));
    }
    term.typed("\tnow\r");
    term.wait_for("done");
    assert!(model.request().said(0).ends_with("Use the skill `poem`: now"));
}
