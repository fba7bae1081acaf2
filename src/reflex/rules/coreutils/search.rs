//! grep and find.

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line::quoted;
use crate::reflex::near;
use crate::reflex::rules::{Rule, pattern};
use crate::reflex::typo;
use crate::reflex::world::World;

const GREP: &[&str] = &["grep", "egrep", "fgrep", "zgrep"];

const PREDICATES: &[&str] = &[
    "-name",
    "-iname",
    "-type",
    "-path",
    "-ipath",
    "-regex",
    "-iregex",
    "-size",
    "-mtime",
    "-mmin",
    "-newer",
    "-empty",
    "-exec",
    "-execdir",
    "-delete",
    "-print",
    "-print0",
    "-printf",
    "-prune",
    "-maxdepth",
    "-mindepth",
    "-not",
    "-user",
    "-group",
    "-perm",
    "-atime",
    "-ctime",
    "-follow",
    "-xdev",
    "-mount",
    "-quit",
    "-ls",
    "-links",
    "-inum",
    "-samefile",
    "-readable",
    "-writable",
    "-executable",
];

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule { name: "grep: a directory", tools: GREP, signs: &["s a directory"], apply: grep_directory },
    Rule {
        name: "grep: the file before the pattern",
        tools: GREP,
        signs: &["No such file or directory"],
        apply: grep_order,
    },
    Rule {
        name: "grep: a broken pattern",
        tools: GREP,
        signs: &[
            "nmatched",
            "nvalid regular expression",
            "nvalid preceding",
            "railing backslash",
            "parentheses not balanced",
            "brackets ([ ]) not balanced",
            "repetition-operator",
        ],
        apply: grep_pattern,
    },
    Rule {
        name: "find: an unquoted pattern",
        tools: &["find"],
        signs: &["paths must precede expression", "unknown primary or operator", "unknown option"],
        apply: find_pattern,
    },
    Rule {
        name: "find: an unknown predicate",
        tools: &["find"],
        signs: &["unknown predicate", "unknown primary", "unknown operand"],
        apply: find_predicate,
    },
    Rule {
        name: "find: -exec has no end",
        tools: &["find"],
        signs: &["missing argument to `-exec", "no terminating \";\""],
        apply: find_exec,
    },
    Rule { name: "find: no path", tools: &["find"], signs: &["illegal option --"], apply: find_path },
];

fn grep_directory(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let recursive = case.words().iter().any(|word| {
        word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(['r', 'R'])
            || word.text == "--recursive"
    });
    (!recursive).then(|| {
        Finding::fix(Confidence::Sure, case.with_inserted(1, "-r"), "through the directory")
            .because("grep reads files; a directory only with -r.")
    })
}

fn grep_order(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let operands: Vec<(usize, &str)> = case.operands().collect();
    let [(first, file), rest @ ..] = operands.as_slice() else { return None };
    let missing = rest.iter().any(|(_, word)| case.output.says(&format!("{word}: No such file")));
    let exists = near::exists(file, world);
    if rest.is_empty() || !missing || !exists {
        return None;
    }
    let last = rest.last()?.0;
    let words = case.words();
    let text = case.line.text();
    let moved =
        format!("{} {}", &text[words[*first + 1].span.start..words[last].span.end], &text[words[*first].span.clone()]);
    Some(
        Finding::fix(
            Confidence::Sure,
            case.line.with(words[*first].span.start..words[last].span.end, &moved),
            "the pattern before the file",
        )
        .because("grep takes the pattern first, then the files."),
    )
}

fn grep_pattern(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let fixed = case.words().iter().any(|word| word.text.starts_with("-F") || word.text == "--fixed-strings");
    (!fixed).then(|| {
        Finding::fix(Confidence::Likely, case.with_inserted(1, "-F"), "the text as it is")
            .because("The pattern has an unmatched bracket or parenthesis, or a backslash at its end.")
    })
}

/// `find . -name *.c`.
fn find_pattern(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let text = case.line.text();
    let words = case.words();
    let mut line = text.to_owned();
    for index in (1..words.len()).rev() {
        let raw = &text[words[index].span.clone()];
        let follows = words[index - 1].text.as_str();
        if ["-name", "-iname", "-path", "-ipath", "-wholename"].contains(&follows)
            && raw.contains(['*', '?', '['])
            && !raw.contains(['\'', '"', '\\'])
        {
            line.replace_range(words[index].span.clone(), &quoted(raw));
        }
    }
    (line != text).then(|| {
        Finding::fix(Confidence::Sure, line, "the pattern in quotes")
            .because("The shell replaced the pattern by file names before find saw it.")
    })
}

fn find_predicate(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(
        r"unknown (?:predicate|primary|operand|primary or operator):? [`'‘]?-{0,2}([\w-]+)[`'’]?"
    ))?;
    let index = case
        .words()
        .iter()
        .position(|word| word.text.trim_start_matches('-') == &said[1] && word.text.starts_with('-'))?;
    let typed = case.word(index)?;
    if let Some(known) = PREDICATES.iter().find(|known| typed.strip_prefix('-') == Some(**known)) {
        return Some(Finding::fix(Confidence::Sure, case.with_word(index, known), "find's words have one dash"));
    }
    let meant = typo::nearest(typed, PREDICATES.iter().copied().filter(|known| *known != "-delete"))?;
    Some(
        Finding::fix(Confidence::Likely, case.with_word(index, meant), "the nearest of find's words")
            .because(format!("find knows no {typed}.")),
    )
}

fn find_exec(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let last = case.words().last()?;
    let text = case.line.text();
    // An unquoted `;` ends the command for the shell, so it gets a backslash.
    let rest = text[last.span.end..].trim_start();
    let cause = "The command after -exec must end with \\; or +.";
    Some(if rest.starts_with(';') {
        let at = text.len() - rest.len();
        let gap = if text[..at].ends_with(' ') { "" } else { " " };
        Finding::fix(
            Confidence::Sure,
            case.line.with(at..at + 1, &format!("{gap}\\;")),
            "the end of -exec, kept from the shell",
        )
        .because(cause)
    } else {
        Finding::fix(Confidence::Sure, case.with_inserted(usize::MAX, "\\;"), "with the end of -exec").because(cause)
    })
}

fn find_path(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    case.word(1).is_some_and(|word| word.starts_with('-') && PREDICATES.contains(&word)).then(|| {
        Finding::fix(Confidence::Sure, case.with_inserted(1, "."), "below this directory")
            .because("This find needs a directory to start in.")
    })
}
