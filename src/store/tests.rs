//! The room as others use it: records in, history out.

use std::num::NonZeroU16;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::*;
use crate::capture::{Output, Size};
use crate::track::Command;

pub(super) fn session(id: &str) -> Session {
    Session { id: id.to_owned(), host: "box".to_owned(), shell: "zsh".to_owned() }
}

pub(super) fn record(text: &str) -> Record {
    printed(text, "")
}

fn printed(text: &str, output: &str) -> Record {
    Record {
        command: Command {
            text: text.into(),
            cwd: PathBuf::from("/home/me/app"),
            status: 0,
            started_at: SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_123),
            duration: Duration::from_millis(1_250),
        },
        output: Output { seen: output.len() as u64, head: output.into(), ..Output::default() },
        size: Size { rows: NonZeroU16::new(24).unwrap(), cols: NonZeroU16::new(80).unwrap() },
    }
}
