//! `/resume`, `/fork`, `/rewind` and `/name` with real recordings.

use super::News;
use super::testing::{Desk, MODEL};

#[test]
fn without_recording_there_is_no_conversation_to_resume() {
    let mut desk = Desk::unrecorded();
    desk.exchange("why", "Because.");
    for line in ["/resume", "/resume 1", "/fork", "/name the build"] {
        assert!(desk.types(line).contains("not recorded here"), "{line}");
    }
    assert_eq!(desk.questions(), ["why"]);
}

#[test]
fn before_the_first_question_there_is_nothing_to_fork_name_or_take_back() {
    let mut desk = Desk::new();
    for line in ["/fork", "/name the build", "/rewind", "/rewind 3"] {
        assert_eq!(desk.types(line), "nothing has been asked yet", "{line}");
    }
    assert_eq!(desk.types("/resume"), "no other conversation has been recorded yet");
    assert!(desk.news().is_none());
}

#[test]
fn a_conversation_is_resumed_by_number_title_or_what_was_said() {
    let mut desk = Desk::new();
    desk.exchange("why does the build fail", "A semicolon is missing.");
    desk.exchange("and the tests", "They pass.");
    let number = desk.number().unwrap();
    assert_eq!(desk.types("/name  the   arm\tbuild"), format!("conversation {number} is called: the arm build"));
    for wanted in [number.to_string(), "arm build".into(), "semicolon".into()] {
        desk.types("/new");
        assert!(desk.questions().is_empty());
        let words = desk.types(&format!("/resume {wanted}"));
        assert_eq!(
            words,
            format!("conversation {number} goes on: the arm build\nyour last question was: and the tests")
        );
        assert_eq!(desk.questions(), ["why does the build fail", "and the tests"]);
        assert_eq!(desk.number(), Some(number), "what is asked next is added to it");
    }
    assert_eq!(desk.types(&format!("/resume {number}")), format!("this is conversation {number} already"));
}

#[test]
fn a_conversation_that_is_not_found_leaves_this_one_as_it_is() {
    let mut desk = Desk::new();
    desk.exchange("why", "Because.");
    let number = desk.number();
    for wanted in ["99", "-1", "no such words"] {
        let words = format!("no conversation matches `{wanted}`; `> /resume` lists the newest");
        assert_eq!(desk.types(&format!("/resume {wanted}")), words);
    }
    assert_eq!((desk.questions(), desk.number()), (vec!["why".to_owned()], number));
}

#[test]
fn words_find_another_conversation_before_the_current_one() {
    let mut desk = Desk::new();
    desk.exchange("first", "A semicolon is missing.");
    let first = desk.number().unwrap();
    desk.types("/new");
    desk.exchange("second", "The semicolon again.");
    let second = desk.number().unwrap();
    assert!(desk.types("/resume semicolon").starts_with(&format!("conversation {first} goes on: first")));
    desk.types("/new");
    desk.exchange("third", "A colon.");
    let third = desk.number().unwrap();
    assert_eq!(desk.types("/resume colon"), format!("this is conversation {third} already"), "only this one says so");
    assert!(first < second && second < third);
}

#[test]
fn the_list_has_this_repository_first_and_never_the_current_conversation() {
    let mut desk = Desk::new();
    let app = desk.query.view.cwd.clone();
    desk.exchange("in the app", "Yes.");
    let inside = desk.number().unwrap();
    desk.types("/new");
    desk.query.view.cwd = desk.place("other");
    std::fs::create_dir(&desk.query.view.cwd).unwrap();
    desk.exchange("in another place", "Yes.");
    let outside = desk.number().unwrap();
    desk.types("/name  chores");
    desk.types("/new");
    desk.query.view.cwd = app;
    desk.exchange("current", "Yes.");
    let current = desk.number().unwrap();
    let mut listed = Vec::new();
    let words = desk.types_and("/resume", |news| {
        let News::Pick(list, reply) = news else { panic!("a list is shown") };
        assert_eq!(list.action, "continues it");
        listed = list.items.iter().map(|item| (item.id, item.text.clone())).collect();
        reply.send(None).unwrap();
    });
    assert_eq!(words, "the conversation was not changed");
    let texts =
        [(inside, format!("in the app  ({MODEL})")), (outside, format!("other: chores: in another place  ({MODEL})"))];
    assert_eq!(listed, texts);
    let words = desk.types_and("/resume", |news| {
        if let News::Pick(_, reply) = news {
            reply.send(Some(outside)).unwrap();
        }
    });
    assert!(words.starts_with(&format!("conversation {outside} goes on: chores")), "{words}");
    assert!(outside < current && desk.questions() == ["in another place"]);
}

