//! A part of the context that is sent with a query.

use super::excerpt::given;
use crate::guard::Redactor;
use crate::text::human;

/// A part of the context with its limit and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fragment {
    /// The tag around it. `query` for the query itself, which is sent without a tag.
    pub tag: &'static str,
    /// The most bytes of its content.
    pub cap: usize,
    /// Its source, as it is named to the person.
    pub origin: String,
    /// The text for the model, with tags.
    pub text: String,
    /// The size before it was cut to its cap.
    cut_from: Option<usize>,
}

impl Fragment {
    /// A fragment whose text is already within the cap.
    pub(crate) fn new(tag: &'static str, cap: usize, origin: impl Into<String>, text: String) -> Fragment {
        Fragment { tag, cap, origin: origin.into(), text, cut_from: None }
    }

    /// A fragment with text from the person, cut to the cap.
    pub(in crate::agent) fn given(tag: &'static str, cap: usize, origin: &str, text: &str, rest: &str) -> Fragment {
        let cut_from = Some(text.len()).filter(|size| *size > cap);
        Fragment { cut_from, ..Fragment::new(tag, cap, origin, given(text, cap, rest)) }
    }

    /// Puts tags around the text.
    pub(in crate::agent) fn tagged(self) -> Fragment {
        let text = format!("<{0}>\n{1}\n</{0}>\n", self.tag, self.text);
        Fragment { text, ..self }
    }

    pub(in crate::agent) fn masked(self, redactor: &Redactor) -> Fragment {
        Fragment { text: redactor.mask(&self.text), ..self }
    }

    /// One line for the person, if the model gets only a part of it.
    pub(super) fn notice(&self) -> Option<String> {
        let size = |bytes: usize| human::size(bytes as u64);
        let line = |whole| {
            let Fragment { origin, cap, .. } = self;
            format!("{origin}: {} of {} is sent, and the model is told so", size(*cap), size(whole))
        };
        self.cut_from.map(line)
    }
}
