//! Slash commands that the agent's thread carries out, from the words typed to the words shown.

use std::fs;

use crate::agent::Project;
use crate::chat::Event;
use crate::guard::TrustStore;
use crate::tool::ShellResult;

use super::testing::{Desk, MODEL};
use super::{News, Ran};

fn ran(status: i32) -> Ran {
    Ran { result: Ok(ShellResult { status, output: String::new() }), place: None }
}

/// A session with notes turned on.
fn with_notes() -> Desk {
    let mut desk = Desk::new();
    desk.thread.setup.settings.agent.memory = true;
    desk
}

/// The notices before the next order, about a saved configuration or the model that the shell names.
fn notices(desk: &mut Desk) -> Vec<String> {
    let link = desk.thread.link.clone();
    desk.thread.catch_up(&desk.query.view, &link);
    let notice = |news| if let News::Event(Event::Notice(words)) = news { Some(words) } else { None };
    std::iter::from_fn(|| desk.news()).filter_map(notice).collect()
}

#[test]
fn notes_are_kept_shown_and_deleted() {
    let mut desk = with_notes();
    assert!(desk.types("/memory").starts_with("no notes yet"));
    assert_eq!(desk.types("/memory clear"), "there were no notes to delete");
    let kept = desk.types("/remember the tests need make db");
    assert!(kept.starts_with("noted in ~/memory/app-"), "{kept}");
    desk.types("/remember -g answer in German");
    let shown = desk.types("/memory view");
    let (here, everywhere) = (shown.find("make db").unwrap(), shown.find("answer in German").unwrap());
    assert!(here < everywhere, "the notes for this place come first: {shown}");
    let deleted = desk.types("/memory clear -g");
    assert_eq!(deleted, "deleted ~/memory/everywhere.md (1 line)");
    let shown = desk.types("/memory");
    assert!(shown.contains("make db") && !shown.contains("German"), "{shown}");
}

#[test]
fn a_secret_is_not_kept_as_a_note() {
    let mut desk = with_notes();
    desk.thread.redactor.learn_secret("password", "hunter2-hunter2");
    let words = desk.types("/remember the password is hunter2-hunter2");
    assert!(words.contains("secret") && !words.contains("hunter2"), "{words}");
    assert!(desk.types("/memory").starts_with("no notes yet"));
}

#[test]
fn notes_that_are_off_can_be_seen_and_deleted_but_not_added() {
    let mut desk = with_notes();
    desk.types("/remember old");
    desk.thread.setup.settings.agent.memory = false;
    for line in ["/remember new", "/memory learn"] {
        assert!(desk.types(line).starts_with("notes are off"), "{line}");
    }
    let shown = desk.types("/memory");
    assert!(shown.contains("old") && !shown.contains("new") && shown.contains("notes are off"), "{shown}");
    assert!(desk.types("/memory clear").starts_with("deleted "));
}

#[test]
fn notes_are_edited_in_the_live_shell_with_the_persons_editor() {
    let cases = [
        ("", "vi ", 0, "the notes are in ~/memory/"),
        ("EDITOR=nano -w", "nano -w ", 0, "the notes are in ~/memory/"),
        ("EDITOR=nano;VISUAL=code --wait", "code --wait ", 1, "code --wait failed; the notes are in"),
        ("EDITOR=nano;VISUAL=", "nano ", 127, "nano failed; the notes are in"),
    ];
    for (variables, editor, status, expected) in cases {
        let mut desk = Desk::new();
        desk.exports(&variables.split(';').filter_map(|one| one.split_once('=')).collect::<Vec<_>>());
        let words = desk.types_and("/memory edit -g", |news| {
            let News::Run(command, reply) = news else { panic!("a command is run in the shell") };
            let file = command.strip_prefix(editor).unwrap_or_else(|| panic!("{command}"));
            assert!(fs::read_to_string(file).unwrap().starts_with("# Notes for "), "the editor has a file to open");
            reply.send(ran(status)).ok().unwrap();
        });
        assert!(words.starts_with(expected), "{words}");
    }
}

#[test]
fn if_the_shell_does_not_open_the_editor_the_file_is_named() {
    let mut desk = Desk::new();
    let words = desk.types_and("/memory edit", drop);
    assert!(
        words.starts_with("no editor was opened (the shell did not run it); the notes are in ~/memory/"),
        "{words}"
    );
}

