//! Subcommands and options that git does not know.

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::rules::{Rule, pattern};
use crate::reflex::typo;
use crate::reflex::world::World;

const GIT: &[&str] = &["git", "hub", "g"];

/// git's commands for users.
const COMMANDS: &[&str] = &[
    "add",
    "am",
    "apply",
    "archive",
    "bisect",
    "blame",
    "branch",
    "bundle",
    "checkout",
    "cherry",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "config",
    "describe",
    "diff",
    "difftool",
    "fetch",
    "format-patch",
    "fsck",
    "gc",
    "grep",
    "gui",
    "help",
    "init",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "maintenance",
    "merge",
    "mergetool",
    "mv",
    "notes",
    "pull",
    "push",
    "range-diff",
    "rebase",
    "reflog",
    "remote",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "shortlog",
    "show",
    "show-ref",
    "sparse-checkout",
    "stash",
    "status",
    "submodule",
    "switch",
    "tag",
    "worktree",
];

/// Subcommands of the commands that have some.
const INNER: &[(&str, &[&str])] = &[
    ("stash", &["apply", "branch", "clear", "create", "drop", "list", "pop", "push", "save", "show", "store"]),
    (
        "remote",
        &["add", "get-url", "prune", "remove", "rename", "rm", "set-branches", "set-head", "set-url", "show", "update"],
    ),
    (
        "bisect",
        &[
            "bad",
            "good",
            "help",
            "log",
            "new",
            "next",
            "old",
            "replay",
            "reset",
            "run",
            "skip",
            "start",
            "terms",
            "view",
            "visualize",
        ],
    ),
    (
        "submodule",
        &[
            "absorbgitdirs",
            "add",
            "deinit",
            "foreach",
            "init",
            "set-branch",
            "set-url",
            "status",
            "summary",
            "sync",
            "update",
        ],
    ),
    ("worktree", &["add", "list", "lock", "move", "prune", "remove", "repair", "unlock"]),
    ("notes", &["add", "append", "copy", "edit", "get-ref", "list", "merge", "prune", "remove", "show"]),
    ("reflog", &["delete", "exists", "expire", "list", "show"]),
    ("config", &["edit", "get", "list", "remove-section", "rename-section", "set", "unset"]),
];

/// Common options of commands that do not list their options after an unknown one.
const OPTIONS: &[(&[&str], &[&str])] = &[
    (
        &["log", "show", "diff", "shortlog", "reflog"],
        &[
            "--abbrev-commit",
            "--all",
            "--author",
            "--cached",
            "--color",
            "--color-words",
            "--decorate",
            "--diff-filter",
            "--first-parent",
            "--follow",
            "--format",
            "--full-history",
            "--graph",
            "--grep",
            "--ignore-all-space",
            "--max-count",
            "--merges",
            "--name-only",
            "--name-status",
            "--no-color",
            "--no-index",
            "--no-merges",
            "--no-pager",
            "--numstat",
            "--oneline",
            "--patch",
            "--pretty",
            "--raw",
            "--reverse",
            "--shortstat",
            "--since",
            "--staged",
            "--stat",
            "--summary",
            "--until",
            "--word-diff",
        ],
    ),
    (
        &["rev-parse", "rev-list"],
        &["--abbrev-ref", "--count", "--git-dir", "--is-inside-work-tree", "--short", "--show-toplevel", "--verify"],
    ),
];

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule { name: "git: a misspelt command", tools: GIT, signs: &["is not a git command"], apply: misspelt },
    Rule {
        name: "git: a misspelt inner command",
        tools: GIT,
        signs: &[
            "usage: git",
            "nknown subcommand",
            "subcommand wasn't specified",
            "unknown command",
            "is not a valid command",
            "You need to start by",
        ],
        apply: misspelt_inner,
    },
    Rule { name: "git lfs: a misspelt command", tools: GIT, signs: &["for \"git-lfs\""], apply: misspelt_lfs },
    Rule { name: "git: one dash for two", tools: GIT, signs: &["with two dashes"], apply: two_dashes },
    Rule {
        name: "git: an unknown option",
        tools: GIT,
        signs: &["unknown option", "unknown switch", "unrecognized argument", "invalid option", "unrecognized option"],
        apply: unknown_option,
    },
    Rule {
        name: "git: an option after a file",
        tools: GIT,
        signs: &["used after filename", "must come before non-option arguments"],
        apply: option_after_file,
    },
    Rule { name: "git: help for an alias", tools: GIT, signs: &["is aliased to"], apply: help_for_alias },
    Rule { name: "git: a zero for a dash", tools: GIT, signs: &[], apply: zero_for_dash },
    Rule { name: "git clone: said twice", tools: GIT, signs: &["Too many arguments"], apply: clone_twice },
    Rule {
        name: "git: a value is missing",
        tools: GIT,
        signs: &["requires a value", "requires an argument"],
        apply: value_missing,
    },
    Rule {
        name: "git config: a key without a section",
        tools: GIT,
        signs: &["does not contain a section"],
        apply: key_without_section,
    },
];

