//! The roles colours play.

use crate::text::style::{Ansi, Style};

pub(super) const CODE: Style = Style::colour(Ansi::Cyan);
pub(super) const LINK: Style = Style { underline: true, colour: Some(Ansi::Blue), ..Style::PLAIN };
pub(super) const HEADING: Style = Style::BOLD;
pub(super) const TITLE: Style = Style { underline: true, ..Style::BOLD };
pub(super) const MUTED: Style = Style::DIM;
pub(super) const GOOD: Style = Style::colour(Ansi::Green);
pub(super) const BAD: Style = Style::colour(Ansi::Red);
pub(super) const WARNING: Style = Style::colour(Ansi::Yellow);
pub(super) const ACCENT: Style = Style::colour(Ansi::Magenta);

/// The look of code by its scopes, the innermost that has one.
pub(super) fn scope(name: &str) -> Option<Style> {
    const SCOPES: &[(&str, Style)] = &[
        ("comment", Style { dim: true, italic: true, ..Style::PLAIN }),
        ("punctuation.definition.comment", Style { dim: true, italic: true, ..Style::PLAIN }),
        ("string", Style::colour(Ansi::Green)),
        ("constant", Style::colour(Ansi::Yellow)),
        ("entity.name.function", Style::colour(Ansi::Blue)),
        ("support.function", Style::colour(Ansi::Blue)),
        ("variable.function", Style::colour(Ansi::Blue)),
        ("entity.name.tag", Style::colour(Ansi::Blue)),
        ("entity.name", Style::colour(Ansi::Cyan)),
        ("entity.other.attribute-name", Style::colour(Ansi::Cyan)),
        ("support.type", Style::colour(Ansi::Cyan)),
        ("storage", Style::colour(Ansi::Magenta)),
        ("keyword.operator", Style::PLAIN),
        ("keyword", Style::colour(Ansi::Magenta)),
        ("markup.inserted", Style::colour(Ansi::Green)),
        ("markup.deleted", Style::colour(Ansi::Red)),
    ];
    let holds = |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    SCOPES.iter().find(|(prefix, _)| holds(prefix)).map(|(_, style)| *style)
}
