//! The conversation line, key by key.

use super::testing::{Scene, name, outline, painted};
use super::{Effect, Floor, FloorEvent, LineEvent, LoopEvent, TurnEvent};
use crate::input::{FoundPath, FoundReferences, Offers};
use crate::session::agent_link::News;
use crate::track::Mark;

fn overlays(effects: &[Effect]) -> bool {
    effects.iter().all(|effect| !matches!(effect, Effect::Show(_) | Effect::Draw(_)))
}

#[test]
fn typed_text_is_painted() {
    let scene = Scene::new();
    let (floor, effects) = scene.keys(scene.talk(), b"hello");
    assert_eq!(name(&floor), "talk");
    assert!(painted(&effects).contains("hello"));
}

#[test]
fn a_line_over_a_program_changes_no_record_of_the_screen() {
    let scene = Scene::new();
    let (floor, effects) = scene.tell(Floor::Shell, FloorEvent::Hotkey(b"\x1c"));
    assert!(overlays(&effects));
    let (floor, effects) = scene.tell(floor, LineEvent::Opened(Offers::default()));
    assert!(overlays(&effects));
    let (floor, effects) = scene.keys(floor, b"what is this\r");
    assert!(overlays(&effects));
    assert!(floor.is_covered());
    let (_, effects) = scene.tell(floor, LoopEvent::Tick);
    assert!(overlays(&effects), "nor does its turn");
}

#[test]
fn a_line_at_the_prompt_is_recorded_as_drawn() {
    let scene = Scene::new();
    let (_, effects) = scene.keys(scene.talk(), b"x");
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Draw(_))));
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Overlay(_))));
}

#[test]
fn the_screen_below_is_sent_with_the_first_question_only() {
    let mut scene = Scene::new();
    let mut out = crate::session::wires::Outbox::default();
    scene.books.show(b"BUILD FAILED", &mut out);
    let (floor, effects) = scene.keys(scene.cover(), b"first\r");
    let screen = |effects: &[Effect]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Ask { screen, .. } => Some(screen.clone()),
            _ => None,
        })
    };
    assert_eq!(screen(&effects), Some(Some("BUILD FAILED".into())));
    let over = crate::session::agent_link::News::Over { was_asked: true, unheard: Vec::new() };
    let (floor, effects) = scene.tell(floor, TurnEvent::News(over));
    assert_eq!((name(&floor), &*outline(&effects)), ("talk", "open line, route held"));
    let (floor, _) = scene.tell(floor, LineEvent::Opened(Offers::default()));
    let (_, effects) = scene.keys(floor, b"second\r");
    assert_eq!(screen(&effects), Some(None));
}

#[test]
fn an_escape_closes_the_line_when_nothing_follows_it() {
    let scene = Scene::new();
    let (floor, effects) = scene.keys(scene.talk(), b"\x1b");
    assert!(floor.is_undecided());
    assert_eq!((name(&floor), &*outline(&effects)), ("talk", ""));
    let (floor, effects) = scene.tell(floor, LoopEvent::Settle);
    assert_eq!((name(&floor), &*outline(&effects)), ("returning", "end wait"));
    let (floor, _) = scene.keys(scene.talk(), b"\x1b[D");
    assert!(!floor.is_undecided());
    assert_eq!(name(&floor), "talk", "an arrow is no escape");
}

#[test]
fn the_hotkey_is_not_taken_from_a_line_with_text() {
    let scene = Scene::new();
    let (floor, _) = scene.keys(scene.cover(), b"text");
    assert!(!floor.takes_hotkey());
    let (floor, _) = scene.keys(scene.cover(), b"\x1b");
    assert!(!floor.takes_hotkey(), "a key may be on its way");
}

#[test]
fn quitting_closes_the_conversation() {
    let scene = Scene::new();
    let (floor, effects) = scene.keys(scene.talk(), b"/quit\rls");
    assert_eq!((name(&floor), &*outline(&effects)), ("returning", "end wait, route ls"));
}

#[test]
fn a_text_edited_elsewhere_replaces_the_line() {
    let scene = Scene::new();
    let (floor, effects) = scene.tell(scene.talk(), LineEvent::Edited(Ok("from vi".into())));
    assert!(painted(&effects).contains("from vi"));
    let (floor, effects) = scene.keys(floor, b"\r");
    assert_eq!((name(&floor), &*outline(&effects)), ("turn", "ask from vi"));
}

#[test]
fn a_failure_of_the_editor_is_explained() {
    let scene = Scene::new();
    let error = std::io::Error::other("it ended with status 1");
    let (floor, effects) = scene.tell(scene.talk(), LineEvent::Edited(Err(error)));
    assert_eq!(name(&floor), "talk");
    assert!(painted(&effects).contains("ended with status 1"));
}

