//! A whole session driven without a pty: a person, a shell and an agent that do what the test says.

use std::os::fd::AsFd;
use std::path::PathBuf;
use std::time::Duration;

use nix::poll::PollFlags;
use nix::unistd::Pid;

use super::agent_link::{AgentLink, AgentSetup, News, ScriptedAgent};
use super::agent_news::AgentHandle;
use super::books::{Books, OuterMarks, Recorder};
use super::command_store::CommandStore;
use super::errands::Errands;
use super::floor::Floor;
use super::follow::Follower;
use super::hooks::HookLink;
use super::keyboard::Keyboard;
use super::nested::NestedShells;
use super::privacy::Privacy;
use super::profile::Profile;
use super::requests::Requests;
use super::wires::{Signals, Wires, wait_for};
use super::workspace::Workspace;
use super::{CHUNK, Interest, Over, Ready, Session};
use crate::capture::{Limits, Spiller};
use crate::chat::{Ending, Event};
use crate::config::Paths;
use crate::host::{Script, ScriptedShell, ShellKind};
use crate::input::Editing;
use crate::render::Wrapping;
use crate::store::Store;
use crate::track::{Mark, Piece, Scanner};
use crate::tty::{Person, ScriptedTerminal};

pub(super) fn wires() -> (Wires, Person, Script) {
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
    script: Script,
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
            agent: AgentHandle { link: Some(link), ..AgentHandle::new(AgentSetup::default()) },
            requests: Requests::default(),
            store: CommandStore::new(Box::new(|| (Store::off(), std::sync::mpsc::channel().1))),
            profile: profile(),
            nested: NestedShells::new(false, None),
            errands,
            editor: None,
            suggestion: None,
            is_plain: false,
        };
        Scripted { session, person, script, agent, nonce: nonce.to_owned(), _directory: directory }
    }

    /// Plays recorded bytes. Returns the queries that hooks have waited for, none of which is asked.
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
    fn settle(&mut self) -> Option<Over> {
        let (mut keys, mut chunk) = (vec![0; 4096], vec![0; CHUNK]);
        for _ in 0..50 {
            // The private directory's thread has done what it was given.
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

    /// The shell's hooks say something.
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

    /// A query is typed, accepted and waited for.
    fn asks(&mut self, line: &str) {
        self.types(&format!("{line}\r"));
        self.says(&format!("query;{line};kept"));
        self.says("wait;1;/");
        self.says("listen;token");
        self.script.reads();
    }

    /// What the waiting hook would read next.
    fn directive(&mut self) -> String {
        // The private directory's thread has sent what it was given.
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

#[test]
fn keys_and_output_pass_as_they_are() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.types("ls\r");
    assert_eq!(scripted.reads(), "ls\r");
    assert_eq!(scripted.person.sees(), "$ ");
    scripted.says("start;/;ls");
    scripted.prints("file\r\n");
    assert_eq!(scripted.person.sees(), "file\r\n", "marks are not shown");
    scripted.prompts();
    assert_eq!(scripted.person.sees(), "$ ");
}

#[test]
fn a_query_is_asked_and_answered_and_the_keys_typed_meanwhile_follow_the_prompt() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    assert_eq!(scripted.agent.query().as_deref(), Some("why"));
    scripted.types("ls\r");
    assert_eq!(scripted.reads(), "", "the shell gets nothing while the agent works");
    scripted.person.sees();
    scripted.tells(1, News::Event(Event::Text("Because.".into())));
    scripted.tells(1, News::Event(Event::Finished(Ending::Answered)));
    scripted.tells(1, over());
    assert!(scripted.person.sees().contains("Because."));
    assert_eq!(scripted.directive(), "token\n");
    assert_eq!(scripted.reads(), "");
    scripted.prompts();
    assert_eq!(scripted.reads(), "ls\r");
    assert!(scripted.session.floor.is_shell());
}

#[test]
fn a_command_for_the_live_shell_is_run_by_the_hook_and_its_output_returned() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> go up");
    let (reply, mut ran) = tokio::sync::oneshot::channel();
    scripted.tells(1, News::Run("cd ..".into(), reply));
    assert_eq!(scripted.directive(), "look\n");
    scripted.says("read;go;cd ..");
    assert_eq!(scripted.directive(), "go\n");
    scripted.says("go");
    scripted.types("x");
    assert_eq!(scripted.reads(), "x", "the command has the keyboard");
    scripted.prints("/\r\n");
    scripted.says("ran;3");
    let ran = ran.try_recv().unwrap().result.unwrap();
    assert_eq!((ran.status, ran.output.trim()), (3, "/"));
    assert!(matches!(scripted.session.floor, Floor::Turn(_)));
}

