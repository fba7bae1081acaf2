//! The model that answers: which one, from where, and with which key. With `--online` it is asked.

use crate::provider::{ModelOutline, ResolveError, WithKeys};
use crate::reflex::RulesRole;

use super::{DoctorFinding, Exam, online};

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let (cwd, home) = (super::super::working_directory(), std::env::home_dir());
    let preference = exam.loaded.config.preference().within(&cwd, home.as_deref());
    let env = WithKeys { exported: |name: &str| exam.var(name), keys: &exam.keys };
    if exam.loaded.config.reflex == RulesRole::Only {
        return vec![
            DoctorFinding::ok("none is asked (`reflex = \"only\"` in the configuration)").public("none is asked"),
        ];
    }
    let outline = match ModelOutline::of(&preference, &env) {
        Ok(outline) => outline,
        // Only `--online` runs it.
        Err(ResolveError::NotRun { command }) => {
            let finding = DoctorFinding::ok(format!("its key comes from the command `{command}`, which was not run"));
            let finding = finding.fix("`shellmate doctor --online` runs it and asks the model");
            return match exam.is_online {
                true => online::ask(exam, &preference, &env),
                false => vec![finding.public("a key from a command")],
            };
        }
        Err(error) => {
            let fix = "`shellmate init` finds a model and sets it up";
            return vec![DoctorFinding::fail(error.to_string()).fix(fix).public("none can be chosen")];
        }
    };
    let mut findings = vec![match &outline {
        Some(outline) => told(exam, outline),
        None => DoctorFinding::ok("none is set up; a model server on this machine is looked for at each question, else the built-in rules answer")
            .fix("`shellmate init` connects one")
            .public("none is set up"),
    }];
    if exam.is_online {
        findings.extend(online::ask(exam, &preference, &env));
    } else if let (Some(_), Some(finding)) = (&outline, findings.first_mut())
        && finding.fix.is_none()
    {
        finding.fix = Some("`shellmate doctor --online` asks it".to_owned());
    }
    findings
}

fn told(exam: &Exam<'_>, outline: &ModelOutline) -> DoctorFinding {
    let config = &exam.loaded.config.model;
    let source = match exam.var("SHELLMATE_MODEL") {
        _ if !config.name.is_empty() => "the configuration",
        Some(_) => "SHELLMATE_MODEL",
        None if !config.base_url.is_empty() => "the configuration",
        None => "the first key that is set",
    };
    let key = match &outline.key_variable {
        None => "no key".to_owned(),
        Some(variable) if exam.var(variable).is_some() => format!("the key in {variable}"),
        Some(_) => "the key that `shellmate auth login` stored".to_owned(),
    };
    let public = match (&outline.model, outline.is_published, outline.is_built_in) {
        (_, _, false) => "a provider of the configuration".to_owned(),
        (_, true, true) => outline.name(),
        (Some(_), false, true) => format!("{}, a model that is not in the list", outline.vendor),
        (None, false, true) => format!("{}, no model named", outline.vendor),
    };
    DoctorFinding::ok(format!("{} at {}, from {source}, with {key}", outline.name(), outline.host)).public(public)
}
