//! A turn: questions, steering, commands for the shell, and requests that are shown again.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::testing::{Scene, approve, name, outline, painted};
use super::{Effect, Floor, FloorEvent, LoopEvent, Recalled, TurnEvent};
use crate::chat::Event;
use crate::input::{KeyAction, KeyMap};
use crate::session::ESC_PATIENCE;
use crate::session::agent_link::News;
use crate::session::requests::Wish;
use crate::session::transcript::RequestTranscript;
use crate::tool::{UserAnswer, UserQuestion};

#[test]
fn keys_typed_while_a_question_appears_are_for_the_shell() {
    let mut scene = Scene::new();
    let (news, mut answer) = approve();
    let (floor, effects) = scene.tell(scene.turn(), TurnEvent::News(news));
    assert!(painted(&effects).contains("make"), "the question is shown");
    scene.wires.to_screen.push(b"not taken yet");
    let (floor, effects) = scene.keys(floor, b"y\r");
    assert_eq!((name(&floor), &*outline(&effects)), ("turn", "hold y\\r"), "the terminal has not drawn it yet");
    let taken = scene.wires.to_screen.front().len();
    scene.wires.to_screen.consume(taken);
    assert!(answer.try_recv().is_err());
    scene.keyboard.hold(b"y\r", scene.now);
    let (_, effects) = scene.tell(floor, LoopEvent::KeysRead);
    assert!(painted(&effects).contains("waiting: "), "{}", painted(&effects));
}

#[test]
fn a_question_gets_the_keys_only_when_the_terminal_has_drawn_it() {
    let mut scene = Scene::new();
    let (news, _answer) = approve();
    let (floor, _) = scene.tell(scene.turn(), TurnEvent::News(news));
    scene.wires.to_screen.push(b"not taken yet");
    let (floor, _) = scene.tell(floor, LoopEvent::KeysRead);
    scene.passes(Duration::from_secs(5));
    let (floor, effects) = scene.keys(floor, b"y");
    assert_eq!(outline(&effects), "hold y", "the terminal has not taken the question");
    let taken = scene.wires.to_screen.front().len();
    scene.wires.to_screen.consume(taken);
    let (floor, _) = scene.tell(floor, LoopEvent::KeysRead);
    scene.keyboard.reads += 1;
    let (_, effects) = scene.keys(floor, b"y");
    assert_eq!(outline(&effects), "");
}

#[test]
fn the_hotkey_gives_the_question_the_keys() {
    let mut scene = Scene::new();
    scene.keyboard.hold(b"cargo ", scene.now);
    let (news, mut answer) = approve();
    let (floor, effects) = scene.tell(scene.turn(), TurnEvent::News(news));
    scene.passes(Duration::from_secs(9));
    let (floor, _) = scene.tell(floor, LoopEvent::KeysRead);
    assert!(painted(&effects).contains("waiting: ") && painted(&effects).contains("cargo"));
    assert!(floor.takes_hotkey());
    let (floor, _) = scene.tell(floor, FloorEvent::Hotkey(b"\x1c"));
    scene.keyboard.reads += 1;
    let (_, effects) = scene.keys(floor, b"y\r");
    assert_eq!(outline(&effects), "");
    assert_eq!(answer.try_recv(), Ok(crate::agent::Decision::Once));
    assert_eq!(scene.keyboard.held.front(), b"cargo ");
}

#[test]
fn without_a_hotkey_ctrl_backslash_still_leads_back_to_a_question() {
    let mut scene = Scene::new();
    scene.keyboard.hotkey = None;
    scene.keyboard.hold(b"ls\r", scene.now);
    let (news, mut answer) = approve();
    let (floor, effects) = scene.tell(scene.turn(), TurnEvent::News(news));
    assert!(painted(&effects).contains("Ctrl-\\ answers it"), "{}", painted(&effects));
    let (floor, effects) = scene.keys(floor, b"\x1c");
    assert_eq!(outline(&effects), "");
    scene.keyboard.reads += 1;
    scene.keys(floor, b"y\r");
    assert_eq!(answer.try_recv(), Ok(crate::agent::Decision::Once));
}

