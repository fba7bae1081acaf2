//! Whole sessions recorded from the real shells, replayed: `tests/streams/SHELL-NAME.bytes`, and beside each, as `.json`, what was
//! asked and what is remembered. `tests/it/recorded.rs` records them; `UPDATE_STREAMS=1` writes down what they mean, to be read.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::announce::Announcer;
use super::follow::Follower;
use super::privacy::Privacy;
use super::stage::Stage;
use crate::capture::{Limits, Size, Spiller};
use crate::track::Scanner;

/// What stands in a recording for the session's own.
const NONCE: &str = "00000000000000000000000000000000";

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Meaning {
    queries: Vec<String>,
    commands: Vec<Remembered>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Remembered {
    command: String,
    cwd: PathBuf,
    status: i32,
    output: String,
    full_screen: bool,
}

/// Plays a stream in pieces of that many bytes.
fn replay(bytes: &[u8], piece: usize) -> (Meaning, Vec<u8>) {
    let privacy = Privacy::new(None, PathBuf::from("/no/such/file"));
    let mut stage = Stage::new(
        Announcer::new(None, "host".into()),
        Limits::default(),
        Spiller::none(),
        privacy,
        Follower::default(),
    );
    let mut scanner = Scanner::new(NONCE);
    let mut meaning = Meaning::default();
    for chunk in bytes.chunks(piece) {
        scanner.scan(chunk, |piece| {
            stage.take(piece, || true);
            if let Some((_, line)) = stage.waiting.take() {
                meaning.queries.push(String::from_utf8_lossy(&line).into_owned());
                stage.return_floor();
            }
        });
    }
    meaning.commands = stage
        .finished
        .drain(..)
        .map(|finished| Remembered {
            command: String::from_utf8_lossy(&finished.command.text).into_owned(),
            cwd: finished.command.cwd,
            status: finished.command.status,
            output: finished.output.text(Size::new(40, 100)),
            full_screen: finished.output.full_screen,
        })
        .collect();
    (meaning, stage.to_screen.front().to_vec())
}

fn recordings() -> Vec<PathBuf> {
    let streams = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let paths = std::fs::read_dir(streams).unwrap().map(|entry| entry.unwrap().path());
    let is_session = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.ends_with(".bytes") && ["bash-", "zsh-", "fish-"].iter().any(|shell| name.starts_with(shell))
    };
    paths.filter(is_session).collect()
}

#[test]
fn recorded_sessions_mean_what_they_meant() {
    let recordings = recordings();
    assert!(recordings.len() >= 9, "only {} recordings", recordings.len());
    for path in recordings {
        let bytes = std::fs::read(&path).unwrap();
        let (meaning, screen) = replay(&bytes, usize::MAX);
        let expected = path.with_extension("json");
        if std::env::var_os("UPDATE_STREAMS").is_some() {
            std::fs::write(&expected, serde_json::to_string_pretty(&meaning).unwrap() + "\n").unwrap();
        }
        let expected: Meaning = serde_json::from_str(&std::fs::read_to_string(expected).unwrap()).unwrap();
        assert_eq!(meaning, expected, "{}", path.display());
        assert!(memchr::memmem::find(&screen, NONCE.as_bytes()).is_none(), "{}: a mark was shown", path.display());
        // However the kernel cuts the stream.
        for piece in [1, 7, 1024] {
            assert_eq!(replay(&bytes, piece), (replay(&bytes, usize::MAX)), "{} by {piece}", path.display());
        }
    }
}
