//! Names that say a secret follows.

/// What a name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nature {
    /// Chosen by a person, so that it may be a plain word.
    Password,
    Secret,
    Token,
    Key,
    /// A header's value, with a scheme before the secret.
    Authorization,
    Cookie,
    SetCookie,
    /// Base64 of a name and a password, as in the files of npm and docker.
    Auth,
    /// What makes an address valid for a while.
    Signature,
}

/// Words at the end of a name that do not change what it names.
const TRAILING: &[&str] = &[
    "value",
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "test",
    "live",
    "old",
    "new",
    "backup",
    "current",
    "default",
    "primary",
    "secondary",
    "plain",
    "plaintext",
    "raw",
    "base64",
    "b64",
    "data",
    "hex",
    "string",
];
/// Before `key`: what makes it a secret one.
const KEYS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "authentication",
    "encryption",
    "encrypt",
    "encrypted",
    "decryption",
    "signing",
    "sign",
    "master",
    "app",
    "application",
    "account",
    "service",
    "admin",
    "session",
    "jwt",
    "hmac",
    "storage",
    "webhook",
    "consumer",
    "client",
    "license",
    "deploy",
    "subscription",
    "shared",
    "root",
    "stripe",
    "openai",
    "anthropic",
    "github",
    "aws",
    "azure",
    "functions",
    "ssh",
    "ingest",
    "write",
    "cipher",
    "crypto",
    "aes",
    "recovery",
];
const KEY_WORDS: &[&str] = &[
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "authkey",
    "accountkey",
    "masterkey",
    "appkey",
    "signingkey",
    "encryptionkey",
    "sharedaccesskey",
];
const TOKENS: &[&str] = &[
    "token",
    "authtoken",
    "accesstoken",
    "apitoken",
    "bottoken",
    "refreshtoken",
    "sessiontoken",
    "idtoken",
    "usertoken",
    "jwt",
    "pat",
    "bearer",
];
/// Before `token`: a word of parsers, pages or models.
const OTHER_TOKENS: &[&str] = &[
    "next",
    "page",
    "continuation",
    "sync",
    "eof",
    "start",
    "end",
    "max",
    "min",
    "num",
    "total",
    "unexpected",
    "invalid",
    "bad",
    "per",
    "bos",
    "eos",
    "pad",
    "unk",
    "cls",
    "sep",
    "mask",
    "special",
    "syntax",
    "cancellation",
    "cancel",
    "first",
    "last",
    "string",
    "number",
    "missing",
    "expected",
    "unknown",
    "illegal",
    "stop",
    "cost",
    "each",
    "one",
    "a",
    "no",
];
/// Before `password`: about one, and not one itself.
const OTHER_PASSWORDS: &[&str] = &[
    "reset",
    "forgot",
    "forgotten",
    "change",
    "update",
    "show",
    "hide",
    "has",
    "no",
    "require",
    "requires",
    "invalid",
    "wrong",
    "min",
    "max",
    "validate",
    "check",
    "is",
    "use",
    "enter",
    "incorrect",
    "a",
    "your",
    "the",
    "need",
    "needs",
    "without",
];

/// What a name promises, if anything.
pub(super) fn nature(name: &str) -> Option<Nature> {
    match name.to_ascii_lowercase().as_str() {
        "cookie" => return Some(Nature::Cookie),
        "set-cookie" => return Some(Nature::SetCookie),
        "auth" | "_auth" => return Some(Nature::Auth),
        "sig" | "signature" | "x-amz-signature" | "x-goog-signature" => return Some(Nature::Signature),
        _ => {}
    }
    let words = words(name);
    let is_trailing = |word: &str| TRAILING.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit());
    let mut named: &[String] = &words;
    while let [rest @ .., last] = named
        && !rest.is_empty()
        && is_trailing(last)
    {
        named = rest;
    }
    let (last, before) = named.split_last()?;
    // `password1` is a password.
    let last = last.trim_end_matches(|c: char| c.is_ascii_digit());
    let before = before.last().map_or("", String::as_str);
    let ends = |words: &[&str]| words.iter().any(|word| last.ends_with(word));
    match last {
        "pass" | "pwd" | "passwort" if !OTHER_PASSWORDS.contains(&before) => Some(Nature::Password),
        _ if ends(&["password", "passwd", "passphrase", "passcode"]) && !OTHER_PASSWORDS.contains(&before) => {
            Some(Nature::Password)
        }
        _ if last.ends_with("secret") => Some(Nature::Secret),
        "credential" | "credentials" | "creds" => Some(Nature::Secret),
        _ if TOKENS.contains(&last) && !OTHER_TOKENS.contains(&before) => Some(Nature::Token),
        "authorization" => Some(Nature::Authorization),
        "key" if KEYS.contains(&before) => Some(Nature::Key),
        _ if KEY_WORDS.contains(&last) => Some(Nature::Key),
        _ => None,
    }
}

