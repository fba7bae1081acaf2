//! `shellmate conversations`: lists, searches and shows recorded conversations.

mod format;
mod list;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

use crate::store::{Conversations, ListScope};

use super::history::Display;
use super::report;
pub(crate) use format::ExportFormat;

/// How many conversations or exchanges are listed.
const LISTED: usize = 50;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<ConversationsCommand>,
    #[command(flatten)]
    selection: ListSelection,
    /// Print one JSON object per line.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum ConversationsCommand {
    /// List the conversations that were used last, newest first. This is the default.
    List(ListSelection),
    /// Show a conversation.
    Show {
        /// The number of the conversation, as listed by `shellmate conversations`.
        id: i64,
    },
    /// Find questions by words in them, in their answers or in what the agent did.
    Search {
        /// All of these words must occur; the last one may be incomplete.
        #[arg(required = true, value_name = "WORDS")]
        words: Vec<String>,
        /// At most this many.
        #[arg(short = 'n', long, value_name = "N", default_value_t = LISTED)]
        limit: usize,
    },
}

/// Which conversations are listed.
#[derive(Debug, clap::Args)]
struct ListSelection {
    /// Only conversations of this directory's repository, or of this directory if it is in none.
    #[arg(long)]
    here: bool,
    /// At most this many.
    #[arg(short = 'n', long, value_name = "N", default_value_t = LISTED)]
    limit: usize,
}

/// Runs the subcommand.
pub(crate) fn run(
    args: Args,
    database: &Path,
    cwd: &Path,
    display: Display,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    match dispatch(args, database, cwd, display, out).and_then(|()| Ok(out.flush()?)) {
        // A closed pipe (`| head`) is not an error.
        Err(error) if super::history::is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        done => done.map(|()| ExitCode::SUCCESS),
    }
}

fn dispatch(args: Args, database: &Path, cwd: &Path, display: Display, out: &mut impl Write) -> anyhow::Result<()> {
    let conversations = Conversations::open(database)?;
    let command = args.command.unwrap_or(ConversationsCommand::List(args.selection));
    let now = SystemTime::now();
    match command {
        ConversationsCommand::List(ListSelection { here, limit }) => {
            let scope = if here { ListScope::Here(cwd) } else { ListScope::All };
            let listed = conversations.newest(scope, limit)?;
            report::notices(listed.is_empty().then_some("no conversation has been recorded yet"));
            let is_live = |id| conversations.is_live(id);
            if args.json { list::json(&listed, is_live, out) } else { list::table(&listed, now, display, out) }
        }
        ConversationsCommand::Show { id } => {
            let Some(listed) = conversations.get(id)? else {
                anyhow::bail!("there is no conversation {id}; `shellmate conversations` lists them")
            };
            let format = if args.json { ExportFormat::Jsonl } else { ExportFormat::Md };
            format.write(&listed, &conversations.branch(id)?, out)
        }
        ConversationsCommand::Search { words, limit } => {
            let found = conversations.search(&words, limit)?;
            report::notices(found.is_empty().then_some("no recorded question matches"));
            if args.json { list::found_json(&found, out) } else { list::found(&found, now, display, out) }
        }
    }
}

#[cfg(test)]
mod tests;
