//! `shellmate history search`: the finder on a terminal, a list otherwise.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use super::finder::{self, FinderEnd, FinderStart, RegionStart};
use super::{Display, HistoryContext, Selection, filter, json, report_empty, table};
use crate::render::TerminalMode;
use crate::store::{Filter, History};
use crate::{session, text, tty};

/// Exit status if the person left the finder, as if Ctrl-C had ended it.
const LEFT: u8 = 130;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Words to search for. In the list all of them must occur in the text or the output of a command; the last one may be incomplete.
    /// In the finder they are the beginning of what you type.
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
    /// Print a list, also on a terminal.
    #[arg(long)]
    list: bool,
    /// Open the finder with this line as its words, and print the chosen command on stdout. For key bindings; see `history key`.
    #[arg(long, value_name = "LINE", conflicts_with_all = ["words", "list", "json"], allow_hyphen_values = true)]
    line: Option<String>,
    #[command(flatten)]
    selection: Selection,
}

impl Args {
    /// Where the finder opens, if it does.
    fn region(&self, as_json: bool, display: Display, context: &HistoryContext<'_>) -> Option<RegionStart> {
        let can_draw = context.look.mode == TerminalMode::Terminal && tty::is_in_foreground();
        match self.line {
            Some(_) => Some(RegionStart::Below).filter(|_| can_draw),
            None if self.list || as_json || !display.terminal || !tty::is_interactive() => None,
            None => Some(RegionStart::Here).filter(|_| can_draw),
        }
    }
}

pub(super) fn run(
    args: &Args,
    as_json: bool,
    context: &HistoryContext<'_>,
    display: Display,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    if let Some(region) = args.region(as_json, display, context) {
        return find(args, region, context, display, out);
    }
    anyhow::ensure!(
        context.look.mode != TerminalMode::Reader || !args.words.is_empty() && args.line.is_none(),
        "the finder redraws the screen, which a screen reader cannot follow; `shellmate history search WORDS` prints a list"
    );
    anyhow::ensure!(args.line.is_none(), "the finder needs a terminal; `shellmate history search WORDS` prints a list");
    anyhow::ensure!(!args.words.is_empty(), "name the words to search for; on a terminal they can be typed");
    let (history, filter) = (History::open(context.database)?, filter(&args.selection, context, display)?);
    let entries = |visit: &mut table::EntryVisitor<'_>| history.for_each_found(&args.words, &filter, visit);
    if as_json {
        entries(&mut |entry| json::entry(&entry, out))?;
    } else {
        report_empty(table::found(&history, entries, &args.words, context, display, out)?, true);
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens the finder. The chosen command goes to the prompt of this session if that is possible, else to stdout.
fn find(
    args: &Args,
    region: RegionStart,
    context: &HistoryContext<'_>,
    display: Display,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let filter = Filter { limit: args.selection.limit, ..filter(&args.selection, context, display)? };
    let words = args.words.join(" ");
    let start =
        FinderStart { typed: args.line.as_deref().unwrap_or(&words), filter, region, look: context.look.clone() };
    let command = match finder::find(start, context)? {
        FinderEnd::Command(command) => text::without_controls(&String::from_utf8_lossy(&command)),
        FinderEnd::NoMatch => return Ok(ExitCode::FAILURE),
        FinderEnd::Left => return Ok(ExitCode::from(LEFT)),
        FinderEnd::Ended(signal) => return Ok(ExitCode::from(128 + u8::try_from(signal).unwrap_or_default())),
    };
    let is_handed = |directory| session::hand_to_prompt(directory, &command, started);
    if args.line.is_some() || !context.session.is_some_and(|current| is_handed(current.directory)) {
        writeln!(out, "{command}")?;
    }
    Ok(ExitCode::SUCCESS)
}
