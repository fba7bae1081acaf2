//! The rooms of `src/` and the imports allowed between them.
//!
//! Reads the source text. Every `crate::…` path outside comments is an import, and an import that is not in the table fails. So does
//! a file, function or struct over its limit, a type name that is used twice, and a macro that marks unfinished work.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A room and the rooms it may import. `text` and `chat` import none.
const ROOMS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("repository", &[]),
    ("scope", &[]),
    ("program", &[]),
    ("hook", &["text", "program"]),
    ("manual", &["text"]),
    ("chat", &[]),
    ("render", &["chat", "text"]),
    ("export", &["chat", "text", "render", "agent", "store"]),
    ("tty", &["text"]),
    ("input", &["text"]),
    ("host", &["text"]),
    ("track", &["text"]),
    ("capture", &["text"]),
    ("store", &["text", "track", "capture", "repository"]),
    ("usage", &["text", "store"]),
    ("guard", &["text", "repository", "scope"]),
    ("reflex", &["manual", "text"]),
    ("tool", &["chat", "text", "track", "guard", "capture", "manual", "store", "reflex"]),
    ("undo", &["text", "store", "tool"]),
    ("provider", &["chat", "program", "scope", "text"]),
    ("growth", &[]),
    ("fuzz", &["capture", "chat", "guard", "input", "provider", "render", "text", "track"]),
    (
        "config",
        &[
            "text", "tty", "host", "track", "capture", "input", "manual", "store", "agent", "provider", "tool",
            "guard", "render", "reflex", "undo",
        ],
    ),
    (
        "agent",
        &["text", "chat", "hook", "provider", "tool", "guard", "reflex", "store", "track", "capture", "repository"],
    ),
    (
        "session",
        &[
            "hook", "text", "chat", "tty", "host", "track", "capture", "input", "store", "config", "provider", "tool",
            "guard", "render", "export", "agent", "reflex", "usage", "undo",
        ],
    ),
    (
        "cli",
        &[
            "hook", "text", "chat", "tty", "host", "track", "capture", "input", "store", "config", "provider", "tool",
            "guard", "render", "export", "agent", "session", "reflex", "usage", "undo",
        ],
    ),
];

/// Rooms that are compiled only for unit tests, which every room may import there.
const FOR_TESTS: &[&str] = &["growth"];

/// Lines of a file without test modules.
const LONGEST: usize = 500;

/// Lines of a function.
const LONGEST_FUNCTION: usize = 60;

/// Fields of a struct.
const MOST_FIELDS: usize = 15;

/// Functions that may be longer, and why.
const LONG_FUNCTIONS: &[(&str, &str, &str)] = &[
    ("render/painter.rs", "event", "one arm for each event"),
    ("input/line/vi.rs", "vi_letter", "one arm for each key"),
];

/// Structs that may have more fields, and why.
const LARGE_STRUCTS: &[(&str, &str, &str)] =
    &[("config/mod.rs", "Config", "one field for each key or table of the file")];

/// Names that several files may give to a type of their own: the arguments of a subcommand, and those of a tool.
const SHARED_NAMES: &[&str] = &["Args", "Arguments"];

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

    /// The lines of the file without its test modules, wherever they are.
    fn code(&self) -> Vec<&str> {
        let mut code = Vec::new();
        let mut lines = self.text.lines().peekable();
        while let Some(line) = lines.next() {
            let is_module = |next: &&str| next.trim_start().starts_with("mod ") && next.ends_with('{');
            if line.trim() == "#[cfg(test)]" && lines.peek().is_some_and(is_module) {
                let end = format!("{}}}", indent(lines.next().unwrap_or_default()));
                lines.by_ref().find(|line| *line == end);
            } else {
                code.push(line);
            }
        }
        code
    }

    /// The functions of the file with the number of their lines.
    fn functions(&self) -> Vec<(String, usize)> {
        let code = self.code();
        let begins = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().take_while(|word| !word.contains('"')).collect();
            let at = words.iter().position(|word| *word == "fn")?;
            let is_signature = words[..at].iter().all(|word| {
                word.starts_with("pub")
                    || word.starts_with("in")
                    || ["const", "async", "unsafe", "extern"].contains(word)
            });
            let name = words.get(at + 1)?.split(['(', '<']).next()?;
            is_signature.then(|| name.to_owned())
        };
        let measured = code.iter().enumerate().filter_map(|(at, line)| {
            let name = begins(line)?;
            let (end, declared) = (format!("{}}}", indent(line)), format!("{};", indent(line)));
            let length = code[at..].iter().position(|later| {
                *later == end || later.ends_with(';') && (indent(later) == indent(line) || declared == *later)
            })?;
            Some((name, length + 1))
        });
        measured.collect()
    }

    /// The types that the file declares at its top level.
    fn types(&self) -> Vec<String> {
        let declared = self.code().into_iter().filter_map(|line| {
            let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub") || word.contains("::"));
            let keyword = words.next().filter(|_| indent(line).is_empty())?;
            let name = words.next().filter(|_| ["struct", "enum", "trait", "type", "union"].contains(&keyword))?;
            Some(name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        });
        declared.collect()
    }

    /// The structs of the file with the number of their fields.
    fn structs(&self) -> Vec<(String, usize)> {
        let code = self.code();
        let measured = code.iter().enumerate().filter_map(|(at, line)| {
            let (_, rest) = line.split_once("struct ").filter(|_| line.ends_with('{') && !line.contains("//"))?;
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let (end, field) = (format!("{}}}", indent(line)), format!("{}    ", indent(line)));
            let is_field = |line: &&&str| {
                let declared = line.strip_prefix(&field).filter(|rest| rest.starts_with(char::is_alphabetic));
                declared.is_some_and(|declared| declared.contains(": "))
            };
            Some((name, code[at + 1..].iter().take_while(|line| **line != end).filter(is_field).count()))
        });
        measured.collect()
    }
}

