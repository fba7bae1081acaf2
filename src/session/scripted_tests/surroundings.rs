//! The hooks, the workspace, faults, the end of a session, and the list of requests.

use super::*;

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
fn a_directive_without_an_answer_is_repeated() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> /show 9");
    assert_eq!(scripted.directive(), "token\n");
    let due = scripted.session.hook.due().expect("an answer of the hook is awaited");
    scripted.session.remind_hook(due - Duration::from_millis(1));
    assert_eq!(scripted.directive(), "", "the hook has a while to answer");
    scripted.session.remind_hook(due);
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
fn finished_commands_are_sent_with_the_next_query() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.says("start;/;false");
    scripted.prints("no\r\n");
    scripted.says("end;1");
    scripted.prompts();
    scripted.asks("> why");
    let Some(super::super::agent_link::Order::Answer(question)) = scripted.agent.order() else { panic!("it is asked") };
    let happened: Vec<_> = question.query.view.happened.iter().map(|happened| happened.command.status).collect();
    assert_eq!(happened, [1]);
    assert_eq!(question.query.view.cwd, PathBuf::from("/"));
}

#[test]
fn slash_commands_for_the_agent_are_orders_and_their_answers_are_shown() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> /model");
    assert!(matches!(scripted.agent.order(), Some(super::super::agent_link::Order::Command(..))));
    scripted.tells(0, News::Words("the model is x".into()));
    scripted.tells(0, over());
    assert!(scripted.person.sees().contains("the model is x"));
    assert!(matches!(scripted.session.floor, Floor::Returning));
}

#[test]
fn a_long_output_is_shown_as_fast_as_the_terminal_accepts_it() {
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
fn the_last_output_is_shown_and_the_shells_status_is_returned() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.says("start;/;exit");
    scripted.prints("\x1b[?2004h");
    scripted.person.sees();
    scripted.script.prints(b"logout\r\n");
    let Scripted { session, person, .. } = scripted;
    assert_eq!(session.close(LoopEnd::ShellEnded(crate::host::ShellEnding::Exited(3))), 3);
    assert_eq!(person.sees(), "logout\r\n\x1b[?2004l", "modes that a program left on are switched off");
}

#[test]
fn requests_stopped_by_the_end_of_the_session_are_named_and_cancelled() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> why");
    let Some(super::super::agent_link::Order::Answer(question)) = scripted.agent.order() else { panic!("it is asked") };
    scripted.types("\x1a");
    scripted.prompts();
    scripted.tells(1, over());
    scripted.asks("> and now");
    scripted.types("\x1a");
    scripted.prompts();
    scripted.person.sees();
    let Scripted { session, person, agent, .. } = scripted;
    drop(agent);
    assert_eq!(session.close(LoopEnd::ShellEnded(crate::host::ShellEnding::Killed(9))), 137);
    assert!(person.sees().contains("stopped request 2, which was still running (> and now)"));
    assert!(!question.cancel.is_cancelled(), "the first was over before");
}

#[test]
fn a_shell_without_our_hooks_is_reported_once_when_enter_is_pressed() {
    let mut scripted = Scripted::new();
    let workspace = std::mem::replace(&mut scripted, Scripted::new());
    scripted.session.hook = HookLink::new(workspace.session.hook.workspace, vec!["/no/such/secret".into()]);
    scripted.types("x\r");
    assert_eq!(scripted.person.sees(), "", "a program that reads lines is in front");
    scripted.script.edits_lines(true);
    scripted.types("x");
    assert_eq!(scripted.person.sees(), "");
    scripted.types("\r");
    assert!(scripted.person.sees().contains("did not load shellmate's hooks"));
    scripted.types("\r");
    assert_eq!(scripted.person.sees(), "");
    assert_eq!(scripted.reads(), "x\rx\r\r", "no key is lost meanwhile");
}

#[test]
fn files_with_the_nonce_are_deleted_after_hello() {
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
fn a_deleted_workspace_is_created_again() {
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
fn text_after_a_pasted_query_is_put_on_the_next_prompt() {
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
    scripted.session.carry_out(vec![super::super::floor::Effect::TakeBack]);
    assert_eq!(scripted.session.keyboard.take_held(), b"queuedheld", "oldest first");
    assert!(scripted.session.wires.to_shell.is_empty());
}

#[test]
fn effects_of_an_effect_come_before_the_waiting_ones() {
    use super::super::floor::Effect;
    let mut scripted = Scripted::new();
    scripted.session.keyboard.held.push(b"1");
    let effects =
        vec![Effect::Send(b"0".to_vec()), Effect::RouteHeld, Effect::Route(b"2".to_vec()), Effect::Send(b"3".to_vec())];
    scripted.session.carry_out(effects);
    assert_eq!(scripted.reads(), "0123");
}

#[test]
fn output_of_background_jobs_is_shown_above_the_answer_line_by_line() {
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
    let Some(super::super::agent_link::Order::Answer(question)) = scripted.agent.order() else { panic!("it is asked") };
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
    assert!(scripted.person.sees().contains("request 1 has finished"));
}

#[test]
fn a_list_of_requests_shows_the_state_of_each() {
    let mut scripted = Scripted::new();
    scripted.prompts();
    scripted.asks("> /show");
    assert!(scripted.person.sees().contains("nothing has been asked yet"));
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
fn a_finished_request_is_shown_again() {
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
    assert!(scripted.person.sees().contains("request 1 continues in the background"));
    assert!(matches!(scripted.session.floor, Floor::Returning));
    assert_eq!(scripted.directive(), "token\n");
}

#[test]
fn news_of_an_abandoned_slash_command_is_ignored() {
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
