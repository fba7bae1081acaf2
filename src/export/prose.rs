//! Markdown of a model as HTML that can be trusted.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::render::highlighted;
use crate::text::sanitize;

/// Text for an element or an attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in sanitize(text).chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c => out.push(c),
        }
    }
    out
}

/// Renders Markdown. HTML in it is shown as text, images become links, and a link leads only to the web or to an address.
pub(super) fn rendered(markdown: &str) -> String {
    let markdown = sanitize(markdown);
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let mut code: Option<(String, String)> = None;
    let events = Parser::new_ext(&markdown, options).filter_map(|event| match event {
        Event::Start(Tag::CodeBlock(kind)) => {
            let language = match kind {
                CodeBlockKind::Fenced(info) => info.split([' ', ',']).next().unwrap_or_default().to_owned(),
                CodeBlockKind::Indented => String::new(),
            };
            code = Some((language, String::new()));
            None
        }
        Event::Text(text) if code.is_some() => {
            code.iter_mut().for_each(|(_, block)| block.push_str(&text));
            None
        }
        Event::End(TagEnd::CodeBlock) => {
            let (language, block) = code.take()?;
            Some(Event::Html(code_block(&language, &block).into()))
        }
        event => Some(safe(event)),
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    out
}

/// The same event without anything that could load a file or run a script. The page's own headings are the two highest levels.
fn safe(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::Image { dest_url, .. } | Tag::Link { dest_url, .. }) => Event::InlineHtml(link(&dest_url)),
        Event::End(TagEnd::Image | TagEnd::Link) => Event::InlineHtml("</a>".into()),
        Event::Start(Tag::Heading { level, .. }) => {
            Event::Start(Tag::Heading { level: lower(level), id: None, classes: Vec::new(), attrs: Vec::new() })
        }
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(lower(level))),
        // A block of HTML has no element of its own, since its content is shown as text.
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        event => event,
    }
}

fn link(target: &str) -> CowStr<'static> {
    let scheme = target.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let is_safe = target.contains(':') && ["http", "https", "mailto"].contains(&scheme.as_str());
    let attributes = if is_safe { format!(" href=\"{}\" rel=\"noreferrer\"", escaped(target)) } else { String::new() };
    format!("<a{attributes}>").into()
}

fn lower(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

/// A code block with the colours of its language.
pub(super) fn code_block(language: &str, code: &str) -> String {
    let mut out = "<pre><code>".to_owned();
    for line in highlighted(language, &sanitize(code)) {
        for (role, text) in line {
            match role {
                Some(role) => out += &format!("<span class=\"{role}\">{}</span>", escaped(&text)),
                None => out += &escaped(&text),
            }
        }
        out.push('\n');
    }
    out + "</code></pre>\n"
}
