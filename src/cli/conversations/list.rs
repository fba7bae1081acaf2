//! Lists conversations and found questions: in columns on a terminal, separated by tabs otherwise.

use std::io::Write;
use std::time::SystemTime;

use jiff::Timestamp;
use serde::Serialize;

use crate::cli::history::{Display, clip};
use crate::cli::json;
use crate::store::{FoundExchange, ListedConversation};
use crate::text::style::Style;
use crate::text::{human, sanitize};

/// Columns of the model's name.
const MODEL: usize = 24;

#[derive(Serialize)]
struct ListedJson<'a> {
    id: i64,
    title: String,
    name: Option<&'a str>,
    repository: String,
    model: Option<&'a str>,
    exchanges: u64,
    bytes: u64,
    touched_at: String,
    live: bool,
}

#[derive(Serialize)]
struct FoundJson<'a> {
    id: i64,
    conversation: i64,
    title: &'a str,
    repository: String,
    asked_at: String,
    question: &'a str,
}

pub(super) fn json(
    listed: &[ListedConversation],
    is_live: impl Fn(i64) -> bool,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    listed.iter().try_for_each(|one| {
        let line = ListedJson {
            id: one.id,
            title: one.title(),
            name: one.name.as_deref(),
            repository: one.repository.display().to_string(),
            model: one.model.as_deref(),
            exchanges: one.exchanges,
            bytes: one.bytes,
            touched_at: timestamp(one.touched_at),
            live: is_live(one.id),
        };
        json::print(&line, out)
    })
}

pub(super) fn found_json(found: &[FoundExchange], out: &mut impl Write) -> anyhow::Result<()> {
    found.iter().try_for_each(|one| {
        let line = FoundJson {
            id: one.id,
            conversation: one.conversation,
            title: &one.title,
            repository: one.repository.display().to_string(),
            asked_at: timestamp(one.asked_at),
            question: &one.question,
        };
        json::print(&line, out)
    })
}

pub(super) fn table(
    listed: &[ListedConversation],
    now: SystemTime,
    display: Display,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let rows = listed.iter().map(|one| (one.id, one.touched_at, one.model.clone(), one.title()));
    write_rows(rows.collect(), now, display, out)
}

pub(super) fn found(
    found: &[FoundExchange],
    now: SystemTime,
    display: Display,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let rows = found.iter().map(|one| (one.conversation, one.asked_at, None, one.question.clone()));
    write_rows(rows.collect(), now, display, out)
}

type TableRow = (i64, SystemTime, Option<String>, String);

fn write_rows(rows: Vec<TableRow>, now: SystemTime, display: Display, out: &mut impl Write) -> anyhow::Result<()> {
    let id_width = rows.iter().map(|(id, ..)| id.to_string().len()).max().unwrap_or(0);
    let has_models = rows.iter().any(|(_, _, model, _)| model.is_some());
    let dim = |text: &str| display.paint(Style::DIM, text);
    for (id, at, model, words) in rows {
        let words = one_line(&words);
        if !display.terminal {
            writeln!(out, "{id}\t{}\t{}\t{words}", timestamp(at), model.unwrap_or_default())?;
            continue;
        }
        let age = format!("{:>4}", human::age(now.duration_since(at).unwrap_or_default()));
        let model = match has_models {
            true => format!("  {:<MODEL$}", clip(&one_line(&model.unwrap_or_default()), MODEL)),
            false => String::new(),
        };
        let used = id_width + 2 + age.len() + model.len() + 2;
        let words = clip(&words, display.width.saturating_sub(used).max(20));
        writeln!(out, "{id:>id_width$}  {}{}  {words}", dim(&age), dim(&model))?;
    }
    Ok(())
}

fn one_line(text: &str) -> String {
    sanitize(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn timestamp(time: SystemTime) -> String {
    Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}
