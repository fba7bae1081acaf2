//! The pictures of conversations: files beside the database, each named by the hash of its content.
//!
//! The table `pictures` says which entries refer to a file. Files are written and removed inside write transactions, so that no file
//! is removed while another process refers to it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};
use rusqlite::{Connection, TransactionBehavior};
use serde::{Deserialize, Serialize};

use crate::store::StoreError;

/// A picture that an entry refers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct KeptPicture {
    hash: String,
    bytes: Vec<u8>,
}

impl KeptPicture {
    pub(crate) fn new(bytes: Vec<u8>) -> KeptPicture {
        let hash = digest(&SHA256, &bytes).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        KeptPicture { hash, bytes }
    }

    /// The name by which an entry refers to it.
    pub(crate) fn hash(&self) -> &str {
        &self.hash
    }

    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }
}

impl From<KeptPicture> for String {
    fn from(picture: KeptPicture) -> String {
        STANDARD.encode(picture.bytes)
    }
}

impl TryFrom<String> for KeptPicture {
    type Error = base64::DecodeError;

    fn try_from(text: String) -> Result<KeptPicture, base64::DecodeError> {
        STANDARD.decode(text).map(KeptPicture::new)
    }
}

/// The directory of the pictures.
#[derive(Debug, Clone)]
pub(crate) struct PictureFiles {
    directory: PathBuf,
}

impl PictureFiles {
    /// The pictures of the conversations in this database.
    pub(crate) fn beside(database: &Path) -> PictureFiles {
        PictureFiles { directory: database.parent().unwrap_or(Path::new(".")).join("pictures") }
    }

    /// The content of a picture. The error means that it is missing or damaged.
    pub(crate) fn read(&self, hash: &str) -> io::Result<Vec<u8>> {
        // A hash that a damaged entry names must not lead to another file.
        let bytes = fs::read(self.path(hash).ok_or(io::ErrorKind::InvalidInput)?)?;
        match KeptPicture::new(bytes) {
            picture if picture.hash == hash => Ok(picture.bytes),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// Writes a picture, unless it is there already.
    fn keep(&self, picture: &KeptPicture) -> io::Result<()> {
        let path = self.directory.join(&picture.hash);
        if fs::metadata(&path).is_ok_and(|found| found.len() == picture.bytes.len() as u64) {
            return Ok(());
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        let new = path.with_extension("new");
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(&picture.bytes)?;
        fs::rename(new, path)
    }

    fn remove(&self, hash: &str) {
        let Some(path) = self.path(hash) else { return };
        if let Err(error) = fs::remove_file(path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, hash, "a picture cannot be removed");
        }
    }

    fn path(&self, hash: &str) -> Option<PathBuf> {
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| self.directory.join(hash))
    }

    /// Removes files that no entry refers to, which a killed process may have left.
    pub(super) fn sweep(&self, connection: &mut Connection) -> Result<(), StoreError> {
        let Ok(files) = fs::read_dir(&self.directory) else { return Ok(()) };
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for file in files.flatten() {
            let hash = file.file_name().to_string_lossy().into_owned();
            if !is_used(&transaction, &hash)? {
                let _ = fs::remove_file(file.path());
            }
        }
        Ok(transaction.commit()?)
    }
}

/// Keeps the pictures of an entry. The connection is inside a write transaction.
pub(super) fn keep(
    connection: &Connection,
    files: &PictureFiles,
    entry: i64,
    pictures: &[KeptPicture],
) -> Result<(), StoreError> {
    let sql = "INSERT OR IGNORE INTO pictures (hash, entry, bytes) VALUES (?, ?, ?)";
    for picture in pictures {
        if let Err(error) = files.keep(picture) {
            tracing::warn!(%error, hash = picture.hash, "a picture is not kept");
        }
        let size = i64::try_from(picture.size()).unwrap_or(i64::MAX);
        connection.prepare_cached(sql)?.execute((&picture.hash, entry, size))?;
    }
    Ok(())
}

/// Removes those of these pictures that no entry refers to any more. The connection is inside a write transaction.
pub(super) fn remove_unused(
    connection: &Connection,
    files: &PictureFiles,
    hashes: &[String],
) -> Result<(), StoreError> {
    for hash in hashes {
        if !is_used(connection, hash)? {
            files.remove(hash);
        }
    }
    Ok(())
}

fn is_used(connection: &Connection, hash: &str) -> Result<bool, StoreError> {
    Ok(connection.prepare_cached("SELECT 1 FROM pictures WHERE hash = ?")?.exists([hash])?)
}
