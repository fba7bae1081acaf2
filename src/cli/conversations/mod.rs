//! `shellmate conversations`: lists, searches, shows, exports and deletes recorded conversations.

mod format;
mod list;

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::Context;

use crate::agent::RecordedEntry;
use crate::export::{self, DocumentFormat};
use crate::input;
use crate::store::{Conversations, ForgetConversations, ListScope, ListedConversation};
use crate::{text, undo};

use super::history::Display;
use super::report;

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
    /// Write a conversation as Markdown, JSON lines or an HTML page.
    Export {
        /// The number of the conversation.
        id: i64,
        /// The file, which must not exist; without it, stdout. Its extension names the format.
        path: Option<PathBuf>,
        /// md, jsonl or html.
        #[arg(long, value_name = "FORMAT", value_parser = format_named)]
        format: Option<DocumentFormat>,
    },
    /// Delete conversations: their text, their words in the search index, and what forks share with them.
    Forget {
        /// The numbers of the conversations.
        #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
        ids: Vec<i64>,
        /// Delete all conversations.
        #[arg(long)]
        all: bool,
        /// Do not ask.
        #[arg(short, long)]
        yes: bool,
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

/// Runs the subcommand on the database and the directory with kept files.
pub(crate) fn run(
    args: Args,
    places: (&Path, &Path),
    cwd: &Path,
    display: Display,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    match dispatch(args, places, cwd, display, out).and_then(|()| Ok(out.flush()?)) {
        // A closed pipe (`| head`) is not an error.
        Err(error) if super::history::is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        done => done.map(|()| ExitCode::SUCCESS),
    }
}

fn dispatch(
    args: Args,
    (database, kept): (&Path, &Path),
    cwd: &Path,
    display: Display,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let mut conversations = Conversations::open(database)?;
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
            let listed = known(&conversations, id)?;
            let entries = conversations.branch(id)?;
            if args.json {
                return format::entries(&entries, out);
            }
            let text = export::document(
                &export::recorded(&listed, &entries, &conversations.pictures()),
                DocumentFormat::Markdown,
            );
            Ok(writeln!(out, "{}", text::sanitize(text.trim_end()))?)
        }
        ConversationsCommand::Export { id, path, format } => {
            let listed = known(&conversations, id)?;
            let named = path.as_ref().and_then(|path| DocumentFormat::named(path.extension()?.to_str()?));
            let format = format.or(named).unwrap_or_default();
            let text = export::document(
                &export::recorded(&listed, &conversations.branch(id)?, &conversations.pictures()),
                format,
            );
            write_document(&text, path.as_deref(), out)
        }
        ConversationsCommand::Forget { ids, all, yes } => {
            if all && !yes {
                anyhow::bail!("this would forget {} conversations; add --yes to confirm", conversations.count()?);
            }
            let which = if all { ForgetConversations::All } else { ForgetConversations::Ids(ids.clone()) };
            let forgotten = forget(&mut conversations, &which, database)?;
            // Kept files that only a forgotten conversation, or none, refers to.
            undo::retain(kept, &conversations.contents()?).context("kept files could not be removed")?;
            if let Some(missing) = ids.iter().find(|id| !forgotten.contains(id)) {
                anyhow::bail!("there is no conversation {missing}; `shellmate conversations` lists them");
            }
            Ok(writeln!(out, "Forgot {}.", counted(forgotten.len()))?)
        }
        ConversationsCommand::Search { words, limit } => {
            let found = conversations.search(&words, limit)?;
            report::notices(found.is_empty().then_some("no recorded question matches"));
            if args.json { list::found_json(&found, out) } else { list::found(&found, now, display, out) }
        }
    }
}

fn counted(conversations: usize) -> String {
    if conversations == 1 { "1 conversation".to_owned() } else { format!("{conversations} conversations") }
}

/// Forgets conversations, and their questions where the conversation line would offer them again. Returns the ids of those that were
/// there.
fn forget(conversations: &mut Conversations, which: &ForgetConversations, database: &Path) -> anyhow::Result<Vec<i64>> {
    let asked = match which {
        ForgetConversations::All => None,
        ForgetConversations::Ids(ids) => Some(questions(conversations, ids)?),
    };
    let forgotten = conversations.forget(which)?;
    let is_forgotten = |query: &str| asked.as_ref().is_none_or(|asked| asked.contains(query));
    input::forget_queries(&database.with_file_name("queries"), is_forgotten)?;
    Ok(forgotten)
}

/// The questions of these conversations.
fn questions(conversations: &Conversations, ids: &[i64]) -> anyhow::Result<HashSet<String>> {
    let mut questions = HashSet::new();
    for id in ids {
        for entry in conversations.branch(*id)? {
            if let Ok(RecordedEntry::Question { words, .. }) = RecordedEntry::read(&entry) {
                questions.insert(words);
            }
        }
    }
    Ok(questions)
}

fn known(conversations: &Conversations, id: i64) -> anyhow::Result<ListedConversation> {
    conversations
        .get(id)?
        .with_context(|| format!("there is no conversation {id}; `shellmate conversations` lists them"))
}

fn format_named(name: &str) -> Result<DocumentFormat, String> {
    DocumentFormat::named(name).ok_or_else(|| format!("the formats are {}", DocumentFormat::NAMES.join(", ")))
}

/// Writes a document to a new file that only its owner can read, or to stdout.
fn write_document(text: &str, path: Option<&Path>, out: &mut impl Write) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(out.write_all(text.as_bytes())?) };
    let cannot = || format!("cannot write {}", path.display());
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).with_context(cannot)?;
    file.write_all(text.as_bytes()).with_context(cannot)
}

#[cfg(test)]
mod tests;
