//! The model that answers: which one, from where, and with which key. With `--online` it is asked.

use crate::provider::{ModelOutline, ResolveError, VENDORS, WithKeys};
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
        None => nobody(exam),
    }];
    if exam.is_online {
        findings.extend(online::ask(exam, &preference, &env));
    } else if let (Some(ModelOutline { key_fault: None, .. }), Some(finding)) = (&outline, findings.first_mut())
        && finding.fix.is_none()
    {
        finding.fix = Some("`shellmate doctor --online` asks it".to_owned());
    }
    findings
}

/// What is said if neither the settings nor the keys lead to a model.
fn nobody(exam: &Exam<'_>) -> DoctorFinding {
    let named = match exam.loaded.config.model.name.as_str() {
        "" => exam.var("SHELLMATE_MODEL").map(|name| ("SHELLMATE_MODEL", name)),
        name => Some(("`model.name` in the configuration", name.to_owned())),
    };
    if let Some((place, name)) = named {
        let text = format!(
            "{place} names {name}, but no provider with a key has that model; only a model server on this machine might"
        );
        let finding = DoctorFinding::warn(text).public("a model that no provider with a key has");
        return finding.fix("`shellmate models` lists the models; write the name as PROVIDER/MODEL");
    }
    let variables = VENDORS.iter().flat_map(|vendor| vendor.key_variables);
    let is_empty = |name: &str| (exam.get)(name).is_some_and(|value| value.to_string_lossy().trim().is_empty());
    if let Some(variable) = variables.copied().find(|name| is_empty(name)) {
        let finding = DoctorFinding::warn(format!("{variable} is set but empty, and no other key is set"));
        let fix = format!("`export {variable}=KEY`, or `shellmate auth login` stores the key");
        return finding.fix(fix).public(format!("{variable} is empty"));
    }
    let text =
        "none is set up; a model server on this machine is looked for at each question, else the built-in rules answer";
    DoctorFinding::ok(text).fix("`shellmate init` connects one").public("none is set up")
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
        Some(variable) if is_exported(exam, variable) => format!("the key in {variable}"),
        Some(_) => "the key that `shellmate auth login` stored".to_owned(),
    };
    let public = match (&outline.model, outline.is_published, outline.is_built_in) {
        (_, _, false) => "a provider of the configuration".to_owned(),
        (_, true, true) => outline.name(),
        (Some(_), false, true) => format!("{}, a model that is not in the list", outline.vendor),
        (None, false, true) => format!("{}, no model named", outline.vendor),
    };
    let is_unheard_of = outline.model.is_some() && !outline.is_published && outline.key_variable.is_some();
    let unknown = match is_unheard_of && outline.is_built_in && outline.vendor != "custom" {
        true => " (not among the models that shellmate knows)",
        false => "",
    };
    let text = format!("{}{unknown} at {}, from {source}, with {key}", outline.name(), outline.host);
    match (outline.key_fault, &outline.key_variable) {
        (Some(fault), Some(variable)) => {
            let public = format!("{public}, with a key that cannot be right");
            DoctorFinding::warn(format!("{text}; but that key {fault}")).fix(other_key(exam, variable)).public(public)
        }
        (_, _) => DoctorFinding::ok(text).public(public),
    }
}

/// Whether the variable itself holds the key, not the stored keys.
fn is_exported(exam: &Exam<'_>, variable: &str) -> bool {
    exam.var(variable).is_some_and(|value| !value.trim().is_empty())
}

/// How to give another key. An exported one counts before a stored one.
pub(super) fn other_key(exam: &Exam<'_>, variable: &str) -> String {
    match is_exported(exam, variable) {
        true => {
            format!("correct {variable} where it is exported, or `unset {variable}` there and `shellmate auth login`")
        }
        false => "`shellmate auth login` stores another key".to_owned(),
    }
}
