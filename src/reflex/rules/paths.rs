//! Files and directories that do not exist, or are of another kind than expected.

use super::{Rule, pattern};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line::quoted;
use crate::reflex::near;
use crate::reflex::world::{FileKind, World};
use crate::text::shell::Redirection;

/// Messages of tools about a missing path.
const MISSING: &[&str] = &[
    "o such file or directory",
    "NO SUCH FILE",
    "does not exist",
    "can't cd to",
    "cannot find",
    "Can't open",
    "file not found",
    "File not found",
];

pub(super) const RULES: &[Rule] = &[
    Rule { name: "cd: no such directory", tools: &["cd", "pushd"], signs: MISSING, apply: cd_missing },
    Rule { name: "cd: not a directory", tools: &["cd", "pushd"], signs: &["ot a directory"], apply: cd_to_file },
    Rule {
        name: "cd: too many arguments",
        tools: &["cd", "pushd"],
        signs: &["too many arguments", "Too many args", "string not in pwd"],
        apply: cd_blanks,
    },
    Rule { name: "mkdir: no parent", tools: &["mkdir"], signs: MISSING, apply: mkdir_parents },
    Rule { name: "mkdir: exists", tools: &["mkdir"], signs: &["File exists", "exists"], apply: mkdir_exists },
    Rule { name: "a destination without its directory", tools: &[], signs: MISSING, apply: missing_destination },
    Rule {
        name: "cp, mv: no such target",
        tools: &["cp", "mv", "install", "ln"],
        signs: &["is not a directory", "Not a directory", "target '"],
        apply: missing_target,
    },
    Rule { name: "a path that is not there", tools: &[], signs: MISSING, apply: missing_path },
    Rule {
        name: "a directory, not a file",
        tools: &["cat", "less", "more", "head", "tail", "bat", "batcat", "nano", "tac", "nl"],
        signs: &["s a directory"],
        apply: reading_directory,
    },
    Rule { name: "rm: a directory", tools: &["rm"], signs: &["s a directory", "Is a directory"], apply: rm_directory },
    Rule {
        name: "rmdir: refused",
        tools: &["rmdir"],
        signs: &["irectory not empty", "ot a directory"],
        apply: rmdir_refused,
    },
    Rule { name: "rm: the root", tools: &["rm"], signs: &["--no-preserve-root"], apply: rm_root },
    Rule {
        name: "cp: a directory",
        tools: &["cp", "scp", "rsync", "docker"],
        signs: &["omitting directory", "is a directory (not copied)", "not a regular file", "skipping directory"],
        apply: copy_directory,
    },
    Rule { name: "a file with a slash behind it", tools: &[], signs: &["Not a directory"], apply: file_with_slash },
    Rule {
        name: "a directory run as a command",
        tools: &[],
        signs: &["s a directory", "ermission denied"],
        apply: directory_run,
    },
    Rule {
        name: "the same file",
        tools: &["cp", "mv"],
        signs: &["are the same file", "are identical", "subdirectory of itself", "into itself"],
        apply: onto_itself,
    },
    Rule { name: "mv: not empty", tools: &["mv"], signs: &["Directory not empty"], apply: mv_not_empty },
    Rule {
        name: "links in a circle",
        tools: &[],
        signs: &["oo many levels of symbolic links", "oo many symbolic links"],
        apply: link_circle,
    },
    Rule {
        name: "a name too long",
        tools: &[],
        signs: &["File name too long", "file name too long"],
        apply: long_name,
    },
];

fn cd_missing(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    if case.output.says("OLDPWD") || case.output.says("HOME not set") {
        return None;
    }
    let (index, typed) = case.operands().next()?;
    if typed.starts_with("~") && !typed.contains('/') && typed.len() > 1 {
        return None;
    }
    let cause = format!("There is no directory {typed}.");
    let mkdir = case.line.with(
        case.words()[0].span.start..case.words()[index].span.end,
        &format!("mkdir -p {raw} && {0} {raw}", case.tool(), raw = case.raw(index)),
    );
    let is_plain = index == 1 && case.operands().count() == 1;
    if let Some(near) = near::directory(typed, world) {
        let finding =
            Finding::fix(Confidence::Likely, with_path(case, index, &near), "the nearest directory").because(cause);
        return Some(if is_plain { finding.or(mkdir, "makes it first") } else { finding });
    }
    if world.kind(&near::expanded(typed, world)).is_some() {
        return None;
    }
    let finding = Finding::cause(Confidence::Guess, cause);
    Some(if is_plain { finding.or(mkdir, "makes it first") } else { finding })
}

/// The line with a path in place of a word. `~` must not be quoted.
fn with_path(case: &Case<'_>, index: usize, path: &str) -> String {
    match path.strip_prefix("~/") {
        Some(rest) => case.with_raw(index, &format!("~/{}", quoted(rest))),
        None => case.with_word(index, path),
    }
}

