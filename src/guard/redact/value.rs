//! Values that look secret, and those that only stand where one would.

use std::ops::Range;

use super::name::Nature;

/// How much the surroundings say that a value is meant literally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setting {
    /// `NAME=value` as the shell and its files have it, `--name value`, a query of an address.
    Shell,
    /// In quotes: data or code.
    Quoted,
    /// A line of its own, as in YAML or an INI file.
    Line,
    /// Anywhere else: prose, code, a log.
    Loose,
}

/// Words that stand in a secret's place, or say what it is like.
const STAND_INS: &[&str] = &[
    "true",
    "false",
    "null",
    "none",
    "nil",
    "undefined",
    "yes",
    "no",
    "on",
    "off",
    "string",
    "str",
    "text",
    "password",
    "passwd",
    "pass",
    "secret",
    "token",
    "key",
    "apikey",
    "api_key",
    "changeme",
    "change_me",
    "change-me",
    "changeit",
    "example",
    "placeholder",
    "required",
    "optional",
    "redacted",
    "masked",
    "hidden",
    "empty",
    "unset",
    "default",
    "value",
    "prompt",
    "stdin",
    "file",
    "env",
    "ask",
    "interactive",
    "input",
    "object",
    "any",
    "bytes",
    "option",
    "options",
    "flag",
    "argument",
    "parameter",
    "instead",
    "and",
    "or",
    "is",
    "to",
    "for",
    "with",
    "from",
    "in",
    "if",
    "as",
    "when",
    "missing",
    "invalid",
    "expired",
    "incorrect",
    "wrong",
    "valid",
    "unknown",
    "number",
    "integer",
    "boolean",
    "bool",
    "int",
    "char",
    "self",
    "this",
    "name",
    "username",
    "user",
    "field",
    "label",
    "type",
    "insert",
    "reset",
    "update",
    "delete",
    "enter",
    "confirm",
    "forgot",
    "authentication",
    "authorization",
    "sha256",
    "sha512",
    "sha1",
    "md5",
    "bcrypt",
    "argon2",
    "pbkdf2",
    "basic",
    "bearer",
    "managed",
    "manual",
    "automatic",
    "enabled",
    "disabled",
    "encrypted",
    "external",
    "internal",
    "current",
    "unexpected",
];

/// Whether a value is a variable, a template, a path, an address, or a word for "put it here".
pub(super) fn is_stand_in(value: &str) -> bool {
    let lower = value.trim_end_matches(['.', ',', ';', ':', '!', '?']).to_ascii_lowercase();
    let bytes = value.as_bytes();
    let variable = match bytes {
        [b'$', next, ..] => next.is_ascii_alphabetic() || b"_{(".contains(next),
        [b'%', .., b'%'] | [b'{', ..] | [b'<', ..] | [b'`', ..] | [b'@', ..] | [b'!', b'R' | b'S' | b'G', ..] => true,
        _ => false,
    };
    variable
        || STAND_INS.contains(&lower.as_str())
        || is_path(value)
        || value.contains("://")
        || value.contains("${")
        || value.contains("{{")
        || [
            "env:",
            "env(",
            "env.",
            "file:",
            "arn:",
            "vault:",
            "enc[",
            "your-",
            "your_",
            "my-",
            "process.env",
            "secrets.",
        ]
        .iter()
        .any(|beginning| lower.starts_with(beginning))
        || lower.contains("xxxx")
        || lower.contains("...")
        || value.contains('…')
        || bytes.iter().all(|byte| b"*.x-_#?X".contains(byte))
        || value.chars().all(|c| "•●∙".contains(c))
}

fn is_path(value: &str) -> bool {
    let is_rooted = ["/", "./", "../", "~/"].iter().any(|beginning| value.starts_with(beginning));
    // A secret of 40 characters of base64 may begin with a slash, as one of Amazon's in 64 does; but it has no words.
    let is_word = |part: &str| part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_lowercase());
    is_rooted && (value.len() != 40 || value.contains(['.', '-', '_']) || value.split('/').any(is_word))
}

