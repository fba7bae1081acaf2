//! The history of queries.
//!
//! The file has one JSON string per line. Each is appended in one write, so that several sessions can share the file without losing a line.
//! Lines that cannot be parsed are skipped. If the file cannot be used, the editor works without it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;

/// The most entries that are kept.
const ENTRIES: usize = 1000;
/// Longer entries are not written to the file.
const ENTRY_CAP: usize = 16 * 1024;
/// The file is rewritten when it is larger than this. At most this much is read from its end.
const FILE_CAP: u64 = 1024 * 1024;

/// Earlier queries, oldest first.
#[derive(Debug, Default)]
pub(crate) struct History {
    entries: Vec<String>,
    path: Option<PathBuf>,
}

impl History {
    /// Reads the history at `path`. It is empty if there is no file or the file cannot be read.
    pub(crate) fn open(path: Option<PathBuf>) -> History {
        let mut history = History { entries: Vec::new(), path };
        history.refresh();
        history
    }

    /// Reads the file again, with the entries that other sessions have added.
    pub(crate) fn refresh(&mut self) {
        let Some(path) = &self.path else { return };
        match read(path) {
            Ok(entries) if !entries.is_empty() => self.entries = entries,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!(%error, "cannot read the history of queries"),
        }
    }

    pub(crate) fn add(&mut self, entry: &str) {
        if entry.trim().is_empty() || self.entries.last().is_some_and(|last| last == entry) {
            return;
        }
        self.entries.push(entry.to_owned());
        if self.entries.len() > ENTRIES {
            self.entries.remove(0);
        }
        if let Some(path) = self.path.as_ref().filter(|_| entry.len() <= ENTRY_CAP)
            && let Err(error) = append(path, entry)
        {
            tracing::warn!(%error, "cannot add the query to the history");
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&str> {
        self.entries.get(at).map(String::as_str)
    }

    pub(super) fn newest_first(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().rev().map(String::as_str)
    }
}

fn read(path: &std::path::Path) -> io::Result<Vec<String>> {
    let mut file = File::open(path)?;
    let surplus = file.metadata()?.len().saturating_sub(FILE_CAP);
    file.seek(SeekFrom::Start(surplus))?;
    let mut bytes = Vec::new();
    file.take(FILE_CAP).read_to_end(&mut bytes)?;
    let lines = bytes.split(|&byte| byte == b'\n');
    let mut entries: Vec<String> = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    entries.drain(..entries.len().saturating_sub(ENTRIES));
    Ok(entries)
}

fn append(path: &PathBuf, entry: &str) -> io::Result<()> {
    let line = format!("{}\n", serde_json::Value::from(entry));
    // Another session may replace the file while it is being opened. A line in the replaced file would be lost, so open it again.
    for _ in 0..8 {
        let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        let is_locked = file.try_lock().is_ok();
        if fs::metadata(path).is_ok_and(|there| Some(there.ino()) == file.metadata().ok().map(|ours| ours.ino())) {
            file.write_all(line.as_bytes())?;
            if is_locked && file.metadata()?.len() > FILE_CAP {
                rewrite(path)?;
            }
            return Ok(());
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

/// Replaces the file with one that holds its newest half. The caller has locked the old file.
fn rewrite(path: &PathBuf) -> io::Result<()> {
    let mut entries = read(path)?;
    let mut kept: Vec<String> = Vec::new();
    let mut bytes = 0;
    while let Some(entry) = entries.pop() {
        let line = format!("{}\n", serde_json::Value::from(entry));
        bytes += line.len() as u64;
        if bytes > FILE_CAP / 2 {
            break;
        }
        kept.push(line);
    }
    kept.reverse();
    let fresh = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
    file.write_all(kept.concat().as_bytes())?;
    fs::rename(fresh, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn path() -> (tempfile::TempDir, Option<PathBuf>) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("queries");
        (directory, Some(path))
    }

    fn all(path: &Option<PathBuf>) -> Vec<String> {
        History::open(path.clone()).entries
    }

    #[test]
    fn entries_keep_their_newlines_and_the_file_is_private() {
        let (_directory, path) = path();
        let mut history = History::open(path.clone());
        for entry in ["one", "two\nlines \\ and \"quotes\"", "two\nlines \\ and \"quotes\"", "  "] {
            history.add(entry);
        }
        assert_eq!(all(&path), ["one", "two\nlines \\ and \"quotes\""]);
        let mode = fs::metadata(path.unwrap()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn concurrent_sessions_lose_no_entries() {
        let (_directory, path) = path();
        std::thread::scope(|scope| {
            for session in 0..8 {
                let path = path.clone();
                scope.spawn(move || {
                    let mut history = History::open(path);
                    (0..100).for_each(|number| history.add(&format!("{session} asks {number}")));
                });
            }
        });
        let mut found = all(&path);
        found.sort();
        found.dedup();
        assert_eq!(found.len(), 800);
    }

    #[test]
    fn the_history_and_its_file_are_bounded() {
        let (_directory, path) = path();
        let mut history = History::open(path.clone());
        for number in 0..1200 {
            history.add(&format!("{number} {}", "x".repeat(4000)));
        }
        history.add(&"y".repeat(ENTRY_CAP + 1));
        let found = all(&path);
        assert!(found.last().is_some_and(|last| last.starts_with("1199 ")));
        assert!(found.len() > 50 && fs::metadata(path.unwrap()).unwrap().len() <= FILE_CAP + 8000);
        assert_eq!(history.len(), ENTRIES);
    }

    #[test]
    fn an_unusable_file_does_not_stop_the_editor() {
        let (directory, path) = path();
        fs::write(path.as_ref().unwrap(), b"\"good\"\n\xff\xfe\n\"cut\n{}\n\"fine\"\n").unwrap();
        assert_eq!(all(&path), ["good", "fine"]);
        let mut history = History::open(Some(directory.path().join("missing/queries")));
        history.add("still there");
        assert_eq!(history.get(0), Some("still there"));
        assert_eq!(all(&Some(directory.path().to_owned())), Vec::<String>::new());
    }
}
