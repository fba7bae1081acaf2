//! Unknown options and missing operands.

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::rules::{Rule, pattern};
use crate::reflex::typo;
use crate::reflex::world::World;

/// Long options of the GNU tools that are used most.
const LONG: &[&str] = &[
    "--all",
    "--almost-all",
    "--archive",
    "--color",
    "--count",
    "--delete",
    "--directory",
    "--dry-run",
    "--exclude",
    "--exclude-dir",
    "--extended-regexp",
    "--extract",
    "--file",
    "--fixed-strings",
    "--help",
    "--human-readable",
    "--ignore-case",
    "--include",
    "--interactive",
    "--invert-match",
    "--line-number",
    "--lines",
    "--list",
    "--max-depth",
    "--no-clobber",
    "--numeric-sort",
    "--only-matching",
    "--output",
    "--parents",
    "--preserve",
    "--progress",
    "--quiet",
    "--recursive",
    "--reverse",
    "--silent",
    "--sort",
    "--summarize",
    "--symbolic",
    "--unique",
    "--update",
    "--verbose",
    "--version",
    "--word-regexp",
];

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule {
        name: "one dash for two",
        tools: &[],
        signs: &["invalid option", "illegal option", "unknown option", "nrecognized option", "bad option"],
        apply: one_dash,
    },
    Rule {
        name: "a misspelt long option",
        tools: &[],
        signs: &[
            "unrecognized option",
            "unknown option",
            "nrecognized argument",
            "unexpected argument",
            "o such option",
        ],
        apply: long_option,
    },
    Rule {
        name: "a value that an option does not take",
        tools: &[],
        signs: &["Valid arguments are:"],
        apply: option_value,
    },
    Rule {
        name: "missing operands",
        tools: &[],
        signs: &["missing operand", "missing destination file operand", "missing file operand"],
        apply: missing_operand,
    },
];

/// `-help`, `-version` or `-h` for a tool that only has `--help`.
fn one_dash(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let words = case.words();
    let at = words.iter().position(|word| {
        ["-help", "-version", "-verbose", "-recursive", "-force", "-quiet", "-all"].contains(&word.text.as_str())
    });
    if let Some(index) = at {
        let word = &words[index].text;
        return Some(Finding::fix(
            Confidence::Likely,
            case.with_raw(index, &format!("-{word}")),
            "long options have two dashes",
        ));
    }
    let index = case.position("-h").filter(|_| words.len() == 2 && case.output.says("--help"))?;
    Some(Finding::fix(Confidence::Likely, case.with_raw(index, "--help"), "the tool's word for it"))
}

fn long_option(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if ["git", "dd"].contains(&case.tool()) {
        return None;
    }
    let said = case.output.captures(pattern!(r"(?:nrecognized option|nknown option|nrecognized arguments?|nexpected argument|o such option):? ?[`'‘]?(--[\w-]+)"))?;
    let wrong = said.get(1)?.as_str();
    let index =
        case.words().iter().position(|word| word.text == wrong || word.text.starts_with(&format!("{wrong}=")))?;
    let word = &case.words()[index];
    let raw = &case.line.text()[word.span.clone()];
    // The tool's own suggestion comes first: a tip, or the options in its usage.
    let tip = case.output.captures(pattern!(r"(?:similar (?:argument|option)(?: exists)?:?|[Dd]id you mean|[Pp]erhaps you meant|possible options?:?) *[`'‘(]?(--[\w-]+)"));
    let tip = tip.as_ref().and_then(|tip| tip.get(1)).map(|tip| tip.as_str());
    let usage: Vec<&str> = case
        .output
        .lines()
        .iter()
        .filter(|line| !line.contains(wrong))
        .flat_map(|line| pattern!(r"--[a-z][\w-]+").find_iter(line))
        .map(|found| found.as_str())
        .collect();
    let listed = typo::nearest(wrong, usage.iter().copied());
    let gnu = [
        "ls", "grep", "cp", "mv", "mkdir", "tar", "du", "df", "sort", "head", "tail", "wc", "ln", "cat", "touch",
        "uniq", "rsync", "sed", "diff", "tree",
    ];
    let usual = gnu.contains(&case.tool()).then(|| typo::nearest(wrong, LONG.iter().copied())).flatten();
    let (meant, confidence) = match (tip, listed, usual) {
        // A tip may differ a lot from the typed option.
        (Some(tip), ..) if typo::nearest(wrong, [tip]).is_some() || tip.starts_with(wrong) => (tip, Confidence::Sure),
        (Some(tip), ..) => (tip, Confidence::Likely),
        (None, Some(listed), _) => (listed, Confidence::Likely),
        (None, None, Some(usual)) => (usual, Confidence::Likely),
        (None, None, None) => {
            return Some(Finding::cause(Confidence::Likely, format!("{} has no option {wrong}.", case.tool())));
        }
    };
    raw.starts_with(wrong).then(|| {
        Finding::fix(
            confidence,
            case.line.with(word.span.start..word.span.start + wrong.len(), meant),
            "the nearest option",
        )
        .because(format!("{} has no option {wrong}.", case.tool()))
    })
}

/// `invalid argument ‘szie’ for ‘--sort’`, with the valid arguments below.
fn option_value(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let line = case.output.line_with(" argument ")?;
    let wrong = line.split(['\'', '‘', '’', '`']).nth(1)?;
    let index = case.words().iter().position(|word| word.text.rsplit('=').next() == Some(wrong))?;
    let listed = case.output.after("Valid arguments are:").iter().take_while(|line| line.starts_with("  - "));
    let valid = listed.flat_map(|line| line.split(['\'', '‘', '’', '`']).skip(1).step_by(2));
    let meant = typo::nearest(wrong, valid)?;
    let raw = case.raw(index).strip_suffix(wrong)?;
    Some(
        Finding::fix(Confidence::Sure, case.with_raw(index, &format!("{raw}{meant}")), "the nearest valid one")
            .because(format!("{wrong} is not among the values it takes.")),
    )
}

fn missing_operand(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let cause = match case.tool() {
        "cp" | "mv" | "ln" if case.operands().count() == 1 => {
            format!("{} needs a destination after what it is to take.", case.tool())
        }
        tool => format!("{tool} needs to be told what to work on."),
    };
    Some(Finding::cause(Confidence::Likely, cause))
}
