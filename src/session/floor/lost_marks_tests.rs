//! Ctrl-C right after Enter, and marks that never come.

use std::time::Duration;

use super::testing::{Scene, name, outline, painted};
use super::{Floor, FloorEvent};
use crate::track::{LineOnScreen, Mark};

#[test]
fn a_prompt_that_is_never_reported_gets_its_keys_after_a_while() {
    let mut scene = Scene::new();
    scene.keyboard.returning_at = Some(scene.now);
    let (floor, effects) = scene.keys(Floor::Returning, b"l");
    assert_eq!((name(&floor), &*outline(&effects)), ("returning", "hold l"));
    scene.passes(Duration::from_secs(3));
    let (floor, effects) = scene.keys(floor, b"s");
    assert_eq!((name(&floor), &*outline(&effects)), ("shell", "send held, send s"));
}

#[test]
fn ctrl_c_right_after_enter_withdraws_the_query() {
    let mut scene = Scene::new();
    for mark in [Mark::Wait { turn: 1, cwd: "/".into() }, Mark::Prompt { cwd: "/".into() }] {
        // Typed while the hook prepares the wait.
        let (floor, effects) = scene.keys(scene.accepted(), b"x\x03ls");
        assert_eq!((name(&floor), &*outline(&effects)), ("accepted", "drop held, hold ls"));
        let (floor, effects) = scene.tell(floor, FloorEvent::Mark(&mark));
        assert_eq!((name(&floor), &*outline(&effects)), ("shell", "end wait, send held"));
        assert_eq!(painted(&effects), "^C\r\n");
        // Typed before the mark of the query was read, so that the shell got it.
        scene.books.sent(b"> why\r\x03");
        scene.now = std::time::Instant::now();
        let query = Mark::Query { line: b"> why".to_vec(), screen: LineOnScreen::Kept };
        let (floor, _) = scene.tell(Floor::Shell, FloorEvent::Mark(&query));
        let (floor, effects) = scene.tell(floor, FloorEvent::Mark(&mark));
        assert_eq!((name(&floor), &*outline(&effects)), ("shell", "end wait, send held"));
    }
    // A Ctrl-C that cleared the line before the question was typed.
    scene.books.sent(b"ls\x03");
    scene.books.sent(b"> why\r");
    assert_eq!(scene.books.interrupted_at, None);
}
