use super::*;
use proptest::prelude::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

const SMALL: Limits = Limits { head: 8, tail: 16, spill: 1 << 20 };

fn spiller(directory: &Path) -> Spiller {
    Spiller::new(directory.join("session"), 1 << 30)
}

fn capture<'a>(limits: Limits, spiller: &Spiller, pushes: impl IntoIterator<Item = &'a [u8]>) -> Output {
    let mut capture = Capture::new(limits, spiller.clone());
    pushes.into_iter().for_each(|bytes| capture.push(bytes));
    let output = capture.finish();
    assert!(spiller.settle(Duration::from_secs(10)));
    output
}

fn size() -> Size {
    let (Ok(rows), Ok(cols)) = (24.try_into(), 80.try_into()) else { unreachable!("neither is zero") };
    Size { rows, cols }
}

/// The bytes in memory.
fn raw(output: &Output) -> Vec<u8> {
    let mut bytes = Vec::new();
    output.whole(None).write_raw(&mut bytes).unwrap();
    bytes
}

/// All facts about an output, with the bytes of the spill file in place of its path.
fn facts(output: &Output) -> OutputFacts {
    let spill = output.spill.as_ref().map(|path| fs::read(path).unwrap());
    (output.seen, output.head.clone(), output.tail.clone(), spill, output.full_screen, output.truncated())
}

type OutputFacts = (u64, Vec<u8>, Vec<u8>, Option<Vec<u8>>, bool, bool);

#[test]
fn a_small_output_stays_in_memory() {
    let directory = tempfile::tempdir().unwrap();
    let output = capture(SMALL, &spiller(directory.path()), [&b"0123456789abcdefghijklmn"[..]]);
    assert_eq!(facts(&output), (24, b"01234567".into(), b"89abcdefghijklmn".into(), None, false, false));
    assert_eq!(raw(&output), b"0123456789abcdefghijklmn");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_large_output_is_complete_in_a_private_file() {
    let directory = tempfile::tempdir().unwrap();
    let spiller = spiller(directory.path());
    let output = capture(SMALL, &spiller, [&b"0123456789abcdefghijklmno"[..], b"p"]);
    assert_eq!(
        facts(&output),
        (26, b"01234567".into(), b"abcdefghijklmnop".into(), Some(b"0123456789abcdefghijklmnop".into()), false, false)
    );
    let path = output.spill.unwrap();
    assert_eq!(path, directory.path().join("session/1.out"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    let next = capture(SMALL, &spiller, [&[b'x'; 100][..]]);
    assert_eq!(next.spill.unwrap(), directory.path().join("session/2.out"));
}

#[test]
fn a_gap_is_named_and_each_side_has_its_own_screen() {
    let output = capture(
        Limits { head: 6, tail: 26, spill: 0 },
        &Spiller::none(),
        [&b"first\r"[..], b"\nsecond line of some length\r\n", b"\x1b[5A\x1b[2Klast\r\n\x1b[Klines\r\n"],
    );
    assert!(output.truncated());
    assert_eq!(output.spill, None);
    let kept = "first\r\r\n… 27 bytes not kept …\r\n\r\n\x1b[5A\x1b[2Klast\r\n\x1b[Klines\r\n";
    assert_eq!(String::from_utf8(raw(&output)).unwrap(), kept);
    assert_eq!(output.text(size()), "first\n… 29 bytes not kept …\nlast\nlines");
}

#[test]
fn a_cut_leaves_no_half_characters() {
    let output = capture(Limits { head: 4, tail: 7, spill: 0 }, &Spiller::none(), ["ééé日本語".as_bytes()]);
    assert_eq!(output.text(size()), "éé\n… 5 bytes not kept …\n本語");
    let output = capture(Limits { head: 3, tail: 6, spill: 0 }, &Spiller::none(), ["ééé日本語".as_bytes()]);
    assert_eq!(output.text(size()), "é\n… 7 bytes not kept …\n本語");
}

#[test]
fn a_spill_stops_at_its_cap() {
    let directory = tempfile::tempdir().unwrap();
    let limits = Limits { spill: 40, ..SMALL };
    let whole = capture(limits, &spiller(directory.path()), [&[b'a'; 30][..], &[b'b'; 10]]);
    assert!(!whole.truncated());
    let short = capture(limits, &Spiller::new(directory.path().join("other"), 1 << 30), [&[b'a'; 30][..], &[b'b'; 11]]);
    assert!(short.truncated());
    assert_eq!(fs::metadata(short.spill.unwrap()).unwrap().len(), 40);
}

#[test]
fn all_spills_of_a_user_share_one_cap() {
    let root = tempfile::tempdir().unwrap();
    let limits = Limits { spill: 60, ..SMALL };
    let earlier = capture(limits, &Spiller::new(root.path().join("one"), 100), [&[b'a'; 50][..]]);
    let later = capture(limits, &Spiller::new(root.path().join("two"), 100), [&[b'b'; 50][..]]);
    assert!(!earlier.spill.unwrap().exists());
    assert!(later.spill.unwrap().exists());
}

#[test]
fn a_failing_disk_loses_only_the_spill() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("session"), "not a directory").unwrap();
    let output = capture(SMALL, &spiller(directory.path()), [&[b'a'; 100][..]]);
    assert!(output.truncated());
    assert_eq!(output.tail, [b'a'; 16]);
}

#[test]
fn an_existing_file_or_link_is_never_written_to() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("session")).unwrap();
    fs::write(directory.path().join("precious"), "mine").unwrap();
    std::os::unix::fs::symlink(directory.path().join("precious"), directory.path().join("session/1.out")).unwrap();
    assert!(capture(SMALL, &spiller(directory.path()), [&[b'a'; 100][..]]).truncated());
    assert_eq!(fs::read(directory.path().join("precious")).unwrap(), b"mine");
}

