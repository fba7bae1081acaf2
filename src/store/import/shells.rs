//! The history files of bash, zsh and fish.

use std::io::{self, BufRead};

use super::lines::{FileLine, HistoryLines, LONGEST};
use super::{ForeignCommand, ForeignItem};

/// The last second of the year 9999. A larger number is not a time.
const LATEST: i64 = 253_402_300_799;
/// zsh writes some bytes as this one followed by the byte XOR 32.
const META: u8 = 0x83;

/// Takes each command that a file has.
pub(super) type Visit<'a> = dyn FnMut(ForeignItem) -> io::Result<()> + 'a;

/// Reads bash's file as bash does. A line `#SECONDS` is the time of the next command. With `has_times`, which is whether the file
/// begins with such a line, a command reaches to the next one; otherwise each line is a command.
pub(super) fn bash(lines: &mut HistoryLines<impl BufRead>, has_times: bool, visit: &mut Visit<'_>) -> io::Result<()> {
    let mut entry = Entry::default();
    let mut time = None;
    while let Some(line) = lines.next()? {
        match line {
            FileLine::Whole(line) => match timestamp(&line) {
                Some(stamp) => {
                    entry.finish(visit)?;
                    time = Some(stamp);
                }
                None if has_times && time.is_none() && entry.is_begun => entry.push(&line),
                None => {
                    entry.finish(visit)?;
                    entry.begin(&line);
                    entry.command.started_at = time.take().map(micros);
                }
            },
            FileLine::TooLong => {
                if !(has_times && time.is_none() && entry.is_begun) {
                    entry.finish(visit)?;
                }
                entry.is_long = true;
                time = None;
            }
        }
    }
    entry.finish(visit)
}

/// Whether a line is a time as bash writes it.
pub(super) fn timestamp(line: &[u8]) -> Option<i64> {
    seconds(line.strip_prefix(b"#")?)
}

/// Reads zsh's file, with or without times (`: START:DURATION;COMMAND`). A backslash at the end of a line stands before a line
/// break of the command.
pub(super) fn zsh(lines: &mut HistoryLines<impl BufRead>, visit: &mut Visit<'_>) -> io::Result<()> {
    let mut entry = Entry::default();
    while let Some(line) = lines.next()? {
        let FileLine::Whole(mut line) = line else {
            entry.is_long = true;
            entry.finish(visit)?;
            continue;
        };
        // zsh adds a blank to a last line that ends with a backslash.
        let last = line.iter().rposition(|byte| *byte != b' ');
        let has_blank = last.is_some_and(|last| line[last] == b'\\' && last + 1 < line.len());
        if has_blank {
            line.pop();
        }
        let goes_on = !has_blank && line.ends_with(b"\\");
        if goes_on {
            line.pop();
        }
        if entry.is_begun {
            entry.push(&line);
        } else {
            let (started_at, duration, text) = extended(&line);
            entry.begin(text);
            (entry.command.started_at, entry.command.duration) = (started_at, duration);
        }
        if !goes_on {
            entry.finish_as(visit, unmetafied)?;
        }
    }
    entry.finish_as(visit, unmetafied)
}

/// The start, the duration and the text of a line of zsh. A duration of 0 is written before a command has ended, so it says nothing.
fn extended(line: &[u8]) -> (Option<i64>, Option<i64>, &[u8]) {
    let parse = || {
        let (times, text) = split(line.strip_prefix(b": ")?, b';')?;
        let (start, duration) = split(times, b':')?;
        Some((seconds(start)?, seconds(duration)?, text))
    };
    match parse() {
        Some((start, duration, text)) => (Some(micros(start)), Some(micros(duration)).filter(|time| *time > 0), text),
        None => (None, None, line),
    }
}

/// Whether a line is one of zsh's with a time.
pub(super) fn is_extended(line: &[u8]) -> bool {
    extended(line).0.is_some()
}

