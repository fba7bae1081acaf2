//! Floors and a view for tests, without a pty.

use std::time::{Duration, Instant};

use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::agent::{Approval, Decision};
use crate::guard::{GrantOffers, Intent};
use crate::host::ScriptHandle;
use crate::input::Offers;
use crate::session::agent_link::{News, Ran};
use crate::session::books::Books;
use crate::session::keyboard::Keyboard;
use crate::session::profile::Profile;
use crate::session::requests::Requests;
use crate::session::scripted_tests;
use crate::session::wires::Wires;
use crate::track::{LineOnScreen, Mark};
use crate::tty::Person;

use super::{
    Accepted, Back, Effect, Floor, FloorEvent, LineEvent, LoopEvent, Talk, TurnEvent, TurnFloor, Under, View, Waiting,
};

/// Everything that a floor can see.
pub(super) struct Scene {
    pub(super) now: Instant,
    pub(super) wires: Wires,
    pub(super) books: Books,
    pub(super) keyboard: Keyboard,
    pub(super) requests: Requests,
    pub(super) profile: Profile,
    _person: Person,
    pub(super) script: ScriptHandle,
}

impl Scene {
    /// A shell at its prompt, and one request that is being answered.
    pub(super) fn new() -> Scene {
        let (wires, person, script) = scripted_tests::wires();
        let mut scene = Scene {
            now: Instant::now(),
            wires,
            books: scripted_tests::books("nonce"),
            keyboard: Keyboard::new("ctrl-\\".parse().ok()),
            requests: Requests::default(),
            profile: scripted_tests::profile(),
            _person: person,
            script,
        };
        scene.request();
        scene
    }

    /// One more request that is being answered.
    pub(super) fn request(&mut self) -> u64 {
        self.requests.begin("why".into(), CancellationToken::new(), unbounded_channel().0)
    }

    pub(super) fn passes(&mut self, time: Duration) {
        self.now += time;
    }

    /// Sends an event to a floor.
    pub(super) fn tell<'a>(&self, floor: Floor, event: impl Into<FloorEvent<'a>>) -> (Floor, Vec<Effect>) {
        let Scene { now, wires, books, keyboard, requests, profile, .. } = self;
        let view = View { now: *now, wires, books, keyboard, requests, profile };
        let mut effects = Vec::new();
        let floor = floor.handle(event.into(), &view, &mut effects);
        (floor, effects)
    }

    pub(super) fn keys(&self, floor: Floor, keys: &[u8]) -> (Floor, Vec<Effect>) {
        self.tell(floor, FloorEvent::Keys(keys))
    }

    /// A query was accepted a moment ago.
    pub(super) fn accepted(&self) -> Floor {
        Floor::Accepted(Accepted::new(b"> why".to_vec(), self.now, None))
    }

    /// The agent answers request 1.
    pub(super) fn turn(&self) -> Floor {
        self.turn_with(|view, effects| TurnFloor::begin("why".into(), Back::Hook(Waiting::default()), view, effects))
    }

    /// The agent answers request 1 in a conversation, over a hook that waits.
    pub(super) fn turn_in_talk(&self) -> Floor {
        let Floor::Talk(talk) = self.talk() else { unreachable!("a conversation begins") };
        self.turn_with(|view, effects| TurnFloor::begin("why".into(), Back::Line(talk), view, effects))
    }

    fn turn_with(&self, begin: impl FnOnce(&View<'_>, &mut Vec<Effect>) -> Floor) -> Floor {
        let Scene { now, wires, books, keyboard, requests, profile, .. } = self;
        let floor = begin(&View { now: *now, wires, books, keyboard, requests, profile }, &mut Vec::new());
        self.tell(floor, TurnEvent::Numbered(1)).0
    }

    /// The agent asks for an approval, and keys answer it. Returns the channel for the answer.
    pub(super) fn question(&mut self) -> (Floor, oneshot::Receiver<Decision>) {
        let (news, answer) = approve();
        let floor = self.tell(self.turn(), TurnEvent::News(news)).0;
        let floor = self.tell(floor, LoopEvent::KeysRead).0;
        self.passes(Duration::from_secs(1));
        let floor = self.tell(floor, LoopEvent::KeysRead).0;
        (floor, answer)
    }

    /// The shell runs a command for the agent.
    pub(super) fn lent(&self) -> (Floor, oneshot::Receiver<Ran>) {
        let (loan, ran) = oneshot::channel();
        (self.tell(self.turn(), TurnEvent::Runs(loan)).0, ran)
    }

    /// A conversation line is open, over a hook that waits.
    pub(super) fn talk(&self) -> Floor {
        self.talk_over(Under::Hook(Waiting::default()))
    }

    fn talk_over(&self, under: Under) -> Floor {
        let Scene { now, wires, books, keyboard, requests, profile, .. } = self;
        let view = View { now: *now, wires, books, keyboard, requests, profile };
        let floor = Talk::begin(under, &view, &mut Vec::new());
        self.tell(floor, LineEvent::Opened(Offers::default())).0
    }

    /// A conversation line is open, over a prompt or a program.
    pub(super) fn cover(&self) -> Floor {
        let (floor, _) = self.tell(Floor::Shell, FloorEvent::Hotkey(b"\x1c"));
        self.tell(floor, LineEvent::Opened(Offers::default())).0
    }
}

