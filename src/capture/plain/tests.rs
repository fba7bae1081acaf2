use super::*;
use proptest::prelude::*;
use std::fs;
use std::path::Path;

fn size(rows: u16, cols: u16) -> Size {
    let (Ok(rows), Ok(cols)) = (rows.try_into(), cols.try_into()) else { panic!("a terminal has rows and columns") };
    Size { rows, cols }
}

fn shown(bytes: impl AsRef<[u8]>) -> String {
    render(bytes.as_ref(), size(24, 80))
}

#[test]
fn overwritten_or_erased_text_is_left_out() {
    let cases: &[(&str, &str)] = &[
        ("", ""),
        ("one\r\ntwo\r\n", "one\ntwo"),
        ("a  \r\n\r\n  b \r\n\r\n\r\n", "a\n\n  b"),
        ("10%\r20%\r100%\r\ndone\r\n", "100%\ndone"),
        ("longer\rshort\r\n", "shortr"),
        ("longer\rshort\x1b[K\r\n", "short"),
        ("passwoord\x08\x08\x08rd \r\n", "password"),
        ("a\tb\tc\r\n", "a       b       c"),
        ("no newline", "no newline"),
        ("one\r\ntwo\r\n\x1b[1A\x1b[2Kthree\r\n", "one\nthree"),
        ("one\ntwo", "one\n   two"),
        ("\x1b[1;31mred\x1b[0m \x1b[38;5;10mgreen\x1b[m\r\n", "red green"),
        ("\x1b[41m   \x1b[0m\r\nx\r\n", "\nx"),
        ("a\x1b[5Cb\r\n", "a     b"),
        ("abcdef\x1b[3D\x1b[P\r\n", "abcef"),
        ("gone\x1b[2J\x1b[Hkept\r\n", "kept"),
        ("gone\x1bckept", "kept"),
        ("save\x1b[s more\x1b[u\x1b[K!", "save!"),
        ("save\x1b7 more\x1b8\x1b[K!", "save!"),
        ("index\x1bDnext\x1bEline", "index\n     next\nline"),
        ("-\x1b[9b|", "----------|"),
        ("bell\x07 nul\0 del\x7f", "bell nul del"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(shown(bytes), *expected, "{bytes:?}");
    }
}

#[test]
fn control_strings_leave_no_text() {
    let cases: &[(&[u8], &str)] = &[
        (b"\x1b]0;title\x07text", "text"),
        (b"\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1bP1$r0m\x1b\\a\x1b_Gapc\x1b\\b\x1b^pm\x1b\\c\x1bXsos\x1b\\d", "abcd"),
        ("\x1b]0;✳ not ended by its own second byte\x07text".as_bytes(), "text"),
        (b"\x1b]0;aborted\x18text\x1b]0;aborted\x1atext", "texttext"),
        (b"\x1b]0;cut by a colour\x1b[31mtext", "text"),
        (b"text\x1b]0;never ended", "text"),
        (b"\x1bkecho\x1b\\text", "text"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(shown(bytes), *expected, "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn the_alternate_screen_leaves_no_text_whatever_its_mode_number() {
    for mode in ["47", "1047", "1049", "25;1049"] {
        let bytes = format!("before\r\n\x1b[?{mode}h\x1b[H\x1b[2J~\r\n~\x1b[10;10Hfile\x1b[?{mode}lafter\r\n");
        assert_eq!(shown(bytes), "before\nafter", "{mode}");
    }
    assert_eq!(shown("before\r\n\x1b[?1049hinside"), "before");
    assert_eq!(shown("before\r\n\x1b[?1049hinside\x1bcreset"), "reset");
    assert_eq!(shown("before \x1b[?1049lstill here"), "before still here");
}

#[test]
fn lines_come_back_whole_however_narrow_the_terminal() {
    let line = "the quick brown fox  jumps over the lazy dog 0123456789";
    for cols in 2..70 {
        assert_eq!(
            render(format!("{line}\r\n{line}\r\nend").as_bytes(), size(3, cols)),
            format!("{line}\n{line}\nend")
        );
        assert_eq!(on_a_screen(line.as_bytes(), size(3, cols)), line);
        let wide = format!("日本語のとても長い行 {line} 終わり");
        assert_eq!(render(format!("{wide}\r\n").as_bytes(), size(5, cols)), wide, "{cols}");
    }
}

#[test]
fn characters_keep_their_marks_and_widths() {
    assert_eq!(shown("e\u{301}a\u{308} 日本\r\n"), "e\u{301}a\u{308} 日本");
    assert_eq!(shown("日本\x08\x08x\r\n"), "日x");
    assert_eq!(shown("❤\u{FE0F} 👩\u{200D}💻\r\n"), "❤\u{FE0F} 👩\u{200D}💻");
    assert_eq!(shown(b"caf\xe9 \xff\r\n"), "caf\u{FFFD} \u{FFFD}");
}

#[test]
fn scrolled_text_survives_a_cleared_screen_but_not_a_cleared_history() {
    let lines: String = (1..=5).map(|n| format!("line {n}\r\n")).collect();
    let screen = size(3, 20);
    assert_eq!(render(format!("{lines}\x1b[H\x1b[2Jnew").as_bytes(), screen), "line 1\nline 2\nline 3\nnew");
    assert_eq!(render(format!("{lines}\x1b[H\x1b[2J\x1b[3Jnew").as_bytes(), screen), "new");
    assert_eq!(render(format!("{lines}\x1bcnew").as_bytes(), screen), "line 1\nline 2\nline 3\nnew");
}

#[test]
fn a_bar_below_a_scroll_region_stays_below() {
    let mut bytes = String::from("\n\n\x1b7\x1b[1;4r\x1b8\x1b[1A");
    for n in 1..=6 {
        bytes += &format!("unpacking {n}\r\n\x1b7\x1b[5;1HProgress: [{n}/6]\x1b8");
    }
    bytes += "\x1b7\x1b[1;5r\x1b8\x1b[5;1H\x1b[K";
    let expected = "\nunpacking 1\nunpacking 2\nunpacking 3\nunpacking 4\nunpacking 5\nunpacking 6";
    assert_eq!(render(bytes.as_bytes(), size(5, 40)), expected);
}

#[test]
fn no_terminal_is_too_small_or_too_large() {
    for (rows, cols) in [(1, 1), (1, 80), (24, 1), (u16::MAX, u16::MAX)] {
        assert_eq!(render(b"\x1b[mone\r\ntwo\r\n", size(rows, cols)), "one\ntwo");
        render("☁\u{FE0F}日\x1b[999;999Hx\x1b[999@".as_bytes(), size(rows, cols));
    }
}

#[test]
fn a_symbol_widened_at_the_edge_is_harmless() {
    assert_eq!(render("\r\nab1\u{FE0F}\x1b[A\x1b[3Gx".as_bytes(), size(2, 3)), "  x\nab1\u{FE0F}");
}

#[test]
fn a_repeated_character_cannot_exceed_its_row() {
    let bytes = b"x\x1b[65535b".repeat(1000);
    assert!(shown(bytes).len() <= 81 * 1000);
}

/// Output of real programs; the file beside each has the text that a person sees.
#[test]
fn recorded_programs_render_as_people_saw_them() {
    let streams = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let mut replayed = 0;
    for entry in fs::read_dir(streams).unwrap() {
        let path = entry.unwrap().path();
        let expected = path.with_extension("txt");
        if path.extension().is_some_and(|extension| extension == "bytes") && expected.exists() {
            let expected = fs::read_to_string(expected).unwrap();
            assert_eq!(shown(fs::read(&path).unwrap()), expected.trim_end_matches('\n'), "{}", path.display());
            replayed += 1;
        }
    }
    assert!(replayed > 15, "only {replayed} streams found");
}

/// Bytes with many cursor movements.
fn terminal_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        "[ -~]{0,12}".prop_map(String::into_bytes),
        "[日本❤👩e\u{301}\u{FE0F}\u{200D}\u{FFFD}]{1,4}".prop_map(String::into_bytes),
        "\x1b\\[[?0-9;]{0,5}[@-~]".prop_map(String::into_bytes),
        "\x1b[78DEMc()\\]P_]".prop_map(String::into_bytes),
        "[\r\n\t\x08\x0b\x0c\x07\x18]".prop_map(String::into_bytes),
        Just(b"\r\n".to_vec()),
        Just(b"\x1b[?1049h".to_vec()),
        Just(b"\x1b[?1049l".to_vec()),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Bytes that mostly stay on their line.
fn line_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => "[ -~é█]{0,15}",
        4 => Just("\r\n".to_owned()),
        3 => "[\r\t\x08]",
        1 => "[\n\x0b\0\x07\x7f]",
        3 => "\x1b\\[[0-9]{0,2}[mKCDG]",
        1 => "\x1b\\[\\?(25|2004|7)[hl]",
        1 => "\x1b\\]0;[a-z]{0,5}\x07",
    ];
    proptest::collection::vec(piece, 0..25).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #[test]
    fn no_bytes_are_too_strange(bytes in terminal_bytes(), rows in 1u16..6, cols in 1u16..12) {
        let text = render(&bytes, size(rows, cols));
        prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
        prop_assert!(!text.ends_with(['\n', ' ']) && !text.contains(" \n"));
    }

    #[test]
    fn one_line_at_a_time_leads_to_the_same_text(bytes in line_bytes(), rows in 2u16..6, cols in 2u16..40) {
        let size = size(rows, cols);
        if let Some(typed) = one_line_at_a_time(&bytes, size) {
            prop_assert_eq!(typed, on_a_screen(&bytes, size));
        }
    }
}

/// Renders in pieces of at most this length, like long output.
fn streamed(bytes: &[u8], size: Size, length: usize) -> String {
    let mut text = String::new();
    let mut push = |piece: &str| {
        text.push_str(piece);
        Ok(())
    };
    stream_pieces(&|visit: &mut ByteVisitor<'_>| pieces::visit(bytes, length, visit), size, &mut push).unwrap();
    text
}

#[test]
fn long_output_is_rendered_as_short_output_is() {
    let cases: &[&str] = &[
        "one\r\ntwo  \r\n\r\n\r\nthree\r\n\r\n",
        "10%\r20%\r100%\r\ndone\r\n",
        "one\r\ntwo\r\n\x1b[1A\x1b[2Kthree\r\n",
        "gone\r\ngone too\r\n\x1b[3J\x1b[2J\x1b[Hkept\r\n",
        "\x1bktitle of the window\x1b\\text\x1b]0;another title\x07 and more\r\n",
        "a line that is longer than the window, and wrapped by it more than once, ééé 日本語 🦀, to its end\r\nnext",
    ];
    for case in cases {
        let long = case.repeat(40);
        for length in 24..40 {
            assert_eq!(
                streamed(long.as_bytes(), size(5, 20), length),
                render(long.as_bytes(), size(5, 20)),
                "{case:?}"
            );
        }
    }
}

#[test]
fn a_line_of_any_length_is_not_held_in_memory() {
    let mut longest = 0;
    let line = "x".repeat(60_000) + &" ".repeat(60_000);
    let long = line.repeat(40);
    let mut whole = String::new();
    let mut push = |piece: &str| {
        longest = longest.max(piece.len());
        whole.push_str(piece);
        Ok(())
    };
    stream(|| Ok(long.as_bytes()), size(24, 80), &mut push).unwrap();
    assert!(longest < 100_000, "{longest}");
    assert!(whole == long.trim_end());
}

#[test]
fn a_reader_who_stops_ends_the_rendering() {
    let long = "a line\r\n".repeat(300_000);
    let mut pieces = 0;
    let stopped = stream(|| Ok(long.as_bytes()), size(24, 80), &mut |_| {
        pieces += 1;
        Err(io::ErrorKind::BrokenPipe.into())
    });
    assert_eq!((stopped.unwrap_err().kind(), pieces), (io::ErrorKind::BrokenPipe, 1));
}

proptest! {
    #[test]
    fn text_does_not_depend_on_how_output_is_read(
        words in prop::collection::vec(output_words(), 0..60),
        length in 16usize..80,
    ) {
        let bytes = words.concat();
        prop_assert_eq!(streamed(bytes.as_bytes(), size(6, 20), length), render(bytes.as_bytes(), size(6, 20)));
    }
}

fn output_words() -> impl Strategy<Value = String> {
    const SEQUENCES: &[&str] =
        &["\r\n", "\r", "\n", "\x1b[31m", "\x1b[1A", "\x1b[K", "\x1b[3J", "\x1bkx\x1b\\", "é日🦀"];
    prop_oneof!["[a-z ]{0,12}", proptest::sample::select(SEQUENCES).prop_map(str::to_owned)]
}
