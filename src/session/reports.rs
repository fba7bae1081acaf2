//! Replies and reports of the terminal that shellmate has asked for: its background colour, and whether it has the focus.
//!
//! They arrive among the keys, possibly late, when the shell or a program has the keyboard. So as long as one may still arrive, it
//! is taken out of the keys, wherever they go. Each request ends with a fence: the status report `CSI 5 n`, which terminals answer
//! with `CSI 0 n`. Terminals reply in order, so nothing that was asked for arrives after the answer to the fence.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use crate::render::Background;

use super::keyboard::ESC_PATIENCE;

const ESC: u8 = 0x1B;
const BEL: u8 = 0x07;

const ASK_BACKGROUND: &[u8] = b"\x1b]11;?\x1b\\\x1b[5n";
const FOCUS_ON: &[u8] = b"\x1b[?1004h";
const FOCUS_OFF: &[u8] = b"\x1b[?1004l\x1b[5n";

/// The beginning of a reply with the background colour.
const COLOUR: &[u8] = b"\x1b]11;";
/// The longest colour of a reply.
const COLOUR_CAP: usize = 64;
const FENCE: &[u8] = b"\x1b[0n";
const FOCUS_GAINED: &[u8] = b"\x1b[I";
const FOCUS_LOST: &[u8] = b"\x1b[O";

/// A terminal that leaves a fence unanswered for this long does not know it, and is asked nothing more.
const FENCE_PATIENCE: Duration = Duration::from_secs(60);
/// Beginnings up to this length may be the Esc key or a key with Alt, which must not wait. Longer ones are no key.
const SHORT_BEGINNING: usize = 2;
/// How long after a short beginning was passed on its rest is still known for a reply.
const REST_PATIENCE: Duration = Duration::from_secs(1);

/// Something that the terminal has said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TerminalReport {
    Background(Background),
    /// Whether the terminal has the focus.
    Focus(bool),
}

/// What the terminal was asked for and has not answered.
#[derive(Debug, Default)]
pub(super) struct Reports {
    /// Fences without an answer.
    fences: u8,
    /// When the last fence was sent.
    asked: Option<Instant>,
    wants_background: bool,
    focus: FocusWatch,
    /// Bytes that may be the beginning of a reply, and the time of the last one.
    held: Vec<u8>,
    held_at: Option<Instant>,
    /// How many of the held bytes were passed on already, because they could not wait.
    passed_on: usize,
    /// Whether the terminal has left a fence unanswered.
    is_mute: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum FocusWatch {
    #[default]
    Off,
    On,
    /// Switched off, but a report may be on its way.
    Ending,
}

/// What a sequence at some place in the keys is.
enum ReplyReading {
    /// A reply of this length.
    Reply(usize, Option<TerminalReport>),
    /// The beginning of a reply.
    Beginning,
    Keys,
}

impl Reports {
    /// The bytes that ask for the background colour. Empty while an earlier question is open, or if the terminal does not reply.
    pub(super) fn ask_background(&mut self, now: Instant) -> &'static [u8] {
        self.expire(now);
        if self.is_mute || self.fences > 0 {
            return b"";
        }
        self.wants_background = true;
        self.put_fence(now);
        ASK_BACKGROUND
    }

