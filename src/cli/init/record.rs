//! What the last `init` has changed, so that `init --undo` can restore it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::config::{Paths, edit, private_dir};
use crate::provider::{Consents, Server};

use super::shown;

/// One change of the configuration.
#[derive(Debug, Serialize, Deserialize)]
struct InitRecord {
    file: PathBuf,
    /// `None` if there was no file.
    before: Option<String>,
    after: String,
    /// The server that the person agreed to.
    #[serde(default)]
    server: Option<Server>,
}

/// The text of the file; `None` if it does not exist.
pub(super) fn text_of(file: &Path) -> Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", shown(file))),
    }
}

/// Writes the configuration, and the consent to a server. The record comes first, so that every change can be undone.
pub(super) fn write(
    paths: &Paths,
    file: &Path,
    before: Option<String>,
    after: &str,
    server: Option<&Server>,
) -> Result<()> {
    let path = paths.init_file().context("no directory for the record; `shellmate doctor` says why")?;
    let directory = path.parent().unwrap_or(Path::new("."));
    private_dir(directory).with_context(|| format!("cannot use {}", shown(directory)))?;
    // A consent from before is not undone.
    let server = server.filter(|server| !has_consent(paths, server));
    let record = InitRecord { file: file.to_owned(), before, after: after.to_owned(), server: server.cloned() };
    let keep = || -> io::Result<()> {
        // Created with mode 0600.
        let mut kept = tempfile::NamedTempFile::new_in(directory)?;
        serde_json::to_writer_pretty(&mut kept, &record)?;
        kept.write_all(b"\n")?;
        kept.persist(&path)?;
        Ok(())
    };
    keep().with_context(|| format!("cannot write {}, so nothing was changed", shown(&path)))?;
    if let Some(server) = server {
        agree_to(paths, server)?;
    }
    edit::replace(file, after).with_context(|| format!("cannot write {}", shown(file)))
}

/// Keeps the consent to a server.
pub(super) fn agree_to(paths: &Paths, server: &Server) -> Result<()> {
    let file = paths.servers_file().context("no directory for the consent; `shellmate doctor` says why")?;
    let directory = file.parent().unwrap_or(Path::new("."));
    private_dir(directory).with_context(|| format!("cannot use {}", shown(directory)))?;
    Ok(Consents::remember(&file, server)?)
}

fn has_consent(paths: &Paths, server: &Server) -> bool {
    paths.servers_file().and_then(|file| Consents::load(&file).ok()).is_some_and(|consents| consents.has(server))
}

/// Restores the configuration of the last record and returns its path. A file that was changed since is left alone.
pub(super) fn undo(paths: &Paths) -> Result<PathBuf> {
    let path = paths.init_file().context("no directory for the record; `shellmate doctor` says why")?;
    let Some(text) = text_of(&path)? else { bail!("`shellmate init` has made no change here that could be undone") };
    let record: InitRecord =
        serde_json::from_str(&text).with_context(|| format!("{} is damaged; remove it", shown(&path)))?;
    if text_of(&record.file)?.as_deref() != Some(record.after.as_str()) {
        bail!(
            "{} was changed after `shellmate init`, so it is left as it is; its earlier text is in {}",
            shown(&record.file),
            shown(&path)
        );
    }
    let restored = match &record.before {
        Some(before) => edit::replace(&record.file, before),
        None => fs::remove_file(&record.file),
    };
    restored.with_context(|| format!("cannot restore {}", shown(&record.file)))?;
    if let (Some(server), Some(file)) = (&record.server, paths.servers_file()) {
        Consents::forget(&file, server)?;
    }
    fs::remove_file(&path).with_context(|| format!("cannot remove {}", shown(&path)))?;
    Ok(record.file)
}
