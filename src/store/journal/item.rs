//! What a frame holds: a tagged record. A program that writes new tags has a newer database format too, so an older program, which
//! leaves such a database alone, does not meet them.

use std::ffi::OsString;
use std::num::NonZeroU16;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::Duration;

use crate::capture::{Output, Size};
use crate::store::entry::time;
use crate::store::insert::{micros, micros_since_1970};
use crate::store::{CommandRecord, RecordingSession};
use crate::track::Command;

const SESSION: u8 = b'S';
const COMMAND: u8 = b'C';

/// What the writer puts into the database.
#[derive(Debug)]
pub(in crate::store) enum JournalItem {
    Command(Kept),
}

/// A command as it was when it was appended.
#[derive(Debug)]
pub(in crate::store) struct Kept {
    pub(in crate::store) record: CommandRecord,
    /// Whether output is missing both here and in the spill file, which only the session that wrote that file knows.
    pub(in crate::store) truncated: bool,
}

impl Kept {
    #[cfg(test)]
    pub(in crate::store) fn new(record: CommandRecord) -> Kept {
        let truncated = record.output.truncated();
        Kept { record, truncated }
    }
}

pub(super) fn encode_session(session: &RecordingSession) -> Vec<u8> {
    let mut out = vec![SESSION];
    for text in [&session.id, &session.host, &session.shell] {
        put_bytes(&mut out, text.as_bytes());
    }
    out
}

pub(super) fn decode_session(payload: &[u8]) -> Option<RecordingSession> {
    let mut fields = Fields::tagged(payload, SESSION)?;
    Some(RecordingSession { id: fields.text()?, host: fields.text()?, shell: fields.text()? })
}

pub(in crate::store) fn encode_command(record: &CommandRecord) -> Vec<u8> {
    let CommandRecord { command, output, size } = record;
    let mut out = Vec::with_capacity(record.bytes() + 128);
    out.push(COMMAND);
    put_bytes(&mut out, &command.text);
    put_bytes(&mut out, command.cwd.as_os_str().as_bytes());
    put_number(&mut out, command.status.into());
    put_number(&mut out, micros_since_1970(command.started_at));
    put_number(&mut out, micros(command.duration));
    put_number(&mut out, size.rows.get().into());
    put_number(&mut out, size.cols.get().into());
    put_number(&mut out, output.seen as i64);
    put_number(&mut out, output.missing() as i64);
    put_number(&mut out, output.truncated().into());
    put_number(&mut out, output.full_screen.into());
    put_bytes(&mut out, &output.head);
    put_bytes(&mut out, &output.tail);
    // An empty path is no path.
    put_bytes(&mut out, output.spill.as_ref().map_or(b"", |path| path.as_os_str().as_bytes()));
    out
}

impl JournalItem {
    pub(in crate::store) fn decode(payload: &[u8]) -> Option<JournalItem> {
        let mut fields = Fields::tagged(payload, COMMAND)?;
        let command = Command {
            text: fields.bytes()?.to_vec(),
            cwd: fields.path()?,
            status: i32::try_from(fields.number()?).ok()?,
            started_at: time(fields.number()?),
            duration: Duration::from_micros(fields.number()?.try_into().ok()?),
        };
        let size = Size { rows: fields.side()?, cols: fields.side()? };
        let seen = fields.number()? as u64;
        let missing = fields.number()? as u64;
        let truncated = fields.number()? != 0;
        let full_screen = fields.number()? != 0;
        let (head, tail) = (fields.bytes()?.to_vec(), fields.bytes()?.to_vec());
        let mut output = Output::restored(seen, head, tail, missing, full_screen);
        output.spill = Some(fields.path()?).filter(|path| !path.as_os_str().is_empty());
        Some(JournalItem::Command(Kept { record: CommandRecord { command, output, size }, truncated }))
    }
}

fn put_number(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as i64);
    out.extend_from_slice(bytes);
}

/// What is left of a payload.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn tagged(payload: &'a [u8], tag: u8) -> Option<Fields<'a>> {
        payload.strip_prefix(&[tag]).map(Fields)
    }

    fn number(&mut self) -> Option<i64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(i64::from_le_bytes(*number))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn path(&mut self) -> Option<PathBuf> {
        Some(OsString::from_vec(self.bytes()?.to_vec()).into())
    }

    fn side(&mut self) -> Option<NonZeroU16> {
        NonZeroU16::new(u16::try_from(self.number()?).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::{printed, session};

    #[test]
    fn a_command_is_read_back_as_it_was() {
        let mut record = printed("make \u{e9}", "output");
        record.command.text.push(0xFF);
        record.command.status = -1;
        record.output.spill = Some("/run/1.out".into());
        let Some(JournalItem::Command(kept)) = JournalItem::decode(&encode_command(&record)) else { panic!() };
        assert_eq!(kept.record.command.text, record.command.text);
        assert_eq!(kept.record.command.cwd, record.command.cwd);
        assert_eq!(kept.record.command.status, -1);
        assert_eq!(kept.record.command.started_at, record.command.started_at);
        assert_eq!(kept.record.command.duration, record.command.duration);
        assert_eq!((kept.record.output.head, kept.record.output.spill), (b"output".to_vec(), record.output.spill));
        assert_eq!((kept.record.size, kept.truncated), (record.size, false));
        assert_eq!(decode_session(&encode_session(&session("a"))), Some(session("a")));
    }

    #[test]
    fn cut_or_unknown_payloads_are_refused() {
        let payload = encode_command(&printed("make", "output"));
        for cut in 0..payload.len() {
            assert!(JournalItem::decode(&payload[..cut]).is_none(), "cut at {cut}");
        }
        assert!(JournalItem::decode(b"?").is_none());
    }
}