/// A call that the sandbox holds.
pub(super) fn approve() -> (News, oneshot::Receiver<Decision>) {
    approve_with(true)
}

/// A call that nothing holds.
pub(super) fn approve_unconfined() -> (News, oneshot::Receiver<Decision>) {
    approve_with(false)
}

fn approve_with(is_contained: bool) -> (News, oneshot::Receiver<Decision>) {
    let (reply, answer) = oneshot::channel();
    let approval = Approval {
        title: "make".into(),
        tool: "bash".into(),
        intent: Intent::Run { command: "make".into(), cwd: "/".into(), exception: None },
        preview: None,
        offers: GrantOffers::default(),
        cwd: "/".into(),
        secrets: Vec::new(),
        weakness: None,
        is_contained,
    };
    (News::Approve(Box::new(approval), reply), answer)
}

pub(super) fn query() -> Mark {
    Mark::Query { line: b"> why".to_vec(), screen: LineOnScreen::Kept }
}

pub(super) fn name(floor: &Floor) -> &'static str {
    match floor {
        Floor::Shell => "shell",
        Floor::Accepted(_) => "accepted",
        Floor::Turn(_) => "turn",
        Floor::Lent(_) => "lent",
        Floor::Talk(_) => "talk",
        Floor::Returning => "returning",
    }
}

/// Effects in words, without painted bytes: the painter and the line have tests of their own.
pub(super) fn outline(effects: &[Effect]) -> String {
    let keys = |keys: &[u8]| keys.escape_ascii().to_string();
    let words = effects.iter().filter_map(|effect| {
        Some(match effect {
            Effect::Show(_) | Effect::Draw(_) | Effect::Overlay(_) | Effect::ShowRedraw => return None,
            Effect::LoadQueries | Effect::KeepQuery(_) => return None,
            Effect::Repaint(line) => format!("repaint {}", keys(line)),
            Effect::AnswerBegins => "answer begins".into(),
            Effect::PromptAgain(_) => "prompt again".into(),
            Effect::Send(sent) => format!("send {}", keys(sent)),
            Effect::DropHeld => "drop held".into(),
            Effect::Hold(held) => format!("hold {}", keys(held)),
            Effect::Route(routed) => format!("route {}", keys(routed)),
            Effect::RouteHeld => "route held".into(),
            Effect::SendHeld => "send held".into(),
            Effect::TakeBack => "take back".into(),
            Effect::EndWait => "end wait".into(),
            Effect::Run { command, .. } => format!("run {command}"),
            Effect::Ran(result) => format!("ran {}", result.result.status),
            Effect::Signal(signal) => signal.to_string(),
            Effect::Redraw => "redraw".into(),
            Effect::Ask { text, .. } => format!("ask {text}"),
            Effect::Command { text, .. } => format!("command {text}"),
            Effect::Cancel(_) => "cancel".into(),
            Effect::Unask(_) => "unask".into(),
            Effect::Disown => "disown".into(),
            Effect::Record(number, _) => format!("record {number}"),
            Effect::Want { request, is_told, .. } => format!("want {request}{}", if *is_told { " told" } else { "" }),
            Effect::NextWish(number) => format!("next wish {number}"),
            Effect::Steer(number, words) => format!("steer {number} {words}"),
            Effect::GoBehind => "go behind".into(),
            Effect::Recall(number) => format!("recall {number:?}"),
            Effect::PutOnPrompt(line) => format!("put on prompt {}", keys(line)),
            Effect::Suggest(text) => format!("suggest {text}"),
            Effect::OpenLine => "open line".into(),
            Effect::Find(typed) => format!("find {typed}"),
            Effect::Edit(text) => format!("edit {text}"),
            Effect::MendWorkspace => "mend workspace".into(),
        })
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Everything that was painted, of any kind.
pub(super) fn painted(effects: &[Effect]) -> String {
    let bytes = effects.iter().map(|effect| match effect {
        Effect::Show(bytes) | Effect::Draw(bytes) | Effect::Overlay(bytes) | Effect::PromptAgain(bytes) => {
            bytes.as_slice()
        }
        _ => b"",
    });
    String::from_utf8_lossy(&bytes.collect::<Vec<_>>().concat()).into_owned()
}
