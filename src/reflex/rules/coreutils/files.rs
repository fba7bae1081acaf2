//! chmod, ln, dd, man and other tools that take file names.

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line::quoted;
use crate::reflex::near;
use crate::reflex::rules::{Rule, pattern};
use crate::reflex::typo;
use crate::reflex::world::World;

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule {
        name: "chmod, chown: the file first",
        tools: &["chmod", "chown", "chgrp"],
        signs: &["nvalid mode", "nvalid file mode", "nvalid user", "illegal user name", "nvalid group"],
        apply: mode_first,
    },
    Rule {
        name: "ln: a directory",
        tools: &["ln"],
        signs: &["hard link not allowed for directory", "s a directory"],
        apply: hard_link,
    },
    Rule { name: "ln: the wrong order", tools: &["ln"], signs: &["File exists"], apply: link_order },
    Rule {
        name: "dd: an operand",
        tools: &["dd"],
        signs: &["unrecognized operand", "unrecognized option"],
        apply: dd_operand,
    },
    Rule {
        name: "xargs: a quote in a name",
        tools: &["xargs"],
        signs: &["unmatched single quote", "unmatched double quote", "unterminated quote"],
        apply: xargs_quote,
    },
    Rule {
        name: "hdfs: directories",
        tools: &["hdfs", "hadoop"],
        signs: &["No such file or directory", "s a directory"],
        apply: hdfs,
    },
    Rule { name: "man: no page", tools: &["man"], signs: &["o manual entry for"], apply: man_missing },
];

/// `chmod script.sh +x`.
fn mode_first(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let operands: Vec<(usize, &str)> =
        case.words().iter().enumerate().skip(1).map(|(index, word)| (index, word.text.as_str())).collect();
    let [(first, file), (second, mode)] = operands.as_slice() else { return None };
    let is_mode = case.tool() != "chmod" || mode.contains(['+', '=', '-']) || mode.chars().all(|c| c.is_digit(8));
    if !is_mode || case.tool() != "chmod" && !near::exists(file, world) || mode.contains('/') {
        return None;
    }
    let text = case.line.text();
    let (one, other) = (&case.words()[*first].span, &case.words()[*second].span);
    let swapped = format!("{} {}", &text[other.clone()], &text[one.clone()]);
    let what = if case.tool() == "chmod" { "mode" } else { "owner" };
    Some(
        Finding::fix(
            Confidence::Likely,
            case.line.with(one.start..other.end, &swapped),
            format!("the {what} before the file"),
        )
        .because(format!("{} takes the {what} first.", case.tool())),
    )
}

fn hard_link(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    (!case.has_word(&["-s", "--symbolic"])).then(|| {
        Finding::fix(Confidence::Sure, case.with_inserted(1, "-s"), "a symbolic link")
            .because("Only a symbolic link can lead to a directory.")
    })
}

fn link_order(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let operands: Vec<(usize, &str)> = case.operands().collect();
    let [(first, target), (second, link)] = operands.as_slice() else { return None };
    let cause = format!("{link} is there already; ln takes what is there first, then the new name.");
    if near::exists(target, world) || !case.has_word(&["-s", "--symbolic"]) {
        return Some(Finding::cause(
            Confidence::Likely,
            format!("{link} is there already, and ln does not replace it."),
        ));
    }
    let text = case.line.text();
    let (one, other) = (&case.words()[*first].span, &case.words()[*second].span);
    let swapped = format!("{}{}{}", &text[other.clone()], &text[one.end..other.start], &text[one.clone()]);
    Some(
        Finding::fix(Confidence::Likely, case.line.with(one.start..other.end, &swapped), "what is there first")
            .because(cause),
    )
}

fn dd_operand(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"unrecognized (?:operand|option):? [`'‘](.+?)['’`]"))?;
    let wrong = said.get(1)?.as_str();
    let cause =
        format!("dd's arguments are pairs such as if=FILE, of=FILE, bs=1M, count=1; {wrong} is not one of them.");
    let finding = Finding::cause(Confidence::Likely, cause);
    let bare = wrong.trim_start_matches('-');
    let known =
        ["if=", "of=", "bs=", "count=", "skip=", "seek=", "status=", "conv="].iter().any(|name| bare.starts_with(name));
    Some(match case.position(wrong).filter(|_| known && bare != wrong) {
        Some(index) => finding.or(case.with_word(index, bare), "without dashes"),
        None => finding,
    })
}

fn xargs_quote(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let has_own = case.has_word(&["-0", "--null", "-d", "--delimiter"]);
    (!has_own).then(|| {
        Finding::fix(Confidence::Likely, case.with_inserted(1, "-d '\\n'"), "one name a line, as it is")
            .because("A name that xargs reads has a quote in it.")
    })
}

fn man_missing(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"o manual entry for (\S+?)(?: in section (\S+))?\.?$"))?;
    let name = said.get(1)?.as_str();
    let index = case.position(name)?;
    let finding = Finding::cause(Confidence::Likely, format!("There is no manual page for {name} here."));
    if said.get(2).is_some() {
        return Some(finding.or(case.with_command(&format!("man {}", quoted(name))), "in any section"));
    }
    if world.has(name) {
        return Some(finding.or(case.with_command(&format!("{} --help", quoted(name))), "its own help"));
    }
    let near = typo::nearest(name, world.commands().iter().map(String::as_str)).filter(|near| near.len() > 2);
    Some(match near {
        Some(near) => finding.or(case.with_word(index, near), "the nearest command"),
        None => finding,
    })
}

/// The commands of hdfs have the names and options of the common tools.
fn hdfs(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (command, option, why) = if case.output.says("s a directory") {
        ("-rm", "-r", "the directory and all that is in it")
    } else {
        ("-mkdir", "-p", "makes the directories above it, too")
    };
    let index = case.position(command).filter(|_| !case.has_word(&[option]))?;
    Some(Finding::fix(Confidence::Likely, case.with_inserted(index + 1, option), why))
}
