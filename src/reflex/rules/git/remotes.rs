//! Pushing, pulling, cloning, and access to remotes.

use super::repo::{Repo, counterpart};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::rules::{Rule, pattern};
use crate::reflex::typo;
use crate::reflex::world::World;

const GIT: &[&str] = &["git"];

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule { name: "git push: no upstream", tools: GIT, signs: &["git push --set-upstream"], apply: no_upstream },
    Rule { name: "git pull: no tracking information", tools: GIT, signs: &["--set-upstream"], apply: no_tracking },
    Rule {
        name: "git push: rejected",
        tools: GIT,
        signs: &["[rejected]", "Updates were rejected", "[remote rejected]"],
        apply: rejected,
    },
    Rule {
        name: "git push: another branch upstream",
        tools: GIT,
        signs: &[
            "does not match\nthe name of your current branch",
            "upstream branch of your current branch does not match",
        ],
        apply: another_upstream,
    },
    Rule { name: "git push: nothing of that name", tools: GIT, signs: &["src refspec"], apply: no_refspec },
    Rule {
        name: "git: no such remote",
        tools: GIT,
        signs: &["o such remote", "does not appear to be a git repository", "no such remote"],
        apply: no_remote,
    },
    Rule {
        name: "git pull: branches diverge",
        tools: GIT,
        signs: &[
            "how to reconcile divergent branches",
            "Not possible to fast-forward",
            "Diverging branches can't be fast-forwarded",
        ],
        apply: divergent,
    },
    Rule {
        name: "git: who are you",
        tools: GIT,
        signs: &[
            "Permission denied (publickey",
            "Authentication failed",
            "could not read Username",
            "password authentication was removed",
            "Support for password",
        ],
        apply: not_let_in,
    },
    Rule {
        name: "git: no such repository",
        tools: GIT,
        signs: &["epository not found", "does not exist", "' not found"],
        apply: no_repository,
    },
    Rule {
        name: "git: a misspelt address",
        tools: GIT,
        signs: &["is not supported", "Unable to find remote helper", "emote helper", "Could not resolve host"],
        apply: misspelt_address,
    },
    Rule { name: "git push: on no branch", tools: GIT, signs: &["You are not currently on a branch"], apply: detached },
    Rule {
        name: "git push: no destination",
        tools: GIT,
        signs: &["No configured push destination"],
        apply: no_destination,
    },
];

fn no_upstream(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let push = case.position("push")?;
    let said =
        case.output.lines().iter().rev().find_map(|line| line.trim().strip_prefix("git push --set-upstream "))?;
    let words = case.words();
    // The positional words and the option for the upstream are removed; the other options stay in place.
    let mut line = case.line.text().to_owned();
    for index in (push + 1..words.len()).rev() {
        let text = words[index].text.as_str();
        let is_operand = case.operands().any(|(operand, _)| operand == index);
        if is_operand || ["-u", "--set-upstream"].contains(&text) {
            let before = line[..words[index].span.start].trim_end().len();
            line.replace_range(before..words[index].span.end, "");
        }
    }
    let at = words[push].span.end;
    // The name of a branch may contain a quote.
    let said: Vec<String> = said.split_whitespace().map(line::quoted).collect();
    line.insert_str(at, &format!(" --set-upstream {}", said.join(" ")));
    Some(Finding::fix(Confidence::Sure, line, "git's own suggestion").because("The branch has no upstream branch yet."))
}

