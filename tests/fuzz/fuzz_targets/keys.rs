//! Whatever a terminal sends becomes keys: none of them is a control character, no paste is too long, and an Enter comes through in
//! the end. A line takes them all and can be painted.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellmate::input::{Code, Decoder, Editing, History, Input, Key, Line, Offers, Outcome, PASTE_CAP, Screen};

fuzz_target!(|input: (u8, u8, Vec<u8>)| {
    let (rows, columns, bytes) = input;
    let screen = Screen {
        rows: u16::from(rows).max(1),
        columns: u16::from(columns).max(1),
        prompt: "› ",
        colour: true,
        is_plain: false,
        reflows: columns % 2 == 0,
    };
    let editing = if rows % 2 == 0 { Editing::Emacs } else { Editing::Vi };
    let (mut decoder, mut line, history, offers) =
        (Decoder::default(), Line::new(editing), History::default(), Offers::default());
    for byte in &bytes {
        let Some(input) = decoder.byte(*byte) else { continue };
        match &input {
            Input::Key(Key { code: Code::Char(letter), .. }) => assert!(!letter.is_control(), "{letter:?}"),
            Input::Key(_) => {}
            Input::Paste(text) => assert!(text.len() <= 3 * PASTE_CAP),
        }
        if !matches!(line.input(input, &history, &offers), Outcome::Open | Outcome::Edit(_)) {
            line = Line::new(editing);
        }
        line.paint(&screen, &history, &mut Vec::new());
    }
    decoder.settle();
    assert!(!decoder.is_undecided());
    // The end of a paste, and more Enters than a mouse's report has bytes.
    let heard: Vec<Input> = b"\x1b[201~\r\r\r\r\r".iter().filter_map(|byte| decoder.byte(*byte)).collect();
    assert_eq!(heard.last(), Some(&Input::Key(Key::plain(Code::Enter))));
});