/// Whether a value behind a name of this nature is a secret.
pub(super) fn is_secret(value: &str, nature: Nature, setting: Setting) -> bool {
    if is_stand_in(value) || is_version(value) {
        return false;
    }
    if nature == Nature::AnyKey {
        return is_drawn(value);
    }
    let look = ValueTraits::of(value);
    let is_password = nature == Nature::Password || nature == Nature::Secret;
    if look.digits == value.len() {
        let is_pin = nature == Nature::Password && matches!(setting, Setting::Shell | Setting::Quoted);
        return is_pin && value.len() >= 4 || value.len() >= 24;
    }
    match setting {
        Setting::Shell if look.has_blank => is_password && is_phrase(value) || is_salt(value),
        Setting::Shell => value.len() >= 4 && (!look.is_code || is_password && look.digits > 0),
        Setting::Quoted if look.has_blank => is_password && is_phrase(value) || is_salt(value),
        Setting::Quoted if is_password => value.len() >= 4 && look.is_odd() || is_word(value),
        Setting::Quoted => value.len() >= 8 && look.is_random(),
        Setting::Line if is_password => !look.is_code && (value.len() >= 6 && look.is_odd() || is_small_word(value)),
        Setting::Line => !look.is_code && value.len() >= 8 && look.is_random(),
        Setting::Loose if is_password => {
            !look.is_code && value.len() >= 6 && (look.digits > 0 && look.letters > 0 || look.is_scrambled)
        }
        Setting::Loose => !look.is_code && value.len() >= 12 && look.is_random(),
    }
}

/// Whether a value is nobody's word, so that it may be masked wherever it stands.
pub(super) fn is_distinctive(value: &str) -> bool {
    let look = ValueTraits::of(value);
    let is_number = look.digits == value.len();
    !is_stand_in(value)
        && !is_version(value)
        && match value.len() {
            0..6 => false,
            6..10 => look.is_odd() && !is_number,
            10..16 => !is_number || value.len() >= 12,
            16.. => true,
        }
}

/// What a value is made of.
struct ValueTraits {
    letters: usize,
    digits: usize,
    /// Has a character that names have not.
    has_symbol: bool,
    has_blank: bool,
    /// Capitals amid small letters as no name has them.
    is_scrambled: bool,
    /// Reads like an expression: a call, an index, a path of names.
    is_code: bool,
}

impl ValueTraits {
    fn of(value: &str) -> ValueTraits {
        let count = |test: fn(&u8) -> bool| value.bytes().filter(test).count();
        let letters = count(u8::is_ascii_alphabetic);
        let digits = count(u8::is_ascii_digit);
        let has_both_cases = count(u8::is_ascii_uppercase) > 0 && count(u8::is_ascii_lowercase) > 0;
        let is_name = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        let steps = value.split('.').count();
        let is_path_of_names =
            steps > 1 && value.split('.').all(is_name) && value.split('.').all(|part| part.len() < 24);
        let is_code = value.contains(['(', '[', '{', '<'])
            || value.starts_with('&')
            || value.contains("::")
            || value.contains("->")
            || is_path_of_names
            || value.ends_with(')');
        ValueTraits {
            letters,
            digits,
            is_scrambled: value.len() >= 10 && has_both_cases && digits == 0 && changes(value) * 3 >= value.len(),
            has_symbol: value.bytes().any(|byte| byte.is_ascii_punctuation() && !b"_-.".contains(&byte)),
            has_blank: value.contains(char::is_whitespace),
            is_code,
        }
    }

    /// Not a plain word or name.
    fn is_odd(&self) -> bool {
        self.digits > 0 && self.letters > 0 || self.has_symbol || self.is_scrambled
    }

    /// Drawn by a machine.
    fn is_random(&self) -> bool {
        self.digits > 0 && self.letters > 0 || self.letters >= 20 && self.is_scrambled && !self.has_blank
    }
}

/// Whether a value was drawn at random: by a machine, and of a length that machines use.
pub(super) fn is_drawn(value: &str) -> bool {
    if value.contains("::") {
        return false;
    }
    if value.contains(char::is_whitespace) {
        return is_salt(value);
    }
    if is_stand_in(value) || is_version(value) {
        return false;
    }
    let is_of_key = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_-.~:$!@#%^&*".contains(&byte);
    if value.len() < 16 || value.len() > 2048 || !value.bytes().all(is_of_key) {
        return false;
    }
    let longest = value.split(|c: char| !c.is_ascii_alphanumeric()).max_by_key(|part| part.len()).unwrap_or_default();
    if reads_as_words(value) && longest.len() < 20 {
        return false;
    }
    is_uuid(value)
        || longest.len() >= 12 && is_mixed_run(longest)
        || value.len() >= 20 && longest.len() >= 6 && is_mixed_run(value) && !reads_as_words(value)
}

