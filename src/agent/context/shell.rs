//! Recent commands of the shell, formatted for the model.

use super::excerpt::{ExcerptLimit, excerpt};
use super::shares::shares;
use super::{Happened, escape, name};
use crate::guard::Redactor;
use crate::text::{Clock, KIB, beginning, human};

/// How much of the recent commands goes with a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Events {
    /// The most lines of all outputs together.
    pub lines: usize,
    /// The most bytes of commands and outputs. 0 sends none. Up to half of it is for the commands themselves; older commands that do not fit are
    /// omitted.
    pub bytes: usize,
}

impl Events {
    /// The same, or less for a model whose window has only this many tokens: about a quarter of it.
    pub(in crate::agent) fn within(self, window: usize) -> Events {
        Events { bytes: self.bytes.min(window), ..self }
    }
}

impl Default for Events {
    fn default() -> Events {
        Events { lines: 200, bytes: 16 * KIB }
    }
}

/// The most commands that are sent.
const NEWEST: usize = 20;
/// The limit for the text of one command.
const TEXT: ExcerptLimit = ExcerptLimit { lines: 10, bytes: 600 };
const DIRECTORY: usize = 300;
/// The most bytes of the tags around one output, and of the tags around all commands.
const AROUND_OUTPUT: usize = 64;
const AROUND_ALL: usize = 128;

/// The commands that the person ran, with their outputs. Empty if there are none.
pub(super) fn events(happened: &[Happened], most: Events, clock: &Clock, redactor: &Redactor) -> String {
    let told = newest(happened, most.bytes / 2, clock, redactor);
    if told.is_empty() {
        return String::new();
    }
    let outputs: Vec<String> = told.iter().map(|(one, _)| escape(&redactor.mask(&one.output.text(one.size)))).collect();
    let heads: usize = told.iter().map(|(_, head)| head.len() + AROUND_OUTPUT).sum();
    let most = Events { bytes: most.bytes.saturating_sub(AROUND_ALL + heads), ..most };
    let rooms = rooms(&told, &outputs, most);
    let mut words = "<shell_events>\n".to_owned();
    if told.len() < happened.len() {
        words.push_str(&format!("[{} earlier commands left out]\n", happened.len() - told.len()));
    }
    for (((one, head), output), room) in told.iter().zip(&outputs).zip(rooms) {
        words.push_str(head);
        let shown = excerpt(output, room, &rest(one));
        if !shown.is_empty() {
            words.push_str(&format!("<output lines=\"{}\">\n{shown}\n</output>\n", output.lines().count()));
        }
        words.push_str("</command>\n");
    }
    words.push_str("</shell_events>\n");
    words
}

/// The newest commands with the text before their output, oldest first.
fn newest<'a>(
    happened: &'a [Happened],
    bytes: usize,
    clock: &Clock,
    redactor: &Redactor,
) -> Vec<(&'a Happened, String)> {
    let mut left = bytes;
    let heads = happened.iter().rev().take(NEWEST).map(|one| (one, head(one, clock, redactor)));
    let mut told: Vec<_> = heads
        .map_while(|(one, head)| {
            left = left.checked_sub(head.len() + AROUND_OUTPUT)?;
            Some((one, head))
        })
        .collect();
    told.reverse();
    told
}

fn head(one: &Happened, clock: &Clock, redactor: &Redactor) -> String {
    let command = &one.command;
    let id = one.ticket.id().map(|id| format!(" id=\"{id}\"")).unwrap_or_default();
    let (status, took) = (command.status, human::duration(command.duration));
    let at = clock.time(command.started_at);
    let cwd = name(&command.cwd.to_string_lossy()).replace('"', "'");
    let cwd = beginning(&cwd, DIRECTORY);
    let full_screen = if one.output.full_screen { " full_screen=\"yes\"" } else { "" };
    let text = excerpt(&escape(&redactor.mask(&String::from_utf8_lossy(&command.text))), TEXT, "too long");
    format!("<command{id} status=\"{status}\" at=\"{at}\" took=\"{took}\" cwd=\"{cwd}\"{full_screen}>\n{text}\n")
}

/// The limit for each output. The last failed command gets the largest share, because the question is probably about it.
fn rooms(told: &[(&Happened, String)], outputs: &[String], most: Events) -> Vec<ExcerptLimit> {
    let failed = told.iter().rposition(|(one, _)| one.command.status != 0);
    let weigh = |index: usize, status: i32| match () {
        () if Some(index) == failed => 12,
        () if index + 1 == told.len() => 4,
        () if status != 0 => 2,
        () => 1,
    };
    let weights: Vec<usize> =
        told.iter().enumerate().map(|(index, (one, _))| weigh(index, one.command.status)).collect();
    let lines: Vec<usize> = outputs.iter().map(|output| output.lines().count()).collect();
    let sizes: Vec<usize> = outputs.iter().map(String::len).collect();
    let rooms = shares(&lines, &weights, most.lines).into_iter().zip(shares(&sizes, &weights, most.bytes));
    rooms.map(|(lines, bytes)| ExcerptLimit { lines, bytes }).collect()
}

/// Where the model can read the omitted lines.
fn rest(one: &Happened) -> String {
    match (one.ticket.id(), &one.output.spill) {
        (Some(id), _) => format!("shell_output id {id}"),
        (None, Some(path)) => format!("read_file {}", name(&path.to_string_lossy())),
        (None, None) => "not kept".to_owned(),
    }
}
