//! Local changes that block a command: uncommitted, untracked, staged, or in an unfinished merge.

use super::repo::Repo;
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line::quoted;
use crate::reflex::rules::{Rule, pattern};
use crate::reflex::world::{FileKind, World};

const GIT: &[&str] = &["git"];

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule {
        name: "git diff: outside of a repository",
        tools: GIT,
        signs: &["Use --no-index to compare"],
        apply: diff_without_repository,
    },
    Rule { name: "hg: a git repository", tools: &["hg"], signs: &["no repository found"], apply: not_of_mercurial },
    Rule {
        name: "git stash pop: changes in the way",
        tools: GIT,
        signs: &["would be overwritten by merge"],
        apply: stash_pop,
    },
    Rule {
        name: "git: uncommitted changes in the way",
        tools: GIT,
        signs: &[
            "or stash them",
            "You have unstaged changes",
            "contains uncommitted changes",
            "would be overwritten by",
        ],
        apply: uncommitted,
    },
    Rule {
        name: "git commit: nothing staged",
        tools: GIT,
        signs: &["no changes added to commit", "nothing added to commit"],
        apply: nothing_staged,
    },
    Rule { name: "git commit: nothing changed", tools: GIT, signs: &["nothing to commit"], apply: nothing_changed },
    Rule {
        name: "git add: nothing named",
        tools: GIT,
        signs: &["Nothing specified, nothing added"],
        apply: nothing_named,
    },
    Rule { name: "git add: ignored", tools: GIT, signs: &["are ignored by one of your .gitignore"], apply: ignored },
    Rule { name: "git rm: changed files", tools: GIT, signs: &["use --cached to keep the file"], apply: rm_changed },
    Rule { name: "git rm: a directory", tools: GIT, signs: &["recursively without -r"], apply: rm_directory },
    Rule {
        name: "git: a rebase under way",
        tools: GIT,
        signs: &["already a rebase-merge directory", "already a rebase-apply directory"],
        apply: rebase_under_way,
    },
    Rule {
        name: "git rebase: no changes left",
        tools: GIT,
        signs: &["did you forget to use 'git add'"],
        apply: no_changes_left,
    },
    Rule {
        name: "git: nothing under way",
        tools: GIT,
        signs: &["in progress", "MERGE_HEAD missing"],
        apply: nothing_under_way,
    },
    Rule {
        name: "git: a merge under way",
        tools: GIT,
        signs: &["MERGE_HEAD exists", "not concluded your"],
        apply: merge_under_way,
    },
    Rule {
        name: "git: unmerged files",
        tools: GIT,
        signs: &["unmerged files", "Unmerged files", "you need to resolve your current index first"],
        apply: unmerged,
    },
    Rule { name: "git: conflicts", tools: GIT, signs: &["CONFLICT ("], apply: conflicts },
    Rule {
        name: "git: a partial commit in a merge",
        tools: GIT,
        signs: &["cannot do a partial commit"],
        apply: partial_commit,
    },
    Rule { name: "git: not a repository", tools: GIT, signs: &["ot a git repository"], apply: not_a_repository },
    Rule {
        name: "git: an owner git does not trust",
        tools: GIT,
        signs: &["dubious ownership", "unsafe repository"],
        apply: dubious_owner,
    },
    Rule {
        name: "git: who commits",
        tools: GIT,
        signs: &["tell me who you are", "unable to auto-detect email", "empty ident name"],
        apply: who_commits,
    },
    Rule { name: "git: a lock is left", tools: GIT, signs: &[".lock': File exists", "index.lock"], apply: lock_left },
    Rule { name: "git: an empty message", tools: GIT, signs: &["empty commit message"], apply: empty_message },
    Rule {
        name: "git mv: not under version control",
        tools: GIT,
        signs: &["not under version control"],
        apply: not_tracked,
    },
    Rule { name: "git stash: none", tools: GIT, signs: &["No stash entries found", "No stash found"], apply: no_stash },
    Rule { name: "git: a hook refused", tools: GIT, signs: &["hook declined", "husky -"], apply: hook_refused },
];

