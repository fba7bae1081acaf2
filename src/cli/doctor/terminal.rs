//! The terminal and what it can show, from its variables and its size. It is asked nothing: a reply could end up at the prompt.

use std::io::{self, IsTerminal};

use crate::cli::terminal_program::TerminalProgram;
use crate::tty;

use super::{DoctorFinding, Exam};

/// What the environment says about a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct TerminalFacts {
    pub(in crate::cli) program: Option<TerminalProgram>,
    term: String,
    colours: &'static str,
    /// The locale, if it is not UTF-8.
    other_locale: Option<String>,
}

impl TerminalFacts {
    pub(in crate::cli) fn of(get: impl Fn(&str) -> Option<String>) -> TerminalFacts {
        let get = |name: &str| get(name).filter(|value| !value.is_empty());
        let term = get("TERM").unwrap_or_default();
        let colours = match get("COLORTERM").as_deref() {
            _ if get("NO_COLOR").is_some() => "no colours (NO_COLOR)",
            Some("truecolor" | "24bit") => "16 million colours",
            _ if is_plain(&term) => "no colours",
            _ if term.contains("256color") || term.contains("kitty") || term.contains("direct") => "256 colours",
            _ => "16 colours",
        };
        // The first that is set counts.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(get);
        let is_utf8 = locale.as_deref().is_some_and(|name| {
            let name = name.to_ascii_lowercase();
            name.contains("utf-8") || name.contains("utf8")
        });
        let other_locale = (!is_utf8).then(|| locale.unwrap_or_else(|| "not set".to_owned()));
        TerminalFacts { program: TerminalProgram::of(get), term, colours, other_locale }
    }

    /// Name, colours and characters, in a few words.
    pub(in crate::cli) fn words(&self) -> String {
        let name = self.program.map_or("unknown terminal", TerminalProgram::name);
        let characters = if self.other_locale.is_some() { "no UTF-8" } else { "UTF-8" };
        format!("{name}, {}, {characters}", self.colours)
    }
}

fn is_plain(term: &str) -> bool {
    matches!(term, "" | "dumb")
}

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let facts = TerminalFacts::of(|name| exam.var(name));
    let size = io::stdout().is_terminal().then(tty::size_of_stdout);
    let shown_size = size.map(|size| format!(", {} columns, {} rows", size.cols, size.rows)).unwrap_or_default();
    let term = if facts.term.is_empty() { "not set" } else { &facts.term };
    let public = format!("{}{shown_size}", facts.words());
    let text = format!("{}{shown_size} (TERM is {term})", facts.words());
    let mut findings = vec![
        match is_plain(&facts.term) {
            true => DoctorFinding::warn(format!("{text}: answers have no colours and no marks"))
                .fix("`export TERM=xterm-256color` if your terminal can do more"),
            false => DoctorFinding::ok(text),
        }
        .public(public),
    ];
    if let Some(locale) = &facts.other_locale {
        let finding =
            DoctorFinding::warn(format!("the locale ({locale}) is not UTF-8, so other letters may look wrong"));
        findings.push(finding.fix("`export LANG=C.UTF-8` in your start files").public("the locale is not UTF-8"));
    }
    if size.is_some_and(|size| size.cols < 40 || size.rows < 10) {
        findings.push(
            DoctorFinding::warn("the window is very small").fix("make it at least 40 columns wide and 10 rows high"),
        );
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(set: &[(&str, &str)]) -> String {
        TerminalFacts::of(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())).words()
    }

    #[test]
    fn variables_say_what_a_terminal_can_show() {
        assert_eq!(words(&[("TERM", "xterm-256color"), ("LANG", "C.UTF-8")]), "unknown terminal, 256 colours, UTF-8");
        let kitty = [("TERM", "xterm-kitty"), ("COLORTERM", "truecolor"), ("LANG", "de_DE.utf8")];
        assert_eq!(words(&kitty), "kitty, 16 million colours, UTF-8");
        assert_eq!(
            words(&[("TERM", "xterm"), ("LC_ALL", "C"), ("LANG", "C.UTF-8")]),
            "unknown terminal, 16 colours, no UTF-8"
        );
        assert_eq!(words(&[("TERM", "dumb"), ("LANG", "C.UTF-8")]), "unknown terminal, no colours, UTF-8");
        assert!(words(&[("TERM", "xterm"), ("NO_COLOR", "1")]).contains("no colours (NO_COLOR)"));
    }
}
