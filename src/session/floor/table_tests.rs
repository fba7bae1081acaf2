//! Floors × events: the next floor and the effects, as a table.

use std::time::Duration;

use tokio::sync::oneshot;

use super::testing::{Scene, approve, name, outline, painted, query};
use super::{Effect, Floor, FloorEvent, LoopEvent, TurnEvent};
use crate::agent::Decision;
use crate::chat::{Ending, Event};
use crate::session::agent_link::News;
use crate::track::Mark;

/// The floor that an event is sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum On {
    Shell,
    Accepted,
    Turn,
    /// A turn of a conversation.
    TurnInTalk,
    /// A turn with a question that keys answer.
    Question,
    Lent,
    Talk,
    /// A conversation over a program or a prompt.
    Cover,
    Returning,
}

use On::{Cover, Lent, Question, Returning, Shell, Talk, Turn, TurnInTalk};

fn floor(on: On, scene: &mut Scene) -> Floor {
    match on {
        Shell => Floor::Shell,
        On::Accepted => scene.accepted(),
        Turn => scene.turn(),
        TurnInTalk => scene.turn_in_talk(),
        Question => scene.question().0,
        Lent => scene.lent().0,
        Talk => scene.talk(),
        Cover => scene.cover(),
        Returning => Floor::Returning,
    }
}

/// Checks rows of: the floor, the floor after the event, the effects.
fn check(event: &str, tell: impl Fn(&Scene, Floor) -> (Floor, Vec<Effect>), rows: &[(On, &str, &str)]) {
    for (on, next, effects) in rows {
        let mut scene = Scene::new();
        let before = floor(*on, &mut scene);
        let (after, told) = tell(&scene, before);
        assert_eq!((name(&after), &*outline(&told)), (*next, *effects), "{event} on {on:?}");
    }
}

fn check_mark(mark: &Mark, rows: &[(On, &str, &str)]) {
    check(&format!("{mark:?}"), |scene, floor| scene.tell(floor, FloorEvent::Mark(mark)), rows);
}

#[test]
fn keys() {
    check(
        "an ordinary key",
        |scene, floor| scene.keys(floor, b"x"),
        &[
            (Shell, "shell", "send x"),
            (On::Accepted, "accepted", "hold x"),
            (Turn, "turn", "hold x"),
            (TurnInTalk, "turn", "hold x"),
            (Question, "turn", "hold x"),
            (Lent, "lent", "send x"),
            (Talk, "talk", ""),
            (Cover, "talk", ""),
            (Returning, "returning", "hold x"),
        ],
    );
    check(
        "Ctrl-C",
        |scene, floor| scene.keys(floor, b"\x03"),
        &[
            (Shell, "shell", "send \\x03"),
            (On::Accepted, "accepted", "drop held"),
            (Turn, "turn", "cancel"),
            (Question, "turn", "cancel, unask"),
            (Lent, "lent", "send \\x03"),
            (Returning, "returning", "hold \\x03"),
        ],
    );
    check(
        "Ctrl-Z with keys around it",
        |scene, floor| scene.keys(floor, b"a\x1ab"),
        &[
            (Shell, "shell", "send a\\x1ab"),
            (On::Accepted, "accepted", "hold a\\x1ab"),
            (Turn, "returning", "hold a, end wait, route b"),
            (TurnInTalk, "talk", "hold a, open line, route held, route b"),
            (Question, "returning", "hold a, want 1 told, end wait, route b"),
            (Lent, "lent", "send a\\x1ab"),
            (Returning, "returning", "hold a\\x1ab"),
        ],
    );
    check(
        "a line for the agent",
        |scene, floor| scene.keys(floor, b">also this\rls"),
        &[(Turn, "turn", "steer 1 also this, hold ls"), (Lent, "lent", "send >also this\\rls")],
    );
    check(
        "Enter in a conversation",
        |scene, floor| scene.keys(floor, b"what\rls"),
        &[(Talk, "turn", "ask what, route ls"), (Cover, "turn", "ask what, route ls")],
    );
    check(
        "a slash command in a conversation",
        |scene, floor| scene.keys(floor, b"/help\rls"),
        &[(Talk, "turn", "command /help, route ls")],
    );
    check(
        "a slash command with a mistake in a conversation",
        |scene, floor| scene.keys(floor, b"/show x\rls"),
        &[(Talk, "talk", "open line, route held, route ls")],
    );
    check(
        "Ctrl-D in a conversation",
        |scene, floor| scene.keys(floor, b"\x04ls"),
        &[(Talk, "returning", "end wait, route ls"), (Cover, "shell", "send held, route ls")],
    );
}

