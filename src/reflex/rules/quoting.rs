//! Quotes, wildcards, and characters that are not what they look like.

use super::{Rule, pattern};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line::quoted;
use crate::reflex::world::World;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "a quote that is not closed",
        tools: &[],
        signs: &[
            "looking for matching",
            "unmatched",
            "quotes are not balanced",
            "Unterminated quoted string",
            "unterminated quoted string",
            "dquote>",
            "unexpected end of file",
        ],
        apply: open_quote,
    },
    Rule { name: "quotes of two kinds", tools: &[], signs: &[], apply: mixed_quotes },
    Rule { name: "typographic characters", tools: &[], signs: &[], apply: typographic },
    Rule {
        name: "a wildcard without a match",
        tools: &[],
        signs: &[
            "no matches found",
            "No matches for wildcard",
            "no match: ",
            "No match.",
            "bad pattern",
            "unknown file attribute",
            "number expected",
        ],
        apply: no_match,
    },
    Rule {
        name: "parentheses in a name",
        tools: &[],
        signs: &["unexpected token `('", "unexpected token `)'", "\"(\" unexpected"],
        apply: parentheses,
    },
    Rule { name: "history expansion", tools: &[], signs: &["event not found"], apply: event },
    Rule { name: "too many arguments for one command", tools: &[], signs: &["rgument list too long"], apply: too_long },
    Rule {
        name: "sed: an unterminated expression",
        tools: &["sed", "gsed"],
        signs: &["unterminated", "unknown option to", "extra characters", "invalid command code", "undefined label"],
        apply: sed,
    },
];

fn open_quote(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let text = case.line.text();
    let count = |quote: char| text.matches(quote).count();
    let (single, double) = (count('\''), count('"'));
    let cause = "A quote was opened and not closed.";
    // `don't`, `it's`: an apostrophe within a word.
    if single % 2 == 1 && double == 0 {
        if single == 1 {
            let at = text.find('\'')?;
            let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            if is_letter(text[..at].chars().next_back()) && is_letter(text[at + 1..].chars().next()) {
                let start = text[..at].rfind([' ', '\t', '=']).map_or(0, |before| before + 1);
                let end = text[at..].find([' ', '\t', ';', '|', '&']).map_or(text.len(), |after| at + after);
                if text[start..end].contains(['$', '`', '!', '\\']) {
                    return Some(Finding::cause(Confidence::Likely, cause));
                }
                return Some(
                    Finding::fix(
                        Confidence::Likely,
                        case.line.with(start..end, &format!("\"{}\"", &text[start..end])),
                        "the apostrophe in quotes",
                    )
                    .because(cause),
                );
            }
            if text[..at].ends_with([' ', '=']) && at + 1 < text.len() {
                return Some(
                    Finding::fix(Confidence::Likely, format!("{}'", text.trim_end()), "with the closing quote")
                        .because(cause),
                );
            }
        } else {
            let (first, last) = (text.find('\'')?, text.rfind('\'')?);
            let inner = &text[first + 1..last];
            if !inner.contains(['$', '`', '!', '\\', '"']) {
                return Some(
                    Finding::fix(
                        Confidence::Likely,
                        case.line.with(first..last + 1, &format!("\"{inner}\"")),
                        "an apostrophe needs double quotes around it",
                    )
                    .because(cause),
                );
            }
        }
    }
    if double % 2 == 1 && single == 0 {
        let at = text.rfind('"')?;
        if double == 1 && (text[..at].ends_with([' ', '=']) || at == 0) && at + 1 < text.len() {
            return Some(
                Finding::fix(Confidence::Likely, format!("{}\"", text.trim_end()), "with the closing quote")
                    .because(cause),
            );
        }
    }
    let is_quote = case.output.says("matching") || case.output.says("quote") || case.output.says("unmatched");
    is_quote.then(|| Finding::cause(Confidence::Likely, cause))
}

/// `'My message"`: opened with one kind of quote, closed with the other.
fn mixed_quotes(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let text = case.line.text();
    if text.matches('\'').count() != 1
        || text.matches('"').count() != 1
        || text.contains("\\'")
        || text.contains("\\\"")
    {
        return None;
    }
    let (single, double) = (text.find('\'')?, text.find('"')?);
    let (first, last) = (single.min(double), single.max(double));
    let opens = text[..first].ends_with([' ', '=']) && !text[first + 1..].starts_with(' ');
    let closes = text[last + 1..].is_empty() || text[last + 1..].starts_with([' ', ';', '|', '&', ')']);
    (opens && closes).then(|| Finding::fix(Confidence::Likely, text.replace('\'', "\""), "one kind of quote"))
}

