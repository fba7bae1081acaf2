//! Queries, conversations and background requests, from the key to the prompt.

use super::*;

#[test]
fn keys_and_output_pass_unchanged() {
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
    // Typed during the answer, for the line that opens again.
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
fn the_hotkey_opens_a_line_over_a_program_and_a_second_press_goes_to_the_program() {
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
    scripted.types("\x1c");
    assert!(scripted.session.floor.is_shell());
    assert_eq!(scripted.reads(), "\x1c");
    let screen = scripted.person.sees();
    assert!(screen.contains("TEXT") && screen.contains("later"), "{screen}");
}

#[test]
fn a_forged_query_has_no_effect() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.script.runs_program(Pid::from_raw(1));
    scripted.says("query;> why;kept");
    scripted.says("wait;1;/");
    assert!(scripted.session.floor.is_shell());
    assert!(scripted.agent.order().is_none());
}

#[test]
fn the_loop_ends_when_the_terminal_is_gone() {
    let mut scripted = Scripted::new();
    let Scripted { person, .. } = scripted;
    drop(person);
    let (mut keys, mut chunk) = ([0; 16], [0; 16]);
    assert!(matches!(scripted.session.turn_once(&mut keys, &mut chunk), Some(LoopEnd::HungUp)));
}

#[test]
fn a_resize_reaches_the_shell_and_a_signal_for_it_too() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.person.resizes(50, 132);
    scripted.session.on_signal(super::super::SignalEvent::Resized);
    assert_eq!(scripted.script.sizes(), [(50, 132)]);
    scripted.session.on_signal(super::super::SignalEvent::ForShell(super::super::Signal::SIGINT));
    assert_eq!(scripted.script.signals(), [super::super::Signal::SIGINT]);
    scripted.asks("> why");
    scripted.session.on_signal(super::super::SignalEvent::ForShell(super::super::Signal::SIGINT));
    assert_eq!(scripted.script.signals(), [], "the hook waits and must not be interrupted");
}

#[test]
fn a_request_in_the_background_is_announced_above_an_idle_prompt() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    scripted.types("\x1a");
    assert!(scripted.person.sees().contains("request 1 continues in the background"));
    assert_eq!(scripted.directive(), "token\n");
    scripted.prompts();
    scripted.person.sees();
    scripted.tells(1, News::Event(Event::Text("Because.\n\n".into())));
    assert!(!scripted.person.sees().contains("Because."), "nothing is painted into the prompt");
    scripted.tells(1, News::Event(Event::Finished(Ending::Answered)));
    scripted.tells(1, over());
    let screen = scripted.person.sees();
    assert!(screen.contains("request 1 has finished") && screen.contains("Because."), "{screen}");
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
    assert!(scripted.person.sees().contains("request 1 has finished"), "the next prompt tells");
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
fn a_command_proposed_over_a_program_waits_for_the_prompt() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.script.runs_program(Pid::from_raw(1));
    scripted.says("start;/;vim");
    scripted.types("\x1c");
    scripted.types("how\r");
    scripted.tells(1, News::Suggest("make test".into()));
    scripted.tells(1, over());
    scripted.types("\x04");
    assert!(scripted.session.floor.is_shell());
    scripted.prints("vim draws");
    assert_eq!(scripted.reads(), "", "the program gets nothing");
    scripted.prompts();
    assert_eq!(scripted.reads(), "\x1b[200~make test\x1b[201~");
}

#[test]
fn messages_to_the_agent_are_sent_while_it_works() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    let Some(super::super::agent_link::Order::Answer(mut question)) = scripted.agent.order() else {
        panic!("it is asked")
    };
    scripted.types(">and the tests\r");
    assert_eq!(question.steering.try_recv().as_deref(), Ok("and the tests"));
    assert_eq!(scripted.reads(), "");
}

#[test]
fn messages_that_come_too_late_are_put_on_the_prompt() {
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
    let Some(super::super::agent_link::Order::Answer(question)) = scripted.agent.order() else { panic!("it is asked") };
    scripted.types("\x03");
    assert!(question.cancel.is_cancelled());
    assert!(matches!(scripted.session.floor, Floor::Turn(_)), "until the agent says that it is over");
    scripted.tells(1, over());
    assert!(matches!(scripted.session.floor, Floor::Returning));
}

#[test]
fn ctrl_z_among_keys_typed_before_a_question_does_not_refuse_it() {
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
fn the_end_of_the_agents_thread_ends_its_requests() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    drop(std::mem::replace(&mut scripted.agent, AgentLink::scripted().1));
    scripted.settle();
    assert!(scripted.person.sees().contains("the agent crashed"));
    assert!(matches!(scripted.session.floor, Floor::Returning));
    assert_eq!(scripted.session.requests.running(), Vec::<u64>::new());
}

#[test]
fn an_interrupted_hook_leaves_the_prompt_on_the_screen() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    let Some(super::super::agent_link::Order::Answer(question)) = scripted.agent.order() else { panic!("it is asked") };
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
