//! Subcommands of git that only look.

use super::argument::Argument;
use super::looks::LookJudgement;
use super::options::{ParsedOptions, PatternRisk, parse};
use super::scope::Scope;
use super::unclear::Unclear;
use super::{Extent, Touched, git_config, paths};

/// Options about which commits are shown, and how.
const LOG: &str = "-# -n= -i -E -F -P -g -L= --max-count= --skip= --since= --after= --until= --before= --author= --committer= \
    --grep= --all-match --invert-grep --regexp-ignore-case --merges --no-merges --first-parent --all --branches? --tags? \
    --remotes? --glob= --exclude= --reflog --not --follow --oneline --graph --decorate? --no-decorate --decorate-refs= \
    --pretty? --format= --abbrev-commit --no-abbrev-commit --date= --relative-date --reverse --topo-order --date-order \
    --author-date-order --walk-reflogs --source --left-right --cherry-pick --cherry-mark --cherry --boundary \
    --simplify-by-decoration --full-history --no-walk? --ancestry-path --parents --children --count --no-notes --notes? \
    --use-mailmap --no-mailmap --mailmap --log-size --merge --show-pulls --no-expand-tabs --encoding= --quiet";

/// Options about how differences are shown.
const DIFF: &str = "-p -u -s -U= --patch --no-patch --unified= --raw --patch-with-raw --minimal --patience --histogram \
    --diff-algorithm= --anchored= --stat? --numstat --shortstat --dirstat? --summary --patch-with-stat -z --name-only \
    --name-status --color? --no-color --color-moved? --no-color-moved --color-words? --word-diff? --word-diff-regex= \
    --no-renames --rename-empty --no-rename-empty --check --full-index --binary --abbrev? -M? -B? -C? -D --find-renames? --find-copies? \
    --find-copies-harder --diff-filter= -S= -G= --pickaxe-all --pickaxe-regex -R -a --text --ignore-cr-at-eol \
    --ignore-space-at-eol -b --ignore-space-change -w --ignore-all-space --ignore-blank-lines --inter-hunk-context= -W \
    --function-context --exit-code -q --relative? --no-relative --no-ext-diff --no-textconv --ignore-submodules? \
    --submodule? --src-prefix= --dst-prefix= --no-prefix --cc -c -m --combined-all-paths --diff-merges= --no-diff-merges -t -r \
    --compact-summary --ita-invisible-in-index --no-index-info --cached --staged --merge-base --base --ours --theirs";

const STATUS: &str = "-s -b -v -z -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? \
    --ignore-submodules? --ignored? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?";

const BLAME: &str = "-b -L= -l -t -p -s -e -n -f -w -M? -C? -c --root --show-stats --porcelain --line-porcelain --incremental --date= --color-lines \
    --color-by-age --show-name --show-number --show-email --abbrev= --since= --reverse --first-parent --ignore-rev= --encoding= --no-progress";

const GREP: &str = "-# -a -I -i -w -v -h -H -E -G -P -F -n -l -L -z -o -c -p -W -q -e= -f=@ -A= -B= -C= -m= -r --cached --untracked \
    --no-exclude-standard --exclude-standard --recurse-submodules --text --ignore-case --word-regexp --invert-match \
    --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column \
    --files-with-matches --name-only --files-without-match --null --only-matching --count --color? --no-color --break \
    --heading --show-function --function-context --context= --after-context= --before-context= --max-depth= --max-count= \
    --recursive --no-recursive --and --or --not --all-match --quiet --threads=";

const LS_FILES: &str = "-c -d -m -o -i -s -u -k -z -t -v -f -x= -X=@ --cached --deleted --modified --others --ignored --stage \
    --unmerged --killed --directory --no-empty-directory --eol --deduplicate --exclude= --exclude-from=@ \
    --exclude-per-directory= --exclude-standard --error-unmatch --full-name --recurse-submodules --abbrev? --format=";

