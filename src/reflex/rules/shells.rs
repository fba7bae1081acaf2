//! Error messages of bash, zsh and fish themselves.

use super::{Rule, pattern};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line::CommandPart;
use crate::reflex::world::World;
use crate::text::shell::Operator;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "fish: words of other shells", tools: &[], signs: &["In fish", "in fish", "fish: "], apply: in_fish },
    Rule {
        name: "fish: a script of another shell",
        tools: &["source", "."],
        signs: &["builtin not inside of", "fish: ", "Unsupported use", "unknown command: case"],
        apply: sourced_in_fish,
    },
    Rule {
        name: "blanks around an assignment",
        tools: &[],
        signs: &["not found", "nknown command", "not a valid identifier", "not an identifier"],
        apply: spaced_assignment,
    },
    Rule {
        name: "a bracket without blanks",
        tools: &[],
        signs: &["not found", "missing `]'", "missing ]", "']' expected"],
        apply: bracket,
    },
    Rule {
        name: "a test with too few or too many words",
        tools: &[],
        signs: &[
            "unary operator expected",
            "binary operator expected",
            "too many arguments",
            "integer expression expected",
            "integer expected",
        ],
        apply: test_words,
    },
    Rule {
        name: "a placeholder",
        tools: &[],
        signs: &[
            "unexpected token `newline'",
            "no such file or directory",
            "No such file or directory",
            "parse error near `\\n'",
        ],
        apply: placeholder,
    },
    Rule {
        name: "a loop without do",
        tools: &[],
        signs: &["unexpected token", "parse error near", "yntax error"],
        apply: loop_without_do,
    },
    Rule {
        name: "an unexpected token",
        tools: &[],
        signs: &["unexpected token", "parse error near", "syntax error"],
        apply: token,
    },
    Rule { name: "an ambiguous redirection", tools: &[], signs: &["ambiguous redirect"], apply: ambiguous_redirect },
    Rule {
        name: "noclobber",
        tools: &[],
        signs: &["cannot overwrite existing file", "file exists: ", "The file already exists"],
        apply: noclobber,
    },
    Rule { name: "an unset variable", tools: &[], signs: &["unbound variable", "parameter not set"], apply: unset },
    Rule {
        name: "a script of bash run by sh",
        tools: &["sh", "dash"],
        signs: &["ad substitution", "yntax error", "not found", "llegal option", "edirection unexpected"],
        apply: bashisms,
    },
    Rule { name: "a bad substitution", tools: &[], signs: &["ad substitution"], apply: bad_substitution },
    Rule {
        name: "job control",
        tools: &["fg", "bg", "jobs", "disown", "exit", "logout"],
        signs: &[
            "no current job",
            "no such job",
            "no job control",
            "stopped jobs",
            "running jobs",
            "suspended jobs",
            "No suitable job",
        ],
        apply: jobs,
    },
    Rule {
        name: "a read-only variable",
        tools: &[],
        signs: &["readonly variable", "read-only variable"],
        apply: read_only,
    },
    Rule {
        name: "export with a dollar",
        tools: &["export"],
        signs: &["not a valid identifier", "not valid in this context"],
        apply: export_dollar,
    },
];

fn in_fish(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let text = case.line.text();
    let says = |words: &str| case.output.says(words);
    let fix = |line: String, why: &str| Some(Finding::fix(Confidence::Sure, line, why));
    if says("please use $status") {
        return fix(text.replace("$?", "$status"), "fish's name for it");
    }
    if says("please use $fish_pid") || says("please use %self") {
        return fix(text.replace("$$", "$fish_pid"), "fish's name for it");
    }
    if says("please use $argv") {
        return fix(
            text.replace("\"$@\"", "$argv").replace("$@", "$argv").replace("$*", "$argv"),
            "fish's name for it",
        );
    }
    if says("please use 'count $argv'") {
        return fix(text.replace("$#", "(count $argv)"), "fish's way to count");
    }
    if says("cannot be bracketed") {
        return fix(pattern!(r"\$\{(\w+)\}").replace_all(text, "{$$$1}").into_owned(), "fish's way to write it");
    }
    if says("$(...) is not supported") || says("please use '(") {
        return fix(text.replace("$(", "("), "fish's way to write it");
    }
    if says("Unsupported use of '&&'") || says("please use 'COMMAND; and COMMAND'") {
        return fix(text.replace(" && ", "; and "), "fish's word for it");
    }
    if says("Unsupported use of '||'") || says("please use 'COMMAND; or COMMAND'") {
        return fix(text.replace(" || ", "; or "), "fish's word for it");
    }
    if says("Unsupported use of '='") {
        let part = case.part_text();
        let (name, rest) = part.split_once('=')?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let has_command = case.line.parts().first().is_some_and(|part| part.words.len() > 1);
        return match (is_name, has_command) {
            (true, true) => fix(case.line.with(0..0, "env "), "env sets it for one command"),
            (true, false) => fix(text.replacen(part, &format!("set {name} {rest}"), 1), "fish's word for it"),
            _ => None,
        };
    }
    if says("Expected a string, but found a redirection") && text.contains("<<") {
        return Some(Finding::cause(
            Confidence::Sure,
            "fish has no here-documents: `printf 'text' | command` does the same.",
        ));
    }
    None
}

