//! The properties that the fuzz targets of `tests/fuzz` check, one function for each target.
//!
//! They are compiled with the feature `fuzzing` and for unit tests only. The unit tests call each with random inputs, so that a target cannot
//! fall behind the code.

#![allow(clippy::expect_used)]

use std::sync::Arc;
use std::time::Instant;

use crate::capture::{Size, render};
use crate::chat::Event;
use crate::guard::Redactor;
use crate::guard::command::{self, CommandPlace};
use crate::input::decode::PASTE_CAP;
use crate::input::{Code, Decoder, EditOutcome, Editing, EditorScreen, Input, Key, LineEditor, Offers, QueryHistory};
use crate::provider::replay::replay;
use crate::provider::sse::SseParser;
use crate::provider::{Delta, ErrorKind, Protocol};
use crate::render::{CodeColours, Depth, Painter, RenderOptions, ScreenSize, TerminalMode, Theme, Wrapping};
use crate::text::shell::parse::parse;
use crate::text::shell::quote::{self, Dialect};
use crate::text::shell::{Token, tokens};
use crate::track::{Piece, Scanner};

/// Any way of cutting a stream gives the same bytes and marks, and without our nonce every byte passes.
pub fn scanner(input: (u8, Vec<u8>)) {
    let (step, stream) = input;
    let whole = scan(&[&stream]);
    let cut: Vec<&[u8]> = stream.chunks(usize::from(step).max(1)).collect();
    assert_eq!(scan(&cut), whole);
    if !stream.windows(NONCE.len()).any(|window| window == NONCE.as_bytes()) {
        assert_eq!(whole.0, stream);
    }
}

const NONCE: &str = "00000000000000000000000000000000";

fn scan(chunks: &[&[u8]]) -> (Vec<u8>, Vec<(usize, String)>) {
    let mut scanner = Scanner::new(NONCE);
    let (mut bytes, mut marks) = (Vec::new(), Vec::new());
    let mut take = |piece: Piece<'_>| match piece {
        Piece::Bytes(more) => bytes.extend_from_slice(more),
        Piece::Switch(switch) if !switch.changes_screen() => marks.push((0, format!("{piece:?}"))),
        other => marks.push((bytes.len(), format!("{other:?}"))),
    };
    for chunk in chunks {
        scanner.scan(chunk, &mut take);
    }
    scanner.finish(&mut take);
    (bytes, marks)
}

/// Whatever a program prints can be turned into text: no panic, no control characters left.
pub fn plain(input: (u8, u8, Vec<u8>)) {
    let (rows, cols, bytes) = input;
    let text = render(&bytes, Size::new(rows.into(), cols.into()));
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
}

/// A server's events do not depend on how the network cuts them, and never grow past their cap.
pub fn sse(input: (u8, Vec<u8>)) {
    let (step, stream) = input;
    let cut: Vec<&[u8]> = stream.chunks(usize::from(step).max(1)).collect();
    assert_eq!(events(&cut), events(&[&stream]));
}

fn events(chunks: &[&[u8]]) -> (Vec<String>, bool) {
    let mut parser = SseParser::default();
    let mut events = Vec::new();
    let mut failed = false;
    for chunk in chunks {
        failed = failed || parser.feed(chunk, &mut events).is_err();
    }
    (events.iter().map(|event| format!("{event:?}")).collect(), failed)
}

/// What a wire makes of an answer does not depend on how the network cuts it; an answer ends once, with the reason, or is an error.
pub fn wires(input: (u8, u8, Vec<u8>)) {
    let (wire, step, bytes) = input;
    const WIRES: [Protocol; 4] = [Protocol::Chat, Protocol::Responses, Protocol::Messages, Protocol::Ollama];
    let protocol = WIRES[usize::from(wire) % WIRES.len()];
    let cut: Vec<&[u8]> = bytes.chunks(usize::from(step).max(1)).collect();
    assert_eq!(read(protocol, &cut), read(protocol, &[&bytes]));
}

/// The pieces joined, for how often a text is cut is no difference.
fn read(protocol: Protocol, chunks: &[&[u8]]) -> (String, Result<(), ErrorKind>) {
    let (mut said, mut stops) = (String::new(), 0);
    let mut hear = |delta| {
        assert_eq!(stops, 0, "nothing comes after the end");
        stops += usize::from(matches!(delta, Delta::Stopped(_)));
        said.push_str(&format!("{delta:?}"));
    };
    let end = replay(protocol, chunks, &mut hear).map_err(|error| error.kind().clone());
    assert_eq!(stops == 1, end.is_ok(), "an answer is whole or an error");
    (said, end)
}