#[test]
fn a_picked_conversation_that_is_gone_by_then_changes_nothing() {
    let mut desk = Desk::new();
    desk.exchange("old", "Yes.");
    desk.number();
    desk.types("/new");
    let words = desk.types_and("/resume", |news| {
        if let News::Pick(_, reply) = news {
            reply.send(Some(4_711)).unwrap();
        }
    });
    assert!(words.starts_with("no conversation matches"), "{words}");
    assert!(desk.questions().is_empty());
}

#[test]
fn a_conversation_that_another_terminal_uses_is_continued_as_a_fork() {
    let mut desk = Desk::new();
    desk.exchange("why", "Because.");
    let number = desk.number().unwrap();
    let mut other = desk.beside();
    let words = other.types(&format!("/resume {number}"));
    assert_eq!(words, format!("conversation {number} is in use in another terminal; this is a fork of it: why"));
    other.exchange("and here", "Too.");
    assert_ne!(other.number(), Some(number));
    desk.types("/new");
    desk.types(&format!("/resume {number}"));
    assert_eq!(desk.questions(), ["why"], "the fork adds nothing to it");
}

#[test]
fn a_fork_starts_with_the_same_messages_and_the_original_stays() {
    let mut desk = Desk::new();
    desk.exchange("why", "Because.");
    let number = desk.number().unwrap();
    let words = desk.types("/fork");
    assert_eq!(words, format!("your next question begins a fork; `> /resume {number}` goes back to where it began"));
    desk.exchange("what if", "Then not.");
    let fork = desk.number().unwrap();
    assert_ne!(fork, number);
    desk.types(&format!("/resume {number}"));
    assert_eq!(desk.questions(), ["why"]);
    desk.types(&format!("/resume {fork}"));
    assert_eq!(desk.questions(), ["why", "what if"]);
}

#[test]
fn questions_are_taken_back_onto_the_prompt_and_stay_away_after_a_resume() {
    let mut desk = Desk::new();
    for question in ["one", "two", "three"] {
        desk.exchange(question, "Yes.");
    }
    let number = desk.number().unwrap();
    assert_eq!(desk.types("/rewind 4"), "only 3 questions have been asked");
    assert!(desk.types("/rewind").starts_with("took the last question back"));
    assert!(matches!(desk.news(), Some(News::AskAgain(question)) if question == "three"));
    desk.exchange("four", "Yes.");
    assert!(desk.types("/rewind 2").starts_with("took the last 2 questions back"));
    assert!(
        matches!(desk.news(), Some(News::AskAgain(question)) if question == "two"),
        "the first of those taken back"
    );
    assert_eq!(desk.types("/rewind 2"), "only one question has been asked");
    assert_eq!(desk.questions(), ["one"]);
    desk.number();
    desk.types("/new");
    desk.types(&format!("/resume {number}"));
    assert_eq!(desk.questions(), ["one"]);
}

#[test]
fn a_resumed_conversation_goes_on_with_its_model_unless_another_was_chosen() {
    let opus = "anthropic/claude-opus-4-1";
    let cases = [
        (MODEL, "", None),
        (opus, "", Some(format!("from here on: {opus}"))),
        (opus, "/model anthropic/claude-haiku-4-5", None),
        ("openai/gpt-5", "", Some(format!("openai/gpt-5 is not available any more; {MODEL} answers"))),
        ("", "", None),
    ];
    for (model, chosen, expected) in cases {
        let mut desk = Desk::new();
        desk.exchange_with(model, "why", "Because.");
        let number = desk.number().unwrap();
        desk.types("/new");
        if !chosen.is_empty() {
            assert!(desk.types(chosen).starts_with("from here on: "));
        }
        let words = desk.types(&format!("/resume {number}"));
        assert_eq!(words.lines().nth(1).map(str::to_owned), expected, "{model} {chosen}: {words}");
    }
}

#[test]
fn a_long_title_is_shown_on_one_short_line() {
    let mut desk = Desk::new();
    desk.exchange("why", "Because.");
    let number = desk.number().unwrap();
    let words = desk.types(&format!("/name {}", "ä".repeat(100)));
    assert_eq!(words, format!("conversation {number} is called: {}…", "ä".repeat(36)));
}
