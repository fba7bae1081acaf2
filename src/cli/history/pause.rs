//! `shellmate history pause` and `resume`, for one terminal.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use anyhow::Context;

use super::HistoryContext;
use crate::store::PAUSED;

pub(super) fn pause(context: &HistoryContext<'_>, out: &mut impl Write) -> anyhow::Result<()> {
    let path = marker(context)?;
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .with_context(|| format!("cannot create {}", path.display()))?;
    Ok(writeln!(out, "Recording is paused in this terminal; `shellmate history resume` starts it again.")?)
}

pub(super) fn resume(context: &HistoryContext<'_>, out: &mut impl Write) -> anyhow::Result<()> {
    let path = marker(context)?;
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot remove {}", path.display()));
        }
        _ => {}
    }
    Ok(writeln!(out, "Recording has resumed in this terminal.")?)
}

fn marker(context: &HistoryContext<'_>) -> anyhow::Result<PathBuf> {
    match context.session {
        Some(current) => Ok(current.directory.join(PAUSED)),
        None => anyhow::bail!("this terminal is not recorded; run this in a shell started by `shellmate`"),
    }
}
