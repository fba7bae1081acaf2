//! Prints findings: as lines, as JSON, or as a report for strangers.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;

use crate::cli::json;
use crate::text::sanitize;
use crate::text::wrap::{Layout, rows};

use super::{DoctorFinding, Level};

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DoctorForm {
    Lines,
    Json,
    /// Without anything private.
    Report,
}

/// The column at which the text of a finding begins.
const INDENT: usize = 19;
/// Windows narrower than this leave too little room beside the indentation.
const NARROW: usize = 50;

/// Prints the findings of each check. The exit code is 1 if something fails. On a terminal with this many columns, text is wrapped between
/// words. What to do is not: a command has to be copied in one piece.
pub(crate) fn print(
    findings: &[(&'static str, Vec<DoctorFinding>)],
    form: DoctorForm,
    columns: Option<usize>,
    out: &mut impl Write,
) -> Result<ExitCode> {
    for (check, finding) in findings.iter().flat_map(|(check, found)| found.iter().map(move |finding| (check, finding)))
    {
        let DoctorFinding { level, text, fix, public } = finding;
        match form {
            DoctorForm::Lines => {
                let text = line(text);
                let mut rows = rows_of(&text, columns).into_iter();
                writeln!(out, "{:<5} {check:<12} {}", level.word(), rows.next().unwrap_or_default())?;
                for row in rows.chain(fix.as_deref().map(line).as_deref()) {
                    writeln!(out, "{:INDENT$}{row}", "")?;
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

/// The rows of a text beside the name of its check.
fn rows_of(text: &str, columns: Option<usize>) -> Vec<&str> {
    match columns.filter(|columns| *columns >= NARROW) {
        Some(columns) => {
            let layout = Layout { columns: columns - INDENT, ..Layout::default() };
            rows(text, layout).into_iter().map(|row| &text[row]).collect()
        }
        None => vec![text],
    }
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
