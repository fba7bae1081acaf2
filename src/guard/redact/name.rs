//! Names that say a secret follows.

/// What a name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nature {
    /// Chosen by a person, so that it may be a plain word.
    Password,
    Secret,
    Token,
    Key,
    /// Any other key, which is a secret only if its value was drawn at random.
    AnyKey,
    /// A header's value, with a scheme before the secret.
    Authorization,
    Cookie,
    SetCookie,
    /// Base64 of a name and a password, as in the files of npm and docker.
    Auth,
    /// What makes an address valid for a while.
    Signature,
}

impl Nature {
    /// What a secret of this nature is called in its placeholder.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Nature::Password => "password",
            Nature::Secret => "secret",
            Nature::Token => "token",
            Nature::Key | Nature::AnyKey => "key",
            Nature::Authorization => "authorization",
            Nature::Cookie | Nature::SetCookie => "cookie",
            Nature::Auth => "credential",
            Nature::Signature => "signature",
        }
    }
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
    "base",
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
/// Before `key`: what makes it a name, a place or a public half.
const OTHER_KEYS: &[&str] = &[
    "public",
    "pub",
    "publishable",
    "primary",
    "foreign",
    "sort",
    "partition",
    "cache",
    "row",
    "unique",
    "composite",
    "object",
    "map",
    "dict",
    "index",
    "hot",
    "arrow",
    "enter",
    "escape",
    "tab",
    "shift",
    "ctrl",
    "control",
    "alt",
    "meta",
    "function",
    "group",
    "order",
    "search",
    "lookup",
    "translation",
    "label",
    "message",
    "registry",
    "routing",
    "answer",
    "site",
    "idempotency",
    "dedup",
    "dedupe",
    "correlation",
    "trace",
    "event",
    "metric",
    "tag",
    "node",
    "tree",
    "page",
    "item",
    "entry",
    "column",
    "json",
    "yaml",
    "host",
    "known",
    "bucket",
    "blob",
    "next",
    "last",
    "start",
    "end",
    "first",
    "prefix",
    "suffix",
    "min",
    "max",
    "any",
    "each",
    "no",
    "wrong",
    "missing",
    "invalid",
    "unknown",
    "duplicate",
    "bad",
    "right",
    "left",
    "this",
    "that",
    "the",
    "a",
    "by",
    "per",
    "s3",
    "path",
    "verification",
    "verify",
    "content",
    "build",
    "commit",
    "etag",
    "hash",
    "checksum",
    "artifact",
    "restore",
    "image",
    "layer",
    "lock",
    "sitemap",
    "id",
    "same",
    "legend",
];
/// Words that end in `key` and are none.
const NO_KEYS: &[&str] = &[
    "monkey",
    "donkey",
    "turkey",
    "whiskey",
    "hockey",
    "jockey",
    "lackey",
    "hotkey",
    "pubkey",
    "publickey",
    "sortkey",
    "smokey",
    "primarykey",
    "foreignkey",
    "cachekey",
    "grepkey",
    "onkey",
    "turnkey",
    "mickey",
    "malarkey",
    "passkey",
    "shortkey",
];
/// Words that end in `pass` and are no passwords.
const NO_PASSES: &[&str] = &[
    "bypass",
    "compass",
    "encompass",
    "surpass",
    "trespass",
    "overpass",
    "underpass",
    "lowpass",
    "highpass",
    "bandpass",
    "multipass",
    "onepass",
    "singlepass",
    "renderpass",
    "keepass",
    "lastpass",
    "nopass",
    "askpass",
];
/// In other languages and abbreviations.
const PASSWORDS: &[&str] = &[
    "pw",
    "psw",
    "pword",
    "pswd",
    "passwd",
    "passwort",
    "kennwort",
    "senha",
    "contrasena",
    "clave",
    "wachtwoord",
    "motdepasse",
    "haslo",
    "parola",
    "salasana",
    "losenord",
    "passw",
    "userpw",
    "rootpw",
    "bindpw",
    "adminpw",
    "dbpw",
    "mnemonic",
    "pin",
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

/// What a name holds that is known as a whole, whatever its words are.
fn nature_of_whole(name: &str) -> Option<Nature> {
    match name.to_ascii_lowercase().as_str() {
        "cookie" => Some(Nature::Cookie),
        "set-cookie" => Some(Nature::SetCookie),
        "auth" | "_auth" | "identitytoken" | "registrytoken" => Some(Nature::Auth),
        "sonar.login" | "dsonar.login" => Some(Nature::Token),
        "sig" | "signature" | "x-amz-signature" | "x-goog-signature" => Some(Nature::Signature),
        _ => None,
    }
}

/// What a name promises, if anything.
pub(super) fn nature(name: &str) -> Option<Nature> {
    if let Some(nature) = nature_of_whole(name) {
        return Some(nature);
    }
    let words = words(name);
    let is_version = |word: &str| word.trim_start_matches('v').bytes().all(|byte| byte.is_ascii_digit());
    let is_trailing = |word: &str| TRAILING.contains(&word) || is_version(word);
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
        "pass" | "pwd" if !OTHER_PASSWORDS.contains(&before) => Some(Nature::Password),
        _ if ends(&["password", "passwd", "passphrase", "passcode"]) && !OTHER_PASSWORDS.contains(&before) => {
            Some(Nature::Password)
        }
        _ if ends(&["pass", "pwd"]) && last.len() <= 14 && !ends(NO_PASSES) && !OTHER_PASSWORDS.contains(&before) => {
            Some(Nature::Password)
        }
        "phrase" if ["pass", "seed", "secret", "recovery", "backup", "mnemonic"].contains(&before) => {
            Some(Nature::Password)
        }
        "word" if before == "pass" => Some(Nature::Password),
        "passe" if before == "de" => Some(Nature::Password),
        _ if PASSWORDS.contains(&last) && (last != "pin" || !before.is_empty()) => Some(Nature::Password),
        _ if last.ends_with("secret") || ends(&["secretkey", "secretaccesskey"]) => Some(Nature::Secret),
        "credential" | "credentials" | "creds" => Some(Nature::Secret),
        _ if TOKENS.contains(&last) && !OTHER_TOKENS.contains(&before) => Some(Nature::Token),
        "id" if before == "secret" => Some(Nature::Secret),
        "id" if ["session", "sess"].contains(&before) => Some(Nature::AnyKey),
        _ if ["sessionid", "phpsessid", "jsessionid", "sid", "csrf", "xsrf", "csrftoken"].contains(&last) => {
            Some(Nature::AnyKey)
        }
        _ if ["psk", "salt", "seed", "hmac", "pepper", "otp", "totp", "dsn", "licence", "license"].contains(&last) => {
            Some(Nature::AnyKey)
        }
        "authorization" => Some(Nature::Authorization),
        "key" if KEYS.contains(&before) => Some(Nature::Key),
        _ if ends(KEY_WORDS) => Some(Nature::Key),
        _ if last.ends_with("token")
            && last.len() > 5
            && !["tokentoken", "jsonwebtoken", "detoken", "nexttoken", "pagetoken", "subtoken"].contains(&last) =>
        {
            Some(Nature::Token)
        }
        "key" if !OTHER_KEYS.contains(&before) => Some(Nature::AnyKey),
        "keys" if before == "api" || before == "secret" => Some(Nature::AnyKey),
        _ if last.ends_with("key") && last.len() > 4 && !NO_KEYS.contains(&last) => Some(Nature::AnyKey),
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
    nature(name).is_some_and(|nature| ![Nature::Signature, Nature::AnyKey].contains(&nature))
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
            "cache_key",
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
