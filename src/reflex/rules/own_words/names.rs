//! Names in messages: in quotes of any kind, or as the next word.

/// The quotes that tools print around names. An apostrophe within a word is not a quote.
const QUOTES: &[char] = &['\'', '"', '`', '‘', '’', '“', '”', '«', '»', '´'];

/// The quoted texts, in order.
pub(super) fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut before: Option<char> = None;
    while let Some(open) = rest.find(QUOTES) {
        let is_apostrophe = rest[..open].chars().next_back().or(before).is_some_and(char::is_alphanumeric);
        let quote = rest[open..].chars().next().unwrap_or('\'');
        let inside = &rest[open + quote.len_utf8()..];
        before = Some(quote);
        if is_apostrophe {
            rest = inside;
            continue;
        }
        let Some(close) = inside.find(|c| closes(quote, c)) else { break };
        if close > 0 {
            found.push(&inside[..close]);
        }
        let end = inside[close..].chars().next().map_or(close, |c| close + c.len_utf8());
        rest = &inside[end..];
    }
    found
}

/// Old messages open with a backtick and close with an apostrophe.
fn closes(open: char, c: char) -> bool {
    match open {
        '\'' | '´' => matches!(c, '\'' | '’' | '´'),
        '"' => c == '"',
        '`' => matches!(c, '`' | '\''),
        '‘' | '’' => matches!(c, '’' | '\''),
        '“' | '”' => matches!(c, '”' | '“'),
        _ => matches!(c, '»' | '«'),
    }
}

/// The name at the start of a text: a quoted text, or else the first word.
pub(super) fn first(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ':');
    let name =
        if rest.starts_with(QUOTES) { quoted(rest).first().copied()? } else { rest.split_whitespace().next()? };
    Some(bare(name)).filter(|name| !name.is_empty())
}

/// The name at the end of a text: the last quoted text, or else the last word.
pub(super) fn last(before: &str) -> Option<&str> {
    let name = quoted(before).last().copied().or_else(|| before.split_whitespace().next_back())?;
    Some(bare(name)).filter(|name| !name.is_empty())
}

/// The name without surrounding quotes and punctuation.
pub(super) fn bare(name: &str) -> &str {
    let is_around = |c: char| QUOTES.contains(&c) || matches!(c, ',' | ';' | ':' | '!' | '?' | '(' | ')' | '[' | ']');
    name.trim_matches(is_around).trim_end_matches('.').trim_matches(is_around)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_of_all_kinds_are_read() {
        assert_eq!(quoted(r#"unknown command "gte" for "kubectl""#), ["gte", "kubectl"]);
        assert_eq!(quoted("pyenv: no such command `globe'"), ["globe"]);
        assert_eq!(quoted("kann ‘x’ und “y” und «z» nicht"), ["x", "y", "z"]);
        assert_eq!(quoted("the server doesn't have a resource type \"pdos\""), ["pdos"]);
        assert_eq!(quoted("don't"), Vec::<&str>::new());
    }

    #[test]
    fn names_lose_their_punctuation() {
        assert_eq!(first("isntall. Please use"), Some("isntall"));
        assert_eq!(first(": 'x', maybe"), Some("x"));
        assert_eq!(last("curl: option --hedaer:"), Some("--hedaer"));
        assert_eq!(first("  "), None);
    }
}
