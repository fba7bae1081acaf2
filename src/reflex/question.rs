//! Questions that the rules or the history can answer.
//!
//! Only short questions in known forms are recognised, because a wrong guess would answer another question.

use crate::manual::Topic;

/// A question that needs no model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LocalQuestion {
    /// Why the last command failed.
    Why,
    /// The last command, corrected.
    Fix,
    /// Which command failed last.
    FailedLast,
    /// When a command was last run.
    LastRun(String),
    /// How long a command took. `None` means the last command.
    HowLong(Option<String>),
    /// What a command printed. `None` means the last command.
    Output(Option<String>),
    /// In which directory a command was run.
    Where(String),
    /// Which command changed to a directory.
    ChangedTo(String),
    /// How shellmate itself is used.
    Itself(&'static Topic),
}

/// Longer questions are left to a model.
const MOST_WORDS: usize = 16;

/// Words for the command that was just run.
const THAT: &[&str] = &["it", "that", "this", "the last command", "my last command", "last command", "the command"];

/// Questions about the last failure.
const WHY: &[&str] = &[
    "why",
    "what",
    "what happened",
    "what happened here",
    "what happened there",
    "what went wrong",
    "what is wrong",
    "what's wrong",
    "whats wrong",
    "what was wrong",
    "what is the problem",
    "what's the problem",
    "whats the problem",
    "explain",
    "explain the error",
    "explain this error",
    "explain that error",
    "explain the failure",
    "explain the problem",
    "what does that mean",
    "what does this mean",
    "what does this error mean",
    "what does that error mean",
    "what does the error mean",
    "what did i do wrong",
    "what am i doing wrong",
    "help",
    "help me",
    "how do i fix it",
    "how do i fix that",
    "how do i fix this",
    "how can i fix it",
    "how can i fix that",
    "how can i fix this",
    "how to fix it",
    "how to fix that",
    "how to fix this",
    "what now",
    "why not",
];

const FIX: &[&str] = &[
    "fix",
    "/fix",
    "fix it",
    "fix that",
    "fix this",
    "fix the command",
    "fix the last command",
    "correct it",
    "fix my command",
];

const FAILED_LAST: &[&str] = &[
    "what failed",
    "what failed last",
    "what did fail last",
    "what command failed last",
    "which command failed",
    "which command failed last",
    "what was the last failure",
    "what was the last failed command",
    "last failure",
    "last failed command",
    "the last failure",
    "show the last failure",
    "what command failed",
];

impl LocalQuestion {
    /// Recognises a question. Returns `None` for other questions.
    pub(crate) fn read(text: &str) -> Option<LocalQuestion> {
        let plain = plain(text);
        if plain.split(' ').count() > MOST_WORDS {
            return None;
        }
        let is = |known: &[&str]| known.contains(&plain.to_lowercase().as_str());
        if is(FIX) {
            Some(LocalQuestion::Fix)
        } else if is(WHY) || asks_why(&plain.to_lowercase()) {
            Some(LocalQuestion::Why)
        } else if is(FAILED_LAST) {
            Some(LocalQuestion::FailedLast)
        } else {
            of_the_record(&plain).or_else(|| Topic::of(&plain).map(LocalQuestion::Itself))
        }
    }
}

/// The text without courtesies and final punctuation, with single blanks.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let joined = words.join(" ");
    let mut rest = joined.trim_end_matches(['?', '!', '.', ' ']);
    for courtesy in ["please ", "hey ", "ok ", "so ", "and ", "can you ", "could you ", "tell me "] {
        rest = rest
            .get(..courtesy.len())
            .filter(|start| start.eq_ignore_ascii_case(courtesy))
            .map_or(rest, |_| &rest[courtesy.len()..]);
    }
    rest.strip_suffix(" please").unwrap_or(rest).to_owned()
}

/// `why did that fail`, `why does this not work`, `why is it failing`, `explain it`.
fn asks_why(lower: &str) -> bool {
    if let Some(what) = lower.strip_prefix("explain ") {
        return THAT.contains(&what);
    }
    let Some(rest) = lower.strip_prefix("why ") else { return false };
    let verbs = [
        "did ", "does ", "is ", "was ", "has ", "didn't ", "doesn't ", "isn't ", "didnt ", "doesnt ", "isnt ",
        "won't ", "can't ",
    ];
    let Some(rest) = verbs.iter().find_map(|verb| rest.strip_prefix(verb)) else { return false };
    let ends = [
        "fail",
        "failed",
        "failing",
        "not work",
        "not working",
        "work",
        "working",
        "broken",
        "break",
        "crash",
        "crashing",
        "die",
        "error",
        "wrong",
        "happen",
        "happening",
        "go wrong",
        "gone wrong",
        "not run",
        "run",
        "not build",
        "build",
        "not found",
        "error out",
        "exit",
    ];
    ends.iter().any(|end| {
        rest.strip_suffix(end).is_some_and(|subject| subject.ends_with(' ') && subject.split(' ').count() <= 5)
    })
}

