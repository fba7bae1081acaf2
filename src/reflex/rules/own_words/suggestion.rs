//! The word that a tool suggests (`did you mean …?`).

use super::complaint::Complaint;
use super::names;
use crate::reflex::case::Case;

/// Every suggestion starts with one of these, in lower or upper case.
const SIGNS: &[&str] = &[
    "id you mean",
    "o you mean",
    "ou meant",
    "ave meant",
    "ably meant",
    "imilar",
    "osest match",
    "lose match",
    "earest match",
    "ossibilities",
    "eant to type",
    "ou looking for",
    "is ambiguous:",
    "ould you mean",
    "could be:",
];

/// The same in lower case. The intended word follows.
const PHRASES: &[&str] = &[
    "did you mean",
    "do you mean",
    "you meant",
    "have meant",
    "ably meant",
    "most similar",
    "similar subcommand",
    "similar argument",
    "similar value",
    "similar command",
    "similar option",
    "similar name",
    "closest match",
    "close match",
    "nearest match",
    "possibilities",
    "meant to type",
    "you looking for",
    "is ambiguous:",
    "would you mean",
    "could be:",
];

/// Words between the phrase and the intended word.
const FILLERS: &[&str] = &[
    "this",
    "these",
    "one",
    "of",
    "the",
    "following",
    "is",
    "are",
    "exists",
    "exist",
    "command",
    "commands",
    "option",
    "options",
    "subcommand",
    "subcommands",
    "perhaps",
    "maybe",
    "either",
    "a",
    "to",
    "choice",
    "choices",
    "with",
    "name",
    "names",
    "use",
    "run",
    "instead",
    "try",
    "include",
    "matches",
    "found",
    "type",
    "it",
    "that",
    "some",
    "other",
    "in",
    "and",
    "or",
    "by",
    "argument",
    "arguments",
    "task",
    "tasks",
    "suggestions",
    "package",
    "formula",
    "y/n",
];

/// The most lines of a list of suggestions.
const LIST_LINES: usize = 200;

