//! Suggestions that shells and systems print for a missing command.

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::rules::pattern;
use crate::reflex::typo;
use crate::reflex::world::World;

/// Texts after the name of a missing command.
const BEHIND: &[&str] = &[": command not found", ": not found", ": Command not found"];

/// Texts before the name of a missing command.
const BEFORE: &[&str] = &["command not found: ", "nknown command: ", "nknown command ", "NKNOWN COMMAND: "];

/// Programs that start other programs and report it if they could not.
const STARTERS: &[&str] = &[
    "env", "nohup", "nice", "timeout", "stdbuf", "setsid", "xargs", "exec", "time", "ionice", "chroot", "watch",
    "strace", "unshare", "runuser",
];

/// The name of the missing command, as the failing program prints it.
pub(super) fn unknown_name<'a>(case: &Case<'a>) -> Option<&'a str> {
    case.output.lines().iter().find_map(|line| {
        address(line)
            .or_else(|| BEHIND.iter().find_map(|words| named_before(line, words)))
            .or_else(|| BEFORE.iter().find_map(|words| named_after(line, words)))
            .or_else(|| named_by_others(line))
    })
}

/// A URL that was given to a shell: `bash: https://host/x: No such file or directory`.
fn address(line: &str) -> Option<&str> {
    let is_missing = line.contains("o such file or directory") || line.contains("not found");
    if !is_missing || !(line.contains("://") || line.contains("git@")) {
        return None;
    }
    let word = line.split_whitespace().find(|word| {
        ["https://", "http://", "ssh://", "git://", "git@"].iter().any(|beginning| word.starts_with(beginning))
    })?;
    Some(word.trim_end_matches(':'))
}

/// `bash: gti: command not found`, `sh: 1: gti: not found`, `'gti': not found`. Most lines do not contain the text, and searching
/// for it first is faster than splitting.
fn named_before<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    let (before, after) = line.contains(words).then(|| line.split_once(words))??;
    let is_end = after.is_empty() || after.starts_with([',', '.']) || after.starts_with(" [");
    let name = before.trim_end_matches(['\'', '’', '"', '”']);
    let start = name.rfind(|c: char| c.is_whitespace() || ":'‘’\"`“".contains(c)).map_or(0, |at| {
        let width = name[at..].chars().next().map_or(0, char::len_utf8);
        at + width
    });
    let (before, name) = name.split_at(start);
    let before = before.strip_suffix(['`', '\'', '‘', '“', '"']).unwrap_or(before);
    let is_apart = before.is_empty()
        || before.ends_with(':')
        || before.ends_with(": ")
        || before.strip_suffix(' ').is_some_and(|number| number.ends_with(|c: char| c.is_ascii_digit()));
    (is_end && is_apart && !name.is_empty()).then_some(name)
}

/// `zsh: command not found: gti`, `fish: Unknown command: gti`, `Unknown command 'gti'`.
fn named_after<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    let (_, after) = line.contains(words).then(|| line.split_once(words))??;
    let name = after.trim_end();
    // A sentence ends with a period, `cd..` with two.
    let name = name.strip_suffix('.').filter(|name| !name.ends_with('.')).unwrap_or(name);
    let name = name.trim_matches(['\'', '‘', '’', '"']);
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
}

