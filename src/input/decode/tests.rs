use proptest::prelude::*;

use super::*;

fn decoded(bytes: &[u8]) -> Vec<Input> {
    let mut decoder = Decoder::default();
    let mut inputs: Vec<Input> = bytes.iter().filter_map(|&byte| decoder.byte(byte)).collect();
    inputs.extend(decoder.settle());
    inputs
}

fn keys(bytes: impl AsRef<[u8]>) -> Vec<Key> {
    let key = |input| match input {
        Input::Key(key) => key,
        Input::Paste(text) => panic!("a paste: {text}"),
    };
    decoded(bytes.as_ref()).into_iter().map(key).collect()
}

#[test]
fn letters_and_control_keys() {
    assert_eq!(keys("aé漢"), ['a', 'é', '漢'].map(|letter| Key::plain(Code::Char(letter))));
    assert_eq!(keys(b"\x01\x1a\0\x1c\x1f"), ['a', 'z', ' ', '\\', '_'].map(Key::ctrl));
    let plain = [Code::Enter, Code::Tab, Code::Backspace, Code::Esc].map(Key::plain);
    assert_eq!(keys(b"\r\t\x7f\x1b"), plain);
    assert_eq!(keys("\x1bb\x1bé\x1b\r"), [Key::alt('b'), Key::alt('é'), Key::new(Code::Enter, Mods::ALT)]);
    assert_eq!(keys(b"\x1b\x1b"), [Key::plain(Code::Esc); 2]);
}

#[test]
fn sequences_of_many_terminals() {
    for (bytes, code, mods) in [
        ("\x1b[A", Code::Up, Mods::NONE),
        ("\x1bOB", Code::Down, Mods::NONE),
        ("\x1b[1;5C", Code::Right, Mods::CTRL),
        ("\x1bO5D", Code::Left, Mods::NONE),
        ("\x1b[1~", Code::Home, Mods::NONE),
        ("\x1b[8~", Code::End, Mods::NONE),
        ("\x1b[3;3~", Code::Delete, Mods::ALT),
        ("\x1b[Z", Code::Tab, Mods::SHIFT),
        ("\x1bOM", Code::Enter, Mods::NONE),
        ("\x1b[[A", Code::Function(1), Mods::NONE),
        ("\x1b[15~", Code::Function(5), Mods::NONE),
        ("\x1b[24~", Code::Function(12), Mods::NONE),
        ("\x1b[13;2u", Code::Enter, Mods::SHIFT),
        ("\x1b[27;2;13~", Code::Enter, Mods::SHIFT),
        ("\x1b[92;5u", Code::Char('\\'), Mods::CTRL),
        ("\x1b[97;2u", Code::Char('A'), Mods::NONE),
        ("\x1b[49:33;2u", Code::Char('!'), Mods::NONE),
        ("\x1b[97;;228u", Code::Char('ä'), Mods::NONE),
        ("\x1b[106;69u", Code::Char('j'), Mods::CTRL),
        ("\x1b[27u", Code::Esc, Mods::NONE),
        ("\x1b[57414u", Code::Enter, Mods::NONE),
        ("\x1b[57400u", Code::Char('1'), Mods::NONE),
    ] {
        assert_eq!(keys(bytes), [Key::new(code, mods)], "{bytes:?}");
    }
}

#[test]
fn replies_and_reports_are_skipped_without_swallowing_keys() {
    for noise in [
        "\x1b[97;1:3u",                   // a key let go
        "\x1b[1;1:3A",                    //
        "\x1b[<0;10;20M",                 // the mouse
        "\x1b[M !!",                      //
        "\x1b[I",                         // focus
        "\x1b[?62;c",                     // answers
        "\x1b[10;20R",                    //
        "\x1b]11;rgb:0000/0000/0000\x07", //
        "\x1b]11;rgb:0/0/0\x1b\\",        //
        "\x1bP>|XTerm(390)\x1b\\",        //
        "\x1b[57441u",                    // Shift on its own
    ] {
        assert_eq!(keys(format!("{noise}x")), [Key::plain(Code::Char('x'))], "{noise:?}");
    }
    assert_eq!(keys("\x1b]1x\r"), [Key::plain(Code::Enter)], "an Enter ends an answer that does not end");
    assert_eq!(keys("\x1b[12\r"), [Key::plain(Code::Enter)]);
    assert_eq!(keys("\x1b[1\x1b[A"), [Key::plain(Code::Up)]);
    let long = format!("\x1b[{}~x", "1;".repeat(500));
    assert_eq!(keys(long), [Key::plain(Code::Char('x'))]);
    assert_eq!(keys(b"\xc3x\xff"), ['x', '\u{FFFD}'].map(|letter| Key::plain(Code::Char(letter))));
    // C1 control characters in UTF-8, and a control character reported as the text of a shifted key.
    assert_eq!(keys("\u{9b}\x1b\u{85}"), [Key::plain(Code::Char('\u{FFFD}')), Key::alt('\u{FFFD}')]);
    assert_eq!(keys("\x1b[97:27;2u"), [Key::plain(Code::Char('A'))]);
}

#[test]
fn a_paste_is_one_input_whatever_it_contains() {
    let paste = decoded(b"\x1b[200~a\r\nb\rc\x1b[A\x03\xff\x1b[201~\r");
    let text = "a\nb\nc\x1b[A\x03\u{FFFD}".to_owned();
    assert_eq!(paste, [Input::Paste(text), Input::Key(Key::plain(Code::Enter))]);
}

#[test]
fn a_paste_longer_than_the_cap_is_cut_and_its_end_is_found() {
    let mut bytes = b"\x1b[200~".to_vec();
    bytes.resize(PASTE_CAP + 100_000, b'x');
    bytes.extend_from_slice(b"\x1b[201~y");
    let mut inputs = decoded(&bytes);
    assert_eq!(inputs.pop(), Some(Input::Key(Key::plain(Code::Char('y')))));
    assert!(matches!(&inputs[..], [Input::Paste(text)] if text.len() == PASTE_CAP));
}

proptest! {
    /// After any bytes an Enter is still decoded, and nothing panics.
    #[test]
    fn an_enter_always_comes_through(noise in prop::collection::vec(
        prop_oneof![Just(0x1Bu8), Just(b'['), Just(b']'), Just(b'O'), Just(b';'), Just(b'M'), any::<u8>()], 0..40,
    )) {
        let mut bytes = noise;
        // Only a paste may contain an Enter, and a mouse report takes three bytes of any value.
        prop_assume!(!bytes.windows(5).any(|window| window == b"[200~"));
        bytes.extend_from_slice(b"....\r");
        let inputs = decoded(&bytes);
        prop_assert!(matches!(inputs.last(), Some(Input::Key(Key { code: Code::Enter, .. }))), "{:?}", inputs);
    }

    #[test]
    fn typed_text_is_decoded_unchanged(text in "[^\\p{Cc}\u{7f}]{0,40}") {
        let typed: String = keys(&text).iter().filter_map(|key| match key.code {
            Code::Char(letter) => Some(letter),
            _ => None,
        }).collect();
        prop_assert_eq!(typed, text);
    }
}
