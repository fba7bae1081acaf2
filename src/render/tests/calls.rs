//! Calls, thoughts, status and the end of a turn.

use super::*;
use crate::chat::{Ending, Failure, FailureKind, Usage};

fn lines(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n")).collect()
}

#[test]
fn a_command_shows_its_first_lines_and_unfolds() {
    let scene = Scene::new(60).event(Event::StepStarted { step: 1 }).start("1", "bash", "cargo test --workspace");
    let scene = scene.output("1", &lines(10)).wait(3_000);
    insta::assert_snapshot!(scene.screen(), @"
    $ cargo test --workspace  ⠧ 3s
      line 8
      line 9
      line 10
    ⠧ working · 3s · Ctrl-C stops█
    ");
    let scene = scene.done("1", Outcome::done("ok"));
    insta::assert_snapshot!(scene.screen(), @"
    $ cargo test --workspace  ✓ 1.2s
      line 1
      line 2
      line 3
      … 7 more lines (Ctrl-O)
    ⠧ waiting · 3s · Ctrl-C stops█
    ");
    let scene = scene.act(|painter, _, out| painter.toggle_output(out)).text("Fine.").finish();
    insta::assert_snapshot!(scene.screen(), @"
    $ cargo test --workspace  ✓ 1.2s
      line 1
      line 2
      line 3
      … 7 more lines (Ctrl-O)
    cargo test --workspace
      line 1
      line 2
      line 3
      line 4
      line 5
      line 6
      line 7
      line 8
      line 9
      line 10

    Fine.
    █
    ");
}

#[test]
fn a_failure_shows_its_last_lines() {
    let scene = Scene::new(60).start("1", "bash", "make").output("1", &lines(30));
    let scene = scene.done("1", Outcome::failed("exit status 2\nmore for the model")).finish();
    insta::assert_snapshot!(scene.screen(), @"
    $ make  ✗ exit status 2 1.2s
      … 10 more lines (Ctrl-O)
      line 11
      line 12
      line 13
      line 14
      line 15
      line 16
      line 17
      line 18
      line 19
      line 20
      line 21
      line 22
      line 23
      line 24
      line 25
      line 26
      line 27
      line 28
      line 29
      line 30
    █
    ");
}

#[test]
fn reads_share_a_line() {
    let mut scene = Scene::new(60).text("Let me look.");
    for (id, name, title) in
        [("1", "read_file", "src/a.rs"), ("2", "read_file", "src/b.rs"), ("3", "grep", "\"rows\""), ("4", "ls", "src")]
    {
        scene = scene.start(id, name, title);
    }
    for id in ["2", "1", "3"] {
        scene = scene.done(id, Outcome::done("x"));
    }
    insta::assert_snapshot!(scene.screen(), @r#"
    Let me look.

    ◆ read src/a.rs, src/b.rs  grep "rows"  ls src  1.2s
    ⠋ working · 0s · 3 out · Ctrl-C stops█
    "#);
    let scene = scene.done("4", Outcome::failed("no such directory")).text("I see.").finish();
    insta::assert_snapshot!(scene.screen(), @r#"
    Let me look.

    ◆ read src/a.rs, src/b.rs  grep "rows"  1.2s
    ◆ ls src  ✗ no such directory 1.2s

    I see.
    █
    "#);
}

#[test]
fn an_edit_shows_its_change() {
    let scene = Scene::new(60).start("1", "edit_file", "src/a.rs");
    let finished = Event::CallFinished {
        id: "1".to_owned(),
        outcome: Outcome::done("edited"),
        detail: Some("-old\n+new".to_owned()),
        took: Duration::from_millis(3),
    };
    insta::assert_snapshot!(scene.event(finished).finish().escapes(), @"
    ␛[35m✎␛[0m␛[2m edit␛[0m src/a.rs  ␛[2m⠋ 0s␛[0m␍␊
    ␛[35m⠋␛[0m␛[2m working · 0s · Ctrl-C stops␛[0m␛[?2026h␍␛[K␛[A␍␛[K␛[2m✎ edit␛[0m src/a.rs  ␛[32m✓␛[0m␛[2m 3ms␛[0m␍␊
    ␛[2;31m  -old␛[0m␍␊
    ␛[2;32m  +new␛[0m␍␊
    ␛[35m⠋␛[0m␛[2m waiting · 0s · Ctrl-C stops␛[0m␛[?2026l␛[?2026h␍␛[K␛[?2026l
    ");
}

#[test]
fn a_thought_is_one_line_until_asked_for() {
    let think = |scene: Scene| scene.event(Event::Thinking("The user wants\nto know ".to_owned()));
    let scene = think(Scene::new(60)).wait(3_200);
    insta::assert_snapshot!(scene.screen(), @"⠋ thinking · 3s · 5 out · Ctrl-C stops█");
    let folded = scene.text("Because.").finish();
    insta::assert_snapshot!(folded.screen(), @"
    ∴ thought for 3.2s · Ctrl-T

    Because.
    █
    ");
    let unfolded = think(Scene::new(60)).act(|painter, _, out| painter.toggle_thinking(out));
    let unfolded = unfolded.event(Event::Thinking("why".to_owned())).wait(2_000);
    insta::assert_snapshot!(unfolded.screen(), @"
    The user wants
    to know why
    ⠴ thinking · 2s · 6 out · Ctrl-C stops█
    ");
    let unfolded = unfolded.event(Event::Thinking(" it failed.".to_owned())).text("Because.").finish();
    insta::assert_snapshot!(unfolded.screen(), @"
    The user wants
    to know why it failed.
    ∴ thought for 2.0s

    Because.
    █
    ");
}

#[test]
fn a_retry_is_said_on_the_status_line() {
    let retry = Event::Retrying { attempt: 2, after: Duration::from_secs(4), why: "overloaded".to_owned() };
    let scene = Scene::new(60).event(Event::StepStarted { step: 1 }).event(retry).wait(1_500);
    insta::assert_snapshot!(scene.screen(), @"⠇ overloaded; try 2 in 3s · 1s · Ctrl-C stops█");
}

#[test]
fn a_turn_ends_with_what_it_took() {
    let usage = |cost| Usage { input: 12_345, output: 350, cached: 8_000, cache_written: 0, cost };
    let end = |cost| {
        let scene = Scene::new(60).event(Event::StepStarted { step: 1 }).wait(2_500).text("Yes.");
        scene.event(Event::Usage(usage(cost))).event(Event::Finished(Ending::Answered)).finish().screen()
    };
    insta::assert_snapshot!(end(Some(0.0042)), @"
    Yes.
    12k in (8.0k cached), 350 out · $0.0042 · 2.5s
    █
    ");
    insta::assert_snapshot!(end(None), @"
    Yes.
    12k in (8.0k cached), 350 out · local · 2.5s
    █
    ");
}

#[test]
fn other_endings_are_said_plainly() {
    let end = |ending| {
        Scene::new(60).text("So").start("1", "bash", "sleep 9").event(Event::Finished(ending)).finish().screen()
    };
    insta::assert_snapshot!(end(Ending::Interrupted), @"
    So

    $ sleep 9  stopped
    interrupted
    █
    ");
    insta::assert_snapshot!(end(Ending::StepLimit), @"
    So

    $ sleep 9  stopped
    stopped at the step limit
    █
    ");
    insta::assert_snapshot!(end(Ending::Failed(Failure::new(FailureKind::Network, "no network"))), @"
    So

    $ sleep 9  stopped
    ✗ no network
    █
    ");
}

#[test]
fn others_may_print_in_between() {
    let foreign = |scene: Scene, text: &str| {
        let text = text.as_bytes().to_vec();
        let scene = scene.act(|painter, _, out| {
            painter.suspend(out);
            out.extend_from_slice(&text);
        });
        scene.act(|painter, now, out| painter.resume(now, out))
    };
    let scene = foreign(Scene::new(40).text("One sentence that is longer than a row of it, "), "[1] Done\r\n");
    let scene = foreign(scene.text("and its end.\n\n").start("1", "bash", "make"), "[2] Done\r\n");
    insta::assert_snapshot!(scene.done("1", Outcome::done("")).finish().screen(), @"
    [1] Done
    One sentence that is longer than a row
    of it, and its end.

    [2] Done
    $ make  ✓ 1.2s
    █
    ");
}

#[test]
fn no_word_is_left_broken_by_what_comes_in_between() {
    let scene = Scene::new(40).text("One sentence that is longer than a row of it, and is bro").resize(30);
    let scene = scene.act(|painter, _, out| {
        painter.suspend(out);
        out.extend_from_slice(b"> steering\r\n");
    });
    let scene = scene.act(|painter, now, out| painter.resume(now, out)).text("ken off here.\n");
    assert!(scene.finish().screen().ends_with("> steering\nbroken off here.\n█"));
    let steered = Scene::new(70).text("It is the ca").event(Event::Steered("faster".to_owned())).text("che.\n");
    assert!(steered.finish().screen().starts_with("It is the cache.\n> faster\n"));
}

#[test]
fn a_resize_leaves_no_trace_of_short_live_lines() {
    let scene = Scene::new(80).start("1", "bash", "make").output("1", "cc a.c\n").resize(50).wait(100).resize(100);
    insta::assert_snapshot!(scene.done("1", Outcome::done("")).finish().screen(), @"
    $ make  ✓ 1.2s
      cc a.c
    █
    ");
}
