//! The corpus: what tools really said, and what must come of it.
//!
//! `tests/reflex/*.toml` holds cases; this runs them on a machine that exists only in the case.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde::Deserialize;

use super::rules;
use super::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Told>,
}

/// One case of the corpus.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Told {
    command: String,
    output: String,
    status: Option<i32>,
    /// Programs and names that can be run.
    commands: Vec<String>,
    /// Paths that exist, relative to the directory or absolute: `dir/` is a directory, `file*` may be run.
    files: Vec<String>,
    /// Contents of files: `[path, text]`.
    contents: Vec<(String, String)>,
    variables: Vec<(String, String)>,
    listeners: Vec<(u16, u32, String)>,
    memory_kills: u64,
    recent: Vec<String>,
    is_root: bool,
    /// The best proposal; absent if it does not matter, empty if there must be none at all.
    first: Option<String>,
    /// Commands that must be among the proposals.
    also: Vec<String>,
    /// Text that the explanation must hold.
    explains: Vec<String>,
}

impl World for Told {
    fn commands(&self) -> &[String] {
        &self.commands
    }

    fn entries(&self, directory: &Path) -> Vec<Entry> {
        let directory = tidy(directory);
        let mut found: Vec<Entry> = Vec::new();
        for file in &self.files {
            let path = tidy(Path::new(file.trim_end_matches('*')));
            let Ok(inside) = path.strip_prefix(&directory) else { continue };
            let mut names = inside.components();
            let Some(name) = names.next() else { continue };
            let name = name.as_os_str().to_string_lossy().into_owned();
            let kind = if names.next().is_some() { Some(Kind::Directory) } else { self.kind(&path) };
            let is_outside = path.is_absolute() != directory.is_absolute();
            if let Some(kind) = kind.filter(|_| !is_outside && found.iter().all(|entry| entry.name != name)) {
                found.push(Entry { name, kind });
            }
        }
        found
    }

    fn kind(&self, path: &Path) -> Option<Kind> {
        let wanted = tidy(path);
        self.files.iter().find_map(|file| {
            let known = tidy(Path::new(file.trim_end_matches('*')));
            if known == wanted {
                Some(if file.ends_with('/') {
                    Kind::Directory
                } else if file.ends_with('*') {
                    Kind::Program
                } else {
                    Kind::File
                })
            } else {
                known.starts_with(&wanted).then_some(Kind::Directory).filter(|_| !wanted.as_os_str().is_empty())
            }
        })
    }

    fn read(&self, path: &Path) -> Option<String> {
        let wanted = tidy(path);
        self.contents.iter().find(|(known, _)| tidy(Path::new(known)) == wanted).map(|(_, text)| text.clone())
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    fn listener(&self, port: u16) -> Option<(u32, String)> {
        self.listeners.iter().find(|(known, ..)| *known == port).map(|(_, pid, name)| (*pid, name.clone()))
    }

    fn memory_kills(&self) -> u64 {
        self.memory_kills
    }

    fn recent(&self) -> &[String] {
        &self.recent
    }

    fn is_root(&self) -> bool {
        self.is_root
    }
}

/// A path without `.`, so that `./x` and `x` are one.
fn tidy(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect()
}

fn corpus() -> Vec<(String, Told)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reflex");
    let mut files: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let cases = files.iter().flat_map(|file| {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let read: File = toml::from_str(&fs::read_to_string(file).unwrap()).unwrap_or_else(|e| panic!("{name}: {e}"));
        read.case.into_iter().enumerate().map(move |(n, case)| (format!("{name} {}: {}", n + 1, case.command), case))
    });
    cases.collect()
}

impl Told {
    fn answer(&self) -> Answer {
        let status = self.status.or(Some(1));
        diagnose(&Failure { command: &self.command, output: &self.output, status, cwd: Path::new("/home/u/app") }, self)
    }

    /// What is wrong with the answer, if anything.
    fn complaint(&self) -> Option<String> {
        let answer = self.answer();
        let commands: Vec<&str> = answer.proposals.iter().map(|proposal| proposal.command.as_str()).collect();
        let first = commands.first().copied().unwrap_or_default();
        if self.first.as_ref().is_some_and(|wanted| wanted != first) {
            return Some(format!("wanted {:?}, proposed {commands:?}", self.first));
        }
        if let Some(missing) = self.also.iter().find(|wanted| !commands.contains(&wanted.as_str())) {
            return Some(format!("wanted {missing:?} too, proposed {commands:?}"));
        }
        let silent = self.explains.iter().find(|words| !answer.explanation.contains(words.as_str()))?;
        Some(format!("wanted {silent:?} in:\n{}", answer.explanation))
    }
}

#[test]
fn every_case_of_the_corpus_is_answered() {
    let complaints: Vec<String> =
        corpus().iter().filter_map(|(name, case)| Some(format!("{name}\n    {}", case.complaint()?))).collect();
    assert!(complaints.is_empty(), "{} cases:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn no_first_proposal_of_the_corpus_is_harmful() {
    for (name, case) in corpus() {
        if let Some(first) = case.answer().proposals.first() {
            assert!(!harm::is_worse(&first.command, &case.command), "{name}: {}", first.command);
        }
    }
}

#[test]
fn rules_have_names_of_their_own() {
    let mut names: Vec<&str> = rules::all().map(|rule| rule.name).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any output with any command of the corpus; signs of all rules are strewn in, so that most of them wake up.
    #[test]
    fn no_rule_panics(command in "[ -~é\n]{0,40}", output in "[ -~é\t\n]{0,400}", at in any::<prop::sample::Index>()) {
        let signs: Vec<&str> = rules::all().flat_map(|rule| rule.signs.iter().copied()).collect();
        let sign = at.get(&signs);
        let cases = corpus();
        let told = &at.get(&cases).1;
        for command in [&command, &told.command] {
            for output in [format!("{output}{sign}"), format!("{sign}{output}"), format!("{output}\n{}", told.output)] {
                diagnose(&Failure { command, output: &output, status: Some(1), cwd: Path::new("/") }, told);
            }
        }
    }
}