/// git's name for a command that other systems, or common aliases, name differently.
fn habit(wrong: &str) -> Option<&'static str> {
    match wrong {
        "ci" => Some("commit"),
        "co" => Some("checkout"),
        "st" | "stat" => Some("status"),
        "br" => Some("branch"),
        "unstage" => Some("restore --staged"),
        "update" => Some("pull"),
        "amend" => Some("commit --amend"),
        "uncommit" => Some("reset --soft HEAD~1"),
        "last" => Some("log -1 HEAD"),
        "lg" => Some("log --oneline --graph"),
        "delete" | "remove" => Some("rm"),
        "move" | "rename" => Some("mv"),
        "cherrypick" => Some("cherry-pick"),
        "annotate" => Some("blame"),
        _ => None,
    }
}

fn misspelt(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"git: ['‘`](.+?)['’`] is not a git command"))?;
    let wrong = said.get(1).map(|wrong| wrong.as_str()).filter(|wrong| *wrong != case.tool())?;
    let index = case.position(wrong)?;
    let list = case
        .output
        .lines()
        .iter()
        .skip_while(|line| !line.starts_with("The most similar command") && !line.starts_with("Did you mean"));
    let told: Vec<&str> = list.skip(1).map(|line| line.trim()).take_while(|line| !line.is_empty()).collect();
    let mut names = typo::meant(wrong, told.iter().copied());
    names.extend(told.iter().filter(|name| !names.contains(name)).copied().collect::<Vec<_>>());
    let is_told = !names.is_empty();
    if names.is_empty() {
        names = typo::meant(wrong, COMMANDS.iter().copied());
    }
    let cause = format!("git has no command {wrong}");
    if let Some(habit) = habit(wrong) {
        let mut finding =
            Finding::fix(Confidence::Sure, case.with_raw(index, habit), "what git calls it").because(cause);
        for name in &names {
            finding = finding.or(case.with_word(index, name), "near by its letters");
        }
        return Some(finding);
    }
    // `git status-s`, `git push-f`: a blank is missing.
    let glued = COMMANDS
        .iter()
        .filter(|name| wrong.strip_prefix(**name).is_some_and(|rest| rest.starts_with('-') && rest.len() > 1));
    if let Some(name) = glued.max_by_key(|name| name.len()).filter(|_| !is_told) {
        let apart = format!("{name} {}", &wrong[name.len()..]);
        return Some(
            Finding::fix(Confidence::Likely, case.with_raw(index, &apart), "with the missing blank").because(cause),
        );
    }
    let confidence = if is_told { Confidence::Sure } else { Confidence::Likely };
    let mut finding = Finding::cause(confidence, cause);
    for (n, name) in names.iter().take(3).enumerate() {
        let why = if n == 0 { "git's nearest command" } else { "near, too" };
        finding = finding.or(case.with_word(index, name), why);
    }
    Some(finding)
}