#[test]
fn full_screen_bytes_are_counted_but_not_kept() {
    let mut capture = Capture::new(SMALL, Spiller::none());
    capture.push(b"before ");
    capture.enter_full_screen();
    capture.push(&[b'~'; 1000]);
    capture.leave_full_screen();
    capture.push(b"after");
    let output = capture.finish();
    assert_eq!((output.seen, output.full_screen, output.truncated()), (1012, true, false));
    assert_eq!(output.text(size()), "before after");
}

#[test]
fn the_switch_to_the_full_screen_may_be_on_either_side() {
    for (kept_in, kept_out) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut capture = Capture::new(Limits::default(), Spiller::none());
        let (enter, leave) = (&b"\x1b[?1049h"[..], &b"\x1b[?1049l"[..]);
        capture.push(b"$ vim\r\n");
        if kept_in {
            capture.push(enter);
        }
        capture.enter_full_screen();
        capture.push(b"~\r\n~\r\n");
        capture.leave_full_screen();
        if kept_out {
            capture.push(leave);
        }
        capture.push(b"done\r\n");
        assert_eq!(capture.finish().text(size()), "$ vim\ndone", "{kept_in} {kept_out}");
    }
}

#[test]
fn a_gigabyte_takes_no_more_memory_than_the_caps() {
    let directory = tempfile::tempdir().unwrap();
    let limits = Limits { spill: 1 << 20, ..Limits::default() };
    let mut capture = Capture::new(limits, spiller(directory.path()));
    // The length is not a power of two, so that a buffer that doubles would exceed the limit.
    let chunk = vec![b'x'; 25_000];
    while capture.seen < 1 << 30 {
        capture.push(&chunk);
    }
    let output = capture.finish();
    assert!(output.seen >= 1 << 30);
    assert_eq!((output.head.capacity(), output.tail.capacity()), (limits.head, limits.tail));
}

proptest! {
    #[test]
    fn the_output_does_not_depend_on_how_it_was_cut(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        cuts in proptest::collection::vec(0usize..200, 0..10),
        head in 0usize..30,
        tail in 0usize..30,
        spill in 0u64..100,
    ) {
        let directory = tempfile::tempdir().unwrap();
        let limits = Limits { head, tail, spill };
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
        cuts.sort_unstable();
        let whole = capture(limits, &Spiller::new(directory.path().join("whole"), 1 << 30), [&bytes[..]]);
        let pieces = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]);
        let pieces = capture(limits, &Spiller::new(directory.path().join("pieces"), 1 << 30), pieces);
        prop_assert_eq!(facts(&whole), facts(&pieces));
    }
}
