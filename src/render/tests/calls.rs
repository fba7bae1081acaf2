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
fn folded_output_names_the_key_or_command_that_unfolds_it() {
    let folded = |unfolding: Unfolding| {
        let scene = Scene::new(60).act(|painter, _, _| painter.set_unfolding(unfolding));
        let scene = scene.event(Event::Thinking("hm".to_owned())).start("1", "bash", "make").output("1", &lines(10));
        scene.done("1", Outcome::done("ok")).finish()
    };
    insta::assert_snapshot!(folded(Unfolding::KeysOrShow(3)).screen(), @"
    ∴ thought for 0ms · Ctrl-T
    $ make  ✓ 1.2s
      line 1
      line 2
      line 3
      … 7 more lines (Ctrl-O or > /show 3)
    █
    ");
    insta::assert_snapshot!(folded(Unfolding::Show(3)).screen(), @"
    ∴ thought for 0ms · > /show 3
    $ make  ✓ 1.2s
      line 1
      line 2
      line 3
      … 7 more lines (> /show 3)
    █
    ");
}

#[test]
fn an_answer_shown_again_includes_thoughts_and_output() {
    let scene = Scene::new(60).act(|painter, _, _| painter.show_all());
    let scene =
        scene.event(Event::Thinking("first\nthen".to_owned())).start("1", "bash", "make").output("1", &lines(5));
    insta::assert_snapshot!(scene.done("1", Outcome::done("ok")).finish().screen(), @"
    first
    then
    ∴ thought for 0ms
    $ make  ✓ 1.2s
      line 1
      line 2
      line 3
      line 4
      line 5
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
        shown: Shown::Change { added: 1, removed: 1, diff: "-old\n+new".to_owned() },
        took: Duration::from_millis(3),
    };
    insta::assert_snapshot!(scene.event(finished).finish().escapes(), @"
    ␛[35m✎␛[0m␛[2m edit␛[0m src/a.rs  ␛[2m⠋ 0s␛[0m␍␊
    ␛[35m⠋␛[0m␛[2m working · 0s · Ctrl-C stops␛[0m␛[?2026h␍␛[K␛[1A␍␛[K␛[2m✎ edit␛[0m src/a.rs  ␛[32m+1␛[0m␛[31m −1␛[0m␛[32m  ✓␛[0m␛[2m 3ms␛[0m␍␊
    ␛[2;31m  -old␛[0m␍␊
    ␛[2;32m  +new␛[0m␍␊
    ␛[35m⠋␛[0m␛[2m waiting · 0s · Ctrl-C stops␛[0m␛[?2026l␛[?2026h␍␛[K␛[?2026l
    ");
}

#[test]
fn the_line_of_a_finished_call_says_how_it_ended() {
    let no = Outcome::failed("the user said no; do not try it another way, ask what they want");
    let why = |why: &str| Shown::Declined { why: Some(why.to_owned()) };
    let change = Shown::Change { added: 2, removed: 1, diff: "-a\n+b\n+c".to_owned() };
    let masked = Shown::Refused { why: "it contains a masked secret".to_owned() };
    let ends = [
        ("bash", "rm -r target", no.clone(), Shown::Declined { why: None }),
        ("edit_file", "src/main.rs", no.clone(), why("use the other branch")),
        ("bash", "curl -H [masked: JWT #1]", no, masked),
        ("bash", "sleep 60", Outcome::failed("interrupted by the user\n"), Shown::Stopped),
        ("edit_file", "src/main.rs", Outcome::done("edited, 3 lines"), change),
        ("run_in_shell", "cd src", Outcome::done("exit code 0, no output"), Shown::Outcome),
        ("run_in_shell", "cd nowhere", Outcome::failed("exit code 1\n"), Shown::Outcome),
        ("suggest_command", "cargo test", Outcome::done("it will be on the user's prompt"), Shown::Outcome),
    ];
    let mut scene = Scene::new(60);
    for (name, title, outcome, shown) in ends {
        scene = scene.start("1", name, title).done_as("1", outcome, shown);
    }
    insta::assert_snapshot!(scene.finish().screen(), @"
    $ rm -r target  you said no
    ✎ edit src/main.rs  you said no: use the other branch
    $ curl -H [masked: JWT…  ✗ it contains a masked secret 1.2s
    $ sleep 60  stopped
    ✎ edit src/main.rs  +2 −1  ✓ 1.2s
      -a
      +b
      +c
    $ cd src (in your shell)  ✓ 1.2s
    $ cd nowhere (in your shell)  ✗ exit code 1 1.2s
    → on your prompt: cargo test
    █
    ");
}

#[test]
fn a_long_command_is_cut_before_the_note_that_it_ran_in_the_shell() {
    let scene = Scene::new(40).start("1", "run_in_shell", "source /opt/environments/development/activate");
    insta::assert_snapshot!(scene.done("1", Outcome::done("exit code 0")).finish().screen(), @"
    $ source /opt/… (in your shell)  ✓ 1.2s
    █
    ");
}

#[test]
fn a_call_that_asks_the_person_has_no_line() {
    let scene = Scene::new(60).text("One question.").start("1", "ask_user", "Which port?");
    let scene = scene.act(|painter, now, out| {
        painter.make_way(now, out);
        out.extend_from_slice(b"? Which port? 8080\r\n");
        painter.resume(now, out);
    });
    insta::assert_snapshot!(scene.done("1", Outcome::done("8080")).text("Thanks.").finish().screen(), @"
    One question.

    ? Which port? 8080

    Thanks.
    █
    ");
    let again = Scene::new(60).act(|painter, _, _| painter.show_all()).start("1", "ask_user", "Which port?");
    insta::assert_snapshot!(again.done("1", Outcome::done("8080")).finish().screen(), @"
    ● ask_user Which port?  ✓ 1.2s
      8080
    █
    ");
}

#[test]
fn a_thought_is_one_line_until_unfolded() {
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
fn a_retry_is_shown_on_the_status_line() {
    let retry = Event::Retrying { attempt: 2, after: Duration::from_secs(4), why: "overloaded".to_owned() };
    let scene = Scene::new(60).event(Event::StepStarted { step: 1 }).event(retry).wait(1_500);
    insta::assert_snapshot!(scene.screen(), @"⠇ try 2 in 3s: overloaded · 1s · Ctrl-C stops█");
}

#[test]
fn a_turn_ends_with_its_usage() {
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
fn a_turn_that_was_stopped_or_failed_says_so() {
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
fn other_output_can_be_printed_while_suspended() {
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
fn a_notice_waits_until_the_open_line_has_ended() {
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
fn a_resize_erases_short_live_lines() {
    let scene = Scene::new(80).start("1", "bash", "make").output("1", "cc a.c\n").resize(50).wait(100).resize(100);
    insta::assert_snapshot!(scene.done("1", Outcome::done("")).finish().screen(), @"
    $ make  ✓ 1.2s
      cc a.c
    █
    ");
}