fn no_tracking(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    if !case.has_word(&["pull", "fetch", "rebase", "merge"]) {
        return None;
    }
    let said = case.output.captures(pattern!(r"git branch --set-upstream(?:-to=|\s+\S+\s+)(\S+?)(?:\s+(\S+))?\s*$"))?;
    let line = case.output.line_with("git branch --set-upstream")?.trim();
    let repo = Repo::find(world);
    let remotes = repo.as_ref().map(Repo::remotes).unwrap_or_default();
    let remote = remotes.first().map_or("origin", String::as_str);
    let branch = said.get(2).map_or_else(|| line.split_whitespace().nth(3).unwrap_or_default(), |name| name.as_str());
    if branch.is_empty() {
        return None;
    }
    let setting = line.replace("<remote>", remote).replace("<branch>", branch);
    Some(
        Finding::fix(
            Confidence::Sure,
            case.with_before(&format!("{setting} &&")),
            "ties the branch to the remote's, then goes on",
        )
        .because(format!("The branch {branch} has no upstream branch, so git does not know what to pull.")),
    )
}

fn rejected(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let push = case.position("push")?;
    if case.output.says("stale info") {
        return Some(
            Finding::cause(
                Confidence::Likely,
                "The remote has changed since your last fetch: fetch, and look at the changes before you overwrite them.",
            )
            .or(case.with_command("git fetch"), "to see what is new there"),
        );
    }
    if case.output.says("pre-receive hook declined")
        || case.output.says("protected branch")
        || case.output.says("GH006")
    {
        return Some(Finding::cause(
            Confidence::Sure,
            "The server refuses this branch by its rules (it is protected): push to another branch and ask for a merge.",
        ));
    }
    if case.output.says("already exists") {
        return Some(Finding::cause(Confidence::Sure, "The remote has this tag already, at another commit."));
    }
    let is_behind = [
        "non-fast-forward",
        "fetch first",
        "tip of your current branch is behind",
        "remote contains work that you do",
        "a pushed branch tip is behind",
    ];
    if !is_behind.iter().any(|words| case.output.says(words)) {
        return None;
    }
    let operands: Vec<&str> = case.operands().filter(|(index, _)| *index > push).map(|(_, text)| text).collect();
    let has_refspec = operands.iter().any(|word| word.contains(':') && !word.contains("//") && !word.contains('@'));
    let spans: Vec<_> = case.words().iter().take(push).map(|word| &case.line.text()[word.span.clone()]).collect();
    let git = spans.join(" ");
    let arguments = if has_refspec {
        String::new()
    } else {
        operands.iter().map(|word| format!(" {}", crate::reflex::line::quoted(word))).collect()
    };
    let cause = "The remote has commits that you do not have: pull them before you push.";
    let mut finding = Finding::cause(Confidence::Likely, cause)
        .or(case.with_before(&format!("{git} pull{arguments} &&")), "brings the remote's commits first")
        .or(case.with_before(&format!("{git} pull --rebase{arguments} &&")), "puts yours on top of them");
    if case.output.says("tip of your current branch is behind") && !case.has_word(&["--force-with-lease"]) {
        finding = finding.or(
            case.with_inserted(push + 1, "--force-with-lease"),
            "only if you rewrote commits of your own: replaces what is there, unless somebody else pushed",
        );
    }
    Some(finding)
}

fn another_upstream(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let offers = case.output.lines().iter().map(|line| line.trim()).filter(|line| line.starts_with("git push "));
    let mut finding = Finding::cause(
        Confidence::Sure,
        "The branch has another name on the remote; git asks which of the two you mean.",
    );
    for (n, offer) in offers.take(2).enumerate() {
        finding = finding.or(
            case.with_command(offer),
            if n == 0 { "to the branch it is tied to" } else { "to a branch of its own name" },
        );
    }
    (!finding.proposals.is_empty()).then_some(finding)
}