/// The blanks a line begins with.
fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// Items over the limit that are not exceptions, and exceptions that are no longer needed.
fn over(
    limit: usize,
    exceptions: &[(&str, &str, &str)],
    measure: impl Fn(&Source) -> Vec<(String, usize)>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut used = Vec::new();
    for source in sources().into_iter().filter(|source| !source.is_test_code()) {
        let path = source.path.display().to_string();
        for (name, count) in measure(&source).into_iter().filter(|(_, count)| *count > limit) {
            match exceptions.iter().find(|(file, item, _)| *file == path && *item == name) {
                Some(exception) => used.push(exception),
                None => wrong.push(format!("src/{path}: {name} has {count}")),
            }
        }
    }
    let stale = exceptions.iter().filter(|exception| !used.contains(exception));
    wrong.extend(stale.map(|(file, item, _)| format!("src/{file}: {item} needs no exception any more")));
    wrong
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

/// Returns the top-level parts of `a::{b, c}, d}`: `a::{b, c}` and `d`.
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
fn rooms_import_only_allowed_rooms() {
    let mut wrong = Vec::new();
    for source in sources() {
        let Some(room) = source.room() else { continue };
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!("src/{}: the room {room} is not in the table", source.path.display()));
            continue;
        };
        for target in arrows(&source.text) {
            if target != room && !allowed.iter().chain(FOR_TESTS).any(|name| *name == target) {
                wrong.push(format!("src/{}: {room} may not touch {target}", source.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_module_with_children_is_a_mod_rs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let beside = sources().into_iter().filter(|source| root.join(source.path.with_extension("")).is_dir());
    let beside: Vec<String> = beside.map(|file| format!("src/{}", file.path.display())).collect();
    assert!(beside.is_empty(), "move these to `mod.rs` in the directory of the same name:\n{}", beside.join("\n"));
}

#[test]
fn every_path_that_the_architecture_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("docs/ARCHITECTURE.md")).expect("the page about the architecture");
    let named =
        text.split('`').skip(1).step_by(2).filter(|code| code.starts_with("src/") || code.starts_with("tests/"));
    let missing: Vec<&str> = named.filter(|path| !root.join(path).exists()).collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn files_stay_short() {
    let long = sources().into_iter().filter(|source| !source.is_test_code() && source.code().len() > LONGEST);
    let long: Vec<String> = long.map(|file| format!("src/{}: {}", file.path.display(), file.code().len())).collect();
    assert!(long.is_empty(), "over {LONGEST} lines:\n{}", long.join("\n"));
}

#[test]
fn functions_stay_short() {
    let long = over(LONGEST_FUNCTION, LONG_FUNCTIONS, Source::functions);
    assert!(long.is_empty(), "over {LONGEST_FUNCTION} lines:\n{}", long.join("\n"));
}

#[test]
fn structs_stay_small() {
    let large = over(MOST_FIELDS, LARGE_STRUCTS, Source::structs);
    assert!(large.is_empty(), "over {MOST_FIELDS} fields:\n{}", large.join("\n"));
}

#[test]
fn a_type_name_is_used_once() {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources().into_iter().filter(|source| !source.is_test_code()) {
        for name in source.types().into_iter().filter(|name| !SHARED_NAMES.contains(&name.as_str())) {
            owners.entry(name).or_default().push(format!("src/{}", source.path.display()));
        }
    }
    let shared: Vec<String> = owners
        .into_iter()
        .filter(|(_, files)| files.len() > 1)
        .map(|(name, files)| format!("{name}: {}", files.join(", ")))
        .collect();
    assert!(shared.is_empty(), "these names have several types; rename one of each:\n{}", shared.join("\n"));
}

#[test]
fn functions_and_structs_are_measured() {
    let text = "struct A {\n    /// Not: a field.\n    a: u8,\n    pub b: u8,\n}\n\npub(super) async fn f(\n    a: u8,\n) {\n    let fn_ = 1;\n}\n\n\
                trait T {\n    fn declared(\n        &self,\n    );\n}\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\nfn g() {\n}\n";
    let source = Source { path: PathBuf::from("text/x.rs"), text: text.to_owned() };
    assert_eq!(source.structs(), [("A".to_owned(), 2)]);
    let functions = [("f".to_owned(), 5), ("declared".to_owned(), 3), ("g".to_owned(), 2)];
    assert_eq!(source.functions(), functions);
    let text = "pub(in crate::store) struct A<'a> {\n}\nenum B {}\ntype C = u8;\nimpl X {\n    type Item = u8;\n}\n";
    let source = Source { path: PathBuf::from("text/x.rs"), text: text.to_owned() };
    assert_eq!(source.types(), ["A", "B", "C"]);
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
fn no_unfinished_code_is_marked() {
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
fn imports_are_found_in_every_form() {
    let text = "use crate::text::Clip;\nuse crate::{track::{Mark, Zone}, capture, store::Store};\n\
                fn f() { crate::tty::open(); other_crate::host::x(); } // crate::cli\n";
    assert_eq!(arrows(text), ["text", "track", "capture", "store", "tty"]);
}
