//! A vendor's key, and the variable it came from.

use std::fmt;

/// A shorter value is a stand-in for a key (`x`, `none`, `ollama`). It may be a common word, so it is not removed from texts.
const SHORTEST: usize = 8;

/// The first letters of keys that only one vendor gives out, and its host.
const PREFIXES: &[(&str, &str)] = &[
    ("sk-ant-", "api.anthropic.com"),
    ("sk-or-", "openrouter.ai"),
    ("gsk_", "api.groq.com"),
    ("AIza", "generativelanguage.googleapis.com"),
    ("xai-", "api.x.ai"),
];
const OPENAI: &str = "api.openai.com";
/// Parts of the stand-ins for keys that people copy from instructions, in small letters.
const PLACEHOLDERS: &[&str] =
    &["your-", "your_", "yourkey", "api-key", "api_key", "apikey", "xxxxxx", "...", "…", "<", "changeme", "replace"];

/// Why a key cannot be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum KeyFault {
    #[error("has quotes around it")]
    Quoted,
    #[error("has a blank or a line break in it")]
    Blank,
    #[error("has a letter in it that no key has")]
    ForeignLetter,
    #[error("is a placeholder, not a key")]
    Placeholder,
    #[error("is a key for {0}")]
    OtherVendor(&'static str),
}

/// A key for a vendor. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ApiKey {
    /// The environment variable that held it.
    pub variable: String,
    secret: String,
}

impl ApiKey {
    pub(crate) fn new(variable: impl Into<String>, secret: impl Into<String>) -> ApiKey {
        ApiKey { variable: variable.into(), secret: secret.into() }
    }

    pub(super) fn secret(&self) -> &str {
        &self.secret
    }

    /// Why the server at this host will not accept the key, as far as its letters say.
    ///
    /// The vendors' own hosts are known; others are not judged by what their keys look like.
    pub(super) fn fault(&self, host: &str) -> Option<KeyFault> {
        let key = self.secret.to_ascii_lowercase();
        if key.starts_with(['"', '\'']) || key.ends_with(['"', '\'']) {
            Some(KeyFault::Quoted)
        } else if key.contains(|c: char| c.is_whitespace() || c.is_control()) {
            Some(KeyFault::Blank)
        } else if !key.is_ascii() {
            Some(KeyFault::ForeignLetter)
        } else if host != OPENAI && PREFIXES.iter().all(|(_, known)| *known != host) {
            // A server of one's own may accept any word.
            None
        } else if PLACEHOLDERS.iter().any(|sign| key.contains(sign)) {
            Some(KeyFault::Placeholder)
        } else {
            let (_, owner) = PREFIXES.iter().find(|(prefix, _)| self.secret.starts_with(prefix))?;
            (host != *owner).then_some(KeyFault::OtherVendor(owner))
        }
    }

    /// Replaces the key in a text that quotes it.
    pub(super) fn scrub(&self, words: &str) -> String {
        if self.secret.len() < SHORTEST { words.to_owned() } else { words.replace(&self.secret, "[key]") }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey").field("variable", &self.variable).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_cannot_be_right_are_recognised() {
        let fault = |secret: &str, host: &str| ApiKey::new("OPENAI_API_KEY", secret).fault(host);
        for (secret, expected) in [
            ("sk-proj-4f9A", None),
            ("\"sk-proj-4f9A\"", Some(KeyFault::Quoted)),
            ("sk-proj 4f9A", Some(KeyFault::Blank)),
            ("sk-proj-4f9Ä", Some(KeyFault::ForeignLetter)),
            ("sk-your-key-here", Some(KeyFault::Placeholder)),
            ("<key>", Some(KeyFault::Placeholder)),
            ("sk-ant-4f9A", Some(KeyFault::OtherVendor("api.anthropic.com"))),
        ] {
            assert_eq!(fault(secret, OPENAI), expected, "{secret}");
        }
        assert_eq!(fault("sk-or-4f9A", "openrouter.ai"), None);
        assert_eq!(fault("my-api-key", "localhost:8000"), None);
        assert_eq!(fault("sk-ant-4f9A", "proxy.example"), None, "a proxy may want the key of another");
        assert_eq!(fault("sk-or-4f9A", "api.anthropic.com"), Some(KeyFault::OtherVendor("openrouter.ai")));
    }

    #[test]
    fn a_key_is_never_printed() {
        let key = ApiKey::new("OPENAI_API_KEY", "sk-12345");
        assert!(!format!("{key:?}").contains("sk-12345"));
        assert_eq!(key.scrub("bad key sk-12345!"), "bad key [key]!");
        assert_eq!(ApiKey::new("OPENAI_API_KEY", "k").scrub("bad key"), "bad key");
    }
}
