//! Which commands are never remembered.

use std::path::PathBuf;

use regex::bytes::RegexSet;

/// Decides, when a command starts, whether anything of it is kept.
pub(super) struct Privacy {
    /// None where nothing was configured: even an empty set costs time and memory.
    ignore: Option<RegexSet>,
    /// Exists while the session is paused.
    paused: PathBuf,
}

impl Privacy {
    pub(super) fn new(ignore: Option<RegexSet>, paused: PathBuf) -> Self {
        Privacy { ignore, paused }
    }

    /// A leading blank, a paused session and the configured patterns each keep a command out, output and all.
    pub(super) fn covers(&self, text: &[u8]) -> bool {
        let is_ignored = self.ignore.as_ref().is_some_and(|ignore| ignore.is_match(text));
        text.first().is_some_and(u8::is_ascii_whitespace) || is_ignored || self.paused.exists()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_patterns_and_pauses_keep_commands_out() {
        let dir = tempfile::tempdir().unwrap();
        let privacy = Privacy::new(RegexSet::new(["^pass ", "TOKEN="]).ok(), dir.path().join("paused"));
        for private in [&b" ls"[..], b"\tls", b"pass show x", b"export TOKEN=1"] {
            assert!(privacy.covers(private), "{}", private.escape_ascii());
        }
        assert!(!privacy.covers(b"ls"));
        std::fs::write(dir.path().join("paused"), "").unwrap();
        assert!(privacy.covers(b"ls"));
    }
}
