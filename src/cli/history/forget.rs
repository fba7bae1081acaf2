//! `shellmate history forget`: deletes commands, after a question if it could be many.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use super::{Display, HistoryContext};
use crate::store::{Filter, Forget, History};
use crate::text::Since;

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
    #[arg(value_name = "ID", allow_negative_numbers = true)]
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
    let unknown = forget(&mut history, &selection, as_json, context, out)?;
    if !unknown.is_empty() {
        let unknown: Vec<String> = unknown.iter().map(i64::to_string).collect();
        anyhow::bail!("there is no command {} in the history", unknown.join(", "));
    }
    Ok(())
}

/// Removes commands and their spill files, and says which or how many. Returns the ids that were named and are not there.
fn forget(
    history: &mut History,
    which: &Forget,
    as_json: bool,
    context: &HistoryContext<'_>,
    out: &mut impl Write,
) -> anyhow::Result<BTreeSet<i64>> {
    let mut unknown = match which {
        Forget::Ids(ids) => ids.iter().copied().collect(),
        Forget::Since(_) | Forget::All => BTreeSet::new(),
    };
    let mut commands = 0;
    if as_json {
        write!(out, "{{\"forgotten\":[")?;
    }
    let forgotten = history.forget(which, |slice| {
        remove_below(context.runtime, &slice.spills);
        for id in slice.ids {
            unknown.remove(&id);
            if as_json {
                write!(out, "{}{id}", if commands == 0 { "" } else { "," })?;
            }
            commands += 1;
        }
        anyhow::Ok(())
    });
    // What was removed before an error is gone all the same.
    if as_json {
        writeln!(out, "]}}")?;
    } else if forgotten.is_ok() || commands > 0 {
        writeln!(out, "Forgot {}.", counted(commands))?;
    }
    forgotten.map(|()| unknown)
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
