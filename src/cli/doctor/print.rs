//! Prints findings: as lines, as JSON, or as a report for strangers.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;

use crate::cli::json;
use crate::text::sanitize;

use super::{DoctorFinding, Level};

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DoctorForm {
    Lines,
    Json,
    /// Without anything private.
    Report,
}

/// Prints the findings of each check. The exit code is 1 if something fails.
pub(crate) fn print(
    findings: &[(&'static str, Vec<DoctorFinding>)],
    form: DoctorForm,
    out: &mut impl Write,
) -> Result<ExitCode> {
    for (check, finding) in findings.iter().flat_map(|(check, found)| found.iter().map(move |finding| (check, finding)))
    {
        let DoctorFinding { level, text, fix, public } = finding;
        match form {
            DoctorForm::Lines => {
                writeln!(out, "{:<5} {check:<12} {}", level.word(), line(text))?;
                if let Some(fix) = fix {
                    writeln!(out, "{:<18} {}", "", line(fix))?;
                }
            }
            DoctorForm::Json => {
                json::print(&json!({ "check": check, "level": level, "text": text, "fix": fix }), out)?;
            }
            DoctorForm::Report => {
                writeln!(out, "{:<5} {check:<12} {}", level.word(), line(public.as_deref().unwrap_or_default()))?;
            }
        }
    }
    let all = || findings.iter().flat_map(|(_, found)| found);
    let count = |level| all().filter(|finding| finding.level == level).count();
    let (warnings, failures) = (count(Level::Warn), count(Level::Fail));
    if form == DoctorForm::Lines && warnings + failures > 0 {
        writeln!(out, "\n{}, {}", counted(failures, "failure"), counted(warnings, "warning"))?;
    }
    out.flush()?;
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn line(text: &str) -> String {
    sanitize(text).replace('\n', " ").trim_end().to_owned()
}

impl Level {
    fn word(self) -> &'static str {
        match self {
            Level::Ok => "ok",
            Level::Warn => "warn",
            Level::Fail => "fail",
        }
    }
}
