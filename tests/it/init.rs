//! `shellmate init`: the questions of a first set-up, on a real terminal.

use crate::harness::{Builder, Key, Model, PROGRAM, Reply, Shell, Term, in_every_shell};

const FILE: &str = ".config/shellmate/config.toml";

/// A terminal with the questions in it. The model is a server that is found by its port.
fn wizard(model: &Model) -> Builder {
    Term::new(Shell::Bash).env("OLLAMA_HOST", model.address()).program(PROGRAM).args(["init"]).size(60, 120)
}

/// Waits until a question can be answered: it is on the screen, and the cursor is behind a prompt.
fn asked(term: &Term, question: &str) {
    term.wait_until(|screen| {
        let text = screen.contents();
        text.contains(question) && text.trim_end().ends_with("to leave:")
    });
}

fn configuration(term: &Term) -> Option<String> {
    std::fs::read_to_string(term.home().join(FILE)).ok()
}

#[test]
fn the_questions_lead_to_a_model_that_answers_and_undo_takes_it_back() {
    let model = Model::start([Reply::text(["ready"])]);
    let mut term = wizard(&model).config("# mine\nhint = true\n").start();
    asked(&term, "Which model should answer?");
    let screen = term.screen();
    assert!(screen.contains("shell     /") && screen.contains("terminal  "), "{screen}");
    assert!(screen.contains(&format!("a server at {}", model.address())), "{screen}");
    term.typed("1\r");
    asked(&term, "Use it?");
    term.typed("y\r");
    asked(&term, "for one word now");
    assert!(model.others().iter().all(|request| request.body.get("messages").is_none()), "nothing has been asked yet");
    term.typed("\r");
    asked(&term, "Which colours");
    assert!(term.screen().contains("it answers: ready"), "{}", term.describe());
    term.typed("2\r");
    asked(&term, "Make these changes?");
    assert_eq!(configuration(&term).as_deref(), Some("# mine\nhint = true\n"), "nothing was written yet");
    assert!(term.screen().contains("name = "), "the change is shown: {}", term.describe());
    term.typed("y\r");
    assert_eq!(term.wait_exit().code(), Some(0), "{}", term.describe());
    assert!(term.screen().contains("chsh -s "), "{}", term.describe());
    let written = configuration(&term).unwrap();
    assert!(written.starts_with("# mine\nhint = true\n") && written.contains("name = \"ollama/"), "{written}");
    let servers = || std::fs::read_to_string(term.home().join(".local/state/shellmate/servers.json")).unwrap();
    assert!(servers().contains(&model.address().to_string()), "the yes is kept as a consent");
    assert!(term.shellmate(&["init", "--undo"]).status.success());
    assert_eq!(configuration(&term).as_deref(), Some("# mine\nhint = true\n"));
    assert!(!servers().contains(&model.address().to_string()), "the consent is taken back");
    let again = term.shellmate(&["init", "--undo"]);
    assert!(!again.status.success() && again.stderr.contains("no change"), "{again:?}");
}

#[test]
fn undo_leaves_a_configuration_alone_that_was_edited_since() {
    let model = Model::start([]);
    let mut term = wizard(&model).start();
    asked(&term, "Which model should answer?");
    term.typed("4\r");
    asked(&term, "Which colours");
    term.typed("2\r");
    asked(&term, "Make these changes?");
    term.typed("\r");
    term.wait_exit();
    std::fs::write(term.home().join(FILE), "theme = 'mono'\n").unwrap();
    let undone = term.shellmate(&["init", "--undo"]);
    assert!(!undone.status.success() && undone.stderr.contains("was changed after"), "{undone:?}");
    assert_eq!(configuration(&term).as_deref(), Some("theme = 'mono'\n"));
}

#[test]
fn esc_ctrl_c_and_q_leave_at_every_question_and_change_nothing() {
    for leave in ["\x1b", "\x03", "q\r"] {
        for steps in 0..4 {
            let model = Model::start([]);
            let mut term = wizard(&model).start();
            let answers =
                [("Which model", "1\r"), ("Use it?", "y\r"), ("for one word now", "n\r"), ("Which colours", "2\r")];
            for (question, answer) in &answers[..steps] {
                asked(&term, question);
                term.typed(answer);
            }
            asked(&term, answers[steps].0);
            term.typed(leave);
            assert_eq!(term.wait_exit().code(), Some(0), "{}", term.describe());
            assert!(term.screen().contains("Nothing was changed"), "{leave:?} {steps}: {}", term.describe());
            assert_eq!(configuration(&term), None);
            assert!(!term.home().join(".local/state/shellmate/init.json").exists());
        }
    }
}