/// `source venv/bin/activate` in fish.
fn sourced_in_fish(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let is_fish =
        case.output.says("fish: ") || case.output.says("builtin not inside of") || case.output.says("In fish");
    let (index, path) = case.operands().next()?;
    let other = format!("{path}.fish");
    (is_fish && (path.ends_with("activate") || crate::reflex::near::exists(&other, world))).then(|| {
        Finding::fix(Confidence::Sure, case.with_word(index, &other), "the same for fish")
            .because(format!("{path} is written for bash and zsh."))
    })
}

/// `A = b`, `export A = b`.
fn spaced_assignment(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let words = case.words();
    let raw = |index: usize| &case.line.text()[words[index].span.clone()];
    let is_name = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !text.starts_with(|c: char| c.is_ascii_digit())
    };
    let exports = ["export", "local", "declare", "readonly", "typeset"].contains(&case.tool());
    let name = usize::from(exports);
    let cause = "An assignment has no blanks around its =.";
    if words.get(name + 1).is_some_and(|word| word.text == "=")
        && is_name(raw(name))
        && words.len() > name + 2
        && words.len() <= name + 3
    {
        let joined = format!("{}={}", raw(name), raw(name + 2));
        return Some(
            Finding::fix(
                Confidence::Likely,
                case.line.with(words[name].span.start..words[name + 2].span.end, &joined),
                "without the blanks",
            )
            .because(cause),
        );
    }
    if words.len() == name + 2
        && words[name + 1].text.starts_with('=')
        && words[name + 1].text.len() > 1
        && is_name(raw(name))
    {
        let joined = format!("{}{}", raw(name), raw(name + 1));
        return Some(
            Finding::fix(
                Confidence::Likely,
                case.line.with(words[name].span.start..words[name + 1].span.end, &joined),
                "without the blanks",
            )
            .because(cause),
        );
    }
    // `$A=b` runs the value of A.
    let first = case.line.parts().first()?.words.first()?;
    let raw = &case.line.text()[first.span.clone()];
    let assigned = raw.strip_prefix('$')?;
    let (variable, _) = assigned.split_once('=')?;
    (is_name(variable) && case.line.parts().len() == 1).then(|| {
        Finding::fix(Confidence::Likely, case.line.with(first.span.clone(), assigned), "without the $")
            .because("A variable is assigned by its name, without the $.")
    })
}

/// `if [$a = b]`.
fn bracket(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let text = case.line.text();
    if !text.contains('[') || !text.contains(']') {
        return None;
    }
    let open = pattern!(r"(^|[\s;!])(\[{1,2})([^\s\[\]])");
    let close = pattern!(r"([^\s\[\]])(\]{1,2})(\s*(?:;|&&|\|\||$))");
    let has_test = open.is_match(text) && (case.output.says("[") || case.output.says("not found"))
        || pattern!(r"(?:^|[\s;!])\[{1,2}\s").is_match(text)
            && close.is_match(text)
            && (case.output.says("missing") || case.output.says("expected"));
    if !has_test {
        return None;
    }
    let opened = open.replace_all(text, "$1$2 $3");
    let fixed = close.replace_all(&opened, "$1 $2$3").into_owned();
    (fixed != text).then(|| {
        Finding::fix(Confidence::Likely, fixed, "with blanks around the brackets")
            .because("[ is a command: it needs blanks around it like any other.")
    })
}

fn test_words(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let line = case.output.line_with("expected").or_else(|| case.output.line_with("too many arguments"))?;
    if !line.contains("[: ") && !line.contains("test: ") && !line.contains("[[: ") && !line.contains("conditional") {
        return None;
    }
    let text = case.line.text();
    let cause = if line.contains("integer") {
        "-eq, -lt and similar operators compare whole numbers, but one side is not a number."
    } else {
        "A variable in the test is empty or contains several words: put it in double quotes."
    };
    let finding = Finding::cause(Confidence::Likely, cause);
    let inside = pattern!(r"(\[[^\]]*?\s)(\$\w+|\$\{\w+\})(\s)");
    Some(if inside.is_match(text) && !line.contains("integer") {
        let mut fixed = text.to_owned();
        // Each round quotes one variable; a test has only a few.
        for _ in 0..4 {
            fixed = inside.replace(&fixed, "$1\"$2\"$3").into_owned();
        }
        finding.or(fixed, "the variables in quotes")
    } else {
        finding
    })
}

/// `git clone <url>`, copied with its brackets.
fn placeholder(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if !case.line.text().contains('<') {
        return None;
    }
    let found = pattern!(r"(?:^|\s)<([A-Za-z][\w -]*)>(?:\s|$)").captures(case.line.text())?;
    Some(Finding::cause(
        Confidence::Likely,
        format!("<{}> stands for something of yours: put that in its place, without the angle brackets.", &found[1]),
    ))
}