/// Letters and digits in no order that a person would choose.
fn is_mixed_run(run: &str) -> bool {
    let bytes = run.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let capitals = bytes.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let small = bytes.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    let changes = changes(run);
    let has_cases = capitals >= 2 && small >= 2;
    match digits {
        0 => has_cases && run.len() >= 16 && changes * 3 >= run.len(),
        1 => has_cases && changes * 4 >= run.len() || changes * 3 >= run.len(),
        _ => (capitals + small >= 2 || run.len() >= 24) && changes * 6 >= run.len(),
    }
}

/// How often letters, capitals, digits and signs take turns.
fn changes(text: &str) -> usize {
    text.as_bytes().windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count()
}

fn class(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    }
}

/// `linux-cargo-0a1b2c3d`: mostly words, joined.
fn reads_as_words(value: &str) -> bool {
    let parts = value.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let is_word = |part: &&str| part.len() >= 3 && part.bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
    parts.filter(is_word).map(str::len).sum::<usize>() * 3 >= value.len()
}

fn is_uuid(value: &str) -> bool {
    let lengths: Vec<usize> = value.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Where a token is of a vendor that is not in the tables: words that say so, then many characters drawn at random.
pub(super) fn vendor_token(word: &str) -> Option<Range<usize>> {
    const TELLING: &[&str] = &[
        "sk", "secret", "live", "prod", "pat", "token", "tok", "tkn", "key", "apikey", "api", "auth", "priv",
        "private", "sec", "access", "svc",
    ];
    const PUBLIC: &[&str] =
        &["pk", "pub", "public", "publishable", "sha", "sha1", "sha256", "sha512", "id", "css", "js"];
    let (mut start, mut from) = (0, 0);
    let (mut is_telling, mut is_public) = (false, false);
    for part in word.split_inclusive(['_', '-', '/', '+']) {
        let (name, sign) = part.split_at(part.trim_end_matches(['_', '-', '/', '+']).len());
        if is_telling && name.len() >= 20 && is_mixed_run(name) && name.bytes().any(|byte| byte.is_ascii_digit()) {
            return Some(start..from + name.len());
        }
        from += part.len();
        is_public |= PUBLIC.contains(&name);
        is_telling |= !is_public && TELLING.contains(&name);
        if sign.contains(['/', '+']) || name.len() > 12 {
            (start, is_telling, is_public) = (from, false, false);
        }
    }
    None
}

/// Words of messages about passwords; a passphrase has none of them.
const MESSAGE: &[&str] = &[
    "password",
    "passphrase",
    "your",
    "the",
    "must",
    "enter",
    "is",
    "are",
    "please",
    "for",
    "not",
    "invalid",
    "forgot",
    "reset",
    "confirm",
    "new",
    "change",
    "of",
    "to",
    "with",
    "a",
    "an",
    "secret",
    "required",
    "token",
    "key",
    "this",
    "use",
    "be",
    "and",
    "or",
];

/// Several words that a person remembers.
fn is_phrase(value: &str) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let is_word =
        |word: &&str| word.bytes().all(|byte| byte.is_ascii_graphic()) && !word.ends_with(['.', '?', ':', ',']);
    let is_message = words.iter().any(|word| MESSAGE.contains(&word.to_ascii_lowercase().as_str()));
    (2..=24).contains(&words.len())
        && value.len() >= 10
        && words.iter().all(is_word)
        && !is_message
        && !value.contains(['(', '{', '<', '$', '%', '[', ':'])
}

/// A long line of all kinds of signs, blanks among them.
fn is_salt(value: &str) -> bool {
    let count = |test: fn(&u8) -> bool| value.bytes().filter(test).count();
    let symbols = count(u8::is_ascii_punctuation);
    value.len() >= 40
        && !value.contains("[masked: ")
        && symbols >= 8
        && count(u8::is_ascii_digit) >= 2
        && count(u8::is_ascii_alphabetic) >= 8
        && count(|byte| *byte == b' ') <= 8
}

/// A word that is hardly a label: labels begin with a capital, and code's words are short.
fn is_word(value: &str) -> bool {
    value.len() >= 6 && value.bytes().all(|byte| byte.is_ascii_alphabetic()) && value.as_bytes()[0].is_ascii_lowercase()
}

fn is_small_word(value: &str) -> bool {
    value.len() >= 6 && value.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// `^1.2.3`, `v2`, `>=1.0,<2`.
fn is_version(value: &str) -> bool {
    let bare = value.trim_start_matches(['^', '~', '=', '<', '>', 'v', ' ', '!']);
    let first = bare.split(['.', ',', ' ', '-']).next().unwrap_or_default();
    let is_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    is_number && (bare.contains('.') && first.len() <= 4 || bare.len() < value.len() && first.len() == bare.len())
}
