//! What is at a path: a file, a link, a directory, or nothing.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;

use nix::sys::stat::{FileStat, SFlag};
use ring::digest;
use serde::{Deserialize, Serialize};

use super::contents::{ContentStore, PackDraft};
use crate::text::MIB;
use crate::tool::{HeldError, Opener};

/// Files above this size are not kept. The file tools cannot change them either.
pub(crate) const LARGEST_KEPT: u64 = 8 * MIB as u64;

/// The state of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PathState {
    Absent,
    File {
        mode: u32,
        size: u64,
        content: ContentIdentity,
    },
    Link {
        target: OsString,
    },
    Directory {
        mode: u32,
    },
    /// A pipe, a socket, a device, or a path that leads through a link.
    Other,
}

/// What is known about the content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContentIdentity {
    /// It is in the store under this name.
    Kept(ContentName),
    /// It is not kept: too large, not readable, or the store is full. Time and inode identify it.
    Unkept { mtime: i64, inode: u64 },
}

/// The SHA-256 of a content, which is its name in the store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct ContentName([u8; 32]);

/// A name that is not 64 hexadecimal digits.
#[derive(Debug, thiserror::Error)]
#[error("this is not the name of a kept content")]
pub(crate) struct NotAContentName;

impl ContentName {
    pub(super) fn of(bytes: &[u8]) -> ContentName {
        let mut name = [0; 32];
        name.copy_from_slice(digest::digest(&digest::SHA256, bytes).as_ref());
        ContentName(name)
    }

    pub(super) fn bytes(self) -> [u8; 32] {
        self.0
    }

    pub(super) fn from_bytes(bytes: [u8; 32]) -> ContentName {
        ContentName(bytes)
    }
}

impl fmt::Display for ContentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<ContentName> for String {
    fn from(name: ContentName) -> String {
        name.to_string()
    }
}

impl FromStr for ContentName {
    type Err = NotAContentName;

    fn from_str(text: &str) -> Result<ContentName, NotAContentName> {
        let mut name = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return Err(NotAContentName);
        }
        for (at, byte) in name.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).map_err(|_| NotAContentName)?;
        }
        Ok(ContentName(name))
    }
}

impl TryFrom<String> for ContentName {
    type Error = NotAContentName;

    fn try_from(text: String) -> Result<ContentName, NotAContentName> {
        text.parse()
    }
}

impl PathState {
    /// Whether both are the same kind of thing with the same content. Modes are not compared.
    pub(super) fn has_content_of(&self, other: &PathState) -> bool {
        match (self, other) {
            (PathState::File { content: one, size, .. }, PathState::File { content: two, size: other, .. }) => {
                one == two && size == other
            }
            (PathState::Directory { .. }, PathState::Directory { .. }) => true,
            (one, other) => one == other,
        }
    }

    pub(super) fn mode(&self) -> Option<u32> {
        match self {
            PathState::File { mode, .. } | PathState::Directory { mode } => Some(*mode),
            PathState::Absent | PathState::Link { .. } | PathState::Other => None,
        }
    }

    /// The name of its kept content.
    pub(super) fn content(&self) -> Option<ContentName> {
        match self {
            PathState::File { content: ContentIdentity::Kept(name), .. } => Some(*name),
            _ => None,
        }
    }

    /// Whether it is a file that is small enough and was not kept all the same.
    pub(super) fn was_not_kept(&self) -> bool {
        matches!(self, PathState::File { content: ContentIdentity::Unkept { .. }, size, .. } if *size <= LARGEST_KEPT)
    }

    pub(super) fn is_directory(&self) -> bool {
        matches!(self, PathState::Directory { .. })
    }

    /// The same with another mode.
    pub(super) fn with_mode(self, mode: Option<u32>) -> PathState {
        match (self, mode) {
            (PathState::File { size, content, .. }, Some(mode)) => PathState::File { mode, size, content },
            (PathState::Directory { .. }, Some(mode)) => PathState::Directory { mode },
            (state, _) => state,
        }
    }
}

/// Looks at paths without following links, and keeps the contents of files.
pub(super) struct Observer<'a> {
    pub(super) opener: Opener,
    pub(super) store: &'a ContentStore,
    draft: PackDraft<'a>,
    /// The first error of the store.
    trouble: Option<io::Error>,
}

impl<'a> Observer<'a> {
    pub(super) fn new(store: &'a ContentStore) -> Observer<'a> {
        Observer { opener: Opener::default(), store, draft: store.draft(), trouble: None }
    }

    /// Writes the contents of what was looked at. An error means that some of them are not kept.
    pub(super) fn commit(&mut self) -> io::Result<()> {
        let committed = self.draft.commit();
        self.trouble.take().map_or(committed, Err)
    }

    /// The state of a path, given by its real path. The content of a file is kept.
    pub(super) fn look(&mut self, path: &Path) -> PathState {
        match self.opener.about(path) {
            Ok(about) => self.state(path, &about),
            Err(HeldError::Io(error)) if error.kind() == io::ErrorKind::NotFound => PathState::Absent,
            // A part of the path is no directory. Below a file there is nothing; below a link there may be.
            Err(HeldError::Replaced) => match path.parent().map(|parent| self.look(parent)) {
                Some(PathState::Absent | PathState::File { .. }) => PathState::Absent,
                Some(PathState::Link { .. } | PathState::Directory { .. } | PathState::Other) | None => {
                    PathState::Other
                }
            },
            Err(HeldError::Io(_) | HeldError::Link) => PathState::Other,
        }
    }

    /// The state of a path with this metadata.
    pub(super) fn state(&mut self, path: &Path, about: &FileStat) -> PathState {
        let mode = about.st_mode & 0o7777;
        match SFlag::from_bits_truncate(about.st_mode) & SFlag::S_IFMT {
            SFlag::S_IFREG => {
                let size = u64::try_from(about.st_size).unwrap_or_default();
                match self.keep(path, size) {
                    Some((name, size)) => PathState::File { mode, size, content: ContentIdentity::Kept(name) },
                    None => PathState::File { mode, size, content: unkept(about) },
                }
            }
            SFlag::S_IFDIR => PathState::Directory { mode },
            SFlag::S_IFLNK => match self.opener.link(path) {
                Ok(target) => PathState::Link { target },
                Err(_) => PathState::Other,
            },
            _ => PathState::Other,
        }
    }

    /// Keeps the content of a file. Returns its name and how many bytes were read.
    fn keep(&mut self, path: &Path, size: u64) -> Option<(ContentName, u64)> {
        if size > LARGEST_KEPT {
            return None;
        }
        let file = self.opener.open(path).ok()?;
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
        file.take(LARGEST_KEPT + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 > LARGEST_KEPT {
            return None;
        }
        match self.draft.add(&bytes) {
            Ok(name) => Some((name, bytes.len() as u64)),
            Err(error) => {
                self.trouble.get_or_insert(error);
                None
            }
        }
    }
}

fn unkept(about: &FileStat) -> ContentIdentity {
    let mtime = about.st_mtime.saturating_mul(1_000_000_000).saturating_add(about.st_mtime_nsec);
    ContentIdentity::Unkept { mtime, inode: about.st_ino }
}
