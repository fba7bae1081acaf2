//! The history of queries.
//!
//! The file has one JSON string per line. Each is appended in one write, so that several sessions can share the file without losing a line.
//! Lines that cannot be parsed are skipped. If the file cannot be used, the editor works without it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// The most entries that are kept.
const ENTRIES: usize = 1000;
/// Longer entries are not written to the file.
const ENTRY_CAP: usize = 16 * 1024;
/// The file is rewritten when it is larger than this. At most this much is read from its end.
const FILE_CAP: u64 = 1024 * 1024;

/// Earlier queries, oldest first.
#[derive(Debug, Default)]
pub(crate) struct QueryHistory {
    entries: Vec<String>,
}

impl QueryHistory {
    /// Takes the queries of earlier conversations, which are older than those it has.
    pub(crate) fn load(&mut self, earlier: Vec<String>) {
        let newer = std::mem::replace(&mut self.entries, earlier);
        for entry in newer {
            self.add(&entry);
        }
    }

    /// Adds a query. Returns whether it is one to keep: not empty, and not the one before it.
    pub(crate) fn add(&mut self, entry: &str) -> bool {
        if entry.trim().is_empty() || self.entries.last().is_some_and(|last| last == entry) {
            return false;
        }
        self.entries.push(entry.to_owned());
        if self.entries.len() > ENTRIES {
            self.entries.remove(0);
        }
        true
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

/// Reads the queries in a file. This waits for the disk.
pub(crate) fn read_queries(path: &Path) -> io::Result<Vec<String>> {
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

/// Appends a query to a file. This waits for the disk.
pub(crate) fn keep_query(path: &Path, entry: &str) -> io::Result<()> {
    if entry.len() > ENTRY_CAP {
        return Ok(());
    }
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
fn rewrite(path: &Path) -> io::Result<()> {
    let mut entries = read_queries(path)?;
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
    replace(path, &kept.concat())
}

/// Removes queries from a file. This waits for the disk.
pub(crate) fn forget_queries(path: &Path, is_forgotten: impl Fn(&str) -> bool) -> io::Result<()> {
    let entries = match read_queries(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        read => read?,
    };
    let kept = entries.iter().filter(|entry| !is_forgotten(entry));
    let lines: Vec<String> = kept.map(|entry| format!("{}\n", serde_json::Value::from(entry.as_str()))).collect();
    if lines.len() < entries.len() { replace(path, &lines.concat()) } else { Ok(()) }
}

fn replace(path: &Path, lines: &str) -> io::Result<()> {
    let fresh = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
    file.write_all(lines.as_bytes())?;
    fs::rename(fresh, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn queries_survive_with_their_newlines_and_nobody_else_reads_them() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("queries");
        let queries = ["one", "two\nlines \\ and \"quotes\""];
        queries.iter().for_each(|query| keep_query(&path, query).unwrap());
        assert_eq!(read_queries(&path).unwrap(), queries);
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn empty_queries_and_repetitions_are_not_added() {
        let mut history = QueryHistory::default();
        assert_eq!(["one", "two", "two", "  "].map(|query| history.add(query)), [true, true, false, false]);
        history.load(vec!["earlier".into(), "one".into()]);
        assert_eq!(history.entries, ["earlier", "one", "two"]);
    }

    #[test]
    fn sessions_that_write_at_once_lose_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("queries");
        std::thread::scope(|scope| {
            for session in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    (0..100).for_each(|number| keep_query(path, &format!("{session} asks {number}")).unwrap());
                });
            }
        });
        let mut found = read_queries(&path).unwrap();
        found.sort();
        found.dedup();
        assert_eq!(found.len(), 800);
    }

    #[test]
    fn the_history_and_its_file_are_bounded() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("queries");
        let mut history = QueryHistory::default();
        for number in 0..1200 {
            let query = format!("{number} {}", "x".repeat(4000));
            history.add(&query);
            keep_query(&path, &query).unwrap();
        }
        keep_query(&path, &"y".repeat(ENTRY_CAP + 1)).unwrap();
        let found = read_queries(&path).unwrap();
        assert!(found.last().is_some_and(|last| last.starts_with("1199 ")));
        assert!(found.len() > 50 && fs::metadata(path).unwrap().len() <= FILE_CAP + 8000);
        assert_eq!(history.len(), ENTRIES);
    }

    #[test]
    fn queries_can_be_forgotten() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("queries");
        forget_queries(&path, |_| true).unwrap();
        assert!(!path.exists());
        ["one", "two", "one"].iter().for_each(|query| keep_query(&path, query).unwrap());
        forget_queries(&path, |query| query == "one").unwrap();
        assert_eq!(read_queries(&path).unwrap(), ["two"]);
        forget_queries(&path, |_| true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn a_damaged_file_gives_what_can_be_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("queries");
        fs::write(&path, b"\"good\"\n\xff\xfe\n\"cut\n{}\n\"fine\"\n").unwrap();
        assert_eq!(read_queries(&path).unwrap(), ["good", "fine"]);
        assert!(keep_query(&directory.path().join("missing/queries"), "one").is_err());
        assert!(read_queries(directory.path()).is_err());
    }
}
