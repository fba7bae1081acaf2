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

fn run(command: &str) -> ApprovalRequest<'_> {
    ApprovalRequest { subject: Subject::Command { action: "run", command }, place: None, exception: None, reason: None }
}

fn edit<'a>(path: &'a str, old: &'a str, new: &'a str) -> ApprovalRequest<'a> {
    ApprovalRequest { subject: Subject::Edit(FileChange { path, old, new }), ..run("") }
}

fn choice(key: char, words: &'static str, meaning: &str, needs_enter: bool) -> CardChoice {
    CardChoice { key, words, meaning: meaning.to_owned(), needs_enter }
}

fn choices() -> Vec<CardChoice> {
    vec![
        choice('y', "yes", "yes, this once", true),
        choice('n', "no", "no", false),
        choice('a', "this session", "yes, and all edits here, this session", true),
        choice('r', "", "no, and say why", false),
        choice('?', "more", "these words", false),
    ]
}

/// A terminal with a card at the top.
struct CardScene {
    view: CardView,
    terminal: vt100::Parser,
}

impl CardScene {
    fn new(request: &ApprovalRequest<'_>, options: RenderOptions) -> CardScene {
        let terminal = terminal(options.rows, options.columns);
        let view = CardView::new(approval(request, &options), choices(), options);
        CardScene { view, terminal }.act(|view, out| view.draw(CardFoot::Choices, out))
    }

    fn act(mut self, act: impl FnOnce(&mut CardView, &mut Vec<u8>)) -> CardScene {
        let mut out = Vec::new();
        act(&mut self.view, &mut out);
        self.terminal.process(&out);
        self
    }

    fn foot(self, foot: CardFoot) -> CardScene {
        self.act(|view, out| view.draw(foot, out))
    }

    fn screen(&self) -> String {
        self.terminal.screen().contents()
    }
}

fn card(request: &ApprovalRequest<'_>) -> CardScene {
    CardScene::new(request, options(80))
}

