//! Whole screens of the program, compared with the files in `screens/`. They are the same in every shell.
//!
//! A test waits until the screen is as expected. With `INSTA_UPDATE=always` the screen at the end of the wait is
//! stored instead.

use std::path::Path;

use regex::Regex;
use serde_json::json;

use crate::harness::{Builder, Key, Model, Reply, Shell, Term, all, in_every_shell, picture, shells};

const WIDTHS: [u16; 3] = [40, 80, 160];

/// Compares the screen with the stored one of this name.
#[track_caller]
fn shot(term: &Term, name: &str) {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/screens").join(format!("{name}.snap"));
    let kept = std::fs::read_to_string(kept).unwrap_or_default();
    let wanted = kept.splitn(3, "---\n").nth(2).unwrap_or_default().trim_end();
    let known = |line: &str| who().replace_all(&term.without_place(line), " as me@here in ").into_owned();
    let seen = term.wait_for_picture(|screen| picture(screen, known), wanted);
    let shell = term.shell().name();
    insta::with_settings!({ snapshot_path => ".", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name.to_owned(), seen, shell);
    });
}

/// User and host, which differ between machines.
fn who() -> Regex {
    Regex::new(r" as \S+@\S+ in ").unwrap()
}

/// Runs the scene in every shell at every width.
#[track_caller]
fn at_every_width(scene: impl Fn(Shell, u16)) {
    let scene = &scene;
    let cases = shells().into_iter().flat_map(|shell| WIDTHS.map(|width| (shell, width)));
    all(cases.map(|(shell, width)| (format!("{} {width}", shell.name()), move || scene(shell, width))));
}

/// A session without a sandbox, because what a card offers depends on what the machine can enforce.
fn asking(shell: Shell, width: u16, model: &Model) -> Builder {
    Term::new(shell).no_sandbox().env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted").size(30, width)
}

/// Asks, and waits until the model has the question.
fn ask(term: &mut Term, model: &Model, query: &str) {
    term.typed(format!("> {query}\r"));
    model.request();
}

const BUILD: &str = "echo 'error[E0382]: borrow of moved value: `rows`'\necho '  --> src/main.rs:41:9'\nexit 101\n";

#[test]
fn a_failed_command_is_explained() {
    at_every_width(|shell, width| {
        let pieces = ["`rows` is **moved** into the clo", "sure on line 41, so it is gone on line 43.\n"];
        let model = Model::start([Reply::text(pieces).gated()]);
        let mut term = asking(shell, width, &model).file("build", BUILD).start();
        term.wait_for_prompt();
        term.run("sh build");
        ask(&mut term, &model, "why did that fail");
        shot(&term, &format!("why-{width}-asked"));
        model.release();
        shot(&term, &format!("why-{width}-half"));
        model.release();
        model.release();
        term.wait_for_prompt();
        shot(&term, &format!("why-{width}-over"));
    });
}

#[test]
fn a_call_runs_ends_and_unfolds() {
    at_every_width(|shell, width| {
        let command = "seq 6; read x <g; seq 7 12";
        let model = Model::start([
            Reply::text(["I count."]).and_calls(&[("bash", json!({ "command": command }))]),
            Reply::text(["That was all."]).gated(),
        ]);
        let mut term = asking(shell, width, &model).fifo("g").start();
        term.wait_for_prompt();
        ask(&mut term, &model, "count");
        shot(&term, &format!("call-{width}-asked"));
        term.typed("y");
        shot(&term, &format!("call-{width}-chosen"));
        term.key(Key::Enter);
        shot(&term, &format!("call-{width}-runs"));
        term.key(Key::Ctrl('o'));
        shot(&term, &format!("call-{width}-runs-unfolded"));
        term.key(Key::Ctrl('o'));
        shot(&term, &format!("call-{width}-runs"));
        std::fs::write(term.home().join("g"), "\n").unwrap();
        model.request();
        shot(&term, &format!("call-{width}-done"));
        term.key(Key::Ctrl('o'));
        shot(&term, &format!("call-{width}-done-unfolded"));
        model.release();
        model.release();
        term.wait_for_prompt();
        shot(&term, &format!("call-{width}-over"));
    });
}

#[test]
fn an_edit_is_shown_approved_and_made() {
    at_every_width(|shell, width| {
        let edit = json!({
            "path": "main.rs", "old_string": "    let x = 1;\n", "new_string": "    let x = 2;\n    let y = x;\n"
        });
        let model = Model::start([
            Reply::calls(&[("read_file", json!({ "path": "main.rs" }))]),
            Reply::calls(&[("edit_file", edit)]),
            Reply::text(["Now it is two."]),
        ]);
        let code = "fn main() {\n    let x = 1;\n    println!(\"{x}\");\n}\n";
        let mut term = asking(shell, width, &model).file("main.rs", code).start();
        term.wait_for_prompt();
        ask(&mut term, &model, "make it two");
        shot(&term, &format!("edit-{width}-asked"));
        term.approve("main.rs");
        term.wait_for_prompt();
        shot(&term, &format!("edit-{width}-over"));
        assert!(term.read("main.rs").contains("let x = 2;"));
    });
}