#[test]
fn a_bare_query_opens_a_line_whose_follow_ups_are_asked() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks(">");
    scripted.types("first\r");
    assert_eq!(scripted.agent.query().as_deref(), Some("first"));
    // Typed while the answer comes, for the line that opens again.
    scripted.types("second\r");
    assert!(scripted.agent.query().is_none());
    scripted.tells(1, over());
    assert_eq!(scripted.agent.query().as_deref(), Some("second"));
    scripted.tells(2, over());
    scripted.types("\x04");
    assert_eq!(scripted.directive(), "token\n");
    scripted.prompts();
    assert_eq!(scripted.reads(), "");
}

#[test]
fn the_hotkey_opens_a_line_over_a_program_and_pressed_again_goes_to_it() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.script.runs_program(Pid::from_raw(1));
    scripted.says("start;/;vim");
    scripted.prints("\x1b[?1049hTEXT");
    scripted.person.sees();
    scripted.types("\x1c");
    assert!(scripted.session.floor.is_covered());
    assert!(scripted.person.sees().contains("\x1b[?1049l"), "the main screen is shown");
    scripted.script.prints(b"later");
    scripted.settle();
    assert!(!scripted.person.sees().contains("later"), "the program waits");
    std::thread::sleep(Duration::from_millis(15));
    scripted.types("\x1c");
    assert!(scripted.session.floor.is_shell());
    assert_eq!(scripted.reads(), "\x1c");
    let screen = scripted.person.sees();
    assert!(screen.contains("TEXT") && screen.contains("later"), "{screen}");
}

#[test]
fn a_forged_query_takes_nothing() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.script.runs_program(Pid::from_raw(1));
    scripted.says("query;> why;kept");
    scripted.says("wait;1;/");
    assert!(scripted.session.floor.is_shell());
    assert!(scripted.agent.order().is_none());
}

#[test]
fn a_terminal_that_is_gone_ends_the_loop() {
    let mut scripted = Scripted::new();
    let Scripted { person, .. } = scripted;
    drop(person);
    let (mut keys, mut chunk) = ([0; 16], [0; 16]);
    assert!(matches!(scripted.session.turn_once(&mut keys, &mut chunk), Some(Over::HungUp)));
}

#[test]
fn a_resize_reaches_the_shell_and_a_signal_for_it_too() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.person.resizes(50, 132);
    scripted.session.on_signal(super::SignalEvent::Resized);
    assert_eq!(scripted.script.sizes(), [(50, 132)]);
    scripted.session.on_signal(super::SignalEvent::ForShell(super::Signal::SIGINT));
    assert_eq!(scripted.script.signals(), [super::Signal::SIGINT]);
    scripted.asks("> why");
    scripted.session.on_signal(super::SignalEvent::ForShell(super::Signal::SIGINT));
    assert_eq!(scripted.script.signals(), [], "the hook waits and must not be interrupted");
}

#[test]
fn a_request_in_the_background_is_announced_above_an_idle_prompt() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    scripted.types("\x1a");
    assert!(scripted.person.sees().contains("request 1 goes on in the background"));
    assert_eq!(scripted.directive(), "token\n");
    scripted.prompts();
    scripted.person.sees();
    scripted.tells(1, News::Event(Event::Text("Because.\n\n".into())));
    assert!(!scripted.person.sees().contains("Because."), "nothing is painted into the prompt");
    scripted.tells(1, News::Event(Event::Finished(Ending::Answered)));
    scripted.tells(1, over());
    let screen = scripted.person.sees();
    assert!(screen.contains("request 1 is over") && screen.contains("Because."), "{screen}");
    assert!(screen.contains("Because.\r\n$ "), "the prompt is drawn again: {screen:?}");
}