#[test]
fn without_a_directory_for_notes_the_person_is_told() {
    let mut desk = Desk::new();
    desk.thread.setup.places = Default::default();
    for line in ["/memory", "/remember x", "/memory edit"] {
        assert_eq!(desk.types(line), "there is no directory for notes; `shellmate doctor` says why");
    }
}

#[test]
fn an_answer_is_copied_once_there_is_one() {
    let mut desk = Desk::unrecorded();
    assert_eq!(desk.types("/copy"), "there is no answer to copy yet");
    assert!(desk.news().is_none());
    desk.exchange("one", "First.");
    desk.exchange("two", "Second.");
    assert_eq!(desk.types("/copy"), "copied (7 B), if your terminal allows it");
    assert!(matches!(desk.news(), Some(News::Copy(text)) if text == "Second."));
}

#[test]
fn an_export_has_what_was_said_whether_or_not_it_is_recorded() {
    for mut desk in [Desk::new(), Desk::unrecorded()] {
        assert_eq!(desk.types("/export"), "nothing has been said yet, so there is nothing to export");
        desk.exchange("Why does it fail?", "A semicolon is missing.");
        desk.exchange("And now?", "It works.");
        let words = desk.types("/export md");
        assert!(words.contains("app/why-does-it-fail.md"), "{words}");
        let text = fs::read_to_string(desk.place("app/why-does-it-fail.md")).unwrap();
        let found: Vec<Option<usize>> =
            ["A semicolon is missing.", "And now?", "It works."].map(|said| text.find(said)).to_vec();
        assert!(found.iter().all(Option::is_some) && found.is_sorted(), "{text}");
        assert!(desk.types("/export ~/kept.html").contains("kept.html"));
        assert!(desk.place("kept.html").exists(), "`~` is the home of the live shell");
    }
}

#[test]
fn usage_counts_conversations_that_are_over() {
    let mut desk = Desk::unrecorded();
    assert!(desk.types("/usage").starts_with("nothing has been asked yet"));
    desk.exchange("why", "Because.");
    desk.types("/new");
    desk.exchange("why", "Because.");
    let words = desk.types("/usage");
    assert!(words.starts_with("2.0k tokens in, 40 out"), "{words}");
    assert!(words.ends_with("recording is off, so only this session is counted"), "{words}");
}

#[test]
fn usage_of_a_period_counts_what_was_recorded() {
    let mut desk = Desk::new();
    desk.exchange("why", "Because.");
    desk.number();
    let mut other = desk.beside();
    let words = other.types("/usage");
    assert!(words.starts_with("nothing has been asked yet"), "in this terminal: {words}");
    assert!(words.contains("in the last 7 days:") && words.contains("claude-sonnet-4-5"), "{words}");
    assert!(other.types("/usage today").contains("claude-sonnet-4-5"));
    let mut fresh = Desk::new();
    assert_eq!(fresh.types("/usage month"), "no questions were recorded in the last 30 days");
}

#[test]
fn a_chosen_model_stays_until_the_shell_names_another() {
    let mut desk = Desk::new();
    assert!(desk.model().starts_with(&format!("{MODEL} (medium) at ")));
    let words = desk.types("/thinking high");
    assert!(words.starts_with(&format!("from here on: {MODEL} (high) at ")), "{words}");
    assert!(desk.types("/model anthropic/claude-haiku-4-5").contains("claude-haiku-4-5 (medium)"));
    assert!(notices(&mut desk).is_empty());
    assert!(desk.model().contains("haiku"), "the variable is what it was before");
    desk.exports(&[("SHELLMATE_MODEL", "anthropic/claude-opus-4-1")]);
    assert!(notices(&mut desk).is_empty());
    assert!(desk.model().contains("opus"), "the variable was set last");
}

#[test]
fn a_model_that_cannot_be_asked_is_not_chosen() {
    let mut desk = Desk::new();
    let words = desk.types("/model openai/gpt-5");
    assert!(words.contains("OPENAI_API_KEY"), "{words}");
    assert!(desk.model().starts_with(MODEL));
}