#[test]
fn a_model_that_does_not_answer_is_not_taken_unless_the_person_insists() {
    let model = Model::start([Reply::error(401, "no"), Reply::error(404, "no")]);
    let mut term = wizard(&model).start();
    asked(&term, "Which model should answer?");
    term.typed("1\r");
    asked(&term, "Use it?");
    term.typed("y\r");
    asked(&term, "for one word now");
    term.typed("y\r");
    asked(&term, "Use it anyway?");
    assert!(term.screen().contains("it does not answer: "), "{}", term.describe());
    term.typed("\r");
    term.wait_until(|screen| screen.contents().matches("Which model should answer?").count() == 2);
    term.key(Key::CtrlC);
}

/// A terminal where there is nothing to choose from.
fn bare() -> Builder {
    Term::new(Shell::Bash).env("OLLAMA_HOST", "127.0.0.1:9").program(PROGRAM).args(["init"]).size(70, 120)
}

fn state(term: &Term, name: &str) -> Option<String> {
    std::fs::read_to_string(term.home().join(".local/state/shellmate").join(name)).ok()
}

#[test]
fn a_server_of_ones_own_is_connected_with_its_key_and_undo_takes_both_back() {
    let model = Model::locked("right-key", [Reply::text(["ready"])]);
    let mut term = bare().start();
    asked(&term, "Which model should answer?");
    assert!(term.screen().contains("none for now"), "{}", term.describe());
    term.typed("2\r");
    term.wait_for("Its base URL, or Enter to go back:");
    term.typed("my server\r");
    term.wait_for("A URL begins with");
    // Without scheme and `/v1`.
    term.typed(format!("{}\r", model.address()));
    term.wait_for("local requires a key.");
    term.wait_for("local key (not shown):");
    term.typed("wrong-key\r");
    term.wait_for("local does not accept this key.");
    term.wait_until(|screen| screen.contents().matches("(not shown):").count() == 2);
    term.typed("right-key\r");
    asked(&term, "local has one model.");
    term.typed("1\r");
    asked(&term, "for one word now");
    term.typed("\r");
    asked(&term, "Which colours");
    assert!(term.screen().contains("it answers: ready"), "{}", term.describe());
    term.typed("\r");
    asked(&term, "Make these changes?");
    assert!(
        term.screen().contains("The key for local will be stored in ~/.local/state/shellmate/keys.json"),
        "{}",
        term.describe()
    );
    assert_eq!((configuration(&term), state(&term, "keys.json"), state(&term, "init.json")), (None, None, None));
    term.typed("y\r");
    assert_eq!(term.wait_exit().code(), Some(0), "{}", term.describe());
    let written = configuration(&term).unwrap();
    assert!(written.contains(&format!("base_url = \"{}\"", model.url())), "{written}");
    assert!(written.contains("name = \"local/scripted\"") && !written.contains("key"), "{written}");
    assert!(state(&term, "keys.json").unwrap().contains("right-key"));
    assert!(!state(&term, "init.json").unwrap().contains("right-key"));
    assert!(!term.screen().contains("right-key") && !term.screen().contains("wrong-key"), "{}", term.describe());
    let undone = term.shellmate(&["init", "--undo"]);
    assert!(undone.status.success() && undone.stdout.contains("deleted the stored key LOCAL_API_KEY"), "{undone:?}");
    assert_eq!(configuration(&term), None);
    assert!(!state(&term, "keys.json").unwrap().contains("right-key"));
}

#[test]
fn the_key_of_a_provider_is_asked_for_and_can_be_left() {
    let model = Model::locked("right-key", []);
    let config = format!("[providers.groq]\nbase_url = '{}'\n", model.url());
    for leave in ["\x1b", "\x03"] {
        let mut term = bare().config(&config).start();
        asked(&term, "Which model should answer?");
        term.typed("2\r");
        asked(&term, "Which provider");
        term.typed("groq\r");
        term.wait_for("groq key (not shown):");
        term.typed("\r");
        term.wait_until(|screen| screen.contents().matches("Which provider").count() == 2);
        asked(&term, "Which provider");
        term.typed("groq\r");
        term.wait_until(|screen| screen.contents().matches("groq key (not shown):").count() == 2);
        term.typed("sk\u{2013}1\r");
        term.wait_for("this is not a key");
        term.wait_until(|screen| screen.contents().matches("groq key (not shown):").count() == 3);
        term.typed("right-key\r");
        asked(&term, "groq has one model.");
        term.typed("2\r");
        term.wait_until(|screen| screen.contents().matches("Which provider").count() == 3);
        asked(&term, "Which provider");
        term.typed("groq\r");
        term.wait_until(|screen| screen.contents().matches("groq key (not shown):").count() == 4);
        term.typed(leave);
        assert_eq!(term.wait_exit().code(), Some(0), "{}", term.describe());
        assert!(term.screen().contains("Nothing was changed"), "{}", term.describe());
        assert_eq!(configuration(&term).as_deref(), Some(config.as_str()));
        assert_eq!((state(&term, "keys.json"), state(&term, "init.json")), (None, None));
    }
}

