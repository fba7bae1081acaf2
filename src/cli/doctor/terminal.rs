//! The terminal and what it can show, from its variables and its size. It is asked nothing: a reply could end up at the prompt.

use std::io::{self, IsTerminal};

use crate::cli::terminal_program::TerminalProgram;
use crate::tty;

use super::{DoctorFinding, Exam, locale, terminfo};

/// What the environment says about a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct TerminalFacts {
    pub(in crate::cli) program: Option<TerminalProgram>,
    term: String,
    colours: &'static str,
    /// The variable that names the locale, and its value.
    locale: Option<(&'static str, String)>,
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
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| Some((name, get(name)?)));
        TerminalFacts { program: TerminalProgram::of(get), term, colours, locale }
    }

    /// Name, colours and characters, in a few words.
    pub(in crate::cli) fn words(&self) -> String {
        let name = self.program.map_or("unknown terminal", TerminalProgram::name);
        let is_utf8 = self.locale.as_ref().is_some_and(|(_, name)| locale::is_utf8(name));
        let characters = if is_utf8 { "UTF-8" } else { "no UTF-8" };
        format!("{name}, {}, {characters}", self.colours)
    }
}

/// Whether a terminal of this name can do nothing but print.
pub(super) fn is_plain(term: &str) -> bool {
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
            true => DoctorFinding::warn(format!(
                "{text}: answers have no colours and no marks, and bash runs lines that start with `> ` as commands"
            ))
            .fix("`export TERM=xterm-256color` if your terminal can do more"),
            false => DoctorFinding::ok(text),
        }
        .public(public),
    ];
    if !is_plain(&facts.term) && terminfo::is_unknown(&facts.term, &exam.get) {
        let text = format!("no terminfo entry describes {term}, so `less`, `vim` and others may not work");
        let fix = "`export TERM=xterm-256color`, or install the entry of your terminal (in the package ncurses-term, for many)";
        findings.push(DoctorFinding::warn(text).fix(fix).public("its terminfo entry is missing"));
    }
    findings.extend(locale::check(exam, facts.locale.as_ref()));
    // A terminal without a size, as of some programs, has 0 columns.
    if size.is_some_and(|size| (1..40).contains(&size.cols) || (1..10).contains(&size.rows)) {
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