/// Whether a variable of this name holds a secret. The shell's variables are no prose, so that `KEY` alone says enough.
pub(super) fn is_secret_variable(name: &str) -> bool {
    // The shell's working directories.
    if ["PWD", "OLDPWD"].contains(&name) {
        return false;
    }
    let is_name = !name.is_empty() && name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !is_name {
        return false;
    }
    let words = words(name);
    let public = words.iter().any(|word| ["public", "pub"].contains(&word.as_str()));
    nature(name).is_some_and(|nature| nature != Nature::Signature)
        || !public && words.last().is_some_and(|word| word == "key" || word == "auth")
}

/// The words of a name in small letters: at `_`, `-`, `.`, and where capitals begin.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
        let bytes = part.as_bytes();
        let mut start = 0;
        for at in 1..bytes.len() {
            let begins = bytes[at].is_ascii_uppercase()
                && (!bytes[at - 1].is_ascii_uppercase() || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase));
            if begins {
                words.push(part[start..at].to_ascii_lowercase());
                start = at;
            }
        }
        words.push(part[start..].to_ascii_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_every_spelling() {
        for (name, expected) in [
            ("password", Nature::Password),
            ("DB_PASSWORD", Nature::Password),
            ("dbPassword2", Nature::Password),
            ("PGPASSWORD", Nature::Password),
            ("spring.datasource.password", Nature::Password),
            ("client-secret", Nature::Secret),
            ("AWS_SECRET_ACCESS_KEY", Nature::Key),
            ("apiKey", Nature::Key),
            ("APIKey", Nature::Key),
            ("x-api-key", Nature::Key),
            ("client-key-data", Nature::Key),
            ("GITHUB_TOKEN", Nature::Token),
            ("_authToken", Nature::Token),
            ("Proxy-Authorization", Nature::Authorization),
        ] {
            assert_eq!(nature(name), Some(expected), "{name}");
        }
    }

    #[test]
    fn names_about_secrets_are_not_names_of_secrets() {
        for name in [
            "tokens",
            "max_tokens",
            "token_count",
            "tokenizer",
            "nextToken",
            "next_page_token",
            "password_file",
            "resetPassword",
            "secretName",
            "public_key",
            "primary_key",
            "key",
            "keyboard",
            "passed",
            "bypass-cache",
            "compass",
            "author",
            "SSH_AUTH_SOCK",
            "jsonwebtoken",
            "monkey",
            "KEY_ID",
            "AWS_ACCESS_KEY_ID",
            "js-tokens",
            "unexpected token",
        ] {
            assert_eq!(nature(name), None, "{name}");
        }
    }

    #[test]
    fn variables_may_be_shorter() {
        for name in ["KEY", "MY_KEY", "TOKEN", "SECRET", "GITHUB_PAT", "MYSQL_PWD"] {
            assert!(is_secret_variable(name), "{name}");
        }
        for name in ["PATH", "PWD", "OLDPWD", "SSH_AUTH_SOCK", "PUBLIC_KEY", "KEYMAP", "XDG_SESSION_ID", "", "a b"] {
            assert!(!is_secret_variable(name), "{name}");
        }
    }
}
