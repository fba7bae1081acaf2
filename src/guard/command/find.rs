//! The expression of `find`.

use super::argument::{Argument, Certainty};
use super::looks::LookJudgement;
use super::scope::Scope;
use super::unclear::Unclear;
use super::{Extent, paths};

/// Tests, options and actions without a value that change nothing.
const PLAIN: &[&str] = &[
    "!",
    "(",
    ")",
    ",",
    "-a",
    "-and",
    "-d",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-follow",
    "-ignore_readdir_race",
    "-ls",
    "-mount",
    "-nogroup",
    "-noleaf",
    "-not",
    "-nouser",
    "-nowarn",
    "-o",
    "-or",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-readable",
    "-true",
    "-warn",
    "-writable",
    "-xdev",
];

/// Those with a value.
const WITH_VALUE: &[&str] = &[
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-ctime",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-newer",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-samefile",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
];

/// Tests that do not narrow down which files are found.
const NOT_NARROWING: &[&str] =
    &["-type", "-xtype", "-depth", "-d", "-mindepth", "-xdev", "-mount", "-print", "-print0"];

/// The arguments of `find` in three parts.
pub(super) struct FindParts<'a> {
    pub(super) roots: Vec<&'a Argument>,
    pub(super) expression: &'a [Argument],
}

/// Divides arguments into the directories to look in and the expression.
pub(super) fn parts(arguments: &[Argument]) -> FindParts<'_> {
    let is_option = |text: &str| {
        matches!(text, "-H" | "-L" | "-P")
            || text
                .strip_prefix("-O")
                .is_some_and(|level| !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let options = arguments.iter().take_while(|argument| is_option(&argument.text)).count();
    let rest = &arguments[options..];
    let begins =
        |argument: &Argument| argument.text.starts_with('-') || matches!(argument.text.as_str(), "(" | "!" | ",");
    let count = rest.iter().position(begins).unwrap_or(rest.len());
    FindParts { roots: rest[..count].iter().collect(), expression: &rest[count..] }
}

pub(super) fn judge(arguments: &[Argument], scope: &Scope<'_>) -> LookJudgement {
    for argument in arguments {
        match &argument.known {
            Certainty::Unknown(why) => return LookJudgement::Unclear(why.clone()),
            Certainty::Pattern if argument.text.starts_with(paths::PATTERN) => {
                return LookJudgement::Unclear(Unclear::PatternOption(argument.text.clone()));
            }
            Certainty::Literal | Certainty::Pattern => {}
        }
    }
    let parts = parts(arguments);
    let mut expression = parts.expression.iter();
    while let Some(test) = expression.next() {
        let name = test.text.as_str();
        let is_newer = name.len() == 8 && name.starts_with("-newer");
        if !test.is_literal() {
            return LookJudgement::Changes;
        }
        if WITH_VALUE.contains(&name) || is_newer {
            if !expression.next().is_some_and(Argument::is_literal) {
                return LookJudgement::Changes;
            }
        } else if !PLAIN.contains(&name) {
            return LookJudgement::Changes;
        }
    }
    let mut reads = Vec::new();
    for root in &parts.roots {
        paths::add(&mut reads, root, Extent::Itself, scope);
    }
    if parts.roots.is_empty() {
        paths::add_text(&mut reads, ".", Extent::Itself, scope);
    }
    LookJudgement::Looks(reads)
}

/// The command after each `-exec`, `-execdir`, `-ok` and `-okdir`.
pub(super) fn commands(expression: &[Argument]) -> Vec<&[Argument]> {
    let mut found = Vec::new();
    let mut rest = expression;
    while let Some(at) = rest.iter().position(|argument| is_exec(&argument.text)) {
        rest = &rest[at + 1..];
        let end = rest.iter().position(|argument| matches!(argument.text.as_str(), ";" | "+")).unwrap_or(rest.len());
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

fn is_exec(text: &str) -> bool {
    matches!(text, "-exec" | "-execdir" | "-ok" | "-okdir")
}

/// Whether the expression deletes every file that it finds, because nothing narrows them down.
pub(super) fn deletes_everything(expression: &[Argument]) -> bool {
    let removes = |command: &&[Argument]| {
        command.first().is_some_and(|name| matches!(name.text.as_str(), "rm" | "/bin/rm" | "shred"))
    };
    let is_deleting = expression.iter().any(|test| test.text == "-delete") || commands(expression).iter().any(removes);
    let end = expression.iter().position(|test| is_exec(&test.text)).unwrap_or(expression.len());
    let is_narrow = expression[..end].iter().any(|test| {
        let name = test.text.as_str();
        name.starts_with('-') && name != "-delete" && !NOT_NARROWING.contains(&name)
    });
    is_deleting && !is_narrow
}