#[test]
fn a_request_in_the_background_does_not_disturb_a_line_that_is_being_edited() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    scripted.types("\x1a");
    scripted.prompts();
    scripted.types("l");
    scripted.person.sees();
    scripted.tells(1, over());
    assert_eq!(scripted.person.sees(), "");
    scripted.says("start;/;ls");
    scripted.prompts();
    assert!(scripted.person.sees().contains("request 1 is over"), "the next prompt tells");
    scripted.says("start;/;ls");
    scripted.prompts();
    assert!(!scripted.person.sees().contains("request 1"), "and only that one");
}

#[test]
fn a_question_from_the_background_waits_until_it_is_brought_back() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    scripted.types("\x1a");
    scripted.prompts();
    let question = crate::tool::UserQuestion { text: "which one?".into(), choices: Vec::new() };
    let (reply, mut answer) = tokio::sync::oneshot::channel();
    scripted.tells(1, News::Ask(question, reply));
    let screen = scripted.person.sees();
    assert!(screen.contains("request 1 has a question") && !screen.contains("which one?"), "{screen}");
    scripted.asks("> /show 1");
    assert!(scripted.person.sees().contains("which one?"));
    assert_eq!(scripted.session.floor.request(), Some(1));
    assert!(answer.try_recv().is_err(), "nobody has answered yet");
}

#[test]
fn a_proposed_command_is_pasted_at_the_prompt_and_not_run() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> how");
    scripted.tells(1, News::Suggest("make\x1b test".into()));
    scripted.tells(1, over());
    assert_eq!(scripted.reads(), "");
    scripted.prompts();
    assert_eq!(scripted.reads(), "\x1b[200~make test\x1b[201~", "without what a terminal would obey");
}

#[test]
fn words_to_the_agent_are_sent_while_it_works() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    let Some(super::agent_link::Order::Answer(mut question)) = scripted.agent.order() else { panic!("it is asked") };
    scripted.types(">and the tests\r");
    assert_eq!(question.steering.try_recv().as_deref(), Ok("and the tests"));
    assert_eq!(scripted.reads(), "");
}

#[test]
fn words_that_come_too_late_are_put_on_the_prompt() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    drop(scripted.agent.order());
    scripted.types(">and the tests\r");
    scripted.tells(1, over());
    scripted.prompts();
    assert_eq!(scripted.reads(), "\x1b[200~> and the tests\x1b[201~");
}

#[test]
fn ctrl_c_cancels_the_request() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    let Some(super::agent_link::Order::Answer(question)) = scripted.agent.order() else { panic!("it is asked") };
    scripted.types("\x03");
    assert!(question.cancel.is_cancelled());
    assert!(matches!(scripted.session.floor, Floor::Turn(_)), "until the agent says that it is over");
    scripted.tells(1, over());
    assert!(matches!(scripted.session.floor, Floor::Returning));
}

#[test]
fn ctrl_z_among_keys_typed_before_a_question_never_says_no() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    let question = crate::tool::UserQuestion { text: "sure?".into(), choices: Vec::new() };
    let (reply, mut answer) = tokio::sync::oneshot::channel();
    scripted.tells(1, News::Ask(question, reply));
    scripted.types("ls\x1apwd\r");
    scripted.prompts();
    assert_eq!(scripted.reads(), "lspwd\r", "the keys are for the shell, in order");
    assert_eq!(answer.try_recv(), Err(tokio::sync::oneshot::error::TryRecvError::Empty), "the question waits");
    assert!(scripted.session.requests.has_wish(1));
}

#[test]
fn an_agent_that_is_gone_ends_what_it_was_asked() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    drop(std::mem::replace(&mut scripted.agent, AgentLink::scripted().1));
    scripted.settle();
    assert!(scripted.person.sees().contains("the agent has crashed"));
    assert!(matches!(scripted.session.floor, Floor::Returning));
    assert_eq!(scripted.session.requests.running(), Vec::<u64>::new());
}

#[test]
fn an_interrupted_hook_leaves_the_prompt_on_the_screen() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    let Some(super::agent_link::Order::Answer(question)) = scripted.agent.order() else { panic!("it is asked") };
    scripted.person.sees();
    scripted.prompts();
    assert!(scripted.person.sees().ends_with("$ "));
    assert!(scripted.session.floor.is_shell());
    assert!(question.cancel.is_cancelled());
}