fn misspelt_inner(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (at, command) = case.operands().find(|(_, word)| INNER.iter().any(|(name, _)| name == word))?;
    let (wrong_at, wrong) = case.operands().find(|(index, _)| *index > at)?;
    let known = INNER.iter().find(|(name, _)| *name == command)?.1;
    if known.contains(&wrong) {
        return None;
    }
    let cause = format!("git {command} has no command {wrong}");
    let habit = match (command, wrong) {
        ("remote", "delete" | "del") => Some("remove"),
        ("remote", "list" | "ls") => Some("-v"),
        ("stash", "delete" | "remove" | "rm") => Some("drop"),
        ("stash", "ls") => Some("list"),
        ("worktree", "delete" | "rm") => Some("remove"),
        ("worktree" | "config", "ls") => Some("list"),
        _ => typo::nearest(wrong, known.iter().copied()),
    };
    if let Some(meant) = habit {
        return Some(
            Finding::fix(Confidence::Likely, case.with_raw(wrong_at, meant), format!("the nearest of git {command}'s"))
                .because(cause),
        );
    }
    // `git stash some words`: the words were meant as a message.
    (command == "stash" && case.is_alone() && case.operands().all(|(index, _)| index <= at || index >= wrong_at)).then(
        || {
            let words: Vec<&str> =
                case.operands().filter(|(index, _)| *index >= wrong_at).map(|(_, word)| word).collect();
            let last = case.words().len() - 1;
            let from = case.words()[wrong_at].span.start;
            let text = format!("push -m {}", crate::reflex::line::quoted(&words.join(" ")));
            Finding::fix(
                Confidence::Likely,
                case.line.with(from..case.words()[last].span.end, &text),
                "the words as its message",
            )
            .because(cause)
        },
    )
}

fn misspelt_lfs(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r#"unknown command "([^"]+)" for "git-lfs""#))?;
    let index = case.position(said.get(1)?.as_str())?;
    let told =
        case.output.after("Did you mean this").iter().map(|line| line.trim()).take_while(|line| !line.is_empty());
    let names: Vec<&str> = told.collect();
    let mut finding = Finding::cause(Confidence::Sure, format!("git lfs has no command {}", &said[1]));
    for name in &names {
        finding = finding.or(case.with_word(index, name), "git lfs's own suggestion");
    }
    (!names.is_empty()).then_some(finding)
}

fn two_dashes(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"did you mean [`'‘](--[^`'’ ]+)[`'’] \(with two dashes"))?;
    let meant = said.get(1)?.as_str();
    let index = case
        .words()
        .iter()
        .position(|word| word.text == meant[1..] || word.text.starts_with(&format!("{}=", &meant[1..])))?;
    let raw = &case.line.text()[case.words()[index].span.clone()];
    Some(Finding::fix(Confidence::Sure, case.with_raw(index, &format!("-{raw}")), "long options have two dashes"))
}

