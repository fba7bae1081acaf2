//! Secrets behind a name: in variables, settings, data, headers, options of commands.

use std::cell::Cell;
use std::ops::Range;

use super::dictionary::Hits;

use super::encoded;
use super::extent::{self, bare, char_boundary, quoted, rest_of_line, token};
use super::found::Found;
use super::name::{self, Nature};
use super::value::{self, Setting};

/// A name without one of these is never a secret's.
pub(super) const SIGNS: &[&str] = &[
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "auth",
    "cookie",
    "cred",
    "bearer",
    "jwt",
    "_pat",
    "sig",
    "identified by",
    "psk",
    "pw",
    "psw",
    "salt",
    "seed",
    "mnemonic",
    "csrf",
    "sess",
    "otp",
    "phrase",
    "license",
    "kennwort",
    "senha",
    "contrasena",
    "wachtwoord",
    "haslo",
    "_pin",
    "hmac",
    "snmp-server community",
    "sonar.login",
];
/// Longer than any name.
const LONGEST_NAME: usize = 80;
/// Values longer than this are read once.
const LONG: usize = 256;
/// Schemes of an `Authorization` whose rest is one word.
const SCHEMES: &[&str] =
    &["bearer", "basic", "token", "apikey", "api-key", "negotiate", "digest", "bot", "key", "ssws"];

pub(super) fn find(text: &str, hits: &Hits, found: &mut Vec<Found>) {
    let mut done = 0;
    for hit in &hits.names {
        if hit.start < done {
            continue;
        }
        let is_whole = text.as_bytes()[hit.clone()].contains(&b' ');
        let range = if is_whole { hit.clone() } else { whole_name(text, hit.clone()) };
        done = range.end;
        if range.len() < LONGEST_NAME {
            let name = Name { text, range, read: Cell::new(0) };
            found.extend(name.secret());
            done = done.max(name.read.get());
        }
    }
}

fn whole_name(text: &str, hit: Range<usize>) -> Range<usize> {
    let of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let bytes = text.as_bytes();
    let before = bytes[..hit.start].iter().rev().take(LONGEST_NAME).take_while(of_name).count();
    let after = bytes[hit.end..].iter().take_while(of_name).count();
    hit.start - before..hit.end + after
}

/// A word in the text that may be a name.
struct Name<'a> {
    text: &'a str,
    range: Range<usize>,
    /// The end of a value so long that no other name is looked for in it: it would be read again and again.
    read: Cell<usize>,
}

/// What stands between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    /// `=`, `:=` or `=>`; `tight` without blanks.
    Equals {
        tight: bool,
    },
    Colon {
        tight: bool,
    },
    /// `<name>value</name>`.
    Element,
    /// Only blanks.
    Blank,
    /// Two blanks or more, a tab, or the line between two columns of a table.
    Column,
    /// `:` or `=` and the end of the line: the value is on the next.
    NextLine,
    /// `name: X`, then `value:`, as lists of settings have it.
    Pair,
    /// `, ` behind a quoted name: arguments of a function.
    Comma,
}

