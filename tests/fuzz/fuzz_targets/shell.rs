//! Any text can be read as a command line: no panic, and every span is within the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellmate::text::shell::quote::{self, Dialect};
use shellmate::text::shell::{Token, parse, tokens};

fuzz_target!(|text: String| {
    for token in tokens(&text) {
        let span = match token {
            Token::Word(word) => word.span,
            Token::Redirection(redirection) => redirection.span,
            Token::Operator(_, span) => span,
        };
        assert!(text.get(span).is_some());
    }
    match parse(&text) {
        Ok(script) => {
            assert!(script.simple_commands().iter().all(|simple| text.get(simple.span.clone()).is_some()));
            assert!(script.expansions().iter().all(|found| text.get(found.span.clone()).is_some()));
        }
        Err(error) => assert!(error.offset <= text.len()),
    }
    if !text.contains(char::is_control) && text.len() < 1024 {
        let line = format!("echo {}", quote::word(&text, Dialect::Posix));
        let script = parse(&line).expect("a quoted word is one word");
        assert_eq!(script.simple_commands()[0].words[1].literal(), Some(text.as_str()));
    }
});