#[test]
fn ctrl_c_cancels_before_the_question_is_taken_away() {
    let mut scene = Scene::new();
    let (floor, mut answer) = scene.question();
    let (_, effects) = scene.keys(floor, b"\x03");
    assert_eq!(outline(&effects), "cancel, unask");
    // Before the effects are carried out in order, nobody is told anything: the call is cancelled, not refused.
    assert_eq!(answer.try_recv(), Err(oneshot::error::TryRecvError::Empty));
    drop(effects);
    assert_eq!(answer.try_recv(), Err(oneshot::error::TryRecvError::Closed));
}

#[test]
fn a_single_escape_refuses() {
    let mut scene = Scene::new();
    let (floor, mut answer) = scene.question();
    scene.keyboard.reads += 1;
    let (floor, _) = scene.keys(floor, b"\x1b");
    assert!(answer.try_recv().is_err());
    let (floor, _) = scene.tell(floor, LoopEvent::Tick);
    assert!(answer.try_recv().is_err(), "the rest of an escape sequence may follow");
    scene.passes(ESC_PATIENCE);
    scene.tell(floor, LoopEvent::Tick);
    assert_eq!(answer.try_recv(), Ok(crate::agent::Decision::No { why: None }));
}

#[test]
fn a_question_of_the_agent_is_answered_with_text() {
    let mut scene = Scene::new();
    let (reply, mut answer) = oneshot::channel();
    let question = UserQuestion { text: "which?".into(), choices: vec!["one".into(), "two".into()] };
    let (floor, effects) = scene.tell(scene.turn(), TurnEvent::News(News::Ask(question, reply)));
    assert!(painted(&effects).contains("which?"));
    let (floor, _) = scene.tell(floor, LoopEvent::KeysRead);
    scene.passes(Duration::from_secs(1));
    let (floor, _) = scene.tell(floor, LoopEvent::KeysRead);
    scene.keyboard.reads += 1;
    let (floor, _) = scene.keys(floor, b"2");
    scene.keyboard.reads += 1;
    let (floor, _) = scene.keys(floor, b"\r");
    assert_eq!(name(&floor), "turn");
    assert_eq!(answer.try_recv(), Ok(UserAnswer::Said("two".into())));
}

#[test]
fn steering_needs_a_request_and_no_keys_before_it() {
    let mut scene = Scene::new();
    let (_, effects) = scene.keys(scene.turn(), b"x>hi\r");
    assert_eq!(outline(&effects), "hold x>hi\\r", "it was typed for the shell");
    scene.keyboard.hold(b"ls", scene.now);
    let (_, effects) = scene.keys(scene.turn(), b">hi\r");
    assert_eq!(outline(&effects), "hold >hi\\r");
    let mut scene = Scene::new();
    scene.requests.get(1).unwrap().end();
    let (_, effects) = scene.keys(scene.turn(), b">hi\r");
    assert_eq!(outline(&effects), "hold >hi\\r", "the request is over");
}

#[test]
fn an_escape_or_an_empty_line_closes_the_steering_line() {
    let mut scene = Scene::new();
    let (floor, effects) = scene.keys(scene.turn(), b">\rls");
    assert_eq!((name(&floor), &*outline(&effects)), ("turn", "hold ls"));
    let (floor, effects) = scene.keys(scene.turn(), b">never mind\x1b");
    assert_eq!(outline(&effects), "");
    scene.passes(Duration::from_millis(60));
    let (floor, effects) = scene.tell(floor, LoopEvent::Tick);
    assert_eq!(outline(&effects), "");
    let (_, effects) = scene.keys(floor, b"x");
    assert_eq!(outline(&effects), "hold x", "the line is closed");
}

#[test]
fn text_that_was_not_sent_is_put_on_the_prompt() {
    let scene = Scene::new();
    let (floor, _) = scene.keys(scene.turn(), b">and the tests");
    let over = News::Over { was_asked: true, unheard: Vec::new() };
    let (floor, effects) = scene.tell(floor, TurnEvent::News(over));
    assert_eq!((name(&floor), &*outline(&effects)), ("returning", "suggest > and the tests, end wait"));
    let (floor, _) = scene.keys(scene.turn(), b">and the tests");
    let (floor, effects) = scene.keys(floor, b"\x03");
    assert_eq!((name(&floor), &*outline(&effects)), ("turn", "cancel, suggest > and the tests"));
}

