//! Branches and revisions that do not exist, or exist already.

use std::path::Path;

use super::repo::{Repo, counterpart, default_branch, meant_branch};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::near;
use crate::reflex::rules::{Rule, pattern};
use crate::reflex::world::World;

const GIT: &[&str] = &["git"];

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule {
        name: "git: an unknown path or branch",
        tools: GIT,
        signs: &["pathspec", "no such path", "bad source", "does not exist in"],
        apply: unknown_pathspec,
    },
    Rule {
        name: "git: an unknown revision",
        tools: GIT,
        signs: &[
            "unknown revision",
            "bad revision",
            "invalid reference",
            "not something we can merge",
            "is not a commit",
            "invalid upstream",
            "couldn't find remote ref",
            "not a valid object name",
            "Not a valid object name",
            "not a valid ref",
            "unknown revision",
            "no such branch",
            "Needed a single revision",
            "no such ref",
        ],
        apply: unknown_revision,
    },
    Rule { name: "git: a branch exists", tools: GIT, signs: &["already exists"], apply: already_exists },
    Rule {
        name: "git branch: not found",
        tools: GIT,
        signs: &["not found", "no branch named", "No branch named"],
        apply: branch_not_found,
    },
    Rule { name: "git branch: not merged", tools: GIT, signs: &["not fully merged"], apply: not_merged },
    Rule {
        name: "git branch: checked out",
        tools: GIT,
        signs: &["annot delete branch", "annot delete the branch"],
        apply: delete_checked_out,
    },
    Rule {
        name: "git: a branch in another worktree",
        tools: GIT,
        signs: &["is already checked out at", "is already used by worktree"],
        apply: in_another_worktree,
    },
    Rule {
        name: "git switch: not a local branch",
        tools: GIT,
        signs: &["a branch is expected", "A branch is expected"],
        apply: branch_expected,
    },
    Rule {
        name: "git: unrelated histories",
        tools: GIT,
        signs: &["refusing to merge unrelated histories"],
        apply: unrelated,
    },
    Rule { name: "git: no commits", tools: GIT, signs: &["does not have any commits yet"], apply: no_commits },
];

fn unknown_pathspec(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(
        r"(?:pathspec ['‘`](.*?)['’`] did not match any|no such path ['‘`]?([^\s'’`]+)['’`]? in|bad source, source=([^,]+),)"
    ))?;
    let wrong = said.iter().skip(1).flatten().next()?.as_str();
    let index = case.position(wrong)?;
    let (command_at, command) = case.subcommand()?;
    if command == "commit"
        && let Some(finding) = unquoted_message(case, index)
    {
        return Some(finding);
    }
    let exists = world.kind(Path::new(wrong)).is_some();
    if exists && command != "add" {
        let add = format!("git add -- {} &&", crate::reflex::line::quoted(wrong));
        return Some(
            Finding::fix(Confidence::Likely, case.with_before(&add), "adds the file first")
                .because(format!("{wrong} is there, but git does not know it yet.")),
        );
    }
    let cause = format!("git knows neither a file nor a branch {wrong}.");
    let is_switching = command == "checkout" && !case.has_word(&["--", "-b", "-B"]);
    if is_switching {
        let mut finding = Finding::cause(Confidence::Likely, cause);
        let file = near::path(wrong, world);
        if let Some(branch) = meant_branch(wrong, world) {
            finding = finding.or(case.with_word(index, &branch), "the nearest branch");
        } else if let Some(file) = &file {
            finding = finding.or(case.with_word(index, file), "the nearest file");
        }
        let looks_like_file = wrong.contains('.') && file.is_none() && !wrong.contains('/') || wrong.starts_with('-');
        if !looks_like_file && case.operands().count() == 2 {
            finding = finding.or(case.with_inserted(command_at + 1, "-b"), "a new branch of that name");
        }
        return Some(finding);
    }
    let meant = near::path(wrong, world);
    let cause = Finding::cause(Confidence::Likely, format!("git knows no file {wrong} here."));
    Some(match meant {
        Some(meant) => cause.or(case.with_word(index, &meant), "the nearest file"),
        None => cause,
    })
}

