//! The words of a command, as far as their values are known before it runs.

use super::scope::Scope;
use super::unclear::Unclear;
use crate::text::shell::{Expansion, ExpansionKind, Quoting, Word};

/// How many words a brace expansion may become.
const MOST_BRACES: usize = 64;

/// A word of a command with the values of known variables put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Argument {
    pub(super) text: String,
    pub(super) known: Certainty,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Certainty {
    /// The command gets exactly this text.
    Literal,
    /// The command gets the file names that match this pattern.
    Pattern,
    /// The text is a guess at best.
    Unknown(Unclear),
}

impl Argument {
    pub(super) fn literal(text: impl Into<String>) -> Self {
        Argument { text: text.into(), known: Certainty::Literal }
    }

    pub(super) fn unknown(text: impl Into<String>, why: Unclear) -> Self {
        Argument { text: text.into(), known: Certainty::Unknown(why) }
    }

    pub(super) fn is_literal(&self) -> bool {
        self.known == Certainty::Literal
    }

    /// Why the value is known only at run time, if it is.
    pub(super) fn why_unknown(&self) -> Option<&Unclear> {
        match &self.known {
            Certainty::Unknown(why) => Some(why),
            Certainty::Literal | Certainty::Pattern => None,
        }
    }
}

/// The arguments that a word becomes. `source` is the text that the word was read from.
pub(super) fn arguments(word: &Word, source: &str, scope: &Scope<'_>) -> Vec<Argument> {
    let is_brace = |found: &Expansion| found.kind == ExpansionKind::Brace;
    if !word.expansions.iter().any(is_brace) {
        return vec![argument(word, &word.text, source, scope)];
    }
    let is_plain =
        |found: &Expansion| matches!(found.kind, ExpansionKind::Brace | ExpansionKind::Glob | ExpansionKind::Tilde);
    let expanded = match word.quoting {
        Quoting::Bare if word.expansions.iter().all(is_plain) => braces(&word.text),
        _ => None,
    };
    match expanded {
        Some(texts) => texts.iter().map(|text| argument(word, text, source, scope)).collect(),
        None => vec![Argument::unknown(&word.text, Unclear::Value(word.text.clone()))],
    }
}

/// One argument. `text` is the word without quotes and with its braces expanded.
fn argument(word: &Word, text: &str, source: &str, scope: &Scope<'_>) -> Argument {
    let mut argument = Argument::literal(text);
    for found in &word.expansions {
        let raw = source.get(found.span.clone()).unwrap_or_default();
        match &found.kind {
            ExpansionKind::Parameter => put_value(&mut argument, raw, word, scope),
            ExpansionKind::Arithmetic if is_constant(raw) => {
                argument.text = argument.text.replacen(raw, "0", 1);
            }
            ExpansionKind::Arithmetic => argument.lose(Unclear::Expression),
            ExpansionKind::Command { source } => {
                if source.trim() == "pwd"
                    && let Some(cwd) = scope.cwd_text()
                {
                    argument.text = argument.text.replacen(raw, &cwd, 1);
                }
                argument.lose(Unclear::Substitution(raw.to_owned()));
            }
            ExpansionKind::Process { .. } => argument.lose(Unclear::Substitution(raw.to_owned())),
            ExpansionKind::Glob if text.contains(['*', '?', '[']) => {
                if argument.is_literal() {
                    argument.known = Certainty::Pattern;
                }
            }
            ExpansionKind::Tilde => put_home(&mut argument, word, source, scope),
            ExpansionKind::Glob | ExpansionKind::Brace => {}
            ExpansionKind::Array | ExpansionKind::Translation | ExpansionKind::Bytes => {
                argument.lose(Unclear::Value(raw.to_owned()));
            }
        }
    }
    argument
}

impl Argument {
    /// Marks the text as a guess. The first reason stays.
    fn lose(&mut self, why: Unclear) {
        if !matches!(self.known, Certainty::Unknown(_)) {
            self.known = Certainty::Unknown(why);
        }
    }
}