#[test]
fn nothing_is_painted_over_an_open_line() {
    let scene = Scene::new();
    let (mut floor, _) = scene.keys(scene.turn(), b">hm");
    floor.takes(b"[1] done\r\n");
    let (floor, effects) = scene.tell(floor, LoopEvent::OutputEnded);
    assert_eq!(painted(&effects), "");
    let (floor, effects) = scene.tell(floor, LoopEvent::Tick);
    assert_eq!(painted(&effects), "");
    let (_, effects) = scene.keys(floor, b"\r");
    assert!(painted(&effects).contains("[1] done"), "it is shown when the line is sent");
}

#[test]
fn the_screen_of_a_steering_line_follows_the_window() {
    let scene = Scene::new();
    let (floor, _) = scene.keys(scene.turn(), b">hm");
    let (_, effects) = scene.tell(floor, FloorEvent::Resized);
    assert!(painted(&effects).contains("hm"));
}

#[test]
fn a_command_is_handed_to_the_hook_and_refused_when_that_fails() {
    let scene = Scene::new();
    let (reply, mut ran) = oneshot::channel();
    let (floor, effects) = scene.tell(scene.turn(), TurnEvent::News(News::Run("ls".into(), reply)));
    assert_eq!((name(&floor), &*outline(&effects)), ("turn", "run ls"));
    let Some(Effect::Run { loan, .. }) = effects.into_iter().last() else { panic!("it is run") };
    let (floor, _) = scene.tell(floor, TurnEvent::Runs(loan));
    assert_eq!(name(&floor), "lent");
    let (floor, _) = scene.tell(floor, TurnEvent::NotHanded(std::io::Error::other("disk full")));
    assert_eq!(name(&floor), "turn");
    assert!(ran.try_recv().unwrap().result.unwrap_err().contains("disk full"));
}

#[test]
fn a_command_that_is_too_long_is_refused() {
    let scene = Scene::new();
    let (reply, mut ran) = oneshot::channel();
    let long = "x".repeat(40_000);
    let (floor, effects) = scene.tell(scene.turn(), TurnEvent::News(News::Run(long, reply)));
    assert_eq!((name(&floor), &*outline(&effects)), ("turn", ""));
    assert!(ran.try_recv().unwrap().result.unwrap_err().contains("too long"));
}

#[test]
fn output_of_jobs_is_shown_before_a_command_gets_the_screen() {
    let scene = Scene::new();
    let mut floor = scene.turn();
    floor.takes(b"half");
    let (floor, effects) = scene.tell(floor, TurnEvent::Runs(oneshot::channel().0));
    assert_eq!((name(&floor), &*painted(&effects)), ("lent", "half"));
}

#[test]
fn output_of_a_command_in_the_lent_shell_is_captured() {
    let scene = Scene::new();
    let (floor, _ran) = scene.lent();
    let Floor::Lent(mut lent) = floor else { panic!("the floor is lent") };
    lent.printed(b"one\r\n");
    lent.printed(b"two\r\n");
    let mark = crate::track::Mark::Ran { status: 0 };
    let (floor, effects) = scene.tell(Floor::Lent(lent), FloorEvent::Mark(&mark));
    assert_eq!(name(&floor), "turn");
    let printed = effects.iter().find_map(|effect| match effect {
        Effect::Ran(result) => Some(result.result.output.clone()),
        _ => None,
    });
    assert_eq!(printed.as_deref().map(str::trim), Some("one\ntwo"));
}

#[test]
fn a_question_during_a_command_is_asked_after_it() {
    let mut scene = Scene::new();
    let (floor, _ran) = scene.lent();
    let (news, mut answer) = approve();
    let (floor, effects) = scene.tell(floor, TurnEvent::News(news));
    for effect in effects {
        if let Effect::Want { wish, .. } = effect {
            scene.requests.get(1).unwrap().wants(wish);
        }
    }
    let (floor, effects) = scene.tell(floor, FloorEvent::Mark(&crate::track::Mark::Ran { status: 0 }));
    assert_eq!((name(&floor), &*outline(&effects)), ("turn", "ran 0, next wish 1"));
    assert!(answer.try_recv().is_err());
}

#[test]
fn a_finished_request_is_shown_again_and_the_prompt_comes_back() {
    let scene = Scene::new();
    let mut transcript = RequestTranscript::default();
    transcript.push(Event::Text("It was the cache.\n\n".into()), scene.now);
    let recalled = Recalled { number: 1, query: "why", transcript: &transcript, cancel: None };
    let (floor, effects) = scene.tell(scene.turn(), TurnEvent::Recalled(recalled));
    assert_eq!((name(&floor), &*outline(&effects)), ("returning", "end wait"));
    assert!(painted(&effects).contains("> why") && painted(&effects).contains("It was the cache."));
}

