//! Other terminals, or none; questions and diffs.

use super::*;
use crate::chat::{Ending, Usage};

fn turn(options: Options) -> Scene {
    let scene = Scene::with(options).event(Event::StepStarted { step: 1 }).event(Event::Thinking("hm".to_owned()));
    let scene = scene.text("Let **me** see `x` → “y”.\n").start("1", "bash", "make").wait(1_000).output("1", "a\nb\n");
    let scene = scene.done("1", Outcome::failed("exit status 2")).text("- It [fails](https://a.b).");
    let usage = Usage { input: 10, output: 5, ..Usage::default() };
    scene.event(Event::Usage(usage)).event(Event::Finished(Ending::Answered)).finish()
}

#[test]
fn without_colour_there_are_no_colours() {
    let scene = turn(Options { colour: Depth::None, ..options(60) });
    insta::assert_snapshot!(scene.screen(), @"
    ∴ thought for 0ms · Ctrl-T

    Let me see `x` → “y”.

    $ make  ✗ exit status 2 1.2s
      a
      b

    - It fails.
    10 in, 5 out · local · 1.0s
    █
    ");
    let looks = scene.looks();
    let coloured = looks.split("\x1b[").filter_map(|rest| rest.split_once('m')).flat_map(|(codes, _)| codes.split(';'));
    assert!(coloured.into_iter().all(|code| !code.starts_with('3') || code == "3"), "{looks:?}");
}

#[test]
fn without_utf8_everything_is_ascii() {
    let scene = turn(Options { unicode: false, ..options(60) });
    assert!(scene.bytes.is_ascii());
    insta::assert_snapshot!(scene.screen(), @r#"
    ~ thought for 0ms, Ctrl-T

    Let me see x > "y".

    $ make  failed: exit status 2 1.2s
      a
      b

    - It fails.
    10 in, 5 out, local, 1.0s
    █
    "#);
}

#[test]
fn a_dumb_terminal_or_none_gets_plain_text() {
    let scene = turn(Options { mode: Mode::Dumb, ..options(60) });
    insta::assert_snapshot!(scene.escapes(), @"
    ∴ thought for 0ms · Ctrl-T␍␊
    ␍␊
    Let **me** see `x` → “y”.␍␊
    ␍␊
    $ make  ✗ exit status 2 1.2s␍␊
      a␍␊
      b␍␊
    ␍␊
    - It [fails](https://a.b).␍␊
    10 in, 5 out · local · 1.0s␍␊
    ");
}

#[test]
fn without_hyperlinks_the_address_is_shown() {
    let scene =
        Scene::with(Options { hyperlinks: false, ..options(60) }).text("[docs](https://a.b) <https://c.d>").finish();
    insta::assert_snapshot!(scene.screen(), @"
    docs (https://a.b) https://c.d
    █
    ");
}

#[test]
fn a_question_shows_all_there_is_to_know() {
    let asked = |columns| {
        let asked = Question {
            action: "edit",
            subject: "src/a.rs",
            user: "ada",
            host: "engine",
            directory: "~/app",
            always: Some("edits in ~/app"),
            change: Some(Change { path: "src/a.rs", old: "a\nlet x = 1;\nb\n", new: "a\nlet y = 1;\nb\n" }),
        };
        question(&asked, &options(columns))
    };
    insta::assert_snapshot!(shown(&asked(80), 80), @"
    ? edit as ada@engine in ~/app
      src/a.rs
      a: edits in ~/app
    src/a.rs +1 -1
    @@ -1,3 +1,3 @@
     a
    -let x = 1;
    +let y = 1;
     b
    y yes  n no  n <why> tell it why  a always in this session  Esc no >
    ");
}

#[test]
fn a_command_in_question_can_not_hide_anything() {
    let asked = Question {
        action: "run",
        subject: "rm -rf build\x1b[2K\rls \u{202e}txt\nsecond line",
        user: "ada",
        host: "engine",
        directory: "~/app",
        always: Some("exactly this command in /"),
        change: None,
    };
    insta::assert_snapshot!(shown(&question(&asked, &options(80)), 80), @r"
    ? run as ada@engine in ~/app
      rm -rf build\u{1b}[2K\rls \u{202e}txt
      second line
      a: exactly this command in /
    y yes  n no  n <why> tell it why  a always in this session  Esc no >
    ");
}

#[test]
fn a_dumb_terminal_can_be_asked_too() {
    let options = Options { mode: Mode::Dumb, ..options(80) };
    let asked = Question {
        action: "run",
        subject: "make",
        user: "ada",
        host: "engine",
        directory: "~/app",
        always: None,
        change: None,
    };
    insta::assert_snapshot!(question(&asked, &options), @"
    ? run as ada@engine in ~/app
      make
    y yes  n no  n <why> tell it why  Esc no >
    ");
}

#[test]
fn a_diff_is_unified_on_narrow_terminals() {
    insta::assert_snapshot!(shown(&diff(&old(), &new(), "src/main.rs", &options(80)), 80), @r"
    src/main.rs +3 -3
    @@ -1,5 +1,5 @@
     fn main() {
    -    let rows = load();
    +    let mut rows = load();
         step(1);
         step(2);
         step(3);
    @@ -14,10 +14,10 @@
         step(12);
         step(13);
         step(14);
    -    step(15);
         step(16);
         step(17);
         step(18);
         step(19);
         step(20);
    -}
    \ no newline at the end
    +    end();
    +}
    ");
}

#[test]
fn a_diff_stands_side_by_side_on_wide_ones() {
    insta::assert_snapshot!(shown(&diff(&old(), &new(), "src/main.rs", &options(140)), 140), @"
    src/main.rs +3 -3
    @@ -1,5 +1,5 @@
       1  fn main() {                                                        1  fn main() {
       2 -    let rows = load();                                             2 +    let mut rows = load();
       3      step(1);                                                       3      step(1);
       4      step(2);                                                       4      step(2);
       5      step(3);                                                       5      step(3);
    @@ -14,10 +14,10 @@
      14      step(12);                                                     14      step(12);
      15      step(13);                                                     15      step(13);
      16      step(14);                                                     16      step(14);
      17 -    step(15);
      18      step(16);                                                     17      step(16);
      19      step(17);                                                     18      step(17);
      20      step(18);                                                     19      step(18);
      21      step(19);                                                     20      step(19);
      22      step(20);                                                     21      step(20);
      23 -}                                                                 22 +    end();
                                                                            23 +}
    ");
}

#[test]
fn words_that_changed_stand_out() {
    let diff = diff("let count = 1;\n", "let total = 1;\n", "a.rs", &options(80));
    insta::assert_snapshot!(diff.replace('\x1b', "␛"), @"
    ␛[1ma.rs␛[0m␛[32m +1␛[0m␛[31m -1␛[0m
    ␛[2m@@ -1,1 +1,1 @@␛[0m
    ␛[31m-let ␛[0m␛[7;31mcount␛[0m␛[31m = 1;␛[0m
    ␛[32m+let ␛[0m␛[7;32mtotal␛[0m␛[32m = 1;␛[0m
    ");
}

#[test]
fn no_change_is_no_diff() {
    assert_eq!(diff("a\n", "a\n", "a", &options(80)), "");
}

fn old() -> String {
    let body: String = (1..=20).map(|number| format!("    step({number});\n")).collect();
    format!("fn main() {{\n    let rows = load();\n{body}}}")
}

fn new() -> String {
    old()
        .replace("let rows", "let mut rows")
        .replace("    step(15);\n", "")
        .replace("step(20);\n}", "step(20);\n    end();\n}\n")
}

fn shown(text: &str, columns: u16) -> String {
    let mut terminal = terminal(40, columns);
    terminal.process(text.as_bytes());
    terminal.screen().contents()
}