/// Replaces `$name` with its value. The value of `${name…}` with an operator is a guess.
fn put_value(argument: &mut Argument, raw: &str, word: &Word, scope: &Scope<'_>) {
    let inner = raw.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let name = inner.or(raw.strip_prefix('$')).unwrap_or_default();
    let is_certain = argument.text.matches(raw).count() == 1
        || word.expansions.iter().filter(|found| found.kind == ExpansionKind::Parameter).count()
            == argument.text.matches('$').count();
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
    let (value, is_exact) = match scope.value(name) {
        Some(value) => (value, true),
        None => match scope.value(&name[..end]).filter(|_| end > 0) {
            Some(value) => (value, false),
            None => return argument.lose(Unclear::Value(raw.to_owned())),
        },
    };
    argument.text = argument.text.replacen(raw, &value.text, 1);
    let is_split = word.quoting != Quoting::Double && value.text.contains([' ', '\t', '\n', '*', '?', '[', '\\']);
    let is_split = is_split || value.text.contains('$');
    match value.known {
        Certainty::Unknown(why) => argument.lose(why),
        _ if !is_exact || !is_certain => argument.lose(Unclear::Value(raw.to_owned())),
        Certainty::Literal if is_split => argument.lose(Unclear::Value(raw.to_owned())),
        Certainty::Pattern if argument.is_literal() => argument.known = Certainty::Pattern,
        Certainty::Literal | Certainty::Pattern => {}
    }
}

/// Replaces a `~` at the start with the home directory.
fn put_home(argument: &mut Argument, word: &Word, source: &str, scope: &Scope<'_>) {
    let after = source.get(word.span.start + 1..word.span.end).unwrap_or_default();
    let is_own = after.is_empty() || after.starts_with('/') || word.quoting == Quoting::Bare;
    let rest = argument.text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (rest, scope.value("HOME")) {
        (Some(rest), Some(home)) if is_own => argument.text = format!("{}{rest}", home.text),
        _ => {
            // After `=` and `:`, and with a user's name, it stands for a directory that is not looked up.
            if argument.text.contains('~') {
                argument.lose(Unclear::Value(word.text.clone()));
            }
        }
    }
}

/// Whether an arithmetic expression has only numbers and operators.
pub(super) fn is_constant(expression: &str) -> bool {
    let inner = expression.trim_start_matches("$((").trim_end_matches("))");
    inner.chars().all(|c| c.is_ascii_digit() || " \t+-*/%()<>=!&|^~?:,".contains(c))
}

/// Expands `{a,b}` and `{1..3}`. `None` if it is not certain how.
fn braces(text: &str) -> Option<Vec<String>> {
    let Some(open) = text.find('{') else { return Some(vec![text.to_owned()]) };
    let close = open + text[open..].find('}')?;
    let inner = &text[open + 1..close];
    if inner.contains('{') || text[..open].ends_with('$') {
        return None;
    }
    let values: Vec<String> = match inner.split_once("..") {
        _ if inner.contains(',') => inner.split(',').map(str::to_owned).collect(),
        Some((from, to)) => {
            let (from, to): (i64, i64) = (plain_number(from)?, plain_number(to)?);
            let count = usize::try_from(from.abs_diff(to)).ok().filter(|count| *count < MOST_BRACES)?;
            let step = if from <= to { 1 } else { -1 };
            (0..=count).map_while(|index| Some((from + step * i64::try_from(index).ok()?).to_string())).collect()
        }
        None => return None,
    };
    let mut expanded = Vec::new();
    for value in values {
        for rest in braces(&text[close + 1..])? {
            expanded.push(format!("{}{value}{rest}", &text[..open]));
            if expanded.len() > MOST_BRACES {
                return None;
            }
        }
    }
    Some(expanded)
}

/// A number without leading zeros, which would widen every value of a range.
fn plain_number(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number: &i64| number.to_string() == text && number.unsigned_abs() < 1_000_000)
}