fn cd_to_file(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let (index, typed) = case.operands().next()?;
    let cause = format!("{typed} is a file; cd needs a directory.");
    if let Some((directory, _)) =
        typed.trim_end_matches('/').rsplit_once('/').filter(|(directory, _)| !directory.is_empty())
    {
        return Some(
            Finding::fix(Confidence::Likely, with_path(case, index, directory), "the directory it is in")
                .because(cause),
        );
    }
    let near = near::directory(typed, world);
    let finding = Finding::cause(Confidence::Likely, cause);
    Some(match near {
        Some(near) => finding.or(with_path(case, index, &near), "the nearest directory"),
        None => finding,
    })
}

/// `cd My Documents`.
fn cd_blanks(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let operands: Vec<(usize, &str)> = case.operands().collect();
    let (first, last) = (operands.first()?, operands.last()?);
    if operands.len() < 2 {
        return None;
    }
    let joined = operands.iter().map(|(_, word)| *word).collect::<Vec<_>>().join(" ");
    let span = case.words()[first.0].span.start..case.words()[last.0].span.end;
    let cause = "cd takes one directory; a name with blanks needs quotes.";
    if near::exists(&joined, world) || !operands.iter().any(|(_, word)| near::exists(word, world)) {
        return Some(
            Finding::fix(Confidence::Likely, case.line.with(span, &quoted(&joined)), "one name, in quotes")
                .because(cause),
        );
    }
    let only = operands.iter().find(|(_, word)| near::exists(word, world))?;
    Some(Finding::fix(Confidence::Guess, case.line.with(span, &quoted(only.1)), "the one that is there").because(cause))
}

fn mkdir_parents(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if case.words().iter().any(|word| {
        word.text == "--parents"
            || word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('p')
    }) {
        return None;
    }
    let deep = case.operands().any(|(_, word)| word.trim_end_matches('/').contains('/'));
    (deep || case.output.says("annot create directory")).then(|| {
        Finding::fix(Confidence::Sure, case.with_inserted(1, "-p"), "makes the directories above it, too")
            .because("A parent directory of the new one does not exist.")
    })
}

fn mkdir_exists(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let (_, name) =
        case.operands().find(|(_, word)| case.output.line_with("xists").is_some_and(|line| line.contains(word)))?;
    let what = match world.kind(&near::expanded(name, world)) {
        Some(FileKind::File | FileKind::Program) => "a file of that name is there",
        Some(FileKind::Directory) | None => "it is there already",
    };
    Some(Finding::cause(Confidence::Likely, format!("{name} cannot be made: {what}.")))
}

/// The path that an error message names: the position and the text of the typed word, and the line of the output.
fn missing_word<'a, 'c>(case: &'c Case<'a>) -> Option<(usize, &'c str, &'a str)> {
    let says_missing = |line: &&&str| MISSING.iter().any(|words| line.contains(words));
    let lines: Vec<&str> = case.output.lines().iter().filter(says_missing).take(20).copied().collect();
    let operands: Vec<(usize, &str)> = case.operands().collect();
    lines.iter().find_map(|line| {
        let longest = operands.iter().filter(|(_, word)| names(line, word)).max_by_key(|(_, word)| word.len());
        longest.map(|(index, word)| (*index, *word, *line))
    })
}

/// Whether a line names a path: as a whole word, or as the end of an absolute path.
fn names(line: &str, path: &str) -> bool {
    let bare = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && !"_-.".contains(c));
    !bare.is_empty()
        && line.match_indices(bare).any(|(at, _)| {
            is_edge(line[..at].chars().next_back())
                && is_edge(line[at + bare.len()..].trim_start_matches('/').chars().next().filter(|c| *c != '.'))
        })
}

