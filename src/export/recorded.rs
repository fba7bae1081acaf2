//! The document of a recorded conversation.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{Document, DocumentExchange};
use crate::agent::{RecordedEntry, put_pictures_back};
use crate::chat::Ending;
use crate::store::{ListedConversation, PictureFiles, StoredEntry};

/// The document of a conversation with all its exchanges, also those that were summarised for the model. Exchanges without an end were
/// interrupted, or are not over yet.
pub(crate) fn recorded(listed: &ListedConversation, entries: &[StoredEntry], pictures: &PictureFiles) -> Document {
    let mut exchanges: Vec<(i64, DocumentExchange)> = Vec::new();
    let whole = |mut message| {
        put_pictures_back(&mut message, pictures);
        message
    };
    for entry in entries {
        let of = entry.exchange.unwrap_or(entry.id);
        let open = exchanges.iter_mut().rev().find(|(question, _)| *question == of).map(|(_, exchange)| exchange);
        match (RecordedEntry::read(entry), open) {
            (Ok(RecordedEntry::Question { words, message, .. }), _) => {
                let (asked, model) = (moment(entry.at), String::new());
                let (messages, ending) = (vec![whole(message)], Ending::Interrupted);
                exchanges.push((entry.id, DocumentExchange { question: words, asked, model, messages, ending }));
            }
            (Ok(RecordedEntry::Message(message)), Some(open)) => open.messages.push(whole(message)),
            (Ok(RecordedEntry::End(end)), Some(open)) => (open.model, open.ending) = (end.model, end.ending),
            (Ok(_), _) => {}
            (Err(error), _) => tracing::warn!(%error, id = entry.id, "a recorded entry cannot be read"),
        }
    }
    let place = listed.repository.display().to_string();
    let facts = vec![format!("conversation {}", listed.id), place, moment(listed.touched_at)];
    Document { title: listed.title(), facts, exchanges: exchanges.into_iter().map(|(_, exchange)| exchange).collect() }
}

/// A time of the person's clock, to the minute.
fn moment(time: SystemTime) -> String {
    let time = Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH);
    time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}