/// Messages of command-not-found, `env` and similar programs, and Windows. A pattern is tried only if the line contains one of
/// its words.
fn named_by_others(line: &str) -> Option<&str> {
    let caught = if line.starts_with("Command ") {
        pattern!(r#"^Command ['‘"]([^'’"]+)['’"] not found"#).captures(line)
    } else if line.starts_with("The program ") {
        pattern!(r#"^The program ['‘"]?([^\s'’"]+)['’"]? is (?:currently )?not (?:installed|in your PATH)"#)
            .captures(line)
    } else if line.contains("Command `") {
        pattern!(r"Command `([^`]+)` not found").captures(line)
    } else if line.contains("is not recognized as") {
        pattern!(r#"^['‘"]?([^\s'’"]+)['’"]?\s?:? (?:The term .* )?is not recognized as"#).captures(line)
    } else if line.ends_with(": No such file or directory") && STARTERS.iter().any(|name| line.contains(name)) {
        pattern!(
            r#"(?:env|nohup|nice|timeout|stdbuf|setsid|xargs|exec|time|ionice|chroot|watch|strace|unshare|runuser)(?:: \d+)?: (?:cannot (?:run command|run|execute) |failed to (?:run command|execute) |exec:? |can't execute |'')?['‘"]?([^\s'’":]+)['’"]?: No such file or directory"#
        )
        .captures(line)
    } else {
        None
    };
    Some(caught?.get(1)?.as_str())
}

/// Suggestions of Debian, Fedora, Arch, Nix and Termux.
pub(super) fn told_by_system(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let wrong = unknown_name(case).or_else(|| {
        case.output
            .captures(pattern!(r"[Cc]ommand '([^']+)'"))
            .map(|found| found.get(1).map_or("", |name| name.as_str()))
    });
    let name = wrong
        .filter(|name| !name.is_empty())
        .or_else(|| case.output.captures(pattern!(r"program '?([\w.+-]+)'?"))?.get(1).map(|name| name.as_str()))?;
    let index = case.words().iter().position(|word| word.text == name);
    let meant = pattern!(r"^\s+command '([^']+)' from (?:deb|snap) ");
    let similar = pattern!(r"[Ss]imilar commands? (?:is|are):? '([^']+)'");
    let mut near: Vec<&str> = Vec::new();
    let mut installs: Vec<String> = Vec::new();
    for line in case.output.lines() {
        if let Some(found) = meant.captures(line).or_else(|| similar.captures(line)).and_then(|found| found.get(1)) {
            near.push(found.as_str());
        } else if let Some(found) = pattern!(
            r"(?:^|typing:|using:|with:)\s*((?:sudo )?(?:apt|apt-get|snap|dnf|yum|zypper|pacman|pkg|apk|brew|nix-env|nix-shell) +(?:-S|install|add|in|-iA|-p) +[^\s#<]+(?: --classic)?)"
        )
        .captures(line)
        {
            installs.push(found[1].split_whitespace().collect::<Vec<_>>().join(" "));
        } else if let Some(found) = pattern!(r"^Install package '([^']+)' to provide").captures(line) {
            installs.push(format!("sudo dnf install {}", &found[1]));
        } else if let Some(found) = pattern!(r"^\s+(?:core|extra|community|multilib)/(\S+) \S+").captures(line) {
            installs.push(format!("sudo pacman -S {}", &found[1]));
        }
    }
    let mut finding = Finding::cause(Confidence::Sure, format!("{name} is not installed."));
    let best = typo::nearest(name, near.iter().copied()).filter(|_| index.is_some());
    if let (Some(best), Some(index)) = (best, index) {
        finding = finding.or(case.with_word(index, best), "the system's nearest command");
        finding.cause = Some(format!("There is no command {name}; {best} is similar."));
        for other in near.iter().filter(|other| **other != best && world.has(other)) {
            finding = finding.or(case.with_word(index, other), "near, too");
        }
    }
    installs.sort_by_key(|install| install.contains("snap"));
    for install in installs {
        finding = finding.or(install, format!("the system's own advice for {name}"));
    }
    (!finding.proposals.is_empty()).then_some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflex::FailedCommand;

    #[test]
    fn the_missing_command_is_found_in_all_kinds_of_messages() {
        let name = |output: &'static str| {
            let cwd = std::path::Path::new("/");
            unknown_name(&Case::new(&FailedCommand { command: "gti", output, status: Some(127), cwd }))
        };
        for said in [
            "bash: gti: command not found",
            "gti: command not found...",
            "bash: line 1: gti: command not found",
            "sh: 1: gti: not found",
            "-ash: gti: not found",
            "ksh: gti: not found [No such file or directory]",
            "zsh: command not found: gti",
            "fish: Unknown command: gti",
            "fish: Unknown command 'gti'",
            "tcsh: gti: Command not found.",
            "   :  `-- Command `gti` not found",
            "Command 'gti' not found, did you mean:",
            "The program 'gti' is currently not installed. You can install it by typing:",
            "env: ‘gti’: No such file or directory",
            "/usr/bin/env: 'gti': No such file or directory",
            "timeout: failed to run command 'gti': No such file or directory",
            "'gti' is not recognized as an internal or external command,",
            "sudo: gti: command not found",
            "make: line 3: 'gti': not found",
        ] {
            assert_eq!(name(said), Some("gti"), "{said}");
        }
        for said in ["Error: page not found", "File not found: gti", "the file: was not found", "404: Not Found"] {
            assert_eq!(name(said), None, "{said}");
        }
    }
}