/// Quotes and dashes of a word processor.
fn typographic(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let text = case.line.text();
    let is_dash = |word: &str| word.starts_with(['–', '—', '−']) && word.chars().count() > 1;
    let has_dash = case.line.parts().iter().flat_map(|part| &part.words).any(|word| is_dash(&word.text));
    let has_quotes = text.contains(['‘', '’', '“', '”', '„', '″', '′']);
    if !has_dash && !has_quotes
        || text.contains('\'') && text.contains('’') && !has_dash && !text.contains(['“', '”', '‘'])
    {
        return None;
    }
    let mut plain = text.replace(['‘', '’', '′'], "'").replace(['“', '”', '„', '″'], "\"");
    for part in QuotedLine::words_of(&plain).into_iter().rev() {
        let word = &plain[part.clone()];
        let dashes = match word.chars().next() {
            Some('—') => "--",
            Some('–' | '−')
                if word.chars().nth(2).is_some()
                    && word.chars().nth(1).is_none_or(|c| c != '-')
                    && word.chars().count() > 4 =>
            {
                "--"
            }
            Some('–' | '−') => "-",
            _ => continue,
        };
        let first = word.chars().next().map_or(0, char::len_utf8);
        plain.replace_range(part.start..part.start + first, dashes);
    }
    Some(
        Finding::fix(Confidence::Likely, plain, "with plain quotes and dashes")
            .because("The line has typographic quotes or dashes, which a shell treats like letters."),
    )
}

/// Splits a line at blanks only.
struct QuotedLine;

impl QuotedLine {
    fn words_of(text: &str) -> Vec<std::ops::Range<usize>> {
        let mut found = Vec::new();
        let mut start = None;
        for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
            match (c.is_whitespace(), start) {
                (true, Some(begin)) => {
                    found.push(begin..at);
                    start = None;
                }
                (false, None) => start = Some(at),
                _ => {}
            }
        }
        found
    }
}

/// The text around a position up to the next blanks: it was meant to be one word.
fn whole_word(text: &str, at: usize) -> std::ops::Range<usize> {
    let start = text[..at].rfind([' ', '\t', '\n']).map_or(0, |before| before + 1);
    let end = text[at..].find([' ', '\t', '\n']).map_or(text.len(), |after| at + after);
    start..end
}

/// Tools that expect a pattern, which the shell has expanded before.
const TAKE_PATTERNS: &[&str] = &[
    "find",
    "grep",
    "egrep",
    "rg",
    "ag",
    "pip",
    "pip3",
    "uv",
    "pipx",
    "scp",
    "rsync",
    "git",
    "curl",
    "wget",
    "apt",
    "apt-get",
    "dnf",
    "yum",
    "rake",
    "bundle",
    "npm",
    "yarn",
    "npx",
    "http",
    "echo",
    "jq",
    "sed",
    "awk",
    "cargo",
    "docker",
    "yt-dlp",
    "youtube-dl",
    "zip",
    "tar",
    "poetry",
    "bc",
    "expr",
    "fd",
    "psql",
    "mysql",
    "ssh",
    "gsutil",
    "aws",
    "open",
    "xdg-open",
    "brew",
    "bind",
    "noglob",
    "mix",
    "dotnet",
    "pytest",
    "adb",
    "gh",
    "zsh",
    "python",
    "python3",
    "node",
];

fn no_match(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let text = case.line.text();
    let said = case.output.captures(pattern!(
        r"(?:no matches found: |No matches for wildcard ['‘“](.+?)['’”]|no match: |bad pattern: )(\S.*)?$"
    ));
    let named =
        said.as_ref().and_then(|said| said.get(1).or(said.get(2))).map(|found| found.as_str().trim_end_matches('.'));
    let at = match named {
        Some(named) => text.find(named)?,
        None => text.find(['(', '*', '?', '['])?,
    };
    let span = whole_word(text, at);
    let word = &text[span.clone()];
    let is_address = word.contains("://");
    let wants_pattern = TAKE_PATTERNS.contains(&case.tool());
    let has_parentheses =
        word.contains('(')
            && case.output.lines().iter().any(|line| {
                line.contains("attribute") || line.contains("number expected") || line.contains("no matches")
            });
    if word.contains(['\'', '"']) || !(is_address || wants_pattern || has_parentheses) {
        return Some(Finding::cause(Confidence::Likely, format!("No file matches {}.", named.unwrap_or(word))));
    }
    // An option keeps its name: `--include=*.py`.
    let value = word.find('=').filter(|_| word.starts_with('-')).map_or(0, |equals| equals + 1);
    let (option, pattern) = word.split_at(value);
    // Other shells do not treat this as a pattern, for example `HEAD^`.
    let fixed = match quoted(pattern) {
        same if same == pattern => format!("{option}'{pattern}'"),
        quoted => format!("{option}{quoted}"),
    };
    let cause = if is_address {
        "The shell treats ? and & in the address as its own characters."
    } else {
        "The shell took it for a pattern of file names, and no file matches."
    };
    Some(Finding::fix(Confidence::Sure, case.line.with(span, &fixed), "in quotes, as it is").because(cause))
}