/// The directory of a file to be written does not exist: `cp a b/c`, `touch a/b`, `> a/b`.
fn missing_destination(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let tool = case.tool();
    if !["cp", "mv", "touch", "tee", "ln", "install", "scp"].contains(&tool) {
        return redirected(case, world);
    }
    let said = case.output.captures(pattern!(
        r#"(?x)
        (?:cannot\ move\ .+\ to|rename\ .+\ to|cannot\ create\ (?:regular\ file|directory|symbolic\ link|hard\ link)|failed\ to\ create\ (?:symbolic|hard)\ link|cannot\ touch|setting\ times\ of|target(?:\ directory)?|cannot\ create\ link|cannot\ stat)\ [`'‘"]?(.+?)[`'’"]?:?\ ?(?:=>.*|->.*|to\ .*)?:\ (?:No\ such\ file|Not\ a\ directory)
        | ^(?:cp|mv):\ directory\ (.+?)\ does\ not\ exist
        | ^(?:touch|tee):\ ([^\s'‘]+?):\ No\ such\ file
        "#
    ));
    let by_tool = said.as_ref().and_then(|said| said.iter().skip(1).flatten().next()).map(|found| found.as_str());
    let is_destination = !case.output.says("cannot stat");
    if let Some(path) = by_tool.filter(|_| is_destination) {
        let operands: Vec<(usize, &str)> = case.operands().collect();
        let (index, typed) = *operands
            .iter()
            .rev()
            .find(|(_, word)| word.trim_end_matches('/') == path || path.starts_with(word) || word.ends_with(path))?;
        let last = operands.last()?;
        if ["cp", "mv", "ln", "install"].contains(&tool) && index != last.0 {
            return None;
        }
        let names_directory = typed.ends_with('/')
            || case.output.says("directory") && case.output.says("does not exist")
            || case.output.says("target '")
            || operands.len() > 2 && ["cp", "mv"].contains(&tool);
        return make_directory(case, index, typed, names_directory, world);
    }
    // BSD's tools name only the destination.
    if ["cp", "mv", "ln"].contains(&tool) && by_tool.is_none() {
        let operands: Vec<(usize, &str)> = case.operands().collect();
        let (index, typed) = *operands.last()?;
        let (_, source) = *operands.first()?;
        let line = case.output.line_with("No such file or directory")?;
        if operands.len() > 1 && line.contains(&format!("{typed}: No such file")) && !line.contains(source) {
            return make_directory(case, index, typed, typed.ends_with('/'), world);
        }
        return None;
    }
    redirected(case, world)
}

/// `> a/b/c` without a directory `a/b`.
fn redirected(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let line = case.output.lines().iter().find(|line| MISSING.iter().any(|words| line.contains(words)))?;
    let writes = |found: &&Redirection| found.kind.writes();
    let target = &case.redirections().iter().find(writes)?.target.text;
    let parent = target.rsplit_once('/')?.0;
    if parent.is_empty() || !line.contains(target) && !line.contains(parent) || near::exists(parent, world) {
        return None;
    }
    Some(
        Finding::fix(
            Confidence::Likely,
            case.with_before(&format!("mkdir -p {} &&", quoted(parent))),
            "makes the directory first",
        )
        .because(format!("The directory {parent} does not exist.")),
    )
}

fn make_directory(
    case: &Case<'_>,
    index: usize,
    typed: &str,
    names_directory: bool,
    world: &dyn World,
) -> Option<Finding> {
    let parent = if names_directory { typed.trim_end_matches('/') } else { typed.rsplit_once('/')?.0 };
    if parent.is_empty() || near::exists(parent, world) {
        return None;
    }
    let cause = format!("The directory {parent} does not exist.");
    let shown = if names_directory && case.output.says(" does not exist") {
        case.raw(index).to_owned()
    } else if case.raw(index) == typed && !typed.starts_with('~') {
        quoted(parent)
    } else {
        case.raw(index)[..case.raw(index).len().min(parent.len())].to_owned()
    };
    let make = case.with_before(&format!("mkdir -p {shown} &&"));
    let finding = match near::directory(parent, world) {
        Some(near) if near.contains(|c: char| c.is_alphabetic()) => {
            let fixed = with_path(case, index, &format!("{near}{}", &typed[parent.len()..]));
            Finding::fix(Confidence::Likely, fixed, "the nearest directory").or(make, "makes the directory first")
        }
        _ => Finding::fix(Confidence::Likely, make, "makes the directory first"),
    };
    Some(finding.because(cause))
}

/// `cp a b new-directory`.
fn missing_target(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r#"(?:target:? [`'‘"]?(.+?)[`'’"]?:? (?:is not a directory|No such file|Not a directory)|target [`'‘"]?(.+?)[`'’"]?: |^(?:cp|mv|ln): (\S+) is not a directory|to [`'‘](.+?/)['’]: Not a directory|regular file [`'‘](.+?/)['’]: Not a directory)"#))?;
    let path = said.iter().skip(1).flatten().next()?.as_str();
    let (index, typed) =
        case.operands().filter(|(_, word)| word.trim_end_matches('/') == path.trim_end_matches('/')).last()?;
    match world.kind(&near::expanded(typed, world)) {
        None => make_directory(case, index, typed, true, world),
        Some(_) => Some(Finding::cause(
            Confidence::Likely,
            format!("{typed} is a file, and several things can only go into a directory."),
        )),
    }
}

fn missing_path(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    if ["cd", "pushd", "mkdir", "touch", "git", "z"].contains(&case.tool()) {
        return None;
    }
    let (index, typed) = match missing_word(case) {
        Some((index, typed, _)) => (index, typed),
        None => run_from_path(case)?,
    };
    if world.kind(&near::expanded(typed, world)).is_some() {
        return sourced_here(case, index, typed);
    }
    let near = near::path(typed, world)?;
    let kind =
        if world.kind(&near::expanded(&near, world)) == Some(FileKind::Directory) { "directory" } else { "file" };
    Some(
        Finding::fix(Confidence::Likely, with_path(case, index, &near), format!("the nearest {kind}"))
            .because(format!("There is no {typed}, but there is {near}.")),
    )
}

/// `./biuld.sh`: the command itself is the path.
fn run_from_path<'c>(case: &'c Case<'_>) -> Option<(usize, &'c str)> {
    let name = case.word(0)?;
    let line = case
        .output
        .lines()
        .iter()
        .find(|line| line.contains("o such file or directory") || line.contains("not found"))?;
    (name.contains('/') && !name.contains("://") && line.contains(name)).then_some((0, name))
}

/// `. env.sh` searches PATH.
fn sourced_here(case: &Case<'_>, index: usize, typed: &str) -> Option<Finding> {
    ([".", "source"].contains(&case.tool()) && !typed.contains('/')).then(|| {
        Finding::fix(
            Confidence::Likely,
            case.with_raw(index, &format!("./{}", case.raw(index))),
            "the file in this directory",
        )
        .because(format!("Without a slash {} searches for it on PATH.", case.tool()))
    })
}

fn reading_directory(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let line = case.output.lines().iter().find(|line| line.contains("s a directory"))?;
    let (_, directory) = case.operands().find(|(_, word)| names(line, word))?;
    let span = case.words()[0].span.start..case.words()[0].span.end;
    let has_options = case.words().iter().skip(1).any(|word| word.text.starts_with('-'));
    let command =
        if has_options { case.with_command(&format!("ls {}", quoted(directory))) } else { case.line.with(span, "ls") };
    Some(
        Finding::fix(Confidence::Likely, command, "lists it")
            .because(format!("{directory} is a directory; {} reads files.", case.tool())),
    )
}

fn rm_directory(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Likely, case.with_inserted(1, "-r"), "removes the directory and all that is in it")
            .because("It is a directory; rm alone removes files."),
    )
}

