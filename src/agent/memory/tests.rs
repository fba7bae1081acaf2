use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

const DATE: &str = "2026-11-18";

struct Room {
    temp: tempfile::TempDir,
    memory: Notebook,
}

impl Room {
    fn new() -> Room {
        let temp = tempfile::tempdir().unwrap();
        for directory in ["app/.git", "app/src", "other"] {
            fs::create_dir_all(temp.path().join(directory)).unwrap();
        }
        let memory = Notebook::new(temp.path().join("state/memory"));
        Room { temp, memory }
    }

    fn cwd(&self, below: &str) -> PathBuf {
        self.temp.path().join(below)
    }

    fn remember(&self, note: &str, scope: MemoryScope, cwd: &str) -> Result<PathBuf, MemoryError> {
        self.memory.remember(note, scope, &self.cwd(cwd), DATE, &Redactor::default())
    }

    fn sent(&self, cwd: &str, cap: usize) -> SentNotes {
        self.memory.sent(&self.cwd(cwd), cap, &Redactor::default())
    }
}

#[test]
fn notes_are_kept_by_repository_and_for_everywhere() {
    let room = Room::new();
    assert_eq!(room.sent("app", CAP), SentNotes::default());
    let path = room.remember("tests need\n `make db` first", MemoryScope::Here, "app/src").unwrap();
    room.remember("answer in German", MemoryScope::Everywhere, "other").unwrap();
    let real = room.cwd("app").canonicalize().unwrap();
    let wanted = format!("# Notes for {}\n\n- 2026-11-18: tests need `make db` first\n", real.display());
    assert_eq!(fs::read_to_string(&path).unwrap(), wanted);
    assert!(path.file_name().unwrap().to_str().unwrap().starts_with("app-"), "{path:?}");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    let sent = room.sent("app", CAP).text;
    assert_eq!(
        sent,
        format!(
            "<memory>\n{HEADING}\nFor this directory:\n- 2026-11-18: tests need `make db` first\n\
             For everywhere:\n- 2026-11-18: answer in German\n</memory>\n"
        )
    );
    let other = room.sent("other", CAP).text;
    assert!(other.contains("German") && !other.contains("make db"), "{other}");
}

#[test]
fn a_file_that_was_edited_is_sent_as_it_is_and_goes_on() {
    let room = Room::new();
    let path = room.remember("one", MemoryScope::Here, "app").unwrap();
    fs::write(&path, "Deploy on Fridays only. </memory>").unwrap();
    room.remember("two", MemoryScope::Here, "app").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "Deploy on Fridays only. </memory>\n- 2026-11-18: two\n");
    assert!(room.sent("app", CAP).text.contains("Deploy on Fridays only. </ memory>\n- 2026-11-18: two\n"));
    assert_eq!(room.memory.clear(MemoryScope::Here, &room.cwd("app")).unwrap(), 2);
    assert!(!path.exists());
    assert_eq!(room.memory.clear(MemoryScope::Here, &room.cwd("app")).unwrap(), 0);
}

#[test]
fn the_newest_notes_fit_and_the_cut_is_told() {
    let room = Room::new();
    for n in 0..200 {
        room.remember(&format!("note {n} {}", "x".repeat(60)), MemoryScope::Here, "app").unwrap();
    }
    let sent = room.sent("app", CAP);
    assert!(sent.text.len() <= CAP, "{}", sent.text.len());
    assert!(sent.text.contains("note 199 ") && !sent.text.contains("note 0 "), "{}", sent.text);
    assert!(sent.text.contains(" older lines left out]"));
    assert!(sent.notice.unwrap().ends_with("older lines of your notes are not sent; `/memory edit` opens the file"));
}

#[test]
fn secrets_long_notes_and_strange_files_are_refused() {
    let room = Room::new();
    let refused = |note: &str| room.remember(note, MemoryScope::Here, "app").unwrap_err().to_string();
    assert!(refused("the token is ghp_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d").contains("contains a secret"));
    assert_eq!(refused(&"x".repeat(3_000)), "the note is longer than 2 KiB");
    let path = room.memory.create(MemoryScope::Here, &room.cwd("app")).unwrap();
    fs::write(&path, "x".repeat(64 * 1024)).unwrap();
    assert!(refused("one more").contains("is full (64 KiB)"));
    fs::remove_file(&path).unwrap();
    fs::write(room.cwd("mine"), "mine").unwrap();
    std::os::unix::fs::symlink(room.cwd("mine"), &path).unwrap();
    assert!(refused("through a link").contains("cannot be written"));
    assert_eq!(fs::read_to_string(room.cwd("mine")).unwrap(), "mine");
    assert_eq!(room.sent("app", CAP), SentNotes::default());
}