#[test]
fn the_hotkey() {
    check(
        "the hotkey",
        |scene, floor| scene.tell(floor, FloorEvent::Hotkey(b"\x1c")),
        &[
            (Shell, "talk", "open line, route held"),
            (On::Accepted, "accepted", "hold \\x1c"),
            (Cover, "shell", "send held, send \\x1c"),
            (Returning, "returning", "hold \\x1c"),
        ],
    );
    let scene = Scene::new();
    assert!(!scene.turn().takes_hotkey() && !scene.lent().0.takes_hotkey() && !scene.talk().takes_hotkey());
    assert!(scene.cover().takes_hotkey());
}

#[test]
fn marks_of_the_hooks() {
    check_mark(
        &query(),
        &[
            (Shell, "accepted", "mend workspace"),
            (On::Accepted, "accepted", "mend workspace"),
            (Turn, "accepted", "cancel, mend workspace"),
            (Lent, "accepted", "ran 130, mend workspace"),
            (Talk, "accepted", "mend workspace"),
            (Returning, "accepted", "mend workspace"),
        ],
    );
    check_mark(
        &Mark::Wait { turn: 1, cwd: "/".into() },
        &[
            (Shell, "shell", "end wait"),
            (On::Accepted, "turn", "answer begins, ask why"),
            (Turn, "turn", "end wait"),
            (Lent, "lent", "end wait"),
            (Talk, "talk", "end wait"),
            (Returning, "returning", "end wait"),
        ],
    );
    check_mark(
        &Mark::Ran { status: 3 },
        &[
            (Shell, "shell", ""),
            (On::Accepted, "accepted", ""),
            (Turn, "turn", ""),
            (Lent, "turn", "ran 3"),
            (Talk, "talk", ""),
            (Returning, "returning", ""),
        ],
    );
}

#[test]
fn marks_of_a_prompt() {
    check_mark(
        &Mark::Prompt { cwd: "/".into() },
        &[
            (Shell, "shell", ""),
            (On::Accepted, "returning", "put on prompt > why"),
            (Turn, "returning", "cancel"),
            (Lent, "shell", "ran 130"),
            (Talk, "returning", ""),
            (Returning, "returning", ""),
        ],
    );
    check_mark(
        &Mark::Input,
        &[
            (Shell, "shell", ""),
            (Turn, "shell", "cancel"),
            (Lent, "shell", "cancel"),
            (Talk, "shell", ""),
            (Returning, "shell", ""),
        ],
    );
    check_mark(
        &Mark::Start { cwd: "/".into(), text: b"ls".to_vec() },
        &[
            (Shell, "shell", ""),
            (On::Accepted, "shell", ""),
            (Turn, "shell", "cancel"),
            (TurnInTalk, "shell", "cancel"),
            (Lent, "shell", "ran 130"),
            (Talk, "shell", ""),
            (Returning, "shell", ""),
        ],
    );
    check_mark(
        &Mark::End { status: 0, eol_mark: Vec::new() },
        &[
            (Shell, "shell", ""),
            (On::Accepted, "accepted", ""),
            (Turn, "turn", ""),
            (Lent, "shell", "ran 130"),
            (Talk, "talk", ""),
            (Returning, "returning", ""),
        ],
    );
}

