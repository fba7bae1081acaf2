//! A vendor's key, and the variable it came from.

use std::fmt;

/// A shorter value is a stand-in for a key (`x`, `none`, `ollama`). It may be a common word, so it is not removed from texts.
const SHORTEST: usize = 8;

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
    fn a_key_is_never_printed() {
        let key = ApiKey::new("OPENAI_API_KEY", "sk-12345");
        assert!(!format!("{key:?}").contains("sk-12345"));
        assert_eq!(key.scrub("bad key sk-12345!"), "bad key [key]!");
        assert_eq!(ApiKey::new("OPENAI_API_KEY", "k").scrub("bad key"), "bad key");
    }
}
