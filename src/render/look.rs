//! The roles of text. A theme defines how each role looks.

/// The role of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextRole {
    Title,
    Heading,
    Code,
    Link,
    Quote,
    Muted,
    Good,
    Bad,
    Warning,
    Accent,
    Comment,
    String,
    Constant,
    Function,
    Type,
    Keyword,
}

/// All roles with their names in theme files.
pub(super) const ROLES: [(&str, TextRole); 16] = [
    ("title", TextRole::Title),
    ("heading", TextRole::Heading),
    ("code", TextRole::Code),
    ("link", TextRole::Link),
    ("quote", TextRole::Quote),
    ("muted", TextRole::Muted),
    ("good", TextRole::Good),
    ("bad", TextRole::Bad),
    ("warning", TextRole::Warning),
    ("accent", TextRole::Accent),
    ("comment", TextRole::Comment),
    ("string", TextRole::String),
    ("constant", TextRole::Constant),
    ("function", TextRole::Function),
    ("type", TextRole::Type),
    ("keyword", TextRole::Keyword),
];

impl TextRole {
    /// Its name in theme files.
    pub(super) fn name(self) -> &'static str {
        ROLES.iter().find(|(_, role)| *role == self).map_or("", |(name, _)| name)
    }
}

/// A role, the role around it, and the attributes that the text itself asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) role: Option<TextRole>,
    /// The role around it, such as the heading that contains a code span.
    pub(super) within: Option<TextRole>,
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) strike: bool,
    pub(super) reverse: bool,
}

impl Look {
    pub(super) const PLAIN: Look =
        Look { role: None, within: None, bold: false, italic: false, strike: false, reverse: false };
    pub(super) const BOLD: Look = Look { bold: true, ..Look::PLAIN };

    pub(super) const TITLE: Look = Look::of(TextRole::Title);
    pub(super) const HEADING: Look = Look::of(TextRole::Heading);
    pub(super) const CODE: Look = Look::of(TextRole::Code);
    pub(super) const LINK: Look = Look::of(TextRole::Link);
    pub(super) const QUOTE: Look = Look::of(TextRole::Quote);
    pub(super) const MUTED: Look = Look::of(TextRole::Muted);
    pub(super) const GOOD: Look = Look::of(TextRole::Good);
    pub(super) const BAD: Look = Look::of(TextRole::Bad);
    pub(super) const WARNING: Look = Look::of(TextRole::Warning);
    pub(super) const ACCENT: Look = Look::of(TextRole::Accent);

    pub(super) const fn of(role: TextRole) -> Look {
        Look { role: Some(role), ..Look::PLAIN }
    }

    /// The look of text with the look `other` inside text with this look.
    pub(super) fn and(self, other: Look) -> Look {
        let nests = other.role.is_some() && other.role != self.role;
        Look {
            role: other.role.or(self.role),
            within: other.within.or(if nests { self.role.or(self.within) } else { self.within }),
            bold: self.bold || other.bold,
            italic: self.italic || other.italic,
            strike: self.strike || other.strike,
            reverse: self.reverse || other.reverse,
        }
    }

    /// The look of a syntax scope, if it has one.
    pub(super) fn of_scope(name: &str) -> Option<Look> {
        const SCOPES: &[(&str, Look)] = &[
            ("comment", Look::of(TextRole::Comment)),
            ("punctuation.definition.comment", Look::of(TextRole::Comment)),
            ("string", Look::of(TextRole::String)),
            ("constant", Look::of(TextRole::Constant)),
            ("entity.name.function", Look::of(TextRole::Function)),
            ("support.function", Look::of(TextRole::Function)),
            ("variable.function", Look::of(TextRole::Function)),
            ("entity.name.tag", Look::of(TextRole::Function)),
            ("entity.name", Look::of(TextRole::Type)),
            ("entity.other.attribute-name", Look::of(TextRole::Type)),
            ("support.type", Look::of(TextRole::Type)),
            ("storage", Look::of(TextRole::Keyword)),
            ("keyword.operator", Look::PLAIN),
            ("keyword", Look::of(TextRole::Keyword)),
            ("markup.inserted", Look::GOOD),
            ("markup.deleted", Look::BAD),
        ];
        let holds =
            |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        SCOPES.iter().find(|(prefix, _)| holds(prefix)).map(|(_, look)| *look)
    }
}