#[test]
fn news_of_the_request_in_the_foreground() {
    let tell = |news: fn() -> News| move |scene: &Scene, floor| scene.tell(floor, TurnEvent::News(news()));
    check(
        "text",
        tell(|| News::Event(Event::Text("x".into()))),
        &[(Turn, "turn", "record 1"), (Question, "turn", "record 1"), (Lent, "lent", "record 1")],
    );
    check(
        "a question",
        tell(|| approve().0),
        &[(Turn, "turn", ""), (TurnInTalk, "turn", ""), (Question, "turn", "want 1"), (Lent, "lent", "want 1")],
    );
    check(
        "a command for the live shell",
        tell(|| News::Run("ls".into(), oneshot::channel().0)),
        &[
            (Turn, "turn", "run ls"),
            (TurnInTalk, "turn", "run ls"),
            (Question, "turn", "want 1"),
            (Lent, "lent", "want 1"),
        ],
    );
    check(
        "a proposed command",
        tell(|| News::Suggest("ls".into())),
        &[(Turn, "turn", "suggest ls"), (Lent, "lent", "suggest ls")],
    );
    check(
        "the end",
        tell(|| News::Over { was_asked: true, unheard: vec!["and".into(), "this".into()] }),
        &[
            (Turn, "returning", "suggest > and this, end wait"),
            (TurnInTalk, "talk", "open line, route held"),
            (Question, "returning", "suggest > and this, unask, end wait"),
            (Lent, "returning", "suggest > and this, end wait"),
        ],
    );
}

#[test]
fn sigint_goes_to_the_shell_if_it_has_the_keyboard() {
    check(
        "SIGINT",
        |scene, floor| scene.tell(floor, FloorEvent::Interrupt),
        &[
            (Shell, "shell", "SIGINT"),
            (On::Accepted, "accepted", ""),
            (Turn, "turn", ""),
            (Lent, "lent", "SIGINT"),
            (Talk, "talk", ""),
            (Cover, "talk", "SIGINT"),
            (Returning, "returning", ""),
        ],
    );
}

#[test]
fn every_floor_can_be_abandoned_for_the_shell() {
    check(
        "Abandon",
        |scene, floor| scene.tell(floor, FloorEvent::Abandon),
        &[
            (Shell, "shell", ""),
            (On::Accepted, "shell", ""),
            (Turn, "shell", "cancel"),
            (TurnInTalk, "shell", "cancel"),
            (Question, "shell", "cancel, unask"),
            (Lent, "shell", "cancel"),
            (Talk, "shell", ""),
            (Cover, "shell", ""),
            (Returning, "shell", ""),
        ],
    );
}

#[test]
fn time_and_sizes_change_no_floor() {
    for event in [
        || FloorEvent::Loop(LoopEvent::Tick),
        || FloorEvent::Loop(LoopEvent::KeysRead),
        || FloorEvent::Loop(LoopEvent::Settle),
        || FloorEvent::Resized,
    ] {
        for on in [Shell, On::Accepted, Turn, TurnInTalk, Question, Lent, Talk, Cover, Returning] {
            let mut scene = Scene::new();
            let before = floor(on, &mut scene);
            let expected = name(&before);
            let (after, effects) = scene.tell(before, event());
            assert_eq!((name(&after), &*outline(&effects)), (expected, ""), "{on:?}");
        }
    }
}

/// Keys that were typed before a question appeared must not answer it. Neither must a Ctrl-Z among them: the question waits in
/// the background until the person brings it back.
#[test]
fn ctrl_z_among_keys_typed_before_a_question_does_not_say_no() {
    for keys in [&b"\x1a"[..], b"ls\x1a", b"\x1als\r", b"n\x1a", b"ls\r\x1a\x1ax"] {
        let scene = Scene::new();
        let (news, mut answer) = approve();
        let (floor, _) = scene.tell(scene.turn(), TurnEvent::News(news));
        // The question is not on the screen yet, so nobody has read it.
        let (floor, effects) = scene.keys(floor, keys);
        assert_eq!(name(&floor), "returning");
        let kept = effects.iter().any(|effect| matches!(effect, Effect::Want { request: 1, is_told: true, .. }));
        assert!(kept, "{}", outline(&effects));
        assert_eq!(answer.try_recv(), Err(oneshot::error::TryRecvError::Empty), "{}", keys.escape_ascii());
    }
}

