//! Terminals with fewer capabilities, approval cards and diffs.

use super::*;
use crate::chat::{Ending, Usage};

fn turn(options: RenderOptions) -> Scene {
    let scene = Scene::with(options).event(Event::StepStarted { step: 1 }).event(Event::Thinking("hm".to_owned()));
    let scene = scene.text("Let **me** see `x` → “y”.\n").start("1", "bash", "make").wait(1_000).output("1", "a\nb\n");
    let scene = scene.done("1", Outcome::failed("exit status 2")).text("- It [fails](https://a.b).");
    let usage = Usage { input: 10, output: 5, ..Usage::default() };
    scene.event(Event::Usage(usage)).event(Event::Finished(Ending::Answered)).finish()
}

#[test]
fn with_depth_none_no_colours_are_written() {
    let scene = turn(RenderOptions { colour: Depth::None, ..options(60) });
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
    let scene = turn(RenderOptions { unicode: false, ..options(60) });
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
fn a_dumb_terminal_gets_plain_text() {
    let scene = turn(RenderOptions { mode: TerminalMode::Dumb, ..options(60) });
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
    let scene = Scene::with(RenderOptions { hyperlinks: false, ..options(60) })
        .text("[docs](https://a.b) <https://c.d>")
        .finish();
    insta::assert_snapshot!(scene.screen(), @"
    docs (https://a.b) https://c.d
    █
    ");
}

fn run<'a>(command: &'a str, choices: &'a [(&'a str, &'a str)]) -> ApprovalRequest<'a> {
    ApprovalRequest { subject: Subject::Command { action: "run", command }, place: None, choices, wider: &[] }
}

#[test]
fn an_approval_card_shows_the_whole_command_and_its_place() {
    let change = FileChange { path: "src/a.rs", old: "a\nlet x = 1;\nb\n", new: "a\nlet y = 1;\nb\n" };
    let asked = ApprovalRequest {
        subject: Subject::Edit(change),
        place: None,
        choices: &[("a", "all edits here, this session")],
        wider: &[],
    };
    insta::assert_snapshot!(shown(&approval_card(&asked, 24, &options(80)).text, 80), @"
    ? edit src/a.rs +1 −1
    @@ -1,3 +1,3 @@
     a
    -let x = 1;
    +let y = 1;
     b
    y yes  n no  n <why> tell it why  a all edits here, this session
    Esc no
    ");
}

#[test]
fn the_choices_leave_room_for_the_answer() {
    for columns in 30..=120 {
        for always in [None, Some(("a", "reading this, this session")), Some(("a", "all edits here, this session"))] {
            let card = approval_card(&run("make", always.as_slice()), 24, &options(columns)).text;
            let rows = shown(&card, columns).lines().count();
            let answered = shown(&format!("{card} > yes, this session"), columns);
            assert_eq!(answered.lines().count(), rows, "{columns} columns: {answered}");
        }
    }
}

#[test]
fn invisible_characters_of_a_command_are_spelled_out() {
    let asked = run("rm -rf build\x1b[2K\rls \u{202e}txt\nsecond line", &[]);
    let asked = ApprovalRequest { place: Some("as ada@engine in /srv"), ..asked };
    insta::assert_snapshot!(shown(&approval_card(&asked, 24, &options(80)).text, 80), @"
    ? run as ada@engine in /srv
      rm -rf buildU+001B[2KU+000Dls U+202Etxt
      second line
    y yes  n no  n <why> tell it why  Esc no
    ");
    for hidden in [format!("rm x{}ls -la", "\n".repeat(60)), format!("rm x;{}ls -la", " ".repeat(2500))] {
        let card = approval_card(&run(&hidden, &[]), 10, &options(80));
        assert_eq!(card.size, CardSize::Whole);
        let screen = shown(&card.text, 80);
        assert!(screen.contains("rm x") && screen.contains("ls -la"), "{screen}");
        assert!(screen.contains("⏎ ×60") || screen.contains("␣ ×2500"), "{screen}");
    }
}

#[test]
fn a_card_taller_than_the_screen_needs_a_typed_yes() {
    let script: String = (1..=40).map(|number| format!("step {number}\n")).collect();
    let card = approval_card(&run(&script, &[("a", "exactly this command, this session")]), 10, &options(80));
    assert_eq!(card.size, CardSize::TopHidden);
    let screen = shown(&card.text, 80);
    assert!(screen.contains("top not visible: 41 rows, "), "{screen}");
    assert!(screen.ends_with("yes and Enter: yes  n no  n <why> tell it why  Esc no"), "{screen}");
}

#[test]
fn a_question_taller_than_the_screen_says_so() {
    let text: String = (1..=30).map(|number| format!("line {number}\n")).collect();
    let choices = ["one".to_owned(), "two".to_owned()];
    let asked = |rows| shown(&inquiry(&text, &choices, rows, &options(80)), 80);
    assert!(asked(24).contains("  2. two\ntop not visible: 32 rows, "), "{}", asked(24));
    assert!(asked(32).contains("top not visible"), "the answer takes a row");
    assert!(asked(33).ends_with("  2. two\n?"), "{}", asked(33));
}

#[test]
fn lookalike_characters_in_names_are_reported() {
    let edit = |path| ApprovalRequest {
        subject: Subject::Edit(FileChange { path, old: "", new: "a\n" }),
        place: None,
        choices: &[],
        wider: &[],
    };
    let screen = |asked: &ApprovalRequest<'_>| shown(&approval_card(asked, 24, &options(80)).text, 80);
    assert!(screen(&edit("src/m\u{430}in.rs")).contains("not ASCII: а U+0430"));
    assert!(!screen(&edit("src/main.rs")).contains("ASCII"));
    assert!(screen(&run("cat p\u{430}ypal.txt", &[])).contains("mixes scripts, not ASCII: а U+0430"));
}

#[test]
fn invisible_characters_of_a_diff_are_spelled_out() {
    let new = format!("a\n{}evil\u{200B}\r\n{}x\n", "\n".repeat(60), " ".repeat(2500));
    let screen = shown(&diff("a\n", &new, "a.rs", &options(80)), 80);
    insta::assert_snapshot!(screen, @"
    a.rs +62 −0
    @@ -1,1 +1,63 @@
     a
    +⏎ ×60
    +evilU+200BU+000D
    +␣ ×2500x
    ");
}

#[test]
fn an_approval_card_works_on_a_dumb_terminal() {
    let options = RenderOptions { mode: TerminalMode::Dumb, ..options(80) };
    insta::assert_snapshot!(approval_card(&run("make", &[]), 24, &options).text, @"
    ? run make
    y yes  n no  n <why> tell it why  Esc no
    ");
}

#[test]
fn a_diff_is_unified_on_narrow_terminals() {
    insta::assert_snapshot!(shown(&diff(&old(), &new(), "src/main.rs", &options(80)), 80), @r"
    src/main.rs +3 −3
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
fn a_diff_is_side_by_side_on_wide_terminals() {
    insta::assert_snapshot!(shown(&diff(&old(), &new(), "src/main.rs", &options(140)), 140), @"
    src/main.rs +3 −3
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
fn changed_words_are_highlighted() {
    let diff = diff("let count = 1;\n", "let total = 1;\n", "a.rs", &options(80));
    insta::assert_snapshot!(diff.replace('\x1b', "␛"), @"
    ␛[1ma.rs␛[0m ␛[32m+1␛[0m␛[31m −1␛[0m
    ␛[2m@@ -1,1 +1,1 @@␛[0m
    ␛[31m-let ␛[0m␛[7;31mcount␛[0m␛[31m = 1;␛[0m
    ␛[32m+let ␛[0m␛[7;32mtotal␛[0m␛[32m = 1;␛[0m
    ");
}

#[test]
fn equal_texts_have_no_diff() {
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
