//! Properties that hold for any input.

use proptest::prelude::*;

use super::*;
use crate::chat::{Ending, Failure, FailureKind, Usage};
use crate::growth::assert_linear;

/// Random sequences of typical Markdown fragments.
fn markdown() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        Just("**bold** ".to_owned()),
        Just("*it".to_owned()),
        Just("`code` ".to_owned()),
        Just("``".to_owned()),
        Just("[a](https://b.c) ".to_owned()),
        Just("[x".to_owned()),
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("- item ".to_owned()),
        Just("  1. ".to_owned()),
        Just("# ".to_owned()),
        Just("> ".to_owned()),
        Just("\n```rust\nfn a() {}\n".to_owned()),
        Just("\n```\n".to_owned()),
        Just("\n| a | b |\n|---|--:|\n| 1 | 2 |\n".to_owned()),
        Just("\nTitle\n===\n".to_owned()),
        Just("\n---\n".to_owned()),
        Just("\na | b\n--|--\n1 | 2\n".to_owned()),
        Just("\n===\n".to_owned()),
        Just("\n--|--\n".to_owned()),
        Just("\n> > quoted ".to_owned()),
        Just("\n    - deep ".to_owned()),
        Just("`open span ".to_owned()),
        Just("https://example.com/a/rather/long/path/without/any/break ".to_owned()),
        Just("\n```\nlet wide = \"漢字漢字漢字漢字漢字漢字漢字\"; ".to_owned()),
        Just("⚠\u{fe0f} ".to_owned()),
        Just("「引用」、".to_owned()),
        Just("漢字 ".to_owned()),
        Just("👩‍👩‍👧 ".to_owned()),
        Just("👍🏽 ".to_owned()),
        Just("🇫🇷🇩🇪 ".to_owned()),
        Just("1\u{fe0f}\u{20e3} ".to_owned()),
        Just("e\u{301} ".to_owned()),
        Just("&amp; \\* ".to_owned()),
        "[a-z]{1,12} ",
        "[a-z ]{30,90}",
        "[ -~]{0,6}",
    ];
    prop::collection::vec(fragment, 0..40).prop_map(|fragments| fragments.concat())
}

fn cut(text: &str, sizes: &[usize]) -> Vec<String> {
    let mut chars = text.chars().peekable();
    let mut sizes = sizes.iter().cycle();
    let mut pieces = Vec::new();
    while chars.peek().is_some() {
        let size = *sizes.next().unwrap_or(&1);
        pieces.push(chars.by_ref().take(size).collect());
    }
    pieces
}