#[test]
fn a_server_that_the_environment_names_is_offered_with_its_models() {
    let model = Model::start([Reply::text(["ready"])]);
    let mut term = bare().env("OPENAI_BASE_URL", model.url()).start();
    asked(&term, "Which model should answer?");
    assert!(term.screen().contains(&format!("a model of custom at {}", model.address())), "{}", term.describe());
    term.typed("\r");
    asked(&term, "custom has one model.");
    term.typed("\r");
    asked(&term, "for one word now");
    term.typed("\r");
    asked(&term, "Which colours");
    assert!(term.screen().contains("it answers: ready"), "{}", term.describe());
    term.typed("\x1b");
    term.wait_for("Nothing was changed");
}

#[test]
fn a_broken_configuration_is_named_before_any_question() {
    let term = bare().config("theme = \n").start();
    assert_ne!(term.wait_exit().code(), Some(0), "{}", term.describe());
    let screen = term.screen();
    assert!(screen.replace('\n', "").contains(".config/shellmate/config.toml:1:"), "{screen}");
    assert!(screen.contains("the file has a mistake") && !screen.contains("Which model"), "{screen}");
}

#[test]
fn nothing_is_left_behind_if_the_configuration_cannot_be_written() {
    let model = Model::locked("right-key", []);
    let mut term = bare().start();
    asked(&term, "Which model should answer?");
    term.typed("2\r");
    term.wait_for("Its base URL, or Enter to go back:");
    term.typed(format!("{}\r", model.url()));
    term.wait_for("local key (not shown):");
    term.typed("right-key\r");
    asked(&term, "local has one model.");
    term.typed("1\r");
    asked(&term, "for one word now");
    term.typed("n\r");
    asked(&term, "Which colours");
    term.typed("\r");
    asked(&term, "Make these changes?");
    // A directory in place of the file.
    std::fs::create_dir_all(term.home().join(FILE)).unwrap();
    term.typed("y\r");
    assert_ne!(term.wait_exit().code(), Some(0), "{}", term.describe());
    assert!(term.screen().contains("so nothing was changed"), "{}", term.describe());
    assert_eq!((state(&term, "keys.json"), state(&term, "init.json")), (None, None));
}

#[test]
fn without_a_terminal_it_prints_what_it_found_and_the_commands() {
    let term = Term::new(Shell::Bash)
        .env("OLLAMA_HOST", "127.0.0.1:9")
        .env("OPENAI_API_KEY", "sk-not-shown")
        .env("TERM_PROGRAM", "vscode")
        .start();
    let printed = term.shellmate(&["init"]);
    assert!(printed.status.success(), "{printed:?}");
    assert!(printed.stdout.contains("OPENAI_API_KEY is set (openai)"), "{printed:?}");
    assert!(printed.stdout.contains("  shellmate config set model.name openai/"), "{printed:?}");
    assert!(printed.stdout.contains("terminal.integrated.defaultProfile"), "{printed:?}");
    assert!(!printed.stdout.contains("sk-not-shown"), "{printed:?}");
    assert_eq!(configuration(&term), None);
}

#[test]
fn it_works_inside_a_wrapped_shell() {
    in_every_shell(|shell| {
        let mut term =
            Term::new(shell).env("OLLAMA_HOST", "127.0.0.1:9").env("OPENAI_API_KEY", "k").size(60, 120).start();
        term.wait_for_prompt();
        term.typed(format!("{PROGRAM} init\r"));
        asked(&term, "Which model should answer?");
        term.typed("q\r");
        term.wait_for("Nothing was changed");
        term.wait_for_prompt();
        term.run("echo it wo''rks");
        term.wait_for("\nit works\n");
    });
}

#[test]
fn the_command_on_the_screen_works_where_path_does_not_find_the_program() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).env("OLLAMA_HOST", "127.0.0.1:9").start();
        term.wait_for_prompt();
        term.run("shellmate --version");
        term.wait_for(&format!("\nshellmate {}", env!("CARGO_PKG_VERSION")));
        term.run("shellmate config set theme mono");
        term.run("shellmate config get theme");
        term.wait_for("\nmono\n");
    });
}