#[test]
fn a_saved_configuration_applies_from_the_next_order() {
    let mut desk = Desk::new();
    assert!(notices(&mut desk).is_empty());
    assert!(desk.types("/remember x").starts_with("notes are off"));
    fs::write(desk.place("config.toml"), "[agent]\nmemory = true\n").unwrap();
    assert!(notices(&mut desk).is_empty());
    assert!(desk.types("/remember x").starts_with("noted in "));
    fs::write(desk.place("config.toml"), "[agent]\nmemory = \"often\"\nsteps = -1\n").unwrap();
    let said = notices(&mut desk);
    assert!(said.len() == 1 && said[0].contains("memory") && said[0].contains("(and 1 more"), "{said:?}");
    assert!(notices(&mut desk).is_empty(), "it is said once");
    fs::remove_file(desk.place("config.toml")).unwrap();
    assert!(notices(&mut desk).is_empty());
    assert!(desk.types("/remember x").starts_with("notes are off"), "the defaults hold again");
}

#[test]
fn a_new_conversation_forgets_the_messages_but_not_the_masked_secrets() {
    for line in ["/new", "/quit"] {
        let mut desk = Desk::unrecorded();
        desk.exchange("why", "Because.");
        desk.thread.redactor.learn_secret("password", "hunter2-hunter2");
        desk.types(line);
        assert_eq!(desk.types("/context conversation"), "nothing has been said yet", "{line}");
        assert_eq!(desk.types("/copy"), "there is no answer to copy yet");
        assert!(!desk.thread.redactor.mask("hunter2-hunter2").contains("hunter2"));
    }
}

#[test]
fn skills_are_listed_with_their_files_and_problems() {
    let mut desk = Desk::new();
    assert!(desk.types("/skills").starts_with("no skills here"));
    for (name, head) in [("build", "name: build\ndescription: Builds it.\n"), ("bad", "name: bad\n")] {
        let directory = desk.place("app/.agents/skills").join(name);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("SKILL.md"), format!("---\n{head}---\nDo it.\n")).unwrap();
    }
    let words = desk.types("/skills");
    assert!(words.starts_with("/skill:build  Builds it.\n    ~/app/.agents/skills/build/SKILL.md"), "{words}");
    assert!(words.contains("problem: ") && words.contains("bad"), "{words}");
    desk.thread.setup.settings.agent.skills = false;
    assert!(desk.types("/skills").starts_with("skills are off"));
}

#[test]
fn skills_of_a_project_are_listed_once_it_is_trusted() {
    let mut desk = Desk::new();
    let directory = desk.place("app/.shellmate/skills/deploy");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("SKILL.md"), "---\nname: deploy\ndescription: Deploys it.\n---\nDo it.\n").unwrap();
    desk.thread.setup.trust = TrustStore::new(Some(desk.place("state/trust.json")));
    let words = desk.types("/skills");
    assert!(words.starts_with("no skills here") && !words.contains("/skill:deploy"), "{words}");
    assert!(
        words.ends_with(
            "not used: the skills in ~/app/.shellmate/skills, until you trust the project (`shellmate trust`)"
        ),
        "{words}"
    );
    let mut project = Project::of(&desk.place("app"), &desk.thread.setup.trust).unwrap().unwrap();
    project.trust(&desk.thread.setup.trust).unwrap();
    let words = desk.types("/skills");
    assert_eq!(words, "/skill:deploy  Deploys it.\n    ~/app/.shellmate/skills/deploy/SKILL.md");
}

#[test]
fn the_model_is_named_when_it_changes_and_so_is_the_host() {
    let mut desk = Desk::new();
    let link = desk.thread.link.clone();
    let mut introduced = |variables: &[(&str, &str)]| {
        desk.exports(variables);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let resolved = runtime.block_on(desk.thread.resolve(&Default::default(), &desk.query.view)).unwrap().unwrap();
        desk.thread.introduce(&resolved, &link);
        std::iter::from_fn(|| desk.news())
            .map(|news| match news {
                News::Event(Event::Model(name)) => name,
                News::Event(Event::Notice(words)) => words,
                _ => panic!("only the model is told"),
            })
            .collect::<Vec<String>>()
    };
    assert_eq!(introduced(&[]), [MODEL]);
    assert!(introduced(&[]).is_empty());
    let opus = "anthropic/claude-opus-4-1";
    assert_eq!(introduced(&[("SHELLMATE_MODEL", opus)]), [opus]);
    let openai = [("SHELLMATE_MODEL", "openai/gpt-5"), ("OPENAI_API_KEY", "no-key")];
    let told = introduced(&openai);
    assert_eq!(told, ["openai/gpt-5", "now asking api.openai.com (openai/gpt-5)"]);
}
