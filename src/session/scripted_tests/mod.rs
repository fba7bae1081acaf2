//! A whole session without a pty: a scripted person, shell and agent.

mod floors;
mod surroundings;

use std::os::fd::AsFd;
use std::path::PathBuf;
use std::time::Duration;

use nix::poll::PollFlags;
use nix::unistd::Pid;

use super::agent_link::{AgentLink, AgentSetup, News, ScriptedAgent};
use super::agent_news::AgentHandle;
use super::books::{Books, OuterMarks, Recorder};
use super::command_store::{CommandStore, HistoryPlace};
use super::errands::Errands;
use super::floor::Floor;
use super::follow::Follower;
use super::hooks::HookLink;
use super::keyboard::Keyboard;
use super::nested::NestedShells;
use super::outer_terminal::OuterTerminal;
use super::privacy::Privacy;
use super::profile::Profile;
use super::requests::Requests;
use super::wires::{Signals, Wires, wait_for};
use super::workspace::Workspace;
use super::{CHUNK, Interest, LoopEnd, Ready, Session};
use crate::capture::{Limits, Spiller};
use crate::chat::{Ending, Event};
use crate::config::{Paths, TerminalSettings};
use crate::host::{ScriptHandle, ScriptedShell, ShellKind};
use crate::input::Editing;
use crate::render::Wrapping;
use crate::track::{Mark, Piece, Scanner};
use crate::tty::{Person, ScriptedTerminal};

pub(super) fn wires() -> (Wires, Person, ScriptHandle) {
    let ((terminal, person), (shell, script)) = (ScriptedTerminal::new(), ScriptedShell::new());
    (Wires::new(Box::new(terminal), Box::new(shell), Signals::none().unwrap()), person, script)
}

pub(super) fn books(nonce: &str) -> Books {
    let privacy = Privacy::new(None, PathBuf::from("/no/such/file"));
    let recorder = Recorder::new(Limits::default(), Spiller::none(), privacy, nonce);
    Books::new(Scanner::new(nonce), OuterMarks::new(None, "host".into()), recorder, Follower::default())
}

pub(super) fn profile() -> Profile {
    Profile::new(ShellKind::Bash, "host".into(), Editing::Emacs, Wrapping::default())
}

/// A session with everything around it.
pub(super) struct Scripted {
    pub(super) session: Session,
    person: Person,
    script: ScriptHandle,
    agent: ScriptedAgent,
    nonce: String,
    _directory: tempfile::TempDir,
}

impl Scripted {
    fn new() -> Scripted {
        Scripted::with_nonce("0123456789abcdef")
    }

    pub(super) fn with_nonce(nonce: &str) -> Scripted {
        let directory = tempfile::tempdir().unwrap();
        let runtime = directory.path().to_owned().into_os_string();
        let paths = Paths::from_env(|name| (name == "XDG_RUNTIME_DIR").then(|| runtime.clone()), 0, None);
        let errands = Errands::new().unwrap();
        let workspace = Workspace::create(&paths, "test", ShellKind::Bash, errands.reporter()).unwrap();
        let (wires, person, script) = wires();
        let (link, agent) = AgentLink::scripted();
        let session = Session {
            wires,
            books: books(nonce),
            floor: Floor::Shell,
            keyboard: Keyboard::new("ctrl-\\".parse().ok()),
            hook: HookLink::new(workspace, Vec::new()),
            agent: AgentHandle { link: Some(link), ..AgentHandle::new(AgentSetup::default(), Default::default()) },
            requests: Requests::default(),
            store: CommandStore::new(HistoryPlace::none(), None, Box::new(|| std::sync::mpsc::channel().1)),
            profile: profile(),
            nested: NestedShells::new(false, None),
            outer: OuterTerminal::new(TerminalSettings::default()),
            errands,
            editor: None,
            suggestion: None,
            is_plain: false,
        };
        Scripted { session, person, script, agent, nonce: nonce.to_owned(), _directory: directory }
    }

    /// Plays recorded bytes. Returns the queries for which hooks have waited; none of them is asked.
    pub(super) fn play(&mut self, bytes: &[u8]) -> Vec<String> {
        let session = &mut self.session;
        let Some(mut scanner) = session.books.scanner.take() else { return Vec::new() };
        let mut queries = Vec::new();
        scanner.scan(bytes, |piece| match (&session.floor, &piece) {
            (Floor::Accepted(accepted), Piece::Mark(Mark::Wait { .. })) => {
                queries.push(String::from_utf8_lossy(&accepted.line).into_owned());
                session.floor = Floor::Returning;
            }
            _ => session.on_piece(piece),
        });
        session.books.scanner = Some(scanner);
        queries
    }

    /// Runs the loop until nothing is left to do.
    fn settle(&mut self) -> Option<LoopEnd> {
        let (mut keys, mut chunk) = (vec![0; 4096], vec![0; CHUNK]);
        for _ in 0..50 {
            // Waits until the workspace's thread has finished its tasks.
            let _ = self.session.hook.workspace.environment().wait();
            let wanted = Interest { keys: true, output: self.session.floor.has_room(), news: false };
            let due = self.session.wires.wait(None, Some(self.session.errands.as_fd()), wanted, 0u8.into());
            let link = self.session.agent.link.as_ref();
            let has_news = link.is_some_and(|link| wait_for(link, PollFlags::POLLIN, Duration::ZERO));
            if due == Ready::default() && !has_news {
                break;
            }
            if let Some(over) = self.session.turn_once(&mut keys, &mut chunk) {
                return Some(over);
            }
        }
        None
    }

    fn types(&mut self, keys: &str) {
        self.person.types(keys.as_bytes());
        self.settle();
    }

    fn prints(&mut self, bytes: &str) {
        self.script.prints(bytes.as_bytes());
        self.settle();
    }

    /// The shell's hooks send a mark.
    fn says(&mut self, mark: &str) {
        self.prints(&format!("\x1b]7771;{};{mark}\x1b\\", self.nonce));
    }

    fn tells(&mut self, request: u64, news: News) {
        self.agent.tells(request, news);
        self.settle();
    }

    /// The shell draws its prompt and waits for a line.
    fn prompts(&mut self) {
        self.says("end;0");
        self.says("prompt;/");
        self.prints("$ ");
        self.says("input");
    }

    /// A query is typed and accepted, and the hook waits.
    fn asks(&mut self, line: &str) {
        self.types(&format!("{line}\r"));
        self.says(&format!("query;{line};kept"));
        self.says("wait;1;/");
        self.says("listen;token");
        self.script.reads();
    }

    /// The next line for the waiting hook.
    fn directive(&mut self) -> String {
        // Waits until the workspace's thread has sent everything.
        let _ = self.session.hook.workspace.environment().wait();
        let fifo = self.session.hook.workspace.fifo();
        let flags = nix::fcntl::OFlag::O_NONBLOCK.bits();
        let mut file = {
            use std::os::unix::fs::OpenOptionsExt;
            std::fs::OpenOptions::new().read(true).custom_flags(flags).open(fifo).unwrap()
        };
        let mut bytes = [0; 4096];
        let count = std::io::Read::read(&mut file, &mut bytes).unwrap_or(0);
        String::from_utf8_lossy(&bytes[..count]).into_owned()
    }

    fn reads(&mut self) -> String {
        String::from_utf8_lossy(&self.script.reads()).into_owned()
    }
}

fn over() -> News {
    News::Over { was_asked: true, unheard: Vec::new() }
}
