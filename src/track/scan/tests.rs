use std::path::PathBuf;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const NONCE: &str = "0123456789abcdef0123456789abcdef";

/// What came out of a scan: adjacent bytes joined, so that only order and content count.
#[derive(Debug, PartialEq, Eq, Default)]
struct Seen {
    bytes: Vec<u8>,
    /// Everything but bytes, with the number of bytes that came before it if that means something.
    marks: Vec<(usize, String)>,
}

fn scan_in(stream: &[u8], cuts: &[usize]) -> Seen {
    let mut scanner = Scanner::new(NONCE);
    let mut seen = Seen::default();
    let mut take = |piece: Piece<'_>| match piece {
        Piece::Bytes(bytes) => seen.bytes.extend_from_slice(bytes),
        Piece::Switch(switch) if !switch.changes_screen() => seen.marks.push((0, format!("{piece:?}"))),
        other => seen.marks.push((seen.bytes.len(), format!("{other:?}"))),
    };
    let mut from = 0;
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (stream.len() + 1)).collect();
    cuts.sort_unstable();
    for cut in cuts {
        scanner.scan(&stream[from..cut], &mut take);
        from = cut;
    }
    scanner.scan(&stream[from..], &mut take);
    scanner.finish(&mut take);
    seen
}

fn mark(payload: &str) -> Vec<u8> {
    format!("\x1b]7771;{NONCE};{payload}\x1b\\").into_bytes()
}

fn bytes_of(stream: &[u8]) -> Vec<u8> {
    scan_in(stream, &[]).bytes
}

#[test]
fn our_marks_are_taken_out_and_nothing_else() {
    let mut stream = b"one".to_vec();
    stream.extend(mark("end;3"));
    stream.extend_from_slice(b"two\x1b]0;title\x07");
    stream.extend(mark("prompt;/tmp"));
    let seen = scan_in(&stream, &[]);
    assert_eq!(seen.bytes, b"onetwo\x1b]0;title\x07");
    let prompt = format!("{:?}", Piece::Mark(Mark::Prompt { cwd: PathBuf::from("/tmp") }));
    assert_eq!(seen.marks, [(3, "Mark(End { status: 3, eol_mark: [] })".to_owned()), (16, prompt)]);
}

#[test]
fn a_mark_may_be_cut_at_every_byte() {
    let mut stream = b"a\x1b[1m".to_vec();
    stream.extend(mark("start;/tmp;echo %25 \u{2733}"));
    stream.extend_from_slice(b"b");
    let whole = scan_in(&stream, &[]);
    for cut in 0..stream.len() {
        assert_eq!(scan_in(&stream, &[cut]), whole, "cut at {cut}");
    }
    let every: Vec<usize> = (0..stream.len()).collect();
    assert_eq!(scan_in(&stream, &every), whole);
}

#[test]
fn marks_of_others_pass_unchanged() {
    for foreign in [
        b"\x1b]7771;ffffffffffffffffffffffffffffffff;end;0\x1b\\".as_slice(),
        b"\x1b]7771;end;0\x07",
        b"\x1b]7771\x07",
        b"\x1b]133;D;0\x07\x1b]633;E;ls;nonce\x07\x1b]7;file://host/tmp\x07\x1b]1337;CurrentDir=/\x07\x1b]3008;start=1\x1b\\",
    ] {
        assert_eq!(bytes_of(foreign), foreign, "{}", foreign.escape_ascii());
    }
}

#[test]
fn a_utf8_continuation_byte_does_not_end_a_mark() {
    // U+2733 is E2 9C B3, and 9C is ST in an 8-bit world.
    let mut stream = mark("start;/;echo \u{2733} done");
    stream.push(b'x');
    let seen = scan_in(&stream, &[]);
    assert_eq!(seen.bytes, b"x");
    assert!(seen.marks[0].1.contains("Start"));
}

