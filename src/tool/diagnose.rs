//! `diagnose`: explains a failed command with the built-in rules.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Context, Prepared, Tool, arguments, result};
use crate::chat::{Outcome, ToolKind, ToolSpec};
use crate::guard::{Intent, Redactor};
use crate::reflex::{self, FailedCommand, Machine};
use crate::store::{Filter, History, StoreError};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The command; without it, the last that failed
    id: Option<i64>,
}

pub(super) struct Diagnose;

impl Tool for Diagnose {
    fn spec(&self) -> ToolSpec {
        arguments::spec::<Arguments>(
            "diagnose",
            "What built-in rules know about a failed command of the user: what its status means, where the error is, corrected commands. Instant.",
        )
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String> {
        let Arguments { id } = arguments::read(arguments)?;
        let database = context.history.clone().ok_or("commands are not being recorded")?;
        let (environment, redactor) = (context.environment.clone(), context.redactor.clone());
        let title = id.map_or("the last failure".to_owned(), |id| format!("command {id}"));
        let run = result::blocking(move |_| match look(&database, id, environment, &redactor) {
            Ok(Some(words)) => Outcome::done(words),
            Ok(None) => Outcome::failed("there is no such failed command"),
            Err(error) => Outcome::failed(error.to_string()),
        });
        Ok(Prepared { title, intent: Intent::Read { paths: Vec::new() }, preview: None, run })
    }
}

fn look(
    database: &Path,
    id: Option<i64>,
    environment: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    redactor: &Redactor,
) -> Result<Option<String>, StoreError> {
    let history = History::open(database)?;
    let newest = || history.list(&Filter { failed: true, recorded: true, limit: Some(1), ..Filter::default() });
    let id = match id {
        Some(id) => Some(id),
        None => newest()?.pop().map(|entry| entry.id),
    };
    let Some(stored) = id.map(|id| history.get(id)).transpose()?.flatten() else { return Ok(None) };
    let command = String::from_utf8_lossy(&stored.entry.command).into_owned();
    // The rules quote single lines. A line on its own cannot be masked reliably, so the whole output is masked first.
    let output = redactor.mask_in_place(&stored.output.text(stored.size));
    let cwd = &stored.entry.cwd.unwrap_or_default();
    let machine = Machine::new(cwd.clone(), environment, reflex::builtins(), Vec::new());
    let failure = FailedCommand { command: &command, output: &output, status: stored.entry.status, cwd };
    let answer = reflex::diagnose(&failure, &machine);
    let proposals = answer.proposals.iter().map(|one| format!("try: {}  ({})", one.command, one.why));
    let lines: Vec<String> = [format!("{command}\n{}", answer.explanation)].into_iter().chain(proposals).collect();
    Ok(Some(lines.join("\n")))
}