/// The number of cases. `PROPTEST_CASES` overrides it.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn screens_do_not_depend_on_how_text_is_cut(
        text in markdown(),
        sizes in prop::collection::vec(1usize..30, 1..8),
        // A wide character does not fit into a single column, and terminals handle that differently.
        columns in prop_oneof![3u16..10, 3u16..40, 40u16..120, 120u16..300],
        rows in prop_oneof![Just(60u16), 16u16..60],
        widening in prop_oneof![Just(Widening::Ignores), Just(Widening::Widens)],
        wrap in prop_oneof![Just(Wrapping::Words), Just(Wrapping::Words), Just(Wrapping::Terminal)],
        // Milliseconds between the pieces, so that the status line appears and disappears.
        pauses in prop::collection::vec(prop_oneof![Just(0u64), 1u64..3000], 1..4),
    ) {
        let rows = match widening {
            // An open block that has filled the screen is shown as it was written. In a small window the number of such rows depends on
            // how much text arrived at once.
            Widening::Ignores if columns < 20 => 120,
            Widening::Ignores => rows,
            Widening::Widens => 300 + 8_000 / columns,
        };
        let options = RenderOptions { rows, wrap, ..options(columns) };
        let mut whole = Scene::with(options.clone()).on(widening).text(&text).finish();
        let mut scene = Scene::with(options).on(widening);
        let mut pauses = pauses.iter().cycle();
        for piece in cut(&text, &sizes) {
            scene = scene.text(&piece);
            if let Some(pause) = pauses.next().filter(|pause| **pause > 0) {
                scene = scene.wait(*pause);
            }
        }
        let mut pieces = scene.finish();
        // An open block may take one row more than the finished one. The screen has then scrolled by one row more.
        let (pieced, at_once) = (pieces.history(), whole.history());
        prop_assert_eq!(pieced, at_once);
        if pieces.screen() == whole.screen() {
            prop_assert_eq!(pieces.looks(), whole.looks());
        }
    }

    #[test]
    fn unfolded_thoughts_do_not_depend_on_how_they_are_cut(
        text in markdown(),
        sizes in prop::collection::vec(1usize..30, 1..8),
        columns in 3u16..60,
        widening in prop_oneof![Just(Widening::Ignores), Just(Widening::Widens)],
        wrap in prop_oneof![Just(Wrapping::Words), Just(Wrapping::Words), Just(Wrapping::Terminal)],
    ) {
        // Without any text there would be no thought in pieces.
        let text = format!("So {text}");
        let options = RenderOptions { rows: 300 + 8_000 / columns, wrap, ..options(columns) };
        let scene = || Scene::with(options.clone()).on(widening).act(|painter, _, _| painter.show_all());
        let mut whole = scene().event(Event::Thinking(text.clone())).finish();
        let mut pieces = scene();
        for piece in cut(&text, &sizes) {
            pieces = pieces.event(Event::Thinking(piece));
        }
        let mut pieces = pieces.finish();
        prop_assert_eq!(pieces.history(), whole.history());
    }

    #[test]
    fn only_our_own_sequences_reach_the_terminal(
        parts in prop::collection::vec(hostile(), 8),
        unicode: bool,
        hyperlinks: bool,
        columns in 40u16..160,
    ) {
        let options = RenderOptions { unicode, hyperlinks, ..options(columns) };
        let mut scene = Scene::with(options.clone()).event(Event::StepStarted { step: 1 });
        scene = scene.event(Event::Thinking(parts[0].clone())).act(|painter, _, out| painter.toggle_thinking(out));
        scene = scene.event(Event::Thinking(parts[1].clone())).wait(1_500).text(&parts[2]).text(&parts[3]).wait(1_500);
        scene = scene.start(&parts[4], &parts[5], &parts[6]).output(&parts[4], &parts[7]).wait(100);
        scene = scene.resize(columns + 7).event(Event::CallFinished {
            id: parts[4].clone(),
            outcome: Outcome::failed(parts[0].clone()),
            shown: Shown::Declined { why: Some(parts[1].clone()) },
            took: Duration::from_secs(1),
        });
        scene = scene.act(|painter, _, out| painter.toggle_output(out)).event(Event::Notice(parts[2].clone()));
        let why = parts[3].clone();
        scene = scene.event(Event::Retrying { attempt: 2, after: Duration::from_secs(1), why });
        scene = scene.event(Event::Usage(Usage { input: 1, ..Usage::default() }));
        scene = scene.event(Event::Finished(Ending::Failed(Failure::new(FailureKind::Server, parts[4].clone())))).finish();
        assert_only_ours(&scene.bytes);
        let change = FileChange { path: &parts[6], old: &parts[7], new: &parts[0] };
        let command = Subject::Command { action: "run", command: &parts[1] };
        let asked = [command, Subject::Edit(change)].map(|subject| ApprovalRequest {
            subject,
            place: Some(&parts[4]),
            exception: Some(&parts[5]),
            reason: Some(&parts[2]),
        });
        let drawn = |options: &RenderOptions| {
            let mut out = Vec::new();
            for asked in &asked {
                let choice = CardChoice { key: 'y', words: "yes", meaning: parts[5].clone(), needs_enter: true };
                let mut view = CardView::new(approval(asked, options), vec![choice], options.clone());
                view.draw(CardFoot::AllChoices, &mut out);
                view.draw(CardFoot::Waiting { text: parts[2].clone(), how: parts[3].clone() }, &mut out);
                view.draw(CardFoot::Line { label: "why?", text: parts[1].clone() }, &mut out);
                view.erase(&mut out);
                view.outcome(&parts[0], &mut out);
            }
            out
        };
        assert_only_ours(&drawn(&options));
        let dumb = RenderOptions { mode: TerminalMode::Dumb, ..options };
        let plain = Scene::with(dumb.clone())
            .text(&parts[2])
            .event(Event::Usage(Usage { input: 1, ..Usage::default() }))
            .start("1", &parts[5], &parts[6])
            .event(Event::Notice(parts[3].clone()))
            .finish()
            .bytes;
        prop_assert!(!plain.contains(&0x1b) && !drawn(&dumb).contains(&0x1b));
    }
}

