//! The conversation line: a bare `>` opens it, it stays open for follow-ups, and no key for the shell is lost.

use std::fs;

use crate::harness::{Builder, Key, Model, Reply, Shell, Term, in_every_shell};

fn talking(shell: Shell, model: &Model) -> Builder {
    Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted").env("LANG", "C.UTF-8")
}

/// Opens the line with a bare `>`.
fn open(term: &mut Term) {
    term.typed(">\r");
    term.wait_for("an empty line closes");
}

#[test]
fn a_bare_sign_opens_a_line_that_stays_for_follow_ups() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["one answer"]), Reply::text(["another answer"])]);
        let mut term = talking(shell, &model).start();
        term.wait_for_prompt();
        term.run("false");
        open(&mut term);
        term.typed("first question\r");
        term.wait_for("one answer");
        term.wait_for("an empty line closes");
        term.typed("second question\r");
        term.wait_for("another answer");
        term.wait_for("an empty line closes");
        term.typed("\r");
        term.wait_for_prompt();
        let screen = term.screen();
        for part in ["$ >\n› first question\none answer\n", "\n› second question\nanother answer\n"] {
            assert!(screen.contains(part), "{}: {part}\n{screen}", shell.name());
        }
        assert!(!screen.contains("an empty line closes"), "{screen}");
        assert!(model.request().said(0).contains("first question"));
        assert!(model.request().body["messages"].to_string().contains("second question"));
        term.run(&format!("echo status {}", shell.status()));
        assert!(term.screen().contains("\nstatus 1"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn every_way_to_close_the_line_gives_the_prompt_back() {
    in_every_shell(|shell| {
        let model = Model::start([]);
        let mut term = talking(shell, &model).start();
        term.wait_for_prompt();
        for way in ["\r", "\x03", "\x04", "gone\x03\r", "/quit\r"] {
            open(&mut term);
            term.typed(format!("{way}echo k''ept\r"));
            term.wait_for("\nkept\n[");
            term.wait_for_prompt();
            term.typed("clear\r");
            term.wait_for_prompt();
        }
        open(&mut term);
        term.key(Key::Esc);
        term.wait_for_prompt();
        open(&mut term);
        term.typed("half");
        term.wait_for("› half");
        term.key(Key::Esc);
        term.wait_for("an empty line closes");
        term.key(Key::Esc);
        term.wait_for_prompt();
    });
}

#[test]
fn keys_typed_during_an_answer_belong_to_the_next_line() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["slow"]).gated(), Reply::text(["then"])]);
        let mut term = talking(shell, &model).start();
        term.wait_for_prompt();
        open(&mut term);
        term.typed("one\rtwo");
        model.request();
        term.typed(" more\r\recho k''ept\r");
        model.release();
        model.release();
        term.wait_for("\nkept\n");
        assert!(term.screen().contains("\n› two more\nthen\n"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn keys_that_come_in_one_burst_with_the_mark_are_for_the_line() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["one answer"]), Reply::text(["another answer"])]);
        let mut term = talking(shell, &model).start();
        term.wait_for_prompt();
        term.typed(">\rfirst question\rsecond");
        term.wait_for("one answer");
        term.wait_for("› second");
        term.typed(" question\r\recho k''ept\r");
        term.wait_for("\nkept\n");
        let screen = term.screen();
        for part in ["$ >\n› first question\none answer\n", "\n› second question\nanother answer\n"] {
            assert!(screen.contains(part), "{}: {part}\n{screen}", shell.name());
        }
    });
}

#[test]
fn a_paste_does_not_submit_and_is_shown_as_text() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["read it"])]);
        let mut term = talking(shell, &model).start();
        term.wait_for_prompt();
        open(&mut term);
        term.paste("first\nsecond\x1b[2J\n");
        term.wait_for("› first\n  second");
        term.typed("end\r");
        term.wait_for("read it");
        assert!(model.request().said(0).ends_with("first\nsecond\x1b[2J\nend"));
    });
}

#[test]
fn a_megabyte_is_pasted_at_once() {
    let Some(shell) = crate::harness::shells().into_iter().next() else { return };
    let model = Model::start([Reply::text(["long"])]);
    let mut term = talking(shell, &model).start();
    term.wait_for_prompt();
    open(&mut term);
    term.paste(&"0123456789\n".repeat(100_000));
    term.wait_for("[pasted 1.0 MiB, 100000 lines]");
    term.typed("what is this?\r");
    term.wait_for("long");
    assert!(model.request().said(0).contains("0123456789\n0123456789\n"));
}

#[test]
fn a_background_job_prints_above_the_line() {
    in_every_shell(|shell| {
        let model = Model::start([]);
        let mut term = talking(shell, &model).fifo("go").start();
        term.wait_for_prompt();
        let job = "sh -c 'read x <go; echo job says hi' &";
        term.run(job);
        open(&mut term);
        term.typed("half a question");
        term.wait_for("› half a question");
        fs::write(term.home().join("go"), "").unwrap();
        // Some shells also report that the job is done.
        term.wait_for("$ >\njob says hi\n");
        term.wait_until(|screen| screen.contents().trim_end().ends_with("\n› half a question"));
        term.typed("\x03\r");
        term.wait_for_prompt();
        assert_eq!(term.screen().matches("\njob says hi\n").count(), 1, "{}", term.screen());
    });
}