/// `git commit -m fix the bug`.
fn unquoted_message(case: &Case<'_>, wrong: usize) -> Option<Finding> {
    let words = case.words();
    let option = words.iter().position(|word| {
        word.text == "--message"
            || word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('m')
    })?;
    let last = words.iter().skip(option + 1).take_while(|word| !word.text.starts_with('-')).count() + option;
    if wrong <= option + 1 || wrong > last {
        return None;
    }
    let span = words[option + 1].span.start..words[last].span.end;
    let message = &case.line.text()[span.clone()];
    // With a quote or an escape in it, the shell has seen other words than these.
    (!message.contains(['\'', '"', '\\', '$', '`', '“', '”', '‘', '’'])).then(|| {
        Finding::fix(Confidence::Sure, case.line.with(span, &format!("\"{message}\"")), "the message in quotes")
            .because("Only the first word was the message; git took the others for files.")
    })
}

fn unknown_revision(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(
        r"(?x) (?:ambiguous\ argument|bad\ revision|invalid\ reference:|invalid\ upstream|[Nn]ot\ a\ valid\ object\ name:?|no\ such\ branch:?|no\ such\ ref:?|not\ a\ valid\ ref:?)\ ['‘`]?([^\s'’`]+)['’`]?
        | (?:merge:|error:)\ (\S+)\ -\ not\ something\ we\ can\ merge
        | couldn't\ find\ remote\ ref\ (\S+)
        | fatal:\ ['‘`]([^'’`]+)['’`]\ is\ not\ a\ commit"
    ))?;
    let wrong = said.iter().skip(1).flatten().next()?.as_str().trim_end_matches(':');
    let index = case.words().iter().position(|word| word.text == wrong);
    let told = case.output.after("Did you mean this").first().map(|line| line.trim()).filter(|line| !line.is_empty());
    let is_empty =
        Repo::find(world).is_some_and(|repo| repo.branches().is_empty() && repo.remote_branches().is_empty());
    let cause = match wrong.split_once(['~', '^', '@']) {
        _ if is_empty => "Nothing was committed here yet.".to_owned(),
        Some((base, _)) if !base.is_empty() => {
            format!("{base} has fewer commits than {wrong} asks for, or there is no {base}.")
        }
        _ => format!("There is no branch, tag or commit {wrong} here."),
    };
    let Some(index) = index else { return Some(Finding::cause(Confidence::Likely, cause)) };
    if let Some(told) = told {
        return Some(
            Finding::fix(Confidence::Sure, case.with_word(index, told), "git's own suggestion").because(cause),
        );
    }
    let (command_at, command) = case.subcommand()?;
    let mut finding = Finding::cause(Confidence::Likely, cause);
    if let Some((from, dots, to)) = range(wrong) {
        let known =
            Repo::find(world).map(|repo| [repo.branches(), repo.remote_branches()].concat()).unwrap_or_default();
        let repaired = |end: &str| {
            if end.is_empty() || known.iter().any(|name| name == end) {
                Some(end.to_owned())
            } else {
                meant_branch(end, world)
            }
        };
        if let (Some(from), Some(to)) = (repaired(from), repaired(to)) {
            finding = finding.or(case.with_word(index, &format!("{from}{dots}{to}")), "the nearest branches");
        }
    } else if let Some(branch) = meant_branch(wrong, world) {
        finding = finding.or(case.with_word(index, &branch), "the nearest branch");
    } else if ["log", "diff", "show", "reset", "restore", "blame"].contains(&command)
        && let Some(file) = near::path(wrong, world)
    {
        finding = finding.or(case.with_word(index, &file), "the nearest file");
    } else if case.output.says("is not a commit and a branch") && wrong.contains('/') {
        finding = finding.or(case.with_before("git fetch &&"), "asks the remote for its branches first");
    }
    if command == "switch" && !case.has_word(&["-c", "--create", "-C", "--detach"]) {
        finding = finding.or(case.with_inserted(command_at + 1, "-c"), "a new branch of that name");
    }
    Some(finding)
}

/// `main..topic`, `main...topic`.
fn range(revision: &str) -> Option<(&str, &str, &str)> {
    let dots = if revision.contains("...") { "..." } else { ".." };
    let (from, to) = revision.split_once(dots)?;
    Some((from, dots, to))
}