#[test]
fn a_running_request_comes_to_the_foreground_with_its_wishes() {
    let mut scene = Scene::new();
    let number = scene.request();
    let transcript = RequestTranscript::default();
    let cancel = Some(CancellationToken::new());
    let recalled = Recalled { number, query: "why", transcript: &transcript, cancel };
    let (floor, effects) = scene.tell(scene.turn(), TurnEvent::Recalled(recalled));
    assert_eq!(floor.request(), Some(number));
    assert_eq!(outline(&effects), "next wish 2");
    let (news, mut answer) = approve();
    let (floor, effects) = scene.tell(floor, TurnEvent::Wish(Wish::of(news).unwrap()));
    assert!(painted(&effects).contains("make"));
    assert_eq!((name(&floor), answer.try_recv()), ("turn", Err(oneshot::error::TryRecvError::Empty)));
}

#[test]
fn text_of_shellmate_itself_ends_the_turn() {
    let scene = Scene::new();
    for event in [TurnEvent::Words("a list".into()), TurnEvent::Notice("no such request".into())] {
        let (floor, effects) = scene.tell(scene.turn(), event);
        assert_eq!((name(&floor), &*outline(&effects)), ("returning", "end wait"));
        assert!(painted(&effects).contains("a list") || painted(&effects).contains("no such request"));
    }
}

#[test]
fn an_answer_for_the_clipboard_is_sent_to_the_terminal() {
    let scene = Scene::new();
    let (_, effects) = scene.tell(scene.turn(), TurnEvent::News(News::Copy("hi".into())));
    assert_eq!(painted(&effects), "\x1b]52;c;aGk=\x1b\\");
}

#[test]
fn arrows_and_function_keys_are_type_ahead_as_a_whole() {
    let scene = Scene::new();
    let (_, effects) = scene.keys(scene.turn(), b"\x1b[A\x1bOP\x1b[1;5C");
    assert_eq!(outline(&effects), "hold \\x1b[A\\x1bOP\\x1b[1;5C");
}

#[test]
fn output_and_thoughts_are_unfolded_by_keys_of_their_own() {
    let scene = Scene::new();
    let call = crate::chat::Call { id: "1".into(), name: "bash".into(), arguments: "{}".into() };
    let kind = crate::chat::ToolKind::Run;
    let started = Event::CallStarted { call, kind, title: "seq 50".into() };
    let (floor, _) = scene.tell(scene.turn(), TurnEvent::News(News::Event(started)));
    let text = (0..50).map(|line| format!("{line}\n")).collect();
    let printed = Event::CallOutput { id: "1".into(), text };
    let (floor, _) = scene.tell(floor, TurnEvent::News(News::Event(printed)));
    let (floor, effects) = scene.keys(floor, b"\x0f\x14");
    assert_eq!((name(&floor), &*outline(&effects)), ("turn", ""), "neither key is type-ahead");
}

#[test]
fn the_keys_of_a_turn_are_type_ahead_while_a_question_is_open() {
    let scene = Scene::new();
    let (floor, _) = scene.tell(scene.turn(), TurnEvent::News(approve().0));
    let (_, effects) = scene.keys(floor, b"\x0f\x14>");
    assert_eq!(outline(&effects), "hold \\x0f\\x14>");
}

#[test]
fn a_slash_command_cannot_go_to_the_background() {
    let scene = Scene::new();
    let (floor, _) = scene.keys(scene.talk(), b"/model\r");
    let (floor, effects) = scene.keys(floor, b"\x1ax");
    assert_eq!((name(&floor), &*outline(&effects)), ("turn", "hold x"));
}

#[test]
fn a_turn_of_a_conversation_goes_back_to_its_line() {
    let scene = Scene::new();
    let floor = scene.turn_in_talk();
    assert!(!floor.is_covered() && floor.ticks() && !floor.shell_has_keyboard());
    let (floor, effects) = scene.tell(floor, TurnEvent::GoBehind);
    assert_eq!((name(&floor), &*outline(&effects)), ("talk", "open line, route held"));
    assert!(painted(&effects).contains("request 1 continues in the background"));
}

