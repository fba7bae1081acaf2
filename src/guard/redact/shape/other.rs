//! Tokens known by what is in their middle.

use super::super::dictionary::Hits;
use super::super::found::Found;
use super::body::Body::{self, Dashed};

/// Kinds of a token by the text in its middle; see `MIDDLES`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Middle {
    /// `eyJ….eyJ….…`.
    WebToken,
    /// A number, `:AA`, and 33 more characters.
    TelegramBot,
    /// 14 characters, `.atlasv1.` and 60 or more.
    Terraform,
    /// Three characters, a digit, `Q~` and 31 or more.
    AzureSecret,
    /// 32 hexadecimal digits, `-us` and a number.
    Mailchimp,
    /// `:APA91b` and 134 characters.
    Firebase,
    /// Name, number, and two hashes of 32 hexadecimal digits, then `:::`.
    WindowsHash,
}

/// What is looked for.
pub(in super::super) const MIDDLES: &[(&str, Middle)] = &[
    ("eyJ", Middle::WebToken),
    (":AA", Middle::TelegramBot),
    (".atlasv1.", Middle::Terraform),
    ("Q~", Middle::AzureSecret),
    ("-us", Middle::Mailchimp),
    (":APA91b", Middle::Firebase),
    (":::", Middle::WindowsHash),
];

/// Longer than any of these tokens.
const LONGEST: usize = 8 * 1024;

pub(super) fn find(text: &str, hits: &Hits, found: &mut Vec<Found>) {
    let mut done = 0;
    for (middle, at) in &hits.middles {
        if *at < done {
            continue;
        }
        let token = TokenText { text, at: *at };
        if let Some(one) = token.secret(*middle) {
            done = one.range.end;
            found.push(one);
        }
    }
}

struct TokenText<'a> {
    text: &'a str,
    at: usize,
}

impl TokenText<'_> {
    fn secret(&self, middle: Middle) -> Option<Found> {
        match middle {
            Middle::WebToken => self.web_token(),
            Middle::TelegramBot => {
                let digits = self.before(u8::is_ascii_digit);
                let length = self.behind(1, Dashed);
                let is_token = (8..=10).contains(&digits) && (33..=40).contains(&length);
                is_token.then(|| Found::new(self.at - digits..self.at + 1 + length, "Telegram token"))
            }
            Middle::Terraform => self.around(10..=20, ".atlasv1.".len(), 50, "Terraform token"),
            Middle::AzureSecret => {
                let before = self.before(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte));
                let length = self.behind(2, Body::Dashed).max(self.behind_tilde());
                let has_digit = self.text.as_bytes()[..self.at].last().is_some_and(u8::is_ascii_digit);
                let is_secret = has_digit && before >= 4 && (30..=40).contains(&length);
                is_secret.then(|| Found::new(self.at - before.min(4)..self.at + 2 + length, "Azure secret"))
            }
            Middle::Mailchimp => {
                let before = self.before(u8::is_ascii_hexdigit);
                let digits = self.behind(3, Body::Hex);
                let is_key = before == 32 && (1..=2).contains(&digits);
                is_key.then(|| Found::new(self.at - before..self.at + 3 + digits, "Mailchimp key"))
            }
            Middle::Firebase => self.around(8..=200, ":APA91b".len(), 100, "Firebase key"),
            Middle::WindowsHash => {
                let before = self.before(|byte| byte.is_ascii_hexdigit() || *byte == b':');
                let pair = &self.text[self.at - before..self.at];
                let hashes = pair.len().checked_sub(65).and_then(|from| pair.get(from..))?;
                let is_pair = hashes.as_bytes()[32] == b':' && hashes.bytes().filter(|byte| *byte == b':').count() == 1;
                is_pair.then(|| Found::new(self.at - 65..self.at, "password hash"))
            }
        }
    }

    /// How many bytes right before are like this.
    fn before(&self, like: impl Fn(&u8) -> bool) -> usize {
        self.text.as_bytes()[..self.at].iter().rev().take(256).take_while(|byte| like(byte)).count()
    }

    /// How many bytes from `skip` on the body takes.
    fn behind(&self, skip: usize, body: Body) -> usize {
        let rest = self.text.as_bytes().get(self.at + skip..).unwrap_or_default();
        rest.iter().take(LONGEST).take_while(|byte| body.takes(**byte)).count()
    }

    fn behind_tilde(&self) -> usize {
        let rest = self.text.as_bytes().get(self.at + 2..).unwrap_or_default();
        rest.iter().take(64).take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.~".contains(byte)).count()
    }

    fn around(
        &self,
        before: std::ops::RangeInclusive<usize>,
        middle: usize,
        least: usize,
        kind: &'static str,
    ) -> Option<Found> {
        let head = self.before(|byte| Dashed.takes(*byte));
        let tail = self.behind(middle, Dashed);
        (before.contains(&head) && tail >= least).then(|| Found::new(self.at - head..self.at + middle + tail, kind))
    }

    /// A header, claims and a signature; or in five parts, encrypted. Lines of it may be wrapped.
    fn web_token(&self) -> Option<Found> {
        let bytes = self.text.as_bytes();
        if !super::may_begin(bytes, self.at, "eyJ") {
            return None;
        }
        let of_token = |byte: &u8| Dashed.takes(*byte) || *byte == b'.';
        let mut end = self.at;
        loop {
            let length = bytes[end..].iter().take(LONGEST).take_while(|byte| of_token(byte)).count();
            end += length;
            let is_wrapped = length >= super::FULL_LINE && end - self.at < LONGEST;
            match super::next_line(bytes, end).filter(|_| is_wrapped) {
                Some(next) if bytes[next..].iter().take_while(|byte| of_token(byte)).count() >= 8 => end = next,
                Some(_) | None => break,
            }
        }
        let token = self.text[self.at..end].trim_end_matches('.');
        let mut parts = token.split('.');
        let long = |part: Option<&str>| part.is_some_and(|part| part.len() >= 8);
        (long(parts.next()) && long(parts.next())).then(|| Found::new(self.at..self.at + token.len(), "JWT"))
    }
}

/// Tokens known only by the lengths of their parts; `run` is the longest of them.
pub(in super::super) fn by_parts(text: &str, run: &std::ops::Range<usize>) -> Option<Found> {
    let length = |from: usize, body: Body| {
        let rest = text.as_bytes().get(from..).unwrap_or_default();
        rest.iter().take(LONGEST).take_while(|byte| body.takes(**byte)).count()
    };
    let word = &text[run.clone()];
    // Discord's: an encoded number, a time, and a signature.
    if (24..=28).contains(&word.len()) && word.starts_with(['M', 'N', 'O']) && text[run.end..].starts_with('.') {
        let time = length(run.end + 1, Dashed);
        let signature = run.end + 1 + time + 1;
        let is_token = time == 6 && text[signature - 1..].starts_with('.') && length(signature, Dashed) >= 27;
        return is_token.then(|| Found::new(run.start..signature + length(signature, Dashed), "Discord token"));
    }
    // Airtable's: `pat`, 14 characters, and 64 hexadecimal digits.
    let head = text.get(run.start.checked_sub(18)?..run.start)?;
    let is_airtable = word.len() == 64 && head.starts_with("pat") && head.ends_with('.');
    (is_airtable && word.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .then(|| Found::new(run.start - 18..run.end, "Airtable token"))
}
