//! `shellmate history`: what was run, where, and what came of it.
//!
//! Nothing here knows the process it runs in: database, directories, clock, screen and the answers to questions are handed in.
//! Text from the database is sanitised before it is written, except where raw bytes or JSON are asked for.

mod forget;
mod json;
mod pause;
mod screen;
mod show;
mod since;
mod stats;
mod table;
#[cfg(test)]
mod tests;

use std::io::{self, BufRead, Write};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use jiff::{Timestamp, Zoned};

use crate::store::{Filter, History};

use super::report;
pub(crate) use screen::Screen;
use since::Since;

/// On a terminal, where more would only scroll by.
const LISTED: usize = 50;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    which: Which,
    /// Print one JSON object a line.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Find commands by words in their text or output.
    Search {
        /// All of them must be there; the last may be unfinished.
        #[arg(required = true, value_name = "WORDS")]
        words: Vec<String>,
        #[command(flatten)]
        which: Which,
    },
    /// Show a command with its output.
    Show {
        id: i64,
        /// Print nothing but the output, byte for byte.
        #[arg(long, conflicts_with = "json")]
        raw: bool,
    },
    /// Show the last command with its output: of this terminal, or of any if this one has none.
    Last {
        /// How many.
        #[arg(default_value_t = 1, value_name = "N")]
        count: usize,
    },
    /// The history in numbers.
    Stats,
    /// Remove commands and their output for good.
    Forget(forget::Args),
    /// Stop recording in this terminal.
    Pause,
    /// Go on recording in this terminal.
    Resume,
}

/// Which commands to list.
#[derive(Debug, Default, clap::Args)]
struct Which {
    /// Only those started in this directory or below it.
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Only those that failed.
    #[arg(long)]
    failed: bool,
    /// Only those started since then: 30m, 2h, 2d, 1w, today, or a date.
    #[arg(long, value_name = "TIME")]
    since: Option<Since>,
    /// Only those of this session.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only the newest so many. On a terminal 50, otherwise all.
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
}

/// Where everything is.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    pub database: &'a Path,
    /// Spill files are below it. Nothing outside is ever removed.
    pub runtime: &'a Path,
    /// The session we run in, if we do.
    pub session: Option<Inside<'a>>,
    /// The working directory as the shell knows it, symbolic links and all.
    pub cwd: &'a Path,
    pub now: Zoned,
}

/// The session we run in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inside<'a> {
    pub id: &'a str,
    /// Its private directory.
    pub directory: &'a Path,
}

/// Does what the arguments say. `answers` is where a question can be answered, if anywhere.
pub(crate) fn run(
    args: Args,
    place: &Place<'_>,
    screen: Screen,
    answers: Option<&mut dyn BufRead>,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let done = dispatch(args, place, screen, answers, out).and_then(|()| Ok(out.flush()?));
    match done {
        Ok(()) => Ok(ExitCode::SUCCESS),
        // Whoever reads has read enough.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error),
    }
}

fn dispatch(
    args: Args,
    place: &Place<'_>,
    screen: Screen,
    answers: Option<&mut dyn BufRead>,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let json = args.json;
    let open = || History::open(place.database);
    match args.command {
        None => {
            let (history, filter) = (open()?, filter(&args.which, place, screen)?);
            let entries = |visit: &mut table::Visitor<'_>| history.for_each(&filter, visit);
            if json {
                return entries(&mut |entry| json::entry(&entry, out));
            }
            say_if_none(table::list(entries, place, screen, out)?, args.which.is_narrow());
            Ok(())
        }
        Some(Command::Search { words, which }) => {
            let (history, filter) = (open()?, filter(&which, place, screen)?);
            let entries = |visit: &mut table::Visitor<'_>| history.for_each_found(&words, &filter, visit);
            if json {
                return entries(&mut |entry| json::entry(&entry, out));
            }
            say_if_none(table::found(&history, entries, &words, place, screen, out)?, true);
            Ok(())
        }
        Some(Command::Show { id, raw }) => {
            let Some(stored) = open()?.get(id)? else {
                anyhow::bail!("there is no command {id} in the history; `shellmate history` lists them")
            };
            match (raw, json) {
                (true, _) => show::raw(&stored, out),
                (false, true) => json::whole(&stored, out),
                (false, false) => show::whole(&stored, place, screen, out),
            }
        }
        Some(Command::Last { count }) => {
            let history = open()?;
            for entry in last(&history, count, place)? {
                // Forgotten in this very moment.
                let Some(stored) = history.get(entry.id)? else { continue };
                if json {
                    json::whole(&stored, out)?;
                } else {
                    show::whole(&stored, place, screen, out)?;
                }
            }
            Ok(())
        }
        Some(Command::Stats) => {
            let stats = open()?.stats()?;
            if json { json::stats(&stats, out) } else { stats::print(&stats, place, screen, out) }
        }
        Some(Command::Forget(args)) => forget::run(&args, json, place, screen, answers, out),
        Some(Command::Pause) => pause::pause(place, out),
        Some(Command::Resume) => pause::resume(place, out),
    }
}

/// Tells a person on stderr that nothing was found. What is on stdout is an empty list all the same.
fn say_if_none(listed: usize, is_narrow: bool) {
    let words = match is_narrow {
        true => "no recorded command matches; `shellmate history` lists all",
        false => "no command has been recorded yet",
    };
    report::notices((listed == 0).then_some(words));
}

impl Which {
    /// Whether some commands are left out on purpose.
    fn is_narrow(&self) -> bool {
        let Which { cwd, failed, since, session, limit } = self;
        cwd.is_some() || *failed || since.is_some() || session.is_some() || limit.is_some()
    }
}

fn last(history: &History, count: usize, place: &Place<'_>) -> anyhow::Result<Vec<crate::store::Entry>> {
    let session = place.session.map(|inside| inside.id.to_owned());
    let here = Filter { session, limit: Some(count), ..Filter::default() };
    let entries = history.list(&here)?;
    let entries = if entries.is_empty() { history.list(&Filter { session: None, ..here })? } else { entries };
    if entries.is_empty() && count > 0 {
        anyhow::bail!("no command has been recorded yet");
    }
    Ok(entries)
}

fn filter(which: &Which, place: &Place<'_>, screen: Screen) -> anyhow::Result<Filter> {
    Ok(Filter {
        cwd: which.cwd.as_ref().map(|directory| absolute(place.cwd, directory)),
        failed: which.failed,
        since: which.since.as_ref().map(|since| since.before(&place.now)).transpose()?,
        session: which.session.clone(),
        limit: which.limit.or(screen.terminal.then_some(LISTED)),
    })
}

/// As `cd` would have it: `..` undoes a name, whether or not that was a symbolic link.
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

/// How long before `now` something started; nothing if a clock was wrong.
fn age(started_at: std::time::SystemTime, now: &Zoned) -> std::time::Duration {
    std::time::SystemTime::from(now.timestamp()).duration_since(started_at).unwrap_or_default()
}

/// What no calendar knows is shown as its beginning.
fn timestamp(time: std::time::SystemTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let source = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    source.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
