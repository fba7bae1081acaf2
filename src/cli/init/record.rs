//! What the last `init` has changed, so that `init --undo` can take it back.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ring::digest;
use serde::{Deserialize, Serialize};

use crate::config::{Paths, edit, private_dir};
use crate::provider::{Consents, Keys, Server};

use super::connect::TypedKey;
use super::shown;

/// Everything that one run of the wizard changes.
pub(super) struct Changes<'a> {
    pub(super) file: &'a Path,
    /// The text of the file; `None` if there is none.
    pub(super) before: Option<String>,
    pub(super) after: &'a str,
    /// The server on this machine that the person agreed to.
    pub(super) server: Option<&'a Server>,
    pub(super) key: Option<&'a TypedKey>,
}

/// What was changed.
#[derive(Debug, Serialize, Deserialize)]
struct InitRecord {
    file: PathBuf,
    /// `None` if there was no file.
    before: Option<String>,
    after: String,
    #[serde(default)]
    server: Option<Server>,
    #[serde(default)]
    key: Option<KeyRecord>,
}

/// A key that was stored. The record does not contain it.
#[derive(Debug, Serialize, Deserialize)]
struct KeyRecord {
    variable: String,
    /// Tells whether it is still the same key.
    sha256: String,
}

/// What was taken back.
#[derive(Debug)]
pub(super) struct Undone {
    pub(super) file: PathBuf,
    /// The variable that names the key that was deleted.
    pub(super) key: Option<String>,
}

/// The text of the file; `None` if it does not exist.
pub(super) fn text_of(file: &Path) -> Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", shown(file))),
    }
}

pub(super) fn keys_file(paths: &Paths) -> Result<PathBuf> {
    paths.keys_file().context("no directory for keys; `shellmate doctor` says why")
}

pub(super) fn has_consent(paths: &Paths, server: &Server) -> bool {
    paths.servers_file().and_then(|file| Consents::load(&file).ok()).is_some_and(|consents| consents.has(server))
}

/// Stores the key and the consent and writes the configuration. The record comes first, so that every change can be undone. If one of
/// them cannot be made, the others are taken back.
pub(super) fn write(paths: &Paths, changes: Changes<'_>) -> Result<()> {
    let path = paths.init_file().context("no directory for the record; `shellmate doctor` says why")?;
    let directory = path.parent().unwrap_or(Path::new("."));
    private_dir(directory).with_context(|| format!("cannot use {}", shown(directory)))?;
    let key = changes
        .key
        .map(|typed| KeyRecord { variable: typed.taker.variable().to_owned(), sha256: fingerprint(&typed.key) });
    let record = InitRecord {
        file: changes.file.to_owned(),
        before: changes.before.clone(),
        after: changes.after.to_owned(),
        server: changes.server.cloned(),
        key,
    };
    let former = fs::read(&path).ok();
    keep(&path, &serde_json::to_vec_pretty(&record)?)
        .with_context(|| format!("cannot write {}, so nothing was changed", shown(&path)))?;
    let made = make(paths, &changes);
    if made.is_err() {
        let _ = take_back(paths, &record);
        let _ = match former {
            Some(former) => keep(&path, &former),
            None => fs::remove_file(&path),
        };
    }
    made
}

fn make(paths: &Paths, changes: &Changes<'_>) -> Result<()> {
    if changes.after != changes.before.as_deref().unwrap_or_default() {
        edit::replace(changes.file, changes.after)
            .with_context(|| format!("cannot write {}, so nothing was changed", shown(changes.file)))?;
    }
    let rest = || -> Result<()> {
        if let Some(typed) = changes.key {
            typed.taker.store(&typed.key, &keys_file(paths)?)?;
        }
        if let Some(server) = changes.server {
            let file = paths.servers_file().context("no directory for the consent; `shellmate doctor` says why")?;
            Consents::remember(&file, server)?;
        }
        Ok(())
    };
    let made = rest();
    if made.is_err() {
        let _ = restore(changes.file, changes.before.as_deref());
    }
    made
}

/// Replaces the record, with mode 0600.
fn keep(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut kept = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    kept.write_all(text)?;
    kept.persist(path)?;
    Ok(())
}

fn fingerprint(key: &str) -> String {
    let digest = digest::digest(&digest::SHA256, key.as_bytes());
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Takes back what the last record says. If the configuration was changed since, everything is left alone.
pub(super) fn undo(paths: &Paths) -> Result<Undone> {
    let path = paths.init_file().context("no directory for the record; `shellmate doctor` says why")?;
    let Some(text) = text_of(&path)? else { bail!("`shellmate init` has made no change here that could be undone") };
    let record: InitRecord =
        serde_json::from_str(&text).with_context(|| format!("{} is damaged; remove it", shown(&path)))?;
    if text_of(&record.file)?.unwrap_or_default() != record.after {
        let key = record.key.as_ref().map(|key| format!("; `shellmate auth logout` deletes the key {}", key.variable));
        bail!(
            "{} was changed after `shellmate init`, so it is left as it is; its earlier text is in {}{}",
            shown(&record.file),
            shown(&path),
            key.unwrap_or_default()
        );
    }
    restore(&record.file, record.before.as_deref())
        .with_context(|| format!("cannot restore {}", shown(&record.file)))?;
    let key = take_back(paths, &record)?;
    fs::remove_file(&path).with_context(|| format!("cannot remove {}", shown(&path)))?;
    Ok(Undone { file: record.file, key })
}

/// Gives a file its former text, or removes it if there was none.
fn restore(file: &Path, before: Option<&str>) -> io::Result<()> {
    if text_of(file).ok().flatten().as_deref() == before {
        return Ok(());
    }
    match before {
        Some(before) => edit::replace(file, before),
        None => fs::remove_file(file),
    }
}

/// Deletes the key, unless another one was stored since, and forgets the server. Returns the variable of the deleted key.
fn take_back(paths: &Paths, record: &InitRecord) -> Result<Option<String>> {
    if let (Some(server), Some(file)) = (&record.server, paths.servers_file()) {
        Consents::forget(&file, server)?;
    }
    let Some(KeyRecord { variable, sha256 }) = &record.key else { return Ok(None) };
    let file = keys_file(paths)?;
    let mut keys = Keys::load(&file)?;
    let is_same = keys.get(variable).is_some_and(|key| fingerprint(key) == *sha256);
    if !is_same {
        return Ok(None);
    }
    keys.forget(variable);
    keys.save(&file)?;
    Ok(Some(variable.clone()))
}
