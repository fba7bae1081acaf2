//! The block structure of Markdown.

/// The kind of a source line, as far as the line alone determines it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LineKind<'a> {
    Blank,
    Heading {
        level: usize,
        text: &'a str,
    },
    Rule,
    Fence(Fence<'a>),
    Item {
        indent: usize,
        marker: &'a str,
        text: &'a str,
    },
    /// A quote with this many markers.
    Quote {
        depth: usize,
        text: &'a str,
    },
    Row,
    Text {
        indent: usize,
        text: &'a str,
    },
}

/// The opening fence of a code block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fence<'a> {
    pub(super) indent: usize,
    pub(super) mark: char,
    pub(super) length: usize,
    pub(super) language: &'a str,
}

pub(super) fn kind(line: &str) -> LineKind<'_> {
    let text = line.trim_start();
    let indent = columns(&line[..line.len() - text.len()]);
    if text.trim_end().is_empty() {
        return LineKind::Blank;
    }
    if let Some(fence) = fence(indent, text) {
        return LineKind::Fence(fence);
    }
    if is_rule(text) {
        return LineKind::Rule;
    }
    if let Some((level, text)) = heading(text) {
        return LineKind::Heading { level, text };
    }
    if let Some((marker, text)) = item(text) {
        return LineKind::Item { indent, marker, text };
    }
    if text.starts_with('>') {
        let (depth, text) = quote(text);
        return LineKind::Quote { depth, text };
    }
    if text.starts_with('|') {
        return LineKind::Row;
    }
    LineKind::Text { indent, text }
}

fn columns(blanks: &str) -> usize {
    blanks.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

fn fence(indent: usize, text: &str) -> Option<Fence<'_>> {
    let mark = text.chars().next().filter(|c| ['`', '~'].contains(c))?;
    let length = text.chars().take_while(|c| *c == mark).count();
    let info = text[length..].trim();
    if length < 3 || (mark == '`' && info.contains('`')) {
        return None;
    }
    let language = info.split([' ', ',', '{']).next().unwrap_or_default();
    Some(Fence { indent, mark, length, language })
}

fn is_rule(text: &str) -> bool {
    let marks: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    marks.len() >= 3 && ['-', '*', '_'].iter().any(|mark| marks.chars().all(|c| c == *mark))
}

fn heading(text: &str) -> Option<(usize, &str)> {
    let level = text.chars().take_while(|c| *c == '#').count();
    let title = &text[level..];
    let is_heading = (1..=6).contains(&level) && (title.is_empty() || title.starts_with(' '));
    is_heading.then(|| {
        let title = title.trim();
        let bare = title.trim_end_matches('#');
        (level, if bare.ends_with(' ') || bare.is_empty() { bare.trim_end() } else { title })
    })
}

pub(super) fn item(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let marker = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let (marker, rest) = text.split_at(marker);
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| (marker, rest.trim_start()))
}

fn quote(text: &str) -> (usize, &str) {
    let mut depth = 0;
    let mut rest = text;
    while let Some(inner) = rest.strip_prefix('>') {
        depth += 1;
        rest = inner.trim_start();
    }
    (depth, rest)
}

/// Whether the beginning of a line does not determine its kind yet, also within a quote. Such a line is not shown until its kind is clear.
pub(super) fn is_unclear(beginning: &str) -> bool {
    let text = beginning.trim_start_matches(|c: char| c == '>' || c.is_whitespace()).trim_end();
    text.chars().all(|c| "-*+#`~>|_= ".contains(c))
        || text.strip_suffix(['.', ')']).unwrap_or(text).bytes().all(|b| b.is_ascii_digit())
        || text.starts_with("```")
        || text.starts_with("~~~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_line_is_recognised() {
        assert_eq!(kind("## Title ##"), LineKind::Heading { level: 2, text: "Title" });
        assert_eq!(kind("#hash"), LineKind::Text { indent: 0, text: "#hash" });
        assert_eq!(kind("# C#"), LineKind::Heading { level: 1, text: "C#" });
        assert_eq!(kind("- - -"), LineKind::Rule);
        assert_eq!(kind("  - item"), LineKind::Item { indent: 2, marker: "-", text: "item" });
        assert_eq!(kind("12. item"), LineKind::Item { indent: 0, marker: "12.", text: "item" });
        assert_eq!(kind("-5 degrees"), LineKind::Text { indent: 0, text: "-5 degrees" });
        assert_eq!(kind(">> deep"), LineKind::Quote { depth: 2, text: "deep" });
        assert_eq!(
            kind("```rust,ignore"),
            LineKind::Fence(Fence { indent: 0, mark: '`', length: 3, language: "rust" })
        );
        assert_eq!(kind("```inline``` code"), LineKind::Text { indent: 0, text: "```inline``` code" });
    }

    #[test]
    fn a_line_start_that_fits_several_kinds_is_unclear() {
        for beginning in ["", "-", "- -", "12", "12.", "> ", "> >", "> > ", "> - ", "> 1", "``", "```ru", "=="] {
            assert!(is_unclear(beginning), "{beginning:?}");
        }
        for beginning in ["a", "- a", "12 a", "> a", "> > a", "> - a", "-5"] {
            assert!(!is_unclear(beginning), "{beginning:?}");
        }
    }
}
