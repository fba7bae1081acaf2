//! Commands are removed, with a question first where many could go by mistake.

use std::fs;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use super::since::Since;
use super::{Place, Screen};
use crate::store::{Filter, Forget, History};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    which: Which,
    /// Ask nothing.
    #[arg(short, long)]
    yes: bool,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Which {
    /// These commands; nothing is asked.
    #[arg(value_name = "ID")]
    ids: Vec<i64>,
    /// All that were started since then: 30m, 2h, 2d, 1w, today, or a date.
    #[arg(long, value_name = "TIME")]
    since: Option<Since>,
    /// Everything.
    #[arg(long)]
    all: bool,
}

pub(super) fn run(
    args: &Args,
    as_json: bool,
    place: &Place<'_>,
    screen: Screen,
    answers: Option<&mut dyn BufRead>,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let since = args.which.since.as_ref().map(|since| since.before(&place.now)).transpose()?;
    let mut history = History::open(place.database)?;
    let which = match since {
        Some(since) => Forget::Since(since),
        None if args.which.all => Forget::All,
        None => Forget::Ids(args.which.ids.clone()),
    };
    let asks = !matches!(which, Forget::Ids(_)) && !args.yes;
    let commands = if asks { history.count(&Filter { since, ..Filter::default() })? } else { 0 };
    if commands > 0 {
        let answers = answers.filter(|_| screen.terminal);
        let Some(answers) = answers else {
            anyhow::bail!("this would forget {}; add --yes to mean it", counted(commands))
        };
        if !agreed(commands, answers, out)? {
            return Ok(writeln!(out, "Nothing was forgotten.")?);
        }
    }
    let forgotten = history.forget(&which)?;
    remove_below(place.runtime, &forgotten.spills);
    if as_json {
        crate::cli::json::print(&serde_json::json!({ "forgotten": forgotten.ids }), out)?;
    } else {
        writeln!(out, "Forgot {}.", counted(forgotten.ids.len()))?;
    }
    let unknown: Vec<String> =
        args.which.ids.iter().filter(|id| !forgotten.ids.contains(id)).map(i64::to_string).collect();
    if !unknown.is_empty() {
        anyhow::bail!("there is no command {} in the history", unknown.join(", "));
    }
    Ok(())
}

fn agreed(commands: usize, answers: &mut dyn BufRead, out: &mut impl Write) -> anyhow::Result<bool> {
    write!(out, "Forget {} and what they printed? [y/N] ", counted(commands))?;
    out.flush()?;
    let mut answer = String::new();
    answers.read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn counted(commands: usize) -> String {
    if commands == 1 { "1 command".to_owned() } else { format!("{commands} commands") }
}

/// Removes spill files, wherever the database says they are, only if that is below `runtime`. One that is gone is gone.
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