impl Name<'_> {
    fn secret(&self) -> Option<Found> {
        let word = &self.text[self.range.clone()];
        if word.eq_ignore_ascii_case("bearer") {
            return self.behind_bearer();
        }
        if word.eq_ignore_ascii_case("identified by") {
            return self.behind_blank(Nature::Password);
        }
        if word.contains(' ') {
            return self.community();
        }
        let (between, at) = self.between()?;
        if let Some(found) = self.numbered(between, at) {
            return Some(found);
        }
        if between == Between::Blank && !self.may_stand_before_blank() {
            return self.random_behind_blank(at);
        }
        let nature = name::nature(word.trim_matches(['-', '.']))?;
        match nature {
            Nature::Authorization => self.authorization(between, at),
            Nature::Cookie | Nature::SetCookie => self.cookie(nature, between, at),
            Nature::Signature if !self.is_in_query() => None,
            _ if between == Between::Blank => self.behind_blank(nature),
            _ => self.assigned(nature, between, at),
        }
    }

    fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    fn noted(&self, value: Range<usize>) -> Range<usize> {
        if value.len() > LONG {
            self.read.set(self.read.get().max(value.end));
        }
        value
    }

    fn quoted(&self, at: usize) -> Option<Range<usize>> {
        quoted(self.text, at).map(|value| self.noted(value))
    }

    fn bare(&self, at: usize, ends: &[u8]) -> Range<usize> {
        self.noted(bare(self.text, at, ends))
    }

    fn rest_of_line(&self, at: usize) -> Range<usize> {
        self.noted(rest_of_line(self.text, at))
    }

    fn before(&self) -> u8 {
        self.range.start.checked_sub(1).map_or(b'\n', |at| self.bytes()[at])
    }

    fn is_flag(&self) -> bool {
        self.text[self.range.clone()].starts_with('-')
    }

    /// Prose is full of such words; only an option, SQL and a netrc have the secret behind a blank.
    fn may_stand_before_blank(&self) -> bool {
        let word = &self.bytes()[self.range.clone()];
        self.is_flag() || word == b"password" || !word.iter().any(u8::is_ascii_lowercase)
    }

    fn is_in_query(&self) -> bool {
        matches!(self.before(), b'?' | b'&')
    }

    /// Whether only blanks, a dash, a line's number or a diff's mark stand before it on its line.
    fn begins_line(&self) -> bool {
        let from = self.range.start.saturating_sub(64);
        let before = &self.bytes()[from..self.range.start];
        let line = before.iter().rposition(|byte| *byte == b'\n').map_or(before, |newline| &before[newline + 1..]);
        line.iter().all(|byte| byte.is_ascii_digit() || b" \t-+|:\"'#*".contains(byte))
    }

    /// Whether it begins a line, or ends a title of a few words there, such as `Client Secret`.
    fn begins_cell(&self) -> bool {
        if self.begins_line() {
            return true;
        }
        let before = &self.bytes()[self.range.start.saturating_sub(40)..self.range.start];
        let line = before.iter().rposition(|byte| *byte == b'\n').map(|newline| &before[newline + 1..]);
        let line = line.or((before.len() == self.range.start).then_some(before)).unwrap_or(b"0").trim_ascii_start();
        let title = line.strip_prefix(b"|").unwrap_or(line).trim_ascii_start();
        let is_title = title.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b' ');
        is_title && !title.windows(2).any(|pair| pair == b"  ") && title.split(|byte| *byte == b' ').count() <= 4
    }

    /// Whether it stands in quotes behind a parenthesis.
    fn is_first_argument(&self) -> bool {
        let before = &self.bytes()[self.range.start.saturating_sub(4)..self.range.start];
        matches!(before.trim_ascii(), [.., b'(', b'"' | b'\''])
    }

    /// What follows the name, and where the value begins.
    fn between(&self) -> Option<(Between, usize)> {
        let bytes = self.bytes();
        let mut at = self.range.end;
        let skip = |at: &mut usize, of: &[u8]| {
            let from = *at;
            while bytes.get(*at).is_some_and(|byte| of.contains(byte)) && *at - from < 16 {
                *at += 1;
            }
            *at - from
        };
        if bytes.get(at) == Some(&b'>') && self.before() == b'<' {
            return Some((Between::Element, at + 1));
        }
        if let Some(value) = extent::pair_value(self.text, at) {
            return Some((Between::Pair, value));
        }
        let quotes = skip(&mut at, b"\\\"'`");
        // `<string name="password">value</string>`.
        if quotes == 1 && bytes.get(at) == Some(&b'>') && matches!(self.before(), b'"' | b'\'') {
            return Some((Between::Element, at + 1));
        }
        let brackets = skip(&mut at, b"]");
        let blanks = skip(&mut at, b" \t");
        let rest = &bytes[at..];
        let (between, length) = match rest {
            [b':', b':', ..] => return None,
            [b':', b'=', ..] | [b'=', b'>', ..] | [b'=', b'=', ..] | [b'?', b'=', ..] | [b'+', b'=', ..] => {
                (Between::Equals { tight: false }, 2)
            }
            [b'=', ..] => (Between::Equals { tight: blanks == 0 }, 1),
            [b':', ..] => (Between::Colon { tight: blanks == 0 }, 1),
            [b',', ..] if quotes > 0 && (self.is_flag() || self.is_first_argument()) => (Between::Comma, 1),
            [b'\n', ..] if quotes + brackets == 0 && self.begins_cell() => {
                return Some((Between::NextLine, extent::next_line_value(self.text, at)?));
            }
            [b'|', b' ', ..] if blanks > 0 && self.begins_cell() => (Between::Column, 1),
            [_, ..] if blanks > 0 && quotes + brackets == 0 => {
                let is_wide = blanks > 1 || bytes[at - 1] == b'\t';
                let between =
                    if is_wide && self.begins_cell() && !self.is_flag() { Between::Column } else { Between::Blank };
                return Some((between, at));
            }
            _ => return None,
        };
        at += length;
        let blanks = skip(&mut at, b" \t");
        if matches!(between, Between::Equals { .. } | Between::Colon { .. })
            && let Some(value) = extent::next_line_value(self.text, at)
        {
            return Some((Between::NextLine, value));
        }
        let between = match between {
            Between::Equals { tight } => Between::Equals { tight: tight && blanks == 0 },
            Between::Colon { tight } => Between::Colon { tight: tight && blanks == 0 },
            other => other,
        };
        Some((between, at))
    }

    fn assigned(&self, nature: Nature, between: Between, at: usize) -> Option<Found> {
        let name = &self.text[self.range.clone()];
        if let Some(quoted) = self.quoted(at) {
            return self.judged(quoted, nature, Setting::Quoted);
        }
        let is_capital = name.bytes().all(|byte| !byte.is_ascii_lowercase());
        let (setting, ends): (Setting, &[u8]) = match between {
            Between::Element => (Setting::Quoted, b"<"),
            Between::Comma | Between::Blank => return None,
            Between::Column => return self.in_column(nature, at),
            Between::NextLine => return self.alone_on_line(nature, at),
            Between::Pair => (Setting::Shell, b",}<&"),
            Between::Equals { tight: true } if self.is_in_query() => (Setting::Shell, b"&#"),
            Between::Equals { tight: true } if is_capital && self.begins_line() => (Setting::Shell, b""),
            Between::Equals { tight: true } if is_capital || self.is_flag() => (Setting::Shell, b";,&|)"),
            Between::Equals { tight: true } => (self.in_small_letters(at), b";,&|)"),
            Between::Equals { tight: false } | Between::Colon { .. } if self.begins_line() => (Setting::Line, b""),
            Between::Equals { tight: false } | Between::Colon { .. } => (Setting::Loose, b";,&|)}"),
        };
        let value = self.bare(at, ends);
        // `name: type = "value"`, as several languages have it.
        if matches!(between, Between::Colon { .. })
            && let Some(after) = self.text[value.end..].strip_prefix(" = ")
        {
            let quoted = self.quoted(self.text.len() - after.len())?;
            return self.judged(quoted, nature, Setting::Quoted);
        }
        let rest = self.bytes()[value.end..].iter().take(LONG).find(|byte| !b" \t\r".contains(byte));
        let ends_line = matches!(rest, None | Some(b'\n' | b'#'));
        let setting = if setting == Setting::Line && !ends_line { Setting::Loose } else { setting };
        // A value of code ends with the statement.
        let is_statement = self.text[value.clone()].ends_with([';', ',']);
        let setting = if setting == Setting::Line && is_statement { Setting::Loose } else { setting };
        let trimmed = self.text[value.clone()].trim_end_matches([';', ',']).len();
        self.judged(value.start..value.start + trimmed, nature, setting)
    }

    /// A value in a table ends at the next wide gap; a description is several words.
    fn in_column(&self, nature: Nature, at: usize) -> Option<Found> {
        let line = self.rest_of_line(at);
        let text = &self.text[line.clone()];
        let end = ["  ", "\t", " |"].iter().filter_map(|gap| text.find(gap)).min().unwrap_or(text.len());
        let cell = text[..end].trim_end();
        if cell.contains(' ') {
            return None;
        }
        self.judged(at..at + cell.len(), nature, Setting::Loose)
    }

    /// A value on the line below its name is the only word there.
    fn alone_on_line(&self, nature: Nature, at: usize) -> Option<Found> {
        if let Some(quoted) = self.quoted(at) {
            return self.judged(quoted, nature, Setting::Quoted);
        }
        let line = self.rest_of_line(at);
        let word = self.text[line].trim_end_matches([',', ';']);
        let is_odd = |word: &str| {
            word.bytes().any(|byte| byte.is_ascii_digit()) && word.bytes().any(|byte| byte.is_ascii_alphabetic())
        };
        let is_certain = value::is_drawn(word) || nature != Nature::AnyKey && word.len() >= 8 && is_odd(word);
        (is_certain && !word.contains(' ')).then(|| self.judged(at..at + word.len(), nature, Setting::Loose)).flatten()
    }

    /// `password=value` is a setting; `f(password=value)` hands one name over under another.
    fn in_small_letters(&self, at: usize) -> Setting {
        let value = self.bare(at, b";,&|)");
        let next = self.bytes().get(value.end);
        // Rust's macros for logs mark how a value is shown.
        let text = self.text[value.clone()].trim_start_matches(['%', '?', '&']);
        let is_name = text.bytes().all(|byte| byte.is_ascii_alphabetic() || b"_.".contains(&byte));
        if is_name && matches!(next, Some(b',' | b')' | b'|')) { Setting::Loose } else { Setting::Shell }
    }

    fn judged(&self, value: Range<usize>, nature: Nature, setting: Setting) -> Option<Found> {
        let text = self.text.get(value.clone())?;
        let name = self.text[self.range.clone()].trim_matches('-');
        let is_secret = match nature {
            Nature::Auth => {
                encoded::is_encoded_login(text)
                    || text.len() >= 12 && value::is_secret(text, Nature::Key, Setting::Loose)
            }
            Nature::Signature => text.len() >= 16,
            _ => !text.is_empty() && value::is_secret(text, nature, setting),
        };
        (is_secret && !text.eq_ignore_ascii_case(name)).then(|| Found::new(value, nature.kind()))
    }

    /// `--password X`, `PASSWORD 'X'` as in SQL, `login user password X` as in a netrc.
    fn behind_blank(&self, nature: Nature) -> Option<Found> {
        let blanks = self.bytes()[self.range.end..].iter().take_while(|byte| b" \t".contains(byte)).count();
        let at = self.range.end + blanks;
        if let Some(quoted) = self.quoted(at) {
            let is_sql = self.text[self.range.clone()].bytes().all(|byte| !byte.is_ascii_lowercase() || byte == b' ');
            let is_sql = is_sql || self.text[self.range.clone()].contains(' ');
            let setting = if self.is_flag() { Setting::Shell } else { Setting::Quoted };
            return (self.is_flag() || is_sql).then(|| self.judged(quoted, nature, setting)).flatten();
        }
        let value = self.bare(at, b"|;)");
        let text = &self.text[value.clone()];
        if self.is_flag() {
            // Capitals name what is to be put there; a second blank begins a description.
            let is_label = text.starts_with('-') || text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
            return (!is_label && blanks == 1).then(|| self.judged(value, nature, Setting::Shell)).flatten();
        }
        let from = char_boundary(self.text, self.range.start.saturating_sub(256));
        let mut earlier = self.text[from..self.range.start].split_whitespace().rev();
        let is_netrc = earlier.nth(1).is_some_and(|word| word == "login");
        let found = is_netrc.then(|| self.judged(value, nature, Setting::Shell)).flatten();
        found.or_else(|| self.random_behind_blank(at))
    }

    /// `requirepass X`, `ENV API_KEY X`, `the token is X`: only what was drawn at random is believed there.
    fn random_behind_blank(&self, at: usize) -> Option<Found> {
        let rest = &self.text[at..];
        let at = at + rest.strip_prefix("is ").map_or(0, |_| "is ".len());
        let value = self.bare(at, b"|;),");
        let text = self.text[value.clone()].trim_end_matches(['.', ':']);
        if !value::is_drawn(text) {
            return None;
        }
        let name = self.text[self.range.clone()].trim_matches(['-', '.']);
        let nature = name::nature(name).filter(|nature| *nature != Nature::AnyKey || name.contains(['_', '-']))?;
        Some(Found::new(value.start..value.start + text.len(), nature.kind()))
    }

    /// `password 7 094F471A`, as routers print it: the number says how the secret is written.
    fn numbered(&self, between: Between, at: usize) -> Option<Found> {
        let (number, rest) = self.text.get(at..).filter(|_| between == Between::Blank)?.split_once(' ')?;
        let at = self.text.len() - rest.len();
        let value = self.bare(at, b"");
        let text = &self.text[value.clone()];
        let is_secret = match number {
            "7" => text.len() >= 6 && text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "5" | "8" | "9" => text.len() >= 20 && text.starts_with('$'),
            "4" | "6" => text.len() >= 16 && value::is_drawn(text),
            "0" => self.is_in_router_line() && text.len() >= 3 && !value::is_stand_in(text),
            _ => false,
        };
        is_secret.then(|| Found::new(value, "password"))
    }

    /// Whether its line begins as lines of a router's configuration do that set a password.
    fn is_in_router_line(&self) -> bool {
        let from = char_boundary(self.text, self.range.start.saturating_sub(128));
        let before = &self.text[from..self.range.start];
        let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
        ["username ", "enable ", "tacacs-server ", "radius-server "].iter().any(|opening| line.starts_with(opening))
    }

    /// `snmp-server community X RO`.
    fn community(&self) -> Option<Found> {
        let rest = &self.text[self.range.end..];
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        let at = self.range.end + blanks;
        let at = at + self.text[at..].strip_prefix("0 ").or(self.text[at..].strip_prefix("7 ")).map_or(0, |_| 2);
        let value = self.bare(at, b"");
        let text = &self.text[value.clone()];
        let is_secret = blanks > 0 && text.len() >= 3 && !value::is_stand_in(text);
        is_secret.then(|| Found::new(value, "password"))
    }

    fn behind_bearer(&self) -> Option<Found> {
        let blanks = self.bytes()[self.range.end..].iter().take_while(|byte| **byte == b' ').count();
        let value = token(self.text, self.range.end + blanks);
        let text = &self.text[value.clone()];
        let is_secret = blanks > 0 && text.len() >= 16 && value::is_secret(text, Nature::Token, Setting::Loose);
        is_secret.then(|| Found::new(value, "bearer token"))
    }

    /// The scheme stays: which one it is helps, and hides nothing.
    fn authorization(&self, between: Between, at: usize) -> Option<Found> {
        if between == Between::Blank {
            return None;
        }
        let whole = self.quoted(at).unwrap_or_else(|| self.rest_of_line(at));
        let text = self.text.get(whole.clone())?;
        let (scheme, rest) = text.split_once(' ').unwrap_or(("", text));
        let secret = match scheme.to_ascii_lowercase().as_str() {
            scheme if SCHEMES.contains(&scheme) => whole.end - rest.len()..whole.end,
            _ => whole,
        };
        let secret = if secret.len() < self.text.len() && !self.text[secret.clone()].contains("=") {
            // One word; what follows on the line is something else.
            secret.start
                ..secret.start + self.text[secret.clone()].split(char::is_whitespace).next().unwrap_or_default().len()
        } else {
            secret
        };
        let text = &self.text[secret.clone()];
        let is_secret =
            text.len() >= 6 && !value::is_stand_in(text) && !SCHEMES.contains(&text.to_ascii_lowercase().as_str());
        let looks_so = text.bytes().any(|byte| byte.is_ascii_digit() || b"=+/".contains(&byte)) || text.len() >= 20;
        let is_login = scheme.eq_ignore_ascii_case("basic") && encoded::is_encoded_login(text);
        (is_secret && looks_so || is_login).then(|| Found::new(secret, "authorization"))
    }

    fn cookie(&self, nature: Nature, between: Between, at: usize) -> Option<Found> {
        if !matches!(between, Between::Colon { .. }) {
            return None;
        }
        // Some tools print a list of headers' values.
        let list = self.bytes()[at..].iter().take(16).take_while(|byte| b"[ ".contains(byte)).count();
        let whole = self.quoted(at + list).unwrap_or_else(|| self.rest_of_line(at));
        let text = self.text.get(whole.clone())?;
        let length = match nature {
            Nature::SetCookie => text.split(';').next().unwrap_or_default().len(),
            _ => text.len(),
        };
        let text = &text[..length];
        let (_, value) = text.split_once('=')?;
        (!value.is_empty() && !value::is_stand_in(value) && !text.contains('('))
            .then(|| Found::new(whole.start..whole.start + length, "cookie"))
    }
}