fn no_refspec(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"src refspec (\S+) does not match any"))?;
    let wrong = said.get(1)?.as_str().trim_matches(['\'', '\u{2018}', '\u{2019}']);
    let index = case.position(wrong);
    let repo = Repo::find(world);
    let branches = repo.as_ref().map(Repo::branches);
    let initial = case.with_before("git commit -m \"Initial commit\" &&");
    match branches {
        Some(branches) if !branches.is_empty() => {
            let counterpart = counterpart(wrong).filter(|other| branches.contains(other));
            let near = typo::nearest(wrong, branches.iter().map(String::as_str)).map(str::to_owned);
            let cause = Finding::cause(Confidence::Likely, format!("There is no local branch {wrong}."));
            Some(match (counterpart.or(near), index) {
                (Some(meant), Some(index)) => cause.or(case.with_word(index, &meant), "the branch that is there"),
                _ => cause,
            })
        }
        Some(_) => Some(
            Finding::fix(Confidence::Likely, initial, "a first commit, then the push")
                .because("There is nothing to push: nothing has been committed yet."),
        ),
        // A misspelt `main` or `master` is more likely than a repository without a commit.
        None if index.is_some() && typo::nearest(wrong, ["main", "master"]).is_some() => {
            let usual = typo::meant(wrong, ["main", "master"]);
            let fixed = index.zip(usual.first()).map(|(index, name)| case.with_word(index, name))?;
            Some(
                Finding::fix(Confidence::Likely, fixed, "the usual name")
                    .because(format!("There is no local branch {wrong}.")),
            )
        }
        None => {
            let finding = Finding::fix(Confidence::Likely, initial, "if nothing has been committed yet")
                .because(format!("There is no branch {wrong} with a commit: either nothing has been committed yet, or the branch has another name."));
            Some(match (counterpart(wrong), index) {
                (Some(other), Some(index)) => finding.or(case.with_word(index, &other), "if the branch is called so"),
                _ => finding,
            })
        }
    }
}

fn no_remote(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    if let (Some(set), true) = (case.position("set-url"), case.has_word(&["remote"])) {
        let name = case.operands().map(|(_, word)| word).nth(2).unwrap_or("origin");
        return Some(
            Finding::fix(Confidence::Likely, case.with_word(set, "add"), "adds the remote")
                .because(format!("There is no remote {name}.")),
        );
    }
    let said = case.output.captures(pattern!(r"(?:[Nn]o such remote:? ['‘`]?([^\s'’`]+)['’`]?|['‘`]?([^\s'’`]+)['’`]? does not appear to be a git repository)"))?;
    let wrong = said.iter().skip(1).flatten().next()?.as_str();
    let index = case.position(wrong);
    let cause = format!("There is no remote {wrong}.");
    let known = Repo::find(world).map(|repo| repo.remotes()).unwrap_or_default();
    let usual = ["origin", "upstream"];
    let names = known.iter().map(String::as_str).chain(usual.iter().copied().filter(|_| known.is_empty()));
    let near = typo::nearest(wrong, names).filter(|name| *name != wrong);
    let finding = Finding::cause(Confidence::Likely, cause);
    Some(match (near, index) {
        (Some(near), Some(index)) => finding.or(case.with_word(index, near), "the nearest remote"),
        _ if wrong == "origin" => Finding::cause(
            Confidence::Likely,
            "The repository has no remote origin: `git remote add origin ADDRESS` gives it one.",
        ),
        _ => finding,
    })
}

fn divergent(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let pull = case.position("pull").or_else(|| case.position("merge"))?;
    if case.word(pull) == Some("merge") {
        return Some(Finding::cause(
            Confidence::Likely,
            "Both sides have commits of their own, and only a fast-forward was allowed.",
        ));
    }
    if let Some(option) = case.position("--ff-only") {
        return Some(
            Finding::cause(
                Confidence::Sure,
                "Both you and the remote have new commits, and only a fast-forward was allowed.",
            )
            .or(case.with_word(option, "--rebase"), "yours on top of theirs")
            .or(case.with_word(option, "--no-rebase"), "with a merge commit"),
        );
    }
    Some(
        Finding::cause(
            Confidence::Sure,
            "Both you and the remote have new commits; git asks how to bring them together.",
        )
        .or(case.with_inserted(pull + 1, "--rebase"), "yours on top of theirs")
        .or(case.with_inserted(pull + 1, "--no-rebase"), "with a merge commit"),
    )
}