    /// The bytes that switch reports of the focus on or off. Empty if they are in that state.
    pub(super) fn watch_focus(&mut self, on: bool, now: Instant) -> &'static [u8] {
        self.expire(now);
        match (self.focus, on) {
            (FocusWatch::Off | FocusWatch::Ending, true) if !self.is_mute => {
                self.focus = FocusWatch::On;
                FOCUS_ON
            }
            (FocusWatch::On, false) => {
                self.focus = FocusWatch::Ending;
                self.put_fence(now);
                FOCUS_OFF
            }
            _ => b"",
        }
    }

    fn put_fence(&mut self, now: Instant) {
        self.fences += 1;
        self.asked = Some(now);
    }

    /// Whether a reply may arrive.
    pub(super) fn is_open(&self) -> bool {
        self.fences > 0 || self.focus != FocusWatch::Off || self.held.len() > self.passed_on
    }

    /// Gives up on a fence that was not answered in time.
    fn expire(&mut self, now: Instant) {
        if self.fences > 0 && self.asked.is_some_and(|asked| now.saturating_duration_since(asked) > FENCE_PATIENCE) {
            self.is_mute = true;
            self.settle_all();
        }
    }

    /// Nothing that was asked for can arrive any more.
    fn settle_all(&mut self) {
        (self.fences, self.wants_background) = (0, false);
        if self.focus == FocusWatch::Ending {
            self.focus = FocusWatch::Off;
        }
    }

    /// Takes replies out of the keys that were read, and adds what they say to `heard`.
    pub(super) fn take<'k>(&mut self, keys: &'k [u8], now: Instant, heard: &mut Vec<TerminalReport>) -> Cow<'k, [u8]> {
        self.expire(now);
        if !self.is_open() {
            return Cow::Borrowed(keys);
        }
        let is_old = self.held_at.is_some_and(|at| now.saturating_duration_since(at) > REST_PATIENCE);
        if is_old && self.held.len() == self.passed_on {
            self.held.clear();
            self.passed_on = 0;
        }
        let (mut all, passed_on) = (std::mem::take(&mut self.held), std::mem::take(&mut self.passed_on));
        all.extend_from_slice(keys);
        let (mut kept, mut at) = (Vec::with_capacity(all.len()), 0);
        while at < all.len() {
            let reading = if all[at] == ESC { self.read(&all[at..]) } else { ReplyReading::Keys };
            match reading {
                ReplyReading::Reply(length, report) => {
                    heard.extend(report);
                    at += length;
                }
                ReplyReading::Beginning => {
                    self.held = all.split_off(at);
                    self.passed_on = passed_on.saturating_sub(at);
                    self.held_at = Some(now);
                }
                ReplyReading::Keys => {
                    kept.extend((at >= passed_on).then_some(all[at]));
                    at += 1;
                }
            }
        }
        Cow::Owned(kept)
    }

    /// When the held bytes have to be passed on.
    pub(super) fn due(&self) -> Option<Instant> {
        let patience = if self.held.len() > SHORT_BEGINNING { FENCE_PATIENCE } else { ESC_PATIENCE };
        self.held_at.filter(|_| self.held.len() > self.passed_on).map(|at| at + patience)
    }

    /// Held bytes that turned out to be keys, or that may be some and cannot wait. Of the latter the rest may still follow.
    pub(super) fn release(&mut self, now: Instant) -> Option<Vec<u8>> {
        if self.due().is_none_or(|due| due > now) {
            return None;
        }
        let released = self.held[self.passed_on..].to_vec();
        self.passed_on = self.held.len();
        if self.held.len() > SHORT_BEGINNING {
            self.held.clear();
            self.passed_on = 0;
        }
        Some(released)
    }

    /// Reads the sequence at the beginning of these bytes.
    fn read(&mut self, bytes: &[u8]) -> ReplyReading {
        let watches = self.focus != FocusWatch::Off;
        for (reply, expected, focus) in
            [(FENCE, self.fences > 0, None), (FOCUS_GAINED, watches, Some(true)), (FOCUS_LOST, watches, Some(false))]
        {
            if expected && bytes.starts_with(reply) {
                if focus.is_none() {
                    self.fence_answered();
                }
                return ReplyReading::Reply(reply.len(), focus.map(TerminalReport::Focus));
            }
            if expected && reply.starts_with(bytes) {
                return ReplyReading::Beginning;
            }
        }
        if self.wants_background { self.read_colour(bytes) } else { ReplyReading::Keys }
    }

    fn read_colour(&mut self, bytes: &[u8]) -> ReplyReading {
        let Some(rest) = bytes.strip_prefix(COLOUR) else {
            return if COLOUR.starts_with(bytes) { ReplyReading::Beginning } else { ReplyReading::Keys };
        };
        let length = rest.iter().position(|byte| *byte < 0x20).unwrap_or(rest.len());
        let end = match &rest[length..] {
            _ if length > COLOUR_CAP => return ReplyReading::Keys,
            [BEL, ..] => 1,
            [ESC, b'\\', ..] => 2,
            [] | [ESC] => return ReplyReading::Beginning,
            [_, ..] => return ReplyReading::Keys,
        };
        self.wants_background = false;
        let colour = colour(&rest[..length]).map(Background::of_colour);
        ReplyReading::Reply(COLOUR.len() + length + end, colour.map(TerminalReport::Background))
    }

    fn fence_answered(&mut self) {
        self.fences -= 1;
        if self.fences == 0 {
            self.settle_all();
        }
    }
}