#[test]
fn a_query_whose_hook_does_not_wait_is_put_on_the_prompt() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.types("> why\r");
    scripted.reads();
    scripted.says("query;> why;kept");
    scripted.prints("\r\nredraw");
    scripted.types("ls");
    scripted.prompts();
    let screen = scripted.person.sees();
    assert!(screen.contains("press Enter to ask again") && !screen.contains("redraw"), "{screen}");
    assert_eq!(scripted.reads(), "\x1b[200~> why\x1b[201~ls");
    assert!(scripted.agent.order().is_none());
}

#[test]
fn a_leaked_nonce_is_renewed() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.says("start;/;set");
    let nonce = scripted.nonce.clone();
    scripted.prints(&format!("X={nonce}\r\n"));
    let renew = scripted.session.hook.workspace.directory().join("renew");
    assert!(renew.exists(), "the hook is asked for another nonce");
    scripted.says(&format!("renew;{}", "a".repeat(32)));
    assert!(!renew.exists());
    assert_eq!(scripted.session.agent.setup.nonce, "a".repeat(32));
}

#[test]
fn a_panic_while_marks_are_read_leaves_a_plain_pipe() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.types("x");
    scripted.session.become_plain();
    scripted.session.become_plain();
    scripted.session.wires.show();
    let screen = scripted.person.sees();
    assert_eq!(screen.matches("command tracking failed").count(), 1, "{screen}");
    scripted.says("prompt;/");
    assert!(scripted.person.sees().contains("7771"), "marks pass like any other bytes");
    scripted.types("ls\x1c");
    assert_eq!(scripted.reads(), "xls\x1c");
    scripted.types("\x1c");
    assert_eq!(scripted.reads(), "\x1c", "the hotkey means nothing any more");
}

#[test]
fn a_directive_that_nobody_hears_is_repeated() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> /help");
    assert_eq!(scripted.directive(), "token\n");
    let due = scripted.session.hook.due().expect("an answer of the hook is awaited");
    std::thread::sleep(due.saturating_duration_since(std::time::Instant::now()));
    scripted.session.remind_hook();
    assert_eq!(scripted.directive(), "token\n");
    scripted.prompts();
    assert_eq!(scripted.session.hook.due(), None);
}

#[test]
fn the_environment_of_the_shell_is_read_from_the_hooks_file() {
    let mut scripted = Scripted::new();
    let path = scripted.session.hook.workspace.directory().join("environment");
    std::fs::write(&path, b"A=1\0B=two=2\0broken\0").unwrap();
    let pairs = [("A".into(), "1".into()), ("B".into(), "two=2".into())];
    assert_eq!(scripted.session.hook.workspace.environment().wait(), pairs);
    assert_eq!(scripted.session.hook.workspace.environment().wait(), pairs, "until the hook writes another");
}

#[test]
fn finished_commands_are_told_to_the_next_query() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.says("start;/;false");
    scripted.prints("no\r\n");
    scripted.says("end;1");
    scripted.prompts();
    scripted.asks("> why");
    let Some(super::agent_link::Order::Answer(question)) = scripted.agent.order() else { panic!("it is asked") };
    let happened: Vec<_> = question.query.view.happened.iter().map(|happened| happened.command.status).collect();
    assert_eq!(happened, [1]);
    assert_eq!(question.query.view.cwd, PathBuf::from("/"));
}

#[test]
fn slash_commands_for_the_agent_are_orders_and_their_words_are_shown() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> /model");
    assert!(matches!(scripted.agent.order(), Some(super::agent_link::Order::Command(..))));
    scripted.tells(0, News::Words("the model is x".into()));
    scripted.tells(0, over());
    assert!(scripted.person.sees().contains("the model is x"));
    assert!(matches!(scripted.session.floor, Floor::Returning));
}

#[test]
fn a_long_output_is_shown_as_the_terminal_takes_it() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.person.sees();
    scripted.says("start;/;cat");
    let line = "x".repeat(999) + "\n";
    let mut seen = 0;
    for _ in 0..300 {
        scripted.prints(&line);
        seen += scripted.person.sees().len();
    }
    scripted.settle();
    seen += scripted.person.sees().len();
    assert_eq!(seen, 300_000);
}