/// Text that contains all kinds of control sequences.
fn hostile() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        any::<String>(),
        Just("\x1b[2J".to_owned()),
        Just("\x1b]0;title\x07".to_owned()),
        Just("\x1b]8;;http://x\x1b\\".to_owned()),
        Just("\u{9b}31m\u{9d}52;c;eA==\u{9c}".to_owned()),
        Just("\x1bP+q\x1b\\ \x1bc \r \x08 \x0e \u{202e}".to_owned()),
        Just("&#27;[2J &#x9b;H &#7;".to_owned()),
        Just("[a](http://x/&#27;]0;t&#7;) ![b](https://\u{9c}y) <https://a\u{202e}b>".to_owned()),
        Just("```\x1b[1m\n\x1b[3J\n```\n".to_owned()),
        Just("| \x1b[H | b |\n|---|---|\n| &#27;[A | c |\n".to_owned()),
        Just("\n".to_owned()),
        Just("words and words ".to_owned()),
    ];
    prop::collection::vec(fragment, 0..8).prop_map(|fragments| fragments.concat())
}

fn assert_only_ours(bytes: &[u8]) {
    struct Check;
    impl vte::Perform for Check {
        fn print(&mut self, c: char) {
            assert!(!c.is_control(), "{c:?}");
        }
        fn execute(&mut self, byte: u8) {
            assert!([b'\r', b'\n'].contains(&byte), "{byte:#x}");
        }
        fn csi_dispatch(&mut self, params: &vte::Params, intermediates: &[u8], _: bool, action: char) {
            let first = params.iter().next().and_then(|param| param.first()).copied().unwrap_or(0);
            let ours = match (intermediates, action) {
                ([], 'm' | 'A' | 'C') => true,
                ([], 'K') => first == 0,
                ([b'?'], 'h' | 'l') => first == 2026,
                _ => false,
            };
            assert!(ours, "{intermediates:?} {first} {action}");
        }
        fn osc_dispatch(&mut self, params: &[&[u8]], _: bool) {
            assert_eq!(params[0], b"8");
            let url = params[2..].join(&b';');
            assert!(url.is_empty() || url.starts_with(b"http") && url.iter().all(u8::is_ascii_graphic), "{url:?}");
        }
        fn esc_dispatch(&mut self, _: &[u8], _: bool, byte: u8) {
            assert_eq!(byte, b'\\');
        }
        fn hook(&mut self, _: &vte::Params, _: &[u8], _: bool, _: char) {
            panic!("a device control string");
        }
    }
    vte::Parser::new().advance(&mut Check, bytes);
}

#[test]
fn painting_time_is_linear_in_the_text() {
    let paragraph = "Some **bold** words, a `span`, and [a link](https://a.b) in a row of text. ".repeat(12);
    let block = format!(
        "{paragraph}\n\n- item *one*\n- item two\n\n```rust\nlet a = 1; // x\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    );
    // A paragraph without an end, a code line without an end, and a typical answer.
    let options = options(80);
    options.code.warm("rust");
    for unit in [paragraph.as_str(), &format!("```\n{}", "x".repeat(1000)), &block, "*a [b `", "| a | b |\n"] {
        let text = |bytes: usize| unit.chars().cycle().take(bytes).collect::<String>();
        assert_linear(&format!("{unit:.20}"), 40_000, text, |text| {
            let (mut painter, mut out) = (Painter::new(options.clone()), Vec::new());
            let start = Instant::now();
            for piece in cut(text, &[10]) {
                painter.event(&Event::Text(piece), start, &mut out);
                out.clear();
            }
            painter.finish(&mut out);
        });
    }
}