fn already_exists(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (command_at, command) = case.subcommand()?;
    if let Some(said) = case.output.captures(pattern!(r"[Aa] branch named ['‘`](.+?)['’`] already exists")) {
        let branch = crate::reflex::line::quoted(&said[1]);
        let verb = if command == "switch" { "switch" } else { "checkout" };
        let words = case.words();
        let span = words[command_at].span.start..words.last()?.span.end;
        return Some(
            Finding::fix(
                Confidence::Likely,
                case.line.with(span, &format!("{verb} {branch}")),
                "to the branch that is there",
            )
            .because(format!("The branch {} already exists.", &said[1])),
        );
    }
    if let Some(said) = case.output.captures(pattern!(r"tag ['‘`](.+?)['’`] already exists")) {
        return Some(Finding::cause(
            Confidence::Likely,
            format!(
                "The tag {} already exists; others may rely on it. `git show {0}` shows where it points.",
                &said[1]
            ),
        ));
    }
    if let Some(said) = case.output.captures(pattern!(r"remote (\S+) already exists")) {
        let add = case.position("add").filter(|_| command == "remote")?;
        return Some(
            Finding::fix(Confidence::Likely, case.with_word(add, "set-url"), "gives the remote this address")
                .because(format!("The remote {} already exists.", &said[1])),
        );
    }
    let said =
        case.output.captures(pattern!(r"destination path ['‘`](.+?)['’`] already exists and is not an empty"))?;
    let directory = crate::reflex::line::quoted(&said[1]);
    (command == "clone").then(|| {
        Finding::fix(Confidence::Guess, format!("cd {directory} && git pull"), "if it is the same repository").because(
            format!(
                "The directory {} already exists and is not empty; give git clone another name as its second argument.",
                &said[1]
            ),
        )
    })
}

fn branch_not_found(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let said =
        case.output.captures(pattern!(r"(?:branch ['‘`](.+?)['’`] not found|o branch named ['‘`](.+?)['’`])"))?;
    let wrong = said.iter().skip(1).flatten().next()?.as_str();
    let index = case.position(wrong)?;
    let cause = Finding::cause(Confidence::Likely, format!("There is no branch {wrong}."));
    let branches = Repo::find(world).map(|repo| repo.branches()).unwrap_or_default();
    let meant = crate::reflex::typo::nearest(wrong, branches.iter().map(String::as_str));
    Some(match meant {
        Some(meant) => cause.or(case.with_word(index, meant), "the nearest branch"),
        None => cause,
    })
}

fn not_merged(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"branch ['‘`](.+?)['’`] is not fully merged"))?;
    Some(Finding::cause(
        Confidence::Sure,
        format!(
            "The branch {0} has commits that are nowhere else: `git log HEAD..{0}` shows them. -D deletes the branch and these commits anyway.",
            &said[1]
        ),
    ))
}

fn delete_checked_out(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"annot delete (?:the )?branch ['‘`](.+?)['’`]"))?;
    let branch = said.get(1)?.as_str();
    if case.output.says("not fully merged") {
        return None;
    }
    let other = default_branch(world).unwrap_or_else(|| "master".to_owned());
    let cause = Finding::cause(
        Confidence::Likely,
        format!("{branch} is checked out, and git does not delete the branch it is on."),
    );
    Some(if other == branch {
        cause
    } else {
        cause.or(case.with_before(&format!("git checkout {other} &&")), "from another branch")
    })
}

fn in_another_worktree(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case
        .output
        .captures(pattern!(r"['‘`](.+?)['’`] is already (?:checked out|used by worktree) at ['‘`](.+?)['’`]"))?;
    let place = crate::reflex::line::quoted(&said[2]);
    Some(
        Finding::fix(Confidence::Likely, format!("cd {place}"), "to the worktree that has it")
            .because(format!("{} is checked out in another worktree, {}.", &said[1], &said[2])),
    )
}

fn branch_expected(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"[Aa] branch is expected, got (.+) ['‘`](.+?)['’`]"))?;
    let (kind, name) = (said.get(1)?.as_str(), said.get(2)?.as_str());
    let (command_at, _) = case.subcommand()?;
    let index = case.position(name)?;
    let detached = case.with_inserted(command_at + 1, "--detach");
    Some(
        match name.split_once('/').filter(|_| kind == "remote branch") {
            Some((_, local)) => {
                Finding::fix(Confidence::Likely, case.with_word(index, local), "a local branch that follows it")
                    .or(detached, "that commit, on no branch")
            }
            None => Finding::fix(Confidence::Likely, detached, "that commit, on no branch"),
        }
        .because(format!("{name} is not a local branch but a {kind}.")),
    )
}

fn unrelated(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(
            Confidence::Likely,
            case.with_inserted(usize::MAX, "--allow-unrelated-histories"),
            "if both are meant to become one",
        )
        .because(
            "The two have no commit in common: the repository may be the wrong one, or one side was started again.",
        ),
    )
}

fn no_commits(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let branch = case.output.between("branch '", "'").map(counterpart).is_some();
    Some(Finding::cause(
        Confidence::Likely,
        if branch {
            "Nothing was committed on this branch yet, so there is nothing to show."
        } else {
            "Nothing was committed yet."
        },
    ))
}
