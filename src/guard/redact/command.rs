//! Secrets that some commands take with an option of one letter.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::found::Found;
use super::value;

/// Where a command takes a secret.
#[derive(Debug, Clone, Copy)]
enum Takes {
    /// `user:password` behind one of these.
    Login(&'static [&'static str]),
    /// The secret behind, or right after, this.
    Secret(&'static str),
    /// The secret right after this; a word behind it is something else.
    Attached(&'static str),
    /// `pass:secret`, as openssl has it.
    Labelled,
}

const COMMANDS: &[(&str, Takes)] = &[
    ("curl", Takes::Login(&["-u", "--user", "-U", "--proxy-user"])),
    ("http", Takes::Login(&["-a", "--auth"])),
    ("https", Takes::Login(&["-a", "--auth"])),
    ("xh", Takes::Login(&["-a", "--auth"])),
    ("mysql", Takes::Attached("-p")),
    ("mysqldump", Takes::Attached("-p")),
    ("mysqladmin", Takes::Attached("-p")),
    ("mariadb", Takes::Attached("-p")),
    ("mariadb-dump", Takes::Attached("-p")),
    ("sshpass", Takes::Secret("-p")),
    ("redis-cli", Takes::Secret("-a")),
    ("login", Takes::Secret("-p")),
    ("openssl", Takes::Labelled),
];

static NAMES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(aho_corasick::MatchKind::LeftmostLongest)
        .build(COMMANDS.iter().map(|(name, _)| name))
        .ok()
});

pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for hit in NAMES.iter().flat_map(|names| names.find_iter(text)) {
        let before = hit.start().checked_sub(1).map_or(b' ', |at| bytes[at]);
        let begins = before.is_ascii_whitespace() || b"/|;&('\"`$".contains(&before);
        if hit.start() < done || !begins || !bytes.get(hit.end()).is_some_and(|byte| b" \t\\".contains(byte)) {
            continue;
        }
        let (_, takes) = COMMANDS[hit.pattern().as_usize()];
        let mut words = Words { text, at: hit.end() };
        let mut previous = "";
        while let Some(range) = words.next() {
            let word = &text[range.clone()];
            if let Some(secret) = takes.secret(previous, word, &range).filter(|secret| is_secret(&text[secret.clone()]))
            {
                found.push(Found::new(secret, "password"));
            }
            previous = word;
        }
        done = words.at;
    }
}

impl Takes {
    /// Where the secret is, if this word has it.
    fn secret(self, previous: &str, word: &str, range: &Range<usize>) -> Option<Range<usize>> {
        let tail = |rest: &str| range.end - rest.len()..range.end;
        match self {
            Takes::Login(options) => {
                let attached = options.iter().find_map(|option| word.strip_prefix(option));
                let login = if options.contains(&previous) { word } else { attached?.trim_start_matches('=') };
                let login = login.trim_start_matches(['"', '\'']);
                login.split_once(':').map(|(_, secret)| tail(secret))
            }
            Takes::Secret(option) if previous == option => Some(range.clone()),
            Takes::Secret(option) | Takes::Attached(option) => {
                word.strip_prefix(option).filter(|_| !word.starts_with("--")).map(tail)
            }
            Takes::Labelled => word.strip_prefix("pass:").map(tail),
        }
    }
}

fn is_secret(text: &str) -> bool {
    let text = text.trim_matches(['"', '\'']);
    !text.is_empty() && !value::is_stand_in(text)
}

/// The words of one command, quotes around them apart; a backslash at the end of a line goes on.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl Words<'_> {
    fn next(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at)? {
                b' ' | b'\t' => self.at += 1,
                b'\\' if bytes.get(self.at + 1) == Some(&b'\n') => self.at += 2,
                b'\n' | b'\r' | b'|' | b';' | b'&' | b')' => return None,
                quote @ (b'"' | b'\'') => return Some(self.quoted(*quote)),
                _ => break,
            }
        }
        let start = self.at;
        let ends = |byte: &u8| b" \t\n\r|;&)".contains(byte);
        let mut quote = None;
        while let Some(byte) = bytes.get(self.at) {
            match quote {
                None if ends(byte) => break,
                None if matches!(byte, b'"' | b'\'') => quote = Some(*byte),
                Some(open) if open == *byte => quote = None,
                Some(_) if *byte == b'\n' => break,
                None | Some(_) => {}
            }
            self.at += 1;
        }
        Some(start..self.at)
    }

    fn quoted(&mut self, quote: u8) -> Range<usize> {
        let start = self.at + 1;
        let rest = &self.text.as_bytes()[start..];
        let length = rest.iter().position(|byte| *byte == quote || *byte == b'\n').unwrap_or(rest.len());
        self.at = start + length + usize::from(rest.get(length) == Some(&quote));
        start..start + length
    }
}