const REV_PARSE: &str = "-q --verify --short? --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? --remotes? \
    --git-dir --absolute-git-dir --git-common-dir --git-path= --show-toplevel --show-cdup --show-prefix \
    --show-superproject-working-tree --is-inside-work-tree --is-inside-git-dir --is-bare-repository \
    --is-shallow-repository --show-object-format? --revs-only --no-revs --flags --no-flags --default= --quiet --path-format= --not";

/// Subcommands with their options. Their operands are revisions and paths.
const PLAIN: &[(&str, &[&str])] = &[
    ("status", &[STATUS]),
    ("log", &[LOG, DIFF]),
    ("whatchanged", &[LOG, DIFF]),
    ("show", &[LOG, DIFF]),
    ("diff", &[DIFF]),
    ("blame", &[BLAME]),
    ("annotate", &[BLAME]),
    ("grep", &[GREP]),
    ("ls-files", &[LS_FILES]),
    (
        "ls-tree",
        &["-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format="],
    ),
    ("cat-file", &["-t -s -e -p"]),
    ("rev-parse", &[REV_PARSE]),
    ("rev-list", &[LOG]),
    ("merge-base", &["-a --all --octopus --independent --is-ancestor --fork-point"]),
    (
        "describe",
        &[
            "--all --tags --contains --abbrev= --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent --dirty? --broken?",
        ],
    ),
    (
        "shortlog",
        &[
            "-n -s -e -c -w? --numbered --summary --email --group= --format= --committer --all --since= --until= --no-merges",
            LOG,
        ],
    ),
    ("count-objects", &["-v -H --verbose --human-readable"]),
    ("check-ignore", &["-q -v -z -n --quiet --verbose --non-matching --no-index"]),
    ("version", &["--build-options"]),
];

const BRANCH: &str = "-a -r -v -q -i -l --all --remotes --list --show-current --verbose --color? --no-color --column? --no-column --sort= \
    --format= --abbrev= --no-abbrev --contains= --no-contains= --merged? --no-merged? --points-at= --ignore-case";
const TAG: &str = "-l -n? -i --list --sort= --format= --color? --column? --no-column --contains= --no-contains= --merged= --no-merged= \
    --points-at= --ignore-case";
const CONFIG: &str = "-l -z --get --get-all --get-regexp --get-urlmatch --list --global --local --system --worktree --show-origin --show-scope --name-only \
    --null --type= --bool --int --path --all --includes --no-includes";

/// Subcommands that also change something: only their listing forms are here. With one of the named options, operands are patterns.
const LISTING: &[(&str, &str, &[&str])] = &[
    ("branch", BRANCH, &["l", "list", "contains", "no-contains", "merged", "no-merged", "points-at"]),
    ("tag", TAG, &["l", "list", "contains", "no-contains", "merged", "no-merged", "points-at"]),
    ("remote", "-v --verbose", &[]),
];

pub(super) fn judge(arguments: &[Argument], scope: &Scope<'_>) -> LookJudgement {
    let before = arguments.iter().take_while(|argument| argument.is_literal() && argument.text == "--no-pager").count();
    let Some((subcommand, rest)) = arguments[before..].split_first().filter(|(subcommand, _)| subcommand.is_literal())
    else {
        return LookJudgement::Changes;
    };
    let judged = match (subcommand.text.as_str(), rest) {
        ("--version", []) => return LookJudgement::Looks(Vec::new()),
        ("remote", [action, names @ ..]) if action.is_literal() && action.text == "get-url" => {
            plain(&["--push --all"], names, scope)
        }
        ("stash", [action, options @ ..]) if action.is_literal() && action.text == "list" => {
            plain(&[LOG, DIFF], options, scope)
        }
        ("stash", [action, options @ ..]) if action.is_literal() && action.text == "show" => {
            plain(&[DIFF], options, scope)
        }
        ("worktree", [action, options @ ..]) if action.is_literal() && action.text == "list" => {
            plain(&["-v -z --porcelain --verbose"], options, scope)
        }
        ("reflog", [action, options @ ..]) if action.is_literal() && action.text == "show" => {
            plain(&[LOG, DIFF], options, scope)
        }
        ("reflog", []) => plain(&[], rest, scope),
        ("reflog", [first, ..]) if first.text.starts_with('-') => no_operands(&[LOG, DIFF], rest, scope),
        ("config", _) => config(rest, scope),
        (name, _) => by_table(name, rest, scope),
    };
    match judged {
        LookJudgement::Looks(reads) => in_repository(reads, scope),
        LookJudgement::Changes | LookJudgement::Unclear(_) => judged,
    }
}

