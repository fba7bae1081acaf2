//! Typing is never an answer: people type lines at their pace while questions of every kind appear at any moment.

use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tokio::sync::oneshot;

use crate::agent::Decision;
use crate::session::agent_link::News;
use crate::session::keyboard::type_ahead;
use crate::session::prompt::{Confirmation, PickItem, PickList};
use crate::tool::{UserAnswer, UserQuestion};

use super::testing::{Scene, approve, approve_unconfined};
use super::{Effect, Floor, LoopEvent, TurnEvent};

/// Lines as they stand in histories. Many begin with a letter that answers.
const LINES: &[&str] = &[
    "ls",
    "ls -la",
    "cd ..",
    "cd src",
    "git status",
    "git diff",
    "git log --oneline",
    "git commit -m 'wip'",
    "cargo test",
    "cargo make all",
    "yarn install",
    "yarn",
    "yes | head",
    "npm test",
    "npx tsc",
    "node app.js",
    "nano notes.txt",
    "apt list",
    "ansible-playbook site.yml",
    "awk '{print $1}' f",
    "any",
    "alias",
    "python",
    "python3 -m venv .venv",
    "pip install -r requirements.txt",
    "ps aux",
    "pwd",
    "pytest -x",
    "make deploy",
    "man ls",
    "mv a b",
    "rm -rf build",
    "grep -rn y src",
    "echo happy",
    "w",
    "which python",
    "vim a.txt",
    "echo kept_me",
    "1",
    "!!",
    "y",
    "n",
    "p",
    "> add a --json flag to app.py",
    "./run.sh a y n",
    "ssh host",
    "sudo !!",
    "top",
    "exit",
];

/// The answers that may have been given.
#[derive(Default)]
struct Answers {
    decisions: Vec<oneshot::Receiver<Decision>>,
    words: Vec<oneshot::Receiver<UserAnswer>>,
    yes: Vec<oneshot::Receiver<bool>>,
    picks: Vec<oneshot::Receiver<Option<i64>>>,
}

impl Answers {
    /// News with a question of this kind.
    fn ask(&mut self, kind: u8) -> News {
        match kind {
            0 | 1 => {
                let (news, answer) = if kind == 0 { approve() } else { approve_unconfined() };
                self.decisions.push(answer);
                news
            }
            2 | 3 => {
                let (reply, answer) = oneshot::channel();
                self.words.push(answer);
                let choices = if kind == 2 { Vec::new() } else { vec!["one".into(), "two".into()] };
                News::Ask(UserQuestion { text: "which?".into(), choices }, reply)
            }
            4 => {
                let (reply, answer) = oneshot::channel();
                self.yes.push(answer);
                News::Confirm(Confirmation { text: "undo it?".into(), yes: "yes", no: "no", lasts: false }, reply)
            }
            _ => {
                let (reply, answer) = oneshot::channel();
                self.picks.push(answer);
                let item = PickItem { id: 1, facts: String::new(), text: "one".into(), behind: String::new() };
                let list = PickList { items: vec![item], action: "continue", by_name: false, filter: String::new() };
                News::Pick(list, reply)
            }
        }
    }

    fn are_none(&mut self) -> bool {
        use oneshot::error::TryRecvError::Empty;
        self.decisions.iter_mut().all(|answer| answer.try_recv() == Err(Empty))
            && self.words.iter_mut().all(|answer| answer.try_recv() == Err(Empty))
            && self.yes.iter_mut().all(|answer| answer.try_recv() == Err(Empty))
            && self.picks.iter_mut().all(|answer| answer.try_recv() == Err(Empty))
    }
}

/// One key or paste, and the time before it in milliseconds.
type Stroke = (String, u32);

/// A line as a person types it: with corrections, pauses between words, a pasted word, and Enter.
fn strokes() -> impl Strategy<Value = Vec<Stroke>> {
    let key = (40_u32..=400, 0_u8..40, 0_u32..3000);
    let line = prop::sample::select(LINES);
    (line, prop::collection::vec(key, 64), any::<bool>(), 0_u8..10).prop_map(|(line, keys, ends, style)| {
        let mut strokes: Vec<Stroke> = Vec::new();
        let mut gaps = keys.into_iter().cycle();
        let mut next = || gaps.next().unwrap_or((100, 9, 0));
        if style == 0 {
            strokes.push((line.to_owned(), next().0));
        } else {
            for (at, letter) in line.chars().enumerate() {
                let (gap, slip, pause) = next();
                // Whoever pauses after the first key of all cannot be told from somebody who answers with one key.
                let pause = if letter == ' ' && at > 1 { pause } else { 0 };
                if slip == 0 && at > 0 {
                    strokes.push(("q".to_owned(), gap));
                    strokes.push(("\x7f".to_owned(), gap));
                }
                if slip == 1 && at > 0 {
                    strokes.push(("\t".to_owned(), gap));
                }
                strokes.push((letter.to_string(), gap + pause));
            }
        }
        if ends && line.len() > 1 {
            strokes.push(("\r".to_owned(), next().0));
        } else if line.len() == 1 {
            // A single letter is completed to a word: alone it could be an answer.
            strokes.push(("x".to_owned(), next().0));
        }
        strokes
    })
}