fn diff_without_repository(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let diff = case.position("diff").filter(|diff| case.operands().filter(|(index, _)| index > diff).count() == 2)?;
    Some(Finding::fix(Confidence::Sure, case.with_inserted(diff + 1, "--no-index"), "compares two paths anywhere"))
}

fn stash_pop(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    (case.has_word(&["stash"]) && case.has_word(&["pop", "apply"])).then(|| {
        Finding::fix(
            Confidence::Sure,
            case.line.with(part(case), &format!("git add --update && {} && git reset .", case.part_text())),
            "stages your changes so that git can merge the stash into them",
        )
        .because("The stash would overwrite changes in files that it contains.")
    })
}

fn part(case: &Case<'_>) -> std::ops::Range<usize> {
    let start = case.part_text().as_ptr() as usize - case.line.text().as_ptr() as usize;
    start..start + case.part_text().len()
}

fn uncommitted(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if case.has_word(&["stash"]) {
        return None;
    }
    let is_untracked = case.output.says("untracked working tree files");
    let stash = if is_untracked { "git stash --include-untracked" } else { "git stash" };
    let cause = if is_untracked {
        "Files that git does not track are in the way."
    } else {
        "Files that this would change have uncommitted changes."
    };
    let back = case.line.with(part(case), &format!("{stash} && {} && git stash pop", case.part_text()));
    let keep = case.with_before(&format!("{stash} &&"));
    Some(
        if case.has_word(&["pull"]) && !is_untracked {
            Finding::fix(Confidence::Likely, back, "puts your changes aside and brings them back")
                .or(keep, "puts your changes aside")
        } else {
            Finding::fix(Confidence::Likely, keep, "puts your changes aside; `git stash pop` brings them back")
                .or(back, "puts your changes aside and brings them back")
        }
        .because(cause),
    )
}

fn nothing_staged(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let commit = case.position("commit")?;
    if case.output.says("nothing added to commit but untracked") {
        return Some(
            Finding::fix(Confidence::Likely, case.with_before("git add -A &&"), "adds every file that is not ignored")
                .because("There are only files that git does not track yet; `git add` adds them."),
        );
    }
    if case.words().iter().any(|word| word.text == "-a" || word.text == "--all") {
        return None;
    }
    Some(
        Finding::fix(Confidence::Likely, case.with_inserted(commit + 1, "-a"), "commits all changed files")
            .or(case.with_inserted(commit + 1, "-p"), "asks about each change")
            .because("Files were changed, but none of the changes is staged."),
    )
}

fn nothing_changed(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    case.has_word(&["commit"]).then(|| Finding::cause(Confidence::Likely, "Nothing was changed since the last commit."))
}

fn nothing_named(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let add = case.position("add")?;
    Some(Finding::fix(
        Confidence::Likely,
        case.with_inserted(add + 1, "."),
        "all that was changed below this directory",
    ))
}

fn ignored(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let path = case.output.after("are ignored by one of").first().map_or("", |line| line.trim());
    Some(Finding::cause(
        Confidence::Likely,
        format!(
            "A .gitignore leaves {} out: `git check-ignore -v {0}` shows which line. -f adds it all the same.",
            quoted(path)
        ),
    ))
}

fn rm_changed(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let rm = case.position("rm")?;
    Some(
        Finding::fix(Confidence::Likely, case.with_inserted(rm + 1, "--cached"), "git forgets it, the file stays")
            .because("The file has changes that are not committed; removing it would lose them."),
    )
}

fn rm_directory(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let rm = case.position("rm")?;
    Some(Finding::fix(Confidence::Likely, case.with_inserted(rm + 1, "-r"), "a directory and what git has in it"))
}