fn unmetafied(text: Vec<u8>) -> Vec<u8> {
    if !text.contains(&META) {
        return text;
    }
    let mut plain = Vec::with_capacity(text.len());
    let mut bytes = text.into_iter();
    while let Some(byte) = bytes.next() {
        match byte {
            META => plain.extend(bytes.next().map(|next| next ^ 32)),
            _ => plain.push(byte),
        }
    }
    plain
}

/// Reads fish's file: `- cmd: TEXT`, then `  when: SECONDS` and other lines about that command.
pub(super) fn fish(lines: &mut HistoryLines<impl BufRead>, visit: &mut Visit<'_>) -> io::Result<()> {
    let mut entry = Entry::default();
    while let Some(line) = lines.next()? {
        match line {
            FileLine::Whole(line) => {
                if let Some(text) = line.strip_prefix(b"- cmd:") {
                    entry.finish_as(visit, unescaped)?;
                    entry.begin(text.strip_prefix(b" ").unwrap_or(text));
                } else if let Some(when) = line.strip_prefix(b"  when: ") {
                    entry.command.started_at = seconds(when).map(micros);
                }
            }
            FileLine::TooLong => {
                entry.finish_as(visit, unescaped)?;
                entry.is_long = true;
            }
        }
    }
    entry.finish_as(visit, unescaped)
}

fn unescaped(text: Vec<u8>) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text.as_slice();
    while let Some((byte, after)) = rest.split_first() {
        let (byte, after) = match (byte, after) {
            (b'\\', [b'n', after @ ..]) => (b'\n', after),
            (b'\\', [b'\\', after @ ..]) => (b'\\', after),
            (byte, after) => (*byte, after),
        };
        plain.push(byte);
        rest = after;
    }
    plain
}

/// A command whose lines are still being read.
#[derive(Default)]
struct Entry {
    command: ForeignCommand,
    is_begun: bool,
    is_long: bool,
}

impl Entry {
    fn begin(&mut self, line: &[u8]) {
        self.is_begun = true;
        self.command.text = line.to_vec();
    }

    fn push(&mut self, line: &[u8]) {
        if self.command.text.len() + line.len() >= LONGEST {
            self.is_long = true;
        } else {
            self.command.text.push(b'\n');
            self.command.text.extend_from_slice(line);
        }
    }

    fn finish(&mut self, visit: &mut Visit<'_>) -> io::Result<()> {
        self.finish_as(visit, |text| text)
    }

    /// Hands the command out, if there is one.
    fn finish_as(&mut self, visit: &mut Visit<'_>, decode: impl Fn(Vec<u8>) -> Vec<u8>) -> io::Result<()> {
        let Entry { mut command, is_begun, is_long } = std::mem::take(self);
        if is_long {
            return visit(ForeignItem::TooLong);
        }
        if !is_begun {
            return Ok(());
        }
        command.text = decode(command.text);
        while command.text.last() == Some(&b'\n') {
            command.text.pop();
        }
        if command.text.trim_ascii().is_empty() { Ok(()) } else { visit(ForeignItem::Command(command)) }
    }
}

/// A number of seconds since 1970, or of a duration.
fn seconds(digits: &[u8]) -> Option<i64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number: i64 = str::from_utf8(digits).ok()?.parse().ok()?;
    (number <= LATEST).then_some(number)
}

fn micros(seconds: i64) -> i64 {
    seconds * 1_000_000
}