#[test]
fn ctrl_c_in_mid_answer() {
    at_every_width(|shell, width| {
        let model = Model::start([Reply::text(["First **look** at the log, and th", "en"]).gated()]);
        let mut term = asking(shell, width, &model).start();
        term.wait_for_prompt();
        ask(&mut term, &model, "what now");
        model.release();
        shot(&term, &format!("stopped-{width}-half"));
        term.key(Key::CtrlC);
        term.wait_for_prompt();
        shot(&term, &format!("stopped-{width}-over"));
    });
}

#[test]
fn a_proposed_command_on_the_prompt() {
    at_every_width(|shell, width| {
        let command = json!({ "command": "tar --extract --gzip --file archive.tar.gz", "why": "" });
        let model = Model::start([Reply::calls(&[("suggest_command", command)]), Reply::text(["Here it is:"])]);
        let mut term = asking(shell, width, &model).start();
        term.wait_for_prompt();
        ask(&mut term, &model, "unpack it");
        term.wait_for_prompt();
        shot(&term, &format!("suggested-{width}"));
    });
}

#[test]
fn the_conversation_line_and_its_completions() {
    at_every_width(|shell, width| {
        let model = Model::start([Reply::text(["It is a **shell**."])]);
        let mut term = asking(shell, width, &model).start();
        term.wait_for_prompt();
        term.typed(">\r");
        shot(&term, &format!("line-{width}-open"));
        term.typed("/mo\t");
        shot(&term, &format!("line-{width}-offers"));
        term.typed("\x03what is this, and how does it know all that I did before\r");
        shot(&term, &format!("line-{width}-answered"));
        term.typed("\r");
        term.wait_for_prompt();
        shot(&term, &format!("line-{width}-closed"));
    });
}

const MARKDOWN: &str = "\
# Plan

1. Read `main.rs`
   - the *first* half
   - and [the book](https://doc.rust-lang.org/book/)
2. Write it 🎉

| file | 用途 | lines |
|---|:---:|---:|
| `main.rs` | 起動する | 41 |
| lib.rs | 😀 smile | 1203 |

```rust
fn main() {
    println!(\"世界\");
}
```

> quoted, and a line that is longer than a narrow terminal is wide

日本語の文章は折り返しの位置に空白がないので、どこで切れるかを確かめるのに役立ちます。
";

#[test]
fn markdown_of_every_kind() {
    at_every_width(|shell, width| {
        let model = Model::start([Reply::text(MARKDOWN.split_inclusive(' '))]);
        let mut term = asking(shell, width, &model).size(45, width).start();
        term.wait_for_prompt();
        ask(&mut term, &model, "how");
        term.wait_for_prompt();
        shot(&term, &format!("markdown-{width}"));
    });
}

/// A failure, a call, a question and an answer in one terminal.
fn a_bit_of_all(builder: Builder, model: &Model, name: &str) -> Term {
    let mut term = builder.file("build", BUILD).start();
    term.wait_for_prompt();
    term.run("sh build");
    ask(&mut term, model, "why");
    shot(&term, &format!("{name}-asked"));
    term.approve("X=1 echo checked");
    shot(&term, &format!("{name}-half"));
    model.release();
    model.release();
    term.wait_for_prompt();
    shot(&term, &format!("{name}-over"));
    term
}

fn bit_of_all() -> Model {
    let call = [("bash", json!({ "command": "X=1 echo checked" }))];
    Model::start([
        Reply::text(["Let me *see*…"]).and_calls(&call),
        Reply::text(["| a | b |\n|---|---|\n| **1** | `2` |\n\n- it is *moved*\n"]).gated(),
    ])
}

#[test]
fn without_colours() {
    in_every_shell(|shell| {
        let model = bit_of_all();
        let term = a_bit_of_all(asking(shell, 80, &model).env("NO_COLOR", "1"), &model, "no-colour");
        if shell != Shell::Fish {
            let raw = String::from_utf8_lossy(&term.raw()).into_owned();
            let colour = Regex::new(r"\x1b\[(\d+;)*([34][0-8]|9\d|10\d)(;\d+)*m").unwrap();
            assert!(!colour.is_match(&raw), "{}: {:?}", shell.name(), colour.find(&raw));
        }
    });
}

#[test]
fn on_a_dumb_terminal() {
    in_every_shell(|shell| {
        // On a dumb terminal bash has no line editor that can be hooked.
        if shell != Shell::Bash {
            let model = bit_of_all();
            a_bit_of_all(asking(shell, 80, &model).env("TERM", "dumb"), &model, "dumb");
        }
    });
}

#[test]
fn in_an_ascii_locale() {
    in_every_shell(|shell| {
        let model = bit_of_all();
        a_bit_of_all(asking(shell, 80, &model).env("LANG", "C"), &model, "ascii");
    });
}