#[test]
fn the_last_output_is_shown_and_the_shells_status_returned() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.says("start;/;exit");
    scripted.prints("\x1b[?2004h");
    scripted.person.sees();
    scripted.script.prints(b"logout\r\n");
    let Scripted { session, person, .. } = scripted;
    assert_eq!(session.close(Over::ShellEnded(crate::host::ShellEnding::Exited(3))), 3);
    assert_eq!(person.sees(), "logout\r\n\x1b[?2004l", "modes that a program left on are switched off");
}

#[test]
fn requests_that_the_end_stops_are_named_and_cancelled() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    let Some(super::agent_link::Order::Answer(question)) = scripted.agent.order() else { panic!("it is asked") };
    scripted.types("\x1a");
    scripted.prompts();
    scripted.tells(1, over());
    scripted.asks("> and now");
    scripted.types("\x1a");
    scripted.prompts();
    scripted.person.sees();
    let Scripted { session, person, agent, .. } = scripted;
    drop(agent);
    assert_eq!(session.close(Over::ShellEnded(crate::host::ShellEnding::Killed(9))), 137);
    assert!(person.sees().contains("stopped request 2, which was still running (> and now)"));
    assert!(!question.cancel.is_cancelled(), "the first was over before");
}

#[test]
fn a_shell_without_our_hooks_is_mentioned_once_when_enter_is_pressed() {
    let mut scripted = Scripted::new();
    let workspace = std::mem::replace(&mut scripted, Scripted::new());
    scripted.session.hook = HookLink::new(workspace.session.hook.workspace, vec!["/no/such/secret".into()]);
    scripted.types("x\r");
    assert_eq!(scripted.person.sees(), "", "a program that reads lines is in front");
    scripted.script.edits_lines(true);
    scripted.types("x");
    assert_eq!(scripted.person.sees(), "");
    scripted.types("\r");
    assert!(scripted.person.sees().contains("did not load our hooks"));
    scripted.types("\r");
    assert_eq!(scripted.person.sees(), "");
    assert_eq!(scripted.reads(), "x\rx\r\r", "no key is lost meanwhile");
}

#[test]
fn files_with_the_nonce_are_removed_when_the_hooks_have_spoken() {
    let mut scripted = Scripted::new();
    let secret = scripted.session.hook.workspace.directory().join("bash");
    std::fs::write(&secret, "nonce").unwrap();
    let other = std::mem::replace(&mut scripted, Scripted::new());
    scripted.session.hook = HookLink::new(other.session.hook.workspace, vec![secret.clone()]);
    scripted.prints("motd\r\n");
    assert!(secret.exists());
    scripted.says("hello;bash;5.2;1");
    assert!(!secret.exists());
}

#[test]
fn a_workspace_that_was_deleted_is_made_again() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    let directory = scripted.session.hook.workspace.directory().to_owned();
    std::fs::remove_dir_all(&directory).unwrap();
    scripted.prompts();
    assert!(directory.join("directives").exists());
    scripted.asks("> why");
    scripted.tells(1, over());
    assert_eq!(scripted.directive(), "token\n");
}

#[test]
fn text_behind_a_pasted_query_is_put_on_the_next_prompt() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.says("later;> and this");
    scripted.prompts();
    assert_eq!(scripted.reads(), "\x1b[200~> and this\x1b[201~");
    scripted.prompts();
    assert_eq!(scripted.reads(), "");
}

#[test]
fn keys_that_the_shell_has_not_read_are_taken_back_oldest_first() {
    let mut scripted = Scripted::new();
    scripted.session.wires.to_shell.push(b"queued");
    scripted.session.keyboard.held.push(b"held");
    scripted.session.carry_out(vec![super::floor::Effect::TakeBack]);
    assert_eq!(scripted.session.keyboard.take_held(), b"queuedheld", "oldest first");
    assert!(scripted.session.wires.to_shell.is_empty());
}

