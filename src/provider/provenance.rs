//! The vendor that has signed a piece of thinking.
//!
//! A conversation may pass from one vendor to another, and a vendor refuses another's signatures. So each signature is kept with the
//! name of its maker in front, and sent back only to that maker.

/// A vendor that signs thinking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Maker<'a> {
    /// Newer models refuse the thinking of an older one.
    Anthropic {
        model: &'a str,
    },
    Google,
    /// The makers behind a gateway each have their own form.
    Details {
        vendor: &'a str,
        model: &'a str,
    },
    /// Other vendors use OpenAI's protocol too, each with its own key.
    OpenAi {
        vendor: &'a str,
    },
    /// Thinking without a signature. The name of its field stands in the place of one.
    Field {
        vendor: &'a str,
    },
}

impl Maker<'_> {
    fn mark(self) -> String {
        match self {
            Maker::Anthropic { model } => format!("anthropic@{model}:"),
            Maker::Google => "google:".to_owned(),
            Maker::Details { vendor, model } => format!("details@{vendor}/{model}:"),
            Maker::OpenAi { vendor } => format!("responses@{vendor}:"),
            Maker::Field { vendor } => format!("field@{vendor}:"),
        }
    }
}

/// The stored form of a signature.
pub(super) fn seal(maker: Maker<'_>, signature: &str) -> String {
    format!("{}{signature}", maker.mark())
}

/// The original signature, if it is from this vendor.
pub(super) fn open<'a>(maker: Maker<'_>, sealed: &'a str) -> Option<&'a str> {
    sealed.strip_prefix(&maker.mark())
}
