//! Whether letters other than English ones can be shown: the locale and its characters.

use std::process::Command;
use std::time::Duration;

use super::integration::printed;
use super::{DoctorFinding, Exam};

/// How long `locale` may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// The characters of the locale `C`, which stands in for one that is not installed.
const ASCII: [&str; 2] = ["ANSI_X3.4-1968", "US-ASCII"];

/// Judges the locale by the variable that names it.
pub(super) fn check(exam: &Exam<'_>, named: Option<&(&'static str, String)>) -> Option<DoctorFinding> {
    let Some((variable, locale)) = named else {
        let finding = DoctorFinding::warn("no locale is set, so letters other than English ones may look wrong");
        return Some(finding.fix("`export LANG=C.UTF-8` in your start files").public("no locale is set"));
    };
    let fix = format!("`export {variable}=C.UTF-8` in your start files");
    if !is_utf8(locale) {
        let text =
            format!("the locale {locale} ({variable}) is not UTF-8, so letters other than English ones may look wrong");
        return Some(DoctorFinding::warn(text).fix(fix).public("the locale is not UTF-8"));
    }
    let characters = characters(exam)?;
    if !ASCII.contains(&characters.as_str()) {
        return None;
    }
    let text =
        format!("the locale {locale} ({variable}) is not installed, so letters other than English ones may look wrong");
    let fix = format!("{fix}, or install the locale; `locale -a` lists those that are there");
    Some(DoctorFinding::warn(text).fix(fix).public("the locale is not installed"))
}

pub(super) fn is_utf8(locale: &str) -> bool {
    let name = locale.to_ascii_lowercase();
    name.contains("utf-8") || name.contains("utf8")
}

/// The characters that the C library finds for the locale. `None` on a machine without the program `locale`.
fn characters(exam: &Exam<'_>) -> Option<String> {
    let mut command = Command::new("locale");
    command.arg("charmap").env_clear();
    for name in ["PATH", "LC_ALL", "LC_CTYPE", "LANG", "LOCPATH"] {
        command.envs((exam.get)(name).map(|value| (name, value)));
    }
    let text = printed(&mut command, PATIENCE)?;
    Some(String::from_utf8_lossy(&text).trim().to_owned())
}