#[test]
fn ctrl_z_in_the_read_that_closes_a_steering_line_keeps_the_question_that_waited() {
    let mut scene = Scene::new();
    let (floor, _) = scene.keys(scene.turn(), b">more");
    let (news, mut answer) = approve();
    let (floor, effects) = scene.tell(floor, TurnEvent::News(news));
    assert_eq!(outline(&effects), "want 1");
    for effect in effects {
        if let Effect::Want { request, wish, .. } = effect {
            scene.requests.get(request).unwrap().wants(wish);
        }
    }
    let (floor, effects) = scene.keys(floor, b"\r\x1a");
    assert_eq!((name(&floor), &*outline(&effects)), ("returning", "steer 1 more, next wish 1, end wait"));
    assert_eq!(answer.try_recv(), Err(oneshot::error::TryRecvError::Empty));
}

#[test]
fn a_question_is_answered_by_a_key_of_its_own() {
    let mut scene = Scene::new();
    let (floor, mut answer) = scene.question();
    scene.keyboard.reads += 1;
    let (floor, effects) = scene.keys(floor, b"y");
    assert_eq!((name(&floor), &*outline(&effects)), ("turn", ""));
    assert!(painted(&effects).contains("yes, this once"), "the choice is shown while it is held");
    scene.passes(Duration::from_millis(499));
    let (floor, _) = scene.tell(floor, LoopEvent::KeysRead);
    assert!(answer.try_recv().is_err(), "another key may follow");
    scene.passes(Duration::from_millis(1));
    scene.tell(floor, LoopEvent::KeysRead);
    assert_eq!(answer.try_recv(), Ok(Decision::Once));
}

#[test]
fn a_second_question_waits_for_the_answer_to_the_first() {
    let mut scene = Scene::new();
    let (floor, mut first) = scene.question();
    let (news, mut second) = approve();
    let (floor, effects) = scene.tell(floor, TurnEvent::News(news));
    for effect in effects {
        if let Effect::Want { wish, .. } = effect {
            scene.requests.get(1).unwrap().wants(wish);
        }
    }
    scene.keyboard.reads += 1;
    let (floor, effects) = scene.keys(floor, b"y\r");
    assert_eq!(outline(&effects), "next wish 1");
    assert_eq!(first.try_recv(), Ok(Decision::Once));
    let wish = scene.requests.get(1).unwrap().take_wish().unwrap();
    scene.tell(floor, TurnEvent::Wish(wish));
    assert!(second.try_recv().is_err());
}

#[test]
fn four_requests_can_run_in_the_background() {
    let mut scene = Scene::new();
    for _ in 0..3 {
        scene.request();
    }
    let (floor, effects) = scene.keys(scene.turn(), b"\x1a");
    assert_eq!((name(&floor), &*outline(&effects)), ("returning", "end wait"));
    scene.request();
    let (floor, effects) = scene.keys(scene.turn(), b"\x1a");
    assert_eq!((name(&floor), &*outline(&effects)), ("turn", ""));
    assert!(painted(&effects).contains("already running in the background"));
}

#[test]
fn output_of_background_jobs_waits_for_whole_lines() {
    let scene = Scene::new();
    for mut floor in [scene.turn(), scene.talk()] {
        assert!(!floor.takes(b"[1] done\r\nhalf"), "it is not shown at once");
        let (mut floor, effects) = scene.tell(floor, LoopEvent::OutputEnded);
        assert!(painted(&effects).contains("[1] done\r\n") && !painted(&effects).contains("half"));
        assert!(floor.has_room());
        floor.takes(&[b'x'; 100_000]);
        assert!(!floor.has_room(), "jobs that print a lot wait");
    }
}

#[test]
fn the_rest_of_a_jobs_output_is_shown_before_the_prompt() {
    let scene = Scene::new();
    let mut floor = scene.turn();
    floor.takes(b"half a line");
    let over = News::Over { was_asked: true, unheard: Vec::new() };
    let (_, effects) = scene.tell(floor, TurnEvent::News(over));
    assert!(painted(&effects).ends_with("half a line"));
}

