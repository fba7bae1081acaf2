//! The rooms of `src/` and the arrows allowed between them.
//!
//! Reads the source text: every `crate::…` path outside comments is an arrow, and one that is not in the table fails. So do a
//! file that has grown too long and words that mean unfinished work.

use std::fs;
use std::path::{Path, PathBuf};

/// A room and the rooms it may touch. `text` and `chat` are leaves.
const ROOMS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("chat", &[]),
    ("render", &["chat", "text"]),
    ("tty", &["text"]),
    ("input", &["text"]),
    ("host", &["text"]),
    ("track", &["text"]),
    ("capture", &["text"]),
    ("store", &["text", "track", "capture"]),
    ("guard", &[]),
    ("reflex", &["text"]),
    ("tool", &["chat", "text", "track", "guard", "capture", "store", "reflex"]),
    ("provider", &["chat", "text"]),
    (
        "config",
        &[
            "text", "tty", "host", "track", "capture", "input", "store", "agent", "provider", "tool", "guard",
            "render", "reflex",
        ],
    ),
    ("agent", &["text", "chat", "provider", "tool", "guard", "reflex", "store", "track", "capture"]),
    (
        "session",
        &[
            "text", "chat", "tty", "host", "track", "capture", "input", "store", "config", "provider", "tool", "guard",
            "render", "agent", "reflex",
        ],
    ),
    (
        "cli",
        &[
            "text", "chat", "tty", "host", "track", "capture", "input", "store", "config", "provider", "tool", "guard",
            "render", "agent", "session", "reflex",
        ],
    ),
];

/// Lines of a file, test code apart.
const LONGEST: usize = 500;

/// Lines of a script that runs in the user's shell.
const LONGEST_SCRIPT: usize = 150;

const UNFINISHED: &[&str] = &["dbg!", "todo!", "FIXME", "XXX"];

struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// The room the file is in; `lib.rs` and `main.rs` are in none.
    fn room(&self) -> Option<&str> {
        let first = self.path.components().next()?.as_os_str().to_str()?;
        Some(first.strip_suffix(".rs").unwrap_or(first)).filter(|name| !["lib", "main"].contains(name))
    }

    fn is_test_code(&self) -> bool {
        self.path.file_stem().is_some_and(|stem| stem == "tests" || stem.to_string_lossy().ends_with("_tests"))
            || self.path.iter().any(|part| part == "tests")
    }

    /// Lines before the tests at the bottom.
    fn lines_of_code(&self) -> usize {
        self.text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count()
    }
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = Vec::new();
    let mut directories = vec![root.clone()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                sources.push(Source { path: path.strip_prefix(&root).unwrap().to_owned(), text });
            }
        }
    }
    sources.sort_by(|one, other| one.path.cmp(&other.path));
    sources
}

/// Returns the rooms named after `crate::` in the text, groups included.
fn arrows(text: &str) -> Vec<String> {
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n").collect();
    let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = Vec::new();
    for (at, matched) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back().unwrap_or(' ');
        if before.is_alphanumeric() || before == '_' || before == ':' {
            continue;
        }
        let rest = &code[at + matched.len()..];
        match rest.strip_prefix('{') {
            None => found.push(name(rest)),
            Some(group) => found.extend(first_names(group).into_iter().map(|part| name(part.trim()))),
        }
    }
    found
}

/// Returns the parts of `a::{b, c}, d}` that stand at the top: `a::{b, c}` and `d`.
fn first_names(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(&group[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[test]
fn rooms_touch_only_the_rooms_they_may() {
    let mut wrong = Vec::new();
    for source in sources() {
        let Some(room) = source.room() else { continue };
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!("src/{}: the room {room} is not in the table", source.path.display()));
            continue;
        };
        for target in arrows(&source.text) {
            if target != room && !allowed.contains(&target.as_str()) {
                wrong.push(format!("src/{}: {room} may not touch {target}", source.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_stay_short() {
    let long = sources().into_iter().filter(|source| !source.is_test_code() && source.lines_of_code() > LONGEST);
    let long: Vec<String> = long.map(|file| format!("src/{}: {}", file.path.display(), file.lines_of_code())).collect();
    assert!(long.is_empty(), "over {LONGEST} lines:\n{}", long.join("\n"));
}

#[test]
fn scripts_stay_short() {
    let scripts = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("shell-integration")).unwrap();
    for script in scripts.map(|script| script.unwrap().path()) {
        let lines = fs::read_to_string(&script).unwrap().lines().count();
        assert!(lines <= LONGEST_SCRIPT, "{} has {lines} lines", script.display());
    }
}

#[test]
fn nothing_is_marked_unfinished() {
    let mut found = Vec::new();
    for source in sources() {
        for (number, line) in source.text.lines().enumerate() {
            let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '!').collect();
            for word in UNFINISHED.iter().filter(|word| words.contains(word)) {
                found.push(format!("src/{}:{}: {word}", source.path.display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn arrows_are_found_in_every_form() {
    let text = "use crate::text::Clip;\nuse crate::{track::{Mark, Zone}, capture, store::Store};\n\
                fn f() { crate::tty::open(); other_crate::host::x(); } // crate::cli\n";
    assert_eq!(arrows(text), ["text", "track", "capture", "store", "tty"]);
}
