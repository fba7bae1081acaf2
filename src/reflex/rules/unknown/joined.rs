//! Words that are joined, or separated by a character other than a blank.

use super::known::{POPULAR, SUBCOMMANDS};
use super::packages;
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::typo;
use crate::reflex::world::World;

/// `gitstatus`, `git-status`, `cd..`, `ls-la`, `sudoapt`, `manls`.
pub(super) fn apart(case: &Case<'_>, index: usize, name: &str, world: &dyn World) -> Option<Finding> {
    let is_command = |text: &str| world.has(text) || POPULAR.contains(&text);
    let cut = |at: usize, gap: usize| {
        let raw = case.raw(index);
        (raw == name).then(|| format!("{} {}", &raw[..at], &raw[at + gap..]))
    };
    let split = name.char_indices().map(|(at, _)| at).skip(1).find(|at| {
        let (command, rest) = name.split_at(*at);
        if !is_command(command) {
            return false;
        }
        let takes_paths = ["cd", "ls", "cat", "vim", "vi", "nano", "less", "ll", "la"].contains(&command);
        let is_path = takes_paths && rest.starts_with(['.', '/', '~']);
        let is_option = rest.starts_with('-') && rest.len() > 1 && takes_options(command, rest);
        let subcommands = SUBCOMMANDS.iter().find(|(known, _)| *known == command).map_or("", |(_, list)| list);
        let is_subcommand = subcommands.split_whitespace().any(|known| known == rest);
        let runs_another = ["sudo", "man", "which", "time", "type", "watch", "nohup", "exec", "xargs", "env", "strace"]
            .contains(&command)
            && rest.len() > 1
            && is_command(rest);
        is_path || is_option || is_subcommand || runs_another
    });
    // Some editors replace one or two hyphens by a dash.
    if let Some((command, options)) = name.split_once(['–', '—']).filter(|(command, _)| is_command(command)) {
        let dashes = if options.chars().count() > 3 { "--" } else { "-" };
        let parted = format!("{command} {dashes}{options}");
        return Some(Finding::fix(Confidence::Likely, case.with_raw(index, &parted), "with a blank and a plain dash"));
    }
    // `cd...` goes up two directories.
    if let Some(dots) = name.strip_prefix("cd").filter(|rest| rest.len() > 2 && rest.bytes().all(|byte| byte == b'.')) {
        let up = vec![".."; dots.len() - 1].join("/");
        return Some(Finding::fix(Confidence::Likely, case.with_raw(index, &format!("cd {up}")), "as many levels up"));
    }
    if let Some(at) = split {
        return Some(Finding::fix(Confidence::Likely, case.with_raw(index, &cut(at, 0)?), "with the missing blank"));
    }
    // A hyphen in place of a blank. The longest command is tried first: `apt-get-install` is `apt-get install`.
    let mut hyphen = name.match_indices('-').map(|(at, _)| at).filter(|at| *at > 0 && *at + 1 < name.len());
    let at = hyphen.rfind(|at| is_command(&name[..*at]))?;
    let rest = &name[at + 1..];
    let is_subcommand = SUBCOMMANDS
        .iter()
        .any(|(known, list)| *known == &name[..at] && list.split_whitespace().any(|known| known == rest));
    // Many names contain a hyphen: `ansible-playbok` is not `ansible playbok`.
    let is_name = POPULAR.contains(&name) || SUBCOMMANDS.iter().any(|(known, _)| *known == name);
    if !is_subcommand && (is_name || typo::nearest(name, world.commands().iter().map(String::as_str)).is_some()) {
        return None;
    }
    let has_subcommands = SUBCOMMANDS.iter().any(|(known, _)| *known == &name[..at] || name[..at].starts_with("apt"));
    if packages::known().any(|known| known == name) {
        return None;
    }
    let confidence = if has_subcommands { Confidence::Likely } else { Confidence::Guess };
    Some(Finding::fix(confidence, case.with_raw(index, &cut(at, 1)?), "with a blank for the hyphen"))
}

/// Whether `ls-la` stands for `ls -la`; `apt-get` and `docker-compose` are names.
fn takes_options(command: &str, rest: &str) -> bool {
    [
        "ls", "ll", "rm", "cp", "mv", "ps", "df", "du", "grep", "tar", "cd", "cat", "head", "tail", "mkdir", "chmod",
        "sed", "sort",
    ]
    .contains(&command)
        && rest.len() <= 6
}
