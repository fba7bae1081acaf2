//! Scripts: shells, perl, PHP, awk and others that write `line 3` in words.

use super::page::OutputPage;
use super::place::SourceLocation;
use super::{FormatReader, Remark};
use crate::reflex::rules::pattern;

pub(super) const READERS: &[FormatReader] = &[
    FormatReader { signs: &[": line ", " (line ", ": "], read: shells },
    FormatReader { signs: &[" at "], read: perl },
    FormatReader { signs: &[" on line ", "Uncaught "], read: php },
    FormatReader { signs: &[": Error: ", "Traceback"], read: nim },
];

/// `x.sh: line 3: message` of bash, `x.sh: 3: message` of dash, `x.fish (line 3): message`.
fn shells(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        let Some((name, line, words)) = script(line) else { continue };
        let words = if words.is_empty() { page.next_words(at).unwrap_or_default() } else { words };
        // Old versions of dash print the script's name twice.
        let words = words.strip_prefix(name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(words);
        remarks.push(Remark::cause(at, Some(SourceLocation { path: name.to_owned(), line, column: None }), words));
    }
    remarks
}

/// The script, the line number and the message.
fn script(line: &str) -> Option<(&str, u32, &str)> {
    let end = line.find(' ')?;
    let (first, rest) = (&line[..end], &line[end + 1..]);
    let number = |text: &'_ str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    if let Some(in_fish) = rest.strip_prefix("(line ") {
        let (digits, words) = in_fish.split_once("):")?;
        return Some((first, number(digits)?, words.strip_prefix(' ').unwrap_or(words)));
    }
    let name = first.strip_suffix(':').filter(|name| !name.is_empty())?;
    let in_bash = rest.strip_prefix("line ").filter(|_| is_script(name));
    let in_dash = Some(rest).filter(|_| name.find(['.', '/']).is_some_and(|at| at + 1 < name.len()));
    let (digits, words) = in_bash.or(in_dash)?.split_once(':')?;
    Some((name, number(digits)?, words.strip_prefix(' ').or_else(|| words.is_empty().then_some(words))?))
}

/// Whether the name is a script's. An interactive shell prints its own name instead.
fn is_script(name: &str) -> bool {
    !["bash", "sh", "zsh", "dash", "ksh", "-bash", "environment", "yaml", "awk", "gawk", "mawk", "awk:", "sed"]
        .contains(&name.rsplit('/').next().unwrap_or(name))
        || name.contains('.')
}

/// `message at x.pl line 3.` and `message at x.pl line 3, near "…"`.
fn perl(page: &OutputPage<'_>) -> Vec<Remark> {
    let pattern = pattern!(r"^(.*) at (\S+) line ([0-9]+)(?:\.$|, <|, near|, at )");
    let caught = page
        .numbered()
        .filter(|(_, line)| line.contains(" line "))
        .filter_map(|(at, line)| Some((at, pattern.captures(line)?)));
    let mut remarks = Vec::new();
    for (at, caught) in caught {
        let Some(place) = SourceLocation::caught(caught.get(2), caught.get(3), None) else { continue };
        if caught[1].starts_with("BEGIN failed") || caught[1].starts_with("Compilation failed") {
            remarks.push(Remark::trail(at, page.lines[at]));
        } else if !place.is_foreign() {
            remarks.push(Remark::cause(at, Some(place), caught[1].trim()));
        }
    }
    remarks
}

/// `PHP Fatal error:  message in /x/a.php on line 3`, and `Uncaught Error: message in /x/a.php:3`.
fn php(page: &OutputPage<'_>) -> Vec<Remark> {
    let spoken = pattern!(
        r"^(?:PHP )?((?:Parse|Fatal|Compile|Recoverable fatal|Core) error): +(.*?)(?: in (\S+) on line ([0-9]+)| in (\S+?):([0-9]+))?$"
    );
    let mut remarks: Vec<Remark> = Vec::new();
    for (at, line) in page.numbered() {
        let Some(caught) = spoken.captures(line) else { continue };
        let place = SourceLocation::caught(caught.get(3), caught.get(4), None)
            .or_else(|| SourceLocation::caught(caught.get(5), caught.get(6), None));
        let words = format!("{}: {}", &caught[1], &caught[2]);
        // PHP prints the same error to the log and to the screen.
        if remarks.iter().all(|known| known.words != words) {
            remarks.push(Remark::cause(at, place, words));
        }
    }
    remarks
}

/// `a.nim(3, 5) Error: message`.
fn nim(page: &OutputPage<'_>) -> Vec<Remark> {
    let pattern = || pattern!(r"^(\S+\.nims?)\(([0-9]+), ([0-9]+)\) (Error: .*)$");
    let caught = page
        .numbered()
        .filter(|(_, line)| line.contains(") Error: "))
        .filter_map(|(at, line)| Some((at, pattern().captures(line)?)));
    caught
        .map(|(at, caught)| {
            Remark::cause(at, SourceLocation::caught(caught.get(1), caught.get(2), caught.get(3)), &caught[4])
        })
        .collect()
}