/// Carries out what matters here.
fn obey(scene: &mut Scene, effects: Vec<Effect>) {
    for effect in effects {
        if let Effect::Hold(keys) = effect {
            scene.keyboard.hold(&keys, scene.now);
        }
    }
}

/// Lets time pass in the steps of the loop.
fn pass(scene: &mut Scene, mut floor: Floor, ms: u32) -> Floor {
    let mut left = ms;
    while left > 0 {
        let step = left.min(80);
        left -= step;
        scene.passes(Duration::from_millis(step.into()));
        for event in [LoopEvent::Tick, LoopEvent::KeysRead] {
            let (next, effects) = scene.tell(floor, event);
            obey(scene, effects);
            floor = next;
        }
    }
    floor
}

fn press(scene: &mut Scene, floor: Floor, keys: &[u8]) -> Floor {
    scene.keyboard.reads += 1;
    let (floor, effects) = scene.keys(floor, keys);
    obey(scene, effects);
    let (floor, effects) = scene.tell(floor, LoopEvent::KeysRead);
    obey(scene, effects);
    floor
}

#[test]
fn lines_that_are_typed_while_questions_appear_answer_none_and_arrive_whole() {
    let case = (strokes(), 0_u8..6, 0_usize..40, any::<bool>());
    let mut runner = TestRunner::new(Config { cases: 2000, failure_persistence: None, ..Config::default() });
    let lines = std::cell::Cell::new(0);
    let done = runner.run(&case, |(strokes, kind, appears, in_talk)| {
        lines.set(lines.get() + 1);
        let mut scene = Scene::new();
        let mut floor = if in_talk { scene.turn_in_talk() } else { scene.turn() };
        let mut answers = Answers::default();
        // A list that the person has asked for and that is there before the first key takes the keys: that is what it is for.
        let earliest = usize::from(kind == 5);
        // A `>` as the first key opens a line to the agent, if no question is there.
        let is_for_agent = strokes[0].0.starts_with('>');
        let (kind, appears) = match is_for_agent {
            true => (kind % 5, 0),
            false => (kind, earliest + appears % strokes.len()),
        };
        let mut wanted = Vec::new();
        for (at, (keys, gap)) in strokes.iter().enumerate() {
            if at == appears {
                let (next, _) = scene.tell(floor, TurnEvent::News(answers.ask(kind)));
                // It appears in the middle of the time before the key.
                floor = pass(&mut scene, next, gap / 2);
                floor = scene.tell(floor, LoopEvent::KeysRead).0;
                floor = pass(&mut scene, floor, gap - gap / 2);
            } else {
                floor = pass(&mut scene, floor, *gap);
            }
            floor = press(&mut scene, floor, keys.as_bytes());
            type_ahead(&mut wanted, keys.as_bytes());
        }
        floor = pass(&mut scene, floor, 400);
        prop_assert!(answers.are_none(), "{strokes:?}");
        let floor = pass(&mut scene, floor, 2_000);
        let held = String::from_utf8_lossy(scene.keyboard.held.front()).into_owned();
        prop_assert_eq!(held, String::from_utf8_lossy(&wanted).into_owned());
        prop_assert!(answers.are_none(), "{strokes:?}");
        drop(floor);
        Ok(())
    });
    done.unwrap();
    assert_eq!(lines.get(), 2000);
}

#[test]
fn deliberate_answers_always_work() {
    for number in 0..100_u32 {
        let mut scene = Scene::new();
        let (news, mut answer) = if number % 2 == 0 { approve() } else { approve_unconfined() };
        let (floor, _) = scene.tell(scene.turn(), TurnEvent::News(news));
        let floor = scene.tell(floor, LoopEvent::KeysRead).0;
        let floor = pass(&mut scene, floor, 400 + number * 37);
        let floor = press(&mut scene, floor, b"y");
        let floor = pass(&mut scene, floor, 640);
        if number % 2 == 0 {
            assert_eq!(answer.try_recv(), Ok(Decision::Once), "one key for what is confined: {number}");
        } else {
            assert!(answer.try_recv().is_err());
            press(&mut scene, floor, b"\r");
            assert_eq!(answer.try_recv(), Ok(Decision::Once), "{number}");
        }
    }
}