fn by_table(name: &str, rest: &[Argument], scope: &Scope<'_>) -> LookJudgement {
    if let Some((_, options)) = PLAIN.iter().find(|(listed, _)| *listed == name) {
        return plain(options, rest, scope);
    }
    let Some((_, options, patterns)) = LISTING.iter().find(|(listed, ..)| *listed == name) else {
        return LookJudgement::Changes;
    };
    match parse(options, rest, PatternRisk::Options) {
        Ok(parsed) if parsed.operands.is_empty() || parsed.has(patterns) => LookJudgement::Looks(Vec::new()),
        Ok(_) => LookJudgement::Changes,
        Err(error) => error.into(),
    }
}

fn plain(options: &[&str], rest: &[Argument], scope: &Scope<'_>) -> LookJudgement {
    match parse(&options.join(" "), rest, PatternRisk::Options) {
        Ok(parsed) => LookJudgement::Looks(reads(&parsed, scope)),
        Err(error) => error.into(),
    }
}

fn no_operands(options: &[&str], rest: &[Argument], scope: &Scope<'_>) -> LookJudgement {
    match parse(&options.join(" "), rest, PatternRisk::Options) {
        Ok(parsed) if !parsed.operands.is_empty() => LookJudgement::Changes,
        Ok(parsed) => LookJudgement::Looks(reads(&parsed, scope)),
        Err(error) => error.into(),
    }
}

/// `git config` reads one name, or lists names. With a second operand it sets a value.
fn config(rest: &[Argument], scope: &Scope<'_>) -> LookJudgement {
    let modern = rest.first().filter(|first| matches!(first.text.as_str(), "get" | "list") && first.is_literal());
    let rest = if modern.is_some() { &rest[1..] } else { rest };
    match parse(CONFIG, rest, PatternRisk::Options) {
        Ok(parsed) => {
            let is_asked =
                modern.is_some() || parsed.has(&["l", "list", "get", "get-all", "get-regexp", "get-urlmatch"]);
            let most = if is_asked { 2 } else { 1 };
            let is_looking = parsed.operands.len() <= most && (is_asked || parsed.operands.len() == 1);
            if is_looking { LookJudgement::Looks(reads(&parsed, scope)) } else { LookJudgement::Changes }
        }
        Err(error) => error.into(),
    }
}

/// Operands that are paths: git compares any two files outside a repository.
fn reads(parsed: &ParsedOptions<'_>, scope: &Scope<'_>) -> Vec<Touched> {
    let mut touched = Vec::new();
    for operand in &parsed.operands {
        paths::add(&mut touched, operand, Extent::Below, scope);
    }
    for file in &parsed.files {
        paths::add(&mut touched, file, Extent::Itself, scope);
    }
    touched
}

/// Git runs programs that a repository's configuration names.
fn in_repository(reads: Vec<Touched>, scope: &Scope<'_>) -> LookJudgement {
    if scope.place.is_confined {
        return LookJudgement::Looks(reads);
    }
    if scope.cwds.is_empty() {
        return LookJudgement::Unclear(Unclear::Directory("git".into()));
    }
    for cwd in &scope.cwds {
        if let Err(why) = git_config::runs_nothing(cwd, scope.place.home) {
            return LookJudgement::Unclear(Unclear::GitConfiguration("git".into(), why));
        }
    }
    LookJudgement::Looks(reads)
}