fn not_let_in(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if case.output.says("Permission denied (publickey") {
        let finding = Finding::cause(
            Confidence::Likely,
            "The server knows none of your SSH keys: `ssh-add -l` lists the loaded keys; the public key must be in your account on the server.",
        );
        let (index, address) = case.operands().find(|(_, word)| word.starts_with("git@") && word.contains(':')).unzip();
        return Some(match (case.has_word(&["clone"]), index, address) {
            (true, Some(index), Some(address)) => {
                let https = format!("https://{}", address.trim_start_matches("git@").replacen(':', "/", 1));
                finding.or(case.with_word(index, &https), "without a key, if the repository is public")
            }
            _ => finding,
        });
    }
    let said = case.output.captures(pattern!(r"(?:Authentication failed for|could not read Username for) ['‘`](https?://(?:[^@/]*@)?([^/'’]+)/?([^'’]*?)/?)['’`]"));
    let removed = case.output.says("assword authentication");
    let cause = if removed {
        "The server accepts no passwords: use a personal access token or an SSH key."
    } else {
        "The server did not accept the name or the token."
    };
    let finding = Finding::cause(Confidence::Likely, cause);
    let Some(said) = said else { return Some(finding) };
    let (host, path) = (&said[2], &said[3]);
    if path.is_empty() {
        return Some(finding);
    }
    let ssh = format!("git@{host}:{path}");
    Some(match case.operands().find(|(_, word)| word.starts_with("http")) {
        Some((index, _)) => finding.or(case.with_word(index, &ssh), "over SSH, if you have a key there"),
        None => finding.or(format!("git remote set-url origin {ssh}"), "over SSH from now on, if you have a key there"),
    })
}

fn no_repository(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_said = case
        .output
        .lines()
        .iter()
        .any(|line| line.contains("epository") && (line.contains("not found") || line.contains("does not exist")));
    is_said.then(|| {
        Finding::cause(
            Confidence::Likely,
            "There is no such repository, or you may not see it: check its address and your account there.",
        )
    })
}

fn misspelt_address(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if let Some(said) = case.output.captures(pattern!(
        r"(?:protocol ['‘`](.+?)['’`] is not supported|(?:remote helper for|remote-)\s?['‘`]?([\w.+-]+)['’`]?)"
    )) {
        let wrong = said.iter().skip(1).flatten().next()?.as_str();
        let (index, word) =
            case.operands().find(|(_, word)| word.split("://").next() == Some(wrong) && word.contains("://"))?;
        let meant = typo::nearest(wrong, ["https", "http", "ssh", "git", "file"])?;
        return Some(
            Finding::fix(
                Confidence::Likely,
                case.with_word(index, &word.replacen(wrong, meant, 1)),
                "the nearest protocol",
            )
            .because(format!("git knows no protocol {wrong}.")),
        );
    }
    let said = case.output.captures(pattern!(r"Could not resolve host(?:name)?:? ([\w.-]+)"))?;
    let host = said.get(1)?.as_str();
    let cause = format!("No address is known for {host}: the name is misspelt, or there is no network.");
    let meant = typo::nearest(host, ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "git.sr.ht"]);
    let finding = Finding::cause(Confidence::Likely, cause);
    Some(match (meant, case.operands().find(|(_, word)| word.contains(host))) {
        (Some(meant), Some((index, word))) => {
            finding.or(case.with_word(index, &word.replacen(host, meant, 1)), "the nearest host")
        }
        _ => finding,
    })
}

fn detached(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(
        Confidence::Likely,
        "You are not on a branch (detached HEAD): `git switch -c NAME` creates one here.",
    ))
}

fn no_destination(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(
        Confidence::Likely,
        "The repository has no remote: `git remote add origin ADDRESS` gives it one.",
    ))
}
