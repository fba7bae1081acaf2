//! The person's own slash commands.

use crate::harness::{Builder, Model, Reply, Shell, Term, in_every_shell};

const DIRECTORY: &str = ".config/shellmate/commands";

fn home(shell: Shell, model: &Model) -> Builder {
    Term::new(shell)
        .env("OPENAI_BASE_URL", model.url())
        .env("SHELLMATE_MODEL", "scripted")
        .size(60, 140)
        .file(
            &format!("{DIRECTORY}/review.md"),
            "---\ndescription: reviews a file\nargument-hint: FILE\nmodel: small\n---\nReview @$1 with care: $ARGUMENTS",
        )
        .file(&format!("{DIRECTORY}/git/tidy-up.md"), "Tidy up.")
        .file(&format!("{DIRECTORY}/help.md"), "Never read.")
        .file("notes.txt", "remember the milk")
}

#[test]
fn a_command_asks_what_its_file_says_with_its_own_model() {
    in_every_shell(|shell| {
        let model = Model::start(["one", "two", "three"].map(|words| Reply::text([words])));
        let mut term = home(shell, &model).start();
        term.wait_for_prompt();
        term.typed("> /review notes.txt today\r");
        term.wait_for("one");
        term.wait_for_prompt();
        let request = model.request();
        assert!(request.said(0).ends_with("Review @notes.txt with care: notes.txt today"), "{}", request.said(0));
        assert!(request.said(0).contains("remember the milk"), "the file is attached: {}", request.said(0));
        assert_eq!(request.body["model"], "small");
        term.typed("> /git:tidy-up now\r");
        term.wait_for("two");
        term.wait_for_prompt();
        let request = model.request();
        assert!(request.said(0).ends_with("Tidy up.\n\nnow"), "{}", request.said(0));
        assert_eq!(request.body["model"], "scripted", "the model was for one question");
        for (line, words) in [
            ("/reveiw x", "there is no /reveiw (did you mean /review?)"),
            ("/zzzzzz", "there is no /zzzzzz; /help lists the commands"),
        ] {
            term.typed(format!("> {line}\r"));
            term.wait_for(words);
            term.wait_for_prompt();
        }
        let asked = term.shellmate(&["ask", "/git:tidy-up", "then"]);
        assert_eq!(asked.stdout.trim(), "three", "{asked:?}");
        assert!(model.request().said(0).ends_with("Tidy up.\n\nthen"));
        assert!(model.others().is_empty(), "a command that is not there asks nothing");
    });
}

#[test]
fn commands_are_listed_completed_and_examined() {
    let model = Model::start([Reply::text(["done"])]);
    let mut term = home(Shell::Zsh, &model).start();
    term.wait_for_prompt();
    term.typed("> /help\r");
    term.wait_for("your own commands:");
    term.wait_for("/review FILE             reviews a file");
    term.wait_for("help.md is not used: /help is a built-in command");
    term.wait_for_prompt();
    let doctor = term.shellmate(&["doctor"]).stdout;
    assert!(doctor.contains("/git:tidy-up at ~/.config/shellmate/commands/git/tidy-up.md"), "{doctor}");
    assert!(doctor.contains("help.md is not used: /help is a built-in command"), "{doctor}");
    term.typed(">\r");
    term.wait_for("› ");
    term.typed("/rev");
    term.wait_for("reviews a file");
    term.typed("\t");
    term.wait_for("/review ");
}

#[test]
fn commands_of_a_project_need_trust() {
    let model = Model::start([Reply::text(["shipped"])]);
    let mut term =
        home(Shell::Bash, &model).file("app/.git/HEAD", "").file("app/.shellmate/commands/ship.md", "Ship it.").start();
    term.wait_for_prompt();
    term.run("cd app");
    term.typed("> /ship\r");
    term.wait_for("the project is not trusted; `shellmate trust` shows it and asks");
    term.wait_for_prompt();
    let app = term.home().join("app");
    let trusted = term.shellmate(&["trust", "--yes", &app.to_string_lossy()]);
    assert!(trusted.status.success(), "{trusted:?}");
    term.typed("> /ship\r");
    term.wait_for("shipped");
    assert!(model.request().said(0).ends_with("Ship it."));
}

#[test]
fn ask_refuses_a_name_that_no_command_has_and_attaches_a_file_with_blanks() {
    let model = Model::start([Reply::text(["read"]), Reply::text(["a question"])]);
    let term = home(Shell::Bash, &model)
        .file(&format!("{DIRECTORY}/tell.md"), "---\nargument-hint: [FILE] [WORDS]\n---\nTell @$1, not $$2: $2")
        .file("my notes.txt", "feed the cat")
        .start();
    for (line, words) in [
        ("/zzzzzz now", "error: there is no command /zzzzzz; `shellmate doctor` lists your own commands"),
        ("/undo", "error: /undo works only in a session of shellmate: `> /undo`"),
    ] {
        let refused = term.shellmate(&["ask", line]);
        assert!(!refused.status.success() && refused.stderr.contains(words), "{refused:?}");
    }
    let asked = term.shellmate(&["ask", "/tell \"my notes.txt\" (please)"]);
    assert!(asked.status.success(), "{asked:?}");
    let request = model.request();
    assert!(request.said(0).ends_with("Tell @\"my notes.txt\", not $2: (please)"), "{}", request.said(0));
    assert!(request.said(0).contains("feed the cat"), "{}", request.said(0));
    let asked = term.shellmate(&["ask", "/tmp is full: why?"]);
    assert!(asked.status.success() && asked.stdout.contains("a question"), "{asked:?}");
}
