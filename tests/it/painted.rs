//! `shellmate ask` on a terminal paints the answer as in a session. Elsewhere it prints the text of the model.

use std::process::Stdio;

use serde_json::json;

use crate::harness::{Builder, Model, Reply, Shell, Term};

const MARKDOWN: &str = "# Why\n\nIt is **unset**:\n\n- one\n- two `x`\n";

fn home(model: &Model) -> Builder {
    Term::new(Shell::Bash).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted")
}

/// The screen of one answer, and its bytes.
fn painted(answer: &str, prepare: impl Fn(Builder) -> Builder) -> (String, String) {
    let model = Model::start([Reply::text([answer])]);
    let term = prepare(home(&model)).args(["ask", "why"]).start();
    assert!(term.wait_exit().success(), "{}", term.describe());
    (term.screen(), String::from_utf8(term.raw()).unwrap())
}

#[test]
fn an_answer_on_a_terminal_is_painted_as_it_arrives() {
    let model = Model::start([Reply::text(["It is **un", "set**, and\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"]).gated()]);
    let term = home(&model).args(["ask", "why"]).start();
    model.release();
    term.wait_for("It is ");
    model.release();
    term.wait_for("It is unset, and");
    model.release();
    assert!(term.wait_exit().success());
    let screen = term.screen();
    assert!(screen.starts_with("It is unset, and\n\n") && !screen.contains("|---|"), "{screen}");
    assert!(String::from_utf8(term.raw()).unwrap().contains("\x1b[1mun"), "{}", term.describe());
    assert_eq!(term.cursor().1, 0);
}

#[test]
fn an_answer_in_a_pipe_is_the_text_of_the_model() {
    let answer = "\n**a** \x1b[2Jb\r\n\n```sh\n\tls\n```";
    let model = Model::start([Reply::text([answer])]);
    let builder = home(&model).args(["ask", "why"]);
    let output = builder.command().stdin(Stdio::null()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{answer}\n"));
}

#[test]
fn colours_follow_the_theme_and_the_environment() {
    let (screen, coloured) = painted(MARKDOWN, |home| home);
    let (same, chosen) = painted(MARKDOWN, |home| home.config("theme = 'light'\n"));
    assert_eq!(screen, same);
    assert_ne!(coloured, chosen);
    let (_, monochrome) = painted(MARKDOWN, |home| home.env("NO_COLOR", "1").config("theme = 'light'\n"));
    assert!(!monochrome.contains("\x1b[3") && !monochrome.contains(";38;5"), "{monochrome:?}");
    let (_, plain) = painted(MARKDOWN, |home| home.env("TERM", "dumb"));
    assert_eq!(plain, MARKDOWN.replace('\n', "\r\n"));
    let (screen, _) = painted("hello", |home| home.config("theme = 'lihgt'\n"));
    assert!(screen.contains("there is no theme `lihgt`, did you mean `light`?"), "{screen}");
}

#[test]
fn the_first_code_has_its_colours() {
    let (screen, raw) = painted("```rust\nlet x = \"a\";\n```\n", |home| home);
    assert!(screen.contains("let x = \"a\";"), "{screen}");
    assert!(!raw.contains("let x = \"a\";"), "{raw:?}");
}

#[test]
fn escape_sequences_in_an_answer_of_ask_are_removed() {
    for term in ["xterm-256color", "dumb"] {
        let (screen, raw) = painted("a\x1b]0;title\x07\x1b[2Jb\u{9b}2J", |home| home.env("TERM", term));
        assert!(!raw.contains("\x1b]0") && !raw.contains("\x1b[2J") && !raw.contains('\u{9b}'), "{raw:?}");
        assert!(screen.starts_with('a') && screen.contains("[2Jb"), "{screen}\n{raw:?}");
    }
}

#[test]
fn calls_are_reported_between_paragraphs() {
    let calls = Reply::text(["Let me **see**."]).and_calls(&[("ls", json!({ "path": "." }))]);
    let model = Model::start([calls, Reply::text(["\n\nIt is `empty`."])]);
    let term = home(&model).args(["ask", "what is here"]).start();
    assert!(term.wait_exit().success());
    assert_eq!(term.screen().trim_end(), "Let me see.\n· ls .\n\nIt is empty.");
}

#[test]
fn the_answer_continues_in_the_new_width() {
    let table = format!("| a | b |\n|---|---|\n| 1 | {}|\n", "several words ".repeat(6));
    let model = Model::start([Reply::text(["First.\n\n", &table]).gated()]);
    let mut term = home(&model).args(["ask", "why"]).start();
    model.release();
    term.wait_for("First.");
    term.resize(40, 30);
    model.release();
    model.release();
    assert!(term.wait_exit().success());
    let screen = term.screen();
    // Too narrow for a table.
    assert!(screen.contains("\na: 1\nb: several words"), "{screen}");
}

#[test]
fn a_copied_answer_is_the_models_text_and_not_the_rows_on_the_screen() {
    use base64::Engine;
    let answer = "A sentence that is **wider** than the forty columns of this terminal, and a [link](https://a.b).";
    let model = Model::start([Reply::text([answer])]);
    let mut term = home(&model).size(30, 40).start();
    term.wait_for_prompt();
    term.typed("> why\r");
    term.wait_for("A sentence that is wider than the forty\ncolumns of this terminal, and a link.\n");
    term.wait_for_prompt();
    term.typed("> /copy\r");
    let encoded = base64::engine::general_purpose::STANDARD.encode(answer);
    term.wait_for_raw(format!("\x1b]52;c;{encoded}\x1b\\").as_bytes());
}

#[test]
fn the_advice_without_a_model_is_broken_between_words() {
    let term = Term::new(Shell::Bash).size(40, 50).args(["ask", "why"]).start();
    assert!(!term.wait_exit().success());
    let screen = term.screen();
    let item = "\n  2. on this machine: start Ollama, LM Studio,\n     llama.cpp or vLLM and ask again.\n";
    assert!(screen.contains(item), "{screen}");
}