/// The colour in a reply: `rgb:1e1e/1e1e/2e2e`, with one to four digits for each part, or `rgba:` with a fourth part.
fn colour(reply: &[u8]) -> Option<[u8; 3]> {
    let text = std::str::from_utf8(reply).ok()?;
    let parts = text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:"))?;
    let part = |digits: &str| {
        let most = (1_u32 << (4 * u32::try_from(digits.len()).ok()?.clamp(1, 4))) - 1;
        let value = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() <= 4)?;
        u8::try_from(value * 255 / most).ok()
    };
    let mut parts = parts.split('/').map(part);
    Some([parts.next()??, parts.next()??, parts.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    const DARK: &[u8] = b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\";

    fn take(reports: &mut Reports, reads: &[&[u8]], now: Instant) -> (Vec<u8>, Vec<TerminalReport>) {
        let (mut keys, mut heard) = (Vec::new(), Vec::new());
        for read in reads {
            let kept = reports.take(read, now, &mut heard);
            keys.extend_from_slice(&kept);
        }
        (keys, heard)
    }

    #[test]
    fn a_reply_never_reaches_the_shell_however_late_it_is() {
        let (mut reports, start) = (Reports::default(), Instant::now());
        assert_eq!(reports.ask_background(start), ASK_BACKGROUND);
        assert_eq!(reports.ask_background(start), b"", "the first question is open");
        let late = start + Duration::from_secs(30);
        let (keys, heard) = take(&mut reports, &[b"ls", DARK, b" -l", FENCE, b"\r"], late);
        assert_eq!((keys, heard), (b"ls -l\r".to_vec(), vec![TerminalReport::Background(Background::Dark)]));
        assert!(!reports.is_open());
        // From now on such bytes belong to programs that asked for them.
        let (keys, heard) = take(&mut reports, &[DARK, FENCE, FOCUS_LOST], late);
        assert_eq!((keys, heard), ([DARK, FENCE, FOCUS_LOST].concat(), Vec::new()));
    }

    #[test]
    fn a_terminal_that_does_not_know_the_colour_answers_only_the_fence() {
        let (mut reports, now) = (Reports::default(), Instant::now());
        reports.ask_background(now);
        assert_eq!(take(&mut reports, &[FENCE], now), (Vec::new(), Vec::new()));
        assert_eq!(take(&mut reports, &[DARK], now).0, DARK);
        assert_eq!(reports.ask_background(now), ASK_BACKGROUND);
    }

    #[test]
    fn a_terminal_that_answers_nothing_is_not_asked_again() {
        let (mut reports, start) = (Reports::default(), Instant::now());
        reports.ask_background(start);
        let later = start + Duration::from_secs(61);
        assert_eq!(take(&mut reports, &[b"\x1b"], later).0, b"\x1b");
        assert_eq!((reports.ask_background(later), reports.watch_focus(true, later)), (&b""[..], &b""[..]));
    }

    #[test]
    fn focus_reports_are_taken_until_the_fence_behind_them_is_answered() {
        let (mut reports, now) = (Reports::default(), Instant::now());
        assert_eq!(reports.watch_focus(true, now), FOCUS_ON);
        assert_eq!(reports.watch_focus(true, now), b"");
        let (keys, heard) = take(&mut reports, &[b"a\x1b[O\x1b[A"], now);
        assert_eq!((keys, heard), (b"a\x1b[A".to_vec(), vec![TerminalReport::Focus(false)]));
        assert_eq!(reports.watch_focus(false, now), FOCUS_OFF);
        let (keys, heard) = take(&mut reports, &[FOCUS_GAINED, b"x", FENCE, FOCUS_GAINED], now);
        assert_eq!((keys, heard), ([b"x", FOCUS_GAINED].concat(), vec![TerminalReport::Focus(true)]));
    }

    #[test]
    fn the_esc_key_is_late_by_50_ms_at_most_and_only_while_a_reply_is_awaited() {
        let (mut reports, now) = (Reports::default(), Instant::now());
        assert_eq!(take(&mut reports, &[b"\x1b"], now).0, b"\x1b");
        reports.ask_background(now);
        assert_eq!(take(&mut reports, &[b"\x1b"], now).0, b"");
        assert_eq!((reports.due(), reports.release(now)), (Some(now + ESC_PATIENCE), None));
        assert_eq!(reports.release(now + ESC_PATIENCE), Some(b"\x1b".to_vec()));
        assert_eq!(reports.due(), None);
    }

    /// A slow line may stop anywhere, also between two bytes of a reply.
    #[test]
    fn a_reply_that_stops_on_its_way_never_reaches_the_shell() {
        let reply = [DARK, FENCE].concat();
        for stop in 1..reply.len() {
            let (mut reports, start) = (Reports::default(), Instant::now());
            reports.ask_background(start);
            let mut heard = Vec::new();
            let mut keys = reports.take(&reply[..stop], start, &mut heard).into_owned();
            let later = start + Duration::from_millis(900);
            keys.extend(reports.release(later).unwrap_or_default());
            assert_eq!(reports.release(later), None);
            keys.extend_from_slice(&reports.take(&reply[stop..], later, &mut heard));
            keys.extend_from_slice(&reports.take(b"ls\r", later, &mut heard));
            // The first byte alone, or two, may be a key.
            let lost: &[u8] = match stop {
                1 => b"\x1b",
                2 => b"\x1b]",
                _ if stop == DARK.len() + 1 => b"\x1b",
                _ if stop == DARK.len() + 2 => b"\x1b[",
                _ => b"",
            };
            assert_eq!(keys, [lost, b"ls\r"].concat(), "{stop}");
            assert_eq!(heard, [TerminalReport::Background(Background::Dark)], "{stop}");
        }
    }

    #[test]
    fn keys_behind_an_esc_that_was_passed_on_are_keys() {
        let (mut reports, start) = (Reports::default(), Instant::now());
        reports.ask_background(start);
        assert_eq!(take(&mut reports, &[b"\x1b"], start).0, b"");
        let later = start + ESC_PATIENCE;
        assert_eq!(reports.release(later), Some(b"\x1b".to_vec()));
        assert_eq!(
            take(&mut reports, &[b"x", DARK, b"y"], later),
            (b"xy".to_vec(), vec![TerminalReport::Background(Background::Dark)])
        );
        assert_eq!(take(&mut reports, &[b"\x1b"], later).0, b"");
        let long_after = later + Duration::from_secs(2);
        assert_eq!(reports.release(long_after), Some(b"\x1b".to_vec()));
        assert_eq!(take(&mut reports, &[b"[0n"], long_after + REST_PATIENCE * 2).0, b"[0n");
    }

    #[test]
    fn colours_have_one_to_four_digits() {
        assert_eq!(colour(b"rgb:ffff/0000/8080"), Some([255, 0, 128]));
        assert_eq!(colour(b"rgb:ff/00/80"), Some([255, 0, 128]));
        assert_eq!(colour(b"rgba:f/0/8/f"), Some([255, 0, 136]));
        for bad in [&b"rgb:ff/00"[..], b"#ffffff", b"rgb:fffff/0/0", b"rgb://", b"\xff"] {
            assert_eq!(colour(bad), None, "{}", bad.escape_ascii());
        }
    }

    proptest::proptest! {
        #[test]
        fn replies_are_taken_however_the_keys_are_cut(
            before in "[a-z\x1b\\[OI;0-9\\]]{0,6}", after in "[a-z]{0,6}", cuts in proptest::collection::vec(0_usize..60, 0..6)
        ) {
            let now = Instant::now();
            // A beginning right before the reply would be another sequence.
            let before = format!("{before}z");
            let all = [before.as_bytes(), DARK, b"q", FOCUS_LOST, FENCE, after.as_bytes()].concat();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(all.len())).chain([0, all.len()]).collect();
            cuts.sort_unstable();
            let mut reports = Reports::default();
            reports.watch_focus(true, now);
            reports.watch_focus(false, now);
            reports.wants_background = true;
            let reads: Vec<&[u8]> = cuts.windows(2).map(|pair| &all[pair[0]..pair[1]]).collect();
            let (keys, heard) = take(&mut reports, &reads, now);
            let own_focus = before.matches("\x1b[I").count() + before.matches("\x1b[O").count();
            let expected = before.replace("\x1b[I", "").replace("\x1b[O", "").replace("\x1b[0n", "");
            if !before.contains("\x1b[0n") && !before.contains("\x1b]11;") {
                proptest::prop_assert_eq!(String::from_utf8(keys).unwrap(), format!("{expected}q{after}"));
                proptest::prop_assert_eq!(heard.len(), 2 + own_focus);
            }
        }
    }
}
