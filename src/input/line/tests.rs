use super::*;
use crate::input::Decoder;

const SCREEN: EditorScreen =
    EditorScreen { rows: 10, columns: 20, prompt: "> ", colour: true, is_plain: false, reflows: false };

fn offers() -> Offers {
    let verb = |usage: &str| Verb { usage: usage.into(), help: "helps".into(), arguments: Default::default() };
    Offers { verbs: vec![verb("/model [NAME]"), verb("/models"), verb("/new")], ..Offers::default() }
}

fn cells(count: u16) -> std::num::NonZeroU16 {
    std::num::NonZeroU16::new(count).unwrap()
}

/// A line editor with its history, its completions and a screen.
struct Desk {
    line: LineEditor,
    history: QueryHistory,
    decoder: Decoder,
    screen: EditorScreen,
    shown: vt100::Parser,
}

impl Desk {
    fn new(editing: Editing) -> Desk {
        let shown = vt100::Parser::new(cells(SCREEN.rows), cells(SCREEN.columns), 0);
        let mut desk = Desk {
            line: LineEditor::new(editing, Arc::default()),
            history: QueryHistory::default(),
            decoder: Decoder::default(),
            screen: SCREEN,
            shown,
        };
        desk.shown.process(b"above\r\n");
        desk
    }

    fn typed(&mut self, bytes: impl AsRef<[u8]>) -> EditOutcome {
        let mut outcome = EditOutcome::Open;
        let mut inputs: Vec<Input> = bytes.as_ref().iter().filter_map(|&byte| self.decoder.byte(byte)).collect();
        inputs.extend(self.decoder.settle());
        for input in inputs {
            outcome = self.line.input(input, &self.history, &offers());
            self.paint();
        }
        outcome
    }

    fn paint(&mut self) {
        let mut out = Vec::new();
        self.line.paint(&self.screen, &self.history, &mut out);
        self.shown.process(&out);
    }

    fn screen(&self) -> String {
        let contents = self.shown.screen().contents();
        contents.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }
}

/// The text after these keys, with the cursor shown as `|`.
fn after(editing: Editing, keys: &str) -> String {
    let mut desk = Desk::new(editing);
    desk.typed(keys);
    let mut text = desk.line.text.as_str().to_owned();
    text.insert(desk.line.text.cursor(), '|');
    text
}

#[test]
fn emacs_keys_edit() {
    for (keys, text) in [
        ("hello", "hello|"),
        ("hello\x01\x06x", "hx|ello"),
        ("one two\x17\x17", "|"),
        ("one two\x1bb\x0b", "one |"),
        ("one two\x15\x19\x19", "one twoone two|"),
        ("ab\x14", "ba|"),
        ("one\x1bbX\x05!", "Xone!|"),
        ("a\x1b[D\x1b[3~", "|"),
        ("a b\x1b[1;5D|", "a ||b"),
        ("ab\x7f\x08c", "c|"),
        ("a\nb\x1b\rc", "a\nb\nc|"),
        ("a\x1b[13;2ub", "a\nb|"),
        ("word\x1bbu\x1f", "|word"),
        ("word\x1bb\x1bu", "WORD|"),
    ] {
        assert_eq!(after(Editing::Emacs, keys), text, "{keys:?}");
    }
}

#[test]
fn vi_keys_edit() {
    for (keys, text) in [
        ("one two three\x1b0dw", "|two three"),
        ("one two three\x1b02dw", "|three"),
        ("one two three\x1b0wcwX", "one X| three"),
        ("one two\x1bbD", "one| "),
        ("abc\x1bxP", "a|cb"),
        ("a(b)c\x1b0f(lx", "a(|)c"),
        ("abc\x1b0~~", "AB|c"),
        ("abc\x1bddix", "x|"),
        ("abc\x1bIx", "x|abc"),
        ("abc\x1b0rX", "|Xbc"),
        ("a\x1bob", "a\nb|"),
        ("one two\x1b0yw$p", "one twoone| "),
        ("abc\x1b0xu", "|abc"),
    ] {
        assert_eq!(after(Editing::Vi, keys), text, "{keys:?}");
    }
}

#[test]
fn enter_submits_and_a_paste_never_does() {
    let mut desk = Desk::new(Editing::Emacs);
    assert_eq!(desk.typed("\x1b[200~one\rtwo\r\x1b[201~"), EditOutcome::Open);
    assert_eq!(desk.typed("\r"), EditOutcome::Submitted("one\ntwo\n".into()));
}

#[test]
fn esc_and_ctrl_c_clear_the_line_and_close_an_empty_one() {
    for key in ["\r", "\x1b", "\x03", "\x04"] {
        assert_eq!(Desk::new(Editing::Emacs).typed(key), EditOutcome::Closed, "{key:?}");
    }
    for key in ["\x1b", "\x03"] {
        let mut desk = Desk::new(Editing::Emacs);
        assert_eq!(desk.typed(format!("text{key}")), EditOutcome::Open);
        assert!(desk.line.is_empty());
        assert_eq!(desk.typed(key), EditOutcome::Closed);
    }
    assert_eq!(Desk::new(Editing::Emacs).typed("x\x07"), EditOutcome::Edit("x".into()));
}

