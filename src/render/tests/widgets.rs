//! Every widget once, with its exact bytes.

use super::*;
use crate::chat::{Ending, Failure, FailureKind, Usage};

fn spoken(text: &str) -> String {
    Scene::new(60).text(text).finish().escapes()
}

#[test]
fn a_heading_of_either_kind() {
    insta::assert_snapshot!(spoken("# One `x`\n\n## Two\n\nThree\n=====\n\nFour *and*\n---\n\nwords\n"));
}

#[test]
fn lists_within_lists() {
    insta::assert_snapshot!(spoken("- one\n  - two\n    1. three\n- [x] done\n- [ ] to do\n"));
}

#[test]
fn a_quote_with_a_link_and_a_footnote() {
    insta::assert_snapshot!(spoken("> words and [a link](https://a.b/c)[^1]\n\n[^1]: the note\n"));
}

#[test]
fn a_table_with_wide_characters() {
    insta::assert_snapshot!(spoken("| 漢字 | n |\n|:--|--:|\n| a | 1 |\n| **b** | 22 |\n"));
}

#[test]
fn a_table_without_outer_bars() {
    insta::assert_snapshot!(spoken("name | n\n--- | --:\na | 1\nb\\|c | 22\n\nwords | and more\n"));
}

#[test]
fn a_code_block() {
    insta::assert_snapshot!(spoken("```rust\nfn a() -> u8 { 1 } // \"x\"\n```\n"));
}

#[test]
fn a_call_that_runs_and_ends() {
    let scene = Scene::new(60).start("1", "bash", "make").wait(2_000).output("1", "one\ntwo\n").wait(100);
    insta::assert_snapshot!(scene.done("1", Outcome::done("one\ntwo\n")).finish().escapes());
}

#[test]
fn a_call_that_fails() {
    let scene = Scene::new(60).start("1", "edit_file", "src/a.rs").wait(100);
    insta::assert_snapshot!(scene.done("1", Outcome::failed("not found\nin line 3")).finish().escapes());
}

#[test]
fn a_thought_and_a_notice() {
    let scene = Scene::new(60).event(Event::Thinking("hm".to_owned())).wait(3_000);
    insta::assert_snapshot!(scene.event(Event::Notice("by the way".to_owned())).finish().escapes());
}

#[test]
fn a_retry_and_how_it_ends() {
    let after = Duration::from_secs(4);
    let scene = Scene::new(60).event(Event::Retrying { attempt: 2, after, why: "overloaded".to_owned() }).wait(500);
    let usage = Usage { input: 1_200, output: 30, cached: 1_000, ..Usage::default() };
    let scene = scene
        .event(Event::Usage(usage))
        .event(Event::Finished(Ending::Failed(Failure::new(FailureKind::NoAnswer, "no answer"))));
    insta::assert_snapshot!(scene.finish().escapes());
}

#[test]
fn an_interrupted_answer() {
    insta::assert_snapshot!(
        Scene::new(60).text("It is **ver").event(Event::Finished(Ending::Interrupted)).finish().escapes()
    );
}

/// The approval card of an edit, on a narrow and on a wide terminal.
#[test]
fn a_question_about_an_edit() {
    let change =
        FileChange { path: "src/a.rs", old: "let a = 1;\nlet b = 2;\n", new: "let a = 1;\nlet b = \"two\";\n" };
    let asked = ApprovalRequest { subject: Subject::Edit(change), place: None, exception: None, reason: None };
    for columns in [60, 150] {
        let options = RenderOptions { code: CodeColours::loaded(), ..options(columns) };
        let choice = |key, words| CardChoice { key, words, meaning: String::new(), needs_enter: false };
        let choices = vec![choice('y', "yes"), choice('n', "no")];
        let mut bytes = Vec::new();
        CardView::new(approval(&asked, &options), choices, options).draw(CardFoot::Choices, &mut bytes);
        insta::assert_snapshot!(
            format!("a_question_about_an_edit_{columns}"),
            String::from_utf8(bytes).unwrap().replace('\x1b', "␛").replace('\r', "␍")
        );
    }
}

#[test]
fn another_theme_has_other_colours() {
    let (_, dark) = BUILT_IN_THEMES.into_iter().find(|(name, _)| *name == "dark").unwrap();
    let theme = Theme::parse(dark).unwrap();
    let shown = |colour| {
        let scene = Scene::with(RenderOptions { theme, colour, ..options(60) });
        scene.text("# A `b`\n\n```rust\nlet a = 1;\n```\n").finish().escapes()
    };
    insta::assert_snapshot!(shown(Depth::True));
    assert!(shown(Depth::Indexed).contains("38;5;") && !shown(Depth::Indexed).contains("38;2;"));
    assert!(!shown(Depth::Ansi16).contains("38;"));
}