fn rebase_under_way(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::cause(Confidence::Likely, "A rebase is still in progress.")
            .or(case.with_command("git rebase --continue"), "goes on with it, once conflicts are resolved")
            .or(case.with_command("git rebase --abort"), "back to before it")
            .or(case.with_command("git rebase --skip"), "without the commit it stopped at"),
    )
}

fn no_changes_left(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let command = if case.has_word(&["cherry-pick"]) {
        "git cherry-pick --skip"
    } else if case.has_word(&["am"]) {
        "git am --skip"
    } else {
        "git rebase --skip"
    };
    Some(
        Finding::fix(Confidence::Likely, case.with_command(command), "the commit has nothing left to add")
            .because("After the conflicts were resolved nothing of this commit is left, or its files were not added."),
    )
}

fn nothing_under_way(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let said = case.output.lines().iter().take(20).map(|line| line.to_lowercase()).collect::<String>();
    if ![
        "no rebase in progress",
        "no cherry-pick or revert in progress",
        "no cherry-pick in progress",
        "there is no merge",
        "no merge in progress",
        "merge_head missing",
        "resolve operation not in progress",
    ]
    .iter()
    .any(|words| said.contains(words))
    {
        return None;
    }
    let verb = case
        .words()
        .iter()
        .map(|word| word.text.as_str())
        .find(|word| ["--continue", "--abort", "--skip", "--quit"].contains(word))?;
    let repo = Repo::find(world);
    let under_way = repo.as_ref().and_then(|repo| {
        [
            ("MERGE_HEAD", "merge"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
            ("rebase-merge", "rebase"),
            ("rebase-apply", "rebase"),
        ]
        .into_iter()
        .find(|(name, _)| repo.has(name))
    });
    Some(match under_way {
        Some((_, command)) => Finding::fix(
            Confidence::Sure,
            case.with_command(&format!("git {command} {verb}")),
            format!("a {command} is what is under way"),
        ),
        None => Finding::cause(Confidence::Likely, "Nothing of that kind is in progress here."),
    })
}

fn merge_under_way(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_pick = case.output.says("cherry-pick");
    let (end, abort) = if is_pick {
        ("git cherry-pick --continue", "git cherry-pick --abort")
    } else {
        ("git commit --no-edit", "git merge --abort")
    };
    Some(
        Finding::cause(Confidence::Likely, "An earlier merge was not concluded.")
            .or(case.with_command(end), "concludes it, once conflicts are resolved")
            .or(case.with_command(abort), "back to before it"),
    )
}

fn unmerged(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(
        Confidence::Likely,
        format!(
            "Files still have conflicts{}: edit them, then `git add` each.",
            files_after(case, "nmerged paths").unwrap_or_default()
        ),
    ))
}

fn files_after(case: &Case<'_>, words: &str) -> Option<String> {
    let line = case.output.after(words).iter().find(|line| line.contains(':'))?;
    Some(format!(" ({})", line.trim()))
}

fn conflicts(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let mut files: Vec<&str> = Vec::new();
    for line in case.output.lines().iter().filter(|line| line.starts_with("CONFLICT (")) {
        if let Some((_, file)) = line.rsplit_once(" in ").or_else(|| line.split_once("): ")) {
            files.push(file.trim_end_matches('.'));
        }
    }
    files.truncate(5);
    let end = if case.has_word(&["rebase"]) || case.output.says("git rebase --continue") {
        "git rebase --continue"
    } else if case.has_word(&["cherry-pick"]) {
        "git cherry-pick --continue"
    } else {
        "git commit"
    };
    Some(Finding::cause(
        Confidence::Sure,
        format!("Both sides changed the same lines: {}. Edit them, `git add` them, then `{end}`.", files.join(", ")),
    ))
}