fn split(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let position = memchr::memchr(at, text)?;
    Some((&text[..position], &text[position + 1..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Reader = fn(&mut HistoryLines<&[u8]>, &mut Visit<'_>) -> io::Result<()>;

    fn commands(read: Reader, file: &[u8]) -> Vec<ForeignItem> {
        let mut found = Vec::new();
        read(&mut HistoryLines::new(file), &mut |item| {
            found.push(item);
            Ok(())
        })
        .unwrap();
        found
    }

    fn command(text: &str, started_at: Option<i64>, duration: Option<i64>) -> ForeignItem {
        let started_at = started_at.map(micros);
        let duration = duration.map(micros);
        ForeignItem::Command(ForeignCommand { text: text.into(), started_at, duration, ..ForeignCommand::default() })
    }

    fn timed_bash(lines: &mut HistoryLines<&[u8]>, visit: &mut Visit<'_>) -> io::Result<()> {
        bash(lines, true, visit)
    }

    fn plain_bash(lines: &mut HistoryLines<&[u8]>, visit: &mut Visit<'_>) -> io::Result<()> {
        bash(lines, false, visit)
    }

    fn any_zsh(lines: &mut HistoryLines<&[u8]>, visit: &mut Visit<'_>) -> io::Result<()> {
        zsh(lines, visit)
    }

    fn any_fish(lines: &mut HistoryLines<&[u8]>, visit: &mut Visit<'_>) -> io::Result<()> {
        fish(lines, visit)
    }

    #[test]
    fn bash_has_times_and_commands_of_several_lines() {
        let file = b"#1700000000\nls\n#1700000001\nfor x in 1\n\ndo :; done\n#1700000002\n#1700000003\n# 5 is odd\n";
        let found = commands(timed_bash, file);
        let expected = [
            command("ls", Some(1_700_000_000), None),
            command("for x in 1\n\ndo :; done", Some(1_700_000_001), None),
            command("# 5 is odd", Some(1_700_000_003), None),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn bash_without_times_has_a_command_in_each_line() {
        let found = commands(plain_bash, b"ls\n\n#1700000001\nmake\ncd x");
        assert_eq!(
            found,
            [command("ls", None, None), command("make", Some(1_700_000_001), None), command("cd x", None, None)]
        );
        let large = commands(plain_bash, b"#99999999999999999999\nls\n");
        assert_eq!(large, [command("#99999999999999999999", None, None), command("ls", None, None)]);
    }

    #[test]
    fn zsh_is_read_with_and_without_times() {
        let file = b"ls\n: 1700000000:5;make \\\\\nall\n: 1700000001:0;echo \\\\ \n: x:0;echo\n: 1700000002:0;caf\xc3\x83\x89\n";
        let found = commands(any_zsh, file);
        let expected = [
            command("ls", None, None),
            command("make \\\nall", Some(1_700_000_000), Some(5)),
            command("echo \\\\", Some(1_700_000_001), None),
            command(": x:0;echo", None, None),
            command("café", Some(1_700_000_002), None),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn fish_escapes_line_breaks_and_backslashes() {
        let file = b"- cmd: echo a\\nb \\\\n c\n  when: 1700000000\n  paths:\n    - a\n- cmd: ls\n  when: x\n";
        let expected = [command("echo a\nb \\n c", Some(1_700_000_000), None), command("ls", None, None)];
        assert_eq!(commands(any_fish, file), expected);
    }

    #[test]
    fn a_command_over_the_limit_is_counted_and_not_kept() {
        let long = "x".repeat(LONGEST + 1);
        for (read, file) in [
            (plain_bash as Reader, format!("{long}\nls\n")),
            (any_zsh as Reader, format!("{long}\nls\n")),
            (any_fish as Reader, format!("- cmd: {long}\n- cmd: ls\n")),
        ] {
            assert_eq!(commands(read, file.as_bytes()), [ForeignItem::TooLong, command("ls", None, None)]);
        }
        let lines = format!("#1\n{}", "y\n".repeat(LONGEST));
        assert_eq!(commands(timed_bash, lines.as_bytes()), [ForeignItem::TooLong]);
        let after = format!("ls\n{long}\n");
        assert_eq!(commands(plain_bash, after.as_bytes()), [command("ls", None, None), ForeignItem::TooLong]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(file in proptest::collection::vec(any::<u8>(), 0..400)) {
            for read in [timed_bash as Reader, plain_bash, any_zsh, any_fish] {
                commands(read, &file);
            }
        }
    }
}