/// Questions about earlier commands, recognised by the words before and after the command.
fn of_the_record(plain: &str) -> Option<LocalQuestion> {
    let said = |prefixes: &[&str], suffixes: &[&str]| {
        let rest = prefixes.iter().find_map(|prefix| {
            let start = plain.get(..prefix.len())?;
            start.eq_ignore_ascii_case(prefix).then(|| &plain[prefix.len()..])
        })?;
        let what = suffixes.iter().find_map(|suffix| {
            let end = rest.len().checked_sub(suffix.len())?;
            rest.get(end..)?.eq_ignore_ascii_case(suffix).then(|| &rest[..end])
        })?;
        let what = what.trim().trim_matches(['`', '"', '\'']);
        (!what.is_empty()).then(|| what.to_owned())
    };
    let unless_that = |what: String| (!THAT.contains(&what.to_lowercase().as_str())).then_some(what);
    let when = [
        "when did i last run ",
        "when did i run ",
        "when have i last run ",
        "when was the last time i ran ",
        "last time i ran ",
    ];
    if let Some(what) = said(&when, &[" last", ""]).or_else(|| said(&["when was "], &[" last run", " run"])) {
        return Some(LocalQuestion::LastRun(what));
    }
    let took =
        said(&["how long did "], &[" take", " run", " last"]).or_else(|| said(&["how long was "], &[" running", ""]));
    if let Some(what) = took {
        return Some(LocalQuestion::HowLong(unless_that(what)));
    }
    let output =
        ["show me the output of ", "show the output of ", "show output of ", "what was the output of ", "output of "];
    if let Some(what) =
        said(&output, &[""]).or_else(|| said(&["what did "], &[" print", " output", " say", " print out"]))
    {
        return Some(LocalQuestion::Output(unless_that(what)));
    }
    let place = [
        "where was i when i ran ",
        "where did i run ",
        "where did i last run ",
        "in which directory did i run ",
        "where was i when ",
    ];
    if let Some(what) = said(&place, &[""]) {
        return Some(LocalQuestion::Where(what));
    }
    let change = [
        "which command changed directory to ",
        "which command changed the directory to ",
        "what changed directory to ",
        "what command changed directory to ",
        "what took me to ",
        "when did i cd to ",
        "when did i cd into ",
        "how did i get to ",
    ];
    said(&change, &[""]).map(LocalQuestion::ChangedTo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_failures_are_recognised() {
        for text in [
            "why did that fail",
            "Why did that fail?",
            "why?",
            "what went wrong",
            "explain",
            "why does it not work",
            "why is this failing",
            "please explain the error",
            "why did my build fail",
            "why did cargo build fail?",
            "what does that mean?",
        ] {
            assert_eq!(LocalQuestion::read(text), Some(LocalQuestion::Why), "{text}");
        }
        for text in ["fix", "fix it", "Fix that!", "/fix", "can you fix this please"] {
            assert_eq!(LocalQuestion::read(text), Some(LocalQuestion::Fix), "{text}");
        }
    }

    #[test]
    fn questions_about_the_history_are_recognised() {
        let read = |text: &str| LocalQuestion::read(text).unwrap();
        assert_eq!(read("what failed last?"), LocalQuestion::FailedLast);
        assert_eq!(read("when did I last run cargo test?"), LocalQuestion::LastRun("cargo test".into()));
        assert_eq!(read("when did i run `make install` last"), LocalQuestion::LastRun("make install".into()));
        assert_eq!(read("how long did it take"), LocalQuestion::HowLong(None));
        assert_eq!(read("how long did cargo build take?"), LocalQuestion::HowLong(Some("cargo build".into())));
        assert_eq!(read("show me the output of git log"), LocalQuestion::Output(Some("git log".into())));
        assert_eq!(read("what did that print?"), LocalQuestion::Output(None));
        assert_eq!(read("where was I when I ran make"), LocalQuestion::Where("make".into()));
        assert_eq!(read("which command changed directory to /etc"), LocalQuestion::ChangedTo("/etc".into()));
    }

    #[test]
    fn questions_about_shellmate_itself_are_recognised() {
        let is_itself = |text| matches!(LocalQuestion::read(text), Some(LocalQuestion::Itself(_)));
        assert!(is_itself("please tell me how do I change the hotkey?") && is_itself("where is the history kept"));
        assert!(!is_itself("how do I change the branch") && !is_itself("where did I run make"));
    }

    #[test]
    fn other_questions_are_left_to_a_model() {
        for text in [
            "why is the sky blue",
            "write a script that fixes the tests",
            "fix the failing test in src/main.rs",
            "explain monads",
            "",
            "why did you choose tokio for this and not something simpler, given that it has to be small and fail",
            "what is the best way to run a server",
            "help me write a regex",
        ] {
            assert_eq!(LocalQuestion::read(text), None, "{text}");
        }
    }
}