fn partial_commit(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let commit = case.position("commit")?;
    let mut options = case.words()[commit..].iter();
    let is_message = options.any(|word| word.text == "-m" || word.text == "--message");
    let cause = "A merge is committed as a whole, not file by file.";
    Some(if is_message {
        Finding::cause(Confidence::Likely, cause)
    } else {
        Finding::fix(Confidence::Likely, case.with_command("git commit"), "the whole merge").because(cause)
    })
}

/// `hg log` in a git repository.
fn not_of_mercurial(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    Repo::find(world)?;
    Some(
        Finding::fix(Confidence::Likely, case.with_word(0, "git"), "this is a repository of git")
            .because("This is a git repository, not a Mercurial one."),
    )
}

fn not_a_repository(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let other = [(".hg", "hg"), (".svn", "svn"), (".jj", "jj")]
        .into_iter()
        .find(|(directory, _)| world.kind(std::path::Path::new(directory)) == Some(FileKind::Directory));
    if let Some((_, tool)) = other {
        return Some(
            Finding::fix(Confidence::Likely, case.with_word(0, tool), format!("this is a repository of {tool}"))
                .because(format!("This is a {tool} repository, not a git one.")),
        );
    }
    let (index, command) = case.subcommand()?;
    let cause = "Neither this directory nor one above it is a git repository.";
    let has_address = case.operands().any(|(_, word)| word.contains("://") || word.starts_with("git@"));
    if command == "pull" && has_address {
        return Some(
            Finding::fix(Confidence::Likely, case.with_word(index, "clone"), "a new copy of that repository")
                .because(cause),
        );
    }
    let mut below =
        world.entries(std::path::Path::new("")).into_iter().filter(|entry| entry.kind == FileKind::Directory).take(200);
    let mut inside =
        below.by_ref().filter(|entry| world.kind(&std::path::Path::new(&entry.name).join(".git")).is_some());
    if let (Some(only), None) = (inside.next(), inside.next()) {
        let command = case.with_before(&format!("cd {} &&", quoted(&only.name)));
        return Some(Finding::fix(Confidence::Likely, command, "the repository below this directory").because(cause));
    }
    let begins = ["add", "commit", "remote", "branch"].contains(&command);
    let finding = Finding::cause(Confidence::Likely, cause);
    Some(if begins {
        finding.or(case.with_before("git init &&"), "makes one here, if that was meant")
    } else {
        finding
    })
}

fn dubious_owner(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let advice = case
        .output
        .lines()
        .iter()
        .map(|line| line.trim())
        .find(|line| line.starts_with("git config --global --add safe.directory "))?;
    Some(
        Finding::fix(Confidence::Sure, case.with_before(&format!("{advice} &&")), "if you trust what is in it")
            .because("The directory belongs to another user, and git does not trust repositories of other users."),
    )
}

fn who_commits(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::cause(Confidence::Sure, "git does not know your name and address yet, and every commit bears them.")
            .or("git config --global user.email \"you@example.com\"", "with your own address")
            .or("git config --global user.name \"Your Name\"", "with your own name"),
    )
}

fn lock_left(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"['‘`]([^'’`]+\.lock)['’`]: File exists"))?;
    Some(Finding::cause(
        Confidence::Sure,
        format!(
            "Another git is running here, or one was killed: if none is running (`pgrep -a git`), you can remove the file {}.",
            &said[1]
        ),
    ))
}

fn empty_message(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(Confidence::Likely, "The message was left empty, so nothing was committed."))
}

fn not_tracked(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let mv = case.position("mv")?;
    let span = case.words()[0].span.start..case.words()[mv].span.end;
    Some(
        Finding::fix(Confidence::Likely, case.line.with(span, "mv"), "git does not know the file; a plain mv does")
            .because("git moves only what it tracks."),
    )
}

fn no_stash(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(Confidence::Likely, "Nothing is stashed."))
}

fn hook_refused(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    case.has_word(&["commit", "push", "merge", "am"])
        .then(|| Finding::cause(Confidence::Likely, "A hook of the repository rejected it; its message is above."))
}