fn rmdir_refused(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let cause = if case.output.says("irectory not empty") {
        "The directory is not empty, and rmdir removes only empty ones. Look at what is in it (`ls -A`) before you remove it with its contents."
    } else {
        "It is a file; rmdir removes directories."
    };
    Some(Finding::cause(Confidence::Likely, cause))
}

fn rm_root(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(
        Confidence::Sure,
        "That would have removed everything on this machine. rm refused, and nothing was removed.",
    ))
}

fn copy_directory(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if case.tool() == "docker" || case.tool() == "scp" && !case.output.says("not a regular file") {
        return None;
    }
    let option = if case.tool() == "rsync" { "-a" } else { "-r" };
    Some(
        Finding::fix(Confidence::Sure, case.with_inserted(1, option), "with all that is in the directory")
            .because("It is a directory, and only files are copied without that option."),
    )
}

fn file_with_slash(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let line = case.output.line_with("Not a directory")?;
    let (index, typed) =
        case.operands().find(|(_, word)| word.ends_with('/') && line.contains(word.trim_end_matches('/')))?;
    let bare = typed.trim_end_matches('/');
    matches!(world.kind(&near::expanded(bare, world)), Some(FileKind::File | FileKind::Program)).then(|| {
        Finding::fix(Confidence::Likely, with_path(case, index, bare), "without the slash")
            .because(format!("{bare} is a file."))
    })
}

/// The name of a directory, alone on the line.
fn directory_run(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let name = case.word(0)?;
    let is_directory = case.output.lines().iter().any(|line| line.contains("s a directory") && names(line, name))
        || world.kind(&near::expanded(name, world)) == Some(FileKind::Directory);
    (is_directory && case.words().len() == 1 && name.contains('/')
        || is_directory && case.output.says(&format!(": {name}: Is a directory")))
    .then(|| {
        Finding::fix(Confidence::Sure, case.with_inserted(0, "cd"), "into the directory")
            .because(format!("{name} is a directory, not a program."))
    })
}

fn onto_itself(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(
        Confidence::Likely,
        "Source and destination are the same, or one is inside the other: nothing was done.",
    ))
}

fn mv_not_empty(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (_, target) = case.operands().last()?;
    Some(Finding::cause(
        Confidence::Likely,
        format!("{target} has a directory of that name already, with something in it; mv does not mix the two."),
    ))
}

fn link_circle(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(
        Confidence::Likely,
        "Symbolic links point at each other in a circle: `ls -l` shows where each one leads.",
    ))
}

fn long_name(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let longest = case.operands().map(|(_, word)| word.len()).max()?;
    let quote = if longest > 255 { " Perhaps text was given where a file's name belongs." } else { "" };
    Some(Finding::cause(Confidence::Likely, format!("A file's name may have 255 bytes, a path 4096.{quote}")))
}