/// `rm photo(1).jpg`.
fn parentheses(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let text = case.line.text();
    let at = text
        .match_indices('(')
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with([' ', '$', '<', '>', '=', '(']))
        .filter(|at| *at > 0)?;
    let span = whole_word(text, at);
    let word = &text[span.clone()];
    let looks_like_code = text.contains("()")
        || text.contains("=(")
        || word.contains(['\'', '"', '$', '`'])
        || ["if", "for", "while", "function"].iter().any(|keyword| text.starts_with(keyword));
    (!looks_like_code && word.contains(')') && span.start > 0).then(|| {
        Finding::fix(Confidence::Likely, case.line.with(span.clone(), &quoted(word)), "the name in quotes")
            .because("The shell gives parentheses a meaning of their own; quote them.")
    })
}

fn event(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let text = case.line.text();
    let cause = "A ! makes the shell search for an earlier command, even within double quotes.";
    let mut inside = pattern!(r#""([^"\\$`']*![^"\\$`']*)""#).captures_iter(text);
    let finding = Finding::cause(Confidence::Sure, cause);
    if let Some(found) = inside.next() {
        let whole = found.get(0)?;
        return Some(finding.or(case.line.with(whole.range(), &format!("'{}'", &found[1])), "in single quotes"));
    }
    let at = text.find('!')?;
    let span = whole_word(text, at);
    let word = &text[span.clone()];
    Some(if word.contains(['\'', '"', '$', '`', '\\']) {
        finding
    } else {
        finding.or(case.line.with(span, &quoted(word)), "in single quotes")
    })
}

fn too_long(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let cause = "The pattern matches more files than one command may get as arguments.";
    let finding = Finding::cause(Confidence::Sure, cause);
    let text = case.line.text();
    let operands: Vec<_> = case.operands().collect();
    let mut globs = operands.iter().filter(|(index, _)| text[case.words()[*index].span.clone()].contains('*'));
    let (Some((glob, _)), None) = (globs.next(), globs.next()) else { return Some(finding) };
    let span = case.words()[*glob].span.clone();
    let first = case.words().first()?.span.start;
    let prefix = text[first..span.start].trim_end();
    let tool = case.tool();
    let rest = operands.iter().filter(|(index, _)| index > glob).collect::<Vec<_>>();
    let command = match (tool, rest.as_slice()) {
        ("mv" | "cp", [(target, _)]) => format!("{prefix} -t {}", &text[case.words()[*target].span.clone()]),
        (_, []) => prefix.to_owned(),
        _ => return Some(finding),
    };
    let line = case.with_command(&format!("printf '%s\\0' {} | xargs -0 {command}", &text[span]));
    Some(finding.or(line, "as many at a time as fit"))
}

fn sed(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if case.output.says("extra characters at the end of")
        || case.output.says("invalid command code")
        || case.output.says("undefined label")
    {
        let option = case.position("-i")?;
        return Some(
            Finding::fix(Confidence::Likely, case.with_raw(option, "-i ''"), "as the sed of BSD and macOS wants it")
                .because("This sed takes the word after -i for the suffix of a backup file."),
        );
    }
    if case.output.says("unknown option to") {
        return Some(Finding::cause(
            Confidence::Likely,
            "The text contains the delimiter of s///: use another one, as in s|old|new|.",
        ));
    }
    let is_said = ["`s'", "'s'", "unterminated substitute"].iter().any(|words| case.output.says(words));
    let mut line = case.line.text().to_owned();
    for word in case.words().iter().skip(1).rev() {
        let Some(sign) = unclosed_sign(&word.text).filter(|_| is_said) else { continue };
        let raw = &case.line.text()[word.span.clone()];
        let end = word.span.end - usize::from(raw.ends_with(['\'', '"']));
        line.insert(end, sign);
    }
    if line == case.line.text() {
        return Some(Finding::cause(
            Confidence::Likely,
            "The expression is not complete: s/old/new/ needs its delimiter three times.",
        ));
    }
    Some(
        Finding::fix(Confidence::Sure, line, "with the sign at its end")
            .because("s/old/new/ needs its sign three times."),
    )
}

/// The delimiter that is missing at the end of `s/old/new`.
fn unclosed_sign(word: &str) -> Option<char> {
    let body = word.strip_prefix("-e").unwrap_or(word).strip_prefix('s')?;
    let sign = body.chars().next().filter(|sign| !sign.is_alphanumeric() && *sign != ' ')?;
    let signs = body.replace(&format!("\\{sign}"), "").matches(sign).count();
    (body.len() > 2 && signs == 2).then_some(sign)
}