#[test]
fn effects_of_an_effect_come_before_those_that_were_waiting() {
    use super::floor::Effect;
    let mut scripted = Scripted::new();
    scripted.session.keyboard.held.push(b"1");
    let effects =
        vec![Effect::Send(b"0".to_vec()), Effect::RouteHeld, Effect::Route(b"2".to_vec()), Effect::Send(b"3".to_vec())];
    scripted.session.carry_out(effects);
    assert_eq!(scripted.reads(), "0123");
}

#[test]
fn background_jobs_are_shown_above_the_answer_line_by_line() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    scripted.person.sees();
    scripted.prints("[1]+ Done");
    assert!(!scripted.person.sees().contains("Done"));
    scripted.prints("\r\n");
    assert!(scripted.person.sees().contains("[1]+ Done\r\n"));
}

#[test]
fn a_full_screen_command_of_the_agent_leaves_no_output() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> edit");
    let (reply, mut ran) = tokio::sync::oneshot::channel();
    scripted.tells(1, News::Run("vi".into(), reply));
    scripted.says("read;go;vi");
    scripted.says("go");
    scripted.prints("\x1b[?1049h~~~~\x1b[?1049l");
    scripted.says("ran;0");
    let ran = ran.try_recv().unwrap().result.unwrap();
    assert!(!ran.output.contains("~~~~"), "{}", ran.output);
}

#[test]
fn an_interrupted_command_of_the_agent_gives_the_prompt_back_and_its_answer_goes_on() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> wait");
    let Some(super::agent_link::Order::Answer(question)) = scripted.agent.order() else { panic!("it is asked") };
    let (reply, mut ran) = tokio::sync::oneshot::channel();
    scripted.tells(1, News::Run("sleep 9".into(), reply));
    scripted.says("read;go;sleep 9");
    scripted.says("go");
    scripted.types("\x03");
    assert_eq!(scripted.reads(), "\x03");
    scripted.prompts();
    assert_eq!(ran.try_recv().unwrap().result.unwrap().status, 130);
    assert!(scripted.session.floor.is_shell() && !question.cancel.is_cancelled());
    scripted.person.sees();
    scripted.tells(1, over());
    assert!(scripted.person.sees().contains("request 1 is over"));
}

#[test]
fn a_list_of_requests_names_what_each_does() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> /show");
    assert!(scripted.person.sees().contains("nothing was asked yet"));
    scripted.prompts();
    scripted.asks("> first");
    scripted.types("\x1a");
    scripted.prompts();
    scripted.person.sees();
    scripted.asks("> /show");
    let screen = scripted.person.sees();
    assert!(screen.contains("is running") && screen.contains("> first"), "{screen}");
    scripted.prompts();
    scripted.asks("> /show 7");
    assert!(scripted.person.sees().contains("there is no request 7; the last is 1"));
}

#[test]
fn a_request_that_is_over_is_shown_again() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    scripted.tells(1, News::Event(Event::Text("It was the cache.\n\n".into())));
    scripted.tells(1, News::Event(Event::Finished(Ending::Answered)));
    scripted.tells(1, over());
    scripted.prompts();
    scripted.person.sees();
    for _ in 0..2 {
        scripted.asks("> /show 1");
        let screen = scripted.person.sees();
        assert!(screen.contains("> why") && screen.contains("It was the cache."), "{screen}");
        scripted.prompts();
    }
}

#[test]
fn a_trailing_ampersand_asks_in_the_background() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> count the lines &");
    assert_eq!(scripted.agent.query().as_deref(), Some("count the lines"));
    assert!(scripted.person.sees().contains("request 1 goes on in the background"));
    assert!(matches!(scripted.session.floor, Floor::Returning));
    assert_eq!(scripted.directive(), "token\n");
}

#[test]
fn news_of_an_abandoned_slash_command_reach_nobody() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> /model");
    scripted.prompts();
    assert_eq!(scripted.session.agent.disowned, 1);
    scripted.asks("> /model");
    scripted.person.sees();
    scripted.tells(0, News::Words("late".into()));
    scripted.tells(0, over());
    assert!(!scripted.person.sees().contains("late"));
    scripted.tells(0, News::Words("in time".into()));
    scripted.tells(0, over());
    assert!(scripted.person.sees().contains("in time"));
}