#[test]
fn every_floor_knows_who_has_the_keyboard() {
    let scene = Scene::new();
    let floors = [
        (Floor::Shell, true),
        (scene.accepted(), false),
        (scene.turn(), false),
        (scene.lent().0, true),
        (scene.talk(), false),
        (scene.cover(), false),
        (Floor::Returning, false),
    ];
    for (floor, shell_has_keyboard) in floors {
        assert_eq!(floor.shell_has_keyboard(), shell_has_keyboard, "{}", name(&floor));
    }
}

#[test]
fn only_a_conversation_over_the_screen_stops_the_shells_output() {
    let scene = Scene::new();
    for (mut floor, has_room) in [
        (Floor::Shell, true),
        (scene.accepted(), true),
        (scene.turn(), true),
        (scene.lent().0, true),
        (scene.talk(), true),
        (scene.cover(), false),
        (Floor::Returning, true),
    ] {
        assert_eq!(floor.has_room(), has_room, "{}", name(&floor));
    }
}

#[test]
fn bytes_of_the_shell_are_shown_unless_another_floor_paints() {
    let scene = Scene::new();
    for (mut floor, is_shown) in [
        (Floor::Shell, true),
        (scene.accepted(), false),
        (scene.turn(), false),
        (scene.turn_in_talk(), false),
        (scene.lent().0, true),
        (scene.talk(), false),
        (Floor::Returning, true),
    ] {
        assert_eq!(floor.takes(b"x"), is_shown, "{}", name(&floor));
    }
}

/// A scene in which actions have these keys.
fn with_keys(keys: &[(KeyAction, &[&str])]) -> Scene {
    let mut scene = Scene::new();
    let mut own = KeyMap::default();
    keys.iter().for_each(|(action, keys)| own.bind(*action, keys).unwrap());
    scene.profile.adopt_keys(own);
    scene
}

#[test]
fn other_keys_stop_the_answer_and_move_it_to_the_background() {
    let scene = with_keys(&[(KeyAction::Stop, &["f5", "ctrl-c"]), (KeyAction::Background, &["alt-b"])]);
    for keys in [&b"\x03"[..], b"\x1b[15~", b"\x1b[99;5u", b"\x1b\x03"] {
        let (floor, effects) = scene.keys(scene.turn(), keys);
        assert_eq!(name(&floor), "turn");
        assert!(outline(&effects).contains("cancel"), "{}: {}", keys.escape_ascii(), outline(&effects));
    }
    let (floor, effects) = scene.keys(scene.turn(), b"\x1a");
    assert_eq!((name(&floor), &*outline(&effects)), ("turn", "hold \\x1a"), "the default key is one for the shell");
    let (floor, _) = scene.keys(scene.turn(), b"\x1bb");
    assert_eq!(name(&floor), "returning");
}

#[test]
fn esc_counts_once_nothing_has_followed_it() {
    let mut scene = with_keys(&[(KeyAction::Stop, &["esc", "ctrl-c"])]);
    let (floor, effects) = scene.keys(scene.turn(), b"\x1b");
    assert_eq!(outline(&effects), "");
    let (floor, effects) = scene.keys(floor, b"[A");
    assert_eq!(outline(&effects), "hold \\x1b[A", "an arrow that came in two pieces");
    let (floor, _) = scene.keys(floor, b"\x1b");
    scene.passes(ESC_PATIENCE);
    let (_, effects) = scene.tell(floor, LoopEvent::Tick);
    assert!(outline(&effects).contains("cancel"), "{}", outline(&effects));
    let scene = Scene::new();
    let (_, effects) = scene.keys(scene.turn(), b"\x1b");
    assert_eq!(outline(&effects), "hold \\x1b", "without a meaning it is for the shell");
}

#[test]
fn an_action_without_keys_leaves_its_default_to_the_shell() {
    let scene = with_keys(&[(KeyAction::Unfold, &[]), (KeyAction::Steer, &["ctrl-s"])]);
    let (_, effects) = scene.keys(scene.turn(), b"\x0f>");
    assert_eq!(outline(&effects), "hold \\x0f>");
    let (floor, effects) = scene.keys(scene.turn(), b"ls\x13");
    assert!(painted(&effects).contains("> "), "{}", outline(&effects));
    let (_, effects) = scene.keys(floor, b"no\r");
    assert!(outline(&effects).contains("steer"), "{}", outline(&effects));
}
