//! `shellmate transcript`: what the agent asked for in a session, who allowed it and what came of it.

mod lines;
#[cfg(test)]
mod tests;

use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::Context;
use serde_json::json;

use crate::store::{ListedTranscript, Transcripts};
use crate::text::style::Style;
use crate::text::{human, sanitize};

use super::history::{Display, clip, is_broken_pipe};
use super::report;
use lines::EventLines;

/// How many transcripts are listed.
const LISTED: usize = 50;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<TranscriptCommand>,
    /// At most this many.
    #[arg(short = 'n', long, value_name = "N", default_value_t = LISTED)]
    limit: usize,
    /// Print one JSON object per line.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum TranscriptCommand {
    /// List the sessions with a transcript, newest first. This is the default.
    List {
        /// At most this many.
        #[arg(short = 'n', long, value_name = "N", default_value_t = LISTED)]
        limit: usize,
    },
    /// Show the transcript of a session.
    Show {
        /// The session, as listed by `shellmate transcript`, or the beginning of its id. By default the session of this terminal.
        session: Option<String>,
    },
    /// Write the transcript of a session to a file that only you can read, or to stdout.
    Export {
        /// The session, as listed by `shellmate transcript`, or the beginning of its id. By default the session of this terminal.
        session: Option<String>,
        /// The file, which must not exist.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

/// What the subcommand works with.
pub(super) struct TranscriptContext<'a> {
    pub(super) database: &'a Path,
    /// The session of this terminal.
    pub(super) session: Option<String>,
    pub(super) display: Display,
}

/// Runs the subcommand.
pub(super) fn run(args: Args, context: &TranscriptContext<'_>, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    match dispatch(args, context, out).and_then(|()| Ok(out.flush()?)) {
        // A closed pipe (`| head`) is not an error.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        done => done.map(|()| ExitCode::SUCCESS),
    }
}

fn dispatch(args: Args, context: &TranscriptContext<'_>, out: &mut impl Write) -> anyhow::Result<()> {
    let Args { command, limit, json } = args;
    let transcripts = Transcripts::open(context.database)?;
    match command.unwrap_or(TranscriptCommand::List { limit }) {
        TranscriptCommand::List { limit } => {
            let listed = transcripts.newest(limit)?;
            report::notices(listed.is_empty().then_some("no question has been recorded yet"));
            listed.iter().try_for_each(|one| match json {
                true => print_json(one, out),
                false => print_row(one, context.display, out),
            })
        }
        TranscriptCommand::Show { session } => {
            write_events(&transcripts, &named(&transcripts, session, context)?, json, out)
        }
        TranscriptCommand::Export { session, output } => {
            let session = named(&transcripts, session, context)?;
            let Some(path) = output else { return write_events(&transcripts, &session, json, out) };
            let cannot = || format!("cannot write {}", path.display());
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).with_context(cannot)?;
            let mut file = BufWriter::new(file);
            write_events(&transcripts, &session, json, &mut file)?;
            file.flush().with_context(cannot)
        }
    }
}

/// The session that the person named, or the one of this terminal.
fn named(
    transcripts: &Transcripts,
    session: Option<String>,
    context: &TranscriptContext<'_>,
) -> anyhow::Result<String> {
    let Some(named) = session else {
        let own = context.session.clone();
        return own.context("this is not a terminal with shellmate; name a session, `shellmate transcript` lists them");
    };
    let found = transcripts.session(&named)?;
    found.with_context(|| format!("there is no transcript {named}; `shellmate transcript` lists them"))
}

fn write_events(transcripts: &Transcripts, session: &str, json: bool, out: &mut impl Write) -> anyhow::Result<()> {
    let mut lines = EventLines::default();
    let mut count = 0_u64;
    transcripts.for_each_event(session, |event| {
        count += 1;
        if json { lines::print_json(session, &event, out) } else { lines.print(&event, out) }
    })?;
    report::notices((count == 0).then_some("no question has been recorded in this session yet"));
    Ok(())
}

fn print_json(one: &ListedTranscript, out: &mut impl Write) -> anyhow::Result<()> {
    let ListedTranscript { session, began_at, touched_at, questions, calls, bytes, opening } = one;
    let line = json!({
        "session": session, "began_at": lines::timestamp(*began_at), "touched_at": lines::timestamp(*touched_at),
        "questions": questions, "calls": calls, "bytes": bytes, "opening": opening,
    });
    super::json::print(&line, out)
}

/// In columns on a terminal, separated by tabs otherwise.
fn print_row(one: &ListedTranscript, display: Display, out: &mut impl Write) -> anyhow::Result<()> {
    let ListedTranscript { session, touched_at, questions, calls, .. } = one;
    let opening = sanitize(&one.opening).split_whitespace().collect::<Vec<_>>().join(" ");
    if !display.terminal {
        let at = lines::timestamp(*touched_at);
        return Ok(writeln!(out, "{session}\t{at}\t{questions}\t{calls}\t{opening}")?);
    }
    let age = human::age(SystemTime::now().duration_since(*touched_at).unwrap_or_default());
    let about = format!("{session}  {age:>4}  {questions:>3} asked  {calls:>4} called  ");
    let opening = clip(&opening, display.width.saturating_sub(about.len()).max(20));
    Ok(writeln!(out, "{}{opening}", display.paint(Style::DIM, &about))?)
}
