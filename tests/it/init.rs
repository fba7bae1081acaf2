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
    asked(&term, "Write this to ~/.config/shellmate/config.toml?");
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
    assert!(!again.status.success() && again.stderr.contains("nothing"), "{again:?}");
}

#[test]
fn undo_leaves_a_configuration_alone_that_was_edited_since() {
    let model = Model::start([]);
    let mut term = wizard(&model).start();
    asked(&term, "Which model should answer?");
    term.typed("2\r");
    asked(&term, "Which colours");
    term.typed("2\r");
    asked(&term, "Write this");
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
