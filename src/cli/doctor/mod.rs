//! `shellmate doctor`: checks the installation and says how to fix problems.
//!
//! `gather` collects facts about the machine, `examine` judges them. So each judgement can be tested without the problem itself.

mod facts;
mod gather;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

pub(crate) use facts::{
    ChosenShell, ConfigFile, DatabaseFacts, DirectoryCondition, DirectoryFacts, Facts, InstalledShell, SkillFacts,
    TerminalFacts,
};
pub(crate) use gather::gather;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    Ok,
    Note,
    Problem,
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct DoctorFinding {
    pub level: Level,
    pub about: &'static str,
    pub text: String,
    /// How to fix it.
    pub advice: Option<String>,
}

impl DoctorFinding {
    fn new(level: Level, about: &'static str, text: impl Into<String>) -> Self {
        Self { level, about, text: text.into(), advice: None }
    }

    fn advice(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }
}

/// Judges the facts.
pub(crate) fn examine(facts: &Facts) -> Vec<DoctorFinding> {
    let mut findings = vec![version(facts), inner_shell(facts)];
    findings.extend(facts.shells.iter().map(installed));
    findings.extend(config(&facts.config));
    findings.push(directory("state", &facts.state));
    findings.extend(runtime(&facts.runtime));
    findings.push(database(&facts.database));
    findings.push(session(facts));
    findings.push(terminal(&facts.terminal));
    findings.push(login(facts));
    findings.extend(skills(&facts.skills));
    findings
}

fn version(facts: &Facts) -> DoctorFinding {
    let text = match &facts.binary {
        Some(binary) => format!("shellmate {} at {}", facts.version, binary.display()),
        None => format!("shellmate {}", facts.version),
    };
    DoctorFinding::new(Level::Ok, "version", text)
}

fn inner_shell(facts: &Facts) -> DoctorFinding {
    let chosen = match &facts.chosen {
        Ok(chosen) => chosen,
        Err(why) => {
            return DoctorFinding::new(Level::Problem, "shell", format!("no shell to start: {why}"))
                .advice("set `shell` with `shellmate config set shell /bin/bash`");
        }
    };
    let text = format!("{} ({})", chosen.path.display(), chosen.why);
    let known = facts.shells.iter().find(|shell| shell.path == chosen.path);
    match known.map(InstalledShell::support) {
        None => DoctorFinding::new(Level::Note, "shell", format!("{text} has no shellmate hooks"))
            .advice("it works, but nothing is recorded; bash, zsh and fish are supported"),
        Some(Err(needed)) => DoctorFinding::new(Level::Problem, "shell", format!("{text} is too old for the hooks"))
            .advice(format!("it works, but nothing is recorded; {needed} is needed")),
        Some(Ok(())) => DoctorFinding::new(Level::Ok, "shell", text),
    }
}

fn installed(shell: &InstalledShell) -> DoctorFinding {
    let version = shell.version.as_deref().unwrap_or("of unknown version");
    let text = format!("{} {version} at {}", shell.name, shell.path.display());
    match shell.support() {
        Ok(()) => DoctorFinding::new(Level::Ok, "installed", text),
        Err(needed) => {
            DoctorFinding::new(Level::Note, "installed", format!("{text} is not supported: {needed} is needed"))
        }
    }
}

fn config(file: &ConfigFile) -> Vec<DoctorFinding> {
    let advice = "`shellmate config edit` opens it; docs/CONFIG.md lists the keys";
    let problem = |line: &String| DoctorFinding::new(Level::Problem, "config", line).advice(advice);
    match &file.path {
        None => vec![
            DoctorFinding::new(Level::Note, "config", "no directory for it; the defaults are used")
                .advice("set HOME to your home directory"),
        ],
        Some(_) if !file.problems.is_empty() => file.problems.iter().map(problem).collect(),
        Some(path) if file.exists => vec![DoctorFinding::new(Level::Ok, "config", path.display().to_string())],
        Some(path) => {
            vec![DoctorFinding::new(Level::Ok, "config", format!("none at {}; the defaults are used", path.display()))]
        }
    }
}

fn directory(about: &'static str, directory: &DirectoryFacts) -> DoctorFinding {
    let Some(path) = directory.path.as_ref().map(|path| path.display().to_string()) else {
        return DoctorFinding::new(Level::Problem, about, "no directory for it; nothing is recorded")
            .advice("set HOME to your home directory");
    };
    let problem = |what: String, advice: String| DoctorFinding::new(Level::Problem, about, what).advice(advice);
    match &directory.condition {
        DirectoryCondition::Missing => DoctorFinding::new(Level::Ok, about, format!("{path} (created when needed)")),
        DirectoryCondition::Private { mode } => {
            DoctorFinding::new(Level::Ok, about, format!("{path} (mode {mode:04o})"))
        }
        DirectoryCondition::Readable { mode } => {
            DoctorFinding::new(Level::Note, about, format!("{path} can be read by others (mode {mode:04o})"))
                .advice("nothing to do: the next start makes it private")
        }
        DirectoryCondition::Writable { mode } => problem(
            format!("{path} can be written by others (mode {mode:04o}), so it is not used"),
            format!("check what is in it, then `chmod 700 {path}`"),
        ),
        DirectoryCondition::Foreign { uid } => {
            problem(format!("{path} belongs to user {uid}, so it is not used"), format!("remove or rename {path}"))
        }
        DirectoryCondition::NotADirectory => {
            problem(format!("{path} is not a directory, so it is not used"), format!("remove or rename {path}"))
        }
        DirectoryCondition::CannotWrite => {
            problem(format!("{path} cannot be written"), "check its permissions and the disk".to_owned())
        }
    }
}