/// `for i in 1 2; echo $i; done`.
fn loop_without_do(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let parts = case.line.parts();
    let begins =
        |part: &CommandPart, any: &[&str]| part.words.first().is_some_and(|word| any.contains(&word.text.as_str()));
    let head = parts.iter().position(|part| begins(part, &["for", "while", "until"]))?;
    let has_do = parts.iter().any(|part| part.words.iter().any(|word| word.text == "do"));
    let is_closed = parts.iter().any(|part| begins(part, &["done"]));
    let is_separate = |part: &&CommandPart| matches!(part.operator, Some(Operator::Newline | Operator::Semicolon));
    let body = parts.iter().skip(head + 1).find(is_separate)?;
    (is_closed && !has_do && !begins(body, &["done"])).then(|| {
        let start = body.span().start;
        Finding::fix(Confidence::Likely, case.line.with(start..start, "do "), "with the do that is missing")
            .because("The commands of a loop are between do and done.")
    })
}

fn token(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case
        .output
        .captures(pattern!(r"(?:unexpected token [`'](.+?)'|parse error near [`'](.+?)'|Syntax error: (.+))"))?;
    let token = said.iter().skip(1).flatten().next()?.as_str();
    // An error in a script names the script's line.
    let place = case
        .output
        .captures(pattern!(r"^(\S+): (?:line )?(\d+): "))
        .filter(|place| !["bash", "zsh", "sh", "-bash"].contains(&&place[1]));
    if let Some(place) = place {
        return Some(Finding::cause(
            Confidence::Likely,
            format!(
                "The shell did not expect {token} in {}, line {}; something may be missing before it.",
                &place[1], &place[2]
            ),
        ));
    }
    let cause = match token {
        "newline" | "\\n" => {
            "The line ends too early: after a redirection, a pipe or an operator something must follow.".to_owned()
        }
        "done" | "fi" | "then" | "do" | "else" | "esac" | "}" => format!(
            "{token} closes or continues something that was not opened: a ; or a line end before it is missing, or its beginning is."
        ),
        "|" | "||" | "&&" | "&" | ";" | ";;" => format!("There is no command before {token}."),
        other => format!("The shell did not expect {other} there."),
    };
    Some(Finding::cause(Confidence::Guess, cause))
}

fn ambiguous_redirect(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(
        Confidence::Sure,
        "The name after > or < is empty or several words: a variable in it is unset or needs double quotes.",
    ))
}

fn noclobber(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    (case.line.text().contains('>')).then(|| {
        Finding::cause(
            Confidence::Likely,
            "The file is there, and this shell does not overwrite with > (noclobber): >| overwrites it, >> adds to it.",
        )
    })
}

fn unset(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"(\w+)(?:\[.*\])?: (?:unbound variable|parameter not set)"))?;
    Some(Finding::cause(
        Confidence::Likely,
        format!(
            "The variable {0} has no value, and the shell was told to refuse that (set -u); ${{{0}:-}} allows it.",
            &said[1]
        ),
    ))
}

fn bashisms(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_bashism = case.output.lines().iter().any(|line| {
        line.contains("ad substitution")
            || line.contains("\"(\" unexpected")
            || line.contains("[[: not found")
            || line.contains("source: not found")
            || line.contains("edirection unexpected")
            || line.contains("shopt: not found")
            || line.contains("declare: not found")
            || line.contains("pushd: not found")
            || line.contains("llegal option -o pipefail")
            || line.contains("function: not found")
    });
    let has_script = case.operands().next().is_some();
    (is_bashism && has_script && !case.has_word(&["-c"])).then(|| {
        Finding::fix(Confidence::Sure, case.with_word(0, "bash"), "by the shell it is written for")
            .because("The script uses features of bash that sh does not have.")
    })
}

fn bad_substitution(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(
        Confidence::Guess,
        "This shell does not understand the text between ${ and }: it is misspelt, or the syntax of another shell.",
    ))
}

fn jobs(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let says = |words: &str| case.output.says(words);
    let cause = if says("stopped jobs") || says("running jobs") || says("suspended jobs") {
        "There are still jobs: `jobs` lists them. The same command again exits anyway."
    } else if says("no job control") {
        "This shell has no job control: it is not interactive."
    } else {
        "There is no such job in this shell: `jobs` lists the existing ones."
    };
    Some(Finding::cause(Confidence::Likely, cause))
}

fn read_only(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"(\w+): read-?only variable|read-only variable: (\w+)"))?;
    let name = said.iter().skip(1).flatten().next()?.as_str();
    Some(Finding::cause(
        Confidence::Likely,
        format!("{name} is read-only in this shell; a new shell begins without that, unless a start file sets it."),
    ))
}

/// `export $A=b`.
fn export_dollar(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let word = case.words().get(1)?;
    let raw = &case.line.text()[word.span.clone()];
    let bare = raw.strip_prefix('$').filter(|bare| bare.contains('='))?;
    Some(
        Finding::fix(Confidence::Likely, case.with_raw(1, bare), "without the $")
            .because("A variable is assigned by its name, without the $."),
    )
}