/// Whatever a model says, in whatever pieces and on however wide a terminal, is painted: no panic, and no sequence but our own.
pub fn markdown(input: (u8, u8, u8, String)) {
    let (step, columns, resized, text) = input;
    let options = RenderOptions {
        columns: columns.into(),
        rows: 24,
        wrap: if step % 2 == 0 { Wrapping::Words } else { Wrapping::Terminal },
        colour: Depth::Ansi16,
        theme: Theme::default(),
        code: CodeColours::default(),
        unicode: true,
        synchronized: true,
        hyperlinks: true,
        mode: TerminalMode::Terminal,
        keys: Arc::default(),
    };
    let (mut painter, mut out, now) = (Painter::new(options), Vec::new(), Instant::now());
    let chars: Vec<char> = text.chars().collect();
    for (index, piece) in chars.chunks(usize::from(step).max(1)).enumerate() {
        painter.event(&Event::Text(piece.iter().collect()), now, &mut out);
        if index == 2 {
            painter.resize(ScreenSize { columns: resized.into(), rows: 24 }, &mut out);
        }
    }
    painter.finish(&mut out);
    for (at, _) in out.iter().enumerate().filter(|(_, byte)| **byte == 0x1B) {
        let rest = &out[at + 1..];
        let ours = rest.starts_with(b"[") || rest.starts_with(b"]8;;") || rest.starts_with(b"\\");
        assert!(ours, "{:?}", String::from_utf8_lossy(&rest[..rest.len().min(20)]));
    }
    assert!(String::from_utf8(out).is_ok_and(|text| !text.chars().any(|c| ('\u{80}'..='\u{9f}').contains(&c))));
}

/// Any text can be masked, and masking what is masked changes nothing.
pub fn redact(text: String) {
    let redactor = Redactor::default();
    redactor.learn(&[("MY_SECRET".into(), "correct-horse-1".into())]);
    let once = redactor.mask(&text);
    assert!(!once.contains("correct-horse-1"));
    assert_eq!(redactor.mask(&once), once);
}

/// Whatever a terminal sends becomes keys: none of them is a control character, no paste is too long, and an Enter comes through in
/// the end. A line takes them all and can be painted.
pub fn keys(input: (u8, u8, Vec<u8>)) {
    let (rows, columns, bytes) = input;
    let screen = EditorScreen {
        rows: u16::from(rows).max(1),
        columns: u16::from(columns).max(1),
        prompt: "› ",
        colour: true,
        is_plain: false,
        reflows: columns % 2 == 0,
    };
    let editing = if rows % 2 == 0 { Editing::Emacs } else { Editing::Vi };
    let (mut decoder, mut line, history, offers) =
        (Decoder::default(), LineEditor::new(editing, Arc::default()), QueryHistory::default(), Offers::default());
    for byte in &bytes {
        let Some(input) = decoder.byte(*byte) else { continue };
        match &input {
            Input::Key(Key { code: Code::Char(letter), .. }) => assert!(!letter.is_control(), "{letter:?}"),
            Input::Key(_) => {}
            Input::Paste(text) => assert!(text.len() <= 3 * PASTE_CAP),
        }
        if !matches!(line.input(input, &history, &offers), EditOutcome::Open | EditOutcome::Edit(_)) {
            line = LineEditor::new(editing, Arc::default());
        }
        line.paint(&screen, &history, &mut Vec::new());
    }
    decoder.settle();
    assert!(!decoder.is_undecided());
    // The end of a paste, and more Enters than a mouse's report has bytes.
    let heard: Vec<Input> = b"\x1b[201~\r\r\r\r\r".iter().filter_map(|byte| decoder.byte(*byte)).collect();
    assert_eq!(heard.last(), Some(&Input::Key(Key::plain(Code::Enter))));
}

/// Any text can be read as a command line: no panic, and every span is within the text.
pub fn shell(text: String) {
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
}

/// Any text can be read as a command: no panic, and few parts. A text in quotes after `echo` only looks.
pub fn command(text: String) {
    let root = std::path::Path::new("/nowhere");
    let place =
        CommandPlace { cwd: root, home: Some(root), project: root, path: "/usr/bin".as_ref(), is_confined: true };
    let reading = command::read(&text, &place);
    assert!(reading.parts.len() < 5000, "{} parts", reading.parts.len());
    if reading.only_looks() {
        assert!(parse(&text).is_ok() && reading.danger().is_none());
    }
    let quoted = format!("echo {}", quote::word(&text, Dialect::Posix));
    let is_unread = text.contains(char::is_control) || ["`", "${", "$[", "@P}"].iter().any(|sign| text.contains(sign));
    if !is_unread && text.len() < 1024 {
        let reading = command::read(&quoted, &place);
        assert!(reading.only_looks(), "{reading:?}");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    #[test]
    fn a_row_that_is_fixed_may_become_other_characters() {
        super::markdown((0, 17, 0, "\n\n\nzzzzzzzz)\0\n\x01\0\0".to_owned()));
    }

    proptest! {
        #[test]
        fn scanner(input: (u8, Vec<u8>)) {
            super::scanner(input);
        }

        #[test]
        fn plain(input: (u8, u8, Vec<u8>)) {
            super::plain(input);
        }

        #[test]
        fn sse(input: (u8, Vec<u8>)) {
            super::sse(input);
        }

        #[test]
        fn wires(input: (u8, u8, Vec<u8>)) {
            super::wires(input);
        }

        #[test]
        fn markdown(input: (u8, u8, u8, String)) {
            super::markdown(input);
        }

        #[test]
        fn redact(input: String) {
            super::redact(input);
        }

        #[test]
        fn keys(input: (u8, u8, Vec<u8>)) {
            super::keys(input);
        }

        #[test]
        fn shell(input: String) {
            super::shell(input);
        }

        #[test]
        fn command(input: String) {
            super::command(input);
        }
    }
}
