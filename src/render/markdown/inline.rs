//! Inline Markdown.

use pulldown_cmark::{Event, Options as Extensions, Parser, Tag, TagEnd};

use crate::render::line::StyledLine;
use crate::render::link::safe_url;
use crate::render::look::Look;
use crate::render::{Depth, RenderOptions};

/// Put before and after a source. It keeps the source from beginning a block, keeps blanks at both ends, and counts as punctuation for
/// emphasis.
const FENCE: char = '…';

/// Characters that may open inline markup.
const OPENERS: &[char] = &['*', '_', '~', '`', '[', '!', '<', '&', '\\'];

fn parse(fenced: &str) -> Parser<'_> {
    Parser::new_ext(fenced, Extensions::ENABLE_STRIKETHROUGH)
}

/// Renders a source without line breaks.
pub(super) fn inline(source: &str, base: Look, options: &RenderOptions) -> StyledLine {
    let fenced = format!("{FENCE}{source}{FENCE}");
    let mut line = StyledLine::new();
    let mut styles = vec![base];
    let mut targets: Vec<String> = Vec::new();
    for event in parse(&fenced) {
        let style = styles.last().copied().unwrap_or(base);
        let link = targets.last().and_then(|url| safe_url(url)).filter(|_| options.hyperlinks);
        match event {
            Event::Start(tag) => styles.push(style.and(match &tag {
                Tag::Strong => Look::BOLD,
                Tag::Emphasis => Look { italic: true, ..Look::PLAIN },
                Tag::Strikethrough => Look { strike: true, ..Look::PLAIN },
                Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                    targets.push(dest_url.to_string());
                    Look::LINK
                }
                _ => Look::PLAIN,
            })),
            Event::End(tag) => {
                styles.pop();
                if matches!(tag, TagEnd::Link | TagEnd::Image)
                    && let Some(url) = targets.pop()
                    && link.is_none()
                    && !line.text().ends_with(url.trim_start_matches("mailto:"))
                {
                    line.push(base.and(Look::MUTED), &format!(" ({url})"));
                }
            }
            Event::Code(code) => match options.colour {
                Depth::Ansi16 | Depth::Indexed | Depth::True => {
                    line.push_link(style.and(Look::CODE), link.as_deref(), &code)
                }
                // Without colours the backticks distinguish code from other text.
                Depth::None => line.push_link(style, link.as_deref(), &format!("`{code}`")),
            },
            Event::Text(text) | Event::InlineHtml(text) | Event::Html(text) => {
                line.push_link(style, link.as_deref(), &text);
            }
            Event::SoftBreak | Event::HardBreak => line.push(style, " "),
            Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }
    unfence(line)
}

fn unfence(line: StyledLine) -> StyledLine {
    let mut bare = StyledLine::new();
    let last = line.spans.len().saturating_sub(1);
    for (index, span) in line.spans.iter().enumerate() {
        let mut text = span.text.as_str();
        if index == 0 {
            text = text.strip_prefix(FENCE).unwrap_or(text);
        }
        if index == last {
            text = text.strip_suffix(FENCE).unwrap_or(text);
        }
        bare.push_link(span.style, span.link.as_deref(), text);
    }
    bare
}

/// Returns an offset at which the source can be cut so that both parts look as they do in the whole, whatever follows. 0 if there is none.
pub(super) fn cut(source: &str) -> usize {
    let fenced = format!("{FENCE}{source}{FENCE}");
    let lead = FENCE.len_utf8();
    let mut depth = 0;
    let mut best = 0;
    for (event, range) in parse(&fenced).into_offset_iter() {
        match event {
            Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => {}
            Event::Start(_) => depth += 1,
            Event::End(_) => {
                depth -= 1;
                if depth == 0 && is_over(&fenced, range.end) {
                    best = range.end;
                }
            }
            Event::Text(_) if depth == 0 => {
                let piece = &fenced[range.clone()];
                let unclear = piece.find(OPENERS);
                let clear = &piece[..unclear.unwrap_or(piece.len())];
                if let Some((blank, c)) = clear.char_indices().rfind(|(_, c)| *c == ' ') {
                    best = range.start + blank + c.len_utf8();
                }
                if unclear.is_some() {
                    break;
                }
            }
            _ if depth == 0 && is_over(&fenced, range.end) => best = range.end,
            _ => {}
        }
    }
    let best = best.saturating_sub(lead).min(source.len());
    // A cut at the end must follow a blank. Otherwise it would not be known whether the next text continues the word.
    if best == source.len() && !source.ends_with(' ') { 0 } else { best }
}

/// Whether the markup that ends here is complete. A further delimiter could change it.
fn is_over(fenced: &str, end: usize) -> bool {
    let next = fenced[end..].chars().next();
    let is_last = fenced.len() <= end + FENCE.len_utf8();
    !is_last && !next.is_some_and(|c| OPENERS.contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_never_splits_inline_markup() {
        assert_eq!(cut("some plain words"), "some plain ".len());
        assert_eq!(cut("a **bold word** and *open"), "a **bold word** and ".len());
        assert_eq!(cut("**open and more"), 0);
        assert_eq!(cut("see `code span` t"), "see `code span` ".len());
        assert_eq!(cut("my snake_case name"), "my ".len());
    }
}