fn unknown_option(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(
        r"(?:unknown option|unrecognized argument|invalid option|unrecognized option):? ?[`'‘]?(-{0,2}[^\s`'’]+)[`'’]?"
    ))?;
    let wrong = said.get(1)?.as_str();
    let bare = wrong.trim_start_matches('-').split('=').next()?;
    let index = case.words().iter().position(|word| {
        word.text.starts_with('-') && word.text.trim_start_matches('-').split('=').next() == Some(bare)
    })?;
    let word = &case.words()[index];
    let name = word.text.split('=').next()?;
    let (_, command) = case.subcommand()?;
    let mut listed: Vec<String> = Vec::new();
    for found in case.output.lines().iter().flat_map(|line| pattern!(r"--(?:\[no-\])?[a-z][a-z-]+").find_iter(line)) {
        listed.push(found.as_str().replace("[no-]", ""));
        if found.as_str().contains("[no-]") {
            listed.push(found.as_str().replace(['[', ']'], ""));
        }
    }
    let table = OPTIONS
        .iter()
        .filter(|(commands, _)| commands.contains(&command))
        .flat_map(|(_, options)| options.iter().copied());
    let candidates =
        listed.iter().map(String::as_str).filter(|option| *option != wrong && option.trim_start_matches('-') != bare);
    let meant = typo::nearest(name, candidates.chain(table))?;
    let end = word.span.start + name.len();
    let raw = &case.line.text()[word.span.clone()];
    raw.starts_with(name).then(|| {
        Finding::fix(Confidence::Likely, case.line.with(word.span.start..end, meant), "the nearest option")
            .because(format!("git {command} has no option {name}"))
    })
}

fn option_after_file(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said =
        case.output.captures(pattern!(r"(?:bad flag|option) '([^']+)' (?:used after filename|must come before)"))?;
    let option_at = case.position(said.get(1)?.as_str())?;
    let (command_at, _) = case.subcommand()?;
    let (file_at, _) = case.operands().find(|(index, _)| *index > command_at && *index < option_at)?;
    let words = case.words();
    let option = &case.line.text()[words[option_at].span.clone()];
    let before = &case.line.text()[words[file_at].span.start..words[option_at - 1].span.end];
    let text = format!("{option} {before}");
    Some(Finding::fix(
        Confidence::Sure,
        case.line.with(words[file_at].span.start..words[option_at].span.end, &text),
        "options come before files",
    ))
}

fn help_for_alias(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"[`'‘](?:git )?(.+?)['’] is aliased to [`'‘](\S+?)(?: .*)?['’]"))?;
    let index = case.position(said.get(1)?.as_str())?;
    case.has_word(&["help"])
        .then(|| Finding::fix(Confidence::Likely, case.with_word(index, &said[2]), "the command behind the alias"))
}

/// `git branch 0d x`: the zero was meant as a dash, which is the key beside it.
fn zero_for_dash(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (at, _) = case.subcommand().filter(|(_, command)| *command == "branch")?;
    let index = (at + 1..case.words().len()).find(|index| {
        let word = case.words()[*index].text.as_bytes();
        word.len() == 2 && word[0] == b'0' && word[1].is_ascii_alphabetic()
    })?;
    let flag = case.word(index)?.replacen('0', "-", 1);
    Some(Finding::fix(Confidence::Likely, case.with_word(index, &flag), "a dash for the zero"))
}

/// A pasted `git clone` after a typed one.
fn clone_twice(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let words = case.words();
    let second =
        (2..words.len().saturating_sub(1)).find(|at| words[*at].text == "git" && words[*at + 1].text == "clone")?;
    let end = words.get(second + 2)?.span.start;
    Some(Finding::fix(Confidence::Sure, case.line.with(words[second].span.start..end, ""), "git clone once"))
}

fn value_missing(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said =
        case.output.captures(pattern!(r"(?:switch|option) [`'‘](-*[\w-]+)['’`] requires (?:a value|an argument)"))?;
    let name = said[1].trim_start_matches('-');
    let dashes = if name.len() == 1 { "-" } else { "--" };
    Some(Finding::cause(Confidence::Likely, format!("The option {dashes}{name} needs a value.")))
}

fn key_without_section(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"key does not contain a section: (\S+)"))?;
    let key = said.get(1)?.as_str();
    let section = match key {
        "name" | "email" | "signingkey" => "user",
        "editor" | "pager" | "autocrlf" | "filemode" | "excludesfile" => "core",
        "rebase" => "pull",
        "defaultBranch" => "init",
        _ => return None,
    };
    let index = case.position(key)?;
    Some(Finding::fix(Confidence::Sure, case.with_word(index, &format!("{section}.{key}")), "with its section"))
}
