//! Finds the part of a line that failed.

use super::case::name_of;
use super::line::CommandPart;
use super::output::PrintedOutput;
use super::rules;

/// Commands that pass text on and seldom fail.
const FILTERS: &[&str] =
    &["tee", "cat", "head", "tail", "less", "more", "bat", "sort", "uniq", "wc", "tr", "cut", "column", "nl", "grep"];

/// The part that most probably failed: the one that the output names, quotes or has words of. Otherwise the last one that is not a filter.
pub(super) fn failed_part(parts: &[CommandPart], output: &PrintedOutput<'_>, status: Option<i32>) -> usize {
    let last = parts.len().saturating_sub(1);
    if parts.len() < 2 {
        return last;
    }
    let complaining = parts.iter().position(|part| is_complaint(part, output));
    // With status 0 only an error message about typed words shows that a part failed.
    if status == Some(0) {
        let known = || known_part(parts, output).filter(|&part| is_about(&parts[part], output));
        return complaining.or_else(known).unwrap_or(last);
    }
    let found = complaining
        .or_else(|| git(parts, output))
        .or_else(|| parts.iter().position(|part| is_named(part, output)))
        .or_else(|| known_part(parts, output))
        .or_else(|| parts.iter().rposition(|part| is_about(part, output)))
        .unwrap_or_else(|| producer(parts));
    // Of several parts with the same command, the one whose words the output quotes. Otherwise the last one.
    let same = parts.iter().enumerate().filter(|(_, part)| name(part) == name(&parts[found]));
    same.max_by_key(|(at, part)| (words_quoted(part, output), *at)).map_or(found, |(at, _)| at)
}

/// git prints `fatal:` without its name.
fn git(parts: &[CommandPart], output: &PrintedOutput<'_>) -> Option<usize> {
    let is_git = output.says("fatal: ") || output.says("error: pathspec");
    parts.iter().position(|part| tool(part) == "git").filter(|_| is_git)
}

fn name(part: &CommandPart) -> &str {
    part.words.get(name_of(part)).map_or("", |word| word.text.as_str())
}

/// The command's name without its directory.
fn tool(part: &CommandPart) -> &str {
    let name = name(part);
    name.rsplit('/').next().unwrap_or(name)
}

/// Whether the output has an error message with the name of this part's command.
pub(super) fn is_complaint(part: &CommandPart, output: &PrintedOutput<'_>) -> bool {
    let (name, tool) = (name(part), tool(part));
    let starts = |line: &str| line.strip_prefix(tool).is_some_and(|rest| rest.starts_with(": "));
    // `bash: gti: command not found`, `zsh: command not found: gti`, `fish: Unknown command: gti`.
    let (at_end, within) = (format!(": {name}"), format!(": {name}: "));
    let shell_says = |line: &str| line.ends_with(&at_end) && line.contains("command") || line.contains(&within);
    !tool.is_empty() && output.lines().iter().any(|line| starts(line) || shell_says(line))
}

/// Whether the output quotes the command's name: `unknown command "gte" for "kubectl"`, `Run 'docker --help'`.
fn is_named(part: &CommandPart, output: &PrintedOutput<'_>) -> bool {
    let name = name(part);
    !name.is_empty() && ["\"", "'", "`"].iter().any(|quote| output.says(&format!("{quote}{name}")))
}

/// Whether the output quotes an argument: `Unknown operation 'ngnix'`.
fn is_about(part: &CommandPart, output: &PrintedOutput<'_>) -> bool {
    let is_mere_move = ["cd", "mkdir"].contains(&tool(part));
    !is_mere_move && words_quoted(part, output) > 0
}

/// How many words of a part occur in quotes in the output.
fn words_quoted(part: &CommandPart, output: &PrintedOutput<'_>) -> usize {
    let quotes = [("'", "'"), ("`", "'"), ("`", "`"), ("‘", "’"), ("\"", "\"")];
    let words = part.words.iter().skip(name_of(part) + 1).take(20).map(|word| word.text.as_str());
    let is_quoted = |word: &&str| quotes.iter().any(|(open, close)| output.says(&format!("{open}{word}{close}")));
    words.filter(|word| word.len() > 1).filter(is_quoted).count()
}

/// The part whose tool has a rule with a sign in the output. Of several, the one whose words the output quotes.
fn known_part(parts: &[CommandPart], output: &PrintedOutput<'_>) -> Option<usize> {
    let is_known = |part: &CommandPart| {
        let tool = tool(part);
        rules::all().any(|rule| rule.tools.contains(&tool) && rule.signs.iter().any(|sign| output.shows(sign)))
    };
    let known: Vec<usize> = (0..parts.len()).filter(|&part| is_known(&parts[part])).collect();
    known.iter().find(|&&part| is_about(&parts[part], output)).or(known.first()).copied()
}

/// The last part, or the part before it in the pipeline if the last is a filter.
fn producer(parts: &[CommandPart]) -> usize {
    let passes_on = |part: &CommandPart| part.is_piped() && FILTERS.contains(&tool(part));
    let last = parts.len().saturating_sub(1);
    (1..=last).rev().find(|&at| !passes_on(&parts[at])).unwrap_or(0)
}
