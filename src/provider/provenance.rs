//! Whose signature a piece of thinking carries.
//!
//! A conversation may pass from one vendor to another, and a vendor refuses another's signatures. So each signature is kept with the
//! name of its maker in front, and sent back only to that maker.

/// Who signs thinking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Maker<'a> {
    /// Newer models refuse the thinking of an older one.
    Anthropic {
        model: &'a str,
    },
    Google,
    /// OpenAI's protocol is spoken by others too, each with a key of its own.
    OpenAi {
        vendor: &'a str,
    },
}

impl Maker<'_> {
    fn mark(self) -> String {
        match self {
            Maker::Anthropic { model } => format!("anthropic@{model}:"),
            Maker::Google => "google:".to_owned(),
            Maker::OpenAi { vendor } => format!("responses@{vendor}:"),
        }
    }
}

/// A signature as we keep it.
pub(super) fn seal(maker: Maker<'_>, signature: &str) -> String {
    format!("{}{signature}", maker.mark())
}

/// The signature as it came, if it is this maker's.
pub(super) fn open<'a>(maker: Maker<'_>, sealed: &'a str) -> Option<&'a str> {
    sealed.strip_prefix(&maker.mark())
}
