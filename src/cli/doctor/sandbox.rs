//! What confines the agent's commands on this machine.

use crate::guard::{Abilities, Backend, SandboxLevel};

use super::{DoctorFinding, Exam};

/// The first version of Landlock that hides abstract sockets.
const HIDES_ABSTRACT_SOCKETS: u32 = 6;

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    judge(exam.loaded.config.sandbox.level, &Abilities::probe())
}

fn judge(level: SandboxLevel, abilities: &Abilities) -> Vec<DoctorFinding> {
    if level == SandboxLevel::Off {
        let off = DoctorFinding::warn("off: the agent's commands can do what you can").public("off");
        return vec![off.fix("`shellmate config set sandbox.level workspace` confines them")];
    }
    let landlock = match abilities.landlock {
        Some(version) => format!("Landlock {version}"),
        None => "no Landlock".to_owned(),
    };
    let mut findings = vec![match abilities.best() {
        Backend::Bubblewrap => DoctorFinding::ok(format!("bubblewrap, {landlock}, seccomp")),
        Backend::Namespaces => DoctorFinding::ok(format!("namespaces, {landlock}, seccomp")),
        Backend::Landlock => DoctorFinding::warn(format!("{landlock} and seccomp only: namespaces are refused here"))
            .fix(format!("{}; /tmp and delicate files of a project are less well protected", remedy(abilities))),
        Backend::None => DoctorFinding::warn("nothing can confine the agent's commands here")
            .fix(format!("{}; each command can do what you can", remedy(abilities))),
    }];
    let has_namespaces = matches!(abilities.best(), Backend::Bubblewrap | Backend::Namespaces);
    if has_namespaces && !abilities.has_network_namespaces {
        let text = "no network namespaces: without network, commands cannot open internet sockets at all";
        findings.push(DoctorFinding::ok(text));
    }
    if has_namespaces && abilities.landlock.is_none_or(|version| version < HIDES_ABSTRACT_SOCKETS) {
        let text = "abstract Unix sockets can be reached by commands with network (Linux 6.12 can hide them)";
        findings.push(DoctorFinding::ok(text));
    }
    // These are facts about the kernel, not about the person.
    findings.into_iter().map(|finding| DoctorFinding { public: Some(finding.text.clone()), ..finding }).collect()
}

fn remedy(abilities: &Abilities) -> &'static str {
    match abilities.bubblewrap {
        Some(_) => "bubblewrap is installed but not allowed; your distribution may have an AppArmor profile for it",
        None => "install bubblewrap",
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    fn said(abilities: Abilities) -> Vec<(Level, String)> {
        let findings = judge(SandboxLevel::Workspace, &abilities);
        findings.into_iter().map(|finding| (finding.level, finding.text)).collect()
    }

    #[test]
    fn each_degree_of_confinement_is_named() {
        let full = Abilities {
            bubblewrap_works: true,
            has_network_namespaces: true,
            landlock: Some(7),
            ..Abilities::default()
        };
        assert_eq!(said(full.clone()), [(Level::Ok, "bubblewrap, Landlock 7, seccomp".to_owned())]);
        let old = Abilities { landlock: Some(1), ..full };
        assert_eq!(said(old).len(), 2);
        let alone = said(Abilities { landlock: Some(3), ..Abilities::default() });
        assert_eq!(alone, [(Level::Warn, "Landlock 3 and seccomp only: namespaces are refused here".to_owned())]);
        assert_eq!(said(Abilities::default())[0].0, Level::Warn);
        assert!(judge(SandboxLevel::Off, &Abilities::default())[0].text.starts_with("off"));
    }
}
