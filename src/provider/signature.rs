//! Whose proof a signature is.
//!
//! A conversation may pass from one vendor to another, and a vendor refuses another's signatures. So each is kept with the name of
//! its maker in front, and sent back only to them.

/// Who signs thinking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signer<'a> {
    /// Newer models refuse what an older one thought.
    Anthropic {
        model: &'a str,
    },
    Google,
    /// OpenAI's protocol is spoken by others too, each with a key of its own.
    OpenAi {
        vendor: &'a str,
    },
}

impl Signer<'_> {
    fn mark(self) -> String {
        match self {
            Signer::Anthropic { model } => format!("anthropic@{model}:"),
            Signer::Google => "google:".to_owned(),
            Signer::OpenAi { vendor } => format!("responses@{vendor}:"),
        }
    }
}

/// A signature as we keep it.
pub(super) fn seal(signer: Signer<'_>, signature: &str) -> String {
    format!("{}{signature}", signer.mark())
}

/// The signature as it came, if it is this signer's.
pub(super) fn open<'a>(signer: Signer<'_>, sealed: &'a str) -> Option<&'a str> {
    sealed.strip_prefix(&signer.mark())
}