#[test]
fn arrows_walk_the_history_and_return_to_the_draft() {
    let mut desk = Desk::new(Editing::Emacs);
    desk.history.add("first");
    desk.history.add("two\nlines");
    desk.typed("draft\x1b[A");
    assert_eq!(desk.line.text(), "two\nlines");
    desk.typed("\x1b[A");
    assert_eq!(desk.line.text(), "two\nlines", "the first Up goes to the first line");
    desk.typed("\x1b[A");
    assert_eq!(desk.line.text(), "first");
    desk.typed("\x1b[B\x1b[B");
    assert_eq!(desk.line.text(), "draft");
}

#[test]
fn ctrl_r_searches_the_history() {
    let mut desk = Desk::new(Editing::Emacs);
    for entry in ["make test", "cargo test", "git log"] {
        desk.history.add(entry);
    }
    desk.typed("draft\x12test");
    assert_eq!(desk.screen(), "above\nsearch: test  cargo\ntest");
    desk.typed("\x12");
    assert!(desk.screen().contains("make t\nest"), "{}", desk.screen());
    assert_eq!(desk.typed("\r"), EditOutcome::Submitted("make test".into()));
    desk.typed("\x03draft\x12zzz\x07");
    assert_eq!(desk.line.text(), "draft");
}

#[test]
fn tab_opens_the_completion_list_and_walks_it() {
    let mut desk = Desk::new(Editing::Emacs);
    desk.typed("/m\t");
    assert_eq!(desk.screen(), "above\n> /model\n  /model [NAME]  he\n  /models        he");
    desk.typed("\t\t");
    assert_eq!(desk.line.text(), "/models");
    assert_eq!(desk.typed("\r"), EditOutcome::Open, "Enter takes what is chosen");
    assert_eq!(desk.screen(), "above\n> /models   helps");
    assert_eq!(desk.typed("\r"), EditOutcome::Submitted("/models".into()));
    desk.typed("\x03/n\t");
    assert_eq!(desk.line.text(), "/new");
}

#[test]
fn the_right_arrow_accepts_a_hint() {
    let mut desk = Desk::new(Editing::Emacs);
    desk.history.add("why did it fail");
    desk.typed("why");
    assert_eq!(desk.screen(), "above\n> why did it fail");
    assert_eq!(desk.line.text(), "why");
    desk.typed("\x1b[C");
    assert_eq!(desk.line.text(), "why did it fail");
}

#[test]
fn long_lines_wrap_without_changing_the_rows_above() {
    let mut desk = Desk::new(Editing::Emacs);
    desk.typed("0123456789abcdefgh");
    assert_eq!(desk.screen(), "above\n> 0123456789abcdefgh");
    assert_eq!(desk.shown.screen().cursor_position(), (2, 0));
    desk.typed("ij\x1b[D\x1b[D\x1b[D");
    assert_eq!(desk.screen(), "above\n> 0123456789abcdefgh\nij");
    assert_eq!(desk.shown.screen().cursor_position(), (1, 19));
    desk.typed("\x15\x0b漢字漢字漢字漢字漢x");
    assert_eq!(desk.screen(), "above\n> 漢字漢字漢字漢字漢\nx");
    desk.typed("\x03e\u{301}\u{1F642}x");
    assert_eq!(desk.screen(), "above\n> e\u{301}\u{1F642}x");
    assert_eq!(desk.shown.screen().cursor_position(), (1, 6));
}

#[test]
fn a_text_taller_than_the_screen_is_shown_around_the_cursor() {
    let mut desk = Desk::new(Editing::Emacs);
    for number in 0..30 {
        desk.typed(format!("{number}\n"));
    }
    desk.typed("end");
    let screen = desk.screen();
    assert!(screen.ends_with("29\n  end") && screen.lines().count() <= 10, "{screen}");
    for _ in 0..30 {
        desk.typed("\x1b[A");
    }
    assert!(desk.screen().contains("> 0\n  1\n"), "{}", desk.screen());
}

#[test]
fn pasted_escape_sequences_do_not_reach_the_terminal() {
    let mut desk = Desk::new(Editing::Emacs);
    desk.typed("\x1b[200~a\x1b[2Jb\x07\u{9b}\x1b[201~");
    let mut out = Vec::new();
    desk.line.paint(&SCREEN, &desk.history, &mut out);
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}"), "{out:?}");
    assert!(desk.screen().starts_with("above\n"));
    desk.typed("\x03\x1b[200~a\tb\x1b[201~");
    assert_eq!(desk.screen(), "above\n> a    b");
}