#[test]
fn a_card_shows_the_change_and_one_row_of_choices() {
    let asked = edit("src/a.rs", "a\nlet x = 1;\nb\n", "a\nlet y = 1;\nb\n");
    insta::assert_snapshot!(card(&asked).screen(), @"
    ? edit src/a.rs +1 −1
    @@ -1,3 +1,3 @@
     a
    -let x = 1;
    +let y = 1;
     b
    y⏎ yes  n no  a⏎ this session  ? more
    ");
    let written = edit("src/b.rs", "", "one\n");
    assert!(card(&written).screen().starts_with("? write src/b.rs +1 −0"), "{}", card(&written).screen());
}

#[test]
fn a_card_says_what_leaves_the_sandbox_and_quotes_the_model() {
    let asked = ApprovalRequest {
        place: Some("in /srv"),
        exception: Some("outside the sandbox"),
        reason: Some("it needs the network.\n  y yes"),
        ..run("sudo systemctl restart nginx")
    };
    insta::assert_snapshot!(card(&asked).screen(), @"
    ? run sudo systemctl restart nginx in /srv
      outside the sandbox
      it says: “it needs the network.⏎  y yes”
    y⏎ yes  n no  a⏎ this session  ? more
    ");
}

#[test]
fn the_foot_of_a_card_changes_in_place_and_nothing_stays() {
    let scene = card(&run("make deploy")).foot(CardFoot::Chosen { key: 'a', needs_enter: true });
    insta::assert_snapshot!(scene.screen(), @"
    ? run make deploy
    a⏎ yes, and all edits here, this session  Enter confirms
    ");
    let scene = scene.foot(CardFoot::AllChoices);
    insta::assert_snapshot!(scene.screen(), @"
    ? run make deploy
    y⏎ yes, this once
    n no
    a⏎ yes, and all edits here, this session
    r no, and say why
    ? these words
    ");
    let waiting =
        CardFoot::Waiting { text: "cargo make all⏎".into(), how: "a question waits: Ctrl-\\ answers it".into() };
    let scene = scene.foot(waiting);
    insta::assert_snapshot!(scene.screen(), @r"
    ? run make deploy
    a question waits: Ctrl-\ answers it
    waiting: cargo make all⏎
    ");
    let scene = scene.foot(CardFoot::Line { label: "why?", text: "use just".into() });
    insta::assert_snapshot!(scene.screen(), @"
    ? run make deploy
    why? use just
    ");
    let scene = scene.act(|view, out| view.erase(out));
    assert_eq!(scene.screen(), "");
    assert_eq!(scene.terminal.screen().cursor_position(), (0, 0));
}

#[test]
fn every_row_of_a_card_fits_a_window_of_any_width() {
    let long = format!("a\n{}\n", "word ".repeat(60));
    let asked = edit("src/a.rs", "a\n", &long);
    for columns in [20, 33, 40, 80, 160] {
        let mut terminal = terminal(24, columns);
        terminal.process(b"above\r\n");
        let options = RenderOptions { rows: 24, ..options(columns) };
        let mut view = CardView::new(approval(&asked, &options), choices(), options);
        for foot in [
            CardFoot::Choices,
            CardFoot::AllChoices,
            CardFoot::Waiting { text: "x".repeat(300), how: "a question waits: Ctrl-\\ answers it".into() },
            CardFoot::Line { label: "why?", text: "y".repeat(300) },
        ] {
            let mut out = Vec::new();
            view.draw(foot, &mut out);
            terminal.process(&out);
            assert!(terminal.screen().contents().starts_with("above\n"), "{columns}: {}", terminal.screen().contents());
        }
        let mut out = Vec::new();
        view.erase(&mut out);
        terminal.process(&out);
        assert_eq!(terminal.screen().contents().trim_end(), "above", "{columns}");
    }
}

#[test]
fn a_card_is_wrapped_again_when_the_window_is_resized() {
    let scene = card(&run("make the quick brown fox jump over the lazy dog"));
    let scene = scene.act(|view, out| view.resize(ScreenSize { columns: 30, rows: 24 }, false, out));
    let mut terminal = terminal(24, 30);
    let mut out = Vec::new();
    let mut view = scene.view;
    view.erase(&mut Vec::new());
    view.draw(CardFoot::Choices, &mut out);
    terminal.process(&out);
    insta::assert_snapshot!(terminal.screen().contents(), @"
    ? run make the quick brown fox
      jump over the lazy dog
    y⏎  n  a⏎  ?
    ");
}

#[test]
fn a_long_text_is_shown_in_pages() {
    let script: String = (1..=40).map(|number| format!("step {number}\n")).collect();
    let scene = CardScene::new(&run(&script), RenderOptions { rows: 12, ..options(80) });
    let screen = scene.screen();
    assert!(screen.contains("step 1\n") && !screen.contains("step 20"), "{screen}");
    assert!(screen.contains("of 41; ? shows the next"), "{screen}");
    assert!(scene.view.hides_text());
    let mut scene = scene;
    let mut seen = String::new();
    for _ in 0..8 {
        scene = scene.act(|view, _| view.turn_page()).foot(CardFoot::Choices);
        seen += &scene.screen();
    }
    assert!(!scene.view.hides_text());
    assert!((1..=40).all(|number| seen.contains(&format!("  step {number}\n"))), "{seen}");
}

#[test]
fn invisible_characters_of_a_command_are_spelled_out() {
    let asked = run("rm -rf build\x1b[2K\rls \u{202e}txt\nsecond line");
    let asked = ApprovalRequest { place: Some("as ada@engine in /srv"), ..asked };
    insta::assert_snapshot!(card(&asked).screen(), @"
    ? run as ada@engine in /srv
      rm -rf buildU+001B[2KU+000Dls U+202Etxt
      second line
    y⏎ yes  n no  a⏎ this session  ? more
    ");
    for hidden in [format!("rm x{}ls -la", "\n".repeat(60)), format!("rm x;{}ls -la", " ".repeat(2500))] {
        let scene = card(&run(&hidden));
        assert!(!scene.view.hides_text());
        let screen = scene.screen();
        assert!(screen.contains("rm x") && screen.contains("ls -la"), "{screen}");
        assert!(screen.contains("⏎ ×60") || screen.contains("␣ ×2500"), "{screen}");
    }
}

#[test]
fn a_question_of_the_model_has_numbered_choices() {
    let text = inquiry("which one?\n(there are two)", &["one".to_owned(), "two".to_owned()], &options(80));
    let mut view = CardView::new(text, vec![choice('n', "no answer", "no answer", false)], options(80));
    let (mut terminal, mut out) = (terminal(24, 80), Vec::new());
    view.draw(CardFoot::Choices, &mut out);
    view.erase(&mut out);
    view.outcome("two", &mut out);
    terminal.process(&out);
    assert_eq!(terminal.screen().contents(), "which one? two");
    assert_eq!(terminal.screen().cursor_position(), (1, 0));
}

#[test]
fn lookalike_characters_in_names_are_reported() {
    let screen = |asked: &ApprovalRequest<'_>| card(asked).screen();
    assert!(screen(&edit("src/m\u{430}in.rs", "", "a\n")).contains("not ASCII: а U+0430"));
    assert!(!screen(&edit("src/main.rs", "", "a\n")).contains("ASCII"));
    assert!(screen(&run("cat p\u{430}ypal.txt")).contains("mixes scripts, not ASCII: а U+0430"));
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
fn a_card_on_a_dumb_terminal_prints_only_what_changes() {
    let mut out = Vec::new();
    let options = RenderOptions { mode: TerminalMode::Dumb, ..options(80) };
    let mut view = CardView::new(approval(&run("make"), &options), choices(), options);
    view.draw(CardFoot::Choices, &mut out);
    view.draw(CardFoot::Chosen { key: 'n', needs_enter: false }, &mut out);
    view.erase(&mut out);
    insta::assert_snapshot!(String::from_utf8(out).unwrap().replace('\r', ""), @"
    ? run make
    y⏎ yes  n no  a⏎ this session  ? more
    n no  Enter: at once
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
