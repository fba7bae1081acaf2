//! The roles of text. A theme defines how each role looks.

/// The role of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
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
pub(super) const ROLES: [(&str, Role); 16] = [
    ("title", Role::Title),
    ("heading", Role::Heading),
    ("code", Role::Code),
    ("link", Role::Link),
    ("quote", Role::Quote),
    ("muted", Role::Muted),
    ("good", Role::Good),
    ("bad", Role::Bad),
    ("warning", Role::Warning),
    ("accent", Role::Accent),
    ("comment", Role::Comment),
    ("string", Role::String),
    ("constant", Role::Constant),
    ("function", Role::Function),
    ("type", Role::Type),
    ("keyword", Role::Keyword),
];

/// A role, the role around it, and the attributes that the text itself asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) role: Option<Role>,
    /// The role around it, such as the heading that contains a code span.
    pub(super) within: Option<Role>,
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) strike: bool,
    pub(super) reverse: bool,
}

impl Look {
    pub(super) const PLAIN: Look =
        Look { role: None, within: None, bold: false, italic: false, strike: false, reverse: false };
    pub(super) const BOLD: Look = Look { bold: true, ..Look::PLAIN };

    pub(super) const TITLE: Look = Look::of(Role::Title);
    pub(super) const HEADING: Look = Look::of(Role::Heading);
    pub(super) const CODE: Look = Look::of(Role::Code);
    pub(super) const LINK: Look = Look::of(Role::Link);
    pub(super) const QUOTE: Look = Look::of(Role::Quote);
    pub(super) const MUTED: Look = Look::of(Role::Muted);
    pub(super) const GOOD: Look = Look::of(Role::Good);
    pub(super) const BAD: Look = Look::of(Role::Bad);
    pub(super) const WARNING: Look = Look::of(Role::Warning);
    pub(super) const ACCENT: Look = Look::of(Role::Accent);

    pub(super) const fn of(role: Role) -> Look {
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
            ("comment", Look::of(Role::Comment)),
            ("punctuation.definition.comment", Look::of(Role::Comment)),
            ("string", Look::of(Role::String)),
            ("constant", Look::of(Role::Constant)),
            ("entity.name.function", Look::of(Role::Function)),
            ("support.function", Look::of(Role::Function)),
            ("variable.function", Look::of(Role::Function)),
            ("entity.name.tag", Look::of(Role::Function)),
            ("entity.name", Look::of(Role::Type)),
            ("entity.other.attribute-name", Look::of(Role::Type)),
            ("support.type", Look::of(Role::Type)),
            ("storage", Look::of(Role::Keyword)),
            ("keyword.operator", Look::PLAIN),
            ("keyword", Look::of(Role::Keyword)),
            ("markup.inserted", Look::GOOD),
            ("markup.deleted", Look::BAD),
        ];
        let holds =
            |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        SCOPES.iter().find(|(prefix, _)| holds(prefix)).map(|(_, look)| *look)
    }
}
