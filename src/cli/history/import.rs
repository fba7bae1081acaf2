//! `shellmate history import`: takes commands over from other histories.

use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use serde_json::json;

use super::HistoryContext;
use crate::cli::json;
use crate::store::{self, ImportCounts, ImportError, ImportFile, ImportMode, ImportRules, ImportSource};
use crate::text::sanitize;

const SOURCES: [&str; 5] = ["auto", "bash", "zsh", "fish", "atuin"];

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Whose history: of all that are found (auto), or of one program.
    #[arg(default_value = "auto", value_parser = PossibleValuesParser::new(SOURCES), value_name = "FROM")]
    from: String,
    /// The file, if it is not where the program keeps it.
    file: Option<PathBuf>,
    /// Only say how many commands would be added.
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(
    args: &Args,
    as_json: bool,
    context: &HistoryContext<'_>,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let files = files(args, context)?;
    let (ignore, problems) = context.config.ignore_set();
    super::report::notices(problems.iter().map(ToString::to_string));
    let mode = if args.dry_run { ImportMode::CountOnly } else { ImportMode::Write };
    let rules = ImportRules { ignore: &ignore, limits: context.config.history.limits(), mode };
    let done = store::import(context.database, &files, &rules)?;
    let (mut failures, mut imported) = (Vec::new(), 0);
    for (file, count) in files.iter().zip(done) {
        match count {
            Ok(count) if as_json => json::print(&object(file, &count), out)?,
            Ok(count) => writeln!(out, "{}", words(file, &count, mode))?,
            Err(error) => {
                failures.push(error);
                continue;
            }
        }
        imported += 1;
    }
    // The files that were found by themselves are imported as far as possible. `.bash_history` may be root's after a `sudo bash`.
    if imported == 0
        && let Some(first) = failures.pop()
    {
        return Err(first.into());
    }
    let told = |error: &ImportError| match error.source() {
        Some(source) => format!("{error}: {source}; it was left out"),
        None => format!("{error}; it was left out"),
    };
    super::report::notices(failures.iter().map(told));
    Ok(())
}

/// The files to import. A named program whose file is missing is an error; `auto` takes those that there are.
fn files(args: &Args, context: &HistoryContext<'_>) -> anyhow::Result<Vec<ImportFile>> {
    let named: Option<ImportSource> = (args.from != "auto").then(|| args.from.parse()).transpose()?;
    if let Some(path) = &args.file {
        let path = context.cwd.join(path);
        let source = named.map_or_else(|| ImportSource::of_file(&path), Ok)?;
        return Ok(vec![ImportFile { source, path }]);
    }
    let found = |source: ImportSource| {
        let path = places(source, context.variable).into_iter().find(|path| path.is_file());
        path.map(|path| ImportFile { source, path })
    };
    let Some(source) = named else {
        let found: Vec<ImportFile> = ImportSource::ALL.into_iter().filter_map(found).collect();
        anyhow::ensure!(
            !found.is_empty(),
            "no history of bash, zsh, fish or Atuin was found; `shellmate history import auto FILE` reads one from elsewhere"
        );
        return Ok(found);
    };
    let file = found(source).with_context(|| {
        let places: Vec<String> = places(source, context.variable).iter().map(|path| shown(path)).collect();
        let name = source.name();
        let places = places.join(" or ");
        format!("no history of {name} was found at {places}; `shellmate history import {name} FILE` reads one from elsewhere")
    })?;
    Ok(vec![file])
}

/// Where a program keeps its history, the likeliest place first.
fn places(source: ImportSource, variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let path = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = path("HOME");
    let in_home = |name: &str| home.as_ref().map(|home| home.join(name));
    let data = path("XDG_DATA_HOME").or_else(|| in_home(".local/share"));
    let in_data = |name: &str| data.as_ref().map(|data| data.join(name));
    // `HISTFILE` is of the shell that exports it. Its name says which.
    let named = |name: &str| path("HISTFILE").filter(|path| path.to_string_lossy().contains(name));
    let places = match source {
        ImportSource::Bash => vec![named("bash"), in_home(".bash_history")],
        ImportSource::Zsh => {
            let own = path("ZDOTDIR").map(|directory| directory.join(".zsh_history"));
            vec![named("zsh"), own, in_home(".zsh_history"), in_home(".zhistory"), in_home(".histfile")]
        }
        ImportSource::Fish => vec![in_data("fish/fish_history")],
        ImportSource::Atuin => vec![path("ATUIN_DB_PATH"), in_data("atuin/history.db")],
    };
    places.into_iter().flatten().collect()
}

/// What became of the commands of a file. Their texts are not shown.
fn words(file: &ImportFile, count: &ImportCounts, mode: ImportMode) -> String {
    let done = match mode {
        ImportMode::Write => "added",
        ImportMode::CountOnly => "would add",
    };
    let mut said = format!("{}: {done} {} of {}", shown(&file.path), count.added, commands(count.read));
    for (number, what) in [
        (count.known(), "were there already"),
        (count.ignored, "are private (history.ignore, or a blank in front)"),
        (count.too_long, "are too long"),
        (count.left_out, "are older than the history has room for (`commands` in [history])"),
    ] {
        if number > 0 {
            said.push_str(&format!(", {number} {what}"));
        }
    }
    said
}

fn commands(count: u64) -> String {
    if count == 1 { "1 command".to_owned() } else { format!("{count} commands") }
}

fn object(file: &ImportFile, count: &ImportCounts) -> serde_json::Value {
    json!({
        "from": file.source.name(), "file": file.path.to_string_lossy(), "read": count.read, "added": count.added,
        "known": count.known(), "ignored": count.ignored, "too_long": count.too_long, "left_out": count.left_out,
    })
}

fn shown(path: &Path) -> String {
    sanitize(&path.to_string_lossy())
}
