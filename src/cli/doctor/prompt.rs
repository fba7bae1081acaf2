//! Prompt frameworks and other programs that hook into the shell, and how shellmate gets along with each.

use std::fs::File;
use std::io::Read;

use super::{DoctorFinding, Exam};

/// At most this much of a start file is searched.
const CAP: u64 = 256 * 1024;

/// Start files below the home directory.
const START_FILES: &[&str] =
    &[".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".zprofile", ".config/fish/config.fish"];

/// A name, the words in a start file that give it away, and how its hooks and ours live together.
const KNOWN: &[(&str, &[&str], &str)] = &[
    (
        "powerlevel10k's instant prompt",
        &["p10k-instant-prompt"],
        "the hooks print nothing that you see while zsh starts",
    ),
    ("powerlevel10k", &["powerlevel10k", ".p10k.zsh"], BESIDE),
    ("oh-my-zsh", &["oh-my-zsh.sh"], "its hooks stay, ours are added; `omz reload` starts a zsh without ours"),
    ("oh-my-bash", &["oh-my-bash.sh"], BESIDE),
    ("starship", &["starship init"], BESIDE),
    ("oh-my-posh", &["oh-my-posh init", "oh-my-posh --init"], BESIDE),
    ("bash-preexec", &["bash-preexec"], BESIDE),
    ("ble.sh", &["ble.sh"], "its own hooks are used instead of key bindings"),
    ("atuin", &["atuin init"], BESIDE),
    ("direnv", &["direnv hook"], BESIDE),
    ("zoxide", &["zoxide init"], BESIDE),
    ("fzf", &["fzf --bash", "fzf --zsh", "fzf --fish", ".fzf."], "its keys stay"),
    ("zsh-autosuggestions", &["zsh-autosuggestions"], "its widgets are called by ours"),
    ("zsh-syntax-highlighting", &["zsh-syntax-highlighting"], "its widgets are called by ours"),
];

const BESIDE: &str = "its hooks stay, ours are added";

/// Lines that replace the shell or its terminal while it starts.
const REPLACING: &[(&str, &str)] = &[
    (
        "exec zsh",
        "it replaces the shell, and the new one has no hooks; `shellmate config set shell zsh` starts zsh at once",
    ),
    (
        "exec fish",
        "it replaces the shell, and the new one has no hooks; `shellmate config set shell fish` starts fish at once",
    ),
    ("exec tmux", "tmux starts shells of its own; set `default-command` in ~/.tmux.conf to shellmate"),
];

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let Some(home) = exam.home() else { return vec![DoctorFinding::ok("no home directory")] };
    let mut findings = Vec::new();
    for name in START_FILES {
        let mut text = String::new();
        // A start file that is not there, or not text, loads nothing.
        let _ = File::open(home.join(name)).and_then(|file| file.take(CAP).read_to_string(&mut text));
        findings.extend(judge(name, &text));
    }
    findings.sort_by(|one: &DoctorFinding, other| one.text.cmp(&other.text));
    findings.dedup();
    match findings.is_empty() {
        true => vec![DoctorFinding::ok("no prompt framework in your start files").public("none")],
        false => findings,
    }
}

/// What a start file loads that hooks into the shell.
fn judge(file: &str, text: &str) -> Vec<DoctorFinding> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.starts_with('#')).collect();
    let has = |sign: &str| lines.iter().any(|line| line.contains(sign));
    let known = KNOWN
        .iter()
        .filter(|(_, signs, _)| signs.iter().any(|sign| has(sign)))
        .map(|(name, _, how)| DoctorFinding::ok(format!("{name}: {how}")).public(*name));
    let replacing = REPLACING.iter().filter(|(command, _)| {
        lines.iter().any(|line| line.split([';', '&', '|']).any(|part| part.trim().starts_with(command)))
    });
    let replacing = replacing.map(|(command, why)| {
        let (what, fix) = why.split_once("; ").unwrap_or((why, ""));
        DoctorFinding::warn(format!("~/{file} runs `{command}`: {what}"))
            .fix(fix)
            .public(format!("a start file runs `{command}`"))
    });
    known.chain(replacing).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn what_a_start_file_loads_is_named_with_what_was_done() {
        let names = |text: &str| -> Vec<(Level, String)> {
            judge(".zshrc", text).into_iter().map(|finding| (finding.level, finding.text)).collect()
        };
        assert_eq!(names("eval \"$(starship init zsh)\"\n")[0].0, Level::Ok);
        assert!(names("eval \"$(starship init zsh)\"\n")[0].1.starts_with("starship: "));
        assert!(names("# eval \"$(starship init zsh)\"\n").is_empty(), "a comment");
        assert_eq!(names("[ -t 1 ] && exec zsh\n")[0].0, Level::Warn);
        assert!(names("echo exec zsh\n").is_empty());
    }
}