#[test]
fn a_megabyte_is_shown_as_a_placeholder_and_submitted_whole() {
    let mut desk = Desk::new(Editing::Emacs);
    let large = "0123456789\n".repeat(100_000);
    desk.typed(format!("see \x1b[200~{large}\x1b[201~!"));
    assert!(desk.screen().contains("[pasted 1.0 Mi\nB, 100000 lines]!"), "{}", desk.screen());
    assert_eq!(desk.typed("\r"), EditOutcome::Submitted(format!("see {large}!")));
}

#[test]
fn a_resize_repaints_the_line_without_leftovers() {
    for reflows in [false, true] {
        let mut desk = Desk::new(Editing::Emacs);
        desk.screen.reflows = reflows;
        desk.typed("0123456789abcde");
        desk.screen.columns = 10;
        // vt100 cuts rows when it gets narrower. A terminal that rewraps them is simulated by printing the text again.
        if reflows {
            desk.shown = vt100::Parser::new(cells(10), cells(10), 0);
            desk.shown.process(b"above\r\n> 01234567\r\n89abcde");
        } else {
            desk.shown.screen_mut().set_size(cells(10), cells(10));
        }
        let mut out = Vec::new();
        desk.line.resized(&desk.screen, &mut out);
        desk.shown.process(&out);
        desk.paint();
        assert_eq!(desk.screen(), "above\n> 01234567\n89abcde", "{reflows}");
    }
}

#[test]
fn leaving_keeps_the_typed_text_on_the_screen() {
    let mut desk = Desk::new(Editing::Emacs);
    desk.typed("one\x1b\rtwo\x1b[A");
    let mut out = Vec::new();
    desk.line.leave(&SCREEN, &mut out);
    desk.shown.process(&out);
    desk.shown.process(b"answer");
    assert_eq!(desk.screen(), "above\n> one\n  two\nanswer");
}

#[test]
fn a_lifted_line_leaves_its_rows_to_other_output() {
    let mut desk = Desk::new(Editing::Emacs);
    desk.typed("one\x1b\rtwo");
    let mut out = Vec::new();
    desk.line.lift(&mut out);
    out.extend_from_slice(b"job says hi\r\n");
    desk.shown.process(&out);
    desk.paint();
    assert_eq!(desk.screen(), "above\njob says hi\n> one\n  two");
}

#[test]
fn a_dumb_terminal_gets_no_cursor_moves() {
    let mut line = LineEditor::new(Editing::Emacs, Arc::default());
    let screen = EditorScreen { is_plain: true, colour: false, ..SCREEN };
    let mut out = Vec::new();
    for letter in "hi".chars() {
        line.input(Input::Key(Key::plain(Code::Char(letter))), &QueryHistory::default(), &Offers::default());
        line.paint(&screen, &QueryHistory::default(), &mut out);
    }
    line.leave(&screen, &mut out);
    assert_eq!(String::from_utf8_lossy(&out), "> hi\r\n");
}

proptest::proptest! {
    /// Whatever is typed, the rows above the line do not change and the cursor is where the layout puts it.
    #[test]
    fn the_rows_above_the_line_never_change(keys in proptest::collection::vec("(\\PC|\u{1b}\\[[A-D]|\r|\n|\t|\u{7f}|[\u{1}-\u{1a}]|\u{1b}){0,6}", 0..12)) {
        for editing in [Editing::Emacs, Editing::Vi] {
            let mut desk = Desk::new(editing);
            for keys in &keys {
                // Ctrl-L clears the whole screen.
                desk.typed(keys.replace('\u{c}', ""));
            }
            let screen = desk.screen();
            let is_settled = crate::text::width::is_settled(desk.line.text.as_str());
            proptest::prop_assert!(!is_settled || screen.starts_with("above") || screen.lines().count() >= 9, "{}", screen);
        }
    }
}

#[test]
fn the_person_chooses_the_keys_of_the_line() {
    let mut keys = KeyMap::default();
    for (name, chords) in [
        ("submit", &["alt-enter"][..]),
        ("newline", &["enter"]),
        ("close", &["ctrl-q"]),
        ("cancel", &[]),
        ("search", &["f3"]),
        ("complete", &["ctrl-@"]),
    ] {
        keys.bind(KeyAction::named(name).unwrap(), chords).unwrap();
    }
    let mut desk = Desk::new(Editing::Emacs);
    desk.line = LineEditor::new(Editing::Emacs, Arc::new(keys.settle().0));
    desk.history.add("an older question");
    assert_eq!(desk.typed("one\rtwo\x03\x12\t\x11"), EditOutcome::Open, "the default keys mean nothing");
    assert_eq!(desk.typed("\x1b\r"), EditOutcome::Submitted("one\ntwo".into()));
    desk.typed("\x15\x7f\x15/n\0");
    assert_eq!(desk.line.text(), "/new");
    desk.typed("\x15\x1b[13~older\x1b[13~\x1b");
    assert_eq!(desk.line.text(), "an older question");
    desk.typed("\x1b");
    assert_eq!(desk.typed("\x1b"), EditOutcome::Open, "Esc closes no more");
    assert_eq!(desk.typed("\x11"), EditOutcome::Closed);
}