#[test]
fn an_unterminated_mark_of_ours_swallows_only_itself() {
    let mut stream = format!("\x1b]7771;{NONCE};start;/tmp;ec").into_bytes();
    stream.extend_from_slice(b"\r\nafter\x1b[0m");
    assert_eq!(bytes_of(&stream), b"\r\nafter\x1b[0m");
    let mut stream = format!("\x1b]7771;{NONCE};sta").into_bytes();
    stream.extend_from_slice(b"\x1b[1mbold");
    stream.extend(mark("end;0"));
    let seen = scan_in(&stream, &[]);
    assert_eq!(seen.bytes, b"\x1b[1mbold");
    assert_eq!(seen.marks.len(), 1);
}

#[test]
fn a_mark_beyond_the_cap_is_skipped_whole() {
    let mut stream = mark(&format!("start;/;{}", "x".repeat(MARK_CAP)));
    stream.extend_from_slice(b"after");
    let seen = scan_in(&stream, &[]);
    assert_eq!((seen.bytes.as_slice(), seen.marks.len()), (b"after".as_slice(), 0));
}

#[test]
fn only_what_could_be_a_mark_is_held_back() {
    let mut scanner = Scanner::new(NONCE);
    let mut out = Vec::new();
    let mut take = |piece: Piece<'_>| {
        if let Piece::Bytes(bytes) = piece {
            out.push(bytes.to_vec());
        }
    };
    scanner.scan(b"abc\x1b", &mut take);
    scanner.scan(b"[", &mut take);
    scanner.scan(b"31m\x1b]7", &mut take);
    scanner.scan(b";file", &mut take);
    scanner.scan(b"\x1bPq unterminated", &mut take);
    assert_eq!(out, [&b"abc"[..], b"\x1b", b"[", b"31m", b"\x1b]7", b";file", b"\x1bPq unterminated"]);
}

#[test]
fn screen_switches_are_seen_where_they_happen() {
    let seen = scan_in(b"a\x1b[?1049;25hb\x1b[?2004lc\x1b[?u\x1b[1;2H", &[]);
    let marks: Vec<_> = seen.marks.iter().map(|(at, what)| (*at, what.as_str())).collect();
    assert_eq!(marks, [(12, "Switch(On(1049))"), (0, "Switch(On(25))"), (0, "Switch(Off(2004))")]);
}

#[test]
fn a_shell_with_prompt_marks_of_its_own_is_noticed() {
    assert_eq!(scan_in(b"\x1b]133;A\x07$ ", &[]).marks, [(6, "ForeignPrompt".to_owned())]);
    assert_eq!(scan_in(b"\x1b]633;A\x07$ ", &[]).marks, [(6, "ForeignPrompt".to_owned())]);
    assert_eq!(scan_in(b"\x1b]1337;A\x07\x1b]13;A\x07", &[]).marks, []);
}

/// Streams made of what shells and hostile programs print, dense in the bytes that matter.
fn shell_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => vec(any::<u8>(), 0..12),
        4 => "[ -~]{0,12}".prop_map(String::into_bytes),
        2 => Just(mark("end;1")),
        2 => Just(mark("start;/a b;ls %0A-l")),
        1 => (0..60usize).prop_map(|n| { let m = mark("query;> hi;kept"); m[..n.min(m.len())].to_vec() }),
        1 => Just(b"\x1b]7771;ffffffffffffffffffffffffffffffff;end;0\x07".to_vec()),
        2 => Just(b"\x1b[?1049h".to_vec()),
        1 => Just(b"\x1b]133;A\x1b\\".to_vec()),
        2 => vec(prop_oneof![Just(0x1Bu8), Just(b']'), Just(b'7'), Just(b';'), Just(b'\\'), Just(7u8), Just(0x9C)], 0..8),
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn marks_do_not_depend_on_read_boundaries(stream in shell_bytes(), cuts in vec(any::<usize>(), 0..8)) {
        prop_assert_eq!(scan_in(&stream, &cuts), scan_in(&stream, &[]));
    }

    #[test]
    fn without_our_prefix_every_byte_passes(stream in shell_bytes(), cuts in vec(any::<usize>(), 0..8)) {
        prop_assume!(!stream.windows(NONCE.len()).any(|window| window == NONCE.as_bytes()));
        prop_assert_eq!(scan_in(&stream, &cuts).bytes, stream);
    }
}
