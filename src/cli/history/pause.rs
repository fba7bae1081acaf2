//! Recording stops and goes on, in one terminal.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use anyhow::Context;

use super::Place;
use crate::store::PAUSED;

pub(super) fn pause(place: &Place<'_>, out: &mut impl Write) -> anyhow::Result<()> {
    let path = marker(place)?;
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .with_context(|| format!("cannot create {}", path.display()))?;
    Ok(writeln!(out, "Recording is paused in this terminal; `shellmate history resume` goes on.")?)
}

pub(super) fn resume(place: &Place<'_>, out: &mut impl Write) -> anyhow::Result<()> {
    let path = marker(place)?;
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot remove {}", path.display()));
        }
        _ => {}
    }
    Ok(writeln!(out, "Recording goes on in this terminal.")?)
}

fn marker(place: &Place<'_>) -> anyhow::Result<PathBuf> {
    match place.session {
        Some(inside) => Ok(inside.directory.join(PAUSED)),
        None => anyhow::bail!("this terminal is not recorded; run it inside a shell started by `shellmate`"),
    }
}
