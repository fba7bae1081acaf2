//! What shells and systems say of a missing command.

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::rules::pattern;
use crate::reflex::typo;
use crate::reflex::world::World;

/// The name that could not be run, as whoever tried has it.
pub(super) fn unknown_name<'a>(case: &Case<'a>) -> Option<&'a str> {
    let said = case.output.captures(pattern!(
        r#"(?x)
        (?: ^|:\ ?|\d\ )[`'‘“"]?([^\s:'’"`]+)['’"”]?:\ (?:command\ )?not\ found(?:$|\ \[|\.|,)
        | command\ not\ found:\ (\S+)\s*$
        | (?i:unknown\ command):?\ ['‘"]?([^\s'’"]+)['’"]?\.?\s*$
        | ^Command\ ['‘"]([^'’"]+)['’"]\ not\ found
        | (?:env|nohup|nice|timeout|stdbuf|setsid|xargs|exec|time|ionice|chroot|watch|strace|unshare|runuser)(?::\ \d+)?:\ (?:cannot\ (?:run\ command|run|execute)\ |failed\ to\ (?:run\ command|execute)\ |exec:?\ |can't\ execute\ |'')?['‘"]?([^\s'’":]+)['’"]?:\ No\ such\ file\ or\ directory
        | ^['‘"]?([^\s'’"]+)['’"]?\s?:?\ (?:The\ term\ .*\ )?is\ not\ recognized\ as
        | ^The\ program\ ['‘"]?([^\s'’"]+)['’"]?\ is\ (?:currently\ )?not\ installed
        | :\ ([^\s:]+):\ (?:Befehl\ nicht\ gefunden|commande\ introuvable|orden\ no\ encontrada|comando\ non\ trovato|comando\ não\ encontrado|команда\ не\ найдена|コマンドが見つかりません|未找到命令|找不到命令)
        | (?:no\ such\ file\ or\ directory:\ ((?:https?|ssh|git)://\S+|git@\S+))
        | (?:^|:\ )((?:(?:https?|ssh|git)://|git@)\S+):\ (?:No\ such\ file\ or\ directory|(?:command\ )?not\ found)
        "#
    ))?;
    said.iter().skip(1).flatten().next().map(|name| name.as_str())
}

/// Debian's, Fedora's, Arch's, Nix's and Termux's own advice.
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
        finding.cause = Some(format!("There is no command {name}; {best} is near."));
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