#[test]
fn a_redraw_that_is_too_long_is_shown() {
    let scene = Scene::new();
    let mut floor = scene.accepted();
    assert!(!floor.takes(&[b'x'; 60_000]));
    assert!(floor.takes(&[b'x'; 60_000]));
    assert!(floor.is_shell());
}

#[test]
fn if_the_hook_never_waits_the_shell_gets_the_keyboard_back() {
    let mut scene = Scene::new();
    let floor = scene.accepted();
    scene.passes(Duration::from_secs(3));
    let (floor, effects) = scene.keys(floor, b"ls");
    assert_eq!((name(&floor), &*outline(&effects)), ("shell", "send held, send ls"));
}

#[test]
fn a_line_editor_without_our_hook_gets_its_keys() {
    let mut scene = Scene::new();
    let mut out = crate::session::wires::Outbox::default();
    scene.books.enter(&Mark::Prompt { cwd: "/".into() }, false, &mut out);
    scene.script.edits_lines(true);
    let (floor, effects) = scene.keys(Floor::Returning, b"ls");
    assert_eq!((name(&floor), &*outline(&effects)), ("shell", "send held, send ls"));
}

#[test]
fn slash_commands_and_trailing_ampersands_are_distinguished_from_questions() {
    let scene = Scene::new();
    let ask = |line: &str| {
        let floor = Floor::Accepted(super::Accepted::new(line.as_bytes().to_vec(), scene.now, None));
        let (floor, effects) = scene.tell(floor, FloorEvent::Mark(&Mark::Wait { turn: 1, cwd: "/".into() }));
        (name(&floor), outline(&effects).replace("answer begins, ", ""))
    };
    assert_eq!(ask("> why &"), ("turn", "ask why, go behind".into()));
    assert_eq!(ask("> a&"), ("turn", "ask a&".into()));
    assert_eq!(ask(">"), ("talk", "take back, open line, route held".into()));
    assert_eq!(ask("> /help"), ("turn", "command /help".into()));
    assert_eq!(ask("> /show 3"), ("turn", "recall Some(3)".into()));
    assert_eq!(ask("> /retry"), ("turn", "ask why".into()));
    assert_eq!(ask("> /model"), ("turn", "command /model".into()));
    assert_eq!(ask("> /nonsense"), ("turn", "ask /nonsense".into()), "the agent knows the person's own commands");
    assert_eq!(ask("> /new one"), ("returning", "end wait".into()));
}

#[test]
fn the_live_shell_cannot_run_commands_below_a_program() {
    let scene = Scene::new();
    let (floor, _) = scene.keys(scene.cover(), b"q\r");
    let (floor, _) = scene.tell(floor, TurnEvent::Numbered(1));
    let (reply, mut ran) = oneshot::channel();
    let (floor, effects) = scene.tell(floor, TurnEvent::News(News::Run("ls".into(), reply)));
    assert_eq!((name(&floor), &*outline(&effects)), ("turn", ""));
    assert!(ran.try_recv().unwrap().result.unwrap_err().contains("busy"));
}

#[test]
fn news_of_an_abandoned_slash_command_is_ignored() {
    let scene = Scene::new();
    let (floor, _) = scene.keys(scene.talk(), b"/model\r");
    let (floor, effects) = scene.tell(floor, FloorEvent::Mark(&Mark::Input));
    assert_eq!((name(&floor), &*outline(&effects)), ("shell", "cancel, disown"));
}

#[test]
fn an_answer_and_its_end_are_painted() {
    let scene = Scene::new();
    let (floor, effects) = scene.tell(scene.turn(), TurnEvent::News(News::Event(Event::Text("Hello.\n\n".into()))));
    let (_, end) = scene.tell(floor, TurnEvent::News(News::Event(Event::Finished(Ending::Answered))));
    assert!((painted(&effects) + &painted(&end)).contains("Hello."));
}