#[test]
fn commands_are_completed_with_their_help() {
    in_every_shell(|shell| {
        let model = Model::start([]);
        let mut term = talking(shell, &model).start();
        term.wait_for_prompt();
        open(&mut term);
        term.typed("/mod\t");
        term.wait_for("/models");
        term.wait_for("the models that can be asked");
        term.typed("\x03/thi\t");
        term.wait_for("› /thinking");
        term.typed("\t");
        term.wait_for("xhigh");
        term.typed("\x03/help\r");
        term.wait_for("end the conversation");
        term.typed("\r");
        term.wait_for_prompt();
    });
}

#[test]
fn files_below_the_directory_are_completed() {
    in_every_shell(|shell| {
        let model = Model::start([]);
        let mut term = talking(shell, &model).start();
        fs::create_dir_all(term.home().join("project/with blank")).unwrap();
        fs::write(term.home().join("project/main.rs"), "").unwrap();
        fs::write(term.home().join("project/with blank/it.txt"), "").unwrap();
        term.wait_for_prompt();
        term.run("cd project");
        open(&mut term);
        term.typed("explain @m\t");
        term.wait_for("› explain @main.rs");
        term.typed("and @w\t\t");
        term.wait_for("› explain @main.rs and @\"with blank/it.txt\"");
        term.typed("\x03\r");
        term.wait_for_prompt();
    });
}

#[test]
fn the_history_of_queries_survives_the_session() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["fine"])]);
        let mut term = talking(shell, &model).start();
        term.wait_for_prompt();
        open(&mut term);
        term.typed("how are you\r");
        term.wait_for("fine");
        term.wait_for("an empty line closes");
        term.key(Key::Up);
        term.wait_until(|screen| screen.contents().matches("› how are you").count() == 2);
        term.typed("\x03\r");
        term.wait_for_prompt();
        open(&mut term);
        term.key(Key::Ctrl('r'));
        term.typed("are");
        term.wait_for("search: are  how are you");
        term.typed("\x07\x03\r");
        let path = term.home().join(".local/state/shellmate/queries");
        assert_eq!(fs::read_to_string(path).unwrap(), "\"how are you\"\n");
    });
}

#[test]
fn the_line_can_be_edited_in_an_external_editor() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["edited"])]);
        let mut term = talking(shell, &model).env("EDITOR", "sh -c 'echo from the editor >> \"$1\"' edit").start();
        term.wait_for_prompt();
        open(&mut term);
        term.typed("typed,");
        term.wait_for("› typed,");
        term.key(Key::Ctrl('g'));
        term.wait_for("› typed,from the editor");
        term.typed("\r");
        term.wait_for("edited");
        assert!(model.request().said(0).ends_with("typed,from the editor"));
    });
}

#[test]
fn the_line_is_painted_again_when_the_terminal_is_resized() {
    in_every_shell(|shell| {
        let model = Model::start([]);
        let mut term = talking(shell, &model).size(12, 60).start();
        term.wait_for_prompt();
        open(&mut term);
        term.typed("0123456789012345678901234567890123456789");
        term.wait_for("› 0123456789012345678901234567890123456789");
        term.resize(12, 30);
        term.wait_for("› 0123456789012345678901234567\n890123456789");
        term.typed("x");
        term.wait_for("890123456789x");
        assert_eq!(term.screen().matches('›').count(), 1, "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn vi_keys_are_a_setting() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["ok"])]);
        let term = talking(shell, &model);
        let config = term.home().join(".config/shellmate");
        fs::create_dir_all(&config).unwrap();
        fs::write(config.join("config.toml"), "[line]\nmode = \"vi\"\n").unwrap();
        let mut term = term.start();
        term.wait_for_prompt();
        open(&mut term);
        term.typed("one two\x1b");
        term.wait_for("› one two");
        term.typed("bcwthree\r");
        term.wait_for("ok");
        assert!(model.request().said(0).ends_with("\n\none three"), "{}", shell.name());
    });
}

#[test]
fn references_are_attached() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["one"]), Reply::text(["two"]), Reply::text(["three"])]);
        let mut term = talking(shell, &model).start();
        fs::write(term.home().join("notes.txt"), "the secret of life\n").unwrap();
        term.wait_for_prompt();
        term.run("echo some out''put");
        term.run("> explain @notes.txt please");
        assert!(model.request().said(0).contains("<file path=\"notes.txt\">\nthe secret of life\n</file>"));
        term.run("> and @last, @nope.rs?");
        assert!(term.screen().contains("there is no file nope.rs"), "{}", term.screen());
        let said = model.request().said(0);
        assert!(said.contains("<reference name=\"@last\">") && said.contains("some output"), "{said}");
        let id = term.wait_for_history(|records| !records.is_empty())[0].id();
        term.run(&format!("> again @{id}"));
        let said = model.request().said(0);
        assert!(said.contains(&format!("<reference name=\"@{id}\">")) && said.contains("some output"), "{said}");
    });
}
