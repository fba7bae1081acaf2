//! `shellmate history`: lists, searches, shows and deletes recorded commands.
//!
//! Database, directories, clock, display and answers to questions are passed in, so tests need no process. Text from the database is
//! sanitized before it is written, except for raw output and JSON.

mod display;
mod finder;
mod forget;
mod import;
mod json;
mod key;
mod pause;
mod search;
mod show;
mod stats;
mod table;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use jiff::{Timestamp, Zoned};

use crate::config::Config;
use crate::render::RenderOptions;
use crate::store::{Filter, History};
use crate::text::Since;
use crate::text::bars::ChartLook;

use super::report;
pub(crate) use display::Display;
pub(super) use display::clip;

/// How many commands are listed on a terminal.
const LISTED: usize = 50;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<HistoryCommand>,
    #[command(flatten)]
    selection: Selection,
    /// Print one JSON object per line.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum HistoryCommand {
    /// Find a command. On a terminal this opens a finder below the cursor: type to filter, Enter puts the command on the prompt, Tab
    /// shows its whole output, Esc leaves. Otherwise it lists commands by words in their text or output.
    ///
    /// Exit status of the finder: 0 if a command was chosen, 1 if nothing matches, 130 if you leave.
    Search(search::Args),
    /// Print the lines that bind a key to the finder, for the start file of a shell. In a shell started by `shellmate` the setting
    /// `history.key` does this.
    Key(key::Args),
    /// Show a command with its output.
    Show {
        /// The number of the command, as listed by `shellmate history`. Those of imported commands are negative.
        #[arg(allow_negative_numbers = true)]
        id: i64,
        /// Print only the output, byte for byte.
        #[arg(long, conflicts_with = "json")]
        raw: bool,
    },
    /// Show the last command of this terminal with its output, or of any terminal if this one has none.
    Last {
        /// How many commands.
        #[arg(default_value_t = 1, value_name = "N")]
        count: usize,
    },
    /// Print statistics, as charts on a terminal.
    Stats(stats::Args),
    /// Add the commands of another history: of bash, zsh, fish or Atuin. A second import adds only what is new.
    Import(import::Args),
    /// Delete commands and their output.
    Forget(forget::Args),
    /// Stop recording in this terminal.
    Pause,
    /// Resume recording in this terminal.
    Resume,
}

/// Selection commands to list.
#[derive(Debug, Default, clap::Args)]
struct Selection {
    /// Only commands started in this directory or below it.
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Only commands that failed.
    #[arg(long)]
    failed: bool,
    /// Only commands started since then: 30m, 2h, 2d, 1w, today, or a date.
    #[arg(long, value_name = "TIME")]
    since: Option<Since>,
    /// Only commands of this session.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only the newest N commands. By default 50 on a terminal, otherwise all.
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
}

/// The files and the clock that the subcommands use.
pub(crate) struct HistoryContext<'a> {
    pub database: &'a Path,
    /// The directory of spill files. No file outside of it is deleted.
    pub runtime: &'a Path,
    /// The session that this program runs in, if any.
    pub session: Option<CurrentSession<'a>>,
    /// The working directory as the shell knows it, which may contain symbolic links.
    pub cwd: &'a Path,
    pub now: Zoned,
    /// The styles of charts. Their width is that of the display.
    pub chart: ChartLook,
    /// How the terminal shows the finder.
    pub look: RenderOptions,
    pub config: &'a Config,
    /// The variables of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
}

/// The session that this program runs in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CurrentSession<'a> {
    pub id: &'a str,
    /// Its private directory.
    pub directory: &'a Path,
}

/// Runs the subcommand. `answers` is the input for answers to a question, if there is one.
pub(crate) fn run(
    args: Args,
    context: &HistoryContext<'_>,
    display: Display,
    answers: Option<&mut dyn BufRead>,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    let done = dispatch(args, context, display, answers, &mut code, out).and_then(|()| Ok(out.flush()?));
    match done {
        Ok(()) => Ok(code),
        // A closed pipe (`| head`) is not an error.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error),
    }
}

