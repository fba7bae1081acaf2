//! Excerpts of the outputs that a search has found.

use super::{COMMAND, COMMANDS, Records, reach};
use crate::store::{History, NewestCommands, Phrases, StoreError, StoredCommand};
use crate::text::{MIB, human};
use crate::tool::found_lines::FoundLines;
use crate::tool::result::TEXT_CAP;

/// The most excerpts of one output.
const EXCERPTS: usize = 5;
/// The most bytes of outputs that one search reads. Commands beyond it are listed without excerpts.
const READ: usize = 2 * MIB;
/// Room for the notes about one command.
const NOTES: usize = 200;

impl Records {
    /// The commands that were found, newest first, each with the lines of its output that have the words.
    pub(super) fn excerpts(
        &self,
        history: &History,
        words: &[String],
        found: NewestCommands,
    ) -> Result<String, StoreError> {
        let phrases = Phrases::new(words);
        let (mut text, mut unread) = (String::new(), READ);
        for (at, entry) in found.entries.iter().enumerate() {
            let left = found.entries.len() - at;
            // Room that one command does not need is for the next ones.
            let room = (TEXT_CAP - text.len()) / left;
            let about = self.about(entry, COMMAND);
            let Some(stored) = history.get(entry.id)? else { continue };
            let body = match unread.checked_sub(stored.output.head.len() + stored.output.tail.len()) {
                Some(rest) => {
                    unread = rest;
                    self.excerpt(&stored, &phrases, room.saturating_sub(about.len() + NOTES))
                }
                None => format!("  [its output is not quoted here: shell_output id {} with grep]\n", entry.id),
            };
            if text.len() + about.len() + body.len() + 1 > TEXT_CAP {
                text.push_str(&format!("[{left} more commands found; narrow the search to see them]\n"));
                return Ok(text);
            }
            text.push_str(&format!("{about}\n{body}"));
        }
        if found.entries.len() == COMMANDS {
            text.push_str("[older commands are not shown; narrow the search to see them]\n");
        }
        Ok(text + &reach(&found))
    }

    /// The lines of an output that have the words, in at most this many bytes, and notes about the rest of it.
    fn excerpt(&self, stored: &StoredCommand, phrases: &Phrases, room: usize) -> String {
        // The spill file, which can have 64 MiB, is not read. The index has no more than this text either.
        let text = self.redactor.mask_in_place(&stored.output.text(stored.size));
        let output = FoundLines::new(&text, stored.output.missing() > 0, phrases);
        let (mut body, more) = output.quoted(EXCERPTS, room);
        let id = stored.entry.id;
        let is_in_command = || phrases.in_line(&String::from_utf8_lossy(&stored.entry.command)).is_some();
        if output.is_empty() && !is_in_command() {
            body.push_str(&format!("  [no line of its output can be quoted: shell_output id {id} shows it]\n"));
        }
        if more > 0 {
            body.push_str(&format!("  [{more} more matching lines: shell_output id {id} with grep]\n"));
        }
        if stored.output.missing() > 0 {
            let size = human::size(stored.output.missing());
            body.push_str(&match stored.entry.spill.as_ref().filter(|path| path.exists()) {
                Some(_) => format!("  [{size} of its output were not searched: shell_output id {id} with grep]\n"),
                None => format!("  [{size} of its output were not kept]\n"),
            });
        }
        body
    }
}