/// The words that the tool suggests in place of a wrong one, in its order.
pub(super) fn all(case: &Case<'_>, wrong: Option<&Complaint>) -> Vec<String> {
    let lines: Vec<&str> = case.output.ends().collect();
    let mut found: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(rest) = after_phrase(line) else { continue };
        let inline = inline(case, rest, wrong);
        let words = if inline.is_empty() { listed(case, &lines[at + 1..], wrong) } else { inline };
        for word in words {
            if !found.contains(&word) {
                found.push(word);
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// The text after a phrase of suggestion.
fn after_phrase(line: &str) -> Option<&str> {
    if !SIGNS.iter().any(|sign| line.contains(sign)) {
        return None;
    }
    let lower = line.to_ascii_lowercase();
    let end = PHRASES.iter().filter_map(|phrase| Some(lower.find(phrase)? + phrase.len())).max()?;
    line.get(end..)
}

/// Suggestions in the line itself: `did you mean one of blame, phase, rebase?`.
fn inline(case: &Case<'_>, rest: &str, wrong: Option<&Complaint>) -> Vec<String> {
    let rest = rest.trim_start_matches(['?', ':', ' ']);
    let quoted = names::quoted(rest);
    if !quoted.is_empty() {
        return quoted.into_iter().filter_map(|name| word(case, name, wrong)).collect();
    }
    let end = rest.find(['?', ')']).unwrap_or(rest.len());
    let rest = rest[..end].replace(" or ", ", ").replace(" and ", ", ");
    let mut found = Vec::new();
    for piece in rest.split([',', ':']) {
        let plain: Vec<&str> =
            piece.split_whitespace().skip_while(|word| FILLERS.contains(&word.to_lowercase().as_str())).collect();
        match plain.as_slice() {
            [] => {}
            [name] => found.extend(word(case, name, wrong)),
            [tool, ..] if *tool == case.tool() => found.extend(word(case, &plain.join(" "), wrong)),
            // Several options on one line: `possibilities: --all --almost-all`.
            names if names.iter().all(|name| names::bare(name).starts_with('-')) => {
                found.extend(names.iter().filter_map(|name| word(case, name, wrong)));
            }
            _ => return Vec::new(),
        }
    }
    found
}

/// Suggestions in the lines below, indented or with bullets.
fn listed(case: &Case<'_>, below: &[&str], wrong: Option<&Complaint>) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_begun = false;
    for line in below.iter().take(LIST_LINES) {
        let is_mark = |c: char| c.is_whitespace() || "*|!>".contains(c) || !c.is_ascii() && !c.is_alphanumeric();
        let text = line.trim_start_matches("npm error").trim_start_matches("npm ERR!").trim_start_matches(is_mark);
        let text = text.strip_prefix("- ").unwrap_or(text);
        if text.is_empty() {
            if is_begun {
                break;
            }
            continue;
        }
        let is_marked = text.len() < line.len();
        let name = text.split("  ").next().unwrap_or(text).split('\t').next().unwrap_or(text);
        let name = name.split(" #").next().unwrap_or(name).split(": ").next().unwrap_or(name).trim();
        if name.to_lowercase().starts_with("usage") {
            break;
        }
        let is_word = !name.contains(char::is_whitespace);
        if !is_marked && !is_word {
            break;
        }
        is_begun = true;
        let is_command = name.split_whitespace().next() == Some(case.tool());
        if is_word || is_command {
            found.extend(word(case, name, wrong));
        } else if name.split_whitespace().all(is_plain) && below.iter().take_while(|line| !line.is_empty()).count() == 1
        {
            // `rebase recover remove rename`: a list in one line.
            found.extend(name.split_whitespace().filter_map(|name| word(case, name, wrong)));
        } else if let Some(quoted) = names::quoted(name).first() {
            found.extend(word(case, quoted, wrong));
        }
    }
    found
}

fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:/+@".contains(c))
}

/// The word of a suggestion that replaces the wrong one.
fn word(case: &Case<'_>, name: &str, wrong: Option<&Complaint>) -> Option<String> {
    let name = names::bare(name.trim());
    let words: Vec<&str> = name.split_whitespace().collect();
    let word = match (words.as_slice(), wrong) {
        // `'--name <NAME>'`
        ([option, value], _) if option.starts_with('-') && value.starts_with(['<', '[']) => option,
        ([tool, _, ..], Some(wrong)) if *tool == case.tool() => of_whole_command(case, name, wrong)?,
        ([one], _) => one,
        // `'pip install'`, a command with its subcommand in one pair of quotes.
        (several, Some(_)) if several.len() <= 3 && several.iter().all(|word| is_subcommand(word)) => {
            return Some(name.to_owned());
        }
        _ => return None,
    };
    let is_new = wrong.is_none_or(|wrong| wrong.word != word) && word != case.tool();
    (is_new && is_plain(word) && word.contains(|c: char| c.is_alphanumeric())).then(|| word.to_owned())
}

fn is_subcommand(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-')
}

/// The word of a suggested command at the position of the wrong one, if all other words are as typed.
fn of_whole_command<'n>(case: &Case<'_>, name: &'n str, wrong: &Complaint) -> Option<&'n str> {
    let suggested: Vec<&str> = name.split_whitespace().collect();
    let is_argument = |text: &str| !text.starts_with('-');
    let typed = |from: usize, to: usize| {
        let words = &case.words()[from.min(to)..to];
        words.iter().map(|word| word.text.as_str()).filter(|text| is_argument(text)).collect::<Vec<_>>()
    };
    let before = typed(1, wrong.index);
    let after = typed(wrong.index + 1, case.words().len());
    let (head, tail) = suggested.get(1..)?.split_at_checked(before.len())?;
    let (word, rest) = tail.split_first()?;
    let is_same = head == before.as_slice() && after.starts_with(rest);
    is_same.then_some(*word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_after_a_phrase_is_found() {
        assert_eq!(after_phrase("(did you mean one of a, b?)"), Some(" one of a, b?)"));
        assert_eq!(after_phrase("nothing"), None);
    }
}
