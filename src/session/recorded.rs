//! Replays whole sessions that were recorded from the real shells: `tests/streams/SHELL-NAME.bytes`. The `.json` file beside each
//! has the expected queries and commands. `tests/it/recorded.rs` records them; `UPDATE_STREAMS=1` writes the `.json` files, which
//! have to be reviewed.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::books::Finished;
use super::scripted_tests::Scripted;
use crate::capture::Size;

/// The nonce in all recordings.
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

/// Replays a stream in pieces of this many bytes.
fn replay(bytes: &[u8], piece: usize) -> (Meaning, Vec<u8>) {
    let mut scripted = Scripted::with_nonce(NONCE);
    let mut meaning = Meaning::default();
    for chunk in bytes.chunks(piece) {
        meaning.queries.extend(scripted.play(chunk));
    }
    let remembered = |Finished { command, output }: Finished| Remembered {
        command: String::from_utf8_lossy(&command.text).into_owned(),
        cwd: command.cwd,
        status: command.status,
        output: output.text(Size::new(40, 100)),
        full_screen: output.full_screen,
    };
    meaning.commands = scripted.session.books.recorder.finished.drain(..).map(remembered).collect();
    (meaning, scripted.session.wires.to_screen.front().to_vec())
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
fn recorded_sessions_have_the_same_meaning_as_before() {
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
        // Wherever the kernel cuts the stream.
        for piece in [1, 7, 1024] {
            assert_eq!(replay(&bytes, piece), (replay(&bytes, usize::MAX)), "{} by {piece}", path.display());
        }
    }
}
