//! `shellmate history forget`: deletes commands, after a question if it could be many.

use std::fs;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use super::since::Since;
use super::{Display, HistoryContext};
use crate::store::{Filter, Forget, History};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    selection: ForgetSelection,
    /// Do not ask.
    #[arg(short, long)]
    yes: bool,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct ForgetSelection {
    /// Delete these commands, without a question.
    #[arg(value_name = "ID")]
    ids: Vec<i64>,
    /// Delete all commands started since then: 30m, 2h, 2d, 1w, today, or a date.
    #[arg(long, value_name = "TIME")]
    since: Option<Since>,
    /// Delete all commands.
    #[arg(long)]
    all: bool,
}

pub(super) fn run(
    args: &Args,
    as_json: bool,
    context: &HistoryContext<'_>,
    display: Display,
    answers: Option<&mut dyn BufRead>,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let since = args.selection.since.as_ref().map(|since| since.before(&context.now)).transpose()?;
    let mut history = History::open(context.database)?;
    let selection = match since {
        Some(since) => Forget::Since(since),
        None if args.selection.all => Forget::All,
        None => Forget::Ids(args.selection.ids.clone()),
    };
    let asks = !matches!(selection, Forget::Ids(_)) && !args.yes;
    let commands = if asks { history.count(&Filter { since, ..Filter::default() })? } else { 0 };
    if commands > 0 {
        let answers = answers.filter(|_| display.terminal);
        let Some(answers) = answers else {
            anyhow::bail!("this would forget {}; add --yes to confirm", counted(commands))
        };
        if !agreed(commands, answers, out)? {
            return Ok(writeln!(out, "Nothing was forgotten.")?);
        }
    }
    let forgotten = history.forget(&selection)?;
    remove_below(context.runtime, &forgotten.spills);
    if as_json {
        crate::cli::json::print(&serde_json::json!({ "forgotten": forgotten.ids }), out)?;
    } else {
        writeln!(out, "Forgot {}.", counted(forgotten.ids.len()))?;
    }
    let unknown: Vec<String> =
        args.selection.ids.iter().filter(|id| !forgotten.ids.contains(id)).map(i64::to_string).collect();
    if !unknown.is_empty() {
        anyhow::bail!("there is no command {} in the history", unknown.join(", "));
    }
    Ok(())
}

fn agreed(commands: usize, answers: &mut dyn BufRead, out: &mut impl Write) -> anyhow::Result<bool> {
    write!(out, "Forget {}, including output? [y/N] ", counted(commands))?;
    out.flush()?;
    let mut answer = String::new();
    answers.read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn counted(commands: usize) -> String {
    if commands == 1 { "1 command".to_owned() } else { format!("{commands} commands") }
}

/// Deletes spill files if they are below `runtime`, whatever path the database has for them.
fn remove_below(runtime: &Path, spills: &[PathBuf]) {
    let Ok(runtime) = runtime.canonicalize() else { return };
    for spill in spills {
        if let Ok(path) = spill.canonicalize()
            && path.starts_with(&runtime)
            && path.is_file()
            && let Err(error) = fs::remove_file(&path)
        {
            tracing::warn!(%error, path = %path.display(), "cannot remove a spill file");
        }
    }
}