/// A session uses the first usable directory. Unusable ones before it are notes; having none is a problem.
fn runtime(places: &[DirectoryFacts]) -> Vec<DoctorFinding> {
    let mut findings: Vec<DoctorFinding> = places.iter().map(|place| directory("runtime", place)).collect();
    if let Some(used) = findings.iter().position(|finding| finding.level != Level::Problem) {
        findings.truncate(used + 1);
        findings[..used].iter_mut().for_each(|finding| finding.level = Level::Note);
    }
    findings
}

fn database(database: &DatabaseFacts) -> DoctorFinding {
    match (&database.path, &database.size, &database.opens) {
        (None, _, _) => DoctorFinding::new(Level::Note, "history", "no directory for it; nothing is recorded"),
        (Some(path), None, _) => DoctorFinding::new(Level::Ok, "history", format!("none yet at {}", path.display())),
        (Some(path), Some(size), Ok(())) => {
            DoctorFinding::new(Level::Ok, "history", format!("{} ({} KiB)", path.display(), size.div_ceil(1024)))
        }
        (Some(path), Some(_), Err(why)) => {
            DoctorFinding::new(Level::Problem, "history", format!("{} cannot be opened: {why}", path.display()))
                .advice("move it away to start a new one; the shell works without it")
        }
    }
}

fn session(facts: &Facts) -> DoctorFinding {
    match &facts.session {
        Some(id) => DoctorFinding::new(Level::Ok, "session", format!("inside session {id}")),
        None => {
            DoctorFinding::new(Level::Note, "session", "not inside shellmate; commands typed here are not recorded")
                .advice("start it with `shellmate`")
        }
    }
}

fn terminal(terminal: &TerminalFacts) -> DoctorFinding {
    let mut text = format!("TERM={}", terminal.term.as_deref().unwrap_or("(unset)"));
    if let Some(colour) = &terminal.colorterm {
        text.push_str(&format!(", COLORTERM={colour}"));
    }
    if let Some(multiplexer) = terminal.multiplexer {
        text.push_str(&format!(", in {multiplexer}"));
    }
    match terminal.term.as_deref() {
        None | Some("" | "dumb") => DoctorFinding::new(Level::Note, "terminal", text)
            .advice("no prompt marks are sent to such a terminal; set TERM if yours supports more"),
        Some(_) => DoctorFinding::new(Level::Ok, "terminal", text),
    }
}

fn login(facts: &Facts) -> DoctorFinding {
    let name = facts.binary.as_ref().map_or_else(|| "shellmate".to_owned(), |binary| binary.display().to_string());
    let add = format!("echo {name} | sudo tee -a /etc/shells");
    match (facts.is_login_shell, facts.listed) {
        (true, true) => DoctorFinding::new(Level::Ok, "login", "shellmate is your login shell and in /etc/shells"),
        (true, false) => DoctorFinding::new(
            Level::Problem,
            "login",
            "shellmate is your login shell but not in /etc/shells: ftp, su and others refuse it",
        )
        .advice(add),
        (false, true) => {
            DoctorFinding::new(Level::Ok, "login", "in /etc/shells, so `chsh` can make it your login shell")
        }
        (false, false) => {
            DoctorFinding::new(Level::Note, "login", "not in /etc/shells, so it cannot be your login shell")
                .advice(format!("only if you want that: {add}"))
        }
    }
}

fn skills(skills: &SkillFacts) -> Vec<DoctorFinding> {
    if !skills.is_on {
        return vec![DoctorFinding::new(Level::Ok, "skills", "off (`skills = false` in the configuration)")];
    }
    if skills.found.is_empty() && skills.problems.is_empty() {
        return vec![DoctorFinding::new(Level::Ok, "skills", "none in this directory or your home directory")];
    }
    let found =
        skills.found.iter().map(|(name, file)| DoctorFinding::new(Level::Ok, "skills", format!("{name} at {file}")));
    let problems = skills.problems.iter().map(|problem| DoctorFinding::new(Level::Note, "skills", problem));
    found.chain(problems).collect()
}

/// Prints the findings. The exit code is 1 if one of them is a problem.
pub(crate) fn print(findings: &[DoctorFinding], version: &str, json: bool, out: &mut impl Write) -> Result<ExitCode> {
    let healthy = findings.iter().all(|finding| finding.level != Level::Problem);
    if json {
        let report = serde_json::json!({ "version": version, "healthy": healthy, "findings": findings });
        super::json::print(&report, out)?;
    } else {
        for finding in findings {
            let level = match finding.level {
                Level::Ok => "ok",
                Level::Note => "note",
                Level::Problem => "problem",
            };
            writeln!(
                out,
                "{level:<8} {:<10} {}",
                finding.about,
                crate::text::sanitize(&finding.text).replace('\n', " ")
            )?;
            if let Some(advice) = &finding.advice {
                writeln!(out, "{:<19} {}", "", crate::text::sanitize(advice))?;
            }
        }
    }
    out.flush()?;
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests;