fn dispatch(
    args: Args,
    context: &HistoryContext<'_>,
    display: Display,
    answers: Option<&mut dyn BufRead>,
    code: &mut ExitCode,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let json = args.json;
    let open = || History::open(context.database);
    match args.command {
        None => {
            let (history, filter) = (open()?, filter(&args.selection, context, display)?);
            let entries = |visit: &mut table::EntryVisitor<'_>| history.for_each(&filter, visit);
            if json {
                return entries(&mut |entry| json::entry(&entry, out));
            }
            report_empty(table::list(entries, context, display, out)?, args.selection.is_filtered());
            Ok(())
        }
        Some(HistoryCommand::Search(args)) => {
            *code = search::run(&args, json, context, display, out)?;
            Ok(())
        }
        Some(HistoryCommand::Key(args)) => key::run(&args, out),
        Some(HistoryCommand::Show { id, raw }) => {
            let Some(stored) = open()?.get(id)? else {
                anyhow::bail!("there is no command {id} in the history; `shellmate history` lists them")
            };
            match (raw, json) {
                (true, _) => show::raw(&stored, out),
                (false, true) => json::whole(&stored, out),
                (false, false) => show::whole(&stored, context, display, out),
            }
        }
        Some(HistoryCommand::Last { count }) => {
            let history = open()?;
            history.for_each(&last(&history, count, context)?, |entry| match history.get(entry.id)? {
                Some(stored) if json => json::whole(&stored, out),
                Some(stored) => show::whole(&stored, context, display, out),
                // It may have been deleted meanwhile.
                None => Ok(()),
            })
        }
        Some(HistoryCommand::Stats(args)) => {
            let stats = stats::count(args, &open()?, context)?;
            if json { json::stats(&stats, out) } else { stats::print(&stats, context, display, out) }
        }
        Some(HistoryCommand::Import(args)) => import::run(&args, json, context, out),
        Some(HistoryCommand::Forget(args)) => forget::run(&args, json, context, display, answers, out),
        Some(HistoryCommand::Pause) => pause::pause(context, out),
        Some(HistoryCommand::Resume) => pause::resume(context, out),
    }
}

/// Says on stderr that nothing was found. stdout stays empty.
fn report_empty(listed: usize, is_filtered: bool) {
    let words = match is_filtered {
        true => "no recorded command matches; `shellmate history` lists all",
        false => "no command has been recorded yet",
    };
    report::notices((listed == 0).then_some(words));
}

impl Selection {
    /// Whether any filter is set.
    fn is_filtered(&self) -> bool {
        let Selection { cwd, failed, since, session, limit } = self;
        cwd.is_some() || *failed || since.is_some() || session.is_some() || limit.is_some()
    }
}

/// The last commands of this terminal, or of any if this one has none.
fn last(history: &History, count: usize, context: &HistoryContext<'_>) -> anyhow::Result<Filter> {
    let session = context.session.map(|current| current.id.to_owned());
    // An imported command has no output to show, so it counts only if there is nothing else.
    let here = Filter { session, recorded: true, limit: Some(count), ..Filter::default() };
    let anywhere = Filter { session: None, ..here.clone() };
    let mut filter = Filter { recorded: false, ..anywhere.clone() };
    for preferred in [here, anywhere] {
        if history.count(&preferred)? > 0 {
            filter = preferred;
            break;
        }
    }
    if count > 0 && history.count(&filter)? == 0 {
        anyhow::bail!("no command has been recorded yet");
    }
    Ok(filter)
}

fn filter(selection: &Selection, context: &HistoryContext<'_>, display: Display) -> anyhow::Result<Filter> {
    Ok(Filter {
        cwd: selection.cwd.as_ref().map(|directory| absolute(context.cwd, directory)),
        failed: selection.failed,
        since: selection.since.as_ref().map(|since| since.before(&context.now)).transpose()?,
        session: selection.session.clone(),
        recorded: false,
        limit: selection.limit.or(display.terminal.then_some(LISTED)),
    })
}

/// Joins paths as `cd` does: `..` removes a component, even if that is a symbolic link.
fn absolute(cwd: &Path, directory: &Path) -> PathBuf {
    let mut path = PathBuf::new();
    for component in cwd.join(directory).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                path.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => path.push(component),
        }
    }
    path
}

/// The time since `started_at`, or zero if that is in the future.
fn age(started_at: std::time::SystemTime, now: &Zoned) -> std::time::Duration {
    std::time::SystemTime::from(now.timestamp()).duration_since(started_at).unwrap_or_default()
}

/// Times outside of the calendar become the Unix epoch.
fn timestamp(time: std::time::SystemTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH)
}

pub(super) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let source = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    source.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