#[test]
fn a_full_screen_program_is_told_to_draw_again() {
    let mut scene = Scene::new();
    let mut scanner = scene.books.scanner.take().unwrap();
    scanner.scan(b"\x1b[?1049h", |piece| {
        if let crate::track::Piece::Switch(switch) = piece {
            scene.books.switch(switch);
        }
    });
    let (floor, effects) = scene.tell(Floor::Shell, FloorEvent::Hotkey(b"\x1c"));
    assert!(painted(&effects).contains("\x1b[?1049l"), "the main screen is shown");
    let (floor, _) = scene.tell(floor, LineEvent::Opened(Offers::default()));
    let (floor, effects) = scene.keys(floor, b"\x04");
    assert_eq!((name(&floor), &*outline(&effects)), ("shell", "redraw, send held"));
    assert!(painted(&effects).contains("\x1b[?1049h"), "and then the program's again");
}

#[test]
fn a_prompt_below_is_announced_to_the_outer_terminal() {
    let mut scene = Scene::new();
    let mut out = crate::session::wires::Outbox::default();
    scene.books.enter(&Mark::Prompt { cwd: "/".into() }, false, &mut out);
    scene.books.show(b"$ ", &mut out);
    scene.books.enter(&Mark::Input, false, &mut out);
    let (floor, effects) = scene.tell(Floor::Shell, FloorEvent::Hotkey(b"\x1c"));
    assert_eq!(outline(&effects), "answer begins, open line, route held");
    let (floor, _) = scene.tell(floor, LineEvent::Opened(Offers::default()));
    let (_, effects) = scene.keys(floor, b"\x04");
    assert_eq!(outline(&effects), "prompt again, send held");
    assert!(painted(&effects).contains("$ "), "the prompt is drawn again");
}

fn path(path: &str) -> FoundReferences {
    let path = FoundPath { path: path.into(), help: String::new() };
    FoundReferences { paths: vec![path], ..FoundReferences::default() }
}

#[test]
fn keys_wait_during_a_search_for_paths_and_ctrl_c_cancels_it() {
    let scene = Scene::new();
    let (floor, effects) = scene.keys(scene.talk(), b"see @no\t and");
    assert_eq!((name(&floor), &*outline(&effects)), ("talk", "find no, route  and"));
    let (floor, effects) = scene.keys(floor, b" and");
    assert_eq!(outline(&effects), "hold  and");
    let found = LineEvent::Found { typed: "no".into(), found: path("notes.txt") };
    let (floor, effects) = scene.tell(floor, found);
    assert!(painted(&effects).contains("notes.txt"));
    assert_eq!(outline(&effects), "route held");
    let (floor, _) = scene.keys(floor, b"@x\t");
    let (floor, effects) = scene.keys(floor, b"\x03");
    assert_eq!((name(&floor), &*outline(&effects)), ("talk", "hold \\x03, route held"));
    let late = LineEvent::Found { typed: "x".into(), found: path("x.rs") };
    assert!(!painted(&scene.tell(floor, late).1).contains("x.rs"));
}

/// The end of a turn in a conversation, and the line that opens after it.
fn line_after(scene: &Scene, floor: Floor) -> (Floor, String) {
    let over = News::Over { was_asked: true, unheard: Vec::new() };
    let (floor, effects) = scene.tell(floor, TurnEvent::News(over));
    assert_eq!((name(&floor), &*outline(&effects)), ("talk", "open line, route held"));
    let (floor, effects) = scene.tell(floor, LineEvent::Opened(Offers::default()));
    (floor, painted(&effects))
}

#[test]
fn a_question_to_edit_comes_to_the_line_of_its_conversation_and_not_to_the_prompt() {
    let scene = Scene::new();
    let (floor, effects) = scene.tell(scene.turn_in_talk(), TurnEvent::News(News::AskAgain("why so slow".into())));
    assert_eq!(outline(&effects), "");
    let (floor, shown) = line_after(&scene, floor);
    assert!(shown.contains("why so slow"), "{shown:?}");
    let (floor, effects) = scene.keys(floor, b"ly\r");
    assert!(outline(&effects).contains("ask why so slowly"), "{}", outline(&effects));
    let (_, shown) = line_after(&scene, floor);
    assert!(!shown.contains("why so slow"), "it is there once: {shown:?}");
}

#[test]
fn words_that_came_too_late_come_to_the_line_of_their_conversation() {
    let scene = Scene::new();
    let unheard = News::Over { was_asked: true, unheard: vec!["and".into(), "this".into()] };
    let (floor, _) = scene.tell(scene.turn_in_talk(), TurnEvent::Unheard("first".into()));
    let (floor, _) = scene.tell(floor, TurnEvent::News(unheard));
    let (_, effects) = scene.tell(floor, LineEvent::Opened(Offers::default()));
    assert!(painted(&effects).contains("first and this"));
    let (_, effects) = scene.tell(scene.turn(), TurnEvent::Unheard("first".into()));
    assert_eq!(outline(&effects), "suggest > first", "without a line, the prompt gets them");
}
