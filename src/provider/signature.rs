//! Whose proof a signature is.
//!
//! A conversation may pass from one vendor to another, and a vendor refuses another's signatures. So each is kept with the name of
//! its maker in front, and sent back only to them.

/// Who signs thinking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signer {
    Anthropic,
    Google,
}

impl Signer {
    fn mark(self) -> &'static str {
        match self {
            Signer::Anthropic => "anthropic:",
            Signer::Google => "google:",
        }
    }
}

/// A signature as we keep it.
pub(super) fn seal(signer: Signer, signature: &str) -> String {
    format!("{}{signature}", signer.mark())
}

/// The signature as it came, if it is this signer's.
pub(super) fn open(signer: Signer, sealed: &str) -> Option<&str> {
    sealed.strip_prefix(signer.mark())
}
